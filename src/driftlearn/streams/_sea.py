"""The SEA concepts: a sum against a threshold that changes."""

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
    """Three uniform features, of which the sum of two is compared with a threshold.

    ``x ~ U[0, 10]^3``; the label tells whether ``x1 + x2`` reaches the threshold in force, and
    ``x3`` tells nothing. The defaults are the stream of the Learn++.NSE paper; `nse`, `dtel` and
    `iboost` construct the forms of the three papers by name.

    Parameters
    ----------
    thresholds : sequence of float, default=(8, 9, 7, 9.5)
        The thresholds, one concept each.
    n_rows : int, default=50_000
        Rows of the stream.
    noise : float, default=0.1
        Share of labels that are replaced by the other class.
    noise_in_test : bool, default=False
        Whether test sets carry the noise too.
    labels : tuple, default=(2, 1)
        The class below the threshold and the class from it on.
    segment : int, default=None
        Rows for which a threshold holds; after the last one the first comes back. None divides the
        stream evenly.
    ramp : int, default=0
        Rows in which a new threshold comes in linearly; 0 is an abrupt change.
    chunk_size : int, default=250
        Rows in a chunk, and in a test set, where the reader does not say.
    random_state : int, default=None
        Seed; None takes fresh entropy once, at construction.

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
            raise ValueError(f"labels must be two different classes; got {labels!r}")
        self.classes = np.unique(self.labels)
        self.feature_names = ["x1", "x2", "x3"]
        self._schedule = Schedule(self.thresholds, self.n_rows, segment, ramp)

    @classmethod
    def nse(cls, random_state: int | None = None) -> Self:
        """Construct the stream of the Learn++.NSE paper: 10 % noise, but clean test rows."""
        return cls(random_state=random_state)

    @classmethod
    def dtel(cls, drift: str = "A", chunk_size: int = 200, random_state: int | None = None) -> Self:
        """Construct the stream of the DTEL paper: strong (``"A"``) or mild (``"G"``) changes."""
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
        """Construct the stream of the IBoost paper: no noise, +1 up to the threshold, else -1."""
        return cls(noise=0.0, labels=(1, -1), random_state=random_state)

    @property
    def drift_spans(self) -> list[Span]:
        """The changes as (first row, row from which the new concept is complete)."""
        return self._schedule.spans

    def concept_at(self, row: int) -> float:
        """Give the threshold in force at a row."""
        return float(self._schedule.value(self._check_row(row)))

    def _draw(self, rng: np.random.Generator, rows: Ints) -> Rows:
        X = rng.uniform(0, 10, (len(rows), 3))
        below, above = self.labels
        return X, np.where(X[:, 0] + X[:, 1] >= self._schedule.value(rows), above, below)
