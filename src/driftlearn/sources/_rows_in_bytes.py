"""Where rows end in the bytes of a CSV file."""

from __future__ import annotations

from collections.abc import Iterator
from typing import IO, NamedTuple

import numpy as np

BLOCK = 1 << 20  # bytes that are read at a time: some ten thousand rows
LARGEST = 64 << 20  # bytes of a row: one with more has a quotation mark that is never closed
NEWLINE, RETURN, QUOTE = 10, 13, 34


class Block(NamedTuple):
    """Whole rows of a file.

    Attributes
    ----------
    content : bytes
        Their bytes, ends of lines included.
    starts, ends : ndarray of int
        Where each row begins, and where the next one does; blank lines are no rows.
    lines : ndarray of int
        The number of lines that end in the block before each row.
    n_lines : int
        How many lines there are.
    is_open : bool
        Whether it is one line that opens a quotation which nothing closes.
    """

    content: bytes
    starts: np.ndarray
    ends: np.ndarray
    lines: np.ndarray
    n_lines: int
    is_open: bool = False


def blocks(source: IO[bytes], final: bool) -> Iterator[Block]:
    """Cut what is left of a source, which stands at the beginning of a row, into blocks of rows.

    Parameters
    ----------
    source : binary file
        Where to read.
    final : bool
        Whether a last line without an end is a row; if not it is left, as it may be half written.
    """
    left = b""
    while True:
        more = source.read(BLOCK)
        left += more
        quotes = left.count(b'"')
        if not more and left and (final or left.endswith(b"\n")) and quotes % 2 == 0:
            yield _block(left, len(left), quotes > 0)
            return
        end = _last_end(left, quotes > 0)
        if end:
            yield _block(left[:end], end, quotes > 0)
            left = left[end:]
        elif (not more and final and left) or len(left) > LARGEST:
            first = left.find(b"\n") + 1 or len(left)  # of the line that opens the quotation
            yield _block(left[:first], first, False)._replace(is_open=True)
            left = left[first:]
        elif not more:
            return
        if not more and not left:
            return


def _last_end(content: bytes, quoted: bool) -> int:
    """Return where the last whole row ends; 0 if there is none."""
    if not quoted:
        return content.rfind(b"\n") + 1
    newlines = _newlines(content, quoted=True)
    return int(newlines[-1]) + 1 if len(newlines) else 0


def _newlines(content: bytes, quoted: bool) -> np.ndarray:
    """Return where lines end, but for ends inside of quotation marks."""
    signs = np.frombuffer(content, dtype=np.uint8)
    newlines = np.flatnonzero(signs == NEWLINE)
    if not quoted:
        return newlines
    marks = np.flatnonzero(signs == QUOTE)
    return newlines[np.searchsorted(marks, newlines) % 2 == 0]


def _block(content: bytes, end: int, quoted: bool) -> Block:
    signs = np.frombuffer(content, dtype=np.uint8)
    ends = _newlines(content, quoted) + 1
    if not len(ends) or ends[-1] < end:
        ends = np.append(ends, end)
    starts = np.concatenate([[0], ends[:-1]])
    size = ends - starts
    blank = (signs[starts] == NEWLINE) | ((signs[starts] == RETURN) & (size <= 2))
    starts, ends = starts[~blank], ends[~blank]
    every = np.flatnonzero(signs == NEWLINE)
    n_lines = len(every) + (signs[-1] != NEWLINE)
    return Block(content, starts, ends, np.searchsorted(every, starts), int(n_lines))
