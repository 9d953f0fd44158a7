"""Slices of rows between which other threads can run."""

import time
from collections.abc import Iterator

from driftlearn.ops.checkpoint.chunks import SliceSize

LEAST, MOST = 25, 1_000  # rows of a slice


class TimeSlices:
    """Cuts rows into slices that take about the same CPU time.

    Parameters
    ----------
    short, long : float
        CPU seconds; see `SliceSize`.
    """

    def __init__(self, short: float, long: float):
        self._size = SliceSize(LEAST, MOST, short, long)

    def over(self, n: int) -> Iterator[tuple[int, int]]:
        """Yield begin and end of slices of n rows; the caller's work on each one is timed."""
        end = 0
        while end < n:
            begin, end = end, min(end + self._size.rows, n)
            started = time.thread_time()
            yield begin, end
            self._size.adapt(time.thread_time() - started)
