"""Results as tables for the terminal."""

from __future__ import annotations

from typing import Any

import numpy as np
from rich import box
from rich.table import Table as RichTable

from driftlearn._safe_text import printable
from driftlearn._screen import Screen, styled
from driftlearn.evaluate._repeat import AnyResult, Results
from driftlearn.report._words import title as heading

#: The columns of a summary that a terminal has room for.
COLUMNS = (
    "accuracy", "std", "balanced_accuracy", "kappa", "kappa_temporal", "auc", "recovery",
    "anytime_accuracy", "forgetting", "members", "rows/s",
)  # fmt: skip
WHOLE = ("members", "rows/s")


def console(**options: Any) -> Screen:
    """Return a console that is wide enough for tables where nobody says how wide it is."""
    found = Screen(**options)
    if not found.is_terminal:
        found.width = 140
    return found


def grid(title: str, first: str, *others: str) -> RichTable:
    """Return an empty table: names on the left, numbers on the right."""
    table = RichTable(
        title=printable(title), title_justify="left", box=box.SIMPLE_HEAD, pad_edge=False
    )
    table.add_column(first, overflow="fold", min_width=12)
    for name in others:
        table.add_column(printable(name), justify="right", no_wrap=True)
    return table


def summary(result: AnyResult, title: str) -> RichTable:
    """Return the summary of a result, the best of each column in bold."""
    scores = result.table()
    columns = [column for column in COLUMNS if column in scores.columns]
    table = grid(title, "learner", *(heading(column) for column in columns))
    for k, row in enumerate(scores):
        cells = []
        for column in columns:
            text = _text(row[column], column)
            cells.append(styled(text, "bold" if k in scores.marked.get(column, ()) else ""))
        table.add_row(styled(row["learner"]), *cells)
    return table


def matrix(results: Results) -> RichTable:
    """Return mean accuracies, a row a stream and a column a learner, the best in bold."""
    learners = list(dict.fromkeys(name for result in results.values() for name in result.names))
    table = grid("accuracy", "stream", *learners)
    for stream, result in results.items():
        values = [
            result.summary(name)["accuracy"] if name in result.names else np.nan
            for name in learners
        ]
        best = max((value for value in values if not np.isnan(value)), default=np.nan)
        texts = ["-" if np.isnan(value) else f"{value:.4f}" for value in values]
        cells = (styled(t, "bold" if v == best else "") for t, v in zip(texts, values))
        table.add_row(styled(stream), *cells)
    return table


def _text(value: float, column: str) -> str:
    if np.isnan(value):
        return "-"
    return f"{value:,.0f}" if column in WHOLE else f"{value:.4f}"
