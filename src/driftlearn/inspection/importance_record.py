"""Importances of columns over time, measured while a saved model is trained."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from driftlearn.io import schema
from driftlearn.utils.arguments import Floats, Ints
from driftlearn.utils.hooks import hook
from driftlearn.utils.table import Table

ROWS = 16  # rows whose columns are replaced; differences are averaged over several measurements
#: Training rows for each predicted row: prediction then takes about a hundredth of the time.
SPARING = 10
MOST_COLUMNS = 500  # more columns would need measurements of more than 8,000 predictions
MOST_ENTRIES = 256
STRETCHES = 6  # columns of the table
MOST_ROWS = 2**53


class ImportanceRecord:
    """Importances of the columns of a table over time, in bounded memory.

    The importance of a column is the mean change of the prediction when the value of the column is
    replaced by that of another recent row: half the sum of the absolute changes of the class
    probabilities, averaged over 16 rows. It needs no labels and applies to any model, with all its
    members and their weights. It is measured after a chunk if at least ten rows were learned for
    every row that is predicted for it. When there are 256 measurements, every other one is dropped,
    and the interval is doubled.

    Attributes
    ----------
    names : list of str
        The columns.
    after : list of int
        Number of training rows before each measurement.
    places : list of [file, time]
        Origin of the last row before each measurement; "" if unknown.
    values : ndarray of shape (measurements, columns)
        The importances.
    """

    STATE: ClassVar[dict[str, schema.Field]] = {
        "names": schema.list_of(schema.word(), "columns"),
        "after": schema.list_of(schema.integer(0, MOST_ROWS), "measurements"),
        "places": schema.list_of(schema.list_of(schema.word()), "measurements"),
        "values": schema.floats("measurements", "columns", least=0.0),
        "interval": schema.integer(1, MOST_ROWS),
    }

    def __init__(self) -> None:
        self.names: list[str] = []
        self.after: list[int] = []
        self.places: list[list[str]] = []
        self.values = np.zeros((0, 0))
        self.interval = 1

    @staticmethod
    def check_state(state: dict[str, Any]) -> None:
        """Raise InvalidStateError unless every place is a file and a time."""
        if any(len(place) != 2 for place in state["places"]):
            raise schema.InvalidStateError("ImportanceRecord: a place must be [file, time]")

    def is_due(self, n_rows: int, n_columns: int) -> bool:
        """Return whether to measure after `n_rows` training rows."""
        least = max(self.interval, SPARING * ROWS * (1 + n_columns))
        since = n_rows - (self.after[-1] if self.after else 0)
        return n_columns <= MOST_COLUMNS and since >= least

    def add(
        self, names: list[str], values: Floats, after: int, file: str | None, time: str | None
    ) -> None:
        """Add a measurement."""
        if not self.after:
            self.names, self.values = names, np.zeros((0, len(names)))
        self.after = [*self.after, after]
        self.places = [*self.places, [file or "", time or ""]]
        self.values = np.vstack([self.values, values])
        if len(self.after) >= MOST_ENTRIES:
            self.after, self.places = self.after[1::2], self.places[1::2]
            self.values = self.values[1::2]
            self.interval = int(np.diff(self.after).min())

    def table(self) -> Table:
        """Return mean importances in up to six stretches of time, the last one in order."""
        stretches = np.array_split(np.arange(len(self.after)), min(STRETCHES, len(self.after)))
        endings = self._endings([int(some[-1]) for some in stretches])
        means = [self.values[some].mean(axis=0) for some in stretches]
        found = Table({"feature": self.names, **dict(zip(endings, means))})
        return found.sort(found.columns[-1], descending=True)

    def text(self, most: int) -> str:
        """Return the table of the most important columns as text."""
        table = self.table()
        rest = f"\n{len(table) - most} other columns" if len(table) > most else ""
        return table[:most].text() + rest

    def plot(self, path: str | Path | None = None) -> Any:
        """Draw the importances over time with matplotlib; see `Explanation.plot`."""
        return hook("figure_display")(hook("importance_figure")(self, path))

    def report(self, path: str | Path, *, title: str = "Importances of columns") -> Path:
        """Write a self-contained HTML page and return its path."""
        return hook("write_document")(path, hook("importance_page")(self, title))

    def lines(self, most: int) -> dict[str, Floats]:
        """Return the importances over time of the columns with the largest ones at any time."""
        order = np.argsort(-self.values.max(axis=0), kind="stable")[:most]
        return {self.names[j]: self.values[:, j] for j in order.tolist()}

    def _endings(self, measurements: list[int]) -> list[str]:
        """Return when stretches of measurements end: as dates, files or rows, if they differ."""
        places = [self.places[k] for k in measurements]
        dates = [time[: len("2026-01-31")] for _, time in places]
        rows = [f"row {self.after[k]:,}" for k in measurements]
        for names in (dates, [file for file, _ in places]):
            if all(names) and len({*names}) == len(names):
                return [f"until {name}" for name in names]
        return [f"until {name}" for name in rows]

    def to_dict(self) -> dict[str, Any]:
        """Return all measurements as JSON values."""
        return {
            "after": self.after,
            "file": [file or None for file, _ in self.places],
            "time": [time or None for _, time in self.places],
            "importances": dict(zip(self.names, self.values.T.tolist())),
        }


def measured(function: Callable[[Floats], Floats], rows: Floats, owner: Ints) -> Floats:
    """Return the importance of each column, measured on recent rows.

    Parameters
    ----------
    function : callable
        Function that returns class probabilities.
    rows : ndarray of shape (n, d)
        Recent rows, at least two.
    owner : int array of shape (d,)
        Column to which each feature belongs.

    Examples
    --------
    >>> first = lambda X: np.column_stack([X[:, 0] > 0, X[:, 0] <= 0]).astype(float)
    >>> measured(first, np.array([[1.0, 1.0], [-1.0, 1.0]]), np.arange(2))
    array([1., 0.])
    """
    places = np.linspace(0, len(rows) - 1, min(ROWS, len(rows))).astype(int)
    own, other = rows[places], rows[(places + len(rows) // 2) % len(rows)]
    columns = np.arange(int(owner.max()) + 1)
    replaced = owner == columns[:, None, None]
    changed = np.where(replaced, other, own).reshape(-1, rows.shape[1])
    probas = function(np.concatenate([own, changed]))
    before = probas[: len(own)]
    after = probas[len(own) :].reshape(len(columns), *before.shape)
    found: Floats = np.abs(after - before).sum(axis=2).mean(axis=1) / 2
    return found
