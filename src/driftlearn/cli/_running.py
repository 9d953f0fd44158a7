"""The commands that run something: demo and run; what they share with reproduce."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from driftlearn.cli._command import Command, LongCommand, command_line

FILE = click.Path(dir_okay=False, path_type=Path)
FOLDER = click.Path(file_okay=False, path_type=Path)


def bench_options(function: Callable) -> Callable:
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
        click.option(
            "--store",
            type=FILE,
            help="The SQLite file for results; by default runs.sqlite in the user's data folder.",
        ),
    ):
        function = option(function)
    return function


def open_grid(store: Path | None, on: str, fresh: bool, quiet: bool, verbose: bool) -> Any:
    """Return the grid that the options of a command describe."""
    from driftlearn.workbench.grid import Grid
    from driftlearn.workbench.progress import make_display
    from driftlearn.workbench.store import Store, default_path

    display = make_display(quiet, verbose)
    return Grid(Store(store or default_path()), on, display, fresh=fresh)


@click.command(cls=Command)
@click.option("--out", type=FOLDER, default=Path("driftlearn-demo"), show_default=True,
              help="Folder for the page and the picture.")  # fmt: skip
@click.option("--rows", type=click.IntRange(min=2000), default=30_000, show_default=True,
              help="Length of the stream.")  # fmt: skip
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Seed.")
def demo(out: Path, rows: int, seed: int) -> None:
    """Six learners on a stream with three abrupt drifts: a table, a page and a picture."""
    from driftlearn._demo import run

    run(out, rows, seed)


@click.command(cls=LongCommand)
@click.argument("plan", type=FILE, required=False)
@click.option("--stream", "-s", "streams", multiple=True, metavar="NAME[:OPTION=VALUE,...]",
              help="A stream; may be repeated.")  # fmt: skip
@click.option("--learner", "-l", "learners", multiple=True, metavar="NAME[:OPTION=VALUE,...]",
              help="A learner; may be repeated.")  # fmt: skip
@click.option("--seeds", type=click.IntRange(min=1), help="Repetitions: seeds 0, 1, ...  [1]")
@click.option("--protocol", help="prequential (test, then train; the default), holdout, delayed.")
@click.option("--chunk-size", type=click.IntRange(min=1), help="Rows a chunk.")
@click.option("--every", type=click.IntRange(min=1), help="Record, or test, every so many rows.")
@click.option("--test-size", type=click.IntRange(min=1), help="Rows of a hold-out test.")
@click.option("--fixed/--no-fixed", default=None, help="Hold-out rows drawn once a concept.")
@click.option("--delay", type=click.IntRange(min=0), help="Rows until a label arrives.")
@click.option("--title", help="What to call it.")
@click.option("--report", type=FILE, help="Write an HTML page.")
@click.option("--plot", type=FILE, help="Draw accuracy over time; .png, .svg or .pdf.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of tables.")
@bench_options
def run(
    plan: Path | None,
    streams: tuple[str, ...],
    learners: tuple[str, ...],
    seeds: int | None,
    protocol: str | None,
    title: str | None,
    report: Path | None,
    plot: Path | None,
    as_json: bool,
    store: Path | None,
    on: str,
    fresh: bool,
    quiet: bool,
    verbose: bool,
    **options: Any,
) -> None:
    """Any learners on any streams.

    Name them with --stream and --learner, or in a small TOML file PLAN:

    \b
      driftlearn run --stream sea:noise=0.1 --learner dtel --learner learn++.nse:slope=0.5
      driftlearn run plan.toml --report plan.html

    Finished work is stored: the same command again goes on with what is missing.
    """  # noqa: D301
    from driftlearn.cli._run import run_plan
    from driftlearn.workbench.config import plan_of, read_config

    sys.path.insert(0, os.getcwd())  # so that a class of the user's own can be named
    given = {key: value for key, value in options.items() if value is not None}
    if plan is not None:
        if streams or learners or seeds or protocol or given:
            raise click.UsageError(
                f"what to run is in {plan}; --stream, --learner, --seeds, --protocol and their "
                "options belong there, too"
            )
        wanted = read_config(plan)
    else:
        wanted = plan_of(streams, learners, seeds or 1, protocol or "prequential", given, title)
    grid = open_grid(store, on, fresh, quiet, verbose)
    sys.exit(run_plan(wanted, grid, command_line(), report, plot, as_json))
