"""The streams of the DTEL paper whose concept turns a little with every chunk: ROT and SIN."""

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
    """A stream whose concept is an angle that grows by a step a chunk."""

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
        """One span: the concept moves from the first row to the last; none if it stands still."""
        return [(0, self.n_rows)] if self.step else []

    def concept_at(self, row: int) -> float:
        """Give the angle in force at a row, in radians."""
        return float(self._angle(self._check_row(row)))

    def _angle(self, rows: Any) -> Any:
        return self.step * (rows // self.chunk_size)


class ROT(_Turning):
    """Six classes in parallel bands of a square that turns by a step a chunk.

    Points are uniform in ``[-1/2, 1/2]^2``, divided into bands of equal width along the first
    axis; the class is the band's number modulo `n_classes`. The points are then turned about the
    origin. The paper's own source of points is not known; nine bands give the accuracy of a single
    tree that it prints.

    Parameters
    ----------
    step : float, default=pi/60
        Angle by which the square turns from chunk to chunk, in radians.
    n_bands : int, default=9
        Number of bands.
    n_classes : int, default=6
        Number of classes.
    n_rows : int, default=24_000
        Rows of the stream.
    noise : float, default=0.1
        Share of labels that are replaced by another class.
    noise_in_test : bool, default=False
        Whether test sets carry the noise too.
    chunk_size : int, default=200
        Rows for which an angle holds, and in a chunk where the reader does not say.
    random_state : int, default=None
        Seed; None takes fresh entropy once, at construction.

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
            raise ValueError(f"n_classes must be from 2 to n_bands={n_bands}; got {n_classes}")
        self.classes = np.arange(n_classes)

    @classmethod
    def dtel(cls, drift: str = "A", chunk_size: int = 200, random_state: int | None = None) -> Self:
        """Construct the paper's stream: a full (``"A"``) or half (``"G"``) turn in 120 chunks."""
        step = choose("drift", drift, {"A": np.pi / 60, "G": np.pi / 120})
        return cls(step, n_rows=120 * chunk_size, chunk_size=chunk_size, random_state=random_state)

    def _draw(self, rng: np.random.Generator, rows: Ints) -> Rows:
        source = rng.uniform(-0.5, 0.5, (len(rows), 2))
        band = np.floor((source[:, 0] + 0.5) * self.n_bands).astype(np.int64)
        cos, sin = np.cos(self._angle(rows)), np.sin(self._angle(rows))
        x1, x2 = source.T
        return np.column_stack([x1 * cos - x2 * sin, x1 * sin + x2 * cos]), band % self.n_classes


class SIN(_Turning):
    """Two classes divided by a sine whose phase moves by a step a chunk.

    ``x ~ U[-5, 5]^2``; class 1 if ``x2 <= a sin(b x1 + phase) + c``, else 0.

    Parameters
    ----------
    step : float, default=pi/30
        Phase by which the sine moves from chunk to chunk.
    a, b, c : float, default=5, 1, 0
        Height, frequency and level of the sine. They can be moved by an incremental transition of
        `Drifting`.
    n_rows : int, default=24_000
        Rows of the stream.
    noise : float, default=0.1
        Share of labels that are replaced by the other class.
    noise_in_test : bool, default=True
        Whether test sets carry the noise too.
    chunk_size : int, default=200
        Rows for which a phase holds, and in a chunk where the reader does not say.
    random_state : int, default=None
        Seed; None takes fresh entropy once, at construction.

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
        """Construct the stream of the paper, with fast (``"A"``) or slow (``"G"``) changes."""
        step = choose("drift", drift, {"A": np.pi / 30, "G": np.pi / 60})
        return cls(step, n_rows=120 * chunk_size, chunk_size=chunk_size, random_state=random_state)

    def _draw(self, rng: np.random.Generator, rows: Ints) -> Rows:
        X = rng.uniform(-5, 5, (len(rows), 2))
        sine = self.a * np.sin(self.b * X[:, 0] + self._angle(rows)) + self.c
        return X, (X[:, 1] <= sine).astype(np.int64)
