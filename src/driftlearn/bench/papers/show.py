"""Terminal output for the outcome of an experiment: numbers, claims and notes."""

from typing import Any

from rich.text import Text

from driftlearn.bench.papers.claim import DECISIONS
from driftlearn.bench.papers.outcome import Outcome, table_of
from driftlearn.bench.papers.page import by_origin
from driftlearn.bench.report._terminal import show as show_table
from driftlearn.evaluate._json import plain
from driftlearn.utils.safe_text import printable
from driftlearn.utils.show_versions import versions
from driftlearn.utils.table import Column, Table
from driftlearn.utils.terminal import Screen, styled

COLORS = {"holds": "green", "undecided": "yellow", "does not hold": "red"}


def show(outcome: Outcome, n_seeds: int, console: Screen) -> None:
    """Print our numbers beside the published numbers, claims, and notes on differences."""
    experiment = outcome.experiment
    console.print(Text.assemble(styled(experiment, "bold"), f": {experiment.title}"))
    if outcome.results:
        seeds = "one seed" if n_seeds == 1 else f"mean over {n_seeds} seeds"
        title = f"accuracy in percent, {seeds}{_size(outcome)}"
        show_table(console, _accuracies(outcome.table()), title)
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


def _accuracies(table: Table) -> list[Column]:
    """Return the accuracy table with two decimals."""
    columns = [Column(name, [*map(printable, table[name])]) for name in table.columns[:2]]
    for name in table.columns[2:]:
        form = "+.2f" if name == "difference" else ".2f"
        cells = ["" if value != value else format(value, form) for value in table[name]]
        columns.append(Column(name, cells, right=True))
    return columns


def _size(outcome: Outcome) -> str:
    """Return the remark for every table of a reduced experiment."""
    return "; reduced size" if outcome.experiment.is_quick else ""


def show_claims(outcomes: list[Outcome], console: Screen) -> None:
    """Print the number of statements of the paper that hold, per experiment and in total.

    In a reduced version, statements that require the full size are counted separately.
    """
    size = "".join({_size(outcome) for outcome in outcomes})
    counts = [_counts(outcome.verdicts()) for outcome in outcomes]
    lines = [(str(outcome.experiment), *row) for outcome, row in zip(outcomes, counts)]
    total = ("all", *map(sum, zip(*counts)))
    titles = [*DECISIONS, "need the full size"] if total[-1] else DECISIONS
    table = table_of(("experiment", *titles), [*lines, total])
    show_table(console, table.laid(), f"what the papers state{size}")
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
