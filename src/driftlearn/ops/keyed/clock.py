"""The time of a stream: in rows, or by a column of times; it decides which keys are idle."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Any

import numpy as np

BLOCK = 1_000  # rows whose median is the time of the stream
TICKS = 64  # precision: an idle key is recognized to a 64th of the span
UNITS = {"s": 1, "min": 60, "h": 3_600, "d": 86_400, "w": 604_800}
NO_TIME = np.iinfo(np.int64).min


class Clock:
    """Tells which keys are idle, without a clock of the machine.

    A key is represented by the number of its last row in the stream. If keys expire by rows, those
    are idle whose last row is more than a number of rows ago. If they expire by a column of times,
    the time of the stream is the median time of the last thousand rows, updated at every multiple
    of a thousand rows: a few rows whose time is far ahead or far behind change nothing. Times are
    kept to a 64th of the span.

    Parameters
    ----------
    idle : int or None
        Number of rows or microseconds after which a key without a row is idle; None for never.
    by_time : bool
        Whether that is a time.

    Attributes
    ----------
    n_rows : int
        Rows of the stream.
    oldest : int
        Keys whose last row has a lower number are idle now.
    ahead : int or None
        A time so far ahead of the others that it would have made every key idle, if any.
    """

    def __init__(self, idle: int | None, by_time: bool):
        self.idle, self.by_time = idle, by_time
        self.n_rows = self.oldest = 0
        self.ahead: int | None = None
        self._block: list[int] = []
        self._ticks: list[list[int]] = []

    def advance(self, n: int, times: np.ndarray | None) -> np.ndarray:
        """Return for each of the next rows the number below which keys were idle at that row.

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
        """Update the time of the stream after a thousand rows; without any time it stays."""
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

    def resume(self, state: dict[str, Any]) -> None:
        """Continue with a state that `state` returned."""
        self.n_rows, self.oldest = state["rows"], state["oldest"]
        self._block, self._ticks = [*state["block"]], [[*tick] for tick in state["ticks"]]


def parse_idle(idle: Any) -> tuple[int, bool]:
    """Return a number of rows and False, or a number of microseconds and True.

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
