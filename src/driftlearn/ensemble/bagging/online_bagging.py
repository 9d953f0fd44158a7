# cython: infer_types=True
"""Online bagging: each member is trained on each row a Poisson number of times."""

from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar

import cython
import numpy as np
from sklearn.utils._param_validation import StrOptions

if not cython.compiled:
    from driftlearn.base._online_model import OnlineModel
    from driftlearn.utils._poisson import PoissonTable, poisson
    from driftlearn.utils._row_pointers import row_at

from driftlearn.base.stream_classifier import MAX_SEED
from driftlearn.base.threads import N_JOBS
from driftlearn.ensemble._batch_engine import BATCH_ROWS, BatchEngine
from driftlearn.ensemble._engine_classifier import Draws, EngineClassifier
from driftlearn.io.schema import a, parameters
from driftlearn.tree.hoeffding_tree import HoeffdingTreeClassifier


@cython.annotation_typing(False)
@dataclass(eq=False, repr=False)
class OnlineBaggingClassifier(EngineClassifier):
    """Online bagging: each member is trained on each row Poisson(1) times.

    A row of a large table is in a bootstrap sample Poisson(1) times, so the ensemble approximates
    batch bagging without storing rows. Members are never replaced: use
    `LeveragingBaggingClassifier` or `ADWINBaggingClassifier` if concepts drift.

    Paper settings: `OnlineBaggingClassifier.as_published()` has
    ``estimator=HoeffdingTreeClassifier()``.

    Parameters
    ----------
    estimator : classifier with `partial_fit`, optional
        Base learner. The default is a Hoeffding tree that splits early,
        ``HoeffdingTreeClassifier(grace_period=50, delta=0.01)``. `GaussianNBClassifier` is
        compiled, too; other classifiers are called once per row. Most third-party classifiers
        cannot add classes: at the first row of a new class, such a member is replaced by a new one,
        unless the first call declares all labels with `classes`.
    n_estimators : int, default=10
        Number of members.
    vote : {"soft", "majority"}, default="soft"
        Whether members vote with probabilities, or with labels, as in the paper.
    nominal_features : array-like, optional
        Columns (positions or a mask) that contain category codes. They are passed to the base
        learner if it has this parameter, unless its own value is set.
    class_weight : {"balanced"}, dict or None, default=None
        Class weights, by which row weights are multiplied: a dict from label to weight (1 for
        labels not listed), or "balanced": n / (k * rows of the class), for the n rows and k classes
        so far, at most 100.
    random_state : int, Generator, RandomState or None
        Seed of the Poisson draws.
    n_jobs : int, optional
        Number of training threads, for members that are Hoeffding trees or naive Bayes. Results do
        not depend on it.

    Attributes
    ----------
    classes_ : ndarray
        The labels, sorted.
    members_ : Table
        One row per member: ``id``, ``created_at`` (row), ``weight`` (voting weight, always 1),
        ``error`` (nan: members are not tested), ``classes`` (labels it was trained on), ``size``,
        ``bytes``.
    n_members_, n_rows_ : int
        Number of members; number of rows trained on.
    estimators_ : list
        The members' models.
    history_ : History
        Voting weights every 200 rows; the interval doubles as the stream grows.
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

    _: KW_ONLY
    vote: str = "soft"
    n_jobs: int | None = None

    PUBLISHED = {"estimator": HoeffdingTreeClassifier()}
    STATE = {"engine_": a("OnlineBagging")}
    _only_members_use_rows = True
    _columns: ClassVar[tuple[str, ...]] = ()
    _parameter_constraints = {"n_jobs": N_JOBS, "vote": [StrOptions({"soft", "majority"})]}

    def _new_engine(self) -> Any:
        return OnlineBagging(self.committee_, self._options())

    def _draws(self, n_rows: int) -> Draws:
        return MemberDraws(self, n_rows, len(self.committee_))

    def _weights_now(self) -> tuple[Any, Any]:
        return self.committee_["id"], self.engine_.weights()


@cython.cclass
class OnlineBagging(BatchEngine):
    """Online bagging engine, and base class of engines with other training weights.

    Parameters
    ----------
    committee : OnlineCommittee
        The members.
    options : dict
        The classifier's parameters, including `vote`.
    """

    STATE = {**BatchEngine.STATE, "options": parameters(OnlineBaggingClassifier)}

    def _prepare(self):
        BatchEngine._prepare(self)
        self.rates = np.zeros(BATCH_ROWS)
        self.poisson_1 = PoissonTable(1.0)

    def _begin_row(self, i):
        self.rates[i - self.first] = self._rate(self.y[i])

    def _rate(self, y):
        """Return the mean training weight of a row of class `y`."""
        return 1.0

    def _train_member(self, j, first, stop):
        for i in range(first, stop):
            if self.keeps_votes:
                self._vote(j, i)
            # In a bootstrap sample of n rows, a row occurs Binomial(n, 1 / n) times, which tends to
            # Poisson(1) for large n (Oza and Russell 2001).
            rate = self.rates[i - self.first]
            k = self.poisson_1.draw(self.u[i, j]) if rate == 1.0 else poisson(self.u[i, j], rate)
            if k > 0:
                self._update_member(j, i, k, self.keeps_votes)
        return 0

    def _vote(self, j, i):
        """Write the vote of member `j` on row `i`; return its class as `_test_row` does."""
        votes = self._votes_of(j, i)
        if self.soft:
            return cython.cast(OnlineModel, self.models.at[j])._test_row(row_at(self.X, i), votes)
        predicted = cython.cast(OnlineModel, self.models.at[j])._predict_row(row_at(self.X, i))
        for c in range(self.committee.n_classes):
            votes[c] = 0.0
        if predicted >= 0:
            votes[predicted] = 1.0
        return predicted

    def weights(self):
        """Return the voting weight of each member, which is always 1."""
        ones = np.empty(len(self.committee))  # twice as fast as np.ones
        ones.fill(1.0)
        return ones


class MemberDraws(Draws):
    """Uniform random numbers for a batch, one per row and member.

    The seed of a model that replaces a member is derived from the number drawn for that row and
    member, so the numbers of other members do not depend on replacements.
    """

    def new_model(self, row, member):
        """Return an untrained model to replace a member after this row."""
        return self.learner._new_model(int(self.u[row, member] * MAX_SEED))
