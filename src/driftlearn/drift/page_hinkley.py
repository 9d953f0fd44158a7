"""Page-Hinkley test."""

from dataclasses import dataclass
from typing import Literal

from driftlearn.drift._base import RisingDetector
from driftlearn.drift._error_statistics import CumulativeSum


@dataclass(repr=False, eq=False)
class PageHinkley(RisingDetector):
    """Page-Hinkley test: cumulative sum of the errors' deviations from their mean.

    Each error adds its deviation from the mean since the last change, minus a tolerance `delta`,
    to a sum. In a stationary stream the sum decreases. A change is detected when the sum exceeds
    its minimum by more than `threshold`, and the statistics start again. `update` takes 1 for a
    wrong and 0 for a right prediction, or any loss that grows as predictions get worse;
    `threshold` and `delta` are on its scale.

    Parameters
    ----------
    threshold : float, default=50.0
        Larger values give fewer false alarms and later true ones. An increase of the mean by d is
        detected after about ``threshold / (d - delta)`` errors, or later, because the mean also
        changes.
    delta : float, default=0.005
        Tolerance: smaller changes of the mean are ignored.
    min_window : int, default=30
        Number of errors after a change before the detector is active.
    fading : float, default=1.0
        Factor by which the sum is multiplied before an error is added. 1 is the test as published;
        MOA and river use 0.9999, which discounts errors over some ten thousand rows. As in those
        libraries, the extreme is not discounted, so the return of the sum long after a decrease is
        reported as an increase.
    direction : {"rising", "falling", "both"}, default="rising"
        Which changes of the mean are detected. Decreases have a separate sum: `delta` is added to
        it, and it is compared with its maximum.

    Attributes
    ----------
    drift_detected : bool
        Whether a change was detected at the last error.
    rising : bool
        Whether the mean increased at that change, that is, the model got worse.
    n_detections : int
        Number of detections since the start or the last `reset`.
    estimate : float
        Mean of the errors since the last change, excluding the error at which it was detected; 0
        if there are none.
    width : int
        Number of these errors.

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

    _compiled = CumulativeSum
    threshold: float = 50.0
    delta: float = 0.005
    min_window: int = 30
    fading: float = 1.0
    direction: Literal["rising", "falling", "both"] = "rising"
