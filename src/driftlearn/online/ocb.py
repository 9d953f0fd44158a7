# cython: infer_types=True
"""OCB: online coordinate boosting."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any

import cython
import numpy as np
from cython.cimports.libc.math import exp, log
from sklearn.utils._param_validation import Interval

if not cython.compiled:
    from driftlearn.engines.boosted_engine import BoostedEngine
    from driftlearn.kernels.boosted_votes import soften_one
    from driftlearn.online.windowed_adaboost import boost

from driftlearn._schema import a, floats, parameters
from driftlearn.base.chunk import Chunk
from driftlearn.base.interrupts import uninterrupted
from driftlearn.engines.boosted_engine import go_back, snapshot
from driftlearn.kernels.class_axis import widened
from driftlearn.online.boosted_classifier import BoostedClassifier

# No sum gets smaller, so that its logarithm stays finite.
SMALLEST = cython.declare(cython.double, 1e-12)
# No weight gets larger. Where a sum does, all are scaled down, which changes no ratio of them.
LARGEST = cython.declare(cython.double, 1e12)
SCALED_BY = cython.declare(cython.double, 1e-6)
# No row moves a confidence farther, whatever the sums say.
LONGEST_MOVE = cython.declare(cython.double, 1.0)


@cython.annotation_typing(False)
class OCBClassifier(BoostedClassifier):
    """Online coordinate boosting: members that never change, confidences that always do.

    AdaBoost on the first `init_size` rows makes the members. After that every row moves their
    confidences to what AdaBoost would give them on all rows so far, approximately: how a change
    of one confidence shifts the weights at a later stage is worked out from sums over pairs of
    members, not from the rows, which are not kept. Nothing is forgotten, so that a change of
    concept takes long to show. It is for two classes; a third is a ValueError.

    Until the initial rows are complete the heavier class so far is predicted. `fit` makes do with
    the rows it is given.

    Parameters
    ----------
    estimator : classifier, optional
        Base learner, `StumpClassifier` by default. Stumps, `GaussianNBClassifier` and
        `HoeffdingTreeClassifier` run in the compiled loop, any scikit-learn classifier is called
        from it.
    n_estimators : int, default=200
        Rounds of AdaBoost, at most.
    init_size : int, default=200
        Rows on which the members are trained.
    order : int, default=5
        Earlier members whose changes count for a member's sums.
    smoothing : float, default=0.5
        What all sums start from.
    class_weight : {"balanced"}, dict or None, default=None
        What the rows of a class count for, times their weights: by label, 1 where not named, or
        "balanced": n / (k * rows of the class), of the n rows and k classes so far; at most 100.
    random_state : int, Generator, RandomState or None
        Decides what is random in the base learner, and draws for one that takes no weights.

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
    committee_ : BoostedCommittee
        The members, and the window.
    engine_ : OCB
        The algorithm.

    References
    ----------
    .. [1] R. Pelossof, M. Jones, I. Vovsha, C. Rudin, "Online coordinate boosting", IEEE
       International Conference on Computer Vision Workshops, 2009.

    Examples
    --------
    >>> from driftlearn.streams import SEA
    >>> stream, model = SEA(n_rows=8_000, noise=0.0, random_state=0), OCBClassifier()
    >>> for batch in stream.chunks(1_000):
    ...     model = model.partial_fit(batch.X, batch.y)
    >>> model.score(*stream.test_set(7_999, 1_000, random_state=1))
    0.916
    """

    STATE = {**BoostedClassifier.STATE, "engine_": a("OCB")}
    _parameter_constraints = {
        **BoostedClassifier._parameter_constraints,
        "init_size": [Interval(Integral, 1, None, closed="left")],
        "order": [Interval(Integral, 0, None, closed="left")],
        "smoothing": [Interval(Real, 0, None, closed="neither")],
    }

    def __init__(
        self,
        estimator: Any = None,
        n_estimators: int = 200,
        *,
        init_size: int = 200,
        order: int = 5,
        smoothing: float = 0.5,
        class_weight: Any = None,
        random_state: Any = None,
    ):
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.init_size = init_size
        self.order = order
        self.smoothing = smoothing
        self.class_weight = class_weight
        self.random_state = random_state

    @property
    def _for_two(self) -> str:
        return "OCBClassifier"

    def _window_rows(self) -> int:
        return self.init_size

    def _new_engine(self) -> OCB:
        return OCB(self.committee_, self._options())

    def _receive(self, chunk: Chunk, finish: bool, **how: Any) -> None:
        super()._receive(chunk, finish, **how)
        if finish:
            with uninterrupted():
                self.engine_.finish(self._trainer())

    def _scores(self, X: np.ndarray) -> np.ndarray:
        return super()._scores(X) if len(self.committee_) else self.engine_.scores(X)


@cython.final
@cython.cclass
class OCB(BoostedEngine):
    """The algorithm, for two classes.

    AdaBoost on the first rows makes the members. From then on member j's confidence is
    ``1/2 ln(right[j] / wrong[j])``, where `right` and `wrong` are the weights, at its stage, of
    the rows so far that it gets right and wrong. When the confidences of earlier members move,
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
        "options": parameters(OCBClassifier),
        "class_weight": floats("classes", least=0),
        "right": floats("members", "order"),
        "wrong": floats("members", "order"),
    }

    def __init__(self, committee, options):
        self.class_weight = np.zeros(committee.window.n_classes)
        order = min(options["order"], options["n_estimators"] - 1)
        self.right = np.zeros((0, order + 1))
        self.wrong = np.zeros((0, order + 1))
        BoostedEngine.__init__(self, committee, options)

    def _prepare(self):
        self.n_estimators = self.options["n_estimators"]
        self.smoothing = self.options["smoothing"]
        self.order = min(self.options["order"], self.n_estimators - 1)
        m = self.committee.models.n
        shape = m, self.order + 1
        if (
            not np.shape(self.right) == np.shape(self.wrong) == shape
            or len(self.class_weight) != self.committee.window.n_classes
        ):
            raise ValueError(f"the sums of OCB do not fit its {m} members")
        self.hit = np.zeros(m, dtype=np.uint8)
        self.up = np.ones(m)
        self.down = np.ones(m)

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
                self.hit[j] = self.committee.now[j] == y
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
        boost(self.committee, self.n_estimators)
        window = self.committee.window
        m: cython.Py_ssize_t = self.committee.models.n
        n: cython.Py_ssize_t = window.n
        first: cython.Py_ssize_t = window.start
        self.right = np.full((m, self.order + 1), self.smoothing)
        self.wrong = np.full((m, self.order + 1), self.smoothing)
        self._prepare()
        alpha: cython.double[::1] = self.committee.alpha
        d: cython.double[::1] = np.array(window.w[first : first + n])
        for j in range(m):
            for k in range(n):
                y = window.y[first + k]
                for before in range(max(0, j - self.order), j + 1):
                    self.hit[before] = window.codes[first + k, before] == y
                self._add(j, d[k])
            alpha[j] = 0.5 * log(self.right[j, self.order] / self.wrong[j, self.order])
            for k in range(n):
                hit = window.codes[first + k, j] == window.y[first + k]
                d[k] *= exp(-alpha[j] if hit else alpha[j])
        self.committee.forget_rows()

    def _add(self, j, d):
        """Add a row of weight `d` at stage j to the sums of member j."""
        for k in range(max(0, j - self.order), j + 1):
            if self.hit[j] and self.hit[k]:
                self.right[j, k - j + self.order] += d
            elif not (self.hit[j] or self.hit[k]):
                self.wrong[j, k - j + self.order] += d

    def _adjust(self, d):
        """Move all confidences for a row of weight `d`; `hit` says who is right about it."""
        alpha: cython.double[::1] = self.committee.alpha
        m: cython.Py_ssize_t = self.committee.models.n
        largest: cython.double = 0.0
        for j in range(m):
            self._rescale(j)
            self._add(j, d)
            for c in range(self.order + 1):
                self.right[j, c] = max(self.right[j, c], SMALLEST)
                self.wrong[j, c] = max(self.wrong[j, c], SMALLEST)
                largest = max(largest, self.right[j, c], self.wrong[j, c])
            change = 0.5 * log(self.right[j, self.order] / self.wrong[j, self.order])
            change = min(max(change - alpha[j], -LONGEST_MOVE), LONGEST_MOVE)
            self.up[j] = exp(change)
            self.down[j] = exp(-change)
            alpha[j] += change
            d = min(d * exp(-alpha[j] if self.hit[j] else alpha[j]), LARGEST)
        if largest > LARGEST:
            for j in range(m):
                for c in range(self.order + 1):
                    self.right[j, c] *= SCALED_BY
                    self.wrong[j, c] *= SCALED_BY

    def _rescale(self, j):
        """Let the sums of member j follow this row's changes of earlier confidences.

        A change ``da`` of member k multiplies the weight of a row by ``exp(-da)`` where k is right
        and ``exp(da)`` where it is wrong. Of the rows that j gets right a share q is right by k
        too, of those that it gets wrong a share r is wrong by k too.
        """
        by_right: cython.double = 1.0
        by_wrong: cython.double = 1.0
        for k in range(max(0, j - self.order), j):
            c = k - j + self.order
            q = self.right[j, c] / self.right[j, self.order]
            r = self.wrong[j, c] / self.wrong[j, self.order]
            by_right *= q * self.down[k] + (1 - q) * self.up[k]
            by_wrong *= r * self.up[k] + (1 - r) * self.down[k]
        for c in range(self.order + 1):
            self.right[j, c] *= by_right
            self.wrong[j, c] *= by_wrong

    def scores(self, X):
        """Return the votes; before there are members, the weights of the classes so far."""
        if self.committee.models.n == 0:
            return np.tile(np.asarray(self.class_weight), (len(X), 1))
        return self.committee.scores(X)

    def describe(self):
        """Return a table of the members; their errors are by the weights at their stages."""
        right = np.asarray(self.right)[:, self.order]
        wrong = np.asarray(self.wrong)[:, self.order]
        return self.committee.describe(errors=wrong / (right + wrong))

    def widen(self, positions, n_classes):
        """Take note that there are `n_classes` now and old class ``c`` is ``positions[c]``."""
        self.class_weight = widened(self.class_weight, positions, n_classes)
        self.committee.widen(positions, n_classes)
