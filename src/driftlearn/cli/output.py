"""What commands print and write of results; imported when there are some."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from driftlearn.bench.report import _terminal as terminal
from driftlearn.bench.report._page import page
from driftlearn.bench.report._regions import Regions, regions
from driftlearn.bench.workbench.machine import machine_card
from driftlearn.bench.workbench.plan import Plan
from driftlearn.cli.command import say
from driftlearn.evaluate._baselines import not_beating
from driftlearn.evaluate._json import plain
from driftlearn.evaluate._repeat import RepeatedResult


def show(results: dict[str, RepeatedResult]) -> None:
    """Print a table for each stream, one of all where there are several, and who is no good."""
    screen = terminal.console()
    for stream, result in results.items():
        seeds = f"{len(result.seeds)} seeds" if len(result.seeds) > 1 else "one seed"
        title = f"{stream}, {result.settings['protocol']}, {seeds}"
        terminal.show(screen, terminal.summary(result), title)
        say("")
    if len(results) > 1:
        terminal.show(screen, terminal.matrix(results), "accuracy")
        say("")
    for sentence in sentences(results):
        say(sentence)


def sentences(results: dict[str, RepeatedResult]) -> list[str]:
    """Say who does not beat which baseline on which stream."""
    return [said for stream, result in results.items() for said in not_beating(result, stream)]


def untested(results: dict[str, RepeatedResult]) -> list[str]:
    """Say which streams are one chunk, so that nothing was tested."""
    return [
        f"no row of {stream} was tested: all of it is one chunk, which is learned first; say fewer "
        "rows a chunk (--chunk-size)"
        for stream, result in results.items()
        if all(np.isnan(result.summary(name).get("accuracy", np.nan)) for name in result.names)
    ]


def summaries(results: dict[str, RepeatedResult]) -> dict[str, Any]:
    """Return a summary of every learner on every stream, as JSON knows values."""
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
    """Write the page of one or more results; by default they are of this machine."""
    content: Any = results if len(results) > 1 else next(iter(results.values()))
    machine = machine or machine_card()
    page(content, path, title=title, command=command, machine=machine, regions=planes)
    say(f"report: {path}", err=True)


def draw_planes(plan: Plan, files: Mapping[str, Path]) -> dict[str, Regions]:
    """Write what the learners say of the plane as a GIF, for each stream, of the first seed."""
    found = {}
    for stream, spec in plan.streams.items():
        seed = plan.seeds[0]
        learners = {name: learner.make(seed) for name, learner in plan.learners.items()}
        found[stream] = regions(learners, spec.make(seed), plan.options.get("chunk_size"))
        found[stream].gif(files[stream])
        say(f"animation: {files[stream]}", err=True)
    return found


def draw_all(results: dict[str, RepeatedResult], files: Mapping[str, Path]) -> None:
    """Draw accuracy over time, a file for each stream."""
    for stream, file in files.items():
        if stream in results:  # it has none where all cells failed
            results[stream].plot(file)
            say(f"figure: {file}", err=True)
