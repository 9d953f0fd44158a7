"""An experiment in the terminal: progress, the numbers side by side, the claims."""

from __future__ import annotations

import time
from collections.abc import Sequence
from difflib import get_close_matches

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
) -> list[Outcome]:
    """Run a paper's experiments, or the one that is named, and print what came out."""
    experiments = find(paper, item)
    _check("stream", streams, [name for e in experiments for name in e.streams])
    _check("learner", learners, [name for e in experiments for name in e.learners])
    console = Console(emoji=False)
    outcomes = []
    for experiment in experiments:
        chosen = [name for name in experiment.streams if not streams or name in streams]
        voices = [name for name in experiment.learners if not learners or name in learners]
        if not chosen or not voices:
            continue
        console.print(f"[bold]{experiment.paper}, {experiment.item}[/]: {experiment.title}")
        begun = time.perf_counter()

        def done(name: str, _: object, begun: float = begun) -> None:
            console.print(f"  {name}: {time.perf_counter() - begun:.0f} s", highlight=False)

        outcomes.append(experiment.run(range(n_seeds), chosen, voices, n_jobs, done))
        show(outcomes[-1], n_seeds, console)
    return outcomes


def _check(kind: str, given: Sequence[str], there: Sequence[str]) -> None:
    """Raise, with the nearest right ones, where a name is not there."""
    for name in given:
        if name not in there:
            near = get_close_matches(name, there, n=5, cutoff=0.4) or dict.fromkeys(there)
            raise ValueError(f"no {kind} {name!r} here; there are {', '.join(near)}")


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
