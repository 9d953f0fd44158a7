# cython: infer_types=True
"""Adaptive random forest: bagged Hoeffding trees that are replaced after drift."""

from dataclasses import KW_ONLY, dataclass
from numbers import Real
from typing import Any, ClassVar

import cython
import numpy as np
from sklearn.utils._param_validation import Interval

if not cython.compiled:
    from driftlearn.base._online_model import top_class
    from driftlearn.drift._adwin_window import AdaptiveWindow
    from driftlearn.ensemble._pointer_list import pointers_to
    from driftlearn.utils._poisson import PoissonTable
    from driftlearn.utils._row_pointers import row_at

from driftlearn.base._online_model import OnlineModel
from driftlearn.ensemble._committee_checks import committee_of, fitting
from driftlearn.ensemble._engine_classifier import EngineCounter
from driftlearn.ensemble._online_committee import MOST_ROWS
from driftlearn.ensemble.bagging.online_bagging import OnlineBagging, OnlineBaggingClassifier
from driftlearn.io import schema
from driftlearn.tree.hoeffding_tree import quick_tree
from driftlearn.utils._class_axis import widened
from driftlearn.utils.docstrings import inherit_docs

COLUMNS = "n_correct", "n_tested"  # counts of a member's predictions since it was added


@cython.annotation_typing(False)
@inherit_docs
@dataclass(eq=False, repr=False)
class AdaptiveRandomForestClassifier(OnlineBaggingClassifier):
    """Adaptive random forest classifier.

    Bagged Hoeffding trees with random feature subsets, each with a background tree that replaces it
    after drift. Each tree is trained on each row Poisson(6) times, and each of its leaves compares
    splits on a few features only, drawn when the leaf is created. Two ADWINs monitor the errors of
    each tree. At a *warning* a background tree is started; at a *drift* it replaces that tree. A
    tree's voting weight is its accuracy since it joined the ensemble.

    Use it on tables with drift when several trees are affordable; it is among the most accurate
    stream classifiers.

    Parameters
    ----------
    estimator : classifier with `partial_fit`, optional
        Base learner. The default is the tree of the paper,
        ``HoeffdingTreeClassifier(grace_period=50, delta=0.01, max_features="sqrt")``. Naive Bayes
        is compiled, too; other classifiers are called once per row.
    n_estimators : int, default=10
        Number of members. The paper uses 100, which costs ten times as much and, on the electricity
        data (row by row), improves accuracy by one percentage point.
    rate : float, default=6.0
        Mean of the Poisson distribution from which each member's training weight for a row is
        drawn.
    warning_delta, drift_delta : float, default=0.01 and 0.001
        Confidence parameters of each member's two detectors: smaller values give fewer alarms.
    vote : {"soft", "majority"}, default="soft"
        Whether members vote with probabilities or with labels; both are weighted by accuracy.
    %(nominal_features)s
    %(class_weight)s
    random_state : int, Generator, RandomState or None
        Seed of the training weights and the feature subsets.
    %(n_jobs)s

    Attributes
    ----------
    %(classes_)s
    members_ : Table
        One row per member: ``id``, ``created_at`` (row at which it joined the ensemble), ``weight``
        (voting weight), ``error`` (the estimate of its drift detector), ``classes`` (labels it was
        trained on), ``size``, ``bytes``.
    %(n_members_)s
    %(estimators_)s
    %(history_)s
    n_warnings_, n_drifts_ : int
        Number of background models started after a warning; number of members replaced.
    committee_ : OnlineCommittee
        The models, their detectors and their accuracy.
    engine_ : AdaptiveRandomForest
        The compiled algorithm.

    Notes
    -----
    A detector fires when it cuts its window and the mean error has increased. After a warning its
    detector is reset, and both detectors are reset when a member is replaced. The papers leave some
    details open. Here, a new warning discards the background model of an earlier warning; at a
    drift without a background model, a new model is started; the background model is trained on the
    row of the drift before it replaces the member; and each member's accuracy estimate starts with
    one correct prediction, so that new members have a nonzero vote. Each leaf stores statistics of
    all features, and naive Bayes at the leaf uses all of them.

    References
    ----------
    .. [1] H. M. Gomes, A. Bifet, J. Read, J. P. Barddal, F. Enembreck, B. Pfahringer, G. Holmes,
       T. Abdessalem, "Adaptive random forests for evolving data stream classification", Machine
       Learning 106, 2017, doi:10.1007/s10994-017-5642-8.

    Examples
    --------
    >>> from driftlearn import AdaptiveRandomForestClassifier
    >>> from driftlearn.streams import SEA
    >>> stream = SEA(n_rows=8_000, noise=0.0, random_state=0)
    >>> model = AdaptiveRandomForestClassifier(random_state=0)
    >>> for batch in stream.chunks(1_000):
    ...     model = model.partial_fit(batch.X, batch.y)
    >>> model.score(*stream.test_set(7_999, 1_000, random_state=1))
    0.988
    >>> model.n_warnings_, model.n_drifts_
    (23, 20)
    """

    _: KW_ONLY
    rate: float = 6.0
    warning_delta: float = 0.01
    drift_delta: float = 0.001

    PUBLISHED = {}
    STATE = {"engine_": schema.a("AdaptiveRandomForest")}
    _only_members_use_rows = False
    _columns: ClassVar[tuple[str, ...]] = COLUMNS
    n_warnings_ = EngineCounter("Number of warnings so far.")
    n_drifts_ = EngineCounter("Number of members replaced so far.")
    _parameter_constraints = {
        "rate": [Interval(Real, 0, 100, closed="right")],
        "warning_delta": [Interval(Real, 0, 1, closed="neither")],
        "drift_delta": [Interval(Real, 0, 1, closed="neither")],
    }

    def _default_base_learner(self) -> Any:
        return quick_tree().set_params(max_features="sqrt")

    def _initial_row(self) -> dict[str, Any]:
        return {
            "warning": AdaptiveWindow(self.warning_delta),
            "drift": AdaptiveWindow(self.drift_delta),
        }

    def _new_engine(self) -> Any:
        return AdaptiveRandomForest(self.committee_, self._options())


@cython.cclass
class AdaptiveRandomForest(OnlineBagging):
    """Adaptive random forest engine (Gomes et al. 2017, Algorithm 1).

    Members may be any online models: trees with random leaves, or models of a random subset of the
    features (streaming random patches).

    Parameters
    ----------
    committee : OnlineCommittee
        The members, each with its detectors ``"warning"`` and ``"drift"``.
    options : dict
        The classifier's `rate`, `warning_delta`, `drift_delta` and `vote`.
    """

    STATE = {
        "committee": committee_of(COLUMNS, warning=AdaptiveWindow, drift=AdaptiveWindow),
        "options": schema.parameters(AdaptiveRandomForestClassifier),
        "background_models": schema.list_of(schema.optional(fitting(OnlineModel)), "members"),
        "background_classes": schema.integers("members", "classes", least=0, below=2),
        "n_warnings": schema.integer(0, MOST_ROWS),
        "n_drifts": schema.integer(0, MOST_ROWS),
    }

    def __init__(self, committee, options):
        self.background_models = [None] * len(committee)
        self.background_classes = np.zeros((len(committee), committee.n_classes), dtype=np.uint8)
        self.n_warnings = 0
        self.n_drifts = 0
        OnlineBagging.__init__(self, committee, options)

    def _train_member(self, j, first, stop):
        warning: cython.bint
        drift: cython.bint
        # Local variables avoid false sharing: other threads write to nearby memory.
        n_correct: cython.double = self.n_correct[j]
        n_tested: cython.double = self.n_tested[j]
        for i in range(first, stop):
            # Predict before training. An untrained member makes no prediction and is not tested.
            predicted = self._predict_and_vote(j, i, accuracy(n_correct, n_tested))
            # Poisson(6) instead of the Poisson(1) of online bagging: trees grow faster (Gomes et
            # al. 2017, after leveraging bagging).
            k = self.poisson_rate.draw(self.u[i, j])
            if k > 0:
                self._update_member(j, i, k, True)
            warning = drift = False
            if predicted >= 0:
                error: cython.double = 1.0 if predicted != self.y[i] else 0.0
                n_correct += 1.0 - error
                n_tested += 1.0
                warning = cython.cast(AdaptiveWindow, self.warning_detectors.at[j]).rises(error)
                drift = cython.cast(AdaptiveWindow, self.drift_detectors.at[j]).rises(error)
            if warning or (drift and not self.has_background[j]):
                with cython.gil:
                    self._start_background(i, j, warning)
            if k > 0 and self.has_background[j]:
                self._update_background(j, i, k)
            if drift and self.has_background[j]:
                with cython.gil:
                    self._replace_by_background(i, j)
                n_correct = n_tested = 0.0
        self.n_correct[j] = n_correct
        self.n_tested[j] = n_tested
        return 0

    def _predict_and_vote(self, j, i, weight):
        """Write the weighted vote of member `j` on row `i`; return its predicted class, or -1."""
        predicted = self._vote(j, i)
        votes = self._votes_of(j, i)
        if self.soft:
            predicted = top_class(votes, self.committee.n_classes)
        for c in range(self.committee.n_classes):
            votes[c] *= weight
        return predicted

    def _update_background(self, j, i, k):
        """Train the background model of member `j` on row `i` with `k` times its weight."""
        y = self.y[i]
        cython.cast(OnlineModel, self.background.at[j])._learn_row(
            row_at(self.X, i), y, k * self.w[i]
        )
        if not self.background_classes[j, y]:
            self.background_classes[j, y] = 1
        return 0

    def _start_background(self, i, j, warning):
        """Start a background model for member `j`, after a warning or a drift without warning."""
        model = self._new_model_for(i, j)
        if model is None:
            return
        if warning:
            self.n_warnings += 1
            self._reset_detector(j, "warning", self.warning_detectors, self.warning_delta)
        self.background_models[j] = model
        self.background_classes[j, :] = 0
        self.background.set(j, model)
        self.has_background[j] = True

    def _replace_by_background(self, i, j):
        """Replace member `j` by its background model after row `i`, and reset its detectors."""
        self.n_drifts += 1
        self._replace_member(i, j, self.background_models[j], {})
        self.committee.member_classes[j, :] = self.background_classes[j, :]
        self._reset_detector(j, "warning", self.warning_detectors, self.warning_delta)
        self._reset_detector(j, "drift", self.drift_detectors, self.drift_delta)
        self.background_models[j] = None
        self.has_background[j] = False

    def _reset_detector(self, j, name, detectors, delta):
        detector = AdaptiveWindow(delta)
        self.committee.objects[name][j] = detector
        detectors.set(j, detector)

    def weights(self):
        """Return the voting weight of each member: its accuracy since it joined the ensemble."""
        return (1.0 + self.committee["n_correct"]) / (1.0 + self.committee["n_tested"])

    def member_errors(self):
        """Return the error of each member over the window of its drift detector."""
        return np.array([detector.estimate for detector in self.committee["drift"]])

    def widen(self, positions, n_classes):
        """Adapt to `n_classes` classes, where old class ``c`` becomes ``positions[c]``."""
        self.background_classes = widened(self.background_classes, positions, n_classes, axis=1)
        OnlineBagging.widen(self, positions, n_classes)

    def _prepare(self):
        OnlineBagging._prepare(self)
        self.poisson_rate = PoissonTable(self.options["rate"])
        self.warning_delta = self.options["warning_delta"]
        self.drift_delta = self.options["drift_delta"]
        self.background = self.warning_detectors = self.drift_detectors = None
        self.has_background = np.zeros(len(self.committee), dtype=np.uint8)

    def _refresh_pointers(self):
        committee = self.committee
        OnlineBagging._refresh_pointers(self)
        self.n_correct, self.n_tested = committee["n_correct"], committee["n_tested"]
        self.background = pointers_to(self.background_models, self.background)
        self.warning_detectors = pointers_to(committee.objects["warning"], self.warning_detectors)
        self.drift_detectors = pointers_to(committee.objects["drift"], self.drift_detectors)
        for j in range(self.has_background.shape[0]):
            self.has_background[j] = self.background_models[j] is not None

    @staticmethod
    def check_state(state):
        """Raise InvalidStateError unless all detectors exist and all models match the data."""
        committee = state["committee"]
        n_correct, n_tested = committee["n_correct"], committee["n_tested"]
        if not ((n_correct >= 0) & (n_correct <= n_tested) & (n_tested < np.inf)).all():
            raise schema.InvalidStateError(
                "n_correct of each member must be between 0 and its n_tested"
            )


def accuracy(n_correct, n_tested):
    """Return the accuracy of a member, counting one additional correct prediction.

    Without it, the voting weight of a new member would be zero.
    """
    return (1.0 + n_correct) / (1.0 + n_tested)
