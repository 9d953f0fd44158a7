"""The command ``driftlearn versions``."""

import click

from driftlearn.cli.command import Command


@click.command(cls=Command)
def versions() -> None:
    """Show installed versions, and whether the compiled core is in use.

    \b
      driftlearn versions
    """  # noqa: D301
    from driftlearn import show_versions

    show_versions()
