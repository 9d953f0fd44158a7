# cython: infer_types=True
"""OnlineBoost, boosting one row at a time."""

from __future__ import annotations

from numbers import Real
from typing import Any

import cython
import numpy as np
from cython.cimports.libc.math import log
from sklearn.utils._param_validation import Interval, StrOptions

if not cython.compiled:
    from driftlearn.base._engine import Engine
    from driftlearn.drift._adwin_window import AdaptiveWindow
    from driftlearn.ensemble._online_committee import OnlineCommittee
    from driftlearn.utils._poisson import poisson
    from driftlearn.utils._row_pointers import place_at, row_at, start_of

from driftlearn.ensemble._committee_checks import check_columns
from driftlearn.ensemble._uniform_draws import learn_with_draws
from driftlearn.ensemble.online_classifier import OnlineClassifier
from driftlearn.io.schema import a, flag, integer, newer
from driftlearn.naive_bayes.gaussian_nb import GaussianNBClassifier

COLUMNS = "right", "wrong", "trained"
RIGHT = cython.declare(cython.int, 2)
WRONG = cython.declare(cython.int, 3)
TRAINED = cython.declare(cython.int, 4)
# A member that is hardly ever wrong would hand the next one a weight without bound.
MOST_WEIGHT = cython.declare(cython.double, 100.0)


@cython.annotation_typing(False)
class OnlineBoostClassifier(OnlineClassifier):
    """OnlineBoost: a chain of online models, each trained harder on what others got wrong.

    A row passes along the chain with a weight that starts at 1. Each member learns it Poisson
    (weight) times; where the member is then right the weight shrinks, where it is wrong it grows,
    so that right and wrong rows share the next member's attention in equal halves. A member's
    vote counts by the odds of its being right. `NSOnlineBoostClassifier` and `FLCClassifier` are
    this with an answer to drift.

    As published: `OnlineBoostClassifier.as_published()`: ``estimator=GaussianNBClassifier()``,
    ``n_estimators=100``, ``restart_delta=None``, ``vote="majority"``. So it never forgets: after a
    million rows of one rule, SEA's, and 1,000, 3,000 and 10,000 rows of the opposite one it is
    right about 12, 72 and 88 % of rows; with the defaults, which let it begin anew, about 97, 99
    and 99 % (``benchmarks/come_back.py``).

    Parameters
    ----------
    estimator : classifier with `partial_fit`, optional
        The base learner; by default a Hoeffding tree that looks early,
        ``HoeffdingTreeClassifier(grace_period=50, delta=0.01)``. `GaussianNBClassifier` runs
        compiled too, anything else in the same loop at its own speed. A learner of another
        library cannot take a class that it has not been told of: such a member starts again
        from the row that has it, unless the first call announces all labels with `classes`.
    n_estimators : int, default=20
        Length of the chain.
    restart_delta : float or None, default=0.002
        Confidence of an ADWIN that is fed the error of the vote on each row before the row is
        learned. When it sees errors rise, all members are replaced by new ones, which then learn
        the row. A false alarm costs all that was known: the smaller, the fewer. None is the
        printed algorithm.
    vote : {"soft", "majority"}, default="soft"
        Whether a member adds its class probabilities to the answer, times its weight, or its
        weight to one label, as printed. The detector watches that answer; a member is right or
        wrong by its label.
    class_weight : {"balanced"}, dict or None, default=None
        What the rows of a class count for, times their weights: by label, 1 where not named, or
        "balanced": n / (k * rows of the class), of the n rows and k classes so far; at most 100.
    random_state : int, Generator, RandomState or None
        Decides the draws.

    Attributes
    ----------
    classes_ : ndarray
        The labels, sorted.
    members_ : Table
        One row a member: ``id``, ``created_at`` (the row), ``weight`` (of its vote), ``error``,
        ``classes`` (the labels it has learned), ``size``, ``bytes``.
    n_members_, n_rows_ : int
        The number of members; of rows learned.
    n_restarts_ : int
        How often all members were replaced.
    estimators_ : list
        The members' models.
    history_ : History
        The voting weights every 200 rows, later every 400, and so on.
    committee_ : OnlineCommittee
        The models and the sums that are kept of each.
    engine_ : BoostChain or RestartingChain
        The compiled algorithm.

    Notes
    -----
    The row's weight is added to a member's sums before they are used, as in the original and in
    MOA; Grbovic and Vucetic (2011) print the opposite order, which divides by zero. A member whose
    error is not below 1/2 does not vote but goes on learning.

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

    PUBLISHED = {
        "estimator": GaussianNBClassifier(),
        "n_estimators": 100,
        "restart_delta": None,
        "vote": "majority",
    }
    STATE = {**OnlineClassifier.STATE, "engine_": a("BoostChain", "RestartingChain")}
    _only_members_use_rows = True
    _parameter_constraints = {
        **OnlineClassifier._parameter_constraints,
        "restart_delta": [Interval(Real, 0, 1, closed="neither"), None],
        "vote": [StrOptions({"soft", "majority"})],
    }

    def __init__(
        self,
        estimator: Any = None,
        n_estimators: int = 20,
        *,
        restart_delta: float | None = 0.002,
        vote: str = "soft",
        class_weight: Any = None,
        random_state: Any = None,
    ):
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.restart_delta = restart_delta
        self.vote = vote
        self.class_weight = class_weight
        self.random_state = random_state

    @property
    def n_restarts_(self) -> int:
        """How often all members were replaced."""
        self._check_fitted()
        return int(getattr(self.engine_, "n_restarts", 0))

    def _begin(self) -> None:
        super()._begin()
        self.engine_ = new_chain(self)
        if self.restart_delta is not None:
            self.engine_ = RestartingChain(self.engine_, AdaptiveWindow(self.restart_delta))

    def _learn_rows(
        self, X: np.ndarray, y: np.ndarray, w: np.ndarray, scores: np.ndarray | None = None
    ) -> None:
        learn_with_draws(self, X, y, w, scores)


@cython.cclass
class BoostChain(Engine):
    """Oza and Russell's chain: a row's weight grows where a member is wrong, shrinks where right.

    Of every member two sums are kept: the weights that rows had when it was right about them and
    when it was wrong, after it had learned them.

    Parameters
    ----------
    committee : OnlineCommittee
        The members, with the columns `COLUMNS`.
    soft : bool
        Whether probabilities vote, not labels.

    Notes
    -----
    A row's own weight `w` multiplies what a member learns and what the sums count; the weight
    that travels along the chain starts at 1 and has a limit. A member that knows nothing yet is
    passed over.
    """

    STATE = {"committee": a(OnlineCommittee), "soft": newer(flag())}

    def __init__(self, committee, soft):
        self.committee = committee
        self.soft = soft
        self._prepare()

    def set_state(self, state):
        """Become the object whose `get_state` this was, or that of a version without soft votes."""
        super().set_state({"soft": False, **state})

    def _prepare(self):
        self.answer = np.zeros(self.committee.n_classes)

    @staticmethod
    def check_state(state):
        """Raise ValueError unless the members have their numbers."""
        check_columns(state["committee"], COLUMNS)

    def learn(self, X, y, w, u, new_model, scores=None):
        """Learn all rows, in order.

        Parameters
        ----------
        X, y, w : arrays
            Rows, class codes, weights.
        u : array of shape (rows, members)
            Uniform numbers; `new_model` may draw those of later rows anew.
        new_model : callable
            ``new_model(i)`` returns a model that row ``i`` calls for.
        scores : array of shape (rows, classes), optional
            Where to write the votes on each row before it is learned.
        """
        asked: cython.bint = scores is not None
        for i in range(X.shape[0]):
            self.committee.begin_row()
            if asked:
                self.vote(row_at(X, i), place_at(scores, i))
            self.boost(row_at(X, i), y[i], w[i], row_at(u, i))
            self.committee.n_rows += 1

    def boost(self, row, y, w, u):
        """Pass a row along the chain, with a uniform number for each member."""
        lam: cython.double = 1.0
        self.committee.mark_seen(y)
        for j in range(self.committee.numbers.shape[0]):
            k = poisson(u[j], lam)
            if k > 0:
                self.train(j, row, y, k * w)
            says = self.committee.predict_once(j, row)
            if says < 0:
                continue
            self.count(j, says == y, lam * w)
            e = self.error(j)
            lam *= 1.0 / (2.0 * (1.0 - e if says == y else e))
            lam = min(lam, MOST_WEIGHT)
        return 0

    def train(self, j, row, y, w):
        """Have member `j` learn a row."""
        self.committee.update_tested_row(j, row, y, w)
        self.committee.numbers[j, TRAINED] += 1.0
        return 0

    def n_learned(self, j):
        """Return how often member `j` has learned a row."""
        return self.committee.numbers[j, TRAINED]

    def count(self, j, is_right, weight):
        """Add a row's weight to one of the sums of member `j`."""
        self.committee.numbers[j, RIGHT if is_right else WRONG] += weight

    def error(self, j):
        """Return the share of weight that a member was wrong about, 1/2 where there is none."""
        right = self.committee.numbers[j, RIGHT]
        wrong = self.committee.numbers[j, WRONG]
        return wrong / (right + wrong) if right + wrong > 0.0 else 0.5

    def vote_weight(self, j):
        """Return log((1-e)/e), 0 where e is not below 1/2; e is at least half a row."""
        n = self.committee.numbers[j, RIGHT] + self.committee.numbers[j, WRONG]
        if n == 0.0:
            return 0.0
        e = max(self.committee.numbers[j, WRONG], 0.5) / n
        return log((1.0 - e) / e) if e < 0.5 else 0.0

    def vote(self, row, votes):
        """Write the members' votes on a row."""
        for j in range(self.committee.numbers.shape[0]):
            self.committee.vote_weights[j] = self.vote_weight(j)
        return self.combine(row, votes)

    def combine(self, row, votes):
        """Write the votes on a row of members that count by the committee's shares."""
        if self.soft:
            return self.committee.blend_row(row, votes)
        return self.committee.vote_row(row, votes)

    def restart(self, i, new_model):
        """Replace all members by new ones, which row `i` calls for."""
        models = [new_model(i) for _ in range(len(self.committee))]
        for j, model in enumerate(models):
            self.committee.replace(j, model)

    def weights(self):
        """Return what the vote of each member counts."""
        return np.array([self.vote_weight(j) for j in range(len(self.committee))])

    def errors(self):
        """Return the share of weight that each member was wrong about."""
        right, wrong = self.committee["right"], self.committee["wrong"]
        return np.where(right + wrong > 0, wrong / np.maximum(right + wrong, 1e-300), np.nan)

    def scores(self, X):
        """Return the votes: (rows, classes)."""
        return self.combined(X, self.weights())

    def combined(self, X, weights):
        """Return the votes of members that count by these weights: (rows, classes)."""
        return (self.committee.blend if self.soft else self.committee.tally)(X, weights)

    def describe(self):
        """Return a table of the members, as a dict of columns."""
        return self.committee.describe(self.weights(), self.errors())

    def widen(self, positions, n_classes):
        """Take note that there are `n_classes` now and old class ``c`` is ``positions[c]``."""
        self.committee.widen(positions, n_classes)
        self._prepare()


@cython.cclass
class RestartingChain(Engine):
    """The chain with a detector: when the vote gets worse, all members begin anew.

    Parameters
    ----------
    chain : BoostChain
        The members.
    detector : AdaptiveWindow
        Fed the error of the vote on each row before it is learned, once a member knows something.
    """

    STATE = {"chain": a(BoostChain), "detector": a(AdaptiveWindow), "n_restarts": integer(0)}

    def __init__(self, chain, detector):
        self.chain = chain
        self.detector = detector
        self.n_restarts = 0
        self._prepare()

    def _prepare(self):
        self.committee = self.chain.committee

    def learn(self, X, y, w, u, new_model, scores=None):
        """Learn all rows, in order; the arguments are those of `BoostChain.learn`."""
        votes = start_of(self.chain.answer)
        asked: cython.bint = scores is not None
        for i in range(X.shape[0]):
            self.committee.begin_row()
            if asked:
                votes = place_at(scores, i)
            self.chain.vote(row_at(X, i), votes)
            if self._worse(votes, y[i]):
                self.chain.restart(i, new_model)
                self.detector = self.detector.fresh()
                self.n_restarts += 1
            self.chain.boost(row_at(X, i), y[i], w[i], row_at(u, i))
            self.committee.n_rows += 1

    def _worse(self, votes, y):
        """Feed the detector with the error of the vote; return whether it sees errors rise."""
        if not self._anybody_knows():
            return False
        error: cython.double = self.committee.best_class_of(votes) != y
        self.detector.update(error)
        return self.detector.rising

    def _anybody_knows(self):
        """Return whether a member has said something: each does when it has learned a row."""
        for j in range(self.committee.numbers.shape[0]):
            if self.committee.numbers[j, RIGHT] + self.committee.numbers[j, WRONG] > 0.0:
                return True
        return False

    def scores(self, X):
        """Return the votes: (rows, classes)."""
        return self.chain.scores(X)

    def describe(self):
        """Return a table of the members, as a dict of columns."""
        return self.chain.describe()

    def widen(self, positions, n_classes):
        """Take note that there are `n_classes` now and old class ``c`` is ``positions[c]``."""
        self.chain.widen(positions, n_classes)


def new_chain(learner):
    """Return the chain of a learner, with all its members, which know nothing."""
    learner.committee_ = learner._new_committee(*COLUMNS)
    for _ in range(learner.n_estimators):
        learner.committee_.add(learner._new_model())
    return BoostChain(learner.committee_, learner.vote == "soft")
