"""ADWIN: adaptive windowing."""

from dataclasses import dataclass
from typing import Any

from driftlearn.drift._adwin_window import AdaptiveWindow
from driftlearn.drift._base import RisingDetector


@dataclass(repr=False, eq=False)
class ADWIN(RisingDetector):
    """ADWIN: adaptive window that shrinks when the error rate changes.

    The window over the latest errors is cut where the means of its older and its newer part differ
    by more than chance allows, and the older part is dropped. The mean of the window is an
    estimate of the *current* error, whatever the speed of the change.

    `update` takes 1 for a wrong prediction and 0 for a right one, or any loss on a bounded scale
    that grows as predictions get worse. If it is fed with accuracies instead, changes are still
    detected, but `rising` and `estimate` have the opposite meaning.

    Parameters
    ----------
    delta : float, default=0.002
        Confidence parameter: smaller values give fewer false alarms and later true ones.
    clock : int, default=32
        The window is checked once every `clock` errors.
    max_buckets : int, default=5
        Number of buckets of each size in the histogram; more buckets give more possible cuts.
    min_window : int, default=10
        Windows up to this width are not checked.
    min_sub : int, default=5
        Each side of a cut has more than ``min_sub + 1`` errors.

    Attributes
    ----------
    drift_detected : bool
        Whether a change was detected at the last error.
    rising : bool
        Whether the mean of the window increased at that change, that is, the model got worse.
    estimate, variance : float
        Mean and variance of the errors in the window; 0 while it is empty.
    width : int
        Number of errors in the window.
    n_detections : int
        Number of detections since the start or the last `reset`.

    References
    ----------
    .. [1] A. Bifet, R. Gavaldà, "Learning from Time-Changing Data with Adaptive Windowing", SIAM
       International Conference on Data Mining, 2007, doi:10.1137/1.9781611972771.42.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> errors = np.r_[rng.random(1000) < 0.1, rng.random(1000) < 0.5]
    >>> adwin = ADWIN()
    >>> [step for step, error in enumerate(errors) if adwin.update(error=error) and adwin.rising]
    [1055, 1087, 1119]
    >>> adwin.n_detections
    3
    >>> round(adwin.estimate, 1)
    0.5
    """

    _compiled = AdaptiveWindow
    _rule = "finite"
    delta: float = 0.002
    clock: int = 32
    max_buckets: int = 5
    min_window: int = 10
    min_sub: int = 5

    @staticmethod
    def _fits(error: Any) -> Any:
        return abs(error) < float("inf")

    @property
    def variance(self) -> float:
        """Variance of the errors in the window."""
        return float(self._window.variance)
