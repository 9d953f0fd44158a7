"""The command ``driftlearn reproduce``."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING

import click

from driftlearn.cli import options as opt
from driftlearn.cli.command import LongCommand, check_outputs, command_line, echo, echo_json

if TYPE_CHECKING:
    from driftlearn.bench.papers.outcome import Outcome
    from driftlearn.bench.workbench.grid import Grid

SEEDS = 3


@click.command(cls=LongCommand)
@click.argument("paper", shell_complete=opt.papers)
@click.option("--table", help="Table, e.g. III or 5.", shell_complete=opt.items)
@click.option("--figure", help="Figure, e.g. 3.", shell_complete=opt.items)
@click.option("--item", help="Any item by its full name, e.g. 'section 4'.",
              shell_complete=opt.items)  # fmt: skip
@click.option("--seeds", type=opt.seeds, metavar="N|FIRST:END", help="Seeds 0 to N - 1, "
              f"or FIRST to END - 1.  [{SEEDS}; with --quick the fewest]")  # fmt: skip
@opt.flag("--quick", help="Reduce all sizes: minutes instead of hours.")
@opt.many("--stream", "streams", help="Only this stream; repeatable.")
@opt.many("--learner", "learners", help="Only this learner; repeatable.")
@click.option("--out", type=opt.FOLDER, help="Folder for a page of each result, as HTML and "
              "reStructuredText, and its figures, as PNG and SVG.")  # fmt: skip
@opt.JSON
@opt.grid_options
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
    open_grid: Callable[[], Grid],
) -> None:
    """Reproduce experiments of papers: compare numbers, and check claims.

    PAPER is one of these, or 'all':

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
        raise click.UsageError("--table, --figure and --item cannot be combined")
    if table or figure:
        item = f"table {table}" if table else f"figure {figure}"
    _check_item(paper, item)

    from driftlearn.bench.papers import find
    from driftlearn.bench.papers.page import draw, page_sections, write_html, write_page
    from driftlearn.bench.papers.paper import PAPERS
    from driftlearn.bench.papers.show import as_dict, show, show_claims
    from driftlearn.bench.papers.verdict_page import write_index, write_verdicts
    from driftlearn.bench.report._terminal import console
    from driftlearn.bench.workbench.machine import machine_card
    from driftlearn.utils.optional import needed

    papers = [*PAPERS] if paper.lower() == "all" else [paper]
    experiments = [experiment for name in papers for experiment in find(name, item)]
    if quick:
        experiments = [experiment.quick() for experiment in experiments]
    _check("stream", streams, [name for e in experiments for name in e.streams])
    _check("learner", learners, [name for e in experiments for name in e.learners])
    if out is not None:
        needed("matplotlib", "--out")
        check_outputs(out / "index.rst")
    grid, command = open_grid(), command_line()
    screen = console(file=sys.stderr if as_json else None)
    outcomes, records = [], []
    for experiment in experiments:
        some = [name for name in experiment.streams if not streams or name in streams]
        selected = [name for name in experiment.learners if not learners or name in learners]
        if experiment.streams and (not some or (experiment.learners and not selected)):
            continue
        wanted = seeds or range(experiment.quick_seeds if quick else SEEDS)
        outcome = experiment.attempt(grid, wanted, some, selected, command)
        for text in outcome.failed:
            echo(text, err=True)
        figures = {}
        if out is not None:
            figures = draw(outcome, out) if _whole(outcome) else {}
            sections = [*page_sections(outcome, len(wanted), machine_card(), figures)]
            for write in (write_page, write_html):
                write(outcome, out, command, sections)
            write_index(out)
            write_verdicts(out)
        outcomes.append(outcome)
        if as_json:
            records.append(as_dict(outcome, len(wanted), figures))
        else:
            show(outcome, len(wanted), screen)
    if as_json:
        content = {"command": command, "machine": machine_card(), "experiments": records}
        echo_json(content)
    elif outcomes:
        show_claims(outcomes, screen)
    sys.exit(1 if any(outcome.failed for outcome in outcomes) else 0)


def _check_item(paper: str, item: str | None) -> None:
    """Raise ValueError if the paper or item does not exist, before loading experiments."""
    from driftlearn.bench.papers import items

    if paper.lower() != "all":
        items(paper, item)
    elif item:
        raise ValueError("--table, --figure and --item require a single paper, not 'all'.")


def _whole(outcome: Outcome) -> bool:
    """Return whether an experiment was run completely, which is required for figures."""
    experiment = outcome.experiment
    return set(outcome.results) == set(experiment.streams if experiment.learners else ()) and all(
        set(result.names) == set(experiment.learners) for result in outcome.results.values()
    )


def _check(kind: str, given: Sequence[str], there: Sequence[str]) -> None:
    """Raise ValueError with similar names if a name is unknown."""
    for name in given:
        if name not in there:
            near = get_close_matches(name, there, n=5, cutoff=0.4) or dict.fromkeys(there)
            raise ValueError(f"Unknown {kind} {name!r} in these experiments. Similar: "
                             f"{', '.join(near)}.")  # fmt: skip
