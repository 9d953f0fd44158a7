# cython: infer_types=True
"""Online bagging: every member learns every row a random number of times."""

from __future__ import annotations

from typing import Any

import cython
import numpy as np
from sklearn.utils._param_validation import StrOptions

if not cython.compiled:
    from driftlearn.base._online_model import OnlineModel
    from driftlearn.ensemble._crew import MemberwiseEngine, Room
    from driftlearn.ensemble._online_committee import OnlineCommittee
    from driftlearn.ensemble.bagging._poisson_table import PoissonTable
    from driftlearn.utils._poisson import poisson
    from driftlearn.utils._row_pointers import place_at, row_at

from driftlearn.base.threads import N_JOBS
from driftlearn.ensemble._crew import BLOCK
from driftlearn.ensemble._uniform_draws import learn_side_by_side
from driftlearn.ensemble.online_classifier import OnlineClassifier
from driftlearn.io.schema import a, parameters
from driftlearn.tree.hoeffding_tree import HoeffdingTreeClassifier


@cython.annotation_typing(False)
class OnlineBaggingClassifier(OnlineClassifier):
    """Online bagging: members that learn each row Poisson(1) times.

    That is how often a row of a large table is in a bootstrap sample of it, so the members are
    those of bagging without the table. Nothing is ever taken back: where the world drifts,
    `LeveragingBaggingClassifier` and `ADWINBaggingClassifier` replace members.

    As published: `OnlineBaggingClassifier.as_published()`: ``estimator=HoeffdingTreeClassifier()``.

    Parameters
    ----------
    estimator : classifier with `partial_fit`, optional
        The base learner; by default a Hoeffding tree that looks early,
        ``HoeffdingTreeClassifier(grace_period=50, delta=0.01)``. `GaussianNBClassifier` runs
        compiled too, anything else in the same loop at its own speed. A learner of another
        library cannot take a class that it has not been told of: such a member starts again
        from the row that has it, unless the first call announces all labels with `classes`.
    n_estimators : int, default=10
        Number of members.
    vote : {"soft", "majority"}, default="soft"
        Members vote with probabilities, or with labels, as printed.
    class_weight : {"balanced"}, dict or None, default=None
        What the rows of a class count for, times their weights: by label, 1 where not named, or
        "balanced": n / (k * rows of the class), of the n rows and k classes so far; at most 100.
    random_state : int, Generator, RandomState or None
        Decides the draws.
    n_jobs : int, optional
        Threads among which members that are Hoeffding trees or naive Bayes are shared out; the
        result does not depend on it.

    Attributes
    ----------
    classes_ : ndarray
        The labels, sorted.
    members_ : Table
        One row a member: ``id``, ``created_at`` (the row), ``weight`` (of its vote, 1), ``error``
        (nan: members are not tested), ``classes`` (the labels it has learned), ``size``, ``bytes``.
    n_members_, n_rows_ : int
        The number of members; of rows learned.
    estimators_ : list
        The members' models.
    history_ : History
        The voting weights every 200 rows, later every 400, and so on.
    committee_ : OnlineCommittee
        The models.
    engine_ : OnlineBagging
        The compiled algorithm.

    References
    ----------
    .. [1] N. Oza, S. Russell, "Experimental comparisons of online and batch versions of bagging
       and boosting", Knowledge Discovery and Data Mining, 2001, doi:10.1145/502512.502565.

    Examples
    --------
    >>> from driftlearn import OnlineBaggingClassifier
    >>> from driftlearn.streams import SEA
    >>> stream = SEA(thresholds=(8,), n_rows=5_000, noise=0.0, random_state=0)
    >>> model = OnlineBaggingClassifier(random_state=0)
    >>> for batch in stream.chunks(1_000):
    ...     model = model.partial_fit(batch.X, batch.y)
    >>> model.score(*stream.test_set(4_999, 1_000, random_state=1))
    0.99
    """

    n_estimators: int
    PUBLISHED = {"estimator": HoeffdingTreeClassifier()}
    STATE = {**OnlineClassifier.STATE, "engine_": a("OnlineBagging")}
    _rows_are_for_models = True
    _parameter_constraints = {
        **OnlineClassifier._parameter_constraints,
        "n_jobs": N_JOBS,
        "vote": [StrOptions({"soft", "majority"})],
    }

    def __init__(
        self,
        estimator: Any = None,
        n_estimators: int = 10,
        *,
        vote: str = "soft",
        class_weight: Any = None,
        random_state: Any = None,
        n_jobs: int | None = None,
    ):
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.vote = vote
        self.class_weight = class_weight
        self.random_state = random_state
        self.n_jobs = n_jobs

    def _begin(self) -> None:
        super()._begin()
        self.committee_ = self._new_committee()
        for _ in range(self.n_estimators):
            self.committee_.add(self._new_model())
        self.engine_ = self._new_engine()

    def _new_engine(self) -> Any:
        return OnlineBagging(self.committee_, self._options())

    def _learn_rows(
        self, X: np.ndarray, y: np.ndarray, w: np.ndarray, scores: np.ndarray | None = None
    ) -> None:
        learn_side_by_side(self, X, y, w, scores)

    def _weights_now(self) -> tuple[Any, Any]:
        return self.committee_["id"], self.engine_.weights()


@cython.cclass
class OnlineBagging(MemberwiseEngine):
    """Members that each learn a row Poisson(1) times; the base of other ways of bagging.

    Parameters
    ----------
    committee : OnlineCommittee
        The members.
    options : dict
        The classifier's parameters, `vote` among them.
    """

    STATE = {"committee": a(OnlineCommittee), "options": parameters(OnlineBaggingClassifier)}

    def __init__(self, committee, options):
        self.committee = committee
        self.options = options
        self._prepare()

    def _prepare(self):
        MemberwiseEngine._prepare(self)
        self.soft = self.options["vote"] == "soft"
        self.rates = np.zeros(BLOCK)
        self.once = PoissonTable(1.0)

    def _begin_row(self, i):
        self.rates[i - self.first] = self._rate(self.y[i])

    def _rate(self, y):
        """Return how often members learn a row of class `y`, on average."""
        return 1.0

    def _take(self, j, first, last):
        for i in range(first, last):
            if self.asked:
                self._answer(j, i)
            rate = self.rates[i - self.first]
            k = self.once.draw(self.u[i, j]) if rate == 1.0 else poisson(self.u[i, j], rate)
            if k > 0:
                self.teach(j, i, k, self.asked)
        return 0

    def _answer(self, j, i):
        """Write down the vote of member `j` on row `i`; return what `_test_row` does."""
        votes = place_at(cython.cast(Room, self.rooms.at[j]).votes, i - self.first)
        if self.soft:
            return cython.cast(OnlineModel, self.models.at[j])._test_row(row_at(self.X, i), votes)
        says = cython.cast(OnlineModel, self.models.at[j])._say_row(row_at(self.X, i))
        for c in range(self.committee.n_classes):
            votes[c] = 0.0
        if says >= 0:
            votes[says] = 1.0
        return says

    def errors(self):
        """Return the error of each member, where it is known."""
        return np.full(len(self.committee), np.nan)

    def weights(self):
        """Return the weight of each member's vote, which is 1."""
        ones = np.empty(len(self.committee))  # what np.ones does, in half the time
        ones.fill(1.0)
        return ones

    def scores(self, X):
        """Return the votes: (rows, classes)."""
        vote = self.committee.blend if self.soft else self.committee.tally
        return vote(X, self.weights())

    def describe(self):
        """Return a table of the members, as a dict of columns."""
        return self.committee.describe(self.weights(), self.errors())

    def widen(self, positions, n_classes):
        """Take note that there are `n_classes` now and old class ``c`` is ``positions[c]``."""
        self.committee.widen(positions, n_classes)
