"""An experiment in the terminal: progress, the numbers side by side, the claims."""

from __future__ import annotations

import time
from collections.abc import Sequence

from rich.console import Console
from rich.table import Table as RichTable

from driftlearn._versions import versions
from driftlearn.papers import find
from driftlearn.papers._experiment import Experiment, Outcome


def reproduce(
    paper: str,
    item: str | None,
    n_seeds: int,
    streams: Sequence[str] = (),
    learners: Sequence[str] = (),
    n_jobs: int = 1,
) -> Outcome:
    """Run an experiment and print what came out."""
    experiment = find(paper, item)
    for kind, given, there in (
        ("stream", streams, experiment.streams),
        ("learner", learners, experiment.learners),
    ):
        unknown = [name for name in given if name not in there]
        if unknown:
            raise ValueError(f"no {kind} {unknown[0]!r} here; there are {', '.join(there)}")
    console = Console()
    console.print(f"[bold]{experiment.paper}, {experiment.item}[/]: {experiment.title}")
    begun = time.perf_counter()

    def done(name: str, _: object) -> None:
        console.print(f"  {name}: {time.perf_counter() - begun:.0f} s", highlight=False)

    outcome = experiment.run(
        range(n_seeds), streams or None, learners or None, n_jobs=n_jobs, on_stream=done
    )
    show(outcome, n_seeds, console)
    return outcome


def show(outcome: Outcome, n_seeds: int, console: Console) -> None:
    """Print the numbers beside the published ones, the claims, and why a number is not met."""
    experiment = outcome.experiment
    title = f"accuracy in percent, mean over {n_seeds} seeds (std over seeds, std over chunks)"
    table = RichTable(title=title, title_justify="left")
    for column in ("stream", "learner", "published", "ours", "difference"):
        table.add_column(column, justify="left" if column in ("stream", "learner") else "right")
    group, last = "learner" if experiment.tests else "stream", None
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
    console.print(table)
    if experiment.tests:
        console.print("recall of each class, in percent")
        console.print(str(outcome.recall_table()), highlight=False, soft_wrap=True)
    for verdict in outcome.verdicts():
        mark = "[green]holds[/]        " if verdict["holds"] == "holds" else "[red]does not hold[/]"
        console.print(f"{mark}  {verdict['claim']}: {verdict['figure']}", highlight=False)
    _print_notes(experiment, console)
    found = versions()
    used = ", ".join(f"{name} {found[name]}" for name in ("driftlearn", "python", "scikit-learn"))
    console.print(f"[dim]{used}; kernels {found['kernels']}[/]", highlight=False)


def _print_notes(experiment: Experiment, console: Console) -> None:
    for subject, reason in experiment.notes.items():
        console.print(f"[dim]{subject}: {reason}[/]", highlight=False)
