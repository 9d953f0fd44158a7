"""Layout of text columns in a limited width."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from itertools import zip_longest

LEAST = 12  # minimum width of a text column, in characters
GAP = "  "
#: Segment of a line: its text, and whether it is highlighted.
Piece = tuple[str, bool]


@dataclass(frozen=True)
class Column:
    """Column of text, with narrower variants.

    Attributes
    ----------
    title : str
        Heading.
    cells : sequence of str
        Texts below the heading.
    right : bool
        Whether the column has numbers, which are aligned to the right and never folded.
    marked : collection of int
        Highlighted rows.
    short : str
        Narrower heading, if any.
    fewer : sequence of str
        Cells with fewer decimals, if any.
    cut : bool
        Whether long cells end in "…" instead of continuing on another line.
    """

    title: str
    cells: Sequence[str]
    right: bool = False
    marked: Collection[int] = ()
    short: str = ""
    fewer: Sequence[str] = ()
    cut: bool = False

    def narrower(self, decimals: bool) -> Column:
        """Return the column with its short heading, and optionally with fewer decimals."""
        cells = self.fewer if decimals and self.fewer else self.cells
        return Column(self.short or self.title, cells, self.right, self.marked, cut=self.cut)


def lay_out(
    columns: Sequence[Column], width: int | None = None, stars: bool = False
) -> tuple[list[list[Piece]], list[str]]:
    """Return the lines of a table, and the headings of the columns that do not fit.

    Headings and marked cells are highlighted. If the table is too wide, headings are folded, then
    short headings are used, then fewer decimals; only then are the last columns left out.

    Parameters
    ----------
    columns : sequence of Column
        At least one; the first is never left out.
    width : int, optional
        Characters per line; unlimited by default.
    stars : bool
        Whether to mark highlighted cells with a star, for output without styles.

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
    """Split a text into lines of limited width, if possible after a separator.

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

    With `folded`, the widest text columns are narrowed: first those that may be cut, then others.
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
