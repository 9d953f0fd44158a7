# cython: infer_types=True
"""Online boosting (OnlineBoost) of Oza and Russell."""

from dataclasses import KW_ONLY, dataclass
from numbers import Real
from typing import Any

import cython
import numpy as np
from cython.cimports.libc.math import log
from sklearn.utils._param_validation import Interval, StrOptions

if not cython.compiled:
    from driftlearn.drift._adwin_window import AdaptiveWindow
    from driftlearn.ensemble._row_engine import RowEngine
    from driftlearn.utils._poisson import poisson
    from driftlearn.utils._row_pointers import row_at, start_of

from driftlearn.ensemble._committee_checks import committee_of
from driftlearn.ensemble._engine_classifier import EngineClassifier, EngineCounter
from driftlearn.io.schema import a, flag, integer, newer
from driftlearn.naive_bayes.gaussian_nb import GaussianNBClassifier
from driftlearn.utils.docstrings import inherit_docs

COLUMNS = "right", "wrong", "trained"
RIGHT = cython.declare(cython.int, 2)
WRONG = cython.declare(cython.int, 3)
TRAINED = cython.declare(cython.int, 4)
# Upper bound of the weight passed along the chain. Members that are almost never wrong would
# otherwise increase it without limit.
MOST_WEIGHT = cython.declare(cython.double, 100.0)


@cython.annotation_typing(False)
@dataclass(eq=False, repr=False)
class BoostChainFamily(EngineClassifier):
    """Base class of classifiers with a boosting chain.

    Parameters
    ----------
    estimator : classifier with `partial_fit`, optional
        The base learner; by default a Hoeffding tree that splits early,
        ``HoeffdingTreeClassifier(grace_period=50, delta=0.01)``. Hoeffding trees and
        `GaussianNBClassifier` run compiled; other classifiers are called from the same loop.
        Third-party classifiers do not accept new classes: such a member is replaced by a new one at
        the first row of a new class, unless the first call declares all labels with `classes`.
    n_estimators : int, default=20
        Number of members in the chain.
    nominal_features : array-like, optional
        Columns (positions or a mask) that contain category codes. They are passed to the base
        learner if it has this parameter, unless its own value is set.
    class_weight : {"balanced"}, dict or None, default=None
        Class weights, by which row weights are multiplied: a dict from label to weight (1 for
        labels not listed), or "balanced": n / (k * rows of the class), for the n rows and k classes
        so far, at most 100.
    random_state : int, Generator, RandomState or None
        Seed of the Poisson draws.

    Attributes
    ----------
    classes_ : ndarray
        The labels, sorted.
    n_members_, n_rows_ : int
        Number of members; number of rows trained on.
    estimators_ : list
        The members' models.
    history_ : History
        The voting weights every 200 rows; the interval doubles as the stream grows.
    committee_ : OnlineCommittee
        The members' models and statistics.
    """

    n_estimators: int = 20
    _: KW_ONLY
    vote: str = "soft"

    _columns = COLUMNS
    _numbers_per_estimator = 1
    _parameter_constraints = {"vote": [StrOptions({"soft", "majority"})]}

    def _new_chain(self) -> Any:
        return BoostChain(self.committee_, self.vote == "soft")


@cython.annotation_typing(False)
@inherit_docs
@dataclass(eq=False, repr=False)
class OnlineBoostClassifier(BoostChainFamily):
    """Online boosting classifier: a chain of online models that focus on each other's errors.

    A row passes along the chain with a weight that starts at 1. Each member is trained on the row
    Poisson(weight) times. If the member then classifies the row correctly, the weight decreases;
    otherwise it increases, such that correctly and wrongly classified rows each have half of the
    next member's total weight. Members vote with the log odds of being right.
    `NSOnlineBoostClassifier` and `FLCClassifier` add drift handling to this algorithm.

    Paper settings: `OnlineBoostClassifier.as_published()` has ``estimator=GaussianNBClassifier()``,
    ``n_estimators=100``, ``restart_delta=None``, ``vote="majority"``. With these settings, old rows
    never lose influence. After a million rows of one SEA concept, the accuracy 1,000, 3,000 and
    10,000 rows after a switch to the opposite concept is 12, 72 and 88 %; with the defaults, which
    allow a restart, it is 97, 99 and 99 % (``benchmarks/come_back.py``).

    Parameters
    ----------
    %(estimator)s
    %(n_estimators)s
    restart_delta : float or None, default=0.002
        Confidence parameter of an ADWIN that monitors the ensemble's prequential error. When it
        detects an increase, all members are replaced by new ones, which are then trained on the
        row. A false alarm discards everything learned so far; smaller values make false alarms
        rarer. None disables restarts, as in the paper.
    vote : {"soft", "majority"}, default="soft"
        Whether members vote with class probabilities times their weight, or with their weight for
        one label, as in the paper. The detector monitors this combined prediction; whether a member
        is right depends on its label.
    %(nominal_features)s
    %(class_weight)s
    %(random_state)s

    Attributes
    ----------
    %(classes_)s
    members_ : Table
        One row per member: ``id``, ``created_at`` (number of the row), ``weight`` (voting weight),
        ``error``, ``classes`` (the labels it was trained on), ``size``, ``bytes``.
    %(n_members_)s
    n_restarts_ : int
        Number of times that all members were replaced.
    %(estimators_)s
    %(history_)s
    %(committee_)s
    engine_ : BoostChain or RestartingChain
        The compiled algorithm.

    Notes
    -----
    The row's weight is added to a member's sums before they are used, as in the original paper and
    in MOA; Grbovic and Vucetic (2011) print the opposite order, which divides by zero. A member
    whose error is not below 1/2 does not vote, but continues to be trained.

    References
    ----------
    .. [1] N. Oza, S. Russell, "Experimental comparisons of online and batch versions of bagging
       and boosting", Knowledge Discovery and Data Mining, 2001, doi:10.1145/502512.502565.

    Examples
    --------
    >>> from driftlearn import OnlineBoostClassifier
    >>> from driftlearn.streams import SEA
    >>> stream = SEA(thresholds=(8,), n_rows=5_000, noise=0.0, random_state=0)
    >>> model = OnlineBoostClassifier(n_estimators=20, random_state=0)
    >>> for batch in stream.chunks(1_000):
    ...     model = model.partial_fit(batch.X, batch.y)
    >>> model.score(*stream.test_set(4_999, 1_000, random_state=1))
    0.988
    """

    _: KW_ONLY
    restart_delta: float | None = 0.002

    PUBLISHED = {
        "estimator": GaussianNBClassifier(),
        "n_estimators": 100,
        "restart_delta": None,
        "vote": "majority",
    }
    STATE = {"engine_": a("BoostChain", "RestartingChain")}
    _only_members_use_rows = True
    n_restarts_ = EngineCounter("Number of times that all members were replaced.")
    _parameter_constraints = {"restart_delta": [Interval(Real, 0, 1, closed="neither"), None]}

    def _new_engine(self) -> Any:
        chain = self._new_chain()
        if self.restart_delta is None:
            return chain
        return RestartingChain(chain, AdaptiveWindow(self.restart_delta))


@cython.cclass
class BoostChain(RowEngine):
    """Boosting chain of Oza and Russell: members' errors increase a row's weight along the chain.

    Each member has two sums: the weights of the rows that it classified correctly, and wrongly,
    after training on them.

    Parameters
    ----------
    committee : OnlineCommittee
        The members, with the columns `COLUMNS`.
    soft : bool
        Whether members vote with probabilities instead of labels.

    Notes
    -----
    A row's own weight `w` multiplies both the training weight and the terms of the sums; the weight
    passed along the chain starts at 1 and is bounded. Untrained members abstain and are skipped.
    """

    STATE = {"committee": committee_of(COLUMNS), "soft": newer(flag())}

    def __init__(self, committee, soft):
        self.soft = soft
        RowEngine.__init__(self, committee, None)

    def set_state(self, state):
        """Restore the state, which may have been saved by a version without soft votes."""
        super().set_state({"soft": False, **state})

    def _learn_row(self, i, votes):
        if self.keeps_votes:
            self.vote(row_at(self.X, i), start_of(votes))
        return self.boost(row_at(self.X, i), self.y[i], self.w[i], row_at(self.u, i))

    def boost(self, row, y, w, u):
        """Pass a row along the chain, with a uniform random number for each member."""
        lam: cython.double = 1.0
        self.committee.mark_seen(y)
        for j in range(self.committee.numbers.shape[0]):
            # Inverting a given uniform number makes the draw independent of how rows are split into
            # calls.
            k = poisson(u[j], lam)
            if k > 0:
                self.train(j, row, y, k * w)
            predicted = self.committee.predict_once(j, row)
            if predicted < 0:
                continue
            self.count(j, predicted == y, lam * w)
            e = self.error(j)
            # Oza and Russell: lambda / (2 (1 - e)) if right, lambda / (2 e) if wrong.
            # Extreme row weights may round the share to 0.
            share: cython.double = 1.0 - e if predicted == y else e
            lam = min(lam * (1.0 / (2.0 * share)), MOST_WEIGHT) if share > 0.0 else MOST_WEIGHT
        return 0

    def train(self, j, row, y, w):
        """Train member `j` on a row."""
        self.committee.update_tested_row(j, row, y, w)
        self.committee.numbers[j, TRAINED] += 1.0
        return 0

    def n_learned(self, j):
        """Return the number of rows on which member `j` was trained."""
        return self.committee.numbers[j, TRAINED]

    def count(self, j, is_right, weight):
        """Add a weight to the sum of correct or wrong predictions of member `j`."""
        self.committee.numbers[j, RIGHT if is_right else WRONG] += weight

    def error(self, j):
        """Return the weighted error of member `j`; 1/2 before its first prediction."""
        right = self.committee.numbers[j, RIGHT]
        wrong = self.committee.numbers[j, WRONG]
        return wrong / (right + wrong) if right + wrong > 0.0 else 0.5

    def vote_weight(self, j):
        """Return log((1 - e) / e) if e < 1/2, else 0; e is bounded below by half a row."""
        n = self.committee.numbers[j, RIGHT] + self.committee.numbers[j, WRONG]
        if n == 0.0:
            return 0.0
        # The bound of half a row keeps the weight of a member without errors finite.
        e = max(self.committee.numbers[j, WRONG], 0.5) / n
        return log((1.0 - e) / e) if e < 0.5 else 0.0

    def vote(self, row, votes):
        """Write the members' votes on a row."""
        for j in range(self.committee.numbers.shape[0]):
            self.committee.vote_weights[j] = self.vote_weight(j)
        return self.combine(row, votes)

    def restart(self, i, draws):
        """Replace all members by new ones, at row `i`."""
        # All models are created first, so that an error leaves the committee unchanged.
        models = [draws.new_model(i) for _ in range(len(self.committee))]
        for j, model in enumerate(models):
            self.committee.replace(j, model)

    def weights(self):
        """Return the voting weight of each member."""
        return np.array([self.vote_weight(j) for j in range(len(self.committee))])

    def member_errors(self):
        """Return the weighted error of each member; nan before its first prediction."""
        right, wrong = self.committee["right"], self.committee["wrong"]
        return np.where(right + wrong > 0, wrong / np.maximum(right + wrong, 1e-300), np.nan)


@cython.cclass
class ChainEngine(RowEngine):
    """Base class of engines that extend a boosting chain, stored as ``chain``."""

    def _prepare(self):
        self.committee = self.chain.committee
        RowEngine._prepare(self)

    def weights(self):
        """Return the voting weight of each member."""
        return self.chain.weights()

    def member_errors(self):
        """Return the weighted error of each member; nan before its first prediction."""
        return self.chain.member_errors()

    def combined(self, X, weights):
        """Return the votes with these voting weights: (rows, classes)."""
        return self.chain.combined(X, weights)


@cython.cclass
class RestartingChain(ChainEngine):
    """Boosting chain with a drift detector; all members are replaced when the error increases.

    Parameters
    ----------
    chain : BoostChain
        The members.
    detector : AdaptiveWindow
        Monitors the ensemble's error on each row before training on it, once a member is trained.
    """

    STATE = {"chain": a(BoostChain), "detector": a(AdaptiveWindow), "n_restarts": integer(0)}

    def __init__(self, chain, detector):
        self.chain = chain
        self.detector = detector
        self.n_restarts = 0
        self._prepare()

    def _learn_row(self, i, votes):
        row = row_at(self.X, i)
        self.chain.vote(row, start_of(votes))
        if self._worse(start_of(votes), self.y[i]):
            self.chain.restart(i, self.draws)
            self.detector = self.detector.fresh()
            self.n_restarts += 1
        return self.chain.boost(row, self.y[i], self.w[i], row_at(self.u, i))

    def _worse(self, votes, y):
        """Update the detector with the ensemble's error; return whether the error has increased."""
        if not self._any_member_trained():
            return False
        error: cython.double = self.committee.best_class_of(votes) != y
        self.detector.update(error)
        return self.detector.rising

    def _any_member_trained(self):
        """Return whether any member has been trained and evaluated on a row."""
        for j in range(self.committee.numbers.shape[0]):
            if self.committee.numbers[j, RIGHT] + self.committee.numbers[j, WRONG] > 0.0:
                return True
        return False
