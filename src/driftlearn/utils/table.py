"""Table of columns for results, without pandas."""

from __future__ import annotations

import csv
from collections.abc import Collection, Iterator, Mapping, Sequence
from html import escape
from io import StringIO
from pathlib import Path
from typing import Any, overload

import numpy as np

from driftlearn.utils._layout import Column, lay_out
from driftlearn.utils.optional import needed
from driftlearn.utils.safe_text import in_csv, printable

MOST_ROWS = 60  # maximum rows in `repr`: about two screens
NOTEBOOK_ROWS = 20  # maximum rows in a notebook
MOST_COLUMNS = 24  # maximum columns in a notebook
MOST_SIGNS = 80  # maximum characters of a cell in a notebook


class Table:
    """Table of columns of equal length.

    `members_`, results and reports are tables, but pandas is optional. This class can be printed,
    sliced, iterated over, sorted, and converted to pandas. The `repr` of a long table has its first
    and last rows.

    Parameters
    ----------
    columns : mapping of str to sequence
        Values by column name, in order.
    marked : mapping of str to collection of int, optional
        Rows to highlight by column name, such as the best value of each metric.

    Attributes
    ----------
    columns : list of str
        Column names.

    Examples
    --------
    >>> table = Table({"learner": ["dtel", "sea"], "accuracy": [0.9477, 0.8631]})
    >>> table
    learner  accuracy
    dtel       0.9477
    sea        0.8631
    >>> table["accuracy"].max()
    np.float64(0.9477)
    >>> table.sort("accuracy")[0]
    {'learner': 'sea', 'accuracy': 0.8631}
    >>> table[:1]
    learner  accuracy
    dtel       0.9477
    """

    def __init__(
        self,
        columns: Mapping[str, Sequence[Any] | np.ndarray],
        marked: Mapping[str, Any] | None = None,
    ):
        self._columns = {str(name): _column(values) for name, values in columns.items()}
        lengths = {name: len(values) for name, values in self._columns.items()}
        if len(set(lengths.values())) > 1:
            raise ValueError(f"the columns of a table must have the same length. Got {lengths}.")
        self.marked = {name: {int(i) for i in rows} for name, rows in (marked or {}).items()}
        unknown = [name for name in self.marked if name not in self._columns]
        if unknown:
            raise ValueError(f"marked columns must be among {self.columns}. Got {unknown}.")

    @property
    def columns(self) -> list[str]:
        """Column names, in order."""
        return list(self._columns)

    @overload
    def __getitem__(self, key: str) -> np.ndarray: ...

    @overload
    def __getitem__(self, key: int) -> dict[str, Any]: ...

    @overload
    def __getitem__(self, key: slice) -> Table: ...

    def __getitem__(self, key: str | int | slice) -> np.ndarray | dict[str, Any] | Table:
        if isinstance(key, slice):
            return self._taken(range(len(self))[key])
        if isinstance(key, int | np.integer):
            if not -len(self) <= key < len(self):
                raise IndexError(f"row {key} is out of range: the table has {len(self)} rows")
            return {name: _plain(values[key]) for name, values in self._columns.items()}
        try:
            return self._columns[key]
        except (KeyError, TypeError):
            raise KeyError(f"no column {key!r}. The columns are {self.columns}.") from None

    def __len__(self) -> int:
        return len(next(iter(self._columns.values()), ()))

    def __iter__(self) -> Iterator[dict[str, Any]]:
        for i in range(len(self)):
            yield self[i]

    def sort(self, column: str, *, descending: bool = False) -> Table:
        """Return a new table, sorted stably by a column; missing values come last."""
        values = self[column]
        missing = np.array([_is_missing(value) for value in values], dtype=bool)
        order = sorted(np.flatnonzero(~missing), key=lambda i: values[i], reverse=descending)
        return self._taken([*order, *np.flatnonzero(missing)])

    def _taken(self, rows: Sequence[Any]) -> Table:
        """Return a table of some rows in this order, with their marks."""
        place = {int(old): new for new, old in enumerate(rows)}
        chosen = np.array(rows, dtype=np.intp)
        return Table(
            {name: values[chosen] for name, values in self._columns.items()},
            {name: [place[i] for i in at if i in place] for name, at in self.marked.items()},
        )

    def to_dicts(self) -> list[dict[str, Any]]:
        """Return the rows as dicts of plain Python values."""
        return list(self)

    def to_frame(self) -> Any:
        """Return the table as a pandas data frame."""
        return needed("pandas", "to_frame").DataFrame(self._columns)

    def to_csv(self, path: str | Path) -> None:
        """Write a CSV file with numbers in full precision and empty cells for missing values.

        Text that a spreadsheet would interpret as a formula (it begins with ``=``, ``+``, ``-`` or
        ``@`` and is not a number) is prefixed with an apostrophe.
        """
        from driftlearn.utils.atomic_files import atomic_write

        text = StringIO(newline="")
        writer = csv.writer(text)
        writer.writerow(map(in_csv, self.columns))
        for row in self:
            writer.writerow("" if _is_missing(v) else in_csv(v) for v in row.values())
        atomic_write(path, text.getvalue().encode("utf-8", "backslashreplace"))

    def text(self, width: int | None = None, cut: Collection[str] = ()) -> str:
        """Return all rows as text.

        Parameters
        ----------
        width : int, optional
            Characters per line. If the table is wider, names are folded, then numbers get fewer
            decimals, then the last columns are left out, and a line names them.
        cut : collection of str
            Columns whose long texts end in "…" instead of continuing on another line.
        """
        if not self._columns:
            return "Table({})"
        lines, left_out = lay_out(self.laid(cut), width, stars=True)
        text = ["".join(piece for piece, _ in line) for line in lines]
        return "\n".join([*text, *([f"… left out: {', '.join(left_out)}"] if left_out else [])])

    def laid(self, cut: Collection[str] = ()) -> list[Column]:
        """Return the columns as text for `lay_out`."""
        found = []
        for name, values in self._columns.items():
            number, marked = _is_numeric(values), self.marked.get(name, ())
            fewer = _cells(values, 1) if number else ()
            cells = _cells(values)
            found.append(
                Column(printable(name), cells, number, marked, fewer=fewer, cut=name in cut)
            )
        return found

    def __repr__(self) -> str:
        top, bottom = self._ends(MOST_ROWS)
        if bottom is None:
            return self.text()
        head, *lines = (self._taken([*top, *bottom])).text().splitlines()
        lines.insert(len(top), f"… {len(self) - len(top) - len(bottom):,} more rows …")
        return "\n".join([head, *lines])

    def _ends(self, most: int) -> tuple[range, range | None]:
        """Return the rows to show: all, or equally many of the first and the last."""
        n = len(self)
        return (range(n), None) if n <= most else (range(most // 2), range(n - most // 2, n))

    def _repr_html_(self) -> str:
        return self.html()

    def html(self, more: Mapping[str, Sequence[str]] | None = None) -> str:
        """Return the table as HTML of bounded size, for notebooks.

        Parameters
        ----------
        more : mapping of str to sequence of str, optional
            Columns of HTML cells to insert after the first column, by heading.
        """
        top, bottom = self._ends(NOTEBOOK_ROWS)
        rows = [*top, *(bottom or ())]
        part = self._taken(rows)
        names = self.columns[:MOST_COLUMNS]
        columns: dict[str, tuple[str, Sequence[str]]] = {}  # style and cells by heading
        for name in names:
            marked = part.marked.get(name, ())
            cells = [escape(_short(cell)) for cell in _cells(part[name])]
            cells = [f"<strong>{c}</strong>" if i in marked else c for i, c in enumerate(cells)]
            side = f' style="text-align:{"right" if _is_numeric(self[name]) else "left"}"'
            columns[escape(_short(name)).replace("_", "_<wbr>")] = side, cells
            if name == names[0]:
                columns |= {
                    escape(k): (side, [v[i] for i in rows]) for k, v in (more or {}).items()
                }
        body = [_html_row(columns, i) for i in range(len(rows))]
        if bottom is not None:
            left = f"… {len(self) - len(rows):,} more rows …"
            cell = f'<td style="text-align:left" colspan="{len(columns)}">{left}</td>'
            body.insert(len(top), f"<tr>{cell}</tr>")
        head = "".join(f"<th{side}>{name}</th>" for name, (side, _) in columns.items())
        table = f"<table><thead><tr>{head}</tr></thead><tbody>{''.join(body)}</tbody></table>"
        left_out = len(self.columns) - len(names)
        return table + (f"<p>… {left_out:,} more columns</p>" if left_out else "")


def _html_row(columns: Mapping[str, tuple[str, Sequence[str]]], i: int) -> str:
    return "<tr>" + "".join(f"<td{s}>{cells[i]}</td>" for s, cells in columns.values()) + "</tr>"


def _short(text: str) -> str:
    return text if len(text) <= MOST_SIGNS else text[: MOST_SIGNS - 1] + "…"


def _column(values: Sequence[Any] | np.ndarray) -> np.ndarray:
    """Return a 1-d array of numbers or strings, or of objects if the values are mixed."""
    if isinstance(values, np.ndarray) and values.ndim == 1:
        return values
    items = list(values)
    if items and all(isinstance(item, (bool, int, float, np.number, np.bool_)) for item in items):
        return np.array(items)
    if items and all(isinstance(item, str) for item in items):
        return np.array(items)
    return objects(items)


def objects(values: Sequence[Any]) -> np.ndarray:
    """Return an object array, in which numbers and strings keep their types."""
    # The None keeps NumPy from creating a 2D array if all lists have the same length.
    return np.array([*values, None], dtype=object)[:-1]


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value


def _is_missing(value: Any) -> bool:
    return value is None or (isinstance(value, (float, np.floating)) and bool(np.isnan(value)))


def _is_numeric(values: np.ndarray) -> bool:
    """Return whether a column has numbers only, besides missing values."""
    if values.dtype != object:
        return values.dtype.kind in "iuf"
    numbers = [value for value in values if value is not None]
    return bool(numbers) and all(
        isinstance(value, (int, float, np.number)) and not isinstance(value, bool)
        for value in numbers
    )


def _cells(values: np.ndarray, fewer: int = 0) -> list[str]:
    """Return a column as text; numbers have common decimals, reduced by `fewer`."""
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
    decimals = max(decimals - fewer, 0)
    return ["-" if np.isnan(number) else f"{number:.{decimals}f}" for number in numbers]
