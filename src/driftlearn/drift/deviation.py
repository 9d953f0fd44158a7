"""A window that is cut where the means of its two parts differ by many standard errors."""

from __future__ import annotations

from driftlearn.drift._error_window import ErrorWindow
from driftlearn.drift._split_window import SplitWindow


class DeviationWindow(ErrorWindow):
    """The last errors, split at every point: a large difference of means is a change.

    The window has a fixed size, so unlike `ADWIN` it cannot see a change that is smaller than
    what `window_size` errors can tell. After a change what is older than the best split is
    forgotten.

    Parameters
    ----------
    window_size : int, default=200
        Errors kept; at least twice `min_sub`.
    k_sd : float, default=3.3
        A difference of means of more than this many standard errors,
        ``sd * sqrt(1 / n0 + 1 / n1)`` with the window's own ``sd = sqrt(p * (1 - p))``, is a
        change.
    min_sub : int, default=30
        Errors that either part has at least.

    Attributes
    ----------
    drift_detected : bool
        Whether the last error made a cut.
    n_detections : int
        Cuts made since the start or the last `reset`.
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

    _engine = SplitWindow
    _settings = ("window_size", "k_sd", "min_sub")

    def __init__(self, window_size: int = 200, k_sd: float = 3.3, min_sub: int = 30):
        self.window_size = window_size
        self.k_sd = k_sd
        self.min_sub = min_sub
        self.reset()

    def update(self, error: float) -> bool:
        """Take in one error; return whether the window was cut.

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

    def __repr__(self) -> str:
        return (
            f"DeviationWindow(k_sd={self.k_sd}, width={self.width}, estimate={self.estimate:.3g})"
        )
