"""Rows are learned slice after slice, so that readers have their turn in between."""

from __future__ import annotations

import time
from collections.abc import Iterator

LEAST, MOST = 25, 1_000  # rows of a slice: at first and least, at most


class TimeSlices:
    """How many rows are learned without a look at other threads: as many as take some time.

    Parameters
    ----------
    short, long : float
        CPU seconds: slices that take less become longer, and those that take more shorter.
    """

    def __init__(self, short: float, long: float):
        self._short, self._long, self._rows = short, long, LEAST

    def over(self, n: int) -> Iterator[tuple[int, int]]:
        """Yield begin and end of slices of n rows; what is done with one is timed.

        Parameters
        ----------
        n : int
            How many rows there are.
        """
        done = 0
        while done < n:
            end = min(done + self._rows, n)
            begun = time.thread_time()
            yield done, end
            took = time.thread_time() - begun
            if took < self._short:
                self._rows = min(2 * self._rows, MOST)
            elif took > self._long:
                self._rows = max(self._rows // 2, LEAST)
            done = end
