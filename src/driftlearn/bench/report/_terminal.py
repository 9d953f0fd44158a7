"""Results as tables for the terminal."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np
from rich.console import Console, ConsoleOptions, RenderResult
from rich.text import Text

from driftlearn.bench.report._words import title as heading
from driftlearn.evaluate._repeat import AnyResult, Results
from driftlearn.utils._layout import Column, lay_out
from driftlearn.utils.safe_text import printable
from driftlearn.utils.terminal import Screen, styled

#: The columns of a summary that a terminal has room for.
COLUMNS = (
    "accuracy", "std", "balanced_accuracy", "kappa", "kappa_temporal", "auc", "recovery",
    "anytime_accuracy", "forgetting", "members", "rows/s",
)  # fmt: skip
#: What they are headed where there is little room.
SHORT = {
    "accuracy": "acc.", "balanced_accuracy": "bal. acc.", "kappa_temporal": "kappa temp.",
    "recovery": "recov.", "anytime_accuracy": "anyt. acc.", "forgetting": "forget.",
    "members": "memb.",
}  # fmt: skip
WHOLE = ("members", "rows/s")
ENDLESS = 10_000  # signs of a line in a pipe or a file: whoever reads it breaks it
MORE = "--json has them, and so has a wider terminal"


def console(**options: Any) -> Screen:
    """Return a console that breaks no line where nobody says how wide it is."""
    found = Screen(**options)
    if not found.is_terminal:
        found.width = ENDLESS
    return found


class Fitted:
    """A table that fits the terminal on which it is printed, and says what it has no room for.

    What stands out is bold on a terminal; elsewhere, in a pipe or a file, a star follows it.

    Parameters
    ----------
    columns : sequence of Column
        What to print.
    more : str
        Where all of it is to be had.
    """

    def __init__(self, columns: Sequence[Column], more: str = MORE):
        self.columns = columns
        self.more = more

    def __rich_console__(self, screen: Console, options: ConsoleOptions) -> RenderResult:
        width = options.max_width if screen.is_terminal else None
        lines, left_out = lay_out(self.columns, width, stars=not screen.is_terminal)
        for line in lines:
            yield Text.assemble(*((text, "bold" if out else "") for text, out in line))
        if left_out:
            yield Text(f"… no room for {', '.join(left_out)}: {self.more}")


def show(screen: Screen, columns: Sequence[Column], title: str = "", more: str = MORE) -> None:
    """Print a table that fits the terminal, below a title."""
    if title:
        screen.print(styled(title, "italic"))
    screen.print(Fitted(columns, more))


def summary(result: AnyResult) -> list[Column]:
    """Return the summary of a result, the best of each column marked."""
    scores = result.table()
    names = [name for name in COLUMNS if name in scores.columns]
    columns = [Column("learner", [printable(name) for name in scores["learner"]])]
    for name in names:
        cells, fewer = ([_text(v, name, n) for v in scores[name]] for n in (4, 3))
        short, marked = SHORT.get(name, ""), scores.marked.get(name, ())
        columns.append(Column(heading(name), cells, True, marked, short, fewer))
    return columns


def matrix(results: Results) -> list[Column]:
    """Return mean accuracies of every learner on every stream, the best on each stream marked.

    There is a column a stream, or a column a learner: whichever are fewer.
    """
    learners = list(dict.fromkeys(name for result in results.values() for name in result.names))
    values = {
        stream: [
            result.summary(name)["accuracy"] if name in result.names else np.nan
            for name in learners
        ]
        for stream, result in results.items()
    }
    best = {stream: _best(each) for stream, each in values.items()}
    if len(results) < len(learners):
        first = Column("learner", [printable(name) for name in learners])
        return [first, *(_accuracies(name, values[name], best[name]) for name in results)]
    first = Column("stream", [printable(name) for name in results])
    turned: Mapping[str, Any] = dict(zip(learners, zip(*values.values())))
    marked = {
        name: [i for i, rows in enumerate(best.values()) if k in rows]
        for k, name in enumerate(learners)
    }
    return [first, *(_accuracies(name, turned[name], marked[name]) for name in learners)]


def _best(values: Sequence[float]) -> list[int]:
    top = max((value for value in values if not np.isnan(value)), default=np.nan)
    return [k for k, value in enumerate(values) if value == top]


def _accuracies(title: str, values: Sequence[float], marked: Collection[int]) -> Column:
    cells, fewer = ([_text(value, "accuracy", n) for value in values] for n in (4, 3))
    return Column(printable(title), cells, True, marked, fewer=fewer)


def _text(value: float, column: str, decimals: int) -> str:
    if np.isnan(value):
        return "-"
    return f"{value:,.0f}" if column in WHOLE else f"{value:.{decimals}f}"
