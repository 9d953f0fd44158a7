"""Generators that change continuously: ROT, SIN, RBF and Hyperplane."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from driftlearn.streams._generated import DTELGenerator, Generator
from driftlearn.streams._stream import MODEL, Span
from driftlearn.utils.arguments import Floats, Ints, Rows, check_integer, invalid


class _Turning(DTELGenerator):
    """Base class for streams whose concept is an angle that increases by a step per chunk."""

    n_features = 2
    step: float
    _ranges = {"step": "(-inf, inf)"}

    @property
    def drift_spans(self) -> list[Span]:
        """A single span over all rows, or none if the concept is static."""
        return [(0, self.n_rows)] if self.step else []

    def concept_at(self, row: int) -> float:
        """Return the angle at a row, in radians."""
        return float(self._angle(self._check_row(row)))

    def _angle(self, rows: Any) -> Any:
        return self.step * (rows // self.chunk_size)


@dataclass(repr=False, eq=False)
class ROT(_Turning):
    """Classes in parallel bands of a square that rotates by a step per chunk.

    Points are uniform in ``[-1/2, 1/2]^2``, divided into bands of equal width along the first axis.
    The class is the number of the band modulo `n_classes`. The points are then rotated about the
    origin. The paper does not describe how its points are generated; with nine bands a single tree
    has the accuracy that the paper reports.

    Parameters
    ----------
    step : float, default=pi/60
        Rotation of the square per chunk, in radians.
    n_bands : int, default=9
        Number of bands.
    n_classes : int, default=6
        Number of classes.
    n_rows : int, default=24_000
        Number of rows.
    noise : float, default=0.1
        Share of labels replaced by another class.
    noise_in_test : bool, default=False
        Whether test sets contain the noise, too.
    chunk_size : int, default=200
        Number of rows with the same angle, and default number of rows of a chunk.
    random_state : int, default=None
        Seed; None draws a random seed once, at construction.

    References
    ----------
    .. [1] Y. Sun, K. Tang, Z. Zhu and X. Yao, "Concept drift adaptation by exploiting historical
       knowledge", IEEE TNNLS 29(10), 2018.

    Examples
    --------
    >>> from driftlearn.streams import ROT
    >>> stream = ROT(random_state=0)
    >>> X, y = stream.take(1_000)
    >>> [int((y == k).sum()) for k in stream.classes]
    [210, 230, 211, 113, 101, 135]
    """

    name = "rot"
    _positive = ("n_bands", "n_classes")
    # Over 120 chunks, the square makes a full turn (A) or half a turn (G).
    _versions = {"A": {"step": np.pi / 60}, "G": {"step": np.pi / 120}}
    step: float = np.pi / 60
    n_bands: int = 9
    n_classes: int = 6
    n_rows: int = 24_000
    noise: float = 0.1
    noise_in_test: bool = False
    chunk_size: int = 200
    random_state: int | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 2 <= self.n_classes <= self.n_bands:
            wanted = f"an int in the range [2, n_bands], with n_bands={self.n_bands}"
            raise invalid("n_classes", wanted, self.n_classes)

    def _draw(self, rng: np.random.Generator, rows: Ints) -> Rows:
        source = rng.uniform(-0.5, 0.5, (len(rows), 2))
        band = np.floor((source[:, 0] + 0.5) * self.n_bands).astype(np.int64)
        cos, sin = np.cos(self._angle(rows)), np.sin(self._angle(rows))
        x1, x2 = source.T
        return np.column_stack([x1 * cos - x2 * sin, x1 * sin + x2 * cos]), band % self.n_classes


@dataclass(repr=False, eq=False)
class SIN(_Turning):
    """Two classes separated by a sine curve whose phase increases by a step per chunk.

    ``x ~ U[-5, 5]^2``; class 1 if ``x2 <= a sin(b x1 + phase) + c``, else 0.

    Parameters
    ----------
    step : float, default=pi/30
        Change of the phase per chunk.
    a, b, c : float, default=5, 1, 0
        Amplitude, frequency and offset of the sine. Incremental transitions of `Drifting` can
        change them.
    n_rows : int, default=24_000
        Number of rows.
    noise : float, default=0.1
        Share of labels replaced by the other class.
    noise_in_test : bool, default=True
        Whether test sets contain the noise, too.
    chunk_size : int, default=200
        Number of rows with the same phase, and default number of rows of a chunk.
    random_state : int, default=None
        Seed; None draws a random seed once, at construction.

    References
    ----------
    .. [1] Y. Sun, K. Tang, Z. Zhu and X. Yao, "Concept drift adaptation by exploiting historical
       knowledge", IEEE TNNLS 29(10), 2018.

    Examples
    --------
    >>> from driftlearn.streams import SIN
    >>> stream = SIN(noise=0, random_state=0)
    >>> X, y = stream.take(200)
    >>> float(((X[:, 1] <= 5 * np.sin(X[:, 0])) == y).mean())
    1.0
    """

    name = "sin"
    movable: ClassVar[tuple[str, ...]] = ("a", "b", "c")
    _ranges = dict.fromkeys(("step", "a", "b", "c"), "(-inf, inf)")
    _versions = {"A": {"step": np.pi / 30}, "G": {"step": np.pi / 60}}
    step: float = np.pi / 30
    a: float = 5.0
    b: float = 1.0
    c: float = 0.0
    n_rows: int = 24_000
    noise: float = 0.1
    noise_in_test: bool = True
    chunk_size: int = 200
    random_state: int | None = None

    def _draw(self, rng: np.random.Generator, rows: Ints) -> Rows:
        X = rng.uniform(-5, 5, (len(rows), 2))
        sine = self.a * np.sin(self.b * X[:, 0] + self._angle(rows)) + self.c
        return X, (X[:, 1] <= sine).astype(np.int64)


@dataclass(repr=False, eq=False)
class RBF(Generator):
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
    number, so the centroids at any row can be computed directly. The generator of MOA stops a
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
    _positive = ("n_centroids", "n_classes", "n_features")
    _ranges = {"speed": "[0, inf)"}
    n_rows: int | None = 1_000_000
    n_centroids: int = 10
    n_classes: int = 2
    n_features: int = 10
    speed: float = 0.001
    n_moving: int | None = None
    chunk_size: int = 1_000
    random_state: int | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        _check_n_moving(self.n_moving, self.n_centroids)
        if self.n_classes > self.n_centroids:
            raise invalid("n_centroids", f"at least n_classes={self.n_classes}", self.n_centroids)

    @property
    def drift_spans(self) -> list[Span]:
        """A single span over all rows, or none if the centroids are static."""
        return [(0, self.n_rows)] if self.speed and self.n_moving != 0 else []

    def concept_at(self, row: int) -> Floats:
        """Return the centroids at a row as an array with one centroid per row."""
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


@dataclass(repr=False, eq=False)
class Hyperplane(Generator):
    """Rotating hyperplane generator: two classes separated by a hyperplane with moving weights.

    ``x ~ U[0, 1]^d``; class 1 if ``w1 x1 + ... + wd xd >= (w1 + ... + wd) / 2``, else 0; both
    classes are equally frequent. With every row the first `n_moving` weights change by `magnitude`,
    up or down. After every `segment` rows each of them reverses its direction with probability
    `sigma`.

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
    _finite = True
    _positive = ("n_features", "segment")
    _ranges = {"magnitude": "[0, inf)", "sigma": "[0, 1]"}
    n_features: int = 10
    n_moving: int | None = None
    magnitude: float = 0.001
    sigma: float = 0.1
    segment: int = 1_000
    weights: Any = None  # converted to an array by the validation
    n_rows: int = 1_000_000
    chunk_size: int = 1_000
    random_state: int | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        _check_n_moving(self.n_moving, self.n_features)
        weights = self.weights
        given = None if weights is None else tuple(map(float, weights))
        self._given = {"weights": given}
        first = self._rng(MODEL).random(self.n_features)
        self.weights = first if given is None else np.array(given)
        if self.weights.shape != (self.n_features,):
            raise invalid("weights", f"{self.n_features} numbers", weights)

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


def _check_n_moving(n_moving: int | None, n: int) -> None:
    if n_moving is not None:
        check_integer("n_moving", n_moving, 0, n)


def _bounce(position: Floats) -> Floats:
    """Return positions on a line, folded into [0, 1] by reflection at both ends."""
    return 1 - np.abs(position % 2 - 1)


def _unit(vectors: Floats) -> Floats:
    lengths: Floats = np.linalg.norm(vectors, axis=1, keepdims=True)
    return vectors / lengths
