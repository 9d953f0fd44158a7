"""Where rows end in the bytes of a CSV file."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple, Protocol

import numpy as np

BLOCK = 1 << 20  # bytes that are read at a time: some ten thousand rows
LARGEST = 64 << 20  # bytes of a row: one with more has a quotation mark that is never closed
NEWLINE, RETURN, QUOTE = 10, 13, 34
SEPARATORS = b",;\t|"  # where it is not known yet which it is


class Readable(Protocol):
    """What bytes can be read of."""

    def read(self, n: int, /) -> bytes:
        """Return up to `n` bytes; none at the end."""


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


def blocks(source: Readable, final: bool, sep: bytes = SEPARATORS) -> Iterator[Block]:
    """Cut what is left of a source, which stands at the beginning of a row, into blocks of rows.

    Parameters
    ----------
    source : binary file
        Where to read.
    final : bool
        Whether a last line without an end is a row; if not it is left, as it may be half written.
    sep : bytes
        What separates fields: a quotation mark that does not follow one of these is a sign like
        any other, as in ``5" disk``.
    """
    left = b""
    while True:
        more = source.read(BLOCK)
        left += more
        newlines, is_open = _newlines(left, sep)
        if not more and left and (final or left.endswith(b"\n")) and not is_open:
            yield _block(left, newlines)
            return
        end = int(newlines[-1]) + 1 if len(newlines) else 0
        if end:
            yield _block(left[:end], newlines)
            left = left[end:]
        elif (not more and final and left) or len(left) > LARGEST:
            first = left.find(b"\n") + 1 or len(left)  # of the line that opens the quotation
            yield _block(left[:first], np.zeros(0, dtype=np.intp))._replace(is_open=True)
            left = left[first:]
        elif not more:
            return
        if not more and not left:
            return


def _newlines(content: bytes, sep: bytes) -> tuple[np.ndarray, bool]:
    """Return where lines end, but for ends inside of a quotation, and whether one is open."""
    signs = np.frombuffer(content, dtype=np.uint8)
    newlines = np.flatnonzero(signs == NEWLINE)
    marks = np.flatnonzero(signs == QUOTE) if b'"' in content else newlines[:0]
    if not len(marks):
        return newlines, False
    begins = np.isin(signs[marks - 1], [*sep, NEWLINE, RETURN]) | (marks == 0)
    opening = np.arange(len(marks)) % 2 == 0
    doubled = np.append(False, np.diff(marks) == 1)
    if not (begins | doubled)[opening].all():  # some are signs like any other: go one by one
        marks = _quotations(marks.tolist(), begins.tolist())
    inside = np.searchsorted(marks, newlines) % 2 == 1
    return newlines[~inside], len(marks) % 2 == 1


def _quotations(marks: list[int], begins: list[bool]) -> np.ndarray:
    """Return those quotation marks that open and close, in turn."""
    found: list[int] = []
    k = 0
    while k < len(marks):
        if len(found) % 2 == 0:
            if begins[k]:
                found.append(marks[k])
        elif k + 1 < len(marks) and marks[k + 1] == marks[k] + 1:
            k += 1  # doubled, it stands for itself
        else:
            found.append(marks[k])
        k += 1
    return np.array(found, dtype=np.intp)


def _block(content: bytes, newlines: np.ndarray) -> Block:
    signs = np.frombuffer(content, dtype=np.uint8)
    ends = newlines + 1
    if not len(ends) or ends[-1] < len(content):
        ends = np.append(ends, len(content))
    starts = np.concatenate([[0], ends[:-1]])
    size = ends - starts
    blank = (signs[starts] == NEWLINE) | ((signs[starts] == RETURN) & (size <= 2))
    starts, ends = starts[~blank], ends[~blank]
    every = np.flatnonzero(signs == NEWLINE)
    n_lines = len(every) + (signs[-1] != NEWLINE)
    return Block(content, starts, ends, np.searchsorted(every, starts), int(n_lines))
