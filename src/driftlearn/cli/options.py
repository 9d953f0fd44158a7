"""Shared options of subcommands, with value types and shell completion.

This module does not import learners, streams or papers, so that completion is fast.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial, wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.shell_completion import CompletionItem as Item

from driftlearn.cli.command import Named, names

if TYPE_CHECKING:
    from driftlearn.bench.workbench.grid import Grid
    from driftlearn.bench.workbench.store import Store


def seeds(value: str | range) -> range:
    """Parse seeds: a number of repetitions, counted from 0, or a range such as 1000:1010."""
    first, colon, end = str(value).rpartition(":")
    try:
        found = value if isinstance(value, range) else range(int(first) if colon else 0, int(end))
    except ValueError:
        found = range(0)
    if not found or found[0] < 0:
        text = f"{value!r}: expected a number of seeds, e.g. 10, or FIRST:END, e.g. 1000:1010"
        raise click.BadParameter(text)
    return found


def chunk(value: str | int) -> int | str:
    """Parse a number of rows or the word ``file``."""
    text = str(value).replace("_", "")
    if text == "file" or (text.isascii() and text.isdigit() and int(text) > 0):
        return text if text == "file" else int(text)
    raise click.BadParameter(f"{value!r}: expected a number of rows, e.g. 1000, or 'file'")


def kind(value: str | tuple[str, str]) -> tuple[str, str]:
    """Parse a column and its kind, such as ``zip=category``."""
    if isinstance(value, tuple):
        return value
    column, _, name = value.rpartition("=")
    if not column:
        raise click.BadParameter(f"{value!r}: expected COLUMN=KIND, e.g. zip=category")
    return column, name


FILE = click.Path(dir_okay=False, path_type=Path)
FOLDER = click.Path(file_okay=False, path_type=Path)
POSITIVE = click.IntRange(min=1)
NOT_NEGATIVE = click.IntRange(min=0)
SPEC = "NAME[:OPTION=VALUE,...]"
LEARNER, STREAM = Named("learner"), Named("stream")
ITEMS = {"table": ("table ", "tables "), "figure": ("figure ", "figures "), "item": ("",)}

flag = partial(click.option, is_flag=True)
many = partial(click.option, multiple=True)
ALLOW = many("--allow", metavar="PACKAGE", help="Package whose classes may be loaded; repeatable.")
BY = click.option("--by", metavar="KEY", help="Key column that joins rows and labels.")
DELAY = click.option("--delay", type=NOT_NEGATIVE, help="Files until the labels of a file become "
                     "available; rows if chunks are not files.  [0]")  # fmt: skip
DROP = many("--drop", metavar="COLUMN", help="Omit a column; repeatable.")
ENCODING = click.option("--encoding", metavar="NAME", help="Encoding of CSV files.  [utf-8]")
INPUTS = click.argument("files", nargs=-1, required=True, type=click.Path(), metavar="FILES...")
JSON = flag("--json", "as_json", help="Print JSON instead of tables.")
KIND = many("--kind", "kinds", type=kind, metavar="COLUMN=KIND", help="Kind of a column: number, "
            "boolean, category or date; repeatable.")  # fmt: skip
LABELS = click.option("--labels", type=click.Path(), metavar="WHERE", help="Label file, folder or "
                      "glob (CSV or Parquet), joined to rows by --by.")  # fmt: skip
LABEL_TIME = click.option("--label-time", metavar="COLUMN|file", help="Column with the time from "
                          "which a label is known, in the label file or the rows; requires --time. "
                          "'file': the dates in the names of the label files and of "
                          "FILES.")  # fmt: skip
LOG_LINE = flag("--log-line", help="Print one line of JSON on standard error at the end, also "
                "after an error, for log collectors.")  # fmt: skip
MEMORY = click.option("--memory", metavar="BYTES", help="With one model per key: memory limit, "
                      "e.g. 500MB.  [1GB]")  # fmt: skip
NA = many("--na", metavar="TEXT", help="Additional spelling of a missing value; repeatable.")
ON_ERROR = click.option("--on-error", "skip", type=click.Choice(["stop", "skip"]), default="stop",
                        callback=lambda ctx, param, value: value == "skip", show_default=True,
                        help="Stop at a line that cannot be parsed, or skip it.")  # fmt: skip
QUIET = flag("--quiet", "-q", help="Do not show progress.")
REPORT = click.option("--report", type=FILE, help="Write an HTML page.")
SCHEMA = click.option("--on-schema-change", type=click.Choice(["stop", "warn", "note"]),
                      help="If a table differs from earlier ones: stop before its rows are used, "
                      "exit code 5; warn and continue, exit code 4; or note it, exit code 0. learn "
                      "stores it in the state folder.  [warn]")  # fmt: skip
SEP = click.option("--sep", metavar="CHAR", help="Field separator of CSV files; by default "
                   "detected in the first line.")  # fmt: skip
STATE = click.option("--state", type=FOLDER, required=True, metavar="FOLDER",
                     help="State folder, where the model is saved.")  # fmt: skip
STORE = click.option("--store", type=FILE, help="SQLite file of results; by default runs.sqlite in "
                     "the user's data folder.")  # fmt: skip
TIME = click.option("--time", metavar="COLUMN", help="Time column.")
GRID = (
    flag("--verbose", "-v", help="Print a line for each finished cell."),
    QUIET,
    flag("--fresh", help="Repeat cells whose results are stored."),
    click.option("--on", default="auto", show_default=True, metavar="WHERE", help="Where to run: "
                 "serial, processes[:N], local:N (a local dask cluster), or tcp://host:port of a "
                 "dask scheduler; auto uses all cores."),
    STORE,
)  # fmt: skip


def grid_options(function: Callable[..., None]) -> Callable[..., None]:
    """Add the options of grid commands; the command receives a function `open_grid`."""

    @wraps(function)
    def command(
        *, store: Path | None, on: str, fresh: bool, quiet: bool, verbose: bool, **options: Any
    ) -> None:
        def open_grid() -> Grid:
            from driftlearn.bench.workbench.grid import Grid
            from driftlearn.bench.workbench.progress import make_display
            from driftlearn.bench.workbench.store import Store, default_path

            display = make_display(quiet, verbose)
            return Grid(Store(store or default_path()), on, display, fresh=fresh)

        function(open_grid=open_grid, **options)

    for option in GRID:
        command = option(command)
    return command


def open_store(path: Path | None) -> Store:
    """Open an existing store for reading."""
    from driftlearn.bench.workbench.store import Store, StoreError, default_path

    path = path or default_path()
    if not path.exists():
        raise StoreError(f"There is no store {path}. 'driftlearn run' creates one.")
    return Store(path, to_read=True)


def papers(ctx: Any, param: Any, incomplete: str) -> list[Item]:
    """Return the papers whose short names start with a prefix."""
    from driftlearn.bench.papers.paper import PAPERS

    known = {**{name: str(paper) for name, paper in PAPERS.items()}, "all": "all papers"}
    start = incomplete.lower()
    return [Item(k, help=v) for k, v in known.items() if k.lower().startswith(start)]


def items(ctx: Any, param: Any, incomplete: str) -> list[Item]:
    """Return the tables, figures and other items of the paper in the command line."""
    from driftlearn.bench.papers.paper import PAPERS

    # during completion, some arguments are not parsed yet
    words = [str(ctx.params.get("paper")), *ctx.args]
    paper = next((PAPERS[word.upper()] for word in words if word.upper() in PAPERS), None)
    found = []
    for whole in paper.items if paper else ():
        for start in ITEMS[param.name]:
            if whole.startswith(start):
                numbers = whole.removeprefix(start)
                parts = [numbers] if param.name == "item" else numbers.replace("and", " ").split()
                found += [Item(n) for n in parts if n.startswith(incomplete)]
    return found


def listed(ctx: Any, param: Any, incomplete: str) -> list[Item]:
    """Complete the names that `driftlearn list` prints."""
    what = str(ctx.params.get("what"))
    if what == "papers":
        return papers(ctx, param, incomplete)
    return names(what.removesuffix("s"), incomplete)
