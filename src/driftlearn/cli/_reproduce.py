"""What ``driftlearn reproduce`` does."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from difflib import get_close_matches
from pathlib import Path

import click

from driftlearn.papers import EXPERIMENTS, Experiment, Outcome, find
from driftlearn.papers.page import draw, write_index, write_page
from driftlearn.papers.show import as_dict, show, show_claims
from driftlearn.report._terminal import console
from driftlearn.workbench.grid import Grid
from driftlearn.workbench.machine import machine_card

SEEDS = 3


def reproduce_papers(
    paper: str,
    item: str | None,
    grid: Grid,
    command: str,
    seeds: int | None = None,
    quick: bool = False,
    streams: Sequence[str] = (),
    learners: Sequence[str] = (),
    out: Path | None = None,
    as_json: bool = False,
) -> int:
    """Run experiments, show what came out of each as it is ready, and return the exit code."""
    if paper.lower() == "all":
        if item:
            raise ValueError("all papers have no table or figure in common: name one paper")
        experiments = list(EXPERIMENTS)
    else:
        experiments = find(paper, item)
    if quick:
        experiments = [experiment.quick() for experiment in experiments]
    _check("stream", streams, [name for e in experiments for name in e.streams])
    _check("learner", learners, [name for e in experiments for name in e.learners])
    if out is not None:
        out.mkdir(parents=True, exist_ok=True)
    screen = console(file=sys.stderr if as_json else None)
    outcomes, records, failed = [], [], 0
    for experiment in experiments:
        chosen = [name for name in experiment.streams if not streams or name in streams]
        voices = [name for name in experiment.learners if not learners or name in learners]
        if experiment.streams and (not chosen or (experiment.learners and not voices)):
            continue
        n_seeds = seeds or (experiment.quick_seeds if quick else SEEDS)
        outcome, failures = run_experiment(
            experiment, grid, command, range(n_seeds), chosen, voices
        )
        failed += len(failures)
        for text in failures:
            click.echo(text, err=True)
        figures = {}
        if out is not None:
            figures = draw(outcome, out) if _whole(outcome) else {}
            write_page(outcome, out, n_seeds, command, machine_card(), figures)
            write_index(out)
        outcomes.append(outcome)
        if as_json:
            records.append(as_dict(outcome, n_seeds, figures))
        else:
            show(outcome, n_seeds, screen)
    if as_json:
        content = {"command": command, "machine": machine_card(), "experiments": records}
        click.echo(json.dumps(content, indent=1))
    elif outcomes:
        show_claims(outcomes, screen)
    return 1 if failed else 0


def run_experiment(
    experiment: Experiment,
    grid: Grid,
    command: str,
    seeds: range,
    streams: Sequence[str],
    learners: Sequence[str],
) -> tuple[Outcome, list[str]]:
    """Run an experiment on a grid; return what came out, and a line for each cell that failed."""
    cells = experiment.cells(seeds, streams, learners)
    if not cells:
        return Outcome(experiment, {}), []
    ran = grid.run(cells, f"{experiment.paper}, {experiment.item}", command)
    return Outcome(experiment, ran.results()), ran.failed()


def _whole(outcome: Outcome) -> bool:
    """Say whether all of an experiment was run, as its figures need."""
    experiment = outcome.experiment
    return set(outcome.results) == set(experiment.streams if experiment.learners else ()) and all(
        set(result.names) == set(experiment.learners) for result in outcome.results.values()
    )


def _check(kind: str, given: Sequence[str], there: Sequence[str]) -> None:
    """Raise, with the nearest right ones, where a name is not there."""
    for name in given:
        if name not in there:
            near = get_close_matches(name, there, n=5, cutoff=0.4) or dict.fromkeys(there)
            raise ValueError(f"no {kind} {name!r} here; there are {', '.join(near)}")
