"""An experiment's outcome in the terminal: the numbers side by side, the claims, the reasons."""

from __future__ import annotations

from typing import Any

from rich import box
from rich.console import Console
from rich.table import Table as RichTable

from driftlearn._table import Table
from driftlearn._versions import versions
from driftlearn.papers._experiment import Outcome


def show(outcome: Outcome, n_seeds: int, console: Console) -> None:
    """Print the numbers beside the published ones, the claims, and why a number is not met."""
    experiment = outcome.experiment
    console.print(f"[bold]{experiment.paper}, {experiment.item}[/]: {experiment.title}")
    if outcome.results:
        console.print(_numbers(outcome, n_seeds))
    for heading, extra in outcome.extra_tables().items():
        console.print(heading)
        console.print(str(extra), soft_wrap=True, markup=False)
    for verdict in outcome.verdicts():
        mark = "[green]holds[/]        " if verdict["holds"] == "holds" else "[red]does not hold[/]"
        console.print(f"{mark}  {verdict['claim']}: {verdict['figure']}")
    for subject, reason in experiment.notes.items():
        console.print(f"[dim]{subject}: {reason}[/]")


def _numbers(outcome: Outcome, n_seeds: int) -> RichTable:
    seeds = "one seed" if n_seeds == 1 else f"mean over {n_seeds} seeds"
    title = f"accuracy in percent, {seeds} (std over seeds, std over chunks)"
    table = RichTable(title=title, title_justify="left", box=box.SIMPLE_HEAD, pad_edge=False)
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


def show_claims(outcomes: list[Outcome], console: Console) -> None:
    """Print how many claims of each experiment hold, and how many in all."""
    table = RichTable(
        title="claims", title_justify="left", show_footer=True, box=box.SIMPLE_HEAD, pad_edge=False
    )
    counts = [_count(outcome.verdicts()) for outcome in outcomes]
    hold, judged = (sum(count[k] for count in counts) for k in (0, 1))
    table.add_column("experiment", footer="all")
    table.add_column("hold", footer=str(hold), justify="right")
    table.add_column("judged", footer=str(judged), justify="right")
    for outcome, (good, all_) in zip(outcomes, counts):
        name = f"{outcome.experiment.paper}, {outcome.experiment.item}"
        table.add_row(name, str(good), str(all_))
    console.print(table)
    found = versions()
    used = ", ".join(f"{name} {found[name]}" for name in ("driftlearn", "python", "scikit-learn"))
    console.print(f"[dim]{used}; kernels {found['kernels']}[/]")


def _count(verdicts: Table) -> tuple[int, int]:
    return sum(row["holds"] == "holds" for row in verdicts), len(verdicts)


def as_dict(outcome: Outcome, n_seeds: int, figures: dict[str, list[str]]) -> dict[str, Any]:
    """Return all that `show` prints as JSON knows values."""
    experiment = outcome.experiment
    return {
        "paper": experiment.paper,
        "item": experiment.item,
        "title": experiment.title,
        "seeds": n_seeds,
        "table": _plain(outcome.table()) if outcome.results else [],
        "tables": {name: _plain(table) for name, table in outcome.extra_tables().items()},
        "claims": _plain(outcome.verdicts()),
        "notes": dict(experiment.notes),
        "figures": figures,
    }


def _plain(table: Table) -> list[dict[str, Any]]:
    return [{key: None if value != value else value for key, value in row.items()} for row in table]
