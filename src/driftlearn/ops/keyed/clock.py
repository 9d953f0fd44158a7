"""Stream time, in rows or from a time column, which determines the idle keys."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Any

import numpy as np

BLOCK = 1_000  # number of rows whose median time is the stream time
TICKS = 64  # precision: the age of a key is measured to within 1/64 of the span
UNITS = {"s": 1, "min": 60, "h": 3_600, "d": 86_400, "w": 604_800}
NO_TIME = np.iinfo(np.int64).min


class Clock:
    """Stream clock that determines which keys are idle, independently of the system clock.

    If keys expire after a number of rows, a key is idle once its last row is more than `idle` rows
    old. If keys expire after a time span, the stream time is the median time of the last thousand
    rows. It is updated after every thousand rows, so a few outlying times have no effect. The age
    of a key is measured to within 1/64 of the span. A key is represented by the row number of its
    last row.

    Parameters
    ----------
    idle : int or None
        Number of rows or microseconds without a row after which a key is idle; None for never.
    by_time : bool
        Whether `idle` is a time span rather than a number of rows.

    Attributes
    ----------
    n_rows : int
        Number of rows in the stream so far.
    oldest : int
        Keys whose last row has a lower number are currently idle.
    ahead : int or None
        A time so far ahead of the others that it would have made every key idle; None if there was
        no such time.
    """

    def __init__(self, idle: int | None, by_time: bool):
        self.idle, self.by_time = idle, by_time
        self.n_rows = self.oldest = 0
        self.ahead: int | None = None
        self._block: list[int] = []
        self._ticks: list[list[int]] = []

    def advance(self, n: int, times: np.ndarray | None) -> np.ndarray:
        """For each of the next rows, return the row number below which a key counts as idle.

        Parameters
        ----------
        n : int
            Number of rows.
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
                self._close_block(begin + end)
            done = end
        return oldest

    def _close_block(self, n_rows: int) -> None:
        """Update the stream time after a thousand rows; it is unchanged if they have no times."""
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
        """Return the state as JSON values."""
        return {"rows": self.n_rows, "oldest": self.oldest, "block": self._block,
                "ticks": self._ticks}  # fmt: skip

    @classmethod
    def from_state(cls, idle: int | None, by_time: bool, state: dict[str, Any]) -> Clock:
        """Return the clock with a state returned by `state`."""
        clock = cls(idle, by_time)
        clock.n_rows, clock.oldest = state["rows"], state["oldest"]
        clock._block, clock._ticks = [*state["block"]], [[*tick] for tick in state["ticks"]]
        return clock


def parse_idle(idle: Any) -> tuple[int, bool]:
    """Return (number of rows, False) or (number of microseconds, True).

    Examples
    --------
    >>> parse_idle("1000000"), parse_idle("12h")
    ((1000000, False), (43200000000, True))
    """
    if isinstance(idle, timedelta | np.timedelta64):
        span = int(np.timedelta64(idle, "us").astype(np.int64))
        if span > 0:
            return span, True
    text = str(idle).replace("_", "").replace(",", "").strip()
    found = re.fullmatch(r"([1-9]\d{0,11})(s|min|h|d|w)?", text)
    if found is None or isinstance(idle, bool):
        raise ValueError(
            "The 'idle' parameter must be a number of rows, e.g. 1000000, or a time span, e.g. "
            f"12h, 30d or 8w. Got {idle!r:.50} instead."
        )
    if found[2] is None:
        return int(found[1]), False
    return int(found[1]) * UNITS[found[2]] * 1_000_000, True
