"""Results as tables and sparklines for the terminal."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

import numpy as np
from rich.console import Console, ConsoleOptions, RenderResult
from rich.text import Text

from driftlearn.bench.report._words import title as heading
from driftlearn.evaluate._repeat import AnyResult, Results
from driftlearn.utils._layout import Column, lay_out
from driftlearn.utils.safe_text import printable
from driftlearn.utils.terminal import Screen, styled

#: The columns of a summary on a terminal, with their headings where it is narrow.
COLUMNS = {
    "accuracy": "acc.", "std": "", "balanced_accuracy": "bal. acc.", "kappa": "",
    "kappa_temporal": "kappa temp.", "auc": "", "recovery": "recov.",
    "anytime_accuracy": "anyt. acc.", "forgetting": "forget.", "members": "memb.", "rows/s": "",
}  # fmt: skip
WHOLE = ("members", "rows/s")  # without decimals
ENDLESS = 10_000  # width of a pipe or a file, whose readers break lines themselves
MORE = "use --json or a wider terminal to see them"
BLOCKS = "▁▂▃▄▅▆▇█"


def console(**options: Any) -> Screen:
    """Return a console that breaks no lines in a pipe or a file."""
    found = Screen(**options)
    if not found.is_terminal:
        found.width = ENDLESS
    return found


def blocks(values: Any, width: int, high: float = 1.0, low: float = 0.0) -> str:
    """Return values as a line of blocks; if there are too many, their means, and gaps for nan.

    Examples
    --------
    >>> blocks([0.0, 0.5, 1.0, float("nan")], 10)
    '▁▅█ '
    """
    values = np.asarray(values, dtype=float)
    pieces = np.array_split(values, min(width, len(values))) if len(values) else []
    line = ""
    for piece in pieces:
        known = piece[~np.isnan(piece)]
        if len(known):
            share = (float(known.mean()) - low) / ((high - low) or 1.0)
            line += BLOCKS[int(np.clip(share * len(BLOCKS), 0, len(BLOCKS) - 1))]
        else:
            line += " "
    return line


class Fitted:
    """A table that fits the terminal on which it is printed, and lists the columns left out.

    Marked cells are bold on a terminal. In a pipe or a file, they are followed by a star.

    Parameters
    ----------
    columns : sequence of Column
        The columns.
    more : str
        How to see the columns that are left out.
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
            yield Text(f"… left out: {', '.join(left_out)}; {self.more}")


def show(screen: Screen, columns: Sequence[Column], title: str = "", more: str = MORE) -> None:
    """Print a table that fits the terminal, below a title."""
    if title:
        screen.print(styled(title, "italic"))
    screen.print(Fitted(columns, more))


def summary(result: AnyResult) -> list[Column]:
    """Return the summary of a result, with the best value of each column marked."""
    scores = result.table()
    columns = [Column("learner", [printable(name) for name in scores["learner"]])]
    for name, short in COLUMNS.items():
        if name in scores.columns:
            marked = scores.marked.get(name, ())
            columns.append(_numbers(heading(name), scores[name], marked, short, name in WHOLE))
    return columns


def matrix(results: Results) -> list[Column]:
    """Return mean accuracies of every learner on every stream, the best of each stream marked.

    There is a column per stream or per learner, whichever are fewer.
    """
    learners = list(dict.fromkeys(name for result in results.values() for name in result.names))
    values = np.array([
        [result.summary(name)["accuracy"] if name in result.names else np.nan for name in learners]
        for result in results.values()
    ])  # fmt: skip
    best = values == np.nanmax(np.where(np.isnan(values), -1, values), axis=1, keepdims=True)
    first, rows, columns = "stream", list(results), learners
    if len(results) < len(learners):
        first, rows, columns, values, best = "learner", learners, list(results), values.T, best.T
    return [Column(first, [*map(printable, rows)])] + [
        _numbers(printable(name), values[:, k], np.flatnonzero(best[:, k]).tolist())
        for k, name in enumerate(columns)
    ]


def _numbers(
    title: str,
    values: Any,
    marked: Collection[int],
    short: str = "",
    whole: bool = False,
) -> Column:
    """Return a column of numbers, and the same with fewer decimals for narrow terminals."""
    cells, fewer = (
        ["-" if np.isnan(value) else f"{value:,.{0 if whole else n}f}" for value in values]
        for n in (4, 3)
    )
    return Column(title, cells, True, marked, short, fewer)
