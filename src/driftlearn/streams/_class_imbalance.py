"""Streams with given and changing class ratios."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from driftlearn.streams._generated import BLOCK, GeneratedStream
from driftlearn.streams._stream import Span, Stream
from driftlearn.streams._transitions import Transitions
from driftlearn.streams._wrappers import Wrapper
from driftlearn.utils.typing import Floats, Ints, Rows

# Number of blocks drawn for the rows of one block; a class that occurs in none of them, about one
# million rows, counts as absent.
MOST_DRAWS = 1_000


class ClassImbalance(Wrapper):
    """Wrapper that gives the classes of a generated stream given ratios, which may drift.

    The class of each row is drawn first, by the current ratio; then rows of the stream at this
    position are drawn until one has that class. Only the class priors change; the concepts and the
    positions of their drifts remain the same.

    Parameters
    ----------
    stream : GeneratedStream
        The stream. Use `RandomRows` for recorded rows.
    ratios : sequence of sequences of float, default=((1, 10),)
        Consecutive ratios of the classes in the order of `classes`: ``((1, 10), (10, 1))`` makes
        the first class rare, and later the second.
    drift_at : sequence of int, default=()
        Rows at which the change to the next ratio starts.
    width : int, default=0
        Number of rows over which class shares change linearly to the next ratio; 0 is abrupt.
    random_state : int, default=None
        Seed, also passed to the stream; None uses the seed of the stream.

    Examples
    --------
    >>> from driftlearn.streams import ClassImbalance, Sine
    >>> stream = ClassImbalance(Sine(), ((1, 9), (1, 1)), drift_at=(10_000,), random_state=0)
    >>> [round(float(stream.test_set(row, 10_000)[1].mean()), 2) for row in (0, 20_000)]
    [0.9, 0.5]
    """

    name = "class-imbalance"
    stream: GeneratedStream

    def __init__(
        self,
        stream: Stream,
        ratios: Sequence[Sequence[float]] = ((1, 10),),
        drift_at: Sequence[int] = (),
        width: int = 0,
        random_state: int | None = None,
    ) -> None:
        super().__init__(stream, random_state)
        if not stream._drawable:
            raise ValueError(
                "ClassImbalance needs a generated stream, from which additional rows of a class "
                f"can be drawn. Got {stream!r}. For recorded data, use RandomRows(...)."
            )
        if any(np.ndim(ratio) != 1 for ratio in ratios):
            raise ValueError(
                "The 'ratios' parameter must be a sequence of ratios, for example ((1, 10),). "
                f"Got {ratios!r} instead."
            )
        self.ratios = tuple(tuple(ratio) for ratio in ratios)
        for ratio in self.ratios:
            if len(ratio) != len(self.classes) or min(ratio) < 0 or not 0 < sum(ratio) < np.inf:
                raise ValueError(
                    f"A ratio must have {len(self.classes)} numbers, one per class, that are "
                    f"nonnegative and not all zero. Got {ratio!r} instead."
                )
        self._transitions = Transitions(drift_at, width, self.n_rows)
        self.drift_at, self.width = self._transitions.drift_at, self._transitions.width
        if len(self.ratios) != len(self.drift_at) + 1:
            raise ValueError(
                "The number of ratios must be the number of rows in 'drift_at' plus one: "
                f"{len(self.drift_at) + 1}. Got {len(self.ratios)} instead."
            )

    @property
    def drift_spans(self) -> list[Span]:
        """Drifts of the stream and changes of the ratio, sorted."""
        every = {*self.stream.drift_spans, *self._transitions.spans}
        return sorted(every, key=lambda span: (span[0], span[1] or 0))

    def shares(self, rows: Ints) -> Floats:
        """Return the share of each class at each row."""
        segment, share = self._transitions.at(rows)
        every = np.array(self.ratios, dtype=np.float64)
        every /= every.sum(axis=1, keepdims=True)
        part = share[:, None]
        return (1 - part) * every[np.maximum(segment - 1, 0)] + part * every[segment]

    def _sample(self, rng: np.random.Generator, rows: Ints, test: bool) -> Rows:
        bounds = np.cumsum(self.shares(rows)[:, :-1], axis=1)
        wanted = self.classes[np.sum(rng.random(len(rows))[:, None] >= bounds, axis=1)]
        X = np.empty((len(rows), self.n_features))
        y = np.empty(len(rows), dtype=self.classes.dtype)
        wanting = np.ones(len(rows), dtype=bool)
        # Each round draws 4 times as many candidates per missing row as the last one, up to a
        # block in all; the first candidate of the right class is used.
        for k in range(MOST_DRAWS):
            missing = np.flatnonzero(wanting)
            tries = np.repeat(missing, max(1, min(4**k, BLOCK // len(missing))))
            drawn_X, drawn_y = self.stream._sample(rng, rows[tries], test)
            fits = np.flatnonzero(drawn_y == wanted[tries])[::-1]
            X[tries[fits]], y[tries[fits]] = drawn_X[fits], drawn_y[fits]
            wanting[tries[fits]] = False
            if not wanting.any():
                return X, y
        raise ValueError(
            f"Class {wanted[missing[0]]} does not occur at row {rows[missing[0]]} of "
            f"{self.stream!r}: its ratio must be 0."
        )
