"""Table of columns for results, without pandas, and its layout in a limited width."""

from __future__ import annotations

import csv
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from io import StringIO
from itertools import zip_longest
from pathlib import Path
from typing import Any, overload

import numpy as np

from driftlearn.utils.optional import needed
from driftlearn.utils.safe_text import in_csv, printable

LEAST = 12  # minimum width of a text column, in characters
GAP = "  "
#: Segment of a line: its text, and whether it is highlighted.
Piece = tuple[str, bool]


@dataclass(frozen=True)
class Column:
    """Text column with narrower variants.

    Attributes
    ----------
    title : str
        Heading.
    cells : sequence of str
        Cell texts below the heading.
    right : bool
        Whether the column contains numbers, which are right-aligned and never folded.
    marked : collection of int
        Highlighted rows.
    short : str
        Narrower heading; may be empty.
    fewer : sequence of str
        Cells with fewer decimals; may be empty.
    cut : bool
        Whether long cells are truncated with "…" instead of continuing on another line.
    """

    title: str
    cells: Sequence[str]
    right: bool = False
    marked: Collection[int] = ()
    short: str = ""
    fewer: Sequence[str] = ()
    cut: bool = False

    def narrower(self, decimals: bool) -> Column:
        """Return the column with the short heading, optionally with fewer decimals."""
        cells = self.fewer if decimals and self.fewer else self.cells
        return Column(self.short or self.title, cells, self.right, self.marked, cut=self.cut)


def lay_out(
    columns: Sequence[Column], width: int | None = None, stars: bool = False
) -> tuple[list[list[Piece]], list[str]]:
    """Return the lines of a table, and the headings of omitted columns.

    Headings and marked cells are highlighted. If the table is too wide, headings are folded, then
    short headings are used, then fewer decimals. If it is still too wide, the last columns are
    omitted.

    Parameters
    ----------
    columns : sequence of Column
        One or more columns; the first column is never omitted.
    width : int, optional
        Characters per line; unlimited by default.
    stars : bool
        Whether to mark highlighted cells with an asterisk, for output without styles.

    Examples
    --------
    >>> wide = Column("balanced accuracy", ["0.9123"], True, fewer=["0.912"])
    >>> lines, left_out = lay_out([Column("learner", ["learn++.nse"]), wide], 21)
    >>> for line in lines:
    ...     print("".join(text for text, _ in line))
    learner      balanced
                 accuracy
    learn++.nse    0.9123
    """
    tried = [(columns, False)]
    if width is not None:
        tried += [(columns, True)]
        tried += [([column.narrower(less) for column in columns], True) for less in (False, True)]
    for shown, folded in tried:
        widths = _widths(shown, width, folded, stars)
        if width is None or _total_width(widths) <= width:
            return _lines(shown, widths, stars), []
    kept = len(columns)
    while kept > 2 and _total_width(_widths(shown[:kept], width, True, stars)) > (width or 0):
        kept -= 1
    widths = _widths(shown[:kept], width, True, stars)
    return _lines(shown[:kept], widths, stars), [column.title for column in columns[kept:]]


def fold(text: str, width: int) -> list[str]:
    """Split text into lines of limited width, preferably after separators.

    Examples
    --------
    >>> fold("learn++.nse:slope=0.5,estimator=cart", 16)
    ['learn++.nse:', 'slope=0.5,', 'estimator=cart']
    """
    lines = []
    while len(text) > width:
        breaks = [found.end() for found in re.finditer(r"[\s,:=_/()-]", text[:width])]
        at = breaks[-1] if breaks else width
        lines.append(text[:at].rstrip())
        text = text[at:].lstrip()
    return [*lines, text]


def _total_width(widths: Sequence[int]) -> int:
    return sum(widths) + len(GAP) * (len(widths) - 1)


def _widths(columns: Sequence[Column], width: int | None, folded: bool, stars: bool) -> list[int]:
    """Return the width of each column.

    With `folded`, the widest text columns are narrowed, first those that may be truncated.
    """
    widths = []
    for column in columns:
        body = max(map(len, column.cells), default=0)
        words = [len(word) for word in re.findall(r"[^\s-]+-?", column.title)]
        title = min(max(words, default=0), LEAST) if folded else len(column.title)
        widths.append(max(body, title) + _star(column, stars))
    for cut in (True, False) if folded else ():
        texts = [k for k, c in enumerate(columns) if not c.right and c.cut == cut]
        while _total_width(widths) > (width or 0) and any(widths[k] > LEAST for k in texts):
            widths[max(texts, key=lambda k: widths[k])] -= 1
    return widths


def _star(column: Column, stars: bool) -> bool:
    return stars and bool(column.marked)


def _lines(columns: Sequence[Column], widths: Sequence[int], stars: bool) -> list[list[Piece]]:
    starred = [_star(column, stars) for column in columns]
    heads = [  # a blank aligns headings with cells that may have a star
        [text + " " * star for text in fold(column.title, width - star)]
        for column, width, star in zip(columns, widths, starred)
    ]
    lines = _side_by_side(columns, widths, heads, [True] * len(columns))
    for i in range(len(columns[0].cells)):
        cells = [_cell(column, i, width, stars) for column, width in zip(columns, widths)]
        lines += _side_by_side(columns, widths, cells, [i in c.marked for c in columns])
    return lines


def _cell(column: Column, i: int, width: int, stars: bool) -> list[str]:
    text = column.cells[i]
    if _star(column, stars):
        text += "*" if i in column.marked else " "
    if column.cut and len(text) > width:
        return [text[: width - 1] + "…"]
    return [text] if column.right else fold(text, width)


def _side_by_side(
    columns: Sequence[Column],
    widths: Sequence[int],
    blocks: Iterable[list[str]],
    marked: Sequence[bool],
) -> list[list[Piece]]:
    """Return the lines of a row whose cells may have several lines."""
    lines = []
    for texts in zip_longest(*blocks, fillvalue=""):
        line: list[Piece] = []
        for k, (column, text, width) in enumerate(zip(columns, texts, widths)):
            blank = " " * (width - len(text))
            before, after = (blank, "") if column.right else ("", blank)
            line += [(GAP * bool(k) + before, False), (text, marked[k]), (after, False)]
        while line and not line[-1][0].strip():
            line.pop()
        if line:
            line[-1] = line[-1][0].rstrip(), line[-1][1]
        lines.append(line)
    return lines


MOST_ROWS = 60  # maximum rows in `repr`: about two screens
NOTEBOOK_ROWS = 20  # maximum rows in a notebook
MOST_COLUMNS = 24  # maximum columns in a notebook
MOST_SIGNS = 80  # maximum characters of a cell in a notebook


class Table:
    """Table of columns of equal length.

    `members_`, results and reports are tables, but pandas is optional. A table can be printed,
    sliced, iterated over, sorted and converted to pandas. The `repr` of a long table shows its
    first and last rows.

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
        """Return a table of the rows at these positions, with their marks."""
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

        Strings that a spreadsheet would interpret as a formula (they begin with ``=``, ``+``, ``-``
        or ``@`` and are not numbers) are prefixed with an apostrophe.
        """
        from driftlearn.utils.atomic_files import atomic_write

        text = StringIO(newline="")
        writer = csv.writer(text)
        writer.writerow(map(in_csv, self.columns))
        for row in self:
            writer.writerow("" if _is_missing(v) else in_csv(v) for v in row.values())
        atomic_write(path, text.getvalue().encode("utf-8", "backslashreplace"))

    def text(self, width: int | None = None, cut: Collection[str] = ()) -> str:
        """Format all rows as a string.

        Parameters
        ----------
        width : int, optional
            Characters per line. If the table is wider, names are folded, then numbers get fewer
            decimals, then the last columns are omitted and listed in an additional line.
        cut : collection of str
            Columns whose long cells are truncated with "…" instead of continuing on another line.
        """
        if not self._columns:
            return "Table({})"
        lines, left_out = lay_out(self.laid(cut), width, stars=True)
        text = ["".join(piece for piece, _ in line) for line in lines]
        return "\n".join([*text, *([f"… left out: {', '.join(left_out)}"] if left_out else [])])

    def laid(self, cut: Collection[str] = ()) -> list[Column]:
        """Return the columns as strings for `lay_out`."""
        found = []
        for name, values in self._columns.items():
            number, marked = _is_numeric(values), self.marked.get(name, ())
            cells, fewer = _cells(values), _cells(values, 1) if number else ()
            head, is_cut = printable(name), name in cut
            found.append(Column(head, cells, number, marked, fewer=fewer, cut=is_cut))
        return found

    def __repr__(self) -> str:
        top, bottom = self._ends(MOST_ROWS)
        if bottom is None:
            return self.text()
        head, *lines = (self._taken([*top, *bottom])).text().splitlines()
        lines.insert(len(top), f"… {len(self) - len(top) - len(bottom):,} more rows …")
        return "\n".join([head, *lines])

    def _ends(self, most: int) -> tuple[range, range | None]:
        """Return the rows to show: all rows, or equal numbers of the first and last rows."""
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
                for heading, inserted in (more or {}).items():
                    columns[escape(heading)] = side, [inserted[i] for i in rows]
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
    """Return a one-dimensional array of numbers or strings, or of objects for mixed values."""
    if isinstance(values, np.ndarray) and values.ndim == 1:
        return values
    items = list(values)
    for kinds in (bool, int, float, np.number, np.bool_), (str,):
        if items and all(isinstance(item, kinds) for item in items):
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
    """Return whether a column contains only numbers and missing values."""
    if values.dtype != object:
        return values.dtype.kind in "iuf"
    numbers = [value for value in values if value is not None]
    return bool(numbers) and all(
        isinstance(value, (int, float, np.number)) and not isinstance(value, bool)
        for value in numbers
    )


def _cells(values: np.ndarray, fewer: int = 0) -> list[str]:
    """Format a column; numbers have the same number of decimals, reduced by `fewer`."""
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
