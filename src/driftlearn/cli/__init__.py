"""The ``driftlearn`` command: one module for each subcommand, with a click command of its name.

Modules are imported when a subcommand is used, and their dependencies when it runs, so that
``driftlearn --help`` is fast.
"""

from difflib import get_close_matches
from importlib import import_module
from typing import Any

import click
from click.shell_completion import add_completion_class

from driftlearn.cli.command import interrupted
from driftlearn.cli.shells import Bash, Fish, Zsh
from driftlearn.utils.safe_text import printable
from driftlearn.utils.version import __version__

COMMANDS = (
    "completion", "demo", "export", "inspect", "learn", "list", "predict", "reproduce", "run",
    "runs", "serve", "versions", "watch",
)  # fmt: skip
for shell in (Bash, Fish, Zsh):
    add_completion_class(shell)


class Commands(click.Group):
    """Group of subcommands that are imported on first use."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of all subcommands."""
        return [*COMMANDS]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return the subcommand of a name, or None if there is none."""
        if cmd_name not in COMMANDS:
            return None
        command = getattr(import_module(f"{__name__}.{cmd_name}"), cmd_name)
        assert isinstance(command, click.Command)
        return command

    def resolve_command(self, ctx: click.Context, args: list[str]) -> Any:
        """Return the requested subcommand; suggest similar names if it does not exist."""
        near = get_close_matches(args[0], COMMANDS, n=2)
        if near and args[0] not in COMMANDS:
            words = " or ".join(map(repr, near))
            ctx.fail(f"No such command {args[0]!r} (did you mean {words}?)")
        return super().resolve_command(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        """Run a subcommand; escape control characters in messages, which may quote a file."""
        try:
            return super().invoke(ctx)
        except click.ClickException as problem:
            problem.message = printable(problem.message, lines=True)  # type: ignore[misc]
            raise
        except KeyboardInterrupt:  # before the subcommand handles it
            interrupted()


@click.group(
    cls=Commands,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Exit codes: 0 success, 1 some cells failed, 2 invalid input or missing file, 3 bug, "
    "130 stopped by Ctrl-C, 143 stopped by SIGTERM.",
)
@click.version_option(__version__, prog_name="driftlearn")
def main() -> None:
    """Learn from data that changes over time.

    \b
      driftlearn demo
      driftlearn learn days/ --target label --state model/
      driftlearn run --stream sea --learner dtel --learner auto --report sea.html
      driftlearn COMMAND --help
    """  # noqa: D301


if __name__ == "__main__":
    main()
