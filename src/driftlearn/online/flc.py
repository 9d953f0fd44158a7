"""FLC, the fast and light classifier."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any

from sklearn.utils._param_validation import Interval, StrOptions

from driftlearn.engines.adaptive_window import AdaptiveWindow
from driftlearn.engines.split_window import SplitWindow
from driftlearn.kernels.flc import FLCBoosting
from driftlearn.online._learners import PoissonEnsembleClassifier


class FLCClassifier(PoissonEnsembleClassifier):
    """FLC: OnlineBoost that jolts its members when its own errors change.

    A detector is fed the error of the vote on each row before the row is learned. On a change
    every member learns the row with the weight of its own odds, (1 - e) / e, instead of one
    handed along the chain: the surest learn it hardest.

    Parameters
    ----------
    estimator : classifier with `partial_fit`, optional
        As in `OnlineBoostClassifier`.
    n_estimators : int, default=50
        Length of the chain, S3's M.
    detector : {"adwin", "sd"}, default="adwin"
        AdaptiveWindow, or the window of [1]_: see `driftlearn.drift.DeviationWindow`.
    delta : float, default=0.002
        AdaptiveWindow's confidence.
    window_size : int, default=200
        Errors kept by "sd", S3's n.
    k_sd : float, default=3.3
        Standard errors between the means of two parts of the window that make a change. S3
        compares with the standard deviation of single errors, which needs a far larger change.
    min_sub : int, default=30
        Errors that either part has at least.
    replace_worst_on_change : bool, default=False
        Whether a change also replaces the member with the largest error. S3's table says that
        FLC adds and removes members, its text describes no such thing.
    random_state : int, Generator, RandomState or None
        Decides the draws.

    Attributes
    ----------
    classes_, members_, n_members_, estimators_, history_
        As in `OnlineBoostClassifier`.
    n_changes_ : int
        Changes detected, in either direction.
    team_ : driftlearn.kernels.flc.FLCBoosting
        The compiled ensemble and its detector.

    References
    ----------
    .. [1] V. Attar, P. Sinha, K. Wankhade, "A fast and light classifier for data streams",
       Evolving Systems 1(3), 2010, doi:10.1007/s12530-010-9010-2.

    Examples
    --------
    >>> from driftlearn.online import FLCClassifier
    >>> from driftlearn.streams import SEA
    >>> stream = SEA(n_rows=8_000, noise=0.0, random_state=0)
    >>> model = FLCClassifier(n_estimators=10, random_state=0)
    >>> for batch in stream.chunks(1_000):
    ...     model = model.partial_fit(batch.X, batch.y)
    >>> model.score(*stream.test_set(7_999, 1_000, random_state=1))
    0.898
    >>> model.n_changes_
    2
    """

    _parameter_constraints = {
        **PoissonEnsembleClassifier._parameter_constraints,
        "detector": [StrOptions({"adwin", "sd"})],
        "delta": [Interval(Real, 0, 1, closed="neither")],
        "window_size": [Interval(Integral, 2, None, closed="left")],
        "k_sd": [Interval(Real, 0, None, closed="neither")],
        "min_sub": [Interval(Integral, 1, None, closed="left")],
        "replace_worst_on_change": ["boolean"],
    }

    def __init__(
        self,
        estimator: Any = None,
        n_estimators: int = 50,
        *,
        detector: str = "adwin",
        delta: float = 0.002,
        window_size: int = 200,
        k_sd: float = 3.3,
        min_sub: int = 30,
        replace_worst_on_change: bool = False,
        random_state: Any = None,
    ):
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.detector = detector
        self.delta = delta
        self.window_size = window_size
        self.k_sd = k_sd
        self.min_sub = min_sub
        self.replace_worst_on_change = replace_worst_on_change
        self.random_state = random_state

    @property
    def n_changes_(self) -> int:
        """Changes detected."""
        self._check_fitted()
        return int(self.team_.n_changes)

    def _team(self) -> FLCBoosting:
        if self.detector == "adwin":
            detector = AdaptiveWindow(self.delta)
        else:
            detector = SplitWindow(self.window_size, self.k_sd, self.min_sub)
        shape = self.n_features_in_, len(self.classes_)
        return self._filled(FLCBoosting(*shape, detector, self.replace_worst_on_change))
