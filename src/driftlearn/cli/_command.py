"""What every command shares: mistakes as one sentence, exit codes, `--debug`."""

from __future__ import annotations

import shlex
import signal
import sys
from typing import Any

import click

MISTAKE, BUG, INTERRUPTED, ENDED = 2, 3, 130, 143


class Problem(click.ClickException):
    """One sentence for the user, and an exit code for the script."""

    def __init__(self, sentence: str, exit_code: int):
        super().__init__(sentence)
        self.exit_code = exit_code  # type: ignore[misc]


class Command(click.Command):
    """A command that never shows a traceback, unless it is asked to.

    What the user did, or the machine lacks (a wrong name, a file that cannot be written, a
    missing package), is a `ValueError`, `OSError` or `ImportError` and gives exit code 2.
    Anything else is a mistake of the library and gives 3.
    """

    stopped = "stopped"

    def __init__(self, *arguments: Any, **options: Any):
        super().__init__(*arguments, **options)
        self.params.append(
            click.Option(["--debug"], is_flag=True, help="Show the traceback of an error.")
        )

    def make_context(self, info_name: str | None, args: list[str], *more: Any, **extra: Any) -> Any:
        """Note the words of the command line, so that a run can say how to get it again."""
        line = shlex.join(["driftlearn", *([info_name] if info_name else []), *args])
        context = super().make_context(info_name, args, *more, **extra)
        context.meta["driftlearn.command"] = line
        return context

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command; turn what goes wrong into a sentence and an exit code."""
        debug = ctx.params.pop("debug", False)
        before = signal.signal(signal.SIGTERM, _end)
        try:
            return super().invoke(ctx)
        except (click.ClickException, click.exceptions.Exit, click.Abort, BrokenPipeError):
            raise  # click knows what to do, also where nobody reads what is printed
        except KeyboardInterrupt:
            click.echo(self.stopped, err=True)
            sys.exit(INTERRUPTED)
        except Exception as error:
            if debug:
                raise
            if isinstance(error, (ValueError, OSError, ImportError)):
                raise Problem(_sentence(error), MISTAKE) from None
            text = f"{type(error).__name__}: {error} (--debug shows where)"
            raise Problem(text, BUG) from None
        finally:
            signal.signal(signal.SIGTERM, before)


class LongCommand(Command):
    """A command that can be stopped and taken up again."""

    stopped = "stopped; what is finished is stored, and the same command goes on from there"


def command_line() -> str:
    """Return the command that is running, as it was typed."""
    return click.get_current_context().meta["driftlearn.command"]


def _sentence(error: Exception) -> str:
    """Return an error's text; a system error names its file."""
    if isinstance(error, OSError) and error.filename and error.strerror:
        return f"{error.filename}: {error.strerror}"
    return str(error)


def _end(signum: int, frame: object) -> None:
    sys.exit(ENDED)
