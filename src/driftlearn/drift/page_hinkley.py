"""The Page-Hinkley test."""

from __future__ import annotations

from typing import Any, Literal

from driftlearn.drift._cumulative_sum import CumulativeSum
from driftlearn.drift._error_window import LARGEST_ERROR, ErrorWindow


class PageHinkley(ErrorWindow):
    """The sum of what errors are above their mean, against the lowest that it was.

    Every error adds to a sum what it is above the mean of the errors since the last change, less
    a tolerance `delta`. While nothing changes the sum goes down; where it is more than `threshold`
    above its minimum, there is a change, and everything is forgotten.

    Parameters
    ----------
    threshold : float, default=50.0
        The larger, the fewer false alarms and the later the true ones. A rise of the mean by d is
        seen after about ``threshold / (d - delta)`` errors, or later, for the mean moves too.
    delta : float, default=0.005
        Changes of the mean that are smaller than this are tolerated.
    min_window : int, default=30
        There is no alarm while there are not more errors than this since the last change.
    fading : float, default=1.0
        What the sum is multiplied by before an error is added to it. 1 is the test as published;
        0.9999, in MOA and river, lets it forget in some ten thousand errors. Its extreme does not
        fade, there as here: so long after a fall the sum's return is reported as a rise.
    direction : {"rising", "falling", "both"}, default="rising"
        Which changes of the mean are looked for. Those for the better have a sum of their own,
        with `delta` added and not subtracted, which is compared with its maximum.

    Attributes
    ----------
    drift_detected : bool
        Whether the last error showed a change.
    rising : bool
        Whether that change is one to a higher mean: things got worse, not better.
    n_detections : int
        Changes since the start or the last `reset`.
    estimate : float
        Mean of the errors since the last change, without the one that showed it; 0 if there are
        none.
    width : int
        Their number.

    References
    ----------
    .. [1] E. S. Page, "Continuous Inspection Schemes", Biometrika 41(1/2), 1954,
       doi:10.1093/biomet/41.1-2.100.
    .. [2] D. V. Hinkley, "Inference about the change-point from cumulative sum tests", Biometrika
       58(3), 1971, doi:10.1093/biomet/58.3.509.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> errors = np.r_[rng.random(1000) < 0.1, rng.random(1000) < 0.5]
    >>> PageHinkley().update_many(errors)
    array([1106])
    >>> PageHinkley(threshold=30, direction="both").update_many(errors)
    array([1058])
    """

    _engine = CumulativeSum
    _settings = ("threshold", "delta", "min_window", "fading", "direction")
    _rule = f"a number from {-LARGEST_ERROR:g} to {LARGEST_ERROR:g}"

    def __init__(
        self,
        threshold: float = 50.0,
        delta: float = 0.005,
        min_window: int = 30,
        fading: float = 1.0,
        direction: Literal["rising", "falling", "both"] = "rising",
    ):
        self.threshold = threshold
        self.delta = delta
        self.min_window = min_window
        self.fading = fading
        self.direction = direction
        self.reset()

    @staticmethod
    def _fits(error: Any) -> Any:
        return abs(error) <= LARGEST_ERROR

    def update(self, error: float) -> bool:
        """Take in one error; return whether it showed a change.

        Parameters
        ----------
        error : float
            1 if the prediction was wrong and 0 if it was right, or any loss that grows as things
            get worse; `threshold` and `delta` are on its scale.

        Returns
        -------
        bool
            The same as `drift_detected`.
        """
        return self._take(error)

    @property
    def rising(self) -> bool:
        """Whether the last error showed a change to a higher mean."""
        return bool(self._window.rising)
