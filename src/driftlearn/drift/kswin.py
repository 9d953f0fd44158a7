"""KSWIN, Kolmogorov-Smirnov windowing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from driftlearn.drift._error_window import LARGEST_ERROR, ErrorWindow
from driftlearn.drift._sampled_window import SampledWindow
from driftlearn.io.schema import check_fields, integer, optional

if TYPE_CHECKING:
    from typing_extensions import Self

SEED = optional(integer(0, 2**32 - 1))


class KSWIN(ErrorWindow):
    """The newest errors of a window, tested against as many drawn from those before them.

    The test is that of Kolmogorov and Smirnov: how far the distributions of the two samples are
    apart at most. So it sees changes of any kind, of a loss as of its spread; of errors that are 0
    or 1 it sees the difference of means. After a change all but the newest errors are forgotten.

    Parameters
    ----------
    level : float, default=0.005
        The level of one test; there is one with every error once the window is full, so it must
        be small. By the bound of [1]_ the test is really one at about twice this level.
    window_size : int, default=100
        Errors kept; at least twice `sample_size`.
    sample_size : int, default=30
        Errors in either sample: the newest, and those drawn without replacement from the others.
    exact : bool, default=False
        Which distances are a change: those above ``sqrt(-log(level) / sample_size)``, as in [1]_,
        or, if this is True, those of which the exact test says that chance reaches them with a
        probability of at most `level`, as in river.
    random_state : int or None, default=None
        Seed of the draws; None for another one with every detector.

    Attributes
    ----------
    drift_detected : bool
        Whether the last error showed a change.
    rising : bool
        Whether the newest errors of that change have a higher mean than those before them: things
        got worse, not better.
    distance : float
        The distance that the last error made, from 0 to 1; 0 while the window is not full.
    n_detections : int
        Changes since the start or the last `reset`.
    estimate : float
        Mean of the errors in the window; 0 while it is empty.
    width : int
        Number of errors in the window.

    Notes
    -----
    After a change the window keeps its newest `sample_size` errors. So does the code of [1]_'s
    authors; river keeps none. For errors that are 0 or 1 both limits are cautious, because they
    hold for values without ties.

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

    _engine = SampledWindow
    _settings = ("level", "window_size", "sample_size", "exact")
    _rule = f"a number from {-LARGEST_ERROR:g} to {LARGEST_ERROR:g}"

    def __init__(
        self,
        level: float = 0.005,
        window_size: int = 100,
        sample_size: int = 30,
        exact: bool = False,
        random_state: int | None = None,
    ):
        self.level = level
        self.window_size = window_size
        self.sample_size = sample_size
        self.exact = exact
        self.random_state = random_state
        self.reset()

    def _new_window(self, *settings: Any) -> Any:
        check_fields(type(self), {"random_state": self.random_state}, {"random_state": SEED})
        return self._engine(*settings, np.random.default_rng(self.random_state))

    @staticmethod
    def _fits(error: Any) -> Any:
        return abs(error) <= LARGEST_ERROR

    def update(self, error: float) -> bool:
        """Take in one error; return whether it showed a change.

        Parameters
        ----------
        error : float
            1 if the prediction was wrong and 0 if it was right, or any loss.

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

    @property
    def distance(self) -> float:
        """How far the distributions of the two samples are apart at most."""
        return float(self._window.distance / self.sample_size)

    def get_state(self) -> dict[str, Any]:
        """Return parameters and content: a dict of arrays, numbers and a generator."""
        return {**super().get_state(), "random_state": self.random_state}

    def set_state(self, state: dict[str, Any]) -> Self:
        """Become the detector whose `get_state` this was; return self."""
        self.random_state = state["random_state"]
        return super().set_state(state)
