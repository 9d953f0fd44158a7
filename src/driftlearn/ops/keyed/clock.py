"""When a key was last seen: by rows of the stream, or by the time that most of its rows tell."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Any

import numpy as np

BLOCK = 1_000  # rows whose median is the time of the stream
TICKS = 64  # of the time for which a key may be idle: how exactly that is kept
SPANS = {"s": 1, "min": 60, "h": 3_600, "d": 86_400, "w": 604_800}
NO_TIME = np.iinfo(np.int64).min


class Clock:
    """Which keys are idle, with no clock of the machine.

    A key is known by the number of its last row in the stream. Where keys expire by rows, those
    are idle whose last row is more than so many rows ago. Where they expire by a column of times,
    the time of the stream is the median time of the last thousand rows, from one multiple of a
    thousand rows to the next: a few rows whose time is far ahead, or far behind, change nothing.
    What was seen before a thousand ended is as old as that thousand's time, to a 64th of the span.

    Parameters
    ----------
    idle : int or None
        For how many rows, or microseconds, a key may be idle; None for ever.
    by_time : bool
        Whether that is a time.

    Attributes
    ----------
    n_rows : int
        Rows of the stream.
    oldest : int
        Keys whose last row has a lower number are idle now.
    ahead : int or None
        A time that was so far ahead of the others that all keys would have been idle, if any.
    """

    def __init__(self, idle: int | None, by_time: bool):
        self.idle, self.by_time = idle, by_time
        self.n_rows = self.oldest = 0
        self.ahead: int | None = None
        self._block: list[int] = []
        self._ticks: list[list[int]] = []

    def pass_rows(self, n: int, times: np.ndarray | None) -> np.ndarray:
        """Return for each of the next rows the number below which keys were idle when it came.

        Parameters
        ----------
        n : int
            How many rows come.
        times : ndarray of datetime64, optional
            Their times, NaT where there is none.
        """
        begin, self.n_rows = self.n_rows, self.n_rows + n
        if self.idle is None:
            return np.zeros(n, dtype=np.int64)
        if not self.by_time:
            self.oldest = max(0, self.n_rows - self.idle)
            return np.arange(begin, begin + n) - self.idle
        assert times is not None
        values = times.astype("datetime64[us]").astype(np.int64)
        oldest = np.empty(n, dtype=np.int64)
        done = 0
        while done < n:
            end = min(n, done + BLOCK - (begin + done) % BLOCK)
            oldest[done:end] = self.oldest
            self._block += [t for t in values[done:end].tolist() if t != NO_TIME]
            if (begin + end) % BLOCK == 0:
                self._turn(begin + end)
            done = end
        return oldest

    def _turn(self, n_rows: int) -> None:
        """End a thousand rows; those without any time leave all as it was."""
        assert self.idle is not None
        block, self._block = sorted(self._block), []
        if not block:
            return
        now = block[(len(block) - 1) // 2]
        if block[-1] - now > self.idle:
            self.ahead = block[-1]
        if not self._ticks or now - self._ticks[-1][1] >= self.idle / TICKS:
            self._ticks.append([n_rows, now])
        while now - self._ticks[0][1] > self.idle:
            self.oldest = self._ticks.pop(0)[0]

    def state(self) -> dict[str, Any]:
        """Return it as JSON knows values."""
        return {"rows": self.n_rows, "oldest": self.oldest, "block": self._block,
                "ticks": self._ticks}  # fmt: skip

    @classmethod
    def of(cls, idle: int | None, by_time: bool, state: dict[str, Any]) -> Clock:
        """Return the clock whose state this was."""
        clock = cls(idle, by_time)
        clock.n_rows, clock.oldest = state["rows"], state["oldest"]
        clock._block, clock._ticks = [*state["block"]], [[*tick] for tick in state["ticks"]]
        return clock


def idle_of(given: Any) -> tuple[int, bool]:
    """Return how long a key may be idle, and whether that is a time, in microseconds, or rows.

    Examples
    --------
    >>> idle_of("1000000"), idle_of("12h")
    ((1000000, False), (43200000000, True))
    """
    if isinstance(given, timedelta | np.timedelta64):
        span = int(np.timedelta64(given, "us").astype(np.int64))
        if span > 0:
            return span, True
    text = str(given).replace("_", "").replace(",", "").strip()
    found = re.fullmatch(r"([1-9]\d{0,11})(s|min|h|d|w)?", text)
    if found is None or isinstance(given, bool):
        raise ValueError(
            f"idle is a number of rows of the stream, as 1000000, or a span of time, as 12h, 30d "
            f"or 8w; got {given!r:.50}"
        )
    if found[2] is None:
        return int(found[1]), False
    return int(found[1]) * SPANS[found[2]] * 1_000_000, True
