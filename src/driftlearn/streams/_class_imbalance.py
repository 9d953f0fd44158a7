"""Streams whose classes are as frequent as one likes, and not always so."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from driftlearn.streams._generated import BLOCK, GeneratedStream
from driftlearn.streams._stream import Span, Stream
from driftlearn.streams._transitions import Transitions
from driftlearn.streams._wrappers import Wrapper
from driftlearn.utils.typing import Floats, Ints, Rows

MOST_DRAWS = 1_000  # of a block each, for the rows of one block: a class rarer than that is absent


class ClassImbalance(Wrapper):
    """A generated stream whose classes come in given ratios, which may change.

    The class of each row is drawn first, by the ratio in force; then rows of the stream at this
    position are drawn until one has that class. So only the shares of the classes change, and
    neither the concepts nor where they change.

    Parameters
    ----------
    stream : GeneratedStream
        The stream. `RandomRows` makes one of recorded rows.
    ratios : sequence of sequences of float, default=((1, 10),)
        Ratios of the classes in the order of `classes`, one after another: ``((1, 10), (10, 1))``
        makes the first class rare and later the second.
    drift_at : sequence of int, default=()
        Rows at which the next ratio begins, or begins to come in.
    width : int, default=0
        Rows in which the shares of the classes go linearly to the next ones; 0 is a jump.
    random_state : int, default=None
        Seed, also of the stream; None takes the stream's.

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
                f"{stream!r} is no generated stream, from which further rows of a class can be "
                "drawn; rows of recorded data are drawn at random by RandomRows(...)"
            )
        if any(np.ndim(ratio) != 1 for ratio in ratios):
            raise ValueError(f"ratios is a list of ratios, as ((1, 10),); got {ratios!r}")
        self.ratios = tuple(tuple(ratio) for ratio in ratios)
        for ratio in self.ratios:
            if len(ratio) != len(self.classes) or min(ratio) < 0 or not 0 < sum(ratio) < np.inf:
                raise ValueError(
                    f"a ratio has {len(self.classes)} numbers, one a class, that are not negative "
                    f"and not all zero; got {ratio!r}"
                )
        self._transitions = Transitions(drift_at, width, self.n_rows)
        self.drift_at, self.width = self._transitions.drift_at, self._transitions.width
        if len(self.ratios) != len(self.drift_at) + 1:
            raise ValueError(
                f"there must be one ratio more than drift_at has rows, {len(self.drift_at) + 1}; "
                f"got {len(self.ratios)}"
            )

    @property
    def drift_spans(self) -> list[Span]:
        """The changes of the stream and those of the ratio, sorted."""
        every = {*self.stream.drift_spans, *self._transitions.spans}
        return sorted(every, key=lambda span: (span[0], span[1] or 0))

    def shares(self, rows: Ints) -> Floats:
        """Tell how frequent each class is at each row."""
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
            f"the class {wanted[missing[0]]} does not occur at row {rows[missing[0]]} of "
            f"{self.stream!r}, so that no ratio can make it more frequent"
        )
