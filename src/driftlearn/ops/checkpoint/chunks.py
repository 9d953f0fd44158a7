"""Which rows are learned together: slices of rows, chunks of rows, files, spans of time."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from driftlearn.ops.checkpoint.tables import TablePiece
from driftlearn.ops.sources.piece import Piece

SLICE = 2_000  # rows that are handed over at a time, at most, where rows are learned one by one
FIRST_SLICE = 50  # at first, and for learners that take long
SHORT, LONG = 0.05, 0.5  # seconds: slices that take less become longer, and shorter if more
SPANS = {"h": 3_600_000_000, "d": 86_400_000_000, "w": 604_800_000_000}  # microseconds
MONDAY = 4 * SPANS["d"]  # weeks begin on Mondays: the fifth of January 1970 was one


class Part(NamedTuple):
    """Rows of a piece, from one up to another."""

    prepared: TablePiece
    begin: int
    end: int

    @property
    def piece(self) -> Piece:
        """The piece."""
        return self.prepared.piece


class Chunker:
    """Cuts rows into what is learned at once.

    Parameters
    ----------
    chunk : int, str or None
        Rows of a chunk, ``"file"``, or None for rows one by one.
    every : str, optional
        A span of time, as ``"1d"``.
    done : int, optional
        Rows that were read before, where it matters which rows are a slice: slices end at multiples
        of 2000 then, so that a run that goes on has those of one that was not disturbed.

    Attributes
    ----------
    pending : list of Part
        Rows of a chunk that is not complete.
    n_late : int
        How many rows came after the end of their span since this was last set to 0.
    """

    def __init__(self, chunk: int | str | None, every: str | None, done: int | None = None):
        self.chunk, self.every, self.done = chunk, every, done
        self._size = min(FIRST_SLICE, SLICE)
        self.pending: list[Part] = []
        self.n_late = 0
        self._newest: int | None = None

    def cut(self, prepared: TablePiece) -> Iterator[list[Part]]:
        """Take a piece; yield the units that are complete."""
        n = prepared.piece.n_rows
        if not n:
            self.pending.append(Part(prepared, 0, 0))
        for begin, end, whole in self._cuts(prepared, n):
            self.pending.append(Part(prepared, begin, end))
            if self.done is not None:
                self.done += end - begin
            if whole:
                yield self.rest()
        has_rows = any(part.end > part.begin for part in self.pending)
        if self.pending and (not has_rows or (prepared.piece.is_last and self.chunk == "file")):
            yield self.rest()

    def took(self, seconds: float) -> None:
        """Take note of how long a unit took, so that Ctrl-C never waits for long."""
        if seconds < SHORT:
            self._size = min(2 * self._size, SLICE)
        elif seconds > LONG:
            self._size = max(self._size // 2, FIRST_SLICE)

    def rest(self) -> list[Part]:
        """Return the rows that are pending, however few."""
        parts, self.pending = self.pending, []
        return parts

    def _cuts(self, prepared: TablePiece, n: int) -> Iterator[tuple[int, int, bool]]:
        if not n:
            return
        if self.every is not None:
            yield from self._spans(prepared, n)
            return
        if self.chunk == "file":
            yield 0, n, False
            return
        begin = 0
        while begin < n:
            if isinstance(self.chunk, int):
                size = self.chunk - sum(part.end - part.begin for part in self.pending)
            else:
                size = self._size if self.done is None else SLICE - self.done % SLICE
            end = min(begin + size, n)
            yield begin, end, self.chunk is None or end - begin == size
            begin = end

    def _spans(self, prepared: TablePiece, n: int) -> Iterator[tuple[int, int, bool]]:
        """Cut where a new span of time begins; what is late belongs to the span under way."""
        assert self.every is not None
        spans = spans_of(prepared.times(0, n), self.every)
        begin = 0
        newest = self._newest
        highest = np.maximum.accumulate(np.where(spans == NONE, np.iinfo(np.int64).min, spans))
        if newest is not None:
            highest = np.maximum(highest, newest)
        self.n_late += int(((spans != NONE) & (spans < highest)).sum())
        before = np.concatenate([[highest[0] if newest is None else newest], highest[:-1]])
        for at in [*np.flatnonzero(highest != before).tolist(), n]:
            new = at < n
            if at > begin:
                yield begin, at, new
            elif new and any(part.end > part.begin for part in self.pending):
                yield begin, begin, True
            begin = at
        if highest[-1] > np.iinfo(np.int64).min:
            self._newest = int(highest[-1])


NONE = np.iinfo(np.int64).max  # the span of a row without a time


def spans_of(times: np.ndarray, every: str) -> np.ndarray:
    """Return the number of the span in which each time is.

    Examples
    --------
    >>> times = np.array(["2024-01-31T23:00", "2024-02-01T00:00", "NaT"], dtype="datetime64[us]")
    >>> (np.diff(spans_of(times, "1d")[:2]), np.diff(spans_of(times, "1mo")[:2]))
    (array([1]), array([1]))
    """
    n, unit = parsed(every)
    if unit == "mo":
        months = times.astype("datetime64[M]").astype(np.int64) // n
    else:
        shift = MONDAY if unit == "w" else 0
        months = (times.astype(np.int64) - shift) // (n * SPANS[unit])
    return np.where(np.isnat(times), NONE, months)


def parsed(every: str) -> tuple[int, str]:
    """Return the number and the unit of a span of time; raise ValueError if it is none."""
    found = re.fullmatch(r"([1-9]\d{0,5})(h|d|w|mo)", every.strip())
    if found is None:
        raise ValueError(f"--every is a span of time as 1h, 6h, 1d, 1w or 1mo; got {every!r}")
    return int(found[1]), found[2]


def locations(part: Part, rows: Any = None) -> Locations:
    """Return where the rows of a part were, or some of them."""
    at = np.arange(part.begin, part.end) if rows is None else part.begin + rows
    return Locations(part.prepared, at)


class Locations:
    """Where rows were, told when it is asked: [file, row, time] each."""

    def __init__(self, prepared: TablePiece, rows: np.ndarray):
        self._prepared, self._rows = prepared, rows

    def __len__(self) -> int:
        return len(self._rows)

    def __getitem__(self, i: Any) -> Any:
        if isinstance(i, slice):
            return Locations(self._prepared, self._rows[i])
        at = int(self._rows[i])
        piece = self._prepared.piece
        return [piece.file, piece.row + at, self._prepared.time_text(at)]

    def __iter__(self) -> Iterator[list[Any]]:
        return (self[i] for i in range(len(self)))
