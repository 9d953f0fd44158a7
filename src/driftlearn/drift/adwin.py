"""ADWIN, the adaptive window."""

from __future__ import annotations

from typing import Any

from driftlearn.drift._adwin_window import AdaptiveWindow
from driftlearn.drift._error_window import ErrorWindow


class ADWIN(ErrorWindow):
    """A window over the latest errors that is as long as nothing changes.

    The window is cut where the means of its older and newer part differ by more than chance
    allows; what is older than the cut is forgotten. What remains is an estimate of the error as
    it is *now*, whatever the speed of the change.

    Parameters
    ----------
    delta : float, default=0.002
        Confidence: the smaller, the fewer false alarms and the later the true ones.
    clock : int, default=32
        Look for a cut every so many errors.
    max_buckets : int, default=5
        Buckets of one size in the histogram; more make a finer search for the cut.
    min_window : int, default=10
        Do not look while the window is not longer than this.
    min_sub : int, default=5
        Either side of a cut has more than ``min_sub + 1`` errors.

    Attributes
    ----------
    drift_detected : bool
        Whether the last error made a cut.
    rising : bool
        Whether that cut left a higher mean than before: things got worse, not better.
    estimate, variance : float
        Mean and variance of the errors in the window; 0 while it is empty.
    width : int
        Number of errors in the window.
    n_detections : int
        Cuts made since the start or the last `reset`.

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

    _engine = AdaptiveWindow
    _settings = ("delta", "clock", "max_buckets", "min_window", "min_sub")
    _rule = "a finite number"

    def __init__(
        self,
        delta: float = 0.002,
        clock: int = 32,
        max_buckets: int = 5,
        min_window: int = 10,
        min_sub: int = 5,
    ):
        self.delta = delta
        self.clock = clock
        self.max_buckets = max_buckets
        self.min_window = min_window
        self.min_sub = min_sub
        self.reset()

    @staticmethod
    def _fits(error: Any) -> Any:
        return abs(error) < float("inf")

    def update(self, error: float) -> bool:
        """Take in one error; return whether the window was cut.

        Parameters
        ----------
        error : float
            1 if the prediction was wrong and 0 if it was right, or any loss on a bounded scale.
            It must grow as things get worse. Fed with hits instead, the detector still sees
            changes, but `rising` and `estimate` mean the opposite of what they say, and whoever
            replaces "the member with the highest estimate" dismisses the best.

        Returns
        -------
        bool
            The same as `drift_detected`.
        """
        return self._take(error)

    @property
    def rising(self) -> bool:
        """Whether the last error made a cut that left a higher mean than before."""
        return bool(self._window.rising)

    @property
    def variance(self) -> float:
        """Variance of the errors in the window."""
        return float(self._window.variance)
