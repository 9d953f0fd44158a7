"""What the alarms of a detector are worth where the drifts are known."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from driftlearn.evaluate.metrics import mean, ratio
from driftlearn.utils.typing import Floats, Ints


@dataclass(frozen=True, eq=False)
class DetectionScores:
    """Delays, misses and false alarms of a detector on a stream.

    Attributes
    ----------
    delays : ndarray of float, shape (n_drifts,)
        For each drift how many rows after it the first alarm came; nan for one that was missed.
    false_alarms : int
        Alarms that belong to no drift.
    repeats : int
        Further alarms that belong to a drift which was found already.
    quiet_rows : int
        Rows that belong to no drift: those where an alarm is a false one. Row 0 is always one.
    """

    delays: Floats
    false_alarms: int
    repeats: int
    quiet_rows: int

    @property
    def misses(self) -> int:
        """Number of drifts without an alarm."""
        return int(np.isnan(self.delays).sum())

    @property
    def miss_rate(self) -> float:
        """Share of the drifts without an alarm; nan where there are no drifts."""
        return float(ratio(self.misses, len(self.delays)))

    @property
    def delay(self) -> float:
        """Mean delay of the drifts that were found; nan if none was."""
        return float(mean(self.delays))

    @property
    def false_alarm_rate(self) -> float:
        """False alarms for each of the rows that belong to no drift.

        One divided by it is the mean time between false alarms.
        """
        return self.false_alarms / self.quiet_rows


def detection_scores(
    drifts: Any, detections: Any, n_rows: int, horizon: int | None = None
) -> DetectionScores:
    """Compare the rows where a detector saw a change with those where there was one.

    To a drift belong its row and the rows after it: `horizon` of them in all, or fewer where the
    next drift or the end of the stream comes sooner. The first alarm in them finds the drift,
    others there are repeats, and one that is in no drift's rows is false.

    Parameters
    ----------
    drifts : array-like of int
        The first row of each concept, as a stream's `drifts`; of a gradual change the row where it
        begins. Row 0 is no drift.
    detections : array-like of int
        The rows with which the detector reported a change, in any order.
    n_rows : int
        Rows of the stream.
    horizon : int or None, default=None
        How many rows belong to a drift; None for all up to the next one. Without a horizon an
        alarm can be false only before the first drift, so that every drift is sooner or later
        found by a detector that is never quiet: name one to compare detectors.

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
    n_rows = _whole("n_rows", n_rows)
    span = n_rows if horizon is None else _whole("horizon", horizon)
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
        quiet_rows=n_rows - int((ends - starts).sum()),
    )


def _whole(name: str, value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < 1:
        raise ValueError(f"{name} must be a whole number of at least 1, got {value!r}")
    return int(value)


def _rows(name: str, rows: Any, n_rows: int) -> Ints:
    """Return rows of the stream, ascending and none twice."""
    rows = np.asarray(rows)
    if rows.ndim != 1 or (rows.size and rows.dtype.kind not in "iu"):
        raise ValueError(f"{name} must be a list of row numbers, got {rows!r:.60}")
    if rows.size and not 0 <= rows.min() <= rows.max() < n_rows:
        wrong = rows[(rows < 0) | (rows >= n_rows)][0]
        raise ValueError(f"{name} has row {wrong}, and the rows are 0 to {n_rows - 1}")
    return np.unique(rows).astype(np.int64)
