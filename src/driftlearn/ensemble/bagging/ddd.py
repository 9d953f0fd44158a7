# cython: infer_types=True
"""DDD (diversity for dealing with drifts): bagging ensembles of low and high diversity."""

from dataclasses import KW_ONLY, dataclass
from numbers import Real
from typing import Any

import cython
import numpy as np
from cython.cimports.libc.math import sqrt
from sklearn.utils._param_validation import Interval, StrOptions

if not cython.compiled:
    from driftlearn.base._online_model import OnlineModel, top_class
    from driftlearn.drift._adwin_window import AdaptiveWindow
    from driftlearn.ensemble._row_engine import RowEngine
    from driftlearn.utils._poisson import poisson
    from driftlearn.utils._row_pointers import row_at, start_of

from driftlearn.drift._error_statistics import ErrorRate, MistakeDistance
from driftlearn.ensemble._committee_checks import committee_of
from driftlearn.ensemble._engine_classifier import EngineClassifier, EngineCounter
from driftlearn.ensemble._online_committee import MOST_ROWS
from driftlearn.io.schema import InvalidStateError, a, flag, integer, integers, parameters
from driftlearn.tree.hoeffding_tree import HoeffdingTreeClassifier

DETECTORS = {"adwin": AdaptiveWindow, "ddm": ErrorRate, "eddm": MistakeDistance}
# Positions of the four ensembles: new or old, with low or high diversity.
NEW_LOW = cython.declare(cython.int, 0)
NEW_HIGH = cython.declare(cython.int, 1)
OLD_LOW = cython.declare(cython.int, 2)
OLD_HIGH = cython.declare(cython.int, 3)


@cython.annotation_typing(False)
@dataclass(eq=False, repr=False)
class DDDClassifier(EngineClassifier):
    """DDD (diversity for dealing with drifts): bagging ensembles of low and high diversity.

    Two ensembles are trained by online bagging: a low-diversity ensemble, whose members are trained
    on each row once on average, and a high-diversity ensemble, whose members are trained on a tenth
    of the rows. The low-diversity ensemble predicts. When the drift detector on its errors fires,
    both become old ensembles and two new ensembles are started. Because a diverse ensemble adapts
    faster to a new concept, both old ensembles are now trained with low diversity. They vote
    together with the new low-diversity ensemble, weighted by accuracy since the drift. Once the new
    or the formerly diverse ensemble is better than the others, it predicts alone.

    Paper settings: `DDDClassifier.as_published()` has ``vote="majority"``.

    Parameters
    ----------
    estimator : classifier with `partial_fit`, optional
        Base learner; `HoeffdingTreeClassifier` by default. `GaussianNBClassifier` is compiled, too;
        other classifiers are called once per row. Most third-party classifiers cannot add classes:
        at the first row of a new class, such a member is replaced by a new one, unless the first
        call declares all labels with `classes`.
    n_estimators : int, default=10
        Number of members per ensemble; there are two ensembles, and four after a drift.
    low : float, default=1.0
        Mean training weight of a row with low diversity.
    high : float, default=0.1
        Mean training weight of a row with high diversity; lower values give more diversity.
    multiplier : float, default=1.0
        Factor on the weight of the old low-diversity ensemble; use a value above 1 if false alarms
        are frequent.
    detector : {"ddm", "eddm", "adwin"}, default="eddm"
        Drift detector of `driftlearn.drift` on the errors, with default parameters.
    vote : {"soft", "majority"}, default="soft"
        Whether members vote with probabilities. With "majority", as in the paper, members vote with
        labels and each ensemble votes with its majority label.
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
    members_ : Table
        Members of the new ensembles (low diversity first), then of the old ensembles: ``id``,
        ``created_at`` (the row), ``weight`` (of the ensemble), ``error`` (of the ensemble since the
        drift; nan if it was not tested), ``classes`` (labels it was trained on), ``size``,
        ``bytes``.
    n_members_, n_rows_, n_drifts_ : int
        Number of members; number of rows trained on; number of drifts detected.
    estimators_ : list
        The members' models.
    history_ : History
        Voting weights every 200 rows; the interval doubles as the stream grows.
    mode_ : str
        ``"after"`` a drift, as long as there are old ensembles; otherwise ``"before"``.
    committee_, engine_ : OnlineCommittee, DDD
        The models and their statistics; the compiled algorithm.

    Notes
    -----
    Implemented from memory of [1]_. The detector is not reset when the old ensembles are dropped.

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

    _: KW_ONLY
    low: float = 1.0
    high: float = 0.1
    multiplier: float = 1.0
    detector: str = "eddm"
    vote: str = "soft"

    PUBLISHED = {"vote": "majority"}
    STATE = {"engine_": a("DDD")}
    _only_members_use_rows = True
    _columns = ()
    _numbers_per_estimator = 4
    n_drifts_ = EngineCounter("Number of drifts detected so far.")
    _parameter_constraints = {
        "low": [Interval(Real, 0, 100, closed="right")],
        "high": [Interval(Real, 0, 100, closed="right")],
        "multiplier": [Interval(Real, 0, 1e6, closed="right")],
        "detector": [StrOptions(set(DETECTORS))],
        "vote": [StrOptions({"majority", "soft"})],
    }

    @property
    def mode_(self) -> str:
        """Return "after" (a drift) as long as there are old ensembles, otherwise "before"."""
        self._check_fitted()
        return "after" if self.engine_.after else "before"

    def _default_base_learner(self) -> Any:
        return HoeffdingTreeClassifier()

    def _n_initial(self) -> int:
        return 2 * int(self.n_estimators)

    def _new_engine(self) -> Any:
        return DDD(self.committee_, self._options())


@cython.cclass
class DDD(RowEngine):
    """DDD engine: two ensembles (four after a drift) and a drift detector.

    Parameters
    ----------
    committee : OnlineCommittee
        The members of the new low-diversity ensemble, then of the new high-diversity ensemble, then
        of the old ensembles in the same order.
    options : dict
        The classifier's parameters.

    Attributes
    ----------
    after : bool
        Whether there are old ensembles.
    n_correct, n_tested : int64 arrays of shape (4,)
        Numbers of correct predictions and of tested rows of each ensemble since the drift.
    """

    STATE = {
        "committee": committee_of(()),
        "options": parameters(DDDClassifier),
        "detector": a(*DETECTORS.values()),
        "after": flag(),
        "n_correct": integers(4, least=0),
        "n_tested": integers(4, least=0),
        "n_drifts": integer(0, MOST_ROWS),
    }

    def __init__(self, committee, options):
        self.detector = DETECTORS[options["detector"]]()
        self.after = False
        self.n_correct = np.zeros(4, dtype=np.int64)
        self.n_tested = np.zeros(4, dtype=np.int64)
        self.n_drifts = 0
        RowEngine.__init__(self, committee, options)

    @staticmethod
    def check_state(state):
        """Raise InvalidStateError unless the ensembles and the detector match the options."""
        committee, options = state["committee"], state["options"]
        if len(committee) != (4 if state["after"] else 2) * options["n_estimators"]:
            raise InvalidStateError("each ensemble of DDD must have n_estimators members")
        if type(state["detector"]) is not DETECTORS[options["detector"]]:
            raise InvalidStateError(
                f"DDD has a {type(state['detector']).__name__}, which does not match "
                f"detector={options['detector']!r}"
            )
        if (state["n_correct"] > state["n_tested"]).any():
            raise InvalidStateError("n_correct of an ensemble of DDD exceeds its n_tested")

    def _prepare(self):
        RowEngine._prepare(self)
        self.m = self.options["n_estimators"]
        self.low = self.options["low"]
        self.high = self.options["high"]
        self.multiplier = self.options["multiplier"]
        self.ensemble_weights = np.zeros(4)
        self.ballot = np.zeros(self.committee.n_classes)
        self._update_weights()

    def _learn_row(self, i, votes):
        committee = self.committee
        y = self.y[i]
        n_slots: cython.int = 4 if self.after else 2
        drift: cython.bint = False
        votes[:] = 0.0
        committee.mark_seen(y)
        # The diverse ensemble does not vote on a stable concept: its members are trained on too few
        # rows to be accurate (Minku and Yao 2012). Its purpose is to adapt faster after a drift.
        for slot in range(n_slots):
            if slot != NEW_HIGH:
                predicted = self._predict(slot, i, votes)
                if predicted >= 0:
                    self.n_tested[slot] += 1
                    self.n_correct[slot] += predicted == y
                    if slot == NEW_LOW:
                        drift = self._update_detector(predicted != y)
        # Ensembles are replaced before training, so that the row with the drift is the first that
        # the new ensembles are trained on.
        if drift:
            self._start_new_ensembles([self.draws.new_model(i) for _ in range(2 * self.m)])
        if self.after:
            self._end_drift()
        self._update_weights()
        for j in range(committee.numbers.shape[0]):
            k = poisson(self.u[i, j], self.high if j // self.m == NEW_HIGH else self.low)
            if k > 0:
                committee.update_row(j, row_at(self.X, i), y, k * self.w[i])
        return 0

    def _predict(self, slot, i, votes):
        """Add the vote of an ensemble on row `i`; return its prediction, -1 if untrained."""
        share = self.ensemble_weights[slot]
        ballot = self.ballot
        probas = self.committee.votes
        ballot[:] = 0.0
        for j in range(slot * self.m, (slot + 1) * self.m):
            if self.soft:
                cython.cast(OnlineModel, self.committee.models[j]).scores_one(self.X, i, probas)
                for c in range(ballot.shape[0]):
                    ballot[c] += probas[c]
                    votes[c] += share * probas[c]
            else:
                predicted = self.committee.predict_row(j, row_at(self.X, i))
                if predicted >= 0:
                    ballot[predicted] += 1.0
        best = top_class(start_of(ballot), ballot.shape[0])
        if not self.soft and not self.after:
            votes[:] = ballot
        elif not self.soft and best >= 0:
            votes[best] += share
        return best

    def _update_detector(self, wrong):
        """Update the detector with a prediction; return whether drift was detected."""
        error: cython.double = 1.0 if wrong else 0.0
        if isinstance(self.detector, AdaptiveWindow):
            return cython.cast(AdaptiveWindow, self.detector).rises(error)
        return self.detector.update(error)

    def _start_new_ensembles(self, models):
        """Make the new ensembles old ones and start two new ensembles."""
        committee, m = self.committee, self.m
        # A drift that follows another one may be a false alarm or a second change. The ensemble
        # that is better since the first one is kept as the old low-diversity ensemble.
        better: cython.bint = self.accuracy(NEW_LOW) > self.accuracy(OLD_HIGH)
        self._keep(NEW_LOW if better or not self.after else OLD_HIGH)
        for model in models:
            committee.add(model)
        # The new members were appended; now the new ensembles come first, as their slots require.
        committee.select([*range(2 * m, 4 * m), *range(2 * m)])
        self.n_drifts += 1
        self.detector = DETECTORS[self.options["detector"]]()
        self.n_correct[:] = 0
        self.n_tested[:] = 0
        self.after = True

    def _end_drift(self):
        """Drop the old ensembles once one ensemble is better than the others on the new concept."""
        new, low, high = [self.accuracy(slot) for slot in (NEW_LOW, OLD_LOW, OLD_HIGH)]
        # The new ensemble only has to be better. The formerly diverse one must be better by a
        # standard error on both sides, because it takes the place of ensembles trained on the new
        # concept.
        least: cython.double = high - self.spread(OLD_HIGH)
        if new > high and new > low:
            stays = NEW_LOW
        elif least > new + self.spread(NEW_LOW) and least > low + self.spread(OLD_LOW):
            stays = OLD_HIGH
        else:
            return
        self._keep(stays)
        self.n_correct[NEW_LOW] = self.n_correct[stays]
        self.n_tested[NEW_LOW] = self.n_tested[stays]
        self.after = False

    def _keep(self, slot):
        """Drop all ensembles except the given one and the new high-diversity ensemble."""
        first, m = slot * self.m, self.m
        self.committee.select([*range(first, first + m), *range(NEW_HIGH * m, NEW_HIGH * m + m)])

    def accuracy(self, slot):
        """Return the accuracy of an ensemble since the drift; 0 before its first prediction."""
        n_tested: cython.double = self.n_tested[slot]
        return self.n_correct[slot] / n_tested if n_tested > 0.0 else 0.0

    def spread(self, slot):
        """Return the standard error of an ensemble's accuracy."""
        p = self.accuracy(slot)
        return sqrt(p * (1.0 - p) / max(self.n_tested[slot], 1))

    def _update_weights(self):
        """Update the voting weights of the ensembles."""
        weights = self.ensemble_weights
        weights[:] = 0.0
        weights[NEW_LOW] = 1.0
        if self.after:
            for slot in (NEW_LOW, OLD_LOW, OLD_HIGH):
                weights[slot] = self.accuracy(slot)
            # The old low-diversity ensemble fits the old concept best. A multiplier above 1
            # protects it against false alarms, after which its concept continues.
            weights[OLD_LOW] *= self.multiplier
            total = weights[NEW_LOW] + weights[OLD_LOW] + weights[OLD_HIGH]
            # no ensemble was right yet: equal weights, with the same multiplier
            if total == 0.0:
                weights[NEW_LOW] = weights[OLD_HIGH] = 1.0
                weights[OLD_LOW] = self.multiplier
                total = 2.0 + self.multiplier
            for slot in range(4):
                weights[slot] /= total

    def weights(self):
        """Return the voting weight of each member: the weight of its ensemble."""
        return np.repeat(self.ensemble_weights, self.m)[: len(self.committee)]

    def scores(self, X):
        """Return the votes: (rows, classes)."""
        if self.soft or not self.after:
            return RowEngine.scores(self, X)
        votes = np.zeros((len(X), self.committee.n_classes))
        for slot in (NEW_LOW, OLD_LOW, OLD_HIGH):
            ballots = self.committee.tally(X, np.repeat(np.arange(4) == slot, self.m))
            rows = np.flatnonzero(ballots.max(axis=1) > 0)
            votes[rows, ballots[rows].argmax(axis=1)] += self.ensemble_weights[slot]
        return votes

    def member_errors(self):
        """Return the error of each member: the error of its ensemble."""
        errors = [1.0 - self.accuracy(s) if self.n_tested[s] else np.nan for s in range(4)]
        return np.repeat(errors, self.m)[: len(self.committee)]
