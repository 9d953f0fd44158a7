"""AdaBoost on a sliding window, trained anew at every mistake."""

from __future__ import annotations

from numbers import Integral
from typing import Any

from sklearn.utils._param_validation import Interval

from driftlearn.engines.row_window import RowWindow
from driftlearn.kernels.adaboost import WindowedAdaBoost
from driftlearn.online._boosted import BoostedClassifier


class WindowedAdaBoostClassifier(BoostedClassifier):
    """AdaBoost on the newest rows: all rounds are trained from nothing whenever it errs.

    The ensemble is asked about a row before it learns it; where it errs, AdaBoost starts afresh
    on the window, of which the row is then part. It is what IBoost does without the old
    members' help, and what IBoost is measured against. With more than two classes in the
    window it is SAMME.

    Parameters
    ----------
    estimator : classifier, optional
        Base learner, `StumpClassifier` by default; as in `IBoostClassifier`.
    n_estimators : int, default=200
        Rounds of AdaBoost, at most: it ends when the base learner finds nothing better than
        chance, or nothing wrong.
    window_size : int, default=200
        Rows of the window.
    period : int, default=1
        It is trained anew only at rows whose number is a multiple of this.
    random_state : int, Generator, RandomState or None
        Decides what is random in the base learner, and draws for one that takes no weights.

    Attributes
    ----------
    classes_, members_, n_members_, estimators_, history_
        As in `IBoostClassifier`.
    team_ : driftlearn.kernels.adaboost.WindowedAdaBoost
        The compiled ensemble.

    References
    ----------
    .. [1] Y. Freund, R. E. Schapire, "A Decision-Theoretic Generalization of On-Line Learning and
       an Application to Boosting", Journal of Computer and System Sciences 55(1), 1997,
       doi:10.1006/jcss.1997.1504.
    .. [2] J. Zhu, H. Zou, S. Rosset, T. Hastie, "Multi-class AdaBoost", Statistics and Its
       Interface 2(3), 2009, doi:10.4310/SII.2009.v2.n3.a8.
    .. [3] M. Grbovic, S. Vucetic, "Tracking Concept Change with Incremental Boosting by
       Minimization of the Evolving Exponential Loss", ECML PKDD 2011,
       doi:10.1007/978-3-642-23780-5_43.

    Examples
    --------
    >>> from driftlearn.streams import SEA
    >>> stream = SEA(n_rows=8_000, noise=0.0, random_state=0)
    >>> model = WindowedAdaBoostClassifier(n_estimators=50)
    >>> for batch in stream.chunks(1_000):
    ...     model = model.partial_fit(batch.X, batch.y)
    >>> model.score(*stream.test_set(7_999, 1_000, random_state=1))
    0.938
    """

    _parameter_constraints = {
        **BoostedClassifier._parameter_constraints,
        "window_size": [Interval(Integral, 1, None, closed="left")],
        "period": [Interval(Integral, 1, None, closed="left")],
    }

    def __init__(
        self,
        estimator: Any = None,
        n_estimators: int = 200,
        *,
        window_size: int = 200,
        period: int = 1,
        random_state: Any = None,
    ):
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.window_size = window_size
        self.period = period
        self.random_state = random_state

    def _team(self) -> WindowedAdaBoost:
        window = RowWindow(self.n_features_in_, len(self.classes_), self.window_size)
        return WindowedAdaBoost(window, self._members(), self.n_estimators, self.period)
