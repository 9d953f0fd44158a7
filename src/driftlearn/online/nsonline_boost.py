"""NSOnlineBoost, online boosting that dismisses members that do harm now."""

from __future__ import annotations

from numbers import Integral
from typing import Any

from sklearn.utils._param_validation import Interval

from driftlearn.kernels.boosting import NSBoosting
from driftlearn.online._learners import PoissonEnsembleClassifier


class NSOnlineBoostClassifier(PoissonEnsembleClassifier):
    """NSOnlineBoost: OnlineBoost that replaces a member where the latest rows fare better without.

    Every `period` rows the vote is tried on a window of the latest rows, with all mature members
    and without each of them. Where it errs less without one, the one whose absence helps most
    goes and a fresh member joins the end of the chain.

    Parameters
    ----------
    estimator : classifier with `partial_fit`, optional
        As in `OnlineBoostClassifier`.
    n_estimators : int, default=50
        Length of the chain, S3's M.
    window_size : int, default=200
        Rows of the window, S3's n.
    period : int, default=10
        Rows between two judgements, S3's p_ns.
    maturity : int, default=100
        Rows that a member has learned before it is judged and votes, S3's K_ns. While no member
        is mature all of them vote.
    random_state : int, Generator, RandomState or None
        Decides the draws.

    Attributes
    ----------
    classes_, members_, n_members_, estimators_, history_
        As in `OnlineBoostClassifier`; members that are not mature have weight 0.
    team_ : driftlearn.kernels.boosting.NSBoosting
        The compiled ensemble and its window.

    References
    ----------
    .. [1] A. Pocock, P. Yiapanis, J. Singer, M. Luján, G. Brown, "Online Non-Stationary
       Boosting", Multiple Classifier Systems, 2010, doi:10.1007/978-3-642-12127-2_21.

    Examples
    --------
    >>> from driftlearn.online import NSOnlineBoostClassifier
    >>> from driftlearn.streams import SEA
    >>> stream = SEA(n_rows=8_000, noise=0.0, random_state=0)
    >>> model = NSOnlineBoostClassifier(n_estimators=10, random_state=0)
    >>> for batch in stream.chunks(1_000):
    ...     model = model.partial_fit(batch.X, batch.y)
    >>> model.score(*stream.test_set(7_999, 1_000, random_state=1))
    0.931
    >>> print(model.members_["born"].max())
    7900
    """

    _parameter_constraints = {
        **PoissonEnsembleClassifier._parameter_constraints,
        "window_size": [Interval(Integral, 1, None, closed="left")],
        "period": [Interval(Integral, 1, None, closed="left")],
        "maturity": [Interval(Integral, 1, None, closed="left")],
    }

    def __init__(
        self,
        estimator: Any = None,
        n_estimators: int = 50,
        *,
        window_size: int = 200,
        period: int = 10,
        maturity: int = 100,
        random_state: Any = None,
    ):
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.window_size = window_size
        self.period = period
        self.maturity = maturity
        self.random_state = random_state

    def _team(self) -> NSBoosting:
        shape = self.n_features_in_, len(self.classes_)
        return self._filled(NSBoosting(*shape, self.window_size, self.period, self.maturity))
