"""Laser series of the IBoost paper: a recorded time series with synthetic drift."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property

import numpy as np

from driftlearn.streams._generated import Schedule
from driftlearn.streams._read_data_set import read_data_set
from driftlearn.streams._recorded import PIECE, Recording, TableStream, check_holdout
from driftlearn.streams._stream import Span
from driftlearn.utils.arguments import check_positive, check_seed
from driftlearn.utils.typing import Floats, Ints, Labels, Rows


class Laser(TableStream):
    """Prediction of low values of a time series, with a slowly drifting threshold.

    The series is standardized. A row contains the `lags` values before a value; the label is +1 if
    the value is at most the current threshold, else -1. The thresholds hold for equal parts of the
    stream, and each is reached linearly over `ramp` rows. Rows held out at random are the test set
    of all concepts, labeled with the threshold at the requested row.

    Parameters
    ----------
    thresholds : sequence of float, default=(-0.5, 0, 1)
        Thresholds in standard deviations of the series.
    ramp : int, default=1_000
        Number of rows of the linear transition to a new threshold.
    lags : int, default=9
        Number of preceding values used as features.
    holdout : int, default=825
        Number of rows held out as test set.
    series : array-like of shape (n,), default=None
        The series; None uses the recorded intensity of the Santa Fe laser (see `load`).
    chunk_size : int, default=200
        Default number of rows of a chunk.
    random_state : int, default=None
        Seed for the choice of test rows; None draws a random seed once, at construction.

    Notes
    -----
    Held-out rows share values with adjacent rows of the stream, which makes the test slightly
    easier than an independent test set.

    References
    ----------
    .. [1] A. S. Weigend and N. A. Gershenfeld (eds.), "Time Series Prediction: Forecasting the
       Future and Understanding the Past", Addison-Wesley 1994.
    .. [2] M. Grbovic and S. Vucetic, "Tracking concept change with incremental boosting by
       minimization of the evolving exponential loss", ECML-PKDD 2011.

    Examples
    --------
    >>> from driftlearn.streams import Laser
    >>> stream = Laser(series=np.sin(np.arange(4_009) / 10), ramp=200, holdout=400, random_state=0)
    >>> stream.n_rows, stream.drift_spans
    (3600, [(1200, 1400), (2400, 2600)])
    >>> stream.concept_at(1_300)
    -0.25
    """

    name = "laser"

    def __init__(
        self,
        thresholds: Sequence[float] = (-0.5, 0.0, 1.0),
        ramp: int = 1_000,
        lags: int = 9,
        holdout: int = 825,
        series: Sequence[float] | Floats | None = None,
        chunk_size: int = 200,
        random_state: int | None = None,
    ) -> None:
        self.thresholds = tuple(float(b) for b in thresholds)
        self.ramp = ramp
        self.lags = check_positive("lags", lags)
        self.holdout = holdout
        self.series = series
        self.chunk_size = check_positive("chunk_size", chunk_size)
        self.random_state = check_seed(random_state)
        if series is not None:
            if np.ndim(series) != 1 or len(series) <= lags or np.std(series) == 0:
                raise ValueError(
                    "The 'series' parameter must be a one-dimensional array, longer than "
                    f"{lags} values and not constant. Got shape {np.shape(series)}."
                )
            check_holdout(holdout, len(series) - lags)

    @cached_property
    def classes(self) -> Labels:  # type: ignore[override]
        """The labels -1 and +1."""
        return np.array([-1, 1])

    @cached_property
    def _schedule(self) -> Schedule:
        return Schedule(self.thresholds, self.n_rows, ramp=self.ramp)

    @property
    def drift_spans(self) -> list[Span]:
        """The ramps as pairs (first row, row from which the new threshold holds)."""
        return self._schedule.spans

    def concept_at(self, row: int) -> float:
        """Return the threshold at a row."""
        return float(self._schedule.value(self._check_row(row)))

    def test_set(self, row: int, n: int | None = None, random_state: int | None = None) -> Rows:
        """Return the held-out rows, labeled with the threshold at `row`; see `Stream.test_set`."""
        if not self.holdout:
            return super().test_set(row, n, random_state)
        rows = self._held(self._check_row(row), n, random_state)
        return self._whole.X[rows], self._label(rows, self.concept_at(row))

    def arrays(self) -> Rows:
        """Return all streamed rows as ``(X, y)``."""
        return self.take(self.n_rows)

    def _recording(self) -> Recording:
        series = read_data_set("laser").X[:, 0] if self.series is None else np.asarray(self.series)
        values = (series - series.mean()) / series.std()
        windows = np.lib.stride_tricks.sliding_window_view(values, self.lags + 1)
        names = [f"lag{j}" for j in range(self.lags, 0, -1)]
        return Recording(windows[:, :-1].copy(), windows[:, -1].copy(), names)

    def _label(self, rows: Ints, threshold: Floats | float) -> Labels:
        return np.where(self._whole.y[rows] <= threshold, 1, -1)

    def _pieces(self, start: int) -> Iterator[Rows]:
        for first in range(start, self.n_rows, PIECE):
            rows = self._parts[0][first : first + PIECE]
            threshold = self._schedule.value(np.arange(first, first + len(rows)))
            yield self._whole.X[rows], self._label(rows, threshold)
