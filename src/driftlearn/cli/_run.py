"""What ``driftlearn run`` does."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click

from driftlearn.evaluate import RepeatedResult
from driftlearn.evaluate._json import plain
from driftlearn.report import page
from driftlearn.report._terminal import console, matrix, summary
from driftlearn.workbench.cell import cells_of
from driftlearn.workbench.config import Plan
from driftlearn.workbench.grid import Grid, GridResult
from driftlearn.workbench.machine import machine_card


def run_plan(
    plan: Plan,
    grid: Grid,
    command: str,
    report: Path | None = None,
    plot: Path | None = None,
    as_json: bool = False,
) -> int:
    """Run a plan, show what came out, and return the exit code."""
    for path in (report, plot):
        if path is not None:
            path.parent.mkdir(parents=True, exist_ok=True)
    cells = cells_of(
        {name: spec.make for name, spec in plan.streams.items()},
        {name: spec.make() for name, spec in plan.learners.items()},
        plan.seeds,
        plan.protocol,
        plan.options,
    )
    outcome = grid.run(cells, plan.title or " ".join(plan.streams), command)
    results = outcome.results()
    if as_json:
        click.echo(json.dumps(as_dict(outcome, results, command), indent=1))
    else:
        show(results)
    for text in outcome.failed():
        click.echo(text, err=True)
    if results and report is not None:
        page(
            results if len(results) > 1 else next(iter(results.values())),
            report,
            title=plan.title or "driftlearn run",
            command=command,
            machine=machine_card(),
        )
        click.echo(f"report: {report}", err=True)
    if results and plot is not None:
        draw_all(results, plot)
    return 1 if outcome.failures else 0


def show(results: dict[str, RepeatedResult]) -> None:
    """Print a table for each stream, and one of all where there are several."""
    screen = console()
    for stream, result in results.items():
        seeds = f"{len(result.seeds)} seeds" if len(result.seeds) > 1 else "one seed"
        title = f"{stream}, {result.settings['protocol']}, {seeds}"
        screen.print(summary(result, title))
    if len(results) > 1:
        screen.print(matrix(results))


def as_dict(
    outcome: GridResult, results: dict[str, RepeatedResult], command: str
) -> dict[str, Any]:
    """Return what came out as JSON knows values."""
    return {
        "run": outcome.run,
        "command": command,
        "results": {
            stream: {name: plain(result.summary(name)) for name in result.names}
            for stream, result in results.items()
        },
        "failed": outcome.failed(),
    }


def draw_all(results: dict[str, RepeatedResult], path: Path) -> None:
    """Draw accuracy over time; where there are several streams, a file for each."""
    for stream, result in results.items():
        name = f"{path.stem}-{stream}{path.suffix}" if len(results) > 1 else path.name
        result.plot(path.with_name(name.replace("/", "-")))
        click.echo(f"figure: {path.with_name(name)}", err=True)
