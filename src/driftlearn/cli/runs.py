"""The command ``driftlearn runs``."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING

import click

from driftlearn.cli import options as opt
from driftlearn.cli.command import Command, check_outputs, echo, echo_json
from driftlearn.utils.safe_text import printable

if TYPE_CHECKING:
    from driftlearn.bench.workbench.store import Store
    from driftlearn.evaluate._repeat import RepeatedResult


@click.command(cls=Command)
@click.argument("numbers", nargs=-1, type=opt.POSITIVE, metavar="[RUN]...")
@opt.REPORT
@opt.JSON
@opt.STORE
def runs(numbers: tuple[int, ...], report: Path | None, as_json: bool, store: Path | None) -> None:
    """List all runs; with one RUN, show it; with several, compare them.

    \b
      driftlearn runs
      driftlearn runs 3 --report page.html
      driftlearn runs 3 5
    """  # noqa: D301
    with opt.open_store(store) as opened:
        if report is not None and len(numbers) != 1:
            raise click.UsageError("--report requires exactly one RUN")
        check_outputs(report)
        if not numbers:
            show_all(opened, as_json)
        elif len(numbers) == 1:
            show_one(opened, numbers[0], report, as_json)
        else:
            compare(opened, numbers, as_json)


LONG = ("title", "command")  # columns that are truncated in a list


def stored_results(store: Store, run: int) -> dict[str, RepeatedResult]:
    """Return the results of a run by stream, for learners that completed the stream."""
    from driftlearn.bench.workbench.grid import results

    cells = store.cells(run)
    listed = [SimpleNamespace(stream=c["stream"], learner=c["learner"], seed=c["seed"],
                              key=c["cell"]) for c in cells]  # fmt: skip
    return results(store, listed, {c["cell"] for c in cells if c["status"] != "done"})


def show_all(store: Store, as_json: bool) -> None:
    """List the runs."""
    table = store.runs()
    if as_json:
        echo_json(table.to_dicts())
    elif len(table):
        from driftlearn.bench.report._terminal import console, show

        show(console(), table.laid(cut=LONG), more="'driftlearn runs RUN' shows a run in full")
    else:
        echo(f"{store.path} has no runs yet")


def show_one(store: Store, run: int, report: Path | None, as_json: bool) -> None:
    """Show a run: its command, progress and results."""
    from driftlearn.cli.output import show, summaries, write_report
    from driftlearn.utils.durations import clock

    about, cells = store.run(run), store.cells(run)
    found = stored_results(store, run)
    if report is not None and not found:
        raise ValueError(f"Run {run} has no finished stream, so {report} cannot be written.")
    if as_json:
        echo_json({**about, "cells": cells, "results": summaries(found)})
    else:
        status = {name: sum(c["status"] == name for c in cells) for name in
                  ("done", "failed", "begun", "waiting")}  # fmt: skip
        echo(f"run {run}: {printable(about['title'])}\n{printable(about['command'])}")
        wall = sum(c["wall"] or 0.0 for c in cells)
        cpu = sum(c["cpu"] or 0.0 for c in cells)
        counts = ", ".join(f"{count} {name}" for name, count in status.items() if count)
        echo(
            f"{about['status']}; started {about['begun']}, ended {about['ended'] or '-'}; cells: "
            f"{counts}; {clock(wall)} of wall time in all cells, {clock(cpu)} of CPU time"
        )
        echo("; ".join(f"{name}: {value}" for name, value in about["machine"].items()))
        show(found)
        for cell in cells:
            if cell["status"] == "failed":
                name = printable(f"{cell['learner']} on {cell['stream']}, seed {cell['seed']}")
                echo(f"failed: {name}: {cell['error'].splitlines()[0]}")
    if report is not None:
        write_report(found, report, about["title"], about["command"], about["machine"])


def compare(store: Store, runs: Sequence[int], as_json: bool) -> None:
    """Show mean accuracies by learner and stream in each run, and their differences."""
    from driftlearn.evaluate._json import plain
    from driftlearn.utils.table import Table

    found = {run: _accuracies(stored_results(store, run)) for run in runs}
    pairs = dict.fromkeys(pair for each in found.values() for pair in each)
    names = f"runs {', '.join(map(str, runs[:-1]))} and {runs[-1]}"
    if not pairs:
        raise ValueError(f"Cannot compare {names}: they have no finished streams.")
    if not any(sum(pair in found[run] for run in runs) > 1 for pair in pairs):
        raise ValueError(f"Cannot compare {names}: they have no stream and learner in common.")
    accuracy = {run: [found[run].get(pair, math.nan) for pair in pairs] for run in runs}
    changes = zip(accuracy[runs[0]], accuracy[runs[-1]])
    table = Table({
        "stream": [stream for stream, _ in pairs],
        "learner": [learner for _, learner in pairs],
        **{f"run {run}": values for run, values in accuracy.items()},
        "difference": [after - before for before, after in changes],
    })  # fmt: skip
    if as_json:
        echo_json(plain(table.to_dicts()))
    else:
        from driftlearn.bench.report._terminal import console, show

        show(console(), table.laid())


def _accuracies(results: dict[str, RepeatedResult]) -> dict[tuple[str, str], float]:
    """Return the mean accuracy by stream and learner."""
    return {
        (stream, name): float(result.summary(name)["accuracy"])
        for stream, result in results.items()
        for name in result.names
    }
