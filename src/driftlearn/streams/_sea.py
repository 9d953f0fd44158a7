"""SEA generator."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from driftlearn.streams._generated import GeneratedStream, Schedule
from driftlearn.streams._stream import Span
from driftlearn.utils.arguments import check_noise, check_positive, check_seed, choose
from driftlearn.utils.typing import Ints, Rows

if TYPE_CHECKING:
    from typing_extensions import Self

DTEL_THRESHOLDS = {"A": (10, 7, 3, 7, 10, 13, 16, 13), "G": (10, 8, 6, 8, 10, 12, 14, 12)}


class SEA(GeneratedStream):
    """SEA generator: the sum of two features is compared with a changing threshold.

    ``x ~ U[0, 10]^3``; the label depends on whether ``x1 + x2`` reaches the current threshold, and
    ``x3`` is irrelevant. The defaults are the stream of the Learn++.NSE paper; `nse`, `dtel` and
    `iboost` return the variants of three papers.

    Parameters
    ----------
    thresholds : sequence of float, default=(8, 9, 7, 9.5)
        The thresholds, one per concept.
    n_rows : int, default=50_000
        Number of rows.
    noise : float, default=0.1
        Share of labels replaced by the other class.
    noise_in_test : bool, default=False
        Whether test sets contain the noise, too.
    labels : tuple, default=(2, 1)
        The class below the threshold and the class at or above it.
    segment : int, default=None
        Number of rows of each threshold; the thresholds are cycled. None divides the stream into
        equal parts.
    ramp : int, default=0
        Number of rows of a linear transition to the new threshold; 0 is abrupt.
    chunk_size : int, default=250
        Default number of rows of a chunk and of a test set.
    random_state : int, default=None
        Seed; None draws a random seed once, at construction.

    References
    ----------
    .. [1] W. N. Street and Y. Kim, "A streaming ensemble algorithm (SEA) for large-scale
       classification", KDD 2001.
    .. [2] M. Karnick, M. D. Muhlbaier and R. Polikar, "Incremental learning in non-stationary
       environments with concept drift using a multiple classifier based approach", ICPR 2008.

    Examples
    --------
    >>> from driftlearn.streams import SEA
    >>> stream = SEA(thresholds=(8, 9, 7, 9.5), n_rows=50_000, noise=0.1, random_state=0)
    >>> stream.drifts, stream.concept_at(13_000)
    ([12500, 25000, 37500], 9.0)
    >>> X, y = stream.test_set(13_000, 1_000)
    >>> round(float((y == 1).mean()), 2)
    0.57
    """

    name = "sea"
    n_features = 3

    def __init__(
        self,
        thresholds: Sequence[float] = (8, 9, 7, 9.5),
        n_rows: int = 50_000,
        noise: float = 0.1,
        noise_in_test: bool = False,
        labels: tuple[Any, Any] = (2, 1),
        segment: int | None = None,
        ramp: int = 0,
        chunk_size: int = 250,
        random_state: int | None = None,
    ) -> None:
        self.thresholds = tuple(thresholds)
        self.n_rows = check_positive("n_rows", n_rows)
        self.noise = check_noise(noise)
        self.noise_in_test = noise_in_test
        self.labels = tuple(labels)
        self.segment = segment
        self.ramp = ramp
        self.chunk_size = check_positive("chunk_size", chunk_size)
        self.random_state = check_seed(random_state)
        if len(set(self.labels)) != 2:
            raise ValueError(
                f"The 'labels' parameter must be two different labels. Got {labels!r} instead."
            )
        self.classes = np.unique(self.labels)
        self.feature_names = ["x1", "x2", "x3"]
        self._schedule = Schedule(self.thresholds, self.n_rows, segment, ramp)

    @classmethod
    def nse(cls, random_state: int | None = None) -> Self:
        """Return the stream of the Learn++.NSE paper: 10 % label noise, clean test rows."""
        return cls(random_state=random_state)

    @classmethod
    def dtel(cls, drift: str = "A", chunk_size: int = 200, random_state: int | None = None) -> Self:
        """Return the stream of the DTEL paper with strong (``"A"``) or mild (``"G"``) drifts."""
        return cls(
            thresholds=choose("drift", drift, DTEL_THRESHOLDS),
            n_rows=120 * chunk_size,
            labels=(1, 0),
            segment=15 * chunk_size,
            chunk_size=chunk_size,
            random_state=random_state,
        )

    @classmethod
    def iboost(cls, random_state: int | None = None) -> Self:
        """Return the stream of the IBoost paper: no noise, +1 below the threshold, else -1."""
        return cls(noise=0.0, labels=(1, -1), random_state=random_state)

    @property
    def drift_spans(self) -> list[Span]:
        """The drifts as pairs (first row, row from which the new concept holds)."""
        return self._schedule.spans

    def concept_at(self, row: int) -> float:
        """Return the threshold at a row."""
        return float(self._schedule.value(self._check_row(row)))

    def _draw(self, rng: np.random.Generator, rows: Ints) -> Rows:
        X = rng.uniform(0, 10, (len(rows), 3))
        below, above = self.labels
        return X, np.where(X[:, 0] + X[:, 1] >= self._schedule.value(rows), above, below)
