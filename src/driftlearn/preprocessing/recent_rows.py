"""Sample of recent rows, with which explanations compare a row."""

from typing import Any, ClassVar

import numpy as np

from driftlearn.io import schema
from driftlearn.utils.arguments import Self

SIZE = 64  # the standard error of a mean of probabilities is at most 0.5 / sqrt(64) = 0.06
HORIZON = 10_000  # rows over which the sample is spread
MOST_ROWS = 2**62
GAMMA = 0x9E3779B97F4A7C15  # constants of the generator SplitMix64
MIXERS = ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB))


class RecentRows:
    """Sample of about the last 10,000 rows, in the order in which they replaced earlier ones.

    Every row is stored with probability ``64 / n`` for n rows so far, but at least 64 / 10,000, in
    a random place. The random numbers follow from the number of the row, so the sample does not
    depend on how rows are split into calls. It is immutable: `with_rows` returns a new one.

    Attributes
    ----------
    rows : ndarray of shape (at most 64, d)
        The sample.
    n_rows : int
        Number of rows so far.
    """

    STATE: ClassVar[dict[str, schema.Field]] = {
        "rows": schema.floats(None, None, finite=False),
        "n_rows": schema.integer(0, MOST_ROWS),
    }

    def __init__(self) -> None:
        self.rows = np.zeros((0, 0))
        self.n_rows = 0

    @staticmethod
    def check_state(state: dict[str, Any]) -> None:
        """Raise InvalidStateError unless the number of stored rows is possible."""
        if len(state["rows"]) != min(state["n_rows"], SIZE):
            raise schema.InvalidStateError("a sample has another number of rows than it has seen")

    def with_rows(self, X: Any) -> Self:
        """Return the sample after more rows; rows that are not numbers are not sampled."""
        if not isinstance(X, np.ndarray) or X.dtype.kind not in "biuf" or X.ndim != 2:
            return self
        known = object.__new__(type(self))
        known.n_rows, known.rows = self.n_rows + len(X), self.rows
        numbers = np.arange(self.n_rows, known.n_rows)
        chance = SIZE / np.clip(numbers + 1, SIZE, HORIZON)
        random = _random(numbers)
        stored = np.flatnonzero((random >> np.uint64(11)) * 2.0**-53 < chance)
        if not len(stored):
            return known
        n_known = len(self.rows)
        places = numbers[stored]
        replaced = (_random(random[stored]) % np.uint64(SIZE)).astype(np.intp)
        places = np.where(places < SIZE, places, replaced)
        known.rows = np.empty((min(known.n_rows, SIZE), X.shape[1]))
        known.rows[:n_known] = self.rows.reshape(n_known, X.shape[1])
        # the last of several rows for a place remains, as if they had come one by one
        newest = dict(zip(places.tolist(), stored.tolist()))
        known.rows[[*newest]] = X[[*newest.values()]]
        return known


def _random(numbers: Any) -> Any:
    """Return a random 64-bit number for each number (SplitMix64)."""
    with np.errstate(over="ignore"):
        z = (numbers.astype(np.uint64) + np.uint64(1)) * np.uint64(GAMMA)
        for shift, factor in MIXERS:
            z = (z ^ (z >> np.uint64(shift))) * np.uint64(factor)
        return z ^ (z >> np.uint64(31))
