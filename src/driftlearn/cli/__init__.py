"""The ``driftlearn`` command: one module for each subcommand, with a click command of its name.

Modules are imported when a subcommand is used, and their dependencies when it runs, so that
``driftlearn --help`` is fast.
"""

import driftlearn.cli.completion  # noqa: F401, registers the shells
from driftlearn.cli.command import COMMANDS, main

__all__ = ["COMMANDS", "main"]

if __name__ == "__main__":
    main()
