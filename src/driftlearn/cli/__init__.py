"""The `driftlearn` command: one module a command, which has a click command of its own name.

A command's module is imported when it is asked for, and its work when it runs, so that
``driftlearn --help`` answers at once.
"""

from __future__ import annotations

from difflib import get_close_matches
from importlib import import_module
from typing import Any

import click
from click.shell_completion import add_completion_class

from driftlearn.cli.command import interrupted
from driftlearn.cli.shells import Bash, Fish, Zsh
from driftlearn.utils.safe_text import printable
from driftlearn.utils.version import __version__

MODULES = {
    "completion": "completion",
    "demo": "demo",
    "export": "export",
    "inspect": "inspect",
    "learn": "learn",
    "list": "list",
    "predict": "predict",
    "reproduce": "reproduce",
    "run": "run",
    "runs": "runs",
    "serve": "serve",
    "versions": "versions",
    "watch": "watch",
}
for shell in (Bash, Fish, Zsh):
    add_completion_class(shell)


class Commands(click.Group):
    """The commands, each imported when it is needed."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of all commands."""
        return [*MODULES]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return the command of a name, or None if there is none."""
        if cmd_name not in MODULES:
            return None
        command = getattr(import_module(f"{__name__}.{MODULES[cmd_name]}"), cmd_name)
        assert isinstance(command, click.Command)
        return command

    def resolve_command(self, ctx: click.Context, args: list[str]) -> Any:
        """Return the command that is asked for; of one that there is not, say what is near."""
        near = get_close_matches(args[0], MODULES, n=2)
        if near and args[0] not in MODULES:
            words = " or ".join(map(repr, near))
            ctx.fail(f"No such command {args[0]!r} (did you mean {words}?)")
        return super().resolve_command(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command; what is said of a mistake may quote data of others."""
        try:
            return super().invoke(ctx)
        except click.ClickException as problem:
            problem.message = printable(problem.message, lines=True)  # type: ignore[misc]
            raise
        except KeyboardInterrupt:  # before a command could see to it itself
            interrupted()


@click.group(
    cls=Commands,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Exit codes: 0 all went well, 1 some cells failed, 2 a mistake in what was asked for, "
    "3 an error that should not happen, 130 stopped by Ctrl-C, 143 by a request to end.",
)
@click.version_option(__version__, prog_name="driftlearn")
def main() -> None:
    """Learn from data that arrives over time while the world changes.

    \b
      driftlearn demo
      driftlearn learn days/ --target label --state model/
      driftlearn run --stream sea --learner dtel --learner auto --report sea.html
      driftlearn COMMAND --help
    """  # noqa: D301


if __name__ == "__main__":
    main()
