"""Group and base classes of subcommands: exit codes, error messages, output and names."""

from __future__ import annotations

import json
import os
import re
import shlex
import signal
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from difflib import get_close_matches
from importlib import import_module
from pathlib import Path
from time import perf_counter, strftime
from typing import TYPE_CHECKING, Any, NoReturn

import click
from click.shell_completion import CompletionItem as Item

from driftlearn._command_start import end_normally
from driftlearn.utils.safe_text import file_name, printable
from driftlearn.utils.version import __version__

if TYPE_CHECKING:
    from driftlearn.ops.alerts.alarm import Alarm
    from driftlearn.preprocessing._table_check import SchemaReport

WIDEST = 120  # columns of help texts; longer lines are hard to read
WHOLE = 1_000  # characters of a summary
INVALID, BUG, INTERRUPTED, TERMINATED = 2, 3, 130, 143  # exit codes
COMMANDS = (
    "alerts", "backtest", "check", "compare", "completion", "demo", "explain", "export",
    "export-model", "inspect", "learn", "list", "predict", "promote", "reproduce", "rollback",
    "run", "runs", "serve", "versions", "watch",
)  # fmt: skip
#: Commands by other words for them.
SYNONYMS = {
    "train": "learn", "fit": "learn", "update": "learn", "evaluate": "run", "benchmark": "run",
    "explain": "inspect", "show": "inspect", "monitor": "watch", "start": "serve",
}  # fmt: skip

#: Options that select what a model is; for others, the last value counts.
ONCE = {"target", "key", "learner", "state"}
#: What to write for a missing argument, by the name of its parameter.
ARGUMENTS = {
    "files": "Name CSV or Parquet files, or a folder of them.",
    "model": "Name a state folder or a model file.",
    "paper": "'driftlearn list papers' shows all.",
    "first": "Name two state folders, and files with labels.",
}


def echo(text: str, err: bool = False) -> None:
    """Print text with escaped control characters, which may come from file contents."""
    click.echo(printable(text, lines=True), err=err)


def announce(text: str) -> None:
    """Print what a command does before it imports the library, which takes seconds.

    Logs and pipes do not need the line.
    """
    if sys.stderr.isatty():
        echo(text, err=True)


def echo_json(value: Any) -> None:
    """Print a value as JSON."""
    echo(json.dumps(value, indent=1))


def interrupted(text: str = "stopped") -> NoReturn:
    """End the process with the exit code of Ctrl-C."""
    echo(text, err=True)
    sys.exit(INTERRUPTED)


class CommandError(click.ClickException):
    """Error with a message for the user and an exit code for scripts."""

    def __init__(self, message: str, exit_code: int):
        super().__init__(message)
        self.exit_code = exit_code  # type: ignore[misc]


class Named(click.ParamType):  # type: ignore[type-arg, unused-ignore]
    """Parameter type of a learner or stream spec: ``name:option=value,...``.

    Parameters
    ----------
    kind : {"learner", "stream"}
        Kind of the object.
    """

    def __init__(self, kind: str):
        self.name = kind

    def convert(self, value: Any, param: Any, ctx: Any) -> str:
        """Return the string unchanged; raise an error if the name is unknown."""
        from driftlearn.specs.grammar import check

        try:
            check(value, self.name)
        except ValueError as mistake:
            raise CommandError(str(mistake), INVALID) from None
        return str(value)

    def shell_complete(self, ctx: Any, param: Any, incomplete: str) -> list[Item]:
        """Return the names that start with a prefix; for streams also files."""
        found = names(self.name, incomplete)
        return found or ([Item(incomplete, type="file")] if self.name == "stream" else [])


def names(kind: str, incomplete: str) -> list[Item]:
    """Return the learners or streams whose names start with a prefix, with their summaries."""
    from driftlearn.specs.catalogue import own, plugins

    about = {name: getattr(entry, "line", "") or entry.about for name, entry in own(kind).items()}
    about |= {name: entry.package for name, entry in plugins(kind)[0].items()}
    return [Item(k, help=v) for k, v in about.items() if k.startswith(incomplete)]


class Command(click.Command):
    """A subcommand that prints error messages instead of tracebacks.

    Invalid input (`ValueError`), unusable files (`OSError`) and missing packages (`ImportError`)
    give exit code 2. Any other exception is a bug and gives exit code 3.
    """

    stopped = "stopped"

    def __init__(self, *arguments: Any, **options: Any):
        super().__init__(*arguments, **options)
        about = "Show the traceback of an error."
        self.params.append(click.Option(["--debug"], is_flag=True, help=about))

    def make_context(self, info_name: str | None, args: list[str], *more: Any, **extra: Any) -> Any:
        """Store the command line, which is shown in runs and reports to make them reproducible."""
        line = shlex.join(["driftlearn", *([info_name] if info_name else []), *args])
        try:
            context = super().make_context(info_name, args, *more, **extra)
        except click.MissingParameter as problem:
            param: Any = problem.param
            text = ARGUMENTS.get(param.name, "")
            if about := getattr(param, "help", ""):
                use = f"{param.opts[0]} {param.metavar or 'VALUE'}"
                text = f"Add {use} ({about[0].lower()}{about[1:].strip('.')})."
            raise click.MissingParameter(text, problem.ctx, param) from None
        context.meta["driftlearn.command"] = line
        return context

    def get_short_help_str(self, limit: int = 45) -> str:
        """Return the first sentence, which is wrapped and never cut."""
        return super().get_short_help_str(WHOLE)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the command line; options in `ONCE` must not be repeated."""
        _, _, order = self.make_parser(ctx).parse_args([*args])
        for k, param in enumerate([] if ctx.resilient_parsing else order):
            if param.name in ONCE and param in order[:k] and not param.multiple:
                text = f"{param.opts[0]} takes one value, but is given twice. Remove one of them."
                raise click.UsageError(text, ctx)
        return super().parse_args(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the subcommand; convert exceptions to messages and exit codes."""
        debug = ctx.params.pop("debug", False)
        before = signal.signal(signal.SIGTERM, _terminate)
        end_normally()
        try:
            return super().invoke(ctx)
        except (click.ClickException, click.exceptions.Exit, click.Abort, BrokenPipeError):
            raise  # click handles these, including a closed pipe
        except KeyboardInterrupt:
            interrupted(self.stopped)
        except Exception as error:
            if debug:
                raise
            # Python 3.11 wraps Ctrl-C during the creation of a class, i.e. during an import.
            if isinstance(error.__cause__, KeyboardInterrupt):
                interrupted(self.stopped)
            # if this module was not imported, the error is not of this type
            if isinstance(error, getattr(sys.modules.get("driftlearn.io"), "NotAllowed", ())):
                text = re.sub(r"allow=\('(.*)',\)", r"--allow \1", str(error))
                raise CommandError(text, INVALID) from None
            if isinstance(error, (ValueError, OSError, ImportError)):
                code = getattr(error, "exit_code", INVALID)
                raise CommandError(_message(error), code) from None
            text = f"{type(error).__name__}: {error} (--debug shows the traceback)"
            raise CommandError(text, BUG) from None
        finally:
            signal.signal(signal.SIGTERM, before)


class LongCommand(Command):
    """Base class of subcommands that can be stopped and resumed."""

    stopped = "stopped; finished work is saved, run the same command again to continue"


class Commands(click.Group):
    """Group of subcommands that are imported on first use."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of all subcommands."""
        return [*COMMANDS]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return the subcommand with a name, or None."""
        if cmd_name not in COMMANDS:
            return None
        name = cmd_name.replace("-", "_")
        command = getattr(import_module(f"driftlearn.cli.{name}"), name)
        assert isinstance(command, click.Command)
        return command

    def resolve_command(self, ctx: click.Context, args: list[str]) -> Any:
        """Return the requested subcommand; suggest similar names if it does not exist."""
        near = (
            [SYNONYMS[args[0]]]
            if args[0] in SYNONYMS
            else get_close_matches(args[0], COMMANDS, 2, 0.7)
        )
        if args[0] not in COMMANDS and not args[0].startswith("-"):
            words = f"did you mean {' or '.join(map(repr, near))}?"
            hint = words if near else "'driftlearn --help' lists all"
            ctx.fail(f"No such command {args[0]!r} ({hint})")
        return super().resolve_command(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        """Run a subcommand; escape control characters in messages, which may quote a file."""
        try:
            return super().invoke(ctx)
        except click.ClickException as problem:
            problem.message = printable(problem.message, lines=True)  # type: ignore[misc]
            raise
        except KeyboardInterrupt:  # raised before the subcommand can handle it
            interrupted()


@click.group(
    cls=Commands,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": WIDEST},
    epilog="Exit codes: 0 success, 1 some cells failed, 2 invalid input or missing file, 3 bug, "
    "4 done, but a table has changed, 5 not done, because a table has changed, 6 done, but an "
    "alert was raised (alerts --exit-on), 130 stopped by Ctrl-C, 143 stopped by SIGTERM.",
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


def command_line() -> str:
    """Return the command line as typed."""
    return str(click.get_current_context().meta["driftlearn.command"])


def check_outputs(*files: Path | None, figures: Iterable[Path] = ()) -> None:
    """Create the folders of outputs; raise an error early if an output cannot be written."""
    from driftlearn.utils.atomic_files import check_writable
    from driftlearn.utils.optional import needed

    figures = [*figures]
    for path in figures:
        canvas = needed("matplotlib.backend_bases", f"the figure {path}").FigureCanvasBase
        kind = path.suffix.removeprefix(".").lower()
        if kind and kind not in {*canvas.get_supported_filetypes(), "gif"}:
            text = f"Unknown figure format .{kind} of {path}: use .png, .svg, .pdf or .gif."
            raise ValueError(text)
        if kind == "gif":
            needed("PIL.Image", f"the animation {path}")
    seen: dict[str, Path] = {}
    for path in (*filter(None, files), *figures):
        if seen.setdefault(os.path.realpath(path), path) is not path:
            raise ValueError(f"{path} is used for two outputs. Name a different file for each.")
        try:
            check_writable(path)
        except FileExistsError:
            text = f"{path} cannot be written: {path.parent} is a file, not a folder."
            raise OSError(text) from None
        except OSError as problem:
            raise OSError(f"{path} cannot be written: {problem.strerror or problem}.") from None


def figure_files(path: Path | None, streams: Sequence[str]) -> dict[str, Path]:
    """Return one figure file per stream; with several streams, file names include the stream."""
    if path is None:
        return {}
    if len(streams) == 1:
        return {streams[0]: path}
    return {each: path.with_stem(f"{path.stem}-{file_name(each)}") for each in streams}


@contextmanager
def schema_reported(
    report: SchemaReport, as_json: bool, log_line: bool, alarm: Alarm | None = None
) -> Iterator[dict[str, Any]]:
    """Print the schema changes and alerts of a run, also after an error; set the exit code.

    Parameters
    ----------
    report : SchemaReport
        The schema changes.
    as_json : bool
        Whether to print the changes as JSON after an error; otherwise the command prints them.
    log_line : bool
        Whether to print a line for log collectors at the end, with the values that the command adds
        to the dict which the context provides.
    alarm : Alarm, optional
        The alerts; the command checks the conditions of a run without an error.
    """
    facts: dict[str, Any] = {}
    begun, code = perf_counter(), 0
    if alarm is not None:
        report.notify = alarm.met
    try:
        yield facts
        code = (alarm.exit_code if alarm is not None else 0) or report.exit_code
    except BaseException as problem:
        code = _exit_code(problem)
        facts["error"] = str(problem) or type(problem).__name__
        if alarm is not None:
            is_told = code in (report.exit_code, INTERRUPTED, TERMINATED)
            alarm.check(None, is_run=True, problem="" if is_told else facts["error"])
        if as_json and isinstance(problem, ValueError):
            found = {"error": str(problem), "schema": report.to_dict(), "exit code": code}
            echo_json(found)
        raise
    finally:
        prefix = "note" if report.policy == "note" else "warning"
        for text in report.texts() if report.policy != "stop" else ():
            echo(f"{prefix}: {text}", err=True)
        if alarm is not None:
            alarm.send()
            if alarm.rules is not None:
                facts["alerts"] = alarm.texts
        if log_line:
            context = click.get_current_context()
            line = {
                "time": strftime("%Y-%m-%dT%H:%M:%S%z"), "event": "run",
                "command": context.info_name, "state": str(context.params["state"]),
                "exit code": code, "seconds": round(perf_counter() - begun, 3), **facts,
                "schema changes": report.texts(),
            }  # fmt: skip
            echo(json.dumps(line), err=True)
    if code:
        sys.exit(code)


def _exit_code(problem: BaseException) -> int:
    """Return the exit code of a command that ends with an exception."""
    if isinstance(problem, KeyboardInterrupt):
        return INTERRUPTED
    if isinstance(problem, SystemExit):
        return problem.code if isinstance(problem.code, int) else BUG
    is_invalid = isinstance(problem, (ValueError, OSError, ImportError))
    return int(getattr(problem, "exit_code", INVALID)) if is_invalid else BUG


def use_working_folder() -> None:
    """Make modules in the working folder importable, for user-defined classes.

    The folder is last in ``sys.path``, so its files cannot shadow installed packages. Worker
    processes receive the same list.
    """
    folder = os.getcwd()
    sys.path[:] = [*(entry for entry in sys.path if entry not in ("", folder)), folder]


def _message(error: Exception) -> str:
    """Return the message of an error; for a system error, it starts with the file."""
    if isinstance(error, OSError) and error.filename and error.strerror:
        folder = Path(os.fsdecode(error.filename)).parent
        hint = "" if folder.exists() else f"; create the folder {folder} first"
        return f"{error.filename}: {error.strerror}{hint}"
    return str(error)


def _terminate(signum: int, frame: object) -> None:
    sys.exit(TERMINATED)
