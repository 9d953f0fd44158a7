# cython: infer_types=True
"""NSOnlineBoost: online boosting that replaces members that reduce the recent accuracy."""

from dataclasses import KW_ONLY, dataclass
from numbers import Integral
from typing import Any

import cython
import numpy as np
from cython.cimports.libc.math import fabs
from sklearn.utils._param_validation import Interval

if not cython.compiled:
    from driftlearn.base._probabilities import labels
    from driftlearn.ensemble._row_window import RowWindow
    from driftlearn.utils._row_pointers import row_at, start_of

from driftlearn.ensemble._committee_checks import committee_of, fitting
from driftlearn.ensemble.boosting.online_boost import BoostChain, BoostChainFamily, ChainEngine
from driftlearn.io.schema import LARGEST, a, parameters
from driftlearn.naive_bayes.gaussian_nb import GaussianNBClassifier
from driftlearn.utils.docstrings import inherit_docs

# Votes that differ by less than this relative amount are summed again in full, because rounding
# errors of the difference could decide.
CLOSE = cython.declare(cython.double, 1e-9)


@cython.annotation_typing(False)
@inherit_docs
@dataclass(eq=False, repr=False)
class NSOnlineBoostClassifier(BoostChainFamily):
    """NSOnlineBoost classifier: online boosting that replaces members that reduce recent accuracy.

    Members form a chain. A row passes along the chain with a weight that decreases after each
    member that is right and increases after each member that is wrong. Each member is trained on
    the row Poisson(weight) times, and votes with the log odds of being right. Every `period` rows
    the ensemble is evaluated on a window of the latest rows, with all mature members and without
    each of them. If removing a member lowers the error, the one whose removal lowers it most is
    replaced by a new member at the end of the chain.

    Paper settings: `NSOnlineBoostClassifier.as_published()` has
    ``estimator=GaussianNBClassifier()``, ``n_estimators=50``, ``vote="majority"``. On electricity,
    the prequential accuracy is 90.3 % with these settings and 88.5 % with the defaults; on average
    over the 28 tuning streams of ``benchmarks/suite.toml`` (without spam), it is 80.9 % and 83.8 %.

    Parameters
    ----------
    %(estimator)s
    %(n_estimators)s
    window_size : int, default=200
        Number of rows in the window.
    period : int, default=10
        Number of rows between two evaluations.
    maturity : int, default=100
        Number of rows a member must be trained on before it is evaluated and votes. As long as no
        member is mature, all members vote.
    vote : {"soft", "majority"}, default="soft"
        Whether members vote with class probabilities times their weight, or with their weight for
        one label, as in the paper. On the window, members are evaluated by their labels.
    %(nominal_features)s
    %(class_weight)s
    %(random_state)s

    Attributes
    ----------
    %(classes_)s
    members_ : Table
        One row per member: ``id``, ``created_at`` (number of the row), ``weight`` (voting weight; 0
        before it is mature), ``error``, ``classes`` (the labels it was trained on), ``size``,
        ``bytes``.
    %(n_members_)s
    %(estimators_)s
    %(history_)s
    %(committee_)s
    engine_ : NSOnlineBoost
        The compiled algorithm and its window.

    References
    ----------
    .. [1] A. Pocock, P. Yiapanis, J. Singer, M. Luján, G. Brown, "Online Non-Stationary
       Boosting", Multiple Classifier Systems, 2010, doi:10.1007/978-3-642-12127-2_21.

    Examples
    --------
    >>> from driftlearn import NSOnlineBoostClassifier
    >>> from driftlearn.streams import SEA
    >>> stream = SEA(n_rows=8_000, noise=0.0, random_state=0)
    >>> model = NSOnlineBoostClassifier(n_estimators=10, random_state=0)
    >>> for batch in stream.chunks(1_000):
    ...     model = model.partial_fit(batch.X, batch.y)
    >>> model.score(*stream.test_set(7_999, 1_000, random_state=1))
    0.951
    >>> print(model.members_["created_at"].max())
    7980
    """

    _: KW_ONLY
    window_size: int = 200
    period: int = 10
    maturity: int = 100

    PUBLISHED = {"estimator": GaussianNBClassifier(), "n_estimators": 50, "vote": "majority"}
    STATE = {"engine_": a("NSOnlineBoost")}
    _parameter_constraints = {
        "window_size": [Interval(Integral, 1, LARGEST, closed="both")],
        "period": [Interval(Integral, 1, LARGEST, closed="both")],
        "maturity": [Interval(Integral, 1, LARGEST, closed="both")],
    }

    def _new_engine(self) -> Any:
        return NSOnlineBoost(self._new_chain(), self._options())


@cython.cclass
class NSOnlineBoost(ChainEngine):
    """NSOnlineBoost engine: a boosting chain that replaces members that reduce recent accuracy.

    Parameters
    ----------
    chain : BoostChain
        The members.
    options : dict
        The classifier's `window_size`, `period` and `maturity`.
    """

    STATE = {
        "chain": committee_of(kind=BoostChain),
        "options": parameters(NSOnlineBoostClassifier, "vote"),
        "window": fitting(RowWindow),
    }

    def __init__(self, chain, options):
        self.chain = chain
        self.options = options
        committee = chain.committee
        self.window = RowWindow(committee.n_features, committee.n_classes, options["window_size"])
        self._prepare()

    def _prepare(self):
        ChainEngine._prepare(self)
        self.period = self.options["period"]
        self.maturity = self.options["maturity"]

    def _learn_row(self, i, votes):
        if self.keeps_votes:
            self._vote(row_at(self.X, i), start_of(votes))
        self.chain.boost(row_at(self.X, i), self.y[i], self.w[i], row_at(self.u, i))
        self.window.append(self.X, i, self.y[i], self.w[i])
        if (self.committee.n_rows + 1) % self.period == 0:
            worst = self._worst()
            if worst >= 0:
                self.committee.drop(worst)
                self.committee.add(self.draws.new_model(i))
        return 0

    def _worst(self):
        """Return the mature member whose removal lowers the error most; -1 if none does."""
        mature = np.flatnonzero(self.committee["trained"] >= self.maturity)
        # Without its only mature member, the ensemble would have no vote to compare.
        if len(mature) < 2:
            return -1
        rows = self.window.rows()
        models = self.committee.models
        predicted: cython.int[:, ::1] = np.vstack([labels(models[j], rows) for j in mature])
        weight: cython.double[::1] = np.array([self.chain.vote_weight(j) for j in mature])
        self.without = np.zeros(len(mature) + 1)
        self._evaluate(predicted, weight)
        errors = np.asarray(self.without)
        best = errors[: len(mature)].argmin()
        return mature[best] if errors[best] < errors[len(mature)] else -1

    def _evaluate(self, predicted, weight):
        """Compute the window errors of the votes without each member and (last) with all members.

        Removing a member changes the winning class only if the member voted for it, and then only
        to the runner-up. If the difference is so small that rounding could matter, the vote without
        the member is summed again in full.
        """
        M: cython.Py_ssize_t = weight.shape[0]
        votes: cython.double[::1] = self.committee.votes
        for row in range(predicted.shape[1]):
            y = self.window.y[self.window.start + row]
            w = self.window.w[self.window.start + row]
            votes[:] = 0.0
            for j in range(M):
                if predicted[j, row] >= 0:
                    votes[predicted[j, row]] += weight[j]
            top = self.committee.best_class()
            second = self._runner_up(top)
            for j in range(M + 1):
                winner: cython.Py_ssize_t = top
                if j < M and predicted[j, row] == top and second >= 0:
                    rest: cython.double = votes[top] - weight[j]
                    other: cython.double = votes[second]
                    if fabs(rest - other) <= CLOSE * votes[top]:
                        rest = 0.0
                        for k in range(M):
                            if k != j and predicted[k, row] == top:
                                rest += weight[k]
                    # The lower class code wins ties, as in `best_class`.
                    if rest < other or (rest == other and second < top):
                        winner = second
                if winner != y:
                    self.without[j] += w

    def _runner_up(self, top):
        best: cython.Py_ssize_t = -1
        votes: cython.double[::1] = self.committee.votes
        for c in range(votes.shape[0]):
            if self.committee.seen_classes[c] and c != top and (best < 0 or votes[c] > votes[best]):
                best = c
        return best

    def _vote(self, row, votes):
        """Write the votes on a row."""
        n: cython.Py_ssize_t = self.committee.numbers.shape[0]
        any_mature: cython.bint = False
        for j in range(n):
            any_mature = any_mature or self.chain.n_learned(j) >= self.maturity
        for j in range(n):
            counts: cython.bint = not any_mature or self.chain.n_learned(j) >= self.maturity
            self.committee.vote_weights[j] = self.chain.vote_weight(j) if counts else 0.0
        return self.chain.combine(row, votes)

    def weights(self):
        """Return the members' voting weights; once a member is mature, only mature members vote."""
        mature = self.committee["trained"] >= self.maturity
        return self.chain.weights() * (mature | ~mature.any())
