"""The ``driftlearn`` command, with one module per subcommand; each defines a click command.

A module is imported when its subcommand is used, and its dependencies when the subcommand runs, so
``driftlearn --help`` is fast.
"""

import driftlearn.cli.completion  # noqa: F401, registers the shells
from driftlearn.cli.command import COMMANDS, main

__all__ = ["COMMANDS", "main"]

if __name__ == "__main__":
    main()
