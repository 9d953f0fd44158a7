"""DDM, the drift detection method."""

from __future__ import annotations

from driftlearn.drift._error_rate import ErrorRate
from driftlearn.drift._error_window import WarningWindow


class DDM(WarningWindow):
    """The error rate since the last change, against the lowest that it was.

    While nothing changes the error rate ``p`` of n errors goes down or stays, with a standard
    deviation ``s = sqrt(p * (1 - p) / n)``. The detector keeps both as they were where their sum
    was lowest. If ``p + s`` comes up to ``p_min + warning_level * s_min``, there is a warning; if
    it comes up to ``p_min + drift_level * s_min``, a change, and everything is forgotten. It is
    at its best with sudden changes: in a long quiet time the rate becomes slow to rise.

    Parameters
    ----------
    drift_level : float, default=3.0
        A change is so many standard deviations above the lowest rate; at least `warning_level`.
    warning_level : float, default=2.0
        A warning is so many.
    min_window : int, default=30
        Do not look while there are not more errors than this since the last change.

    Attributes
    ----------
    drift_detected : bool
        Whether the last error showed a change.
    warning_detected : bool
        Whether it lies in the warning zone: at the warning level, but not at the drift level.
    n_warning : int
        Number of errors since the warning level was reached, with the last; 0 below it. When a
        change is detected, the rows of these errors are those from which [1]_ has a new model
        made.
    n_detections : int
        Changes since the start or the last `reset`.
    estimate : float
        Mean of the errors since the last change, without the one that showed it; 0 if there are
        none.
    width : int
        Their number.

    Notes
    -----
    Levels are reached at equality, as printed. One case is left out: where no prediction was ever
    wrong, or none right, ``s_min`` is 0 and the rate equals all levels; a rate that is at its
    lowest is no alarm. It follows that after `min_window` predictions without an error the first
    error is a change. River and MOA compare by "above" instead, which is the same but for ties.

    References
    ----------
    .. [1] J. Gama, P. Medas, G. Castillo, P. Rodrigues, "Learning with Drift Detection", SBIA
       2004, pp. 286-295, doi:10.1007/978-3-540-28645-5_29.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> errors = np.r_[rng.random(1000) < 0.1, rng.random(1000) < 0.5]
    >>> ddm = DDM()
    >>> for step, error in enumerate(errors):
    ...     if ddm.update(error=error):
    ...         print(f"row {step}, and a warning since row {step - ddm.n_warning + 1}")
    row 1034, and a warning since row 1010
    >>> DDM().update_many(errors)
    array([1034])
    """

    _engine = ErrorRate
    _settings = ("drift_level", "warning_level", "min_window")

    def __init__(self, drift_level: float = 3.0, warning_level: float = 2.0, min_window: int = 30):
        self.drift_level = drift_level
        self.warning_level = warning_level
        self.min_window = min_window
        self.reset()

    def update(self, error: float) -> bool:
        """Take in one error; return whether it showed a change.

        Parameters
        ----------
        error : float
            1 if the prediction was wrong and 0 if it was right, or a loss between the two.

        Returns
        -------
        bool
            The same as `drift_detected`.
        """
        return self._take(error)
