# cython: infer_types=True
"""AdaBoost on a sliding window, retrained after every error."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from numbers import Integral

import cython
import numpy as np
from cython.cimports.libc.math import exp, log
from sklearn.utils._param_validation import Interval

from driftlearn.ensemble.boosting._boosted_classifier import BoostedClassifier
from driftlearn.ensemble.boosting._boosted_engine import BoostedEngine
from driftlearn.io.schema import LARGEST, a, parameters

# Confidence of a first member that is no better than chance; it must still determine the
# prediction.
LEAST = cython.declare(cython.double, 1e-6)
# Errors within this distance of chance level count as chance, because of rounding.
ROUNDING = cython.declare(cython.double, 1e-9)


@cython.annotation_typing(False)
@dataclass(eq=False, repr=False)
class WindowedAdaBoostClassifier(BoostedClassifier):
    """AdaBoost on a sliding window of recent rows, retrained after every misclassified row.

    The ensemble predicts each row before training on it. If the prediction is wrong, all members
    are retrained by AdaBoost on the window, including the new row. This is the baseline of IBoost
    [3]_, which keeps its old members and updates their confidences instead. With more than two
    classes in the window, the algorithm is SAMME [2]_.

    Parameters
    ----------
    estimator : classifier, optional
        Base learner, `StumpClassifier` by default. Stumps, `GaussianNBClassifier` and
        `HoeffdingTreeClassifier` run in the compiled loop, which can also call any scikit-learn
        classifier.
    n_estimators : int, default=200
        Maximum number of rounds of AdaBoost, which stops when the base learner is no better than
        chance or makes no error.
    window_size : int, default=200
        Number of rows in the window.
    period : int, default=1
        The ensemble is retrained only at rows whose number is a multiple of this.
    resample : bool, default=False
        Train each member on an unweighted sample of the window's size, drawn with replacement by
        the row weights. Errors are computed on the weighted window in either case.
    nominal_features : array-like, optional
        Columns (positions or a mask) that contain category codes. They are passed to the base
        learner if it has this parameter, unless its own value is set.
    class_weight : {"balanced"}, dict or None, default=None
        Class weights, by which row weights are multiplied: a dict from label to weight (1 for
        labels not listed), or "balanced": n / (k * rows of the class), for the n rows and k classes
        so far, at most 100.
    random_state : int, Generator, RandomState or None
        Seed of the base learner's randomness and of the row samples.

    Attributes
    ----------
    classes_ : ndarray
        The labels, sorted.
    members_ : Table
        One row per member: id, row at which it was created, confidence (``weight``), error on the
        window, classes trained on, size.
    n_members_ : int
        Number of members.
    estimators_ : list
        The members' models.
    history_ : History
        The confidences every 200 rows; the interval doubles as the stream grows.
    committee_ : BoostedCommittee
        The members, and the window.
    engine_ : WindowedAdaBoost
        The compiled algorithm.

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

    n_estimators: int = 200
    _: KW_ONLY
    window_size: int = 200
    period: int = 1
    resample: bool = False

    STATE = {"engine_": a("WindowedAdaBoost")}
    _parameter_constraints = {
        "window_size": [Interval(Integral, 1, LARGEST, closed="both")],
        "period": [Interval(Integral, 1, LARGEST, closed="both")],
        "resample": ["boolean"],
    }

    def _window_rows(self) -> int:
        return self.window_size

    def _new_engine(self) -> WindowedAdaBoost:
        return WindowedAdaBoost(self.committee_, self._options())


@cython.final
@cython.cclass
class WindowedAdaBoost(BoostedEngine):
    """Engine that slides the window and retrains all members by AdaBoost after an error.

    Parameters
    ----------
    committee : BoostedCommittee
        The members; initially none.
    options : dict
        The parameters of `WindowedAdaBoostClassifier` by name.
    """

    STATE = {**BoostedEngine.STATE, "options": parameters(WindowedAdaBoostClassifier, "resample")}

    def _prepare(self):
        self.n_estimators = self.options["n_estimators"]
        self.period = self.options["period"]
        if self.period < 1:
            raise ValueError(
                f"The 'period' option of WindowedAdaBoost must be at least 1. Got {self.period}."
            )

    def learn_one(self, X, i, y, w, wrong):
        """Train on row `i` of `X`, the current row, which the ensemble misclassified if `wrong`."""
        retrain: cython.bint = self.may_train(wrong)
        self.committee.slide(X, i, y, w)
        if retrain:
            boost(self.committee, self.n_estimators)

    def may_train(self, wrong):
        """Return whether training on the current row replaces the members."""
        due: cython.bint = (self.committee.n_rows + 1) % self.period == 0
        return self.committee.models.n == 0 or (due and wrong)


def boost(committee, n_rounds):
    """Replace the members of a committee by training AdaBoost on its window.

    The confidence of a round's member is ``1/2 (ln((1 - e) / e) + ln(K - 1))`` with K classes in
    the window and the error e bounded below by half a row. Row weights are ``w exp(-z)``, where the
    margin ``z`` is the sum of the confidences of members that are right minus those that are wrong.
    With two classes this is AdaBoost, with more classes SAMME. Training stops before a member that
    is no better than chance (the first member is kept, with a tiny confidence) and after a member
    without errors.

    Parameters
    ----------
    committee : BoostedCommittee
        The members and the window.
    n_rounds : int
        Maximum number of rounds.
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
        error = _missed(y, committee.predicted, D) / total
        # With K classes, chance level is an error of (K - 1) / K.
        too_weak: cython.bint = error * K >= K - 1 - ROUNDING
        if too_weak and committee.models.n > 0:
            break
        e = min(max(error, floor), 1 - floor)
        alpha = max(LEAST, 0.5 * (log((1 - e) / e) + log(K - 1)))
        committee.admit(alpha)
        if too_weak or error == 0:
            break
        for k in range(n):
            z[k] += alpha if committee.predicted[k] == y[k] else -alpha


def _weigh(w, z, D):
    """Write the row weights computed from margins, up to a common factor; return their sum."""
    low: cython.double = z[0]
    total: cython.double = 0.0
    for k in range(z.shape[0]):
        low = min(low, z[k])
    for k in range(z.shape[0]):
        # Subtracting the smallest margin keeps exp from overflowing; errors are ratios of weights.
        D[k] = w[k] * exp(low - z[k])
        total += D[k]
    return total


def _missed(y, predicted, D):
    """Return the weight of the rows with wrong predictions."""
    missed: cython.double = 0.0
    for k in range(y.shape[0]):
        if predicted[k] != y[k]:
            missed += D[k]
    return missed
