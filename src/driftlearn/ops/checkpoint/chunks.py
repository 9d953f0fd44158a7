"""Batches of training rows: slices, chunks of rows, files or time spans."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from driftlearn.ops.checkpoint.inputs import TablePiece
from driftlearn.tables.files import Piece

SLICE = 2_000  # maximum rows per slice for learners that train row by row
FIRST_SLICE = 50  # rows of the first slice, and minimum for slow learners
# seconds per slice: the next slice is longer below SHORT and shorter above LONG
SHORT, LONG = 0.05, 0.5
SPANS = {"h": 3_600_000_000, "d": 86_400_000_000, "w": 604_800_000_000}  # in microseconds
# weeks begin on Mondays; the first Monday after the epoch was 5 January 1970
MONDAY = 4 * SPANS["d"]
NO_SPAN = np.iinfo(np.int64).max  # span number of rows without a time
BEFORE_ALL = np.iinfo(np.int64).min


class Part(NamedTuple):
    """Consecutive rows of one piece."""

    rows: TablePiece
    begin: int
    end: int

    @property
    def n(self) -> int:
        """Number of rows."""
        return self.end - self.begin

    @property
    def piece(self) -> Piece:
        """The piece."""
        return self.rows.piece

    @property
    def labels(self) -> list[str | None]:
        """The labels as strings; None for a missing label."""
        return self.rows.labels[self.begin : self.end]

    @property
    def keys(self) -> list[str | None]:
        """The keys as strings; None for a missing key."""
        return self.rows.keys[self.begin : self.end]

    @property
    def locations(self) -> Locations:
        """Origin of each row."""
        return Locations(self.rows, np.arange(self.begin, self.end))


class Locations(Sequence[Any]):
    """Sequence of [file, row, time] for rows of a piece, computed on access."""

    def __init__(self, rows: TablePiece, index: np.ndarray):
        self._rows, self._index = rows, index

    def __len__(self) -> int:
        return len(self._index)

    def __getitem__(self, i: Any) -> Any:
        if isinstance(i, slice):
            return Locations(self._rows, self._index[i])
        at, piece = int(self._index[i]), self._rows.piece
        return [piece.file, piece.row + at, self._rows.time_text(at)]


class SliceSize:
    """Number of rows to process between two interruptions, adapted to the training time.

    Parameters
    ----------
    least, most : int
        Bounds of the slice size, which starts at `least`.
    short, long : float
        Times in seconds. The size is doubled after a slice that takes less than `short` and halved
        after a slice that takes more than `long`.
    """

    def __init__(self, least: int, most: int, short: float, long: float):
        self.rows, self._bounds, self._seconds = least, (least, most), (short, long)

    def adapt(self, seconds: float) -> None:
        """Adapt the size to the processing time of the last slice."""
        (least, most), (short, long) = self._bounds, self._seconds
        if seconds < short:
            self.rows = min(2 * self.rows, most)
        elif seconds > long:
            self.rows = max(self.rows // 2, least)

    def over(self, n: int) -> Iterator[tuple[int, int]]:
        """Yield begin and end of each slice of n rows; adapt the size to its CPU time."""
        end = 0
        while end < n:
            begin, end = end, min(end + self.rows, n)
            started = time.thread_time()
            yield begin, end
            self.adapt(time.thread_time() - started)


class Chunker:
    """Splits rows into batches; the model is trained on one batch at a time.

    Parameters
    ----------
    chunk : int, str or None
        Number of rows in a chunk, ``"file"``, or None to train on single rows.
    every : str, optional
        Time span of a chunk, such as ``"1d"``.
    done : int, optional
        Number of rows read in earlier runs, if results depend on where slices end. Slices then end
        at multiples of 2000 rows, in a resumed run as in an uninterrupted run.

    Attributes
    ----------
    pending : list of Part
        Rows of the incomplete batch.
    size : SliceSize
        Size of the slices.
    n_late : int
        Number of rows that arrived after the end of their time span; reset by the caller.
    """

    def __init__(self, chunk: int | str | None, every: str | None, done: int | None = None):
        self.chunk, self.every, self.done = chunk, every, done
        self.size = SliceSize(min(FIRST_SLICE, SLICE), SLICE, SHORT, LONG)
        self.pending: list[Part] = []
        self.n_late = 0
        self._newest = BEFORE_ALL  # number of the newest time span

    def cut(self, rows: TablePiece) -> Iterator[list[Part]]:
        """Add a piece; yield the batches that are complete."""
        for begin, end, is_complete in self._cuts(rows, rows.piece.n_rows):
            self.pending.append(Part(rows, begin, end))
            if self.done is not None:
                self.done += end - begin
            if is_complete:
                yield self.rest()
        has_rows = any(part.n for part in self.pending)
        if self.pending and (not has_rows or (rows.piece.is_last and self.chunk == "file")):
            yield self.rest()

    def rest(self) -> list[Part]:
        """Remove and return the pending rows."""
        parts, self.pending = self.pending, []
        return parts

    def _cuts(self, rows: TablePiece, n: int) -> Iterator[tuple[int, int, bool]]:
        """Yield begin and end of each part of a piece, and whether a batch ends there."""
        if not n or (self.every is None and self.chunk == "file"):
            yield 0, n, False
            return
        if self.every is not None:
            yield from self._spans(rows, n)
            return
        begin = 0
        while begin < n:
            if isinstance(self.chunk, int):
                size = self.chunk - sum(part.n for part in self.pending)
            else:
                size = self.size.rows if self.done is None else SLICE - self.done % SLICE
            end = min(begin + size, n)
            yield begin, end, self.chunk is None or end - begin == size
            begin = end

    def _spans(self, rows: TablePiece, n: int) -> Iterator[tuple[int, int, bool]]:
        """Start a new batch with each time span; late rows belong to the current span."""
        assert self.every is not None
        spans = span_numbers(rows.times(0, n), self.every)
        highest = np.maximum.accumulate(np.where(spans == NO_SPAN, BEFORE_ALL, spans))
        highest = np.maximum(highest, self._newest)
        self.n_late += int(((spans != NO_SPAN) & (spans < highest)).sum())
        first = highest[0] if self._newest == BEFORE_ALL else self._newest
        before = np.concatenate([[first], highest[:-1]])
        begin = 0
        for at in [*np.flatnonzero(highest != before).tolist(), n]:
            is_new = at < n
            if at > begin:
                yield begin, at, is_new
            elif is_new and any(part.n for part in self.pending):
                yield begin, begin, True
            begin = at
        self._newest = int(highest[-1])


def span_numbers(times: np.ndarray, every: str) -> np.ndarray:
    """Return the number of the time span that contains each time.

    Examples
    --------
    >>> times = np.array(["2024-01-31T23:00", "2024-02-01T00:00", "NaT"], dtype="datetime64[us]")
    >>> (np.diff(span_numbers(times, "1d")[:2]), np.diff(span_numbers(times, "1mo")[:2]))
    (array([1]), array([1]))
    """
    n, unit = parse_span(every)
    if unit == "mo":
        numbers = times.astype("datetime64[M]").astype(np.int64) // n
    else:
        shift = MONDAY if unit == "w" else 0
        numbers = (times.astype(np.int64) - shift) // (n * SPANS[unit])
    return np.where(np.isnat(times), NO_SPAN, numbers)


def parse_span(every: str) -> tuple[int, str]:
    """Return number and unit of a time span; raise ValueError if it is invalid."""
    found = re.fullmatch(r"([1-9]\d{0,5})(h|d|w|mo)", every.strip())
    if found is None:
        raise ValueError(f"Invalid --every {every!r}: expected a time span, e.g. 1h, 1d or 1mo.")
    return int(found[1]), found[2]
