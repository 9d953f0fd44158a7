# cython: infer_types=True
"""AdaBoost on a sliding window, trained anew at every mistake."""

from __future__ import annotations

from numbers import Integral
from typing import Any

import cython
import numpy as np
from cython.cimports.libc.math import exp, log
from sklearn.utils._param_validation import Interval

if not cython.compiled:
    from driftlearn.ensemble.boosting._boosted_engine import BoostedEngine

from driftlearn.ensemble.boosting._boosted_classifier import BoostedClassifier
from driftlearn.io.schema import LARGEST, a, parameters

# The confidence of a first round that is no better than chance: it is all there is to vote.
LEAST = cython.declare(cython.double, 1e-6)
# An error this close to chance is at chance: the rest is rounding.
ROUNDING = cython.declare(cython.double, 1e-9)


@cython.annotation_typing(False)
class WindowedAdaBoostClassifier(BoostedClassifier):
    """AdaBoost on the newest rows: all rounds are trained from nothing whenever it errs.

    The ensemble is asked about a row before it learns it; where it errs, AdaBoost starts afresh
    on the window, of which the row is then part. It is what IBoost does without the old
    members' help, and what IBoost is measured against. With more than two classes in the
    window it is SAMME.

    Parameters
    ----------
    estimator : classifier, optional
        Base learner, `StumpClassifier` by default. Stumps, `GaussianNBClassifier` and
        `HoeffdingTreeClassifier` run in the compiled loop, any scikit-learn classifier is called
        from it.
    n_estimators : int, default=200
        Rounds of AdaBoost, at most: it ends when the base learner finds nothing better than
        chance, or nothing wrong.
    window_size : int, default=200
        Rows of the window.
    period : int, default=1
        It is trained anew only at rows whose number is a multiple of this.
    resample : bool, default=False
        Train members, unweighted, on as many rows as the window has, drawn from it by their
        weights with replacement. Errors are those on the weighted window either way.
    class_weight : {"balanced"}, dict or None, default=None
        What the rows of a class count for, times their weights: by label, 1 where not named, or
        "balanced": n / (k * rows of the class), of the n rows and k classes so far; at most 100.
    random_state : int, Generator, RandomState or None
        Decides what is random in the base learner, and draws rows.

    Attributes
    ----------
    classes_ : ndarray
        The labels, sorted.
    members_ : Table
        One row a member: number, row of birth, confidence (``weight``), error on the window,
        classes in the rows that it was trained on, size.
    n_members_ : int
        Their number.
    estimators_ : list
        The models.
    history_ : History
        Confidences every 200 rows, coarser as the stream grows.
    committee_ : BoostedCommittee
        The members, and the window.
    engine_ : WindowedAdaBoost
        The algorithm.

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

    STATE = {**BoostedClassifier.STATE, "engine_": a("WindowedAdaBoost")}
    _parameter_constraints = {
        **BoostedClassifier._parameter_constraints,
        "window_size": [Interval(Integral, 1, LARGEST, closed="both")],
        "period": [Interval(Integral, 1, LARGEST, closed="both")],
        "resample": ["boolean"],
    }

    def __init__(
        self,
        estimator: Any = None,
        n_estimators: int = 200,
        *,
        window_size: int = 200,
        period: int = 1,
        resample: bool = False,
        class_weight: Any = None,
        random_state: Any = None,
    ):
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.window_size = window_size
        self.period = period
        self.resample = resample
        self.class_weight = class_weight
        self.random_state = random_state

    def _window_rows(self) -> int:
        return self.window_size

    def _new_engine(self) -> WindowedAdaBoost:
        return WindowedAdaBoost(self.committee_, self._options())


@cython.final
@cython.cclass
class WindowedAdaBoost(BoostedEngine):
    """The algorithm: slide the window, and where the ensemble erred boost anew.

    Parameters
    ----------
    committee : BoostedCommittee
        The members, none yet.
    options : dict
        The parameters of `WindowedAdaBoostClassifier` by their names.
    """

    STATE = {**BoostedEngine.STATE, "options": parameters(WindowedAdaBoostClassifier, "resample")}

    def _prepare(self):
        self.n_estimators = self.options["n_estimators"]
        self.period = self.options["period"]
        if self.period < 1:
            raise ValueError(f"period={self.period} of AdaBoost on a window")

    def learn_one(self, X, i, y, w, wrong):
        """Learn row `i` of `X`, the row in hand; `wrong` says whether the ensemble erred on it."""
        anew: cython.bint = self.may_train(wrong)
        self.committee.slide(X, i, y, w)
        if anew:
            boost(self.committee, self.n_estimators)

    def may_train(self, wrong):
        """Say whether the row in hand leads to new members."""
        due: cython.bint = (self.committee.n_rows + 1) % self.period == 0
        return self.committee.models.n == 0 or (due and wrong)


def boost(committee, n_rounds):
    """Put the rounds of AdaBoost on a committee's window in the place of its members.

    A round's confidence is ``1/2 (ln((1 - e) / e) + ln(K - 1))`` with K classes in the window, the
    error e at least half a row; weights are ``w exp(-z)`` with the margin ``z`` the sum of the
    confidences that are right minus those that are wrong. With two classes that is AdaBoost, with
    more SAMME. It ends before a round that is no better than chance (the first is kept all the
    same, with next to no confidence) and after one without error.

    Parameters
    ----------
    committee : BoostedCommittee
        The members and the window.
    n_rounds : int
        The most rounds.
    """
    window = committee.window
    n: cython.Py_ssize_t = window.n
    w: cython.double[::1] = window.w[window.start : window.start + n]
    y: cython.Py_ssize_t[::1] = window.y[window.start : window.start + n]
    K: cython.double = max(2, window.n_present)
    floor: cython.double = 1.0 / (2 * max(2, n))
    z: cython.double[::1] = np.zeros(n)
    D: cython.double[::1] = np.empty(n)
    committee.keep(0)
    while committee.models.n < n_rounds:
        total = _weigh(w, z, D)
        committee.train(D)
        error = _missed(y, committee.said, D) / total
        too_weak: cython.bint = error * K >= K - 1 - ROUNDING
        if too_weak and committee.models.n > 0:
            break
        e = min(max(error, floor), 1 - floor)
        alpha = max(LEAST, 0.5 * (log((1 - e) / e) + log(K - 1)))
        committee.admit(alpha)
        if too_weak or error == 0:
            break
        for k in range(n):
            z[k] += alpha if committee.said[k] == y[k] else -alpha


def _weigh(w, z, D):
    """Write the weights of the rows by their margins, up to a common factor; return the sum."""
    low: cython.double = z[0]
    total: cython.double = 0.0
    for k in range(z.shape[0]):
        low = min(low, z[k])
    for k in range(z.shape[0]):
        D[k] = w[k] * exp(low - z[k])
        total += D[k]
    return total


def _missed(y, said, D):
    """Return the weight of the rows about which it is wrong what was said."""
    missed: cython.double = 0.0
    for k in range(y.shape[0]):
        if said[k] != y[k]:
            missed += D[k]
    return missed
