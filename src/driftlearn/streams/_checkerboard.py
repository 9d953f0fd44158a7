"""Rotating checkerboard of the Learn++.NSE paper."""

from __future__ import annotations

from collections.abc import Callable
from math import sin

import numpy as np

from driftlearn.streams._data_set_stream import DataSetStream
from driftlearn.streams._generated import TEST, TRAIN
from driftlearn.streams._stream import Span
from driftlearn.utils.arguments import check_positive, check_seed, choose
from driftlearn.utils.typing import Floats, Labels, Rows

FULL = 2 * np.pi
#: Number of times that a pulsing board stops during a full turn.
N_PULSES = 4
#: Position of the board at step t of 0 to n, in steps of a board that turns at constant speed.
TURNED: dict[str, Callable[[int, int], float]] = {
    "constant": lambda t, n: t,
    "rising": lambda t, n: t * t / n,
    "falling": lambda t, n: t * (2 - t / n),
    "pulsing": lambda t, n: t - n * sin(FULL * N_PULSES * t / n) / (FULL * N_PULSES),
}


class Checkerboard(DataSetStream):
    """Rotating checkerboard, seen through a fixed window.

    ``x ~ U[0, 1]^2`` is rotated by the angle of the time step, and the class is the color of its
    square. Every time step is one chunk with the same number of rows of both classes. The board is
    symmetric under half a turn, so that the concepts of the first half recur in the second.

    Parameters
    ----------
    n_steps : int, default=700
        Number of time steps of the full turn. With a constant rate, step ``t`` in
        ``0 .. n_steps - 1`` has the angle ``2 pi t / (n_steps - 1)``.
    per_class : int, default=50
        Number of rows of each class per step.
    side : float, default=0.5
        Side length of a square.
    feature_noise : float, default=0.01
        Standard deviation of the normal noise added to the features of training rows.
    rate : {"constant", "rising", "falling", "pulsing"}, default="constant"
        Change of the rotation speed: constant, rising from 0 to twice the mean, falling from twice
        the mean to 0, or pulsing between both four times. The mean speed is always the same.
    random_state : int, default=None
        Seed; None draws a random seed once, at construction.

    References
    ----------
    .. [1] L. I. Kuncheva, "Combining Pattern Classifiers", Wiley 2004.
    .. [2] M. Karnick, M. D. Muhlbaier and R. Polikar, "Incremental learning in non-stationary
       environments with concept drift using a multiple classifier based approach", ICPR 2008.

    Examples
    --------
    >>> from driftlearn.streams import Checkerboard
    >>> stream = Checkerboard(n_steps=200, random_state=0)
    >>> first = next(iter(stream))
    >>> len(first.y), int((first.y == 1).sum())
    (100, 50)
    >>> X, y = stream.test_set(row=0)
    >>> X.shape
    (2601, 2)
    """

    name = "checkerboard"
    n_features = 2

    def __init__(
        self,
        n_steps: int = 700,
        per_class: int = 50,
        side: float = 0.5,
        feature_noise: float = 0.01,
        rate: str = "constant",
        random_state: int | None = None,
    ) -> None:
        self.n_steps = check_positive("n_steps", n_steps)
        self.per_class = check_positive("per_class", per_class)
        self.side = float(side)
        self.feature_noise = float(feature_noise)
        self.rate = rate
        self.random_state = check_seed(random_state)
        choose("rate", rate, TURNED)
        if not 0 < self.side <= 0.5:
            raise ValueError(
                "The 'side' parameter must be a float in the range (0, 0.5], so that both classes "
                f"occur. Got {side!r} instead."
            )
        if self.feature_noise < 0:
            raise ValueError(
                "The 'feature_noise' parameter must be a float in the range [0, inf). "
                f"Got {feature_noise!r} instead."
            )
        self.sizes = (2 * self.per_class,) * self.n_steps
        self.n_rows = sum(self.sizes)
        self.chunk_size = 2 * self.per_class
        self.classes = np.array([1, 2])
        self.feature_names = ["x1", "x2"]

    @property
    def drift_spans(self) -> list[Span]:
        """A single span: the board turns from the first row to the last."""
        return [(0, self.n_rows)]

    def concept_at(self, row: int) -> float:
        """Return the angle in force at a row, in radians."""
        return self._angle(self._number(row))

    def label(self, X: Floats, angle: float) -> Labels:
        """Return the class of each point on a board rotated by `angle`."""
        x1, x2 = np.asarray(X, dtype=np.float64).T
        u1 = x1 * np.cos(angle) - x2 * np.sin(angle)
        u2 = x1 * np.sin(angle) + x2 * np.cos(angle)
        parity = (np.ceil(u1 / self.side) + np.floor(u2 / self.side)) % 2
        return np.where(parity == 0, 2, 1)

    def grid_test(self, step: int, side: int = 51) -> Rows:
        """Return a grid of ``side`` x ``side`` points with the labels of time step `step`."""
        if not 0 <= step < self.n_steps:
            raise ValueError(
                f"'step' must be an int in the range [0, {self.n_steps - 1}]. Got {step} instead."
            )
        ticks = np.linspace(0, 1, check_positive("side", side))
        X = np.stack(np.meshgrid(ticks, ticks), axis=-1).reshape(-1, 2)
        return X, self.label(X, self._angle(step))

    def test_set(self, row: int, n: int | None = None, random_state: int | None = None) -> Rows:
        """Return the grid of `grid_test` for the step of `row`, or `n` random points."""
        step = self._number(row)
        if n is None:
            return self.grid_test(step)
        seed = self.random_state if random_state is None else check_seed(random_state)
        X = np.random.default_rng([seed, row, TEST]).random((check_positive("n", n), 2))
        return X, self.label(X, self._angle(step))

    def _angle(self, step: int) -> float:
        last = max(self.n_steps - 1, 1)
        return FULL * TURNED[self.rate](step, last) / last

    def _dataset(self, k: int) -> Rows:
        rng = np.random.default_rng([self.random_state, k, TRAIN])
        X = np.empty((0, 2))
        y = np.empty(0, dtype=np.int64)
        while min(np.sum(y == 1), np.sum(y == 2)) < self.per_class:
            more = rng.random((8 * self.per_class, 2))
            X = np.concatenate([X, more])
            y = np.concatenate([y, self.label(more, self._angle(k))])
        kept = np.sort(np.concatenate([np.flatnonzero(y == c)[: self.per_class] for c in (1, 2)]))
        return X[kept] + rng.normal(0, self.feature_noise, (len(kept), 2)), y[kept]
