"""Random sampling from recorded rows."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from driftlearn.streams._generated import GeneratedStream
from driftlearn.streams._recorded import TableStream
from driftlearn.utils.arguments import check_positive, check_seed
from driftlearn.utils.typing import Ints, Rows


class RandomRows(GeneratedStream):
    """Rows of a recorded stream, drawn at random with replacement.

    Without their order in time, recorded rows form a stationary concept that `Drifting` and
    `ClassImbalance` can use. Test sets are drawn from the held-out rows of the recorded stream.

    Parameters
    ----------
    stream : TableStream
        Recorded rows in memory without known drifts, as returned by `load`, `from_arrays` and
        `from_frame`.
    n_rows : int or None, default=100_000
        Number of rows of this stream; None means unlimited.
    random_state : int, default=None
        Seed, also for the choice of held-out rows; None uses the seed of the stream.

    Examples
    --------
    >>> from driftlearn.streams import ClassImbalance, RandomRows, load
    >>> wine = RandomRows(load("wine", holdout=40), n_rows=1_000, random_state=0)
    >>> rare = ClassImbalance(wine, ((1, 1, 8),))
    >>> [int((rare.take(1_000)[1] == label).sum()) for label in rare.classes]
    [89, 104, 807]
    """

    name = "random-rows"

    def __init__(
        self,
        stream: TableStream,
        n_rows: int | None = 100_000,
        random_state: int | None = None,
    ) -> None:
        if not isinstance(stream, TableStream):
            raise ValueError(
                "The 'stream' parameter of RandomRows must be a recorded stream in memory. "
                f"Got {stream!r} instead."
            )
        if stream.drifts:
            raise ValueError(
                f"{stream!r} has a drift at row {stream.drifts[0]}. RandomRows would mix its "
                "concepts; use a stream without known drifts."
            )
        self.random_state = check_seed(
            stream.random_state if random_state is None else random_state
        )
        self.stream = stream._seeded(self.random_state)
        self.n_rows = None if n_rows is None else check_positive("n_rows", n_rows)
        self.n_features = stream.n_features
        self.feature_names = stream.feature_names
        self.classes = stream.classes
        self.chunk_size = stream.chunk_size

    @cached_property
    def _streamed(self) -> Rows:
        assert isinstance(self.stream, TableStream)
        return self.stream.arrays()

    @cached_property
    def _held(self) -> Rows:
        return self.stream.test_set(0)

    def _sample(self, rng: np.random.Generator, rows: Ints, test: bool) -> Rows:
        X, y = self._held if test else self._streamed
        drawn = rng.integers(len(y), size=len(rows))
        return X[drawn], y[drawn]
