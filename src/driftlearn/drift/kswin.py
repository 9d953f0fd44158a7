"""KSWIN: Kolmogorov-Smirnov windowing."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from driftlearn.drift._base import RisingDetector
from driftlearn.drift._sampled_window import SampledWindow
from driftlearn.io.schema import check_fields, integer, optional
from driftlearn.utils.arguments import Self

SEED = optional(integer(0, 2**32 - 1))


@dataclass(repr=False, eq=False)
class KSWIN(RisingDetector):
    """KSWIN: Kolmogorov-Smirnov test between the newest errors and a sample of older ones.

    The test statistic is the largest distance between the empirical distributions of the two
    samples, so any change of the distribution of a loss can be detected; for errors of 0 and 1
    it is the difference of the means. After a change all but the newest errors are dropped.

    Parameters
    ----------
    level : float, default=0.005
        Significance level of one test. A full window is tested at every error, so the level must be
        small. With the bound of [1]_ the actual level is about twice as high.
    window_size : int, default=100
        Number of errors in the window; at least twice `sample_size`.
    sample_size : int, default=30
        Number of errors in each sample: the newest errors, and a sample drawn without replacement
        from the others.
    exact : bool, default=False
        Critical distance: ``sqrt(-log(level) / sample_size)``, as in [1]_, or, if True, that of the
        exact test at `level`, as in river.
    random_state : int or None, default=None
        Seed of the samples; None for a different seed in each detector.

    Attributes
    ----------
    drift_detected : bool
        Whether a change was detected at the last error.
    rising : bool
        Whether the newest errors at that change have a higher mean than the older ones, that is,
        the model got worse.
    distance : float
        Test statistic at the last error, from 0 to 1; 0 while the window is not full.
    n_detections : int
        Number of detections since the start or the last `reset`.
    estimate : float
        Mean of the errors in the window; 0 while it is empty.
    width : int
        Number of errors in the window.

    Notes
    -----
    After a change the window keeps its newest `sample_size` errors, as in the code of the authors
    of [1]_; river keeps none. For errors of 0 and 1 both critical distances are conservative,
    because they assume values without ties.

    References
    ----------
    .. [1] C. Raab, M. Heusinger, F.-M. Schleif, "Reactive Soft Prototype Computing for Concept
       Drift Streams", Neurocomputing 416, 2020, doi:10.1016/j.neucom.2019.11.111.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> errors = np.r_[rng.random(1000) < 0.1, rng.random(1000) < 0.5]
    >>> KSWIN(random_state=0).update_many(errors)
    array([1016, 1412])
    """

    _compiled = SampledWindow
    level: float = 0.005
    window_size: int = 100
    sample_size: int = 30
    exact: bool = False
    random_state: int | None = None

    def _new_window(self, *settings: Any) -> Any:
        check_fields(type(self), {"random_state": self.random_state}, {"random_state": SEED})
        return self._compiled(*settings, np.random.default_rng(self.random_state))  # type: ignore[call-arg]

    @property
    def distance(self) -> float:
        """Largest distance between the distributions of the two samples."""
        return float(self._window.distance / self.sample_size)

    def get_state(self) -> dict[str, Any]:
        """Return parameters and statistics as a dict of arrays, numbers and a generator."""
        return {**super().get_state(), "random_state": self.random_state}

    def set_state(self, state: dict[str, Any]) -> Self:
        """Restore from `get_state`; return self."""
        self.random_state = state["random_state"]
        return super().set_state(state)
