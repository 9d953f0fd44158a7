# cython: infer_types=True
"""RCD: recurring concept drift framework."""

from dataclasses import KW_ONLY, dataclass
from numbers import Integral, Real
from typing import Any

import cython
import numpy as np
from sklearn.utils._param_validation import Interval, StrOptions

if not cython.compiled:
    from driftlearn.base._online_model import OnlineModel, top_class
    from driftlearn.ensemble._row_engine import RowEngine
    from driftlearn.ensemble._row_window import RowWindow
    from driftlearn.utils._row_pointers import row_at, start_of

from driftlearn.drift._error_statistics import ErrorRate, MistakeDistance
from driftlearn.ensemble._committee_checks import committee_of, fitting
from driftlearn.ensemble._engine_classifier import EngineClassifier, EngineCounter
from driftlearn.ensemble._online_committee import MOST_ROWS
from driftlearn.ensemble.two_samples import neighbor_test
from driftlearn.io import schema
from driftlearn.tree.hoeffding_tree import HoeffdingTreeClassifier
from driftlearn.utils._class_axis import widened

DETECTORS = {"ddm": ErrorRate, "eddm": MistakeDistance}


@cython.annotation_typing(False)
@dataclass(eq=False, repr=False)
class RCDClassifier(EngineClassifier):
    """RCD: recurring concept drift framework, one model per concept.

    Every model is stored with a sample of its latest training rows. One of the models, the current
    model, predicts and is trained. At a warning, a new model is trained in the background. At a
    drift, the rows of the new model are compared with the samples of the stored models by a
    statistical test. If a stored sample does not differ, the concept recurs and the stored model
    becomes the current model; otherwise the new model does. Paper settings:
    `RCDClassifier.as_published()` has ``min_rows=1``, ``n_neighbors=3``, ``alpha=0.01``,
    ``compare="rows"``.

    Parameters
    ----------
    estimator : classifier with `partial_fit`, optional
        The base learner; `HoeffdingTreeClassifier` by default. `GaussianNBClassifier` is compiled,
        too; other classifiers are called once per row. External learners cannot adopt new classes:
        at the first row of a new class, such a member is replaced by a new one, unless the first
        call declares all labels with `classes`.
    n_estimators : int, default=15
        Maximum number of stored models; the oldest is dropped first.
    detector : {"ddm", "eddm"}, default="ddm"
        Drift detector: `driftlearn.drift.DDM` or `driftlearn.drift.EDDM`.
    buffer_size : int, default=200
        Number of rows stored with a model.
    check_every : int or None, default=500
        Number of rows between checks that compare the newer half of the current model's sample with
        the older half. If they differ, the newer half is compared with the samples of the other
        models, and the first model whose sample does not differ becomes the current model. None
        disables this check.
    min_rows : int, default=30
        Minimum number of rows of a sample; smaller samples are not compared, because the test has
        too little power, and a new model with fewer rows is stored without a test. Must be at least
        ``n_neighbors + 2``.
    n_neighbors : int, default=5
        Number of nearest neighbors used by the test.
    alpha : float, default=0.05
        Significance level of the test. With larger values, more samples are treated as new
        concepts.
    n_permutations : int, default=199
        Number of permutations of the test, at least ``1 / alpha - 1``.
    compare : {"labelled", "rows"}, default="labelled"
        "rows": the test compares features only, as in [1]_, and cannot distinguish concepts with
        the same distribution of features. "labelled": the test also compares labels: the distance
        between rows of different classes is increased by one standard deviation in every feature.
    nominal_features : array-like, optional
        Columns (positions or a mask) that contain category codes. They are passed to the base
        learner if it has this parameter, unless its own value is set.
    class_weight : {"balanced"}, dict or None, default=None
        Class weights, by which row weights are multiplied. A dict maps labels to weights; other
        classes have weight 1. "balanced" uses n / (k * rows of the class), with the n rows and k
        classes so far, at most 100.
    random_state : int, Generator, RandomState or None
        Seed of the permutations and of base learners.

    Attributes
    ----------
    classes_ : ndarray
        The known labels, sorted.
    members_ : Table
        One row per stored model: ``id``, ``created_at`` (when it was stored), ``weight`` (1 for the
        current model), ``error`` (of the current model, by the detector), ``classes``, ``size``,
        ``bytes``.
    n_members_, n_rows_ : int
        Number of stored models; number of rows trained on.
    history_ : History
        The voting weights every 200 rows; the interval doubles as the stream grows.
    n_drifts_, n_returns_ : int
        Number of drifts; number of returns to a stored model.
    estimators_, committee_, engine_ : list, OnlineCommittee, RCD
        The models; the models with their statistics; the compiled algorithm.

    References
    ----------
    .. [1] P. M. Gonçalves Jr., R. S. M. Barros, "RCD: A recurring concept drift framework",
       Pattern Recognition Letters 34(9), 2013, doi:10.1016/j.patrec.2013.02.005.
    .. [2] M. F. Schilling, "Multivariate Two-Sample Tests Based on Nearest Neighbors", Journal of
       the American Statistical Association 81(395), 1986, doi:10.1080/01621459.1986.10478337.

    Examples
    --------
    >>> from driftlearn import RCDClassifier
    >>> from driftlearn.streams import Agrawal, Drifting
    >>> stream = Drifting([Agrawal(1), Agrawal(4)], order=(0, 1, 0), n_rows=8_000, random_state=0)
    >>> model = RCDClassifier(random_state=0)
    >>> for batch in stream.chunks(1_000):
    ...     model = model.partial_fit(batch.X, batch.y)
    >>> model.n_members_, model.n_drifts_, model.n_returns_
    (2, 2, 1)
    """

    n_estimators: int = 15
    _: KW_ONLY
    detector: str = "ddm"
    buffer_size: int = 200
    check_every: int | None = 500
    min_rows: int = 30
    n_neighbors: int = 5
    alpha: float = 0.05
    n_permutations: int = 199
    compare: str = "labelled"

    PUBLISHED = {"min_rows": 1, "n_neighbors": 3, "alpha": 0.01, "compare": "rows"}
    _columns = ()
    STATE = {"engine_": schema.a("RCD")}
    n_drifts_ = EngineCounter("Number of drifts detected.")
    n_returns_ = EngineCounter("Number of returns to a stored model.")
    _parameter_constraints = {
        "detector": [StrOptions(set(DETECTORS))],
        "buffer_size": [Interval(Integral, 2, schema.LARGEST, closed="both")],
        "check_every": [Interval(Integral, 1, schema.LARGEST, closed="both"), None],
        "min_rows": [Interval(Integral, 1, schema.LARGEST, closed="both")],
        "n_neighbors": [Interval(Integral, 1, schema.LARGEST, closed="both")],
        "alpha": [Interval(Real, 0, 1, closed="neither")],
        "n_permutations": [Interval(Integral, 1, schema.LARGEST, closed="both")],
        "compare": [StrOptions({"labelled", "rows"})],
    }

    def _validate_params(self) -> None:
        super()._validate_params()
        if 1 / (1 + self.n_permutations) > self.alpha:
            raise ValueError(
                f"n_permutations={self.n_permutations} is too small for alpha={self.alpha}: no "
                "difference could be significant. Use at least 1 / alpha - 1."
            )

    def _default_base_learner(self) -> Any:
        return HoeffdingTreeClassifier()

    def _takes_missing(self) -> bool:
        return False  # computes distances between rows

    def _n_initial(self) -> int:
        return 1

    def _new_engine(self) -> Any:
        return RCD(self.committee_, self._options())


@cython.cclass
class RCD(RowEngine):
    """RCD engine: the compiled training loop.

    The engine is created from a committee of one model and a dict of the classifier's parameters.

    Attributes
    ----------
    buffers : list of RowWindow
        The latest training rows of each model, except rows since a current warning.
    current : int
        The position of the current model.
    background, rows : OnlineModel, RowWindow
        The new model and its rows during a warning; otherwise None.
    """

    STATE = {
        "committee": committee_of(()),
        "options": schema.parameters(RCDClassifier),
        "buffers": schema.list_of(fitting(RowWindow), "members"),
        "current": schema.integer(0),
        "background": schema.optional(fitting(OnlineModel), needed=True),
        "rows": schema.optional(fitting(RowWindow), needed=True),
        "seen_classes": schema.integers("classes", least=0, below=2),
        "detector": schema.a(*DETECTORS.values()),
        "n_drifts": schema.integer(0, MOST_ROWS),
        "n_returns": schema.integer(0, MOST_ROWS),
    }

    def __init__(self, committee, options):
        self.committee = committee
        self.options = options
        self.buffers = [self._new_buffer()]
        self.current = 0
        self.n_drifts = 0
        self.n_returns = 0
        self._settle()
        self._prepare()

    @staticmethod
    def check_state(state):
        """Raise InvalidStateError unless every model has its rows and all shapes agree."""
        if state["current"] >= len(state["committee"]):
            raise schema.InvalidStateError("the current model of RCD does not exist")
        if (state["background"] is None) != (state["rows"] is None):
            raise schema.InvalidStateError(
                "the background model and its rows must be stored together"
            )

    def _prepare(self):
        RowEngine._prepare(self)
        self.check_every = self.options["check_every"] or 0
        self.least = max(self.options["min_rows"], self.options["n_neighbors"] + 2)

    def _new_buffer(self):
        shape = self.committee.n_features, self.committee.n_classes
        return RowWindow(*shape, self.options["buffer_size"])

    def _learn_row(self, i, votes):
        drift: cython.bint = False
        warning: cython.bint = False
        X = self.X
        y = self.y[i]
        predicted = self._predict(i, votes)
        if predicted >= 0:
            drift = self.detector.update(1.0 if predicted != y else 0.0)
            warning = drift or self.detector.warning
        self.committee.mark_seen(y)
        if warning and self.background is None:
            self.background = self.draws.new_model(i)
            self.rows = self._new_buffer()
            self.seen_classes[:] = 0
        # A warning without a drift was a false alarm: its rows belong to the current concept.
        elif not warning and self.background is not None:
            self._copy_rows(self.rows, self.rows.n, self.buffers[self.current])
            self.background = None
            self.rows = None
        # The row of a drift belongs to the next concept, so the current model must not learn it.
        if not drift:
            self.committee.update_row(self.current, row_at(X, i), y, self.w[i])
        if self.background is None:
            cython.cast(RowWindow, self.buffers[self.current]).append(X, i, y, 1.0)
        else:
            self.background.learn_one(X, i, y, self.w[i])
            self.rows.append(X, i, y, 1.0)
            self.seen_classes[y] = 1
        if drift:
            self._drift()
        elif self.background is None and self._is_time():
            self._check_newer_rows()
        return 0

    def _is_time(self):
        """Return whether a check is due after the current row."""
        return self.check_every > 0 and (self.committee.n_rows + 1) % self.check_every == 0

    def _predict(self, i, probas):
        """Write the current model's probabilities of a row; return its class, -1 if untrained."""
        cython.cast(OnlineModel, self.committee.models[self.current]).scores_one(self.X, i, probas)
        return top_class(start_of(probas), self.committee.n_classes)

    def _copy_rows(self, window, n, other):
        """Copy the oldest `n` rows of a window to another window."""
        for row in range(window.start, window.start + n):
            other.append(window.X, row, window.y[row], 1.0)

    def _drift(self):
        """Switch to a stored model of the new concept; if there is none, store the new model."""
        self.n_drifts += 1
        if not self._go_back((self.rows.rows(), self.rows.labels())):
            self._keep_background()
            self._settle()

    def _check_newer_rows(self):
        """Switch to a stored model if the newer rows differ from the older rows and match it."""
        current = self.current
        buffer: RowWindow = self.buffers[current]
        # Two samples of equal size give the test the most power.
        half = self.options["buffer_size"] // 2
        n_older = buffer.n - half
        if min(half, n_older) < self.least:
            return
        X, y = buffer.rows(), buffer.labels()
        older, recent = (X[:n_older], y[:n_older]), (X[n_older:], y[n_older:])
        if not self._match(older, recent, self.draws.rng) and self._go_back(recent):
            # The newer rows are of another concept and must not represent that of the former model.
            self.buffers[current] = self._new_buffer()
            self._copy_rows(buffer, n_older, self.buffers[current])

    def _go_back(self, sample):
        """Switch to the first other model whose sample matches; return whether one matches."""
        for j, buffer in enumerate(self.buffers):
            stored = buffer.rows(), buffer.labels()
            if j != self.current and self._match(stored, sample, self.draws.rng):
                self.n_returns += 1
                self.current = j
                self._settle()
                return True
        return False

    def _match(self, stored, sample, rng):
        """Return whether two samples of rows and classes do not differ significantly."""
        options = self.options
        (A, y_A), (B, y_B) = stored, sample
        # With fewer rows than neighbors the test is undefined; with few rows it has no power.
        if min(len(A), len(B)) < self.least:
            return False
        u = rng.random((options["n_permutations"], len(A) + len(B)))
        y = (y_A, y_B) if options["compare"] == "labelled" else None
        return neighbor_test(A, B, options["n_neighbors"], u, y) > options["alpha"]

    def _keep_background(self):
        committee = self.committee
        committee.add(self.background)
        committee.member_classes[len(committee) - 1, :] = self.seen_classes
        self.buffers.append(self.rows)
        if len(committee) > self.options["n_estimators"]:
            committee.drop(0)
            del self.buffers[0]
        self.current = len(committee) - 1

    def _settle(self):
        """Reset the detector for the current model and discard the background model."""
        self.background = None
        self.rows = None
        self.seen_classes = np.zeros(self.committee.n_classes, dtype=np.uint8)
        self.detector = DETECTORS[self.options["detector"]]()

    def scores(self, X):
        """Return the current model's probabilities, of shape (rows, classes)."""
        scores = np.zeros((len(X), self.committee.n_classes))
        self.committee.models[self.current].scores_many(X, scores)
        return scores

    def weights(self):
        """Return 1 for the current model, 0 for the others."""
        return (np.arange(len(self.committee)) == self.current).astype(float)

    def member_errors(self):
        """Return the error of the current model by the detector; nan for the others."""
        error = self.detector.estimate if self.detector.width > 0 else np.nan
        return np.where(self.weights() > 0, error, np.nan)

    def widen(self, positions, n_classes):
        """Adapt to `n_classes` classes, where old class ``c`` becomes ``positions[c]``."""
        RowEngine.widen(self, positions, n_classes)
        self.seen_classes = widened(self.seen_classes, positions, n_classes)
