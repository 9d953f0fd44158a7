"""Printing and writing of results; imported only when there are results."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from driftlearn.bench.report import _terminal as terminal
from driftlearn.bench.report._page import page
from driftlearn.bench.report._regions import Regions, regions
from driftlearn.bench.workbench.machine import machine_card
from driftlearn.bench.workbench.plan import Plan
from driftlearn.cli.command import echo
from driftlearn.evaluate._drawable import not_beating
from driftlearn.evaluate._json import plain
from driftlearn.evaluate._repeat import RepeatedResult


def show(results: dict[str, RepeatedResult]) -> None:
    """Print one table per stream, a table of all streams, and learners worse than a baseline."""
    screen = terminal.console()
    for stream, result in results.items():
        seeds = f"{len(result.seeds)} seeds" if len(result.seeds) > 1 else "one seed"
        title = f"{stream}, {result.settings['protocol']}, {seeds}"
        terminal.show(screen, terminal.summary(result), title)
        echo("")
    if len(results) > 1:
        terminal.show(screen, terminal.matrix(results), "accuracy")
        echo("")
    for sentence in sentences(results):
        echo(sentence)


def sentences(results: dict[str, RepeatedResult]) -> list[str]:
    """Return one sentence per learner that does not beat a baseline on a stream."""
    return [text for stream, result in results.items() for text in not_beating(result, stream)]


def untested(results: dict[str, RepeatedResult]) -> list[str]:
    """Return one sentence per single-chunk stream, on which no predictions were tested."""
    return [
        f"no row of {stream} was tested: it is a single chunk, which is learned without a "
        "prediction. Set a smaller --chunk-size"
        for stream, result in results.items()
        if all(np.isnan(result.summary(name).get("accuracy", np.nan)) for name in result.names)
    ]


def summaries(results: dict[str, RepeatedResult]) -> dict[str, Any]:
    """Return the summaries of all learners on all streams as JSON values."""
    return {
        stream: {name: plain(result.summary(name)) for name in result.names}
        for stream, result in results.items()
    }


def write_report(
    results: dict[str, RepeatedResult],
    path: Path,
    title: str,
    command: str,
    machine: Mapping[str, str] | None = None,
    planes: Mapping[str, Regions] | None = None,
) -> None:
    """Write an HTML page of results, by default with a description of this machine."""
    content: Any = results if len(results) > 1 else next(iter(results.values()))
    machine = machine or machine_card()
    page(content, path, title=title, command=command, machine=machine, regions=planes)
    echo(f"report: {path}", err=True)


def draw_planes(plan: Plan, files: Mapping[str, Path]) -> dict[str, Regions]:
    """Write the decision regions of the learners on each stream as a GIF, for the first seed."""
    found = {}
    for stream, spec in plan.streams.items():
        seed = plan.seeds[0]
        learners = {name: learner.make(seed) for name, learner in plan.learners.items()}
        found[stream] = regions(learners, spec.make(seed), plan.options.get("chunk_size"))
        found[stream].gif(files[stream])
        echo(f"animation: {files[stream]}", err=True)
    return found
