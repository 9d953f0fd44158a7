"""``driftlearn reproduce``: a paper's numbers beside ours, and whether its claims hold."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING

import click

from driftlearn.cli import names
from driftlearn.cli.command import (
    FOLDER,
    LongCommand,
    Seeds,
    command_line,
    grid_options,
    look_for,
    open_grid,
    say,
)

if TYPE_CHECKING:
    from driftlearn.bench.papers.experiment import Experiment
    from driftlearn.bench.papers.outcome import Outcome

SEEDS = 3


@click.command(cls=LongCommand)
@click.argument("paper", shell_complete=names.papers)
@click.option("--table", help="Which table, as in III or 5.", shell_complete=names.items)
@click.option("--figure", help="Which figure, as in 3.", shell_complete=names.items)
@click.option("--item", help="Any entry by its whole name, as in 'section 4'.",
              shell_complete=names.items)  # fmt: skip
@click.option("--seeds", type=Seeds(), metavar="N|FIRST:END",
              help="Repetitions: seeds 0 to N - 1, or from FIRST on before END.  "
              f"[{SEEDS}; with --quick as many as each needs]")  # fmt: skip
@click.option("--quick", is_flag=True, help="A reduced size of everything: minutes, not hours.")
@click.option("--stream", "streams", multiple=True, help="Only this stream; may be repeated.")
@click.option("--learner", "learners", multiple=True, help="Only this learner; may be repeated.")
@click.option("--out", type=FOLDER, help="Folder for a page of each result, as HTML and "
              "reStructuredText, and its figures, as PNG and SVG.")  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of tables.")
@grid_options
def reproduce(
    paper: str,
    table: str | None,
    figure: str | None,
    item: str | None,
    seeds: range | None,
    quick: bool,
    streams: tuple[str, ...],
    learners: tuple[str, ...],
    out: Path | None,
    as_json: bool,
    store: Path | None,
    on: str,
    fresh: bool,
    quiet: bool,
    verbose: bool,
) -> None:
    """Run a paper's experiment again: its numbers beside ours, and whether its claims hold.

    PAPER is one of these, or all:

    \b
      S0  Karnick, Muhlbaier and Polikar 2008 (Learn++.NSE)
      S1  Sun, Tang, Zhu and Yao 2018 (DTEL)
      S2  Muhlbaier, Topalis and Polikar 2004 (Learn++.MT)
      S3  Grbovic and Vucetic 2011 (IBoost)
      S4  Ditzler, Muhlbaier and Polikar 2010 (Learn++.UDNC)

    \b
      driftlearn reproduce S1 --table III
      driftlearn reproduce S4 --table 5 --seeds 10 --out results/
      driftlearn reproduce all --quick
    """  # noqa: D301
    if sum(given is not None for given in (table, figure, item)) > 1:
        raise click.UsageError("say one of --table, --figure and --item")
    if table or figure:
        item = f"table {table}" if table else f"figure {figure}"
    _check_item(paper, item)

    from driftlearn.bench.papers.html_page import write_html
    from driftlearn.bench.papers.page import draw, write_page
    from driftlearn.bench.papers.show import as_dict, show, show_claims
    from driftlearn.bench.papers.verdict_page import write_index, write_verdicts
    from driftlearn.bench.report._terminal import console
    from driftlearn.bench.workbench.machine import machine_card
    from driftlearn.utils.optional import needed

    experiments = _chosen(paper, item, quick)
    _check("stream", streams, [name for e in experiments for name in e.streams])
    _check("learner", learners, [name for e in experiments for name in e.learners])
    if out is not None:
        needed("matplotlib", "--out")
        look_for(out / "index.rst")
    grid, command = open_grid(store, on, fresh, quiet, verbose), command_line()
    screen = console(file=sys.stderr if as_json else None)
    outcomes, records = [], []
    for experiment in experiments:
        some = [name for name in experiment.streams if not streams or name in streams]
        voices = [name for name in experiment.learners if not learners or name in learners]
        if experiment.streams and (not some or (experiment.learners and not voices)):
            continue
        wanted = seeds or range(experiment.quick_seeds if quick else SEEDS)
        outcome = experiment.attempt(grid, wanted, some, voices, command)
        for text in outcome.failed:
            say(text, err=True)
        figures = {}
        if out is not None:
            figures = draw(outcome, out) if _whole(outcome) else {}
            for write in (write_page, write_html):
                write(outcome, out, len(wanted), command, machine_card(), figures)
            write_index(out)
            write_verdicts(out)
        outcomes.append(outcome)
        if as_json:
            records.append(as_dict(outcome, len(wanted), figures))
        else:
            show(outcome, len(wanted), screen)
    if as_json:
        content = {"command": command, "machine": machine_card(), "experiments": records}
        say(json.dumps(content, indent=1))
    elif outcomes:
        show_claims(outcomes, screen)
    sys.exit(1 if any(outcome.failed for outcome in outcomes) else 0)


def _check_item(paper: str, item: str | None) -> None:
    """Raise, before anything is loaded, if there is no such paper or it has no such item."""
    from driftlearn.bench.papers import items

    if paper.lower() != "all":
        items(paper, item)
    elif item:
        raise ValueError("all papers have no table or figure in common: name one paper")


def _chosen(paper: str, item: str | None, quick: bool) -> list[Experiment]:
    from driftlearn.bench.papers import find
    from driftlearn.bench.papers.paper import PAPERS

    papers = [*PAPERS] if paper.lower() == "all" else [paper]
    experiments = [experiment for name in papers for experiment in find(name, item)]
    return [experiment.quick() for experiment in experiments] if quick else experiments


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
