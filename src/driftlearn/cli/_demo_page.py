"""Example of ``driftlearn demo``: a stream with recurring concepts."""

from contextlib import nullcontext
from pathlib import Path
from typing import Any

from rich.live import Live
from rich.table import Table as RichTable

import driftlearn as dl
from driftlearn.bench.report._page import page
from driftlearn.bench.report._terminal import Fitted, blocks
from driftlearn.evaluate._protocols import prequential
from driftlearn.evaluate._result import Result
from driftlearn.streams._sea_cir_sta import SEA
from driftlearn.utils.table import Column
from driftlearn.utils.terminal import Screen

CHUNK = 250


class Scoreboard:
    """Live table of the accuracy of each learner: mean, current, and over time.

    Without a terminal, one line is printed for every tenth of the stream instead.
    """

    def __init__(self, n_rows: int, console: Screen):
        self.n_rows = n_rows
        self.console = console
        self.scores: dict[str, list[float]] = {}
        self.tenths = 0
        self.live = Live(console=console, refresh_per_second=8, transient=True)

    def __call__(self, step: Any) -> None:
        """Record the test of a learner on a chunk."""
        tested = step.confusion.sum()
        if tested:
            accuracy = step.confusion.trace() / tested
            self.scores.setdefault(step.learner, []).append(float(accuracy))
        if self.console.is_terminal:
            self.live.update(self._table(step.stop))
        elif step.stop * 10 // self.n_rows > self.tenths:
            self.tenths = step.stop * 10 // self.n_rows
            self.console.print(f"{step.stop:,} of {self.n_rows:,} rows")

    def _table(self, row: int) -> RichTable:
        table = RichTable(title=f"{row:,} of {self.n_rows:,} rows", title_justify="left")
        for column, side in (("learner", "left"), ("so far", "right"), ("now", "right")):
            table.add_column(column, justify=side)  # type: ignore[arg-type]
        table.add_column("accuracy over time", min_width=40)
        for name, scores in self.scores.items():
            mean = sum(scores) / len(scores)
            table.add_row(name, f"{mean:.3f}", f"{scores[-1]:.3f}", blocks(scores, 40, low=0.5))
        return table


def second_chunk(result: Result, learner: str, kind: str) -> float:
    """Return the accuracy on the second chunk after drifts to a new or to a recurring concept.

    At this point, a learner has been trained on one chunk of the current concept.
    """
    one, two = (result.recovery(learner, n * CHUNK, kind) for n in (1, 2))
    return 2 * two - one


def summary(result: Result) -> Fitted:
    """Return the results as a table for the terminal, with the best value of each score marked."""
    scores = result.table()
    learners = [row["learner"] for row in scores]
    columns = {
        "accuracy": [f"{row['accuracy']:.3f}" for row in scores],
        "new rule": [f"{second_chunk(result, name, 'new'):.3f}" for name in learners],
        "returned rule": [f"{second_chunk(result, name, 'returned'):.3f}" for name in learners],
        "members": [f"{row['members']:,.0f}" for row in scores],
        "rows/s": [f"{row['rows/s']:,.0f}" for row in scores],
    }
    laid = [Column("learner", learners)]
    for title, cells in columns.items():
        best = [i for i, cell in enumerate(cells) if cell == max(cells) and "." in cell]
        laid.append(Column(title, cells, True, best))
    return Fitted(laid)


def run(out: Path, n_rows: int, seed: int) -> None:
    """Run seven learners on a stream with recurring concepts; write a page and a figure."""
    console = Screen()
    out.mkdir(parents=True, exist_ok=True)
    stream = SEA(thresholds=(6, 12, 6, 12), n_rows=n_rows, noise=0.1, random_state=seed)
    learners = {
        "learn++.nse": dl.LearnPPNSEClassifier(random_state=seed),
        "dtel": dl.DTELClassifier(random_state=seed),
        "sea": dl.SEAClassifier(random_state=seed),
        "awe": dl.AWEClassifier(n_estimators=30, n_stored=120, random_state=seed),
        "aue2": dl.AUE2Classifier(random_state=seed),
        "tix": dl.TIXClassifier(random_state=seed),
        "last chunk": dl.RefitClassifier(n_chunks=1, random_state=seed),
    }
    console.print(
        f"SEA, {n_rows:,} rows in chunks of {CHUNK}, 10 % label noise. The concept changes at "
        f"rows {', '.join(f'{row:,}' for row in stream.drifts)}: A, B, A, B."
    )
    board = Scoreboard(n_rows, console)
    with board.live if console.is_terminal else nullcontext():
        result = prequential(learners, stream, CHUNK, on_step=board)
    console.print("\nPrequential evaluation", summary(result), "", sep="\n")
    console.print(
        "new rule, returned rule: accuracy on the second chunk after a drift to a new or recurring "
        'concept. "last chunk" is a tree trained on the preceding chunk only.'
    )
    picture, html = out / "demo.png", out / "demo.html"
    result.plot("overview", path=picture, learners=["learn++.nse", "awe"])
    page(result, html, command=f"driftlearn demo --rows {n_rows} --seed {seed}")
    console.print(f"\nAccuracy and member weights over time: {html} and {picture}")
