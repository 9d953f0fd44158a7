"""Rotating hyperplane generator."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import ClassVar

import numpy as np

from driftlearn.streams._generated import MODEL, OneConcept
from driftlearn.streams._stream import Span
from driftlearn.utils.arguments import check_positive
from driftlearn.utils.typing import Floats, Ints, Rows


class Hyperplane(OneConcept):
    """Rotating hyperplane generator: two classes separated by a hyperplane with moving weights.

    ``x ~ U[0, 1]^d``; class 1 if ``w1 x1 + ... + wd xd >= (w1 + ... + wd) / 2``, else 0, so that
    both classes are equally frequent. With every row the first `n_moving` weights change by
    `magnitude`, up or down. After every `segment` rows each of them reverses its direction with
    probability `sigma`.

    Parameters
    ----------
    n_features : int, default=10
        Number of features.
    n_moving : int, default=None
        Number of weights that move; None moves all.
    magnitude : float, default=0.001
        Change of a weight per row; 0 gives a static hyperplane.
    sigma : float, default=0.1
        Probability that a weight reverses its direction.
    segment : int, default=1_000
        Number of rows after which weights may reverse their direction.
    weights : sequence of float, default=None
        Weights at the first row; None draws them from U[0, 1]. Incremental transitions of
        `Drifting` can change them.
    n_rows : int, default=1_000_000
        Number of rows.
    chunk_size : int, default=1_000
        Default number of rows of a chunk and of a test set.
    random_state : int, default=None
        Seed; None draws a random seed once, at construction.

    References
    ----------
    .. [1] G. Hulten, L. Spencer and P. Domingos, "Mining time-changing data streams", KDD 2001.
    .. [2] H. Wang, W. Fan, P. S. Yu and J. Han, "Mining concept-drifting data streams using
       ensemble classifiers", KDD 2003.

    Examples
    --------
    >>> from driftlearn.streams import Hyperplane
    >>> stream = Hyperplane(n_features=3, n_moving=2, weights=(0.5, 0.5, 0.5), random_state=0)
    >>> np.round(np.abs(stream.concept_at(100) - stream.concept_at(0)), 6).tolist()
    [0.1, 0.1, 0.0]
    """

    name = "hyperplane"
    movable: ClassVar[tuple[str, ...]] = ("weights",)
    n_rows: int

    def __init__(
        self,
        n_features: int = 10,
        n_moving: int | None = None,
        magnitude: float = 0.001,
        sigma: float = 0.1,
        segment: int = 1_000,
        weights: Sequence[float] | None = None,
        n_rows: int = 1_000_000,
        chunk_size: int = 1_000,
        random_state: int | None = None,
    ) -> None:
        super().__init__(check_positive("n_rows", n_rows), chunk_size, random_state)
        self.n_features = check_positive("n_features", n_features)
        self.n_moving = n_moving
        self.magnitude = float(magnitude)
        self.sigma = float(sigma)
        self.segment = check_positive("segment", segment)
        if n_moving is not None and not 0 <= n_moving <= n_features:
            raise ValueError(
                f"The 'n_moving' parameter must be an int in the range [0, {n_features}]. "
                f"Got {n_moving!r} instead."
            )
        if not 0 <= self.magnitude < np.inf:
            raise ValueError(
                "The 'magnitude' parameter must be a float in the range [0, inf). "
                f"Got {magnitude!r} instead."
            )
        if not 0 <= self.sigma <= 1:
            raise ValueError(
                f"The 'sigma' parameter must be a float in the range [0, 1]. Got {sigma!r} instead."
            )
        self._given = {"weights": None if weights is None else tuple(map(float, weights))}
        first = self._rng(MODEL).random(n_features)
        self.weights: Floats = first if weights is None else np.array(weights, dtype=np.float64)
        if self.weights.shape != (n_features,):
            raise ValueError(f"'weights' must be {n_features} numbers. Got {weights!r} instead.")
        self.classes = np.arange(2)
        self.feature_names = [f"x{j + 1}" for j in range(n_features)]

    @property
    def drift_spans(self) -> list[Span]:
        """A single span over all rows, or none if the weights are static."""
        return [(0, self.n_rows)] if self.magnitude and self.n_moving != 0 else []

    def concept_at(self, row: int) -> Floats:
        """Return the weights at a row."""
        return self.weights + self._moved(np.array([self._check_row(row)]))[0]

    @cached_property
    def _walk(self) -> tuple[Floats, Floats]:
        """Displacement of the weights at the start of each segment, and their change per row."""
        rng = self._rng(MODEL, 1)
        n = -(-self.n_rows // self.segment)
        step: Floats = np.where(rng.random((n, self.n_features)) < self.sigma, -1.0, 1.0)
        step[0] = np.where(rng.random(self.n_features) < 0.5, -1.0, 1.0)
        step = np.cumprod(step, axis=0, dtype=np.float64) * self.magnitude
        step[:, self.n_features if self.n_moving is None else self.n_moving :] = 0.0
        return (np.cumsum(step, axis=0) - step) * self.segment, step

    def _moved(self, rows: Ints) -> Floats:
        start, step = self._walk
        segment = np.minimum(rows // self.segment, len(step) - 1)
        return start[segment] + (rows - segment * self.segment)[:, None] * step[segment]

    def _draw(self, rng: np.random.Generator, rows: Ints) -> Rows:
        X = rng.random((len(rows), self.n_features))
        weights = self.weights + self._moved(rows) if self.drift_spans else self.weights
        return X, (np.sum((X - 0.5) * weights, axis=1) >= 0).astype(np.int64)
