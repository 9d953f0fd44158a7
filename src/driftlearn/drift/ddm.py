"""DDM: drift detection method."""

from dataclasses import dataclass

from driftlearn.drift._base import WarningDetector
from driftlearn.drift._error_statistics import ErrorRate


@dataclass(repr=False, eq=False)
class DDM(WarningDetector):
    """DDM: compares the error rate with its minimum since the last change.

    In a stationary stream the error rate ``p`` over n rows does not increase; its standard
    deviation is ``s = sqrt(p * (1 - p) / n)``. The detector stores both at the minimum of
    ``p + s``. A warning is given when ``p + s`` reaches ``p_min + warning_level * s_min``. A change
    is detected at ``p_min + drift_level * s_min``, and the statistics start again. DDM suits abrupt
    changes; after a long stationary period the rate rises slowly.

    Parameters
    ----------
    drift_level : float, default=3.0
        Number of standard deviations above the minimum at which a change is detected; at least
        `warning_level`.
    warning_level : float, default=2.0
        Number of standard deviations at which a warning is given.
    min_window : int, default=30
        Number of errors after a change before the detector is active.

    Attributes
    ----------
    drift_detected : bool
        Whether a change was detected at the last error.
    warning_detected : bool
        Whether the last error is in the warning zone, that is, the warning level is reached but not
        the drift level.
    n_warning : int
        Number of errors since the warning level was reached, including the last; 0 below it. When
        a change is detected, [1]_ trains a new model on the rows of these errors.
    n_detections : int
        Number of detections since the start or the last `reset`.
    estimate : float
        Mean of the errors since the last change, excluding the error at which it was detected; 0
        if there are none.
    width : int
        Number of these errors.

    Notes
    -----
    Levels are reached at equality, as printed, with one exception: if all predictions so far were
    right, or all wrong, ``s_min`` is 0 and the rate equals all levels; a rate at its minimum is not
    a change. As a consequence, the first error after `min_window` right predictions is a change.
    River and MOA use a strict comparison, which differs only in ties.

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

    _compiled = ErrorRate
    drift_level: float = 3.0
    warning_level: float = 2.0
    min_window: int = 30
