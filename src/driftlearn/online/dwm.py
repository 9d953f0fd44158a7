"""DWM, the dynamic weighted majority."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any

import numpy as np
from sklearn.utils._param_validation import Interval, StrOptions

from driftlearn.kernels.dwm import Majority
from driftlearn.online._learners import LearnerEnsembleClassifier


class DWMClassifier(LearnerEnsembleClassifier):
    """DWM: experts who lose weight with their mistakes; a mistake of all brings in a new one.

    Every `period` rows experts whose weight has fallen below `theta` go, and where the weighted
    vote on that row was wrong a fresh expert of weight 1 comes.

    Parameters
    ----------
    estimator : classifier with `partial_fit`, optional
        As in `OnlineBoostClassifier`.
    n_estimators : int or None, default=10
        The most experts; where there is no room the lightest goes. None is no limit.
    beta : float, default=0.5
        What a mistake multiplies an expert's weight by.
    theta : float, default=0.01
        Weight, the heaviest counting as 1, below which an expert goes; the last one stays.
    period : int, default=50
        Rows between two changes of membership.
    variant : {"original", "windowed"}, default="original"
        In [1]_ mistakes count only every `period` rows, and a fresh expert begins with the row in
        hand. In S3's form ("windowed") they count at every row, and a fresh expert learns a
        window of the latest rows at once.
    window_size : int, default=200
        Rows of that window, S3's n.
    online_update : bool, default=True
        Whether the older experts of the windowed form go on learning. S3's text says so, its
        table says the opposite.
    random_state : int, Generator, RandomState or None
        Seeds base learners that are random; the algorithm itself is not.

    Attributes
    ----------
    classes_, members_, n_members_, estimators_, history_
        As in `OnlineBoostClassifier`; ``error`` is the share of mistakes among those that
        counted.
    team_ : driftlearn.kernels.dwm.Majority
        The compiled ensemble and its window.

    References
    ----------
    .. [1] J. Z. Kolter, M. A. Maloof, "Dynamic Weighted Majority: An Ensemble Method for
       Drifting Concepts", Journal of Machine Learning Research 8, 2007.

    Examples
    --------
    >>> from driftlearn.online import DWMClassifier
    >>> from driftlearn.streams import SEA
    >>> stream, model = SEA(n_rows=8_000, noise=0.0, random_state=0), DWMClassifier()
    >>> for batch in stream.chunks(1_000):
    ...     model = model.partial_fit(batch.X, batch.y)
    >>> model.score(*stream.test_set(7_999, 1_000, random_state=1))
    0.968
    """

    _parameter_constraints = {
        **LearnerEnsembleClassifier._parameter_constraints,
        "n_estimators": [Interval(Integral, 1, None, closed="left"), None],
        "beta": [Interval(Real, 0, 1, closed="neither")],
        "theta": [Interval(Real, 0, 1, closed="left")],
        "period": [Interval(Integral, 1, None, closed="left")],
        "variant": [StrOptions({"original", "windowed"})],
        "window_size": [Interval(Integral, 1, None, closed="left")],
        "online_update": ["boolean"],
    }

    def __init__(
        self,
        estimator: Any = None,
        n_estimators: int | None = 10,
        *,
        beta: float = 0.5,
        theta: float = 0.01,
        period: int = 50,
        variant: str = "original",
        window_size: int = 200,
        online_update: bool = True,
        random_state: Any = None,
    ):
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.beta = beta
        self.theta = theta
        self.period = period
        self.variant = variant
        self.window_size = window_size
        self.online_update = online_update
        self.random_state = random_state

    def _team(self) -> Majority:
        team = Majority(
            self.n_features_in_,
            len(self.classes_),
            beta=self.beta,
            theta=self.theta,
            period=self.period,
            limit=self.n_estimators or 0,
            window_size=self.window_size if self.variant == "windowed" else 0,
            online_update=self.online_update,
        )
        team.add(self._fresh(self._seed()))
        return team

    def _learn_rows(self, X: np.ndarray, y: np.ndarray, w: np.ndarray) -> None:
        self.team_.learn(X, y, w, lambda: self._fresh(self._seed()))
