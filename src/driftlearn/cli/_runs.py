"""What ``driftlearn runs`` shows."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import click
import numpy as np

from driftlearn._table import Table
from driftlearn.cli._run import show
from driftlearn.evaluate import RepeatedResult
from driftlearn.evaluate._json import plain
from driftlearn.report import page
from driftlearn.workbench.grid import results
from driftlearn.workbench.progress import clock
from driftlearn.workbench.store import Store


class Stored(NamedTuple):
    """A cell as the store lists it."""

    stream: str
    learner: str
    seed: int
    key: str


def stored_results(store: Store, run: int) -> dict[str, RepeatedResult]:
    """Return the results of a run, of the learners that got through all of a stream."""
    cells = store.cells(run)
    listed = [Stored(c["stream"], c["learner"], c["seed"], c["cell"]) for c in cells]
    return results(store, listed, {c["cell"] for c in cells if c["status"] != "done"})


def show_all(store: Store, as_json: bool) -> None:
    """List the runs."""
    table = store.runs()
    if as_json:
        click.echo(json.dumps(table.to_dicts(), indent=1))
    elif len(table):
        click.echo(str(table))
    else:
        click.echo(f"{store.path} has no runs yet")


def show_one(store: Store, run: int, report: Path | None, as_json: bool) -> None:
    """Show one run: what was asked, how far it got, what came out."""
    about, cells = store.run(run), store.cells(run)
    found = stored_results(store, run)
    if as_json:
        summaries = {
            stream: {name: plain(result.summary(name)) for name in result.names}
            for stream, result in found.items()
        }
        click.echo(json.dumps({**about, "cells": cells, "results": summaries}, indent=1))
    else:
        status = {name: sum(c["status"] == name for c in cells) for name in
                  ("done", "failed", "begun", "waiting")}  # fmt: skip
        click.echo(f"run {run}: {about['title']}\n{about['command']}")
        wall = sum(c["wall"] or 0.0 for c in cells)
        cpu = sum(c["cpu"] or 0.0 for c in cells)
        counts = ", ".join(f"{count} {name}" for name, count in status.items() if count)
        click.echo(
            f"{about['status']}; begun {about['begun']}, ended {about['ended'] or '-'}; cells: "
            f"{counts}; {clock(wall)} of wall time in all cells, {clock(cpu)} of CPU time"
        )
        click.echo("; ".join(f"{name}: {value}" for name, value in about["machine"].items()))
        show(found)
        for cell in cells:
            if cell["status"] == "failed":
                name = f"{cell['learner']} on {cell['stream']}, seed {cell['seed']}"
                click.echo(f"failed: {name}: {cell['error'].splitlines()[0]}")
    if report is not None and found:
        content: Any = found if len(found) > 1 else next(iter(found.values()))
        page(
            content, report, title=about["title"], command=about["command"],
            machine=about["machine"],
        )  # fmt: skip
        click.echo(f"report: {report}", err=True)


def compare(store: Store, runs: Sequence[int], as_json: bool) -> None:
    """Show the mean accuracy of every stream and learner in each run, and how far they differ."""
    found = {run: stored_results(store, run) for run in runs}
    pairs = dict.fromkeys(
        (stream, learner)
        for result in found.values()
        for stream, one in result.items()
        for learner in one.names
    )
    if not pairs:
        raise ValueError(f"runs {', '.join(map(str, runs))} have no finished stream to compare")
    columns: dict[str, list[Any]] = {
        "stream": [stream for stream, _ in pairs],
        "learner": [learner for _, learner in pairs],
    }
    for run in runs:
        columns[f"run {run}"] = [_accuracy(found[run], *pair) for pair in pairs]
    first, last = (np.array(columns[f"run {run}"]) for run in (runs[0], runs[-1]))
    columns["difference"] = list(last - first)
    table = Table(columns)
    click.echo(json.dumps(plain(table.to_dicts()), indent=1) if as_json else str(table))


def _accuracy(found: dict[str, RepeatedResult], stream: str, learner: str) -> float:
    if stream not in found or learner not in found[stream].names:
        return np.nan
    return found[stream].summary(learner)["accuracy"]
