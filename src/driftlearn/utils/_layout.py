"""Columns of text side by side that fit a width, of which nothing is lost without a word."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from itertools import zip_longest

LEAST = 12  # signs of a name by which it can still be told
GAP = "  "
#: A piece of a line: what it says, and whether it stands out.
Piece = tuple[str, bool]


@dataclass(frozen=True)
class Column:
    """A column as text, and what it may become where there is little room.

    Attributes
    ----------
    title : str
        Its heading.
    cells : sequence of str
        What stands below.
    right : bool
        Whether it is of numbers, which stand to the right and are never folded.
    marked : collection of int
        The rows that stand out.
    short : str
        A narrower heading; the same, if there is none.
    fewer : sequence of str
        The cells with fewer decimals; the same, if there are none.
    cut : bool
        Whether long cells end in "…" rather than going on in another line.
    """

    title: str
    cells: Sequence[str]
    right: bool = False
    marked: Collection[int] = ()
    short: str = ""
    fewer: Sequence[str] = ()
    cut: bool = False

    def narrower(self, decimals: bool) -> Column:
        """Return it with the shorter heading, and with fewer decimals if that is asked for."""
        cells = self.fewer if decimals and self.fewer else self.cells
        return Column(self.short or self.title, cells, self.right, self.marked, cut=self.cut)


def lay_out(
    columns: Sequence[Column], width: int | None = None, stars: bool = False
) -> tuple[list[list[Piece]], list[str]]:
    """Return the lines of a table, and the headings of the columns for which there is no room.

    Headings stand out, as marked cells do.

    Headings are folded first, then they and the names get narrower, then numbers have fewer
    decimals; only then the last columns are left out, for the caller to tell.

    Parameters
    ----------
    columns : sequence of Column
        At least one; the first is never left out.
    width : int, optional
        Signs of a line; as many as there are, if nobody says.
    stars : bool
        Follow cells that stand out by a star, where no other way to mark them is seen.

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
        if width is None or _whole(widths) <= width:
            return _lines(shown, widths, stars), []
    kept = len(columns)
    while kept > 2 and _whole(_widths(shown[:kept], width, True, stars)) > (width or 0):
        kept -= 1
    widths = _widths(shown[:kept], width, True, stars)
    return _lines(shown[:kept], widths, stars), [column.title for column in columns[kept:]]


def fold(text: str, width: int) -> list[str]:
    """Cut a text into lines of at most so many signs, after a sign between words if there is one.

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


def _whole(widths: Sequence[int]) -> int:
    return sum(widths) + len(GAP) * (len(widths) - 1)


def _widths(columns: Sequence[Column], width: int | None, folded: bool, stars: bool) -> list[int]:
    """Return how wide each column is.

    Where they are folded, texts give way, the widest first: those that may be cut, then the others.
    """
    widths = []
    for column in columns:
        body = max(map(len, column.cells), default=0)
        words = [len(word) for word in re.findall(r"[^\s-]+-?", column.title)]
        title = min(max(words, default=0), LEAST) if folded else len(column.title)
        widths.append(max(body, title) + _star(column, stars))
    for cut in (True, False) if folded else ():
        texts = [k for k, c in enumerate(columns) if not c.right and c.cut == cut]
        while _whole(widths) > (width or 0) and any(widths[k] > LEAST for k in texts):
            widths[max(texts, key=lambda k: widths[k])] -= 1
    return widths


def _star(column: Column, stars: bool) -> bool:
    return stars and bool(column.marked)


def _lines(columns: Sequence[Column], widths: Sequence[int], stars: bool) -> list[list[Piece]]:
    spaced = [_star(column, stars) for column in columns]
    heads = [
        fold(column.title, width - star) for column, width, star in zip(columns, widths, spaced)
    ]
    lines = _side_by_side(columns, widths, heads, [True] * len(columns), spaced)
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
    spaced: Sequence[bool] = (),
) -> list[list[Piece]]:
    """Return the lines of one row, the cells of which have lines of their own."""
    lines = []
    for texts in zip_longest(*blocks, fillvalue=""):
        line: list[Piece] = []
        for k, (column, text, width) in enumerate(zip(columns, texts, widths)):
            if spaced and spaced[k]:
                text += " "  # below it stand stars
            blank = " " * (width - len(text))
            before, after = (blank, "") if column.right else ("", blank)
            line += [(GAP * bool(k) + before, False), (text, marked[k])]
            line += [(after, False)]
        lines.append(_stripped(line))
    return lines


def _stripped(line: list[Piece]) -> list[Piece]:
    """Leave out the blanks at the end of a line."""
    while line and not line[-1][0].strip():
        line = line[:-1]
    return [*line[:-1], (line[-1][0].rstrip(), line[-1][1])] if line else line
