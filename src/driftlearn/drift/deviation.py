"""Drift detector of FLC: difference of means over all splits of a window."""

from dataclasses import dataclass

from driftlearn.drift._base import DriftDetector
from driftlearn.drift._split_window import SplitWindow


@dataclass(repr=False, eq=False)
class DeviationWindow(DriftDetector):
    """Drift detector that compares the means on both sides of every split of a window.

    The window has a fixed size, so unlike `ADWIN` it cannot detect changes that are too small to be
    significant within `window_size` errors. After a change the errors before the split with the
    largest difference are dropped.

    Parameters
    ----------
    window_size : int, default=200
        Number of errors in the window; at least twice `min_sub`.
    k_sd : float, default=3.3
        Number of standard errors by which the means must differ. The standard error is
        ``sd * sqrt(1 / n0 + 1 / n1)`` with ``sd = sqrt(p * (1 - p))`` of the window.
    min_sub : int, default=30
        Minimum number of errors on each side of a split.

    Attributes
    ----------
    drift_detected : bool
        Whether a change was detected at the last error.
    n_detections : int
        Number of detections since the start or the last `reset`.
    estimate : float
        Mean of the errors in the window; 0 while it is empty.
    width : int
        Number of errors in the window.

    References
    ----------
    .. [1] V. Attar, P. Sinha, K. Wankhade, "A fast and light classifier for data streams",
       Evolving Systems 1(3), 2010, doi:10.1007/s12530-010-9010-2.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> errors = np.r_[rng.random(300) < 0.1, rng.random(300) < 0.5]
    >>> window = DeviationWindow()
    >>> [step for step, error in enumerate(errors) if window.update(error=error)]
    [318]
    >>> window.width
    200
    """

    _compiled = SplitWindow
    window_size: int = 200
    k_sd: float = 3.3
    min_sub: int = 30

    def __repr__(self) -> str:
        return (
            f"DeviationWindow(k_sd={self.k_sd}, width={self.width}, estimate={self.estimate:.3g})"
        )
