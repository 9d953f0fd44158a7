"""Scores of drift detectors on streams with known drifts."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from driftlearn.evaluate.metrics import mean, ratio
from driftlearn.utils.arguments import Floats, Ints, check_positive


@dataclass(frozen=True, eq=False)
class DetectionScores:
    """Delays, misses and false alarms of a detector on a stream.

    Attributes
    ----------
    delays : ndarray of float, shape (n_drifts,)
        Rows between each drift and its first alarm; nan for a missed drift.
    false_alarms : int
        Number of alarms that belong to no drift.
    repeats : int
        Number of further alarms for a drift already detected.
    stationary_rows : int
        Number of rows that belong to no drift, where an alarm is false. Row 0 is always counted.
    """

    delays: Floats
    false_alarms: int
    repeats: int
    stationary_rows: int

    @property
    def misses(self) -> int:
        """Number of drifts without an alarm."""
        return int(np.isnan(self.delays).sum())

    @property
    def miss_rate(self) -> float:
        """Fraction of drifts without an alarm; nan without drifts."""
        return float(ratio(self.misses, len(self.delays)))

    @property
    def delay(self) -> float:
        """Mean delay of the detected drifts; nan if there are none."""
        return float(mean(self.delays))

    @property
    def false_alarm_rate(self) -> float:
        """False alarms per row that belongs to no drift.

        Its inverse is the mean time between false alarms.
        """
        return self.false_alarms / self.stationary_rows


def detection_scores(
    drifts: Any, detections: Any, n_rows: int, horizon: int | None = None
) -> DetectionScores:
    """Return delays, misses and false alarms of a detector.

    The `horizon` rows from a drift on belong to it, but at most those up to the next drift or the
    end of the stream. The first alarm in these rows detects the drift, further ones are repeats,
    and an alarm outside the rows of all drifts is false.

    Parameters
    ----------
    drifts : array-like of int
        First row of each concept, such as `drifts` of a stream; for a gradual drift the row where
        it begins. Row 0 is not a drift.
    detections : array-like of int
        Rows at which the detector reported a change, in any order.
    n_rows : int
        Number of rows of the stream.
    horizon : int or None, default=None
        Number of rows that belong to a drift; None for all up to the next drift. Without a horizon
        only alarms before the first drift can be false, so set one to compare detectors.

    Returns
    -------
    DetectionScores
        With `delay`, `misses`, `false_alarms` and more.

    References
    ----------
    .. [1] A. Bifet, "Classifier Concept Drift Detection and the Illusion of Progress", ICAISC 2017,
       doi:10.1007/978-3-319-59060-8_64.

    Examples
    --------
    >>> scores = detection_scores([1000, 2000], [300, 1055, 1087], n_rows=3000, horizon=500)
    >>> scores.delay, scores.misses, scores.false_alarms, scores.repeats
    (55.0, 1, 1, 1)
    >>> scores.false_alarm_rate
    0.0005
    """
    n_rows = check_positive("n_rows", n_rows)
    span = n_rows if horizon is None else check_positive("horizon", horizon)
    starts = _rows("drifts", drifts, n_rows)
    starts = starts[starts > 0]
    ends = np.minimum(starts + min(span, n_rows), np.append(starts[1:], n_rows))
    alarms = _rows("detections", detections, n_rows)
    first = np.searchsorted(alarms, starts)
    counts = np.searchsorted(alarms, ends) - first
    delays = np.full(len(starts), np.nan)
    found = counts > 0
    delays[found] = alarms[first[found]] - starts[found]
    return DetectionScores(
        delays,
        false_alarms=len(alarms) - int(counts.sum()),
        repeats=int(counts.sum() - found.sum()),
        stationary_rows=n_rows - int((ends - starts).sum()),
    )


def _rows(name: str, rows: Any, n_rows: int) -> Ints:
    """Return rows of the stream, sorted and unique."""
    rows = np.asarray(rows)
    if rows.ndim != 1 or (rows.size and rows.dtype.kind not in "iu"):
        raise ValueError(f"{name} must be a list of row numbers. Got {rows!r:.60} instead.")
    if rows.size and not 0 <= rows.min() <= rows.max() < n_rows:
        wrong = rows[(rows < 0) | (rows >= n_rows)][0]
        raise ValueError(f"{name} must be in the range [0, {n_rows - 1}]. Got row {wrong}.")
    return np.unique(rows).astype(np.int64)
