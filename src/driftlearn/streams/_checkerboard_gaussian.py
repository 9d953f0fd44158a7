"""Generators of data sets: rotating checkerboard and Gaussian classes."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import sin
from typing import Any

import numpy as np

from driftlearn.streams._stream import TEST, TRAIN, DataSetStream, Span
from driftlearn.utils import arguments
from driftlearn.utils.arguments import Floats, Labels, Rows, Self

FULL = 2 * np.pi
#: Number of stops of a pulsing board during a full turn.
N_PULSES = 4
#: Position of the board at step t of n, in steps of a board that turns at constant speed.
TURNED: dict[str, Callable[[int, int], float]] = {
    "constant": lambda t, n: t,
    "rising": lambda t, n: t * t / n,
    "falling": lambda t, n: t * (2 - t / n),
    "pulsing": lambda t, n: t - n * sin(FULL * N_PULSES * t / n) / (FULL * N_PULSES),
}
_UNTIL_D3 = ((10, 0, 0, 500), (10, 500, 0, 500), (10, 500, 500, 500))
UDNC_COUNTS = {"1": (*_UNTIL_D3, (10, 500, 10, 500)), "2": (*_UNTIL_D3, (10, 500, 0, 500))}


@dataclass(repr=False, eq=False)
class Checkerboard(DataSetStream):
    """Rotating checkerboard, seen through a fixed window.

    ``x ~ U[0, 1]^2`` is rotated by the angle of the time step, and the class is the color of its
    square. Every time step is one chunk with the same number of rows of both classes. The board is
    symmetric under half a turn, so the concepts of the first half recur in the second.

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
    _positive = ("n_steps", "per_class")
    # With a side above 0.5, one of the classes might not occur.
    _ranges = {"side": "(0, 0.5]", "feature_noise": "[0, inf)"}
    n_steps: int = 700
    per_class: int = 50
    side: float = 0.5
    feature_noise: float = 0.01
    rate: str = "constant"
    random_state: int | None = None

    def __post_init__(self) -> None:
        self._check_params()
        arguments.choose("rate", self.rate, TURNED)
        self.chunk_size = 2 * self.per_class
        self.sizes = (self.chunk_size,) * self.n_steps
        self.n_rows = sum(self.sizes)
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
        step = arguments.check_integer("step", step, 0, self.n_steps - 1)
        ticks = np.linspace(0, 1, arguments.check_positive("side", side))
        X = np.stack(np.meshgrid(ticks, ticks), axis=-1).reshape(-1, 2)
        return X, self.label(X, self._angle(step))

    def test_set(self, row: int, n: int | None = None, random_state: int | None = None) -> Rows:
        """Return the grid of `grid_test` for the step of `row`, or `n` random points."""
        step = self._number(row)
        if n is None:
            return self.grid_test(step)
        X = self._rng(TEST, row, random_state).random((arguments.check_positive("n", n), 2))
        return X, self.label(X, self._angle(step))

    def _angle(self, step: int) -> float:
        last = max(self.n_steps - 1, 1)
        return FULL * TURNED[self.rate](step, last) / last

    def _dataset(self, k: int) -> Rows:
        rng = self._rng(TRAIN, k)
        X = np.empty((0, 2))
        y = np.empty(0, dtype=np.int64)
        while min(np.sum(y == 1), np.sum(y == 2)) < self.per_class:
            more = rng.random((8 * self.per_class, 2))
            X = np.concatenate([X, more])
            y = np.concatenate([y, self.label(more, self._angle(k))])
        chosen = np.sort(np.concatenate([np.flatnonzero(y == c)[: self.per_class] for c in (1, 2)]))
        return X[chosen] + rng.normal(0, self.feature_noise, (len(chosen), 2)), y[chosen]


@dataclass(repr=False, eq=False)
class GaussianClasses(DataSetStream):
    """Data sets of isotropic Gaussian classes with given class counts.

    The class distributions are fixed; only the number of rows of each class changes from data set
    to data set, and may be 0. The defaults are experiment 1 of the Learn++.UDNC paper: class 1 is
    always rare, classes 2 and 3 appear late, and class 3 nearly disappears again.

    Parameters
    ----------
    counts : sequence of sequence of int, default=experiment 1 of the paper
        Number of rows of each class, one sequence per data set.
    means : sequence of sequence of float, default=((0, 0), (1, 1), (-1, 0), (1, -1))
        Mean of each class.
    sds : sequence of float, default=(0.387, 0.35, 0.35, 0.35)
        Standard deviation of each class, equal in all directions. The values in the paper are
        illegible; with the defaults the Bayes classifier has an accuracy of 92.9 %, compared with
        93.1 % in the paper.
    labels : sequence, default=None
        Class labels in ascending order; None numbers the classes from 1.
    test_per_class : int, default=200
        Default number of rows of each class in a test set.
    random_state : int, default=None
        Seed; None draws a random seed once, at construction.

    Notes
    -----
    A test set contains equal numbers of all classes, including classes that have not occurred yet.

    References
    ----------
    .. [1] G. Ditzler, M. D. Muhlbaier and R. Polikar, "Incremental learning of new classes in
       unbalanced datasets: Learn++.UDNC", MCS 2010.

    Examples
    --------
    >>> from driftlearn.streams import GaussianClasses
    >>> stream = GaussianClasses.udnc(experiment=2, random_state=0)
    >>> [len(batch.y) for batch in stream]
    [510, 1010, 1510, 1010]
    >>> X, y = stream.test_set(row=0)
    >>> nearest = ((X[:, None] - np.array(stream.means)) ** 2).sum(2).argmin(1) + 1
    >>> round(float((nearest == y).mean()), 2)
    0.93
    """

    name = "gaussian"
    _positive = ("test_per_class",)
    counts: Sequence[Sequence[int]] = UDNC_COUNTS["1"]
    means: Sequence[Sequence[float]] = ((0, 0), (1, 1), (-1, 0), (1, -1))
    sds: Sequence[float] = (0.387, 0.35, 0.35, 0.35)
    labels: Sequence[Any] | None = None
    test_per_class: int = 200
    random_state: int | None = None

    def __post_init__(self) -> None:
        self.counts = tuple(tuple(int(n) for n in row) for row in self.counts)
        self.means = tuple(tuple(float(m) for m in mean) for mean in self.means)
        self.sds = tuple(float(sd) for sd in self.sds)
        self._check_params()
        k = len(self.means)
        self.classes = np.arange(1, k + 1) if self.labels is None else np.asarray(self.labels)
        wrong = [row for row in self.counts if len(row) != k or min(row) < 0 or sum(row) == 0]
        if wrong or not self.counts:
            wanted = f"{k} nonnegative numbers for each data set, one per class and not all 0"
            raise arguments.invalid("counts", wanted, wrong[0] if wrong else self.counts)
        if len(self.sds) != k or min(self.sds) < 0:
            raise arguments.invalid("sds", f"{k} nonnegative numbers, one per class", self.sds)
        if len({len(mean) for mean in self.means}) != 1:
            raise arguments.invalid("means", "sequences of the same length", self.means)
        if len(self.classes) != k or np.any(self.classes[:-1] >= self.classes[1:]):
            raise arguments.invalid("labels", f"{k} labels in ascending order", self.labels)
        self.sizes = tuple(sum(row) for row in self.counts)
        self.n_rows = sum(self.sizes)
        self.n_features = len(self.means[0])
        self.feature_names = [f"x{j + 1}" for j in range(self.n_features)]

    @classmethod
    def udnc(cls, experiment: int = 1, random_state: int | None = None) -> Self:
        """Return experiment 1 or 2 of the paper: class 3 is rare or absent in the last data set."""
        counts = arguments.choose("experiment", str(experiment), UDNC_COUNTS)
        return cls(counts, random_state=random_state)

    def test_set(self, row: int, n: int | None = None, random_state: int | None = None) -> Rows:
        """Draw rows of all classes in equal numbers; see `Stream.test_set`."""
        k = len(self.classes)
        n = k * self.test_per_class if n is None else arguments.check_positive("n", n)
        rng = self._rng(TEST, self._check_row(row), random_state)
        return self._draw(rng, [(n + c) // k for c in reversed(range(k))])

    def _dataset(self, k: int) -> Rows:
        return self._draw(self._rng(TRAIN, k), self.counts[k])

    def _draw(self, rng: np.random.Generator, counts: Sequence[int]) -> Rows:
        c = rng.permutation(np.repeat(np.arange(len(self.classes)), counts))
        noise = rng.normal(size=(len(c), self.n_features)) * np.asarray(self.sds)[c, None]
        return np.asarray(self.means)[c] + noise, self.classes[c]
