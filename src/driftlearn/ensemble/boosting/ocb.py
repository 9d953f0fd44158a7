# cython: infer_types=True
"""OCB: online coordinate boosting."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any

import cython
import numpy as np
from cython.cimports.libc.math import exp, log
from sklearn.utils._param_validation import HasMethods, Interval, StrOptions
from sklearn.utils.metaestimators import available_if

if not cython.compiled:
    from driftlearn.ensemble.boosting._boosted_engine import BoostedEngine
    from driftlearn.ensemble.boosting._boosted_votes import soften_one
    from driftlearn.ensemble.boosting._coordinate_sums import CoordinateSums
    from driftlearn.ensemble.boosting.windowed_adaboost import boost

from driftlearn.base.chunk import Chunk
from driftlearn.ensemble.boosting._boosted_classifier import BoostedClassifier
from driftlearn.ensemble.boosting._boosted_engine import go_back, snapshot
from driftlearn.ensemble.boosting._coordinate_sums import errors
from driftlearn.ensemble.boosting._learning_ocb import COLUMNS, LearningOCB
from driftlearn.ensemble.boosting._watch import Watch
from driftlearn.ensemble.online_classifier import OnlineClassifier
from driftlearn.io.schema import LARGEST, a, floats, parameters
from driftlearn.utils._class_axis import widened
from driftlearn.utils.interrupts import uninterrupted

SMALLEST = 1e-12  # what sums start from, so that logarithms of their ratios stay finite


@cython.annotation_typing(False)
class OCBClassifier(BoostedClassifier):
    """Online coordinate boosting: every row moves the confidences of all members.

    They move to what AdaBoost would give the members on all rows so far, approximately: how a
    change of one confidence shifts the weights at a later stage is worked out from sums over
    pairs of members, not from the rows, which are not kept.

    By default the members are online models. Each learns every row with the weight that the row
    has at its stage, after the members before it, at most 100 times its own, and is then asked
    about it, as in OnlineBoost. A member adds its class probabilities to the answer, times its
    confidence where that is above 0.

    With ``members="fixed"``, as Grbovic and Vucetic (2011) have it, AdaBoost on the first
    `init_size` rows makes the members, which never change; until these rows are complete the
    heavier class so far is predicted (`fit` makes do with the rows it is given), and a class that
    comes later is never named. Nothing is forgotten, so that a change of concept takes long to
    show. As published: `OCBClassifier.as_published()`: ``n_estimators=200``, ``members="fixed"``,
    ``order=5``.

    With K > 2 classes a confidence is ``1/2 (ln(right / wrong) + ln(K - 1))`` of the weights that
    a member gets right and wrong, as in SAMME: K are the classes so far, or those of the initial
    rows for fixed members. With two it is AdaBoost's.

    Parameters
    ----------
    estimator : classifier, optional
        Base learner. Members that learn need `partial_fit` and are by default Hoeffding trees
        that look early, ``HoeffdingTreeClassifier(grace_period=50, delta=0.01)``; fixed ones are
        by default stumps. Naive Bayes, Hoeffding trees and fixed stumps run in the compiled loop,
        any other classifier is called from it.
    n_estimators : int, default=20
        The number of members; of fixed ones, rounds of AdaBoost, at most.
    members : {"learning", "fixed"}, default="learning"
        Whether members go on learning or are trained once.
    init_size : int, default=200
        Rows on which fixed members are trained.
    order : int, default=1
        Earlier members whose changes count for a member's sums.
    smoothing : float, default=0.5
        What all sums start from.
    class_weight : {"balanced"}, dict or None, default=None
        What the rows of a class count for, times their weights: by label, 1 where not named, or
        "balanced": n / (k * rows of the class), of the n rows and k classes so far; at most 100.
    random_state : int, Generator, RandomState or None
        Decides what is random in the base learner, and draws for a fixed one without weights.

    Attributes
    ----------
    classes_ : ndarray
        The labels, sorted.
    members_ : Table
        One row a member: number, row of birth, confidence (``weight``), error by
        the weights at its stage, classes in the rows that it was trained on, size.
    n_members_ : int
        Their number.
    estimators_ : list
        The models.
    history_ : History
        Confidences every 200 rows, coarser as the stream grows.
    committee_ : OnlineCommittee or BoostedCommittee
        The members; fixed ones with the window of their rows.
    engine_ : LearningOCB or OCB
        The algorithm.

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

    PUBLISHED = {"n_estimators": 200, "members": "fixed", "order": 5}
    STATE = {
        **BoostedClassifier.STATE,
        "committee_": a("BoostedCommittee", "OnlineCommittee"),
        "engine_": a("OCB", LearningOCB),
    }
    _parameter_constraints = {
        **BoostedClassifier._parameter_constraints,
        "estimator": [HasMethods(["fit", "predict"]), HasMethods(["partial_fit", "predict"]), None],
        "members": [StrOptions({"fixed", "learning"})],
        "init_size": [Interval(Integral, 1, LARGEST, closed="both")],
        "order": [Interval(Integral, 0, None, closed="left")],
        "smoothing": [Interval(Real, SMALLEST, 1 / SMALLEST, closed="both")],
    }

    def __init__(
        self,
        estimator: Any = None,
        n_estimators: int = 20,
        *,
        members: str = "learning",
        init_size: int = 200,
        order: int = 1,
        smoothing: float = 0.5,
        class_weight: Any = None,
        random_state: Any = None,
    ):
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.members = members
        self.init_size = init_size
        self.order = order
        self.smoothing = smoothing
        self.class_weight = class_weight
        self.random_state = random_state

    def _is_fixed(self) -> bool:
        """Tell whether the members are, or before the first row will be, fixed."""
        if hasattr(self, "engine_"):
            return isinstance(self.engine_, OCB)
        return self.members == "fixed"

    @available_if(_is_fixed)
    def watch(self, X: Any) -> Watch:
        """Return the predictions for fixed rows, to be asked for again; for fixed members only."""
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
                f"members={self.members!r} needs a base learner with {needed}, which "
                f"{type(self.estimator).__name__} does not have"
            )

    def _base_learner(self) -> Any:
        if self.members == "fixed":
            return super()._base_learner()
        return OnlineClassifier._base_learner(self)

    def _new_committee(self, *columns: str) -> Any:
        if self.members == "fixed":
            return super()._new_committee()
        committee = OnlineClassifier._new_committee(self, *COLUMNS)
        for _ in range(self.n_estimators):
            committee.add(self._new_model(), weight=0.0)
        return committee

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
                self.engine_.finish(self._trainer())

    def _learn_rows(
        self, X: np.ndarray, y: np.ndarray, w: np.ndarray, scores: np.ndarray | None = None
    ) -> None:
        if self._is_fixed():
            super()._learn_rows(X, y, w, scores)
        else:
            self.engine_.learn(X, y, w, scores)

    def _scores(self, X: np.ndarray) -> np.ndarray:
        voted = self._is_fixed() and len(self.committee_)
        return super()._scores(X) if voted else self.engine_.scores(X)


@cython.final
@cython.cclass
class OCB(BoostedEngine):
    """The algorithm with fixed members.

    AdaBoost on the first rows makes the members. From then on member j's confidence is
    ``1/2 (ln(right[j] / wrong[j]) + ln(K - 1))``, K classes being in the initial rows, where
    `right` and `wrong` are the weights, at its stage, of the rows so far that it gets right and
    wrong. When the confidences of earlier members move,
    those weights move too; the factor is worked out from the weights of the rows that j and k
    get right, or wrong, together, for the last `order` members k as if they were independent.

    Parameters
    ----------
    committee : BoostedCommittee
        The members, none yet; its window is as large as there are initial rows.
    options : dict
        The parameters of `OCBClassifier` by their names.

    Attributes
    ----------
    class_weight : float array
        Weight of each class among the initial rows so far.
    right, wrong : float arrays of shape (members, order + 1)
        Column ``order`` is for the member itself, column ``order - k`` for it and the k-th before.
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
            raise ValueError(f"the sums of OCB do not fit its {shape[0]} members")
        self.sums = CoordinateSums(self.right, self.wrong)
        self.chance = log(max(2, self.committee.known.shape[0]) - 1.0)

    def score(self, scores, sharpness):
        """Write the scores of the row in hand, as `OCBClassifier` has them."""
        if self.committee.models.n > 0:
            self.committee.votes_now(scores)
            soften_one(scores, sharpness)
        else:
            scores[:] = self.class_weight

    def learn_one(self, X, i, y, w, wrong):
        """Learn row `i` of `X`, the row in hand."""
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
        """Say whether the row in hand completes the initial rows."""
        window = self.committee.window
        return self.committee.models.n == 0 and window.n + 1 == window.size

    def finish(self, trainer=None):
        """Make do with the initial rows that have come, if that has not happened yet."""
        if self.committee.models.n > 0 or self.committee.window.n == 0:
            return
        before = snapshot(self)
        self.committee.models.begin(np.empty((0, self.committee.window.n_features)), trainer)
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
        """Train the members on the initial rows; let the sums pass over these rows once."""
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
            for k in range(n):
                hit = window.codes[first + k, j] == window.y[first + k]
                d[k] *= exp(-alpha[j] if hit else alpha[j])
        self.committee.forget_rows()

    def _adjust(self, d):
        """Move all confidences for a row of weight `d`; `sums.hit` says who is right about it."""
        alpha: cython.double[::1] = self.committee.alpha
        for j in range(self.committee.models.n):
            alpha[j] = self.sums.move(j, d, alpha[j], self.chance)
            d = self.sums.passed_on(j, d, alpha[j])
        self.sums.end()

    def scores(self, X):
        """Return the votes; before there are members, the weights of the classes so far."""
        if self.committee.models.n == 0:
            return np.tile(np.asarray(self.class_weight), (len(X), 1))
        return self.committee.scores(X)

    def describe(self):
        """Return a table of the members; their errors are by the weights at their stages."""
        return self.committee.describe(errors=errors(self.right, self.wrong))

    def widen(self, positions, n_classes):
        """Take note that there are `n_classes` now and old class ``c`` is ``positions[c]``."""
        self.class_weight = widened(self.class_weight, positions, n_classes)
        self.committee.widen(positions, n_classes)


def _shape(committee, options):
    """Return the shape of the sums of as many members as there can be."""
    return len(committee), min(options["order"], options["n_estimators"] - 1) + 1
