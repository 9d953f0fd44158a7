"""The first part of ``driftlearn demo``: seven learners on a stream with recurring concepts."""

from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any

from rich.live import Live
from rich.table import Table as RichTable

import driftlearn as dl
from driftlearn.bench.report._page import page
from driftlearn.bench.report._terminal import Fitted, blocks
from driftlearn.cli._demo_days import run_days
from driftlearn.evaluate._protocols import prequential
from driftlearn.evaluate._result import Result
from driftlearn.evaluate.metrics import RECOVERY_ROWS
from driftlearn.streams._sea_cir_sta import SEA
from driftlearn.utils.table import Column
from driftlearn.utils.terminal import Screen

CHUNK = 250
THRESHOLDS = (6, 12)  # of the rules A and B
TREE = "tree, last chunk"


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


def summary(result: Result) -> Fitted:
    """Return the results as a table for the terminal, with the best value of each score marked."""
    scores = result.table()
    learners = [row["learner"] for row in scores]
    columns = {
        "accuracy": [f"{row['accuracy']:.3f}" for row in scores],
        "new rule": [f"{row['recovery_new']:.3f}" for row in scores],
        "returned rule": [f"{row['recovery_returned']:.3f}" for row in scores],
        "members": [f"{row['members']:,.0f}" for row in scores],
        "rows/s": [f"{row['rows/s']:,.0f}" for row in scores],
    }
    laid = [Column("learner", learners)]
    for title, cells in columns.items():
        best = [i for i, cell in enumerate(cells) if cell == max(cells) and "." in cell]
        laid.append(Column(title, cells, True, best))
    return Fitted(laid)


def run(out: Path, n_rows: int, seed: int) -> None:
    """Compare seven learners on a stream with recurring concepts, then learn daily files."""
    console = Screen()
    out.mkdir(parents=True, exist_ok=True)
    stream = SEA(thresholds=THRESHOLDS * 2, n_rows=n_rows, noise=0.1, random_state=seed)
    learners = {
        "AWE": dl.AWEClassifier(n_estimators=30, n_stored=120, random_state=seed),
        "Learn++.NSE": dl.LearnPPNSEClassifier(random_state=seed),
        "DTEL": dl.DTELClassifier(random_state=seed),
        "AUE2": dl.AUE2Classifier(random_state=seed),
        "SEA": dl.SEAClassifier(random_state=seed),
        "TIX": dl.TIXClassifier(random_state=seed),
        TREE: dl.RefitClassifier(n_chunks=1, random_state=seed),
    }
    console.print(
        f"Two rules alternate: A, B, A, B. {n_rows:,} rows in chunks of {CHUNK}, 10 % of labels "
        "wrong. Each chunk is predicted, then learned."
    )
    board = Scoreboard(n_rows, console)
    with board.live if console.is_terminal else nullcontext():
        result = prequential(learners, stream, CHUNK, on_step=board)
    rules = [f"rule {'AB'[THRESHOLDS.index(concept)]}" for concept in result.concepts]
    result = replace(result, stream="two alternating rules", concepts=rules)
    console.print("", summary(result), "", sep="\n")
    console.print(
        f"new rule, returned rule: accuracy over {RECOVERY_ROWS} rows after a drift to a new rule, "
        f'or to one that was in force before. "{TREE}" is retrained on each chunk.\n'
    )
    picture, html = out / "demo.png", out / "demo.html"
    title = "AWE keeps the models of earlier chunks; the tree knows only the last chunk"
    result.plot("overview", path=picture, learners=["AWE", TREE], title=title)
    page(result, html, command=f"driftlearn demo --rows {n_rows} --seed {seed}")
    run_days(out, console)
    console.print(f"\nFigures: {picture}, {html} and {out / 'model.html'}", soft_wrap=True)
