"""EDDM, the early drift detection method."""

from __future__ import annotations

from typing import Any

from driftlearn.drift._error_window import WarningWindow
from driftlearn.drift._mistake_distance import MistakeDistance


class EDDM(WarningWindow):
    """The distances between mistakes since the last change, against the widest that they were.

    A mistake is an error of 1, and its distance is the number of rows since the mistake before.
    While a model gets better the distances grow. Of their mean ``m`` and standard deviation ``s``
    the detector keeps the largest ``m + 2 * s``, the peak. Where ``m + 2 * s`` is less than
    `warning_level` of the peak there is a warning; where it is less than `drift_level` of it, a
    change, and everything is forgotten. It is made for slow changes, and sounds more false alarms
    than `DDM`.

    Parameters
    ----------
    drift_level : float, default=0.9
        The share of the peak below which there is a change; at most `warning_level`.
    warning_level : float, default=0.95
        The share of the peak below which there is a warning.
    min_mistakes : int, default=30
        There is no alarm up to so many mistakes since the last change.
    early_peak : bool, default=False
        From when on the peak is looked for: mistake number `min_mistakes`, which is our reading of
        [1]_, or, if this is True, the first mistake after `min_mistakes` rows, as in river. A peak
        of a few distances is high by chance, and makes many more false alarms.

    Attributes
    ----------
    drift_detected : bool
        Whether the last error showed a change.
    warning_detected : bool
        Whether the last mistake lies in the warning zone: below the warning level, but not below
        the drift level.
    n_warning : int
        Number of errors since the warning level was passed, with the last; 0 outside. When a
        change is detected, the rows of these errors are those from which [1]_ has a new model
        made.
    n_detections : int
        Changes since the start or the last `reset`.
    estimate : float
        Share of mistakes among the errors since the last change, without the one that showed it;
        0 if there are none.
    width : int
        Number of these errors.

    Notes
    -----
    The paper waits for 30 mistakes before it looks for changes; here the first peak is that of 30
    distances, too. The standard deviation is that of a sample (n - 1). The first distance is
    counted from the start, and after a change from the mistake that showed it.

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

    _engine = MistakeDistance
    _settings = ("drift_level", "warning_level", "min_mistakes", "early_peak")
    _rule = "0 or 1"

    def __init__(
        self,
        drift_level: float = 0.9,
        warning_level: float = 0.95,
        min_mistakes: int = 30,
        early_peak: bool = False,
    ):
        self.drift_level = drift_level
        self.warning_level = warning_level
        self.min_mistakes = min_mistakes
        self.early_peak = early_peak
        self.reset()

    @staticmethod
    def _fits(error: Any) -> Any:
        return (error == 0.0) | (error == 1.0)

    def update(self, error: float) -> bool:
        """Take in one error; return whether it showed a change.

        Parameters
        ----------
        error : float
            1 if the prediction was wrong and 0 if it was right.

        Returns
        -------
        bool
            The same as `drift_detected`.
        """
        return self._take(error)
