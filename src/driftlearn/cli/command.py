"""What commands share: mistakes as one sentence, exit codes, options, the grid and the store."""

from __future__ import annotations

import os
import shlex
import signal
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import click

from driftlearn.utils.safe_text import file_name, printable

if TYPE_CHECKING:
    from driftlearn.bench.workbench.grid import Grid
    from driftlearn.bench.workbench.store import Store

FILE = click.Path(dir_okay=False, path_type=Path)
FOLDER = click.Path(file_okay=False, path_type=Path)
STORE = click.option("--store", type=FILE, help="The SQLite file; by default runs.sqlite in the "
                     "user's data folder.")  # fmt: skip
MISTAKE, BUG, INTERRUPTED, ENDED = 2, 3, 130, 143


def say(text: str, err: bool = False) -> None:
    """Print a text, in which data of others may stand."""
    click.echo(printable(text, lines=True), err=err)


def interrupted(text: str = "stopped") -> NoReturn:
    """End the process as Ctrl-C ends one."""
    say(text, err=True)
    sys.exit(INTERRUPTED)


class Seeds(click.ParamType):  # type: ignore[type-arg, unused-ignore]
    """Seeds of repetitions: a number of them, from 0 on, or the first and the end, as 1000:1010."""

    name = "seeds"

    def convert(self, value: Any, param: Any, ctx: Any) -> range:
        """Return the seeds that a text names."""
        first, colon, end = str(value).rpartition(":")
        try:
            seeds = range(int(first) if colon else 0, int(end))
        except ValueError:
            seeds = range(0)
        if not seeds or seeds[0] < 0:
            self.fail(f"{value!r} is neither a number of seeds, as 10, nor FIRST:END, as 1000:1010")
        return seeds


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
            interrupted(self.stopped)
        except Exception as error:
            if debug:
                raise
            if isinstance(error, (ValueError, OSError, ImportError)):
                code = getattr(error, "exit_code", MISTAKE)
                raise Problem(_sentence(error), code) from None
            text = f"{type(error).__name__}: {error} (--debug shows where)"
            raise Problem(text, BUG) from None
        finally:
            signal.signal(signal.SIGTERM, before)


class LongCommand(Command):
    """A command that can be stopped and taken up again."""

    stopped = "stopped; what is finished is stored, and the same command goes on from there"


def command_line() -> str:
    """Return the command that is running, as it was typed."""
    return str(click.get_current_context().meta["driftlearn.command"])


def grid_options(function: Callable[..., None]) -> Callable[..., None]:
    """Add the options of everything that runs a grid."""
    for option in (
        click.option("--verbose", "-v", is_flag=True, help="A line for every cell that is done."),
        click.option("--quiet", "-q", is_flag=True, help="No progress."),
        click.option("--fresh", is_flag=True, help="Run again what is in the store already."),
        click.option(
            "--on",
            default="auto",
            show_default=True,
            metavar="WHERE",
            help="serial, processes[:N], local:N (a dask cluster here), or a dask "
            "scheduler's tcp://host:port; auto takes all cores.",
        ),
        STORE,
    ):
        function = option(function)
    return function


def open_grid(store: Path | None, on: str, fresh: bool, quiet: bool, verbose: bool) -> Grid:
    """Return the grid that the options of a command describe."""
    from driftlearn.bench.workbench.grid import Grid
    from driftlearn.bench.workbench.progress import make_display
    from driftlearn.bench.workbench.store import Store, default_path

    display = make_display(quiet, verbose)
    return Grid(Store(store or default_path()), on, display, fresh=fresh)


def open_store(path: Path | None) -> Store:
    """Return the store of a command that reads one; it must be there."""
    from driftlearn.bench.workbench.store import Store, StoreError, default_path

    path = path or default_path()
    if not path.exists():
        raise StoreError(f"there is no store {path}; driftlearn run makes one")
    return Store(path, to_read=True)


def look_for(*files: Path | None, figures: Iterable[Path] = ()) -> None:
    """Raise at the start if what is to be written at the end could not be; make the folders."""
    from driftlearn.utils.atomic_files import check_writable
    from driftlearn.utils.optional import needed

    figures = [*figures]
    for path in figures:
        canvas = needed("matplotlib.backend_bases", f"the figure {path}").FigureCanvasBase
        kind = path.suffix.removeprefix(".").lower()
        if kind and kind not in {*canvas.get_supported_filetypes(), "gif"}:
            raise ValueError(
                f"no figure of the kind .{kind} can be drawn: end {path} in .png, .svg, "
                ".pdf or .gif"
            )
        if kind == "gif":
            needed("PIL.Image", f"the animation {path}")
    places: dict[str, Path] = {}
    for path in (*filter(None, files), *figures):
        if places.setdefault(os.path.realpath(path), path) is not path:
            raise ValueError(f"{path} is to be two things at a time: give each a file of its own")
        try:
            check_writable(path)
        except FileExistsError:
            raise OSError(f"{path} cannot be written: {path.parent} is a file, no folder") from None
        except OSError as problem:
            raise OSError(f"{path} cannot be written: {problem.strerror or problem}") from None


def figure_files(path: Path | None, streams: Sequence[str]) -> dict[str, Path]:
    """Return the figure's file of each stream; where there are several, by the stream's name."""
    if path is None:
        return {}
    several = len(streams) > 1
    return {
        stream: path.with_stem(f"{path.stem}-{file_name(stream)}") if several else path
        for stream in streams
    }


def use_working_folder() -> None:
    """Let classes of the user's own be named that lie in the working folder.

    It comes last, so that no file in it can take the place of an installed package. Worker
    processes are handed the same list.
    """
    folder = os.getcwd()
    sys.path[:] = [*(entry for entry in sys.path if entry not in ("", folder)), folder]


def _sentence(error: Exception) -> str:
    """Return an error's text; a system error names its file."""
    if isinstance(error, OSError) and error.filename and error.strerror:
        folder = Path(os.fsdecode(error.filename)).parent
        hint = "" if folder.exists() else f"; make the folder {folder} first"
        return f"{error.filename}: {error.strerror}{hint}"
    return str(error)


def _end(signum: int, frame: object) -> None:
    sys.exit(ENDED)
