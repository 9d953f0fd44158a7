"""A column table: enough of one to look at results without pandas."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping, Sequence
from html import escape
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np

from driftlearn._needed import needed
from driftlearn._safe_text import in_csv, printable


class Table:
    """Columns of equal length, printed so that they can be read.

    The core of the library does without pandas, yet `members_`, results and reports are tables.
    This one can be printed, iterated over, sorted and handed on to pandas; it does nothing else.

    Parameters
    ----------
    columns : mapping of str to sequence
        The columns, in order.
    marked : mapping of str to collection of int, optional
        For a column, the rows whose value is to stand out, say the best of each metric.

    Attributes
    ----------
    columns : list of str
        The names of the columns.

    Examples
    --------
    >>> table = Table({"learner": ["dtel", "sea"], "accuracy": [0.9477, 0.8631]})
    >>> table
    learner  accuracy
    dtel       0.9477
    sea        0.8631
    >>> table["accuracy"].max()
    np.float64(0.9477)
    >>> table.sort("accuracy").to_dicts()[0]
    {'learner': 'sea', 'accuracy': 0.8631}
    """

    def __init__(
        self,
        columns: Mapping[str, Sequence[Any] | np.ndarray],
        marked: Mapping[str, Any] | None = None,
    ):
        self._columns = {str(name): _column(values) for name, values in columns.items()}
        lengths = {name: len(values) for name, values in self._columns.items()}
        if len(set(lengths.values())) > 1:
            raise ValueError(f"the columns of a table must be equally long, got {lengths}")
        self.marked = {name: {int(i) for i in rows} for name, rows in (marked or {}).items()}
        unknown = [name for name in self.marked if name not in self._columns]
        if unknown:
            raise ValueError(f"marked columns {unknown} are not in the table {self.columns}")

    @property
    def columns(self) -> list[str]:
        """The names of the columns, in order."""
        return list(self._columns)

    def __getitem__(self, column: str) -> np.ndarray:
        try:
            return self._columns[column]
        except KeyError:
            raise KeyError(f"no column {column!r}; the columns are {self.columns}") from None

    def __len__(self) -> int:
        return len(next(iter(self._columns.values()), ()))

    def __iter__(self) -> Iterator[dict[str, Any]]:
        for i in range(len(self)):
            yield {name: _plain(values[i]) for name, values in self._columns.items()}

    def sort(self, column: str, *, descending: bool = False) -> Table:
        """Return a new table sorted by a column; equal rows keep their order, nan comes last."""
        values = self[column]
        missing = np.array([_is_missing(value) for value in values], dtype=bool)
        order = sorted(np.flatnonzero(~missing), key=lambda i: values[i], reverse=descending)
        order += list(np.flatnonzero(missing))
        place = {int(old): new for new, old in enumerate(order)}
        return Table(
            {name: values[order] for name, values in self._columns.items()},
            {name: [place[i] for i in rows] for name, rows in self.marked.items()},
        )

    def to_dicts(self) -> list[dict[str, Any]]:
        """Return the rows as dicts of plain Python values."""
        return list(self)

    def to_frame(self) -> Any:
        """Return the table as a pandas data frame."""
        return needed("pandas", "to_frame").DataFrame(self._columns)

    def to_csv(self, path: str | Path) -> None:
        """Write the table as comma-separated values in full precision, nan as nothing.

        Text that a spreadsheet would take for a formula (it begins with ``=``, ``+``, ``-`` or
        ``@`` and is no number) gets an apostrophe in front.
        """
        from driftlearn.persist import atomic_write  # which imports much that a table needs not

        text = StringIO(newline="")
        writer = csv.writer(text)
        writer.writerow(map(in_csv, self.columns))
        for row in self:
            writer.writerow("" if _is_missing(v) else in_csv(v) for v in row.values())
        atomic_write(path, text.getvalue().encode("utf-8", "backslashreplace"))

    def __repr__(self) -> str:
        if not self._columns:
            return "Table({})"
        blocks = []
        for name, values in self._columns.items():
            cells = _cells(values)
            if name in self.marked:
                cells = [c + ("*" if i in self.marked[name] else " ") for i, c in enumerate(cells)]
                name += " "
            cells = [printable(name), *cells]
            width = max(map(len, cells))
            align = str.rjust if _is_numeric(values) else str.ljust
            blocks.append([align(cell, width) for cell in cells])
        return "\n".join("  ".join(line).rstrip() for line in zip(*blocks))

    def _repr_html_(self) -> str:
        number = {name: _is_numeric(values) for name, values in self._columns.items()}
        style = ' style="text-align:right"'
        head = "".join(
            f"<th{style if number[name] else ''}>{escape(name)}</th>" for name in self.columns
        )
        cells = {name: _cells(values) for name, values in self._columns.items()}
        body = []
        for i in range(len(self)):
            row = ""
            for name in self.columns:
                text = escape(cells[name][i])
                if i in self.marked.get(name, ()):
                    text = f"<strong>{text}</strong>"
                row += f"<td{style if number[name] else ''}>{text}</td>"
            body.append(f"<tr>{row}</tr>")
        return f"<table><thead><tr>{head}</tr></thead><tbody>{''.join(body)}</tbody></table>"


def _column(values: Sequence[Any] | np.ndarray) -> np.ndarray:
    """Return a 1-d array: of numbers or strings where all values are, of objects otherwise."""
    if isinstance(values, np.ndarray) and values.ndim == 1:
        return values
    items = list(values)
    if items and all(isinstance(item, (bool, int, float, np.number, np.bool_)) for item in items):
        return np.array(items)
    if items and all(isinstance(item, str) for item in items):
        return np.array(items)
    column = np.empty(len(items), dtype=object)
    for i, item in enumerate(items):
        column[i] = item
    return column


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value


def _is_missing(value: Any) -> bool:
    return value is None or (isinstance(value, (float, np.floating)) and bool(np.isnan(value)))


def _is_numeric(values: np.ndarray) -> bool:
    """Say whether a column holds numbers, missing ones included."""
    if values.dtype != object:
        return values.dtype.kind in "iuf"
    numbers = [value for value in values if value is not None]
    return bool(numbers) and all(
        isinstance(value, (int, float, np.number)) and not isinstance(value, bool)
        for value in numbers
    )


def _cells(values: np.ndarray) -> list[str]:
    """Return a column as text; numbers share a number of decimals."""
    if not _is_numeric(values):
        return ["-" if _is_missing(value) else printable(_plain(value)) for value in values]
    numbers = np.array([np.nan if value is None else value for value in values], dtype=float)
    finite = np.abs(numbers[np.isfinite(numbers)])
    if (finite == np.round(finite)).all():
        decimals = 0
    else:
        decimals = int(np.clip(3 - np.floor(np.log10(finite.max())), 0, 4))
        if finite.max() < 1e-3:
            decimals = 6
    return ["-" if np.isnan(number) else f"{number:.{decimals}f}" for number in numbers]
