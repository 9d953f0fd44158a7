"""Run ``driftlearn`` with the defect that an attack must find: ``defective.py ATTACK ARGS``."""

import sys

from tests.siege.attacks import ATTACKS

if __name__ == "__main__":
    ATTACKS[sys.argv.pop(1)].defect()
    from driftlearn.cli import main

    main(prog_name="driftlearn")
