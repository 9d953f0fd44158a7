# cython: infer_types=True
"""DDD: diversity for dealing with drifts."""

from __future__ import annotations

from numbers import Real
from typing import Any

import cython
import numpy as np
from cython.cimports.libc.math import sqrt
from sklearn.utils._param_validation import Interval, StrOptions

if not cython.compiled:
    from driftlearn.base._engine import Engine
    from driftlearn.base._online_model import OnlineModel
    from driftlearn.drift._adwin_window import AdaptiveWindow
    from driftlearn.ensemble._online_committee import OnlineCommittee
    from driftlearn.utils._poisson import poisson
    from driftlearn.utils._row_pointers import row_at

from driftlearn.drift._error_rate import ErrorRate
from driftlearn.drift._mistake_distance import MistakeDistance
from driftlearn.ensemble._committee_checks import check_columns
from driftlearn.ensemble._online_committee import MOST_ROWS
from driftlearn.ensemble._uniform_draws import learn_with_draws
from driftlearn.ensemble.online_classifier import OnlineClassifier
from driftlearn.io.schema import InvalidStateError, a, flag, integer, integers, parameters
from driftlearn.tree.hoeffding_tree import HoeffdingTreeClassifier

DETECTORS = {"adwin": AdaptiveWindow, "ddm": ErrorRate, "eddm": MistakeDistance}
# The ensembles: new and old ones, of low and of high diversity.
NEW_LOW = cython.declare(cython.int, 0)
NEW_HIGH = cython.declare(cython.int, 1)
OLD_LOW = cython.declare(cython.int, 2)
OLD_HIGH = cython.declare(cython.int, 3)


@cython.annotation_typing(False)
class DDDClassifier(OnlineClassifier):
    """DDD: bagging of low and of high diversity, before a drift and after it.

    Two ensembles learn by online bagging: one whose members learn a row once, on average, and a
    diverse one whose members learn a tenth of the rows. The first answers. When the detector of its
    errors fires, both become old and two new ones begin. What was diverse takes to a new rule
    faster: both old ones now learn like the first, and vote with the new one of low diversity, by
    their accuracy since the drift. Once the new or the formerly diverse one is better than the
    others it answers alone. As published: `DDDClassifier.as_published()`: ``vote="majority"``.

    Parameters
    ----------
    estimator : classifier with `partial_fit`, optional
        The base learner; `HoeffdingTreeClassifier` by default. `GaussianNBClassifier` runs
        compiled too, anything else in the same loop at its own speed. A learner of another
        library cannot take a class that it has not been told of: such a member starts again
        from the row that has it, unless the first call announces all labels with `classes`.
    n_estimators : int, default=10
        Members of each ensemble; there are two ensembles, four after a drift.
    low : float, default=1.0
        How often a member of low diversity learns a row, on average.
    high : float, default=0.1
        The same of high diversity; the lower, the more diverse they are.
    multiplier : float, default=1.0
        Of the weight of the old ensemble of low diversity; above 1 where many alarms are false.
    detector : {"ddm", "eddm", "adwin"}, default="eddm"
        Who watches the errors: one of `driftlearn.drift`, with its defaults.
    vote : {"soft", "majority"}, default="soft"
        Members vote with probabilities, or with labels, and ensembles with one label, as printed.
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
        The new ensembles, first that of low diversity, then the old ones: ``id``, ``created_at``
        (the row), ``weight`` (of its ensemble), ``error`` (of its ensemble since the drift, nan if
        it was not tested), ``classes`` (the labels it has learned), ``size``, ``bytes``.
    n_members_, n_rows_, n_drifts_ : int
        The number of members; of rows learned; of drifts found.
    estimators_ : list
        The members' models.
    history_ : History
        The voting weights every 200 rows, later every 400, and so on.
    mode_ : str
        ``"after"`` a drift, while there are old ensembles; else ``"before"``.
    committee_, engine_ : OnlineCommittee, DDD
        The models and what is kept of each; the compiled algorithm.

    Notes
    -----
    Written from memory of [1]_. The detector goes on when the old ensembles leave.

    References
    ----------
    .. [1] L. L. Minku, X. Yao, "DDD: A New Ensemble Approach for Dealing with Concept Drift",
       IEEE Trans. Knowledge and Data Engineering 24(4), 2012, doi:10.1109/TKDE.2011.58.

    Examples
    --------
    >>> from driftlearn import DDDClassifier
    >>> from driftlearn.streams import SEA
    >>> stream, model = SEA(n_rows=8_000, noise=0.0, random_state=0), DDDClassifier(random_state=0)
    >>> for batch in stream.chunks(1_000):
    ...     model = model.partial_fit(batch.X, batch.y)
    >>> model.score(*stream.test_set(7_999, 1_000, random_state=1))
    0.963
    >>> model.n_drifts_
    2
    """

    PUBLISHED = {"vote": "majority"}
    STATE = {**OnlineClassifier.STATE, "engine_": a("DDD")}
    _only_members_use_rows = True
    _parameter_constraints = {
        **OnlineClassifier._parameter_constraints,
        "low": [Interval(Real, 0, 100, closed="right")],
        "high": [Interval(Real, 0, 100, closed="right")],
        "multiplier": [Interval(Real, 0, 1e6, closed="right")],
        "detector": [StrOptions(set(DETECTORS))],
        "vote": [StrOptions({"majority", "soft"})],
    }

    def __init__(
        self,
        estimator: Any = None,
        n_estimators: int = 10,
        *,
        low: float = 1.0,
        high: float = 0.1,
        multiplier: float = 1.0,
        detector: str = "eddm",
        vote: str = "soft",
        class_weight: Any = None,
        random_state: Any = None,
    ):
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.low = low
        self.high = high
        self.multiplier = multiplier
        self.detector = detector
        self.vote = vote
        self.class_weight = class_weight
        self.random_state = random_state

    @property
    def n_drifts_(self) -> int:
        """Drifts found so far."""
        self._check_fitted()
        return int(self.engine_.n_drifts)

    @property
    def mode_(self) -> str:
        """Whether there are old ensembles: "before" a drift, or "after" it."""
        self._check_fitted()
        return "after" if self.engine_.after else "before"

    def _base_learner(self) -> Any:
        return HoeffdingTreeClassifier() if self.estimator is None else self.estimator

    def _begin(self) -> None:
        super()._begin()
        self.committee_ = self._new_committee()
        for _ in range(2 * self.n_estimators):
            self.committee_.add(self._new_model())
        self.engine_ = DDD(self.committee_, self._options())

    def _learn_rows(
        self, X: np.ndarray, y: np.ndarray, w: np.ndarray, scores: np.ndarray | None = None
    ) -> None:
        learn_with_draws(self, X, y, w, scores, n_each=4 * self.n_estimators)


@cython.cclass
class DDD(Engine):
    """Two ensembles, or four after a drift, the detector, and how often each was right since.

    Parameters
    ----------
    committee : OnlineCommittee
        The members: new ones of low, then of high diversity, later old ones in the same order.
    options : dict
        The classifier's parameters.

    Attributes
    ----------
    after : bool
        Whether there are old ensembles.
    right, seen : int64 arrays of shape (4,)
        Rows that each ensemble was right about, and tested on, since the drift.
    """

    STATE = {
        "committee": a(OnlineCommittee),
        "options": parameters(DDDClassifier),
        "detector": a(*DETECTORS.values()),
        "after": flag(),
        "right": integers(4, least=0),
        "seen": integers(4, least=0),
        "n_drifts": integer(0, MOST_ROWS),
    }

    def __init__(self, committee, options):
        self.committee = committee
        self.options = options
        self.detector = DETECTORS[options["detector"]]()
        self.after = False
        self.right = np.zeros(4, dtype=np.int64)
        self.seen = np.zeros(4, dtype=np.int64)
        self.n_drifts = 0
        self._prepare()

    @staticmethod
    def check_state(state):
        """Raise ValueError unless ensembles and detector are those of the options."""
        committee, options = state["committee"], state["options"]
        check_columns(committee, ())
        if len(committee) != (4 if state["after"] else 2) * options["n_estimators"]:
            raise InvalidStateError("DDD with ensembles of another size than it says")
        if type(state["detector"]) is not DETECTORS[options["detector"]]:
            raise InvalidStateError("DDD with another detector than it says")
        if (state["right"] > state["seen"]).any():
            raise InvalidStateError("an ensemble of DDD was right more often than it was tested")

    def _prepare(self):
        self.m = self.options["n_estimators"]
        self.low = self.options["low"]
        self.high = self.options["high"]
        self.multiplier = self.options["multiplier"]
        self.soft = self.options["vote"] == "soft"
        self.shares = np.zeros(4)
        self.ballot = np.zeros(self.committee.n_classes)
        self.votes = np.zeros(self.committee.n_classes)
        self._weigh()

    def learn(self, X, y, w, u, new_models, scores=None):
        """Learn all rows, in order, with a uniform number of `u` for each place in four ensembles.

        ``new_models(i, n)`` returns n models that row ``i`` calls for, and may draw the numbers of
        later rows anew. The votes on each row before it is learned go to `scores`, if given.
        """
        votes = self.votes
        asked: cython.bint = scores is not None
        for i in range(X.shape[0]):
            if asked:
                votes = scores[i]
            self._learn_one(X, i, y[i], w[i], u, new_models, votes)
            self.committee.n_rows += 1

    def _learn_one(self, X, i, y, w, u, new_models, votes):
        """Learn a row; write the votes on it before that."""
        committee = self.committee
        n_slots: cython.int = 4 if self.after else 2
        fires: cython.bint = False
        votes[:] = 0.0
        committee.mark_seen(y)
        for slot in range(n_slots):
            if slot != NEW_HIGH:
                says = self._ask(slot, X, i, votes)
                if says >= 0:
                    self.seen[slot] += 1
                    self.right[slot] += says == y
                    if slot == NEW_LOW:
                        fires = self._fires(says != y)
        if fires:
            self._renew(new_models(i, 2 * self.m))
        if self.after:
            self._choose()
        self._weigh()
        for j in range(committee.numbers.shape[0]):
            k = poisson(u[i, j], self.high if j // self.m == NEW_HIGH else self.low)
            if k > 0:
                committee.update_row(j, row_at(X, i), y, k * w)

    def _ask(self, slot, X, i, votes):
        """Add the vote of an ensemble on row `i`; return its class, or -1 if it knows nothing."""
        best: cython.int = -1
        highest: cython.double = 0.0
        share = self.shares[slot]
        ballot = self.ballot
        probas = self.committee.votes
        ballot[:] = 0.0
        for j in range(slot * self.m, (slot + 1) * self.m):
            if self.soft:
                cython.cast(OnlineModel, self.committee.models[j]).scores_one(X, i, probas)
                for c in range(ballot.shape[0]):
                    ballot[c] += probas[c]
                    votes[c] += share * probas[c]
            else:
                says = self.committee.predict_row(j, row_at(X, i))
                if says >= 0:
                    ballot[says] += 1.0
        for c in range(ballot.shape[0]):
            if ballot[c] > highest:
                best = c
                highest = ballot[c]
        if not self.soft and not self.after:
            votes[:] = ballot
        elif not self.soft and best >= 0:
            votes[best] += share
        return best

    def _fires(self, wrong):
        """Feed the detector; say whether errors rise."""
        error: cython.double = 1.0 if wrong else 0.0
        if isinstance(self.detector, AdaptiveWindow):
            return cython.cast(AdaptiveWindow, self.detector).rises(error)
        return self.detector.update(error)

    def _renew(self, models):
        """Let the ensembles become old, the diverse one among them, and new ones begin."""
        committee, m = self.committee, self.m
        better: cython.bint = self.accuracy(NEW_LOW) > self.accuracy(OLD_HIGH)
        self._keep(NEW_LOW if better or not self.after else OLD_HIGH)
        for model in models:
            committee.add(model)
        committee.select([*range(2 * m, 4 * m), *range(2 * m)])
        self.n_drifts += 1
        self.detector = DETECTORS[self.options["detector"]]()
        self.right[:] = 0
        self.seen[:] = 0
        self.after = True

    def _choose(self):
        """Let the old ensembles go once one that learns the new rule is better than the others."""
        new, low, high = [self.accuracy(slot) for slot in (NEW_LOW, OLD_LOW, OLD_HIGH)]
        least: cython.double = high - self.spread(OLD_HIGH)
        if new > high and new > low:
            stays = NEW_LOW
        elif least > new + self.spread(NEW_LOW) and least > low + self.spread(OLD_LOW):
            stays = OLD_HIGH
        else:
            return
        self._keep(stays)
        self.right[NEW_LOW] = self.right[stays]
        self.seen[NEW_LOW] = self.seen[stays]
        self.after = False

    def _keep(self, slot):
        """Let two ensembles stay: this one, and the diverse one behind it."""
        first, m = slot * self.m, self.m
        self.committee.select([*range(first, first + m), *range(NEW_HIGH * m, NEW_HIGH * m + m)])

    def accuracy(self, slot):
        """Return the share of rows that an ensemble was right about; 0 before any."""
        seen: cython.double = self.seen[slot]
        return self.right[slot] / seen if seen > 0.0 else 0.0

    def spread(self, slot):
        """Return the standard deviation of that share."""
        p = self.accuracy(slot)
        return sqrt(p * (1.0 - p) / max(self.seen[slot], 1))

    def _weigh(self):
        """Give each ensemble its share of the vote."""
        shares = self.shares
        shares[:] = 0.0
        shares[NEW_LOW] = 1.0
        if self.after:
            for slot in (NEW_LOW, OLD_LOW, OLD_HIGH):
                shares[slot] = self.accuracy(slot)
            shares[OLD_LOW] *= self.multiplier
            total = shares[NEW_LOW] + shares[OLD_LOW] + shares[OLD_HIGH]
            if total == 0.0:
                shares[NEW_LOW] = shares[OLD_HIGH] = 1.0
                shares[OLD_LOW] = self.multiplier
                total = 2.0 + self.multiplier
            for slot in range(4):
                shares[slot] /= total

    def weights(self):
        """Return the weight of each member's vote: that of its ensemble."""
        return np.repeat(self.shares, self.m)[: len(self.committee)]

    def scores(self, X):
        """Return the votes: (rows, classes)."""
        if self.soft:
            return self.committee.blend(X, self.weights())
        if not self.after:
            return self.committee.tally(X, self.weights())
        votes = np.zeros((len(X), self.committee.n_classes))
        for slot in (NEW_LOW, OLD_LOW, OLD_HIGH):
            ballots = self.committee.tally(X, np.repeat(np.arange(4) == slot, self.m))
            rows = np.flatnonzero(ballots.max(axis=1) > 0)
            votes[rows, ballots[rows].argmax(axis=1)] += self.shares[slot]
        return votes

    def describe(self):
        """Return a table of the members, as a dict of columns."""
        errors = [1.0 - self.accuracy(s) if self.seen[s] else np.nan for s in range(4)]
        each = np.repeat(errors, self.m)[: len(self.committee)]
        return self.committee.describe(self.weights(), each)

    def widen(self, positions, n_classes):
        """Take note that there are `n_classes` now and old class ``c`` is ``positions[c]``."""
        self.committee.widen(positions, n_classes)
        self._prepare()
