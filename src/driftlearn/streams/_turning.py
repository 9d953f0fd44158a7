"""Streams of the DTEL paper with incremental drift in every chunk: ROT and SIN."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from driftlearn.streams._generated import GeneratedStream
from driftlearn.streams._stream import Span
from driftlearn.utils.arguments import check_noise, check_positive, check_seed, choose
from driftlearn.utils.typing import Ints, Rows

if TYPE_CHECKING:
    from typing_extensions import Self


class _Turning(GeneratedStream):
    """Base class for streams whose concept is an angle that increases by a step per chunk."""

    n_features = 2

    def __init__(
        self,
        step: float,
        n_rows: int,
        noise: float,
        noise_in_test: bool,
        chunk_size: int,
        random_state: int | None,
    ) -> None:
        self.step = float(step)
        self.n_rows = check_positive("n_rows", n_rows)
        self.noise = check_noise(noise)
        self.noise_in_test = noise_in_test
        self.chunk_size = check_positive("chunk_size", chunk_size)
        self.random_state = check_seed(random_state)
        self.feature_names = ["x1", "x2"]

    @property
    def drift_spans(self) -> list[Span]:
        """A single span over all rows, or none if the concept is static."""
        return [(0, self.n_rows)] if self.step else []

    def concept_at(self, row: int) -> float:
        """Return the angle at a row, in radians."""
        return float(self._angle(self._check_row(row)))

    def _angle(self, rows: Any) -> Any:
        return self.step * (rows // self.chunk_size)


class ROT(_Turning):
    """Classes in parallel bands of a square that rotates by a step per chunk.

    Points are uniform in ``[-1/2, 1/2]^2``, divided into bands of equal width along the first axis.
    The class is the number of the band modulo `n_classes`. The points are then rotated about the
    origin. The paper does not describe its source of points; with nine bands a single tree has the
    accuracy that the paper reports.

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

    def __init__(
        self,
        step: float = np.pi / 60,
        n_bands: int = 9,
        n_classes: int = 6,
        n_rows: int = 24_000,
        noise: float = 0.1,
        noise_in_test: bool = False,
        chunk_size: int = 200,
        random_state: int | None = None,
    ) -> None:
        super().__init__(step, n_rows, noise, noise_in_test, chunk_size, random_state)
        self.n_bands = check_positive("n_bands", n_bands)
        self.n_classes = check_positive("n_classes", n_classes)
        if not 2 <= n_classes <= n_bands:
            raise ValueError(
                "The 'n_classes' parameter must be an int in the range [2, n_bands], with "
                f"n_bands={n_bands}. Got {n_classes} instead."
            )
        self.classes = np.arange(n_classes)

    @classmethod
    def dtel(cls, drift: str = "A", chunk_size: int = 200, random_state: int | None = None) -> Self:
        """Return the stream of the paper: a full (``"A"``) or half (``"G"``) turn in 120 chunks."""
        step = choose("drift", drift, {"A": np.pi / 60, "G": np.pi / 120})
        return cls(step, n_rows=120 * chunk_size, chunk_size=chunk_size, random_state=random_state)

    def _draw(self, rng: np.random.Generator, rows: Ints) -> Rows:
        source = rng.uniform(-0.5, 0.5, (len(rows), 2))
        band = np.floor((source[:, 0] + 0.5) * self.n_bands).astype(np.int64)
        cos, sin = np.cos(self._angle(rows)), np.sin(self._angle(rows))
        x1, x2 = source.T
        return np.column_stack([x1 * cos - x2 * sin, x1 * sin + x2 * cos]), band % self.n_classes


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

    def __init__(
        self,
        step: float = np.pi / 30,
        a: float = 5.0,
        b: float = 1.0,
        c: float = 0.0,
        n_rows: int = 24_000,
        noise: float = 0.1,
        noise_in_test: bool = True,
        chunk_size: int = 200,
        random_state: int | None = None,
    ) -> None:
        super().__init__(step, n_rows, noise, noise_in_test, chunk_size, random_state)
        self.a, self.b, self.c = float(a), float(b), float(c)
        self.classes = np.arange(2)

    @classmethod
    def dtel(cls, drift: str = "A", chunk_size: int = 200, random_state: int | None = None) -> Self:
        """Return the stream of the paper, with fast (``"A"``) or slow (``"G"``) drift."""
        step = choose("drift", drift, {"A": np.pi / 30, "G": np.pi / 60})
        return cls(step, n_rows=120 * chunk_size, chunk_size=chunk_size, random_state=random_state)

    def _draw(self, rng: np.random.Generator, rows: Ints) -> Rows:
        X = rng.uniform(-5, 5, (len(rows), 2))
        sine = self.a * np.sin(self.b * X[:, 0] + self._angle(rows)) + self.c
        return X, (X[:, 1] <= sine).astype(np.int64)
