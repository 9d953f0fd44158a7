"""Terminal output for the outcome of an experiment: numbers, claims and notes."""

from typing import Any

from rich import box
from rich.table import Table as RichTable
from rich.text import Text

from driftlearn.bench.papers.claim import DECISIONS
from driftlearn.bench.papers.outcome import Outcome
from driftlearn.bench.papers.page import by_origin
from driftlearn.bench.report._terminal import show as show_table
from driftlearn.evaluate._json import plain
from driftlearn.utils.show_versions import versions
from driftlearn.utils.table import Table
from driftlearn.utils.terminal import Screen, styled

COLORS = {"holds": "green", "undecided": "yellow", "does not hold": "red"}


def show(outcome: Outcome, n_seeds: int, console: Screen) -> None:
    """Print our numbers beside the published numbers, claims, and notes on differences."""
    experiment = outcome.experiment
    console.print(Text.assemble(styled(experiment, "bold"), f": {experiment.title}"))
    if outcome.results:
        console.print(_numbers(outcome, n_seeds))
    for heading, extra in outcome.extra_tables().items():
        show_table(console, extra.laid(), heading + _size(outcome))
    for verdict in outcome.verdicts():
        decision = verdict["verdict"]
        mark = styled(f"{decision:13}", COLORS[decision])
        kind = "" if verdict["kind"] == "paper" else f" ({verdict['kind']})"
        claim = f"  {verdict['claim']}: {verdict['figure']}; margin {verdict['margin']}"
        size = f" ({verdict['size']})" if verdict.get("size") else ""
        console.print(Text.assemble(mark, claim, styled(kind + size, "dim")))
    for subject, reason in experiment.notes.items():
        console.print(styled(f"{subject}: {reason}", "dim"))


def _numbers(outcome: Outcome, n_seeds: int) -> RichTable:
    seeds = "one seed" if n_seeds == 1 else f"mean over {n_seeds} seeds"
    title = f"accuracy in percent, {seeds} (std over seeds, std over chunks){_size(outcome)}"
    table = _table(title)
    for column in ("stream", "learner", "published", "ours", "difference"):
        table.add_column(column, justify="left" if column in ("stream", "learner") else "right")
    group, last = "learner" if outcome.experiment.tests else "stream", None
    for row in outcome.table():
        if last not in (None, row[group]):
            table.add_section()
        last = row[group]
        spreads = [f"{row[key]:.2f}" for key in ("std", "chunk_std") if row[key] == row[key]]
        ours = f"{row['ours']:.2f}" + (f" ({', '.join(spreads)})" if spreads else "")
        printed, gap = (
            "" if row[key] != row[key] else format(row[key], form)
            for key, form in (("published", ".2f"), ("difference", "+.2f"))
        )
        table.add_row(row["stream"], row["learner"], printed, ours, gap)
    return table


def _table(title: str, **options: Any) -> RichTable:
    options |= {"title_justify": "left", "box": box.SIMPLE_HEAD, "pad_edge": False}
    return RichTable(title=title, **options)


def _size(outcome: Outcome) -> str:
    """Return the remark for every table of a reduced experiment."""
    return "; reduced size" if outcome.experiment.is_quick else ""


def show_claims(outcomes: list[Outcome], console: Screen) -> None:
    """Print the number of statements of the paper that hold, per experiment and in total.

    In a reduced version, statements that require the full size are counted separately.
    """
    size = "".join({_size(outcome) for outcome in outcomes})
    table = _table(f"what the papers state{size}", show_footer=True)
    rows = [_counts(outcome.verdicts()) for outcome in outcomes]
    titles = [*DECISIONS, "need the full size"][: 4 if any(row[3] for row in rows) else 3]
    table.add_column("experiment", footer="all")
    for title, counts in zip(titles, zip(*rows)):
        table.add_column(title, footer=str(sum(counts)), justify="right", no_wrap=True)
    for outcome, row in zip(outcomes, rows):
        table.add_row(str(outcome.experiment), *(str(count) for count in row[: len(titles)]))
    console.print(table)
    found = versions()
    used = ", ".join(f"{name} {found[name]}" for name in ("driftlearn", "python", "scikit-learn"))
    console.print(styled(f"{used}; kernels {found['kernels']}", "dim"))


def _counts(verdicts: Table) -> list[int]:
    """Return the numbers of statements by verdict, and of statements that require the full size."""
    stated, _ = by_origin(verdicts)
    found = [row["verdict"] for row in stated if not row.get("size")]
    return [*(found.count(decision) for decision in DECISIONS), len(stated) - len(found)]


def as_dict(outcome: Outcome, n_seeds: int, figures: dict[str, list[str]]) -> dict[str, Any]:
    """Return the content of `show` as JSON values."""
    experiment = outcome.experiment
    return {
        "paper": experiment.paper,
        "item": experiment.item,
        "title": experiment.title,
        "seeds": n_seeds,
        "table": plain(outcome.table().to_dicts()) if outcome.results else [],
        "tables": {name: plain(table.to_dicts()) for name, table in outcome.extra_tables().items()},
        "claims": plain(outcome.verdicts().to_dicts()),
        "notes": dict(experiment.notes),
        "figures": figures,
    }
