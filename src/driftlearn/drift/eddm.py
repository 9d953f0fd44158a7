"""EDDM: early drift detection method."""

from dataclasses import dataclass
from typing import Any

from driftlearn.drift._base import WarningDetector
from driftlearn.drift._error_statistics import MistakeDistance


@dataclass(repr=False, eq=False)
class EDDM(WarningDetector):
    """EDDM: compares the distances between mistakes with their maximum since the last change.

    A mistake is an error of 1; its distance is the number of rows since the previous mistake.
    Distances grow while a model improves. The detector stores the maximum of ``m + 2 * s``, the
    peak, where ``m`` and ``s`` are the mean and standard deviation of the distances. A warning is
    given when ``m + 2 * s`` falls below `warning_level` times the peak. A change is detected below
    `drift_level` times the peak, and the statistics start again. EDDM suits gradual changes and
    gives more false alarms than `DDM`. `update` takes 1 for a wrong and 0 for a right prediction.

    Parameters
    ----------
    drift_level : float, default=0.9
        Fraction of the peak below which a change is detected; at most `warning_level`.
    warning_level : float, default=0.95
        Fraction of the peak below which a warning is given.
    min_mistakes : int, default=30
        Number of mistakes after a change before the detector is active.
    early_peak : bool, default=False
        When the search for the peak starts: at mistake number `min_mistakes` (our reading of [1]_)
        or, if True, at the first mistake after `min_mistakes` rows, as in river. The peak of a few
        distances is high by chance and gives many more false alarms.

    Attributes
    ----------
    drift_detected : bool
        Whether a change was detected at the last error.
    warning_detected : bool
        Whether the last mistake is in the warning zone, that is, below the warning level but not
        below the drift level.
    n_warning : int
        Number of errors since the warning level was passed, including the last; 0 outside the
        warning zone. When a change is detected, [1]_ trains a new model on the rows of these
        errors.
    n_detections : int
        Number of detections since the start or the last `reset`.
    estimate : float
        Fraction of mistakes since the last change, excluding the error at which it was detected; 0
        if there are none.
    width : int
        Number of these errors.

    Notes
    -----
    The paper waits for 30 mistakes before it checks for changes; here the first peak is also that
    of 30 distances. The standard deviation is that of a sample (n - 1). The first distance is
    counted from the start or, after a change, from the mistake at which it was detected.

    References
    ----------
    .. [1] M. Baena-García, J. del Campo-Ávila, R. Fidalgo, A. Bifet, R. Gavaldà, R. Morales-Bueno,
       "Early Drift Detection Method", Fourth International Workshop on Knowledge Discovery from
       Data Streams, 2006.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> errors = rng.random(2000) < np.r_[np.full(1000, 0.1), np.linspace(0.1, 0.5, 1000)]
    >>> EDDM().update_many(errors)
    array([1100, 1328, 1503, 1639, 1750])
    """

    _compiled = MistakeDistance
    _rule = "0 or 1"
    drift_level: float = 0.9
    warning_level: float = 0.95
    min_mistakes: int = 30
    early_peak: bool = False

    @staticmethod
    def _fits(error: Any) -> Any:
        return (error == 0.0) | (error == 1.0)
