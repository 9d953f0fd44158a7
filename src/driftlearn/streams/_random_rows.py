"""Recorded rows as a concept: drawn at random."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from driftlearn.streams._generated import GeneratedStream
from driftlearn.streams._recorded import TableStream
from driftlearn.utils.arguments import check_positive, check_seed
from driftlearn.utils.typing import Ints, Rows


class RandomRows(GeneratedStream):
    """Rows of a recorded stream, drawn at random with replacement: a concept that stands still.

    What was an order in time is gone, so that recorded rows can be a concept of `Drifting`, and
    their classes made rare by `ClassImbalance`. Test sets are drawn from the rows that were held
    out of the recording.

    Parameters
    ----------
    stream : TableStream
        Recorded rows in memory, as `load`, `from_arrays` and `from_frame` give them, without known
        changes.
    n_rows : int or None, default=100_000
        Rows of this stream; None is unlimited.
    random_state : int, default=None
        Seed, also of the choice of held out rows; None takes the stream's.

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
            raise ValueError(f"RandomRows takes recorded rows that are in memory; got {stream!r}")
        if stream.drifts:
            raise ValueError(
                f"{stream!r} changes at row {stream.drifts[0]}; RandomRows would mix its concepts"
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
