# cython: infer_types=True
"""ACE: adaptive classifiers-ensemble system."""

from dataclasses import KW_ONLY, dataclass
from math import log10
from numbers import Integral, Real
from typing import Any

import cython
import numpy as np
from cython.cimports.libc.math import pow
from sklearn.utils._param_validation import HasMethods, Interval, StrOptions

if not cython.compiled:
    from driftlearn.base._online_model import OnlineModel, top_class
    from driftlearn.ensemble._row_engine import RowEngine
    from driftlearn.ensemble._row_window import RowWindow
    from driftlearn.utils._row_pointers import row_at, start_of

from driftlearn.base.base_learners import columns_of
from driftlearn.base.one_model import OneModelClassifier
from driftlearn.ensemble._committee_checks import committee_of, fitting
from driftlearn.ensemble._engine_classifier import EngineClassifier, EngineCounter
from driftlearn.ensemble._fixed_model import ExternalTrainer, FixedModel
from driftlearn.ensemble._online_committee import MOST_ROWS
from driftlearn.ensemble.weighted._prediction_window import PredictionWindow, wilson
from driftlearn.io.schema import LARGEST, InvalidStateError, a, integer, parameters
from driftlearn.naive_bayes.gaussian_nb import GaussianNBClassifier
from driftlearn.tree._fixed_tree import FixedTree
from driftlearn.tree.cart import CARTClassifier

WEIGHT = cython.declare(cython.int, 2)
INITIAL_ERROR = 0.5  # error of a model that has not predicted yet
# maximum number of decimal digits of a weight; keeps sums and products of weights finite
MOST_DIGITS = 100


@cython.annotation_typing(False)
@dataclass(eq=False, repr=False)
class ACEClassifier(EngineClassifier):
    """ACE (adaptive classifiers-ensemble): one online model and fixed batch-trained models.

    Every `chunk_size` rows, and at a drift, a member is trained on the rows since the previous
    member was created, and never changes afterwards. An online model is trained on every row. All
    models are weighted by their accuracy over the latest predictions, so that members for a
    recurring concept regain weight within a few rows. A drift is detected if the accuracy of the
    best model drops significantly from one window to the next.

    Parameters
    ----------
    estimator : classifier, optional
        The base learner of the members, `CARTClassifier` by default. `CARTClassifier`,
        `GaussianNBClassifier` and `HoeffdingTreeClassifier` are compiled; other classifiers are
        called once per row. Classifiers that do not accept weights are trained on a sample drawn by
        weight. Rows of a single class, which a classifier may reject, give a constant classifier.
    n_estimators : int or None, default=50
        Maximum number of members, not counting the online model; the member with the lowest recent
        accuracy is replaced. None means no limit.
    online : classifier with `partial_fit`, optional
        The online model; `GaussianNBClassifier` by default.
    chunk_size : int, default=500
        Maximum number of training rows of a member.
    window_size : int, default=50
        Number of predictions over which accuracies are computed. Smaller windows react faster to
        recurring concepts but are more sensitive to noise.
    alpha : float, default=1e-4
        A drift is detected if the accuracy is below Wilson's score interval of level ``1 - alpha``
        for the accuracy in the preceding window. Smaller values give fewer false alarms.
    power : float, default=5.0
        The voting weight is ``error ** -power``, where the error is bounded below by ``1 / (2 *
        window_size)``. With 0, all weights are equal; with a high power, the best model dominates.
    restart : {"drift", "chunk", "never"}, default="drift"
        When the online model is reset: at a drift, whenever a member is added ("chunk", as
        published), or never.
    vote : {"soft", "majority"}, default="soft"
        Whether models vote by probabilities or by labels, as published.
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
        The online model, then the members, oldest first: ``id``, ``created_at`` (the row),
        ``weight`` (voting weight), ``error`` (over the window; nan before the first prediction),
        ``classes`` (its labels), ``size``, ``bytes``.
    n_members_, n_rows_, n_drifts_ : int
        Number of members, including the online model; number of rows trained on; number of drifts
        detected.
    estimators_ : list
        The members' models.
    history_ : History
        The voting weights every 200 rows; the interval doubles as the stream grows.
    committee_, engine_ : OnlineCommittee, ACE
        The models and their statistics; the compiled algorithm.

    Notes
    -----
    Implemented from memory of [1]_ and [2]_. Before its first prediction, a member's error is 1/2.
    If the ensemble is full, a member is dropped before the new member is added. At a drift,
    predictions before the latest window are discarded. Paper settings:
    `ACEClassifier.as_published()` has ``estimator=CARTClassifier(smoothing=0.0)``,
    ``chunk_size=200``, ``window_size=30``, ``alpha=0.01``, ``power=3.0``, ``restart="chunk"``,
    ``vote="majority"``.

    References
    ----------
    .. [1] K. Nishida, K. Yamauchi, T. Omori, "ACE: Adaptive Classifiers-Ensemble System for
       Concept-Drifting Environments", Multiple Classifier Systems, 2005, doi:10.1007/11494683_18.
    .. [2] K. Nishida, "Learning and Detecting Concept Drift", Hokkaido University, 2008.

    Examples
    --------
    >>> from driftlearn import ACEClassifier
    >>> from driftlearn.streams import SEA
    >>> stream = SEA(thresholds=(8, 9.5, 8, 9.5), n_rows=8_000, noise=0.0, random_state=0)
    >>> model = ACEClassifier()
    >>> for batch in stream.chunks(1_000):
    ...     model = model.partial_fit(batch.X, batch.y)
    >>> model.score(*stream.test_set(7_999, 1_000, random_state=1))
    0.98
    >>> model.n_members_
    17
    """

    n_estimators: int | None = 50
    _: KW_ONLY
    online: Any = None
    chunk_size: int = 500
    window_size: int = 50
    alpha: float = 1e-4
    power: float = 5.0
    restart: str = "drift"
    vote: str = "soft"

    PUBLISHED = {
        "estimator": CARTClassifier.as_published(), "chunk_size": 200, "window_size": 30,
        "alpha": 0.01, "power": 3.0, "restart": "chunk", "vote": "majority",
    }  # fmt: skip
    STATE = {"engine_": a("ACE")}
    _columns = ("weight",)
    n_drifts_ = EngineCounter("Number of drifts detected.")
    _parameter_constraints = {
        "estimator": [HasMethods(["fit", "predict"]), None],
        "n_estimators": [Interval(Integral, 1, None, closed="left"), None],
        "online": [HasMethods(["partial_fit", "predict"]), None],
        "chunk_size": [Interval(Integral, 1, LARGEST, closed="both")],
        "window_size": [Interval(Integral, 1, LARGEST // 2, closed="both")],
        "alpha": [Interval(Real, 0, 1, closed="neither")],
        "power": [Interval(Real, 0, 100, closed="both")],
        "restart": [StrOptions({"drift", "chunk", "never"})],
        "vote": [StrOptions({"soft", "majority"})],
    }

    def _base_learner(self) -> Any:
        return self._informed(GaussianNBClassifier() if self.online is None else self.online)

    def _batch_learner(self) -> Any:
        return self._informed(CARTClassifier() if self.estimator is None else self.estimator)

    def _base_learners(self) -> list[Any]:
        return [self._batch_learner(), self._base_learner()]

    def _validate_params(self) -> None:
        super()._validate_params()
        check_weights(self.window_size, self.power)

    def _n_initial(self) -> int:
        return 1

    def _initial_row(self) -> dict[str, Any]:
        return {"weight": INITIAL_ERROR**-self.power, "windows": PredictionWindow(self.window_size)}

    def _new_engine(self) -> Any:
        return ACE(self.committee_, self._options())

    def _new_member(self, X: np.ndarray, y: np.ndarray, w: np.ndarray) -> OnlineModel:
        """Return a fixed model of `estimator`, trained on these rows."""
        trainer = ExternalTrainer(self._batch_learner(), self.classes_, self.rng_)
        mark = trainer.mark()
        try:
            model = trainer.train(X, y, w)
        except BaseException:
            trainer.back_to(mark)
            raise
        d, C = self.n_features_in_, len(self.classes_)
        if type(model) is CARTClassifier:
            return FixedTree(d, C, model._voting_arrays(d), columns_of(model, self.classes_))
        if isinstance(model, OneModelClassifier):
            model._meet(self.classes_)
            return model.model_
        return FixedModel(model, w.sum(), d, self.class_book_)


@cython.cclass
class ACE(RowEngine):
    """ACE engine: the compiled training loop.

    Parameters
    ----------
    committee : OnlineCommittee
        The online model, with its `PredictionWindow` in the column ``"windows"``, followed by the
        members, oldest first.
    options : dict
        The classifier's parameters.

    Attributes
    ----------
    buffer : RowWindow
        The training rows of the next member.
    """

    STATE = {
        "committee": committee_of(["weight"], windows=PredictionWindow),
        "options": parameters(ACEClassifier, "online"),
        "buffer": fitting(RowWindow),
        "n_drifts": integer(0, MOST_ROWS),
    }

    def __init__(self, committee, options):
        shape = committee.n_features, committee.n_classes
        self.buffer = RowWindow(*shape, options["chunk_size"])
        self.n_drifts = 0
        RowEngine.__init__(self, committee, options)

    @staticmethod
    def check_state(state):
        """Raise InvalidStateError unless there is an online model and each model has a window."""
        committee, options = state["committee"], state["options"]
        check_weights(options["window_size"], options["power"])
        if {each.size for each in committee.objects["windows"]} != {options["window_size"]}:
            raise InvalidStateError(
                "each member of ACE must have a window of window_size predictions"
            )
        if state["buffer"].size != options["chunk_size"]:
            raise InvalidStateError("the buffer of ACE must have room for chunk_size rows")

    def _prepare(self):
        RowEngine._prepare(self)
        self.window = self.options["window_size"]
        self.chunk_size = self.options["chunk_size"]
        self.power = self.options["power"]
        self.lowest = wilson(self.window, self.options["alpha"])
        self.predicted = np.zeros(len(self.committee), dtype=np.int32)

    def _learn_row(self, i, votes):
        committee = self.committee
        y = self.y[i]
        votes[:] = 0.0
        for j in range(committee.numbers.shape[0]):
            self.predicted[j] = self._predict(j, i, votes)
        committee.update_row(0, row_at(self.X, i), y, self.w[i])
        committee.mark_seen(y)
        self._update_weights(y)
        self.buffer.append(self.X, i, y, self.w[i])
        return 0

    def _update_weights(self, y):
        """Record which models were correct on a row of class `y`, and update their weights."""
        least: cython.double = 1.0 / (2 * self.window)
        windows: list = self.committee.objects["windows"]
        for j in range(self.committee.numbers.shape[0]):
            if self.predicted[j] >= 0:
                window = cython.cast(PredictionWindow, windows[j])
                window.update(self.predicted[j] == y)
                weight = pow(max(1.0 - window.share(), least), -self.power)
                self.committee.numbers[j, WEIGHT] = weight

    def _predict(self, j, i, votes):
        """Add the vote of a model for row `i`; return its prediction, or -1 if untrained."""
        weight = self.committee.numbers[j, WEIGHT]
        probas = self.committee.votes
        if self.soft:
            cython.cast(OnlineModel, self.committee.models[j]).scores_one(self.X, i, probas)
            for c in range(probas.shape[0]):
                votes[c] += weight * probas[c]
            return top_class(start_of(probas), probas.shape[0])
        best = self.committee.predict_row(j, row_at(self.X, i))
        if best >= 0:
            votes[best] += weight
        return best

    def _drifts(self):
        """Return whether the best model of the preceding window is now significantly worse."""
        windows: list = self.committee.objects["windows"]
        best: PredictionWindow = None
        for each in windows:
            window = cython.cast(PredictionWindow, each)
            if window.n_kept == 2 * self.window and (best is None or window.before > best.before):
                best = window
        if best is None:
            return False
        right: cython.double = best.right
        return best.right < best.before and right / self.window < self.lowest[best.before]

    def _end_row(self, i):
        """If the buffer is full or there is a drift, train a member on it and clear it.

        If training fails, it is repeated after the next row, which replaces the oldest row in the
        buffer.
        """
        full: cython.bint = self.buffer.n >= self.chunk_size
        if full or self.buffer.n >= self.window:
            drift = self._drifts()
            if full or drift:
                self._renew(i, drift)
        return 0

    def _renew(self, i, drift):
        """Train a member on the buffered rows; after a drift, discard older predictions."""
        committee, buffer, restart = self.committee, self.buffer, self.options["restart"]
        weights = np.array(buffer.w[buffer.start : buffer.start + buffer.n])
        rows = buffer.rows().copy(), buffer.labels().copy(), weights
        member = self.draws.learner._new_member(*rows)
        anew = restart == "chunk" or (drift and restart == "drift")
        model, n_rows = self.draws.new_model(i) if anew else None, committee.n_rows
        if len(committee) - 1 == self.options["n_estimators"]:
            accuracies = [window.accuracy for window in committee["windows"]]
            committee.drop(1 + int(np.argmin(accuracies[1:])))
        fresh = PredictionWindow(self.window)
        committee.add(member, created_at=n_rows, weight=INITIAL_ERROR**-self.power, windows=fresh)
        np.asarray(committee.member_classes)[len(committee) - 1] = np.asarray(buffer.count) > 0
        buffer.shrink(0)
        if drift:
            self.n_drifts += 1
            for window in committee["windows"]:
                window.drop_older()
        if anew:  # the window of predictions and the weight are carried over
            kept = {name: committee[name][0] for name in ("weight", "windows")}
            committee.replace(0, model, created_at=n_rows, **kept)
        self.predicted = np.zeros(len(committee), dtype=np.int32)

    def member_errors(self):
        """Return the error of each model in its window; nan before its first prediction."""
        windows = self.committee["windows"]
        return np.array([1.0 - each.accuracy if each.n_predictions else np.nan for each in windows])


def check_weights(window_size, power):
    """Raise ValueError if the weight of a model without errors would be too large."""
    if power * log10(2 * window_size) > MOST_DIGITS:
        raise ValueError(
            f"power={power} is too large for window_size={window_size}: the weight of a model "
            f"without errors, (2 * window_size) ** power, must be at most 1e{MOST_DIGITS}"
        )
