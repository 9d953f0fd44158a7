# cython: infer_types=True
"""DWM: dynamic weighted majority."""

from dataclasses import KW_ONLY, dataclass
from numbers import Integral, Real
from typing import Any

import cython
import numpy as np
from sklearn.utils._param_validation import Interval, StrOptions

if not cython.compiled:
    from driftlearn.ensemble._row_engine import RowEngine
    from driftlearn.ensemble._row_window import RowWindow
    from driftlearn.utils._row_pointers import row_at, start_of

from driftlearn.ensemble._committee_checks import committee_of, fitting
from driftlearn.ensemble._engine_classifier import EngineClassifier
from driftlearn.io.schema import LARGEST, a, optional, parameters
from driftlearn.naive_bayes.gaussian_nb import GaussianNBClassifier

COLUMNS = "weight", "n_tested", "n_wrong"
WEIGHT = cython.declare(cython.int, 2)
N_TESTED = cython.declare(cython.int, 3)
N_WRONG = cython.declare(cython.int, 4)
# The windowed variant reduces weights at every row; below this bound an expert could not recover.
LEAST_WEIGHT = cython.declare(cython.double, 1e-12)


@cython.annotation_typing(False)
@dataclass(eq=False, repr=False)
class DWMClassifier(EngineClassifier):
    """DWM: dynamic weighted majority.

    Experts lose weight with each error. Every `period` rows, experts whose weight is below `theta`
    are dropped, and if the weighted vote on that row was wrong, a new expert of weight 1 is added.

    Paper settings: `DWMClassifier.as_published()` has ``estimator=GaussianNBClassifier()``,
    ``vote="majority"``.

    Parameters
    ----------
    estimator : classifier with `partial_fit`, optional
        The base learner; by default a Hoeffding tree that splits early,
        ``HoeffdingTreeClassifier(grace_period=50, delta=0.01)``. `GaussianNBClassifier` is
        compiled, too; other classifiers are called once per row. External learners cannot adopt new
        classes: at the first row of a new class, such a member is replaced by a new one, unless the
        first call declares all labels with `classes`.
    n_estimators : int or None, default=10
        Maximum number of experts; the expert with the smallest weight is replaced. None means no
        limit.
    beta : float, default=0.5
        Factor by which an error reduces an expert's weight.
    theta : float, default=0.01
        Weight below which experts are dropped, relative to the largest weight. The last expert is
        always kept.
    period : int, default=50
        Number of rows between changes of the ensemble.
    variant : {"original", "windowed"}, default="original"
        "original" [1]_: errors are counted only every `period` rows, and a new expert starts with
        the current row. "windowed" (Grbovic and Vucetic, 2011): errors are counted at every row,
        and a new expert is trained on a window of the latest rows at once.
    window_size : int, default=200
        Number of rows in the window of the windowed variant.
    online_update : bool, default=True
        Whether the older experts of the windowed variant continue to be trained: True follows the
        text of Grbovic and Vucetic (2011), False its pseudocode.
    vote : {"soft", "majority"}, default="soft"
        Whether experts vote by class probabilities or by labels, as published. Errors are always
        counted by labels.
    nominal_features : array-like, optional
        Columns (positions or a mask) that contain category codes. They are passed to the base
        learner if it has this parameter, unless its own value is set.
    class_weight : {"balanced"}, dict or None, default=None
        Class weights, by which row weights are multiplied. A dict maps labels to weights; other
        classes have weight 1. "balanced" uses n / (k * rows of the class), with the n rows and k
        classes so far, at most 100.
    random_state : int, Generator, RandomState or None
        Seed of base learners; the algorithm itself is deterministic.

    Attributes
    ----------
    classes_ : ndarray
        The known labels, sorted.
    members_ : Table
        One row per member: ``id``, ``created_at`` (the row), ``weight`` (voting weight), ``error``
        (share of errors among counted rows), ``classes`` (its labels), ``size``, ``bytes``.
    n_members_, n_rows_ : int
        Number of members; number of rows trained on.
    estimators_ : list
        The members' models.
    history_ : History
        The voting weights every 200 rows; the interval doubles as the stream grows.
    committee_ : OnlineCommittee
        The models and their statistics.
    engine_ : DWM
        The compiled algorithm.

    References
    ----------
    .. [1] J. Z. Kolter, M. A. Maloof, "Dynamic Weighted Majority: An Ensemble Method for
       Drifting Concepts", Journal of Machine Learning Research 8, 2007.

    Examples
    --------
    >>> from driftlearn import DWMClassifier
    >>> from driftlearn.streams import SEA
    >>> stream, model = SEA(n_rows=8_000, noise=0.0, random_state=0), DWMClassifier()
    >>> for batch in stream.chunks(1_000):
    ...     model = model.partial_fit(batch.X, batch.y)
    >>> model.score(*stream.test_set(7_999, 1_000, random_state=1))
    0.967
    """

    _: KW_ONLY
    beta: float = 0.5
    theta: float = 0.01
    period: int = 50
    variant: str = "original"
    window_size: int = 200
    online_update: bool = True
    vote: str = "soft"

    PUBLISHED = {"estimator": GaussianNBClassifier(), "vote": "majority"}
    STATE = {"engine_": a("DWM")}
    _only_members_use_rows = True
    _columns = COLUMNS
    _parameter_constraints = {
        "n_estimators": [Interval(Integral, 1, None, closed="left"), None],
        "beta": [Interval(Real, 0, 1, closed="neither")],
        "theta": [Interval(Real, 0, 1, closed="left")],
        "period": [Interval(Integral, 1, LARGEST, closed="both")],
        "variant": [StrOptions({"original", "windowed"})],
        "window_size": [Interval(Integral, 1, LARGEST, closed="both")],
        "online_update": ["boolean"],
        "vote": [StrOptions({"soft", "majority"})],
    }

    def _n_initial(self) -> int:
        return 1

    def _new_engine(self) -> Any:
        return DWM(self.committee_, self._options())

    def _passes_rows(self) -> bool:
        # the windowed variant also stores a window of rows
        return super()._passes_rows() and self.variant == "original"


@cython.cclass
class DWM(RowEngine):
    """DWM engine: the compiled training loop.

    Parameters
    ----------
    committee : OnlineCommittee
        The experts, with the columns `COLUMNS`; initially a single expert.
    options : dict
        The classifier's parameters.

    Notes
    -----
    The last expert is never dropped: if all weights are below `theta`, the expert with the largest
    weight is kept.
    """

    STATE = {
        "committee": committee_of(COLUMNS),
        "options": parameters(DWMClassifier, "vote"),
        "window": optional(fitting(RowWindow)),
    }

    def __init__(self, committee, options):
        self.window = None
        if options["variant"] == "windowed":
            shape = committee.n_features, committee.n_classes
            self.window = RowWindow(*shape, options["window_size"])
        RowEngine.__init__(self, committee, options)

    def set_state(self, state):
        """Restore a state, which may have been saved by a version without soft votes."""
        options = dict(state["options"])
        options.setdefault("vote", "majority")
        super().set_state({**state, "options": options})

    def _prepare(self):
        RowEngine._prepare(self)
        self.beta = self.options["beta"]
        self.theta = self.options["theta"]
        self.period = self.options["period"]
        self.online_update = self.options["online_update"]

    def _learn_row(self, i, votes):
        if self.keeps_votes:
            self.committee.weigh_by(WEIGHT)
            self.combine(row_at(self.X, i), start_of(votes))
        self.committee.mark_seen(self.y[i])
        if self.window is None:
            self._original(i, row_at(self.X, i), self.y[i])
        else:
            self._windowed(i, row_at(self.X, i), self.y[i])
        return 0

    def _original(self, i, row, y):
        n_rows = self.committee.n_rows
        # On the first row no expert has been trained, so all would count as wrong.
        if (n_rows + 1) % self.period == 0 and n_rows > 0:
            wrong = self._reduce_weights(row, y)
            # Weights are scaled before the threshold is applied (Kolter and Maloof 2007, Algorithm
            # 1): theta is relative to the best expert.
            self._scale()
            self._drop_light()
            if wrong:
                self._add_expert(i)
        for j in range(self.committee.numbers.shape[0]):
            self.committee.update_tested_row(j, row, y, self.w[i])

    def _windowed(self, i, row, y):
        n_rows = self.committee.n_rows
        newest: cython.Py_ssize_t = 0 if n_rows == 0 else -1
        if n_rows > 0:
            wrong = self._reduce_weights(row, y)
            if (n_rows + 1) % self.period == 0:
                self._drop_light()
                if wrong:
                    self._add_expert(i)
                    newest = self.committee.numbers.shape[0] - 1
                    self._train_on_window(newest)
        for j in range(self.committee.numbers.shape[0]):
            if self.online_update or j == newest:
                self.committee.update_tested_row(j, row, y, self.w[i])
        self._scale()
        numbers: cython.double[:, ::1] = self.committee.numbers
        for j in range(numbers.shape[0]):
            numbers[j, WEIGHT] = max(numbers[j, WEIGHT], LEAST_WEIGHT)
        self.window.append(self.X, i, y, self.w[i])

    def _train_on_window(self, j):
        """Train an expert on the window, except for the row that is about to be replaced."""
        window = self.window
        leaving: cython.Py_ssize_t = window.n == window.size
        for row in range(window.start + leaving, window.start + window.n):
            self.committee.update_row(j, row_at(window.X, row), window.y[row], window.w[row])

    def _reduce_weights(self, row, y):
        """Reduce the weights of experts that are wrong; return whether the vote is wrong."""
        numbers: cython.double[:, ::1] = self.committee.numbers
        votes: cython.double[::1] = self.committee.votes
        votes[:] = 0.0
        for j in range(numbers.shape[0]):
            predicted = self.committee.predict_once(j, row)
            numbers[j, N_TESTED] += 1.0
            if predicted != y:
                numbers[j, WEIGHT] *= self.beta
                numbers[j, N_WRONG] += 1.0
            if predicted >= 0:
                votes[predicted] += numbers[j, WEIGHT]
        return self.committee.best_class() != y

    def _scale(self):
        """Scale the weights so that the largest is 1."""
        numbers: cython.double[:, ::1] = self.committee.numbers
        largest: cython.double = 0.0
        for j in range(numbers.shape[0]):
            largest = max(largest, numbers[j, WEIGHT])
        for j in range(numbers.shape[0]):
            numbers[j, WEIGHT] /= largest

    def _drop_light(self):
        weight = self.committee["weight"]
        light = np.flatnonzero(weight < self.theta)
        # The best expert is kept, so that the ensemble can always predict.
        if len(light) == len(weight):
            light = np.delete(light, weight.argmax())
        for j in light[::-1]:
            self.committee.drop(j)

    def _add_expert(self, i):
        if len(self.committee) == self.options["n_estimators"]:
            self.committee.drop(int(self.committee["weight"].argmin()))
        self.committee.add(self.draws.new_model(i))

    def member_errors(self):
        """Return the error rate of each expert on the counted rows."""
        n_tested, n_wrong = self.committee["n_tested"], self.committee["n_wrong"]
        return np.where(n_tested > 0, n_wrong / np.maximum(n_tested, 1.0), np.nan)
