"""The `driftlearn` command.

Every command's work is imported when it runs, so that ``driftlearn --help`` answers at once.
"""

from __future__ import annotations

import click

from driftlearn._version import __version__
from driftlearn.cli._looking import export, list_, runs, versions
from driftlearn.cli._running import demo, run
from driftlearn.cli.reproduce import reproduce


@click.group(
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Exit codes: 0 all went well, 1 some cells failed, 2 a mistake in what was asked for, "
    "3 an error that should not happen, 130 stopped by Ctrl-C, 143 by a request to end.",
)
@click.version_option(__version__, prog_name="driftlearn")
def main() -> None:
    """Learn from data that arrives over time while the world changes."""


for command in (demo, list_, run, reproduce, runs, export, versions):
    main.add_command(command)

if __name__ == "__main__":
    main()
