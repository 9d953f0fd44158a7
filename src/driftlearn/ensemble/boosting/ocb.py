# cython: infer_types=True
"""Online coordinate boosting (OCB)."""

from dataclasses import KW_ONLY, dataclass
from numbers import Integral, Real
from typing import Any

import cython
import numpy as np
from cython.cimports.libc.math import exp, log
from sklearn.utils._param_validation import HasMethods, Interval, StrOptions
from sklearn.utils.metaestimators import available_if

if not cython.compiled:
    from driftlearn.ensemble.boosting._boosted_votes import soften_one
    from driftlearn.ensemble.boosting.windowed_adaboost import boost

from driftlearn.base.chunk import Chunk
from driftlearn.ensemble._engine_classifier import EngineClassifier
from driftlearn.ensemble.boosting._boosted_classifier import BoostedClassifier
from driftlearn.ensemble.boosting._boosted_engine import BoostedEngine, go_back, snapshot
from driftlearn.ensemble.boosting._learning_ocb import COLUMNS, CoordinateSums, LearningOCB, errors
from driftlearn.ensemble.boosting._watch import Watch
from driftlearn.ensemble.online_classifier import OnlineClassifier
from driftlearn.io.schema import LARGEST, a, floats, parameters
from driftlearn.utils._class_axis import widened
from driftlearn.utils.interrupts import uninterrupted

SMALLEST = 1e-12  # smallest initial value of sums, which keeps logarithms of their ratios finite


@cython.annotation_typing(False)
@dataclass(eq=False, repr=False)
class OCBClassifier(BoostedClassifier):
    """Online coordinate boosting (OCB): every row updates the confidences of all members.

    The confidences approximate those that AdaBoost would assign to the members on all rows so far.
    The effect of a change of one confidence on the row weights of later members is computed from
    sums over pairs of members; the rows themselves are not stored.

    By default the members are online models. Each is trained on every row with the row's weight at
    its stage (after the preceding members, at most 100 times the original weight), and then
    predicts the row, as in OnlineBoost. The prediction is the sum of the members' class
    probabilities, weighted by their confidences where these are positive.

    With ``members="fixed"``, as in Grbovic and Vucetic (2011), the members are created by AdaBoost
    on the first `init_size` rows and never change. Until these rows are complete, the majority
    class is predicted (`fit` creates the members even from fewer rows). Classes that appear later
    are never predicted. All rows keep their influence, so the reaction to drift is slow. Paper
    settings: `OCBClassifier.as_published()` has ``n_estimators=200``, ``members="fixed"``,
    ``order=5``.

    With K > 2 classes a confidence is ``1/2 (ln(right / wrong) + ln(K - 1))``, where `right` and
    `wrong` are the weights of the rows that the member classifies correctly and wrongly, as in
    SAMME. K is the number of classes seen so far or, for fixed members, in the initial rows. With
    two classes this is AdaBoost's confidence.

    Parameters
    ----------
    estimator : classifier, optional
        Base learner. With ``members="learning"`` it needs `partial_fit`; the default is a Hoeffding
        tree that splits early, ``HoeffdingTreeClassifier(grace_period=50, delta=0.01)``. With
        ``members="fixed"`` the default is a stump. Naive Bayes, Hoeffding trees and fixed stumps
        run in the compiled loop, which can also call any other classifier.
    n_estimators : int, default=20
        Number of members; for fixed members, the maximum number of rounds of AdaBoost.
    members : {"learning", "fixed"}, default="learning"
        Whether members are trained incrementally, or once on the initial rows.
    init_size : int, default=200
        Number of initial rows on which fixed members are trained.
    order : int, default=1
        Number of preceding members whose changes are applied to a member's sums.
    smoothing : float, default=0.5
        Initial value of all sums.
    nominal_features : array-like, optional
        Columns (positions or a mask) that contain category codes. They are passed to the base
        learner if it has this parameter, unless its own value is set.
    class_weight : {"balanced"}, dict or None, default=None
        Class weights, by which row weights are multiplied: a dict from label to weight (1 for
        labels not listed), or "balanced": n / (k * rows of the class), for the n rows and k classes
        so far, at most 100.
    random_state : int, Generator, RandomState or None
        Seed of the base learner's randomness, and of the samples for fixed members that do not
        accept weights.

    Attributes
    ----------
    classes_ : ndarray
        The labels, sorted.
    members_ : Table
        One row per member: id, row at which it was created, confidence (``weight``), error with
        rows weighted as at its stage, classes trained on, size.
    n_members_ : int
        Number of members.
    estimators_ : list
        The members' models.
    history_ : History
        The confidences every 200 rows; the interval doubles as the stream grows.
    committee_ : OnlineCommittee or BoostedCommittee
        The members; fixed members with the window of initial rows.
    engine_ : LearningOCB or OCB
        The compiled algorithm.

    References
    ----------
    .. [1] R. Pelossof, M. Jones, I. Vovsha, C. Rudin, "Online coordinate boosting", IEEE
       International Conference on Computer Vision Workshops, 2009.
    .. [2] M. Grbovic, S. Vucetic, "Tracking Concept Change with Incremental Boosting by
       Minimization of the Evolving Exponential Loss", ECML PKDD 2011,
       doi:10.1007/978-3-642-23780-5_43.
    .. [3] J. Zhu, H. Zou, S. Rosset, T. Hastie, "Multi-class AdaBoost", Statistics and Its
       Interface 2(3), 2009, doi:10.4310/SII.2009.v2.n3.a8.

    Examples
    --------
    >>> from driftlearn.streams import SEA
    >>> stream, model = SEA(n_rows=8_000, noise=0.0, random_state=0), OCBClassifier()
    >>> for batch in stream.chunks(1_000):
    ...     model = model.partial_fit(batch.X, batch.y)
    >>> model.score(*stream.test_set(7_999, 1_000, random_state=1))
    0.976
    """

    n_estimators: int = 20
    _: KW_ONLY
    members: str = "learning"
    init_size: int = 200
    order: int = 1
    smoothing: float = 0.5

    PUBLISHED = {"n_estimators": 200, "members": "fixed", "order": 5}
    STATE = {
        "committee_": a("BoostedCommittee", "OnlineCommittee"),
        "engine_": a("OCB", LearningOCB),
    }
    _parameter_constraints = {
        "estimator": [HasMethods(["fit", "predict"]), HasMethods(["partial_fit", "predict"]), None],
        "members": [StrOptions({"fixed", "learning"})],
        "init_size": [Interval(Integral, 1, LARGEST, closed="both")],
        "order": [Interval(Integral, 0, None, closed="left")],
        "smoothing": [Interval(Real, SMALLEST, 1 / SMALLEST, closed="both")],
    }

    def _is_fixed(self) -> bool:
        """Return whether the members are fixed (or will be, before the first row)."""
        if hasattr(self, "engine_"):
            return isinstance(self.engine_, OCB)
        return self.members == "fixed"

    @available_if(_is_fixed)
    def watch(self, X: Any) -> Watch:
        """Return a `Watch` that predicts the same rows repeatedly; for ``members="fixed"`` only."""
        return super().watch(X)

    @property
    def estimators_(self) -> list[Any]:
        """The members' models."""
        kind: Any = super() if self._is_fixed() else super(BoostedClassifier, self)
        return kind.estimators_

    def _validate_params(self) -> None:
        super()._validate_params()
        needed = "fit" if self.members == "fixed" else "partial_fit"
        if self.estimator is not None and not hasattr(self.estimator, needed):
            raise ValueError(
                f"members={self.members!r} of OCBClassifier requires an 'estimator' with the "
                f"method {needed}, which {type(self.estimator).__name__} does not have."
            )

    def _default_base_learner(self) -> Any:
        kind: Any = super() if self.members == "fixed" else super(BoostedClassifier, self)
        return kind._default_base_learner()

    def _new_committee(self, *columns: str) -> Any:
        if self.members == "fixed":
            return super()._new_committee()
        return OnlineClassifier._new_committee(self, *COLUMNS)

    def _n_initial(self) -> int:
        return 0 if self.members == "fixed" else self.n_estimators

    def _initial_row(self) -> dict[str, Any]:
        return {"weight": 0.0}

    def _window_rows(self) -> int:
        return self.init_size

    def _new_engine(self) -> Any:
        if self.members == "fixed":
            return OCB(self.committee_, self._options())
        return LearningOCB(self.committee_, self.order, self.smoothing)

    def _receive(self, chunk: Chunk, finish: bool, **how: Any) -> None:
        super()._receive(chunk, finish, **how)
        if finish and self._is_fixed():
            with uninterrupted():
                self.engine_.finish(self._trainer())  # type: ignore[attr-defined]

    def _learn_rows(
        self, X: np.ndarray, y: np.ndarray, w: np.ndarray, scores: np.ndarray | None = None
    ) -> None:
        if self._is_fixed():
            super()._learn_rows(X, y, w, scores)
        else:
            EngineClassifier._learn_rows(self, X, y, w, scores)

    def _scores(self, X: np.ndarray) -> np.ndarray:
        voted = self._is_fixed() and len(self.committee_)
        return super()._scores(X) if voted else self.engine_.scores(X)


@cython.final
@cython.cclass
class OCB(BoostedEngine):
    """Online coordinate boosting engine with fixed members.

    The members are created by AdaBoost on the first rows. From then on member j's confidence is
    ``1/2 (ln(right[j] / wrong[j]) + ln(K - 1))``, with K classes in the initial rows; `right` and
    `wrong` are the sums of weights, at its stage, of past rows that it classifies correctly and
    wrongly. When the confidences of earlier members change, these weights change by a factor. The
    factor is computed, for the `order` members k before j, from the weights of rows that j and k
    both classify correctly or both wrongly, as if the members k were independent.

    Parameters
    ----------
    committee : BoostedCommittee
        The members, initially none; its window has the size of the initial rows.
    options : dict
        The parameters of `OCBClassifier` by name.

    Attributes
    ----------
    class_weight : float array
        Total weight of each class in the initial rows so far.
    right, wrong : float arrays of shape (members, order + 1)
        Column ``order`` is for the member itself; column ``order - k`` is for it and the k-th
        member before it.
    """

    STATE = {
        **BoostedEngine.STATE,
        "options": parameters(OCBClassifier, "members"),
        "class_weight": floats("classes", least=0),
        "right": floats("members", "order"),
        "wrong": floats("members", "order"),
    }

    def __init__(self, committee, options):
        self.class_weight = np.zeros(committee.window.n_classes)
        self.right = np.zeros(_shape(committee, options))
        self.wrong = np.zeros(_shape(committee, options))
        BoostedEngine.__init__(self, committee, options)

    def _prepare(self):
        shape = _shape(self.committee, self.options)
        if (
            not np.shape(self.right) == np.shape(self.wrong) == shape
            or len(self.class_weight) != self.committee.window.n_classes
        ):
            raise ValueError(f"The sums of OCB do not match its {shape[0]} members.")
        self.sums = CoordinateSums(self.right, self.wrong)
        self.chance = log(max(2, self.committee.known.shape[0]) - 1.0)

    def score(self, scores, sharpness):
        """Write the scores of the current row: the class weights until there are members."""
        if self.committee.models.n > 0:
            self.committee.votes_now(scores)
            soften_one(scores, sharpness)
        else:
            scores[:] = self.class_weight

    def learn_one(self, X, i, y, w, wrong):
        """Train on row `i` of `X`, the current row."""
        if self.committee.models.n > 0:
            for j in range(self.committee.models.n):
                self.sums.hit[j] = self.committee.now[j] == y
            self._adjust(w)
            return
        self.committee.slide(X, i, y, w)
        self.class_weight[y] += w
        if self.committee.window.n == self.committee.window.size:
            self._start()

    def may_train(self, wrong):
        """Return whether the current row completes the initial rows."""
        window = self.committee.window
        return self.committee.models.n == 0 and window.n + 1 == window.size

    def finish(self, trainer=None):
        """Create the members from the initial rows seen so far, unless they exist already."""
        if self.committee.models.n > 0 or self.committee.window.n == 0:
            return
        before = snapshot(self)
        self.committee.models.begin(np.empty((0, self.committee.window.n_features)), trainer)
        # Members are created while the last row is still the current row, as if this row completed
        # them.
        self.committee.n_rows -= 1
        try:
            self._start()
        except BaseException:
            go_back(before)
            raise
        finally:
            self.committee.models.end()
        self.committee.n_rows += 1

    def _start(self):
        """Train the members on the initial rows, and initialize the sums in one pass over them."""
        boost(self.committee, self.options["n_estimators"])
        window = self.committee.window
        m: cython.Py_ssize_t = self.committee.models.n
        n: cython.Py_ssize_t = window.n
        first: cython.Py_ssize_t = window.start
        shape = _shape(self.committee, self.options)
        self.right = np.full(shape, self.options["smoothing"])
        self.wrong = np.full(shape, self.options["smoothing"])
        self._prepare()
        alpha: cython.double[::1] = self.committee.alpha
        d: cython.double[::1] = np.array(window.w[first : first + n])
        for j in range(m):
            for k in range(n):
                y = window.y[first + k]
                for before in range(max(0, j - self.sums.order), j + 1):
                    self.sums.hit[before] = window.codes[first + k, before] == y
                self.sums.add(j, d[k])
            alpha[j] = self.sums.confidence(j, self.chance)
            # AdaBoost's weight update, for the sums of the next member.
            for k in range(n):
                hit = window.codes[first + k, j] == window.y[first + k]
                d[k] *= exp(-alpha[j] if hit else alpha[j])
        # Fixed members are never retrained, so the window is no longer needed.
        self.committee.release_rows()

    def _adjust(self, d):
        """Update all confidences for a row of weight `d`; `sums.hit` marks the correct members."""
        alpha: cython.double[::1] = self.committee.alpha
        for j in range(self.committee.models.n):
            alpha[j] = self.sums.move(j, d, alpha[j], self.chance)
            d = self.sums.passed_on(j, d, alpha[j])
        self.sums.end()

    def scores(self, X):
        """Return the votes; before there are members, the class weights so far."""
        if self.committee.models.n == 0:
            return np.tile(np.asarray(self.class_weight), (len(X), 1))
        return self.committee.scores(X)

    def describe(self):
        """Return a table of the members, with errors weighted as at each member's stage."""
        return self.committee.describe(errors=errors(self.right, self.wrong))

    def widen(self, positions, n_classes):
        """Adapt to `n_classes` classes, where old class ``c`` becomes ``positions[c]``."""
        self.class_weight = widened(self.class_weight, positions, n_classes)
        self.committee.widen(positions, n_classes)


def _shape(committee, options):
    """Return the shape of the sums of all members."""
    return len(committee), min(options["order"], options["n_estimators"] - 1) + 1
