"""Random RBF generator with moving centroids."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from driftlearn.streams._generated import MODEL, GeneratedStream
from driftlearn.streams._stream import Span
from driftlearn.utils.arguments import check_positive, check_seed
from driftlearn.utils.typing import Floats, Ints, Rows


class RBF(GeneratedStream):
    """Random RBF generator with moving centroids.

    Each centroid has a random label, weight and standard deviation. A row belongs to a centroid
    chosen by the weights, and is displaced from it in a random direction by a normally distributed
    distance. With every row each centroid moves by `speed` in its own random direction, and is
    reflected at the walls of the unit cube.

    Parameters
    ----------
    n_rows : int or None, default=1_000_000
        Number of rows; None means unlimited.
    n_centroids : int, default=10
        Number of centroids.
    n_classes : int, default=2
        Number of classes; each has at least one centroid.
    n_features : int, default=10
        Number of features.
    speed : float, default=0.001
        Distance that a centroid moves per row.
    n_moving : int, default=None
        Number of centroids that move; None moves all.
    chunk_size : int, default=1_000
        Default number of rows of a chunk and of a test set.
    random_state : int, default=None
        Seed; None draws a random seed once, at construction.

    Notes
    -----
    A coordinate that moves at constant speed between two walls is a triangle wave of the row
    number, so that the centroids at any row are computed directly. The generator of MOA stops a
    centroid at the wall for the rest of the step, which differs by less than `speed`.

    References
    ----------
    .. [1] A. Bifet, G. Holmes, R. Kirkby and B. Pfahringer, "MOA: Massive online analysis", JMLR
       11, 2010.
    .. [2] M. Grbovic and S. Vucetic, "Tracking concept change with incremental boosting by
       minimization of the evolving exponential loss", ECML-PKDD 2011.

    Examples
    --------
    >>> from driftlearn.streams import RBF
    >>> stream = RBF(n_rows=None, random_state=0)
    >>> batch = next(stream.chunks(5, start=900_000))
    >>> batch.X.shape, batch.start
    ((5, 10), 900000)
    >>> moved = stream.concept_at(100) - stream.concept_at(0)
    >>> round(float(np.linalg.norm(moved[0])), 3)
    0.1
    """

    name = "rbf"

    def __init__(
        self,
        n_rows: int | None = 1_000_000,
        n_centroids: int = 10,
        n_classes: int = 2,
        n_features: int = 10,
        speed: float = 0.001,
        n_moving: int | None = None,
        chunk_size: int = 1_000,
        random_state: int | None = None,
    ) -> None:
        self.n_rows = None if n_rows is None else check_positive("n_rows", n_rows)
        self.n_centroids = check_positive("n_centroids", n_centroids)
        self.n_classes = check_positive("n_classes", n_classes)
        self.n_features = check_positive("n_features", n_features)
        self.speed = float(speed)
        self.n_moving = n_moving
        self.chunk_size = check_positive("chunk_size", chunk_size)
        self.random_state = check_seed(random_state)
        if n_classes > n_centroids:
            raise ValueError(
                f"'n_centroids' must be at least n_classes={n_classes}. Got {n_centroids} instead."
            )
        if self.speed < 0:
            raise ValueError(
                "The 'speed' parameter must be a float in the range [0, inf). "
                f"Got {speed!r} instead."
            )
        if n_moving is not None and not 0 <= n_moving <= n_centroids:
            raise ValueError(
                f"The 'n_moving' parameter must be an int in the range [0, {n_centroids}]. "
                f"Got {n_moving!r} instead."
            )
        self.classes = np.arange(n_classes)
        self.feature_names = [f"x{j + 1}" for j in range(n_features)]

    @property
    def drift_spans(self) -> list[Span]:
        """A single span over all rows, or none if the centroids are static."""
        return [(0, self.n_rows)] if self.speed and self.n_moving != 0 else []

    def concept_at(self, row: int) -> Floats:
        """Return the centroids at a row, one per line of the array."""
        start, velocity = self._model[:2]
        return _bounce(start + self._check_row(row) * velocity)

    @cached_property
    def _model(self) -> tuple[Floats, Floats, Ints, Floats, Floats]:
        """Starts, velocities, labels, standard deviations, cumulative weights of the centroids."""
        rng = self._rng(MODEL)
        k = self.n_centroids
        start = rng.random((k, self.n_features))
        velocity = self.speed * _unit(rng.uniform(-1, 1, (k, self.n_features)))
        velocity[k if self.n_moving is None else self.n_moving :] = 0.0
        labels = rng.integers(self.n_classes, size=k)
        labels[rng.permutation(k)[: self.n_classes]] = self.classes
        sds = rng.random(k)
        weights = np.cumsum(rng.random(k))
        return start, velocity, labels, sds, weights / weights[-1]

    def _draw(self, rng: np.random.Generator, rows: Ints) -> Rows:
        start, velocity, labels, sds, cumulated = self._model
        chosen = np.searchsorted(cumulated, rng.random(len(rows)), side="right")
        centre = _bounce(start[chosen] + rows[:, None] * velocity[chosen])
        direction = _unit(rng.uniform(-1, 1, centre.shape))
        distance = rng.normal(size=len(rows)) * sds[chosen]
        return centre + distance[:, None] * direction, labels[chosen]


def _bounce(position: Floats) -> Floats:
    """Return positions on a line, folded into [0, 1] by reflection at both ends."""
    return 1 - np.abs(position % 2 - 1)


def _unit(vectors: Floats) -> Floats:
    lengths: Floats = np.linalg.norm(vectors, axis=1, keepdims=True)
    return vectors / lengths
