# cython: infer_types=True
"""Online coordinate boosting: members fixed for ever, confidences that move with every row."""

import cython
import numpy as np
from cython.cimports.libc.math import exp, log

if not cython.compiled:
    from driftlearn.kernels.adaboost import train_anew
    from driftlearn.kernels.boosted import Boosted

from driftlearn.kernels.sliding import Window


@cython.cclass
class CoordinateBoost(Boosted):
    """The loop of online coordinate boosting, for two classes.

    AdaBoost on the first rows makes the members. From then on member j's confidence is
    ``1/2 ln(right[j] / wrong[j])``, where `right` and `wrong` are the weights, at its stage, of
    the rows so far that it gets right and wrong. When the confidences of earlier members move,
    those weights move too; the factor is worked out from the weights of the rows that j and k
    get right, or wrong, together, for the last `order` members k as if they were independent.

    Parameters
    ----------
    window : Window
        As large as there are initial rows.
    members : Members
        None yet.
    n_estimators : int
        Rounds of AdaBoost.
    order : int
        Earlier members whose changes count.
    smoothing : float
        What all sums start from.

    Attributes
    ----------
    class_weight : float array
        Weight of each class among the initial rows so far.
    right, wrong : float arrays of shape (members, order + 1)
        Column ``order`` is for the member itself, column ``order - k`` for it and the k-th before.
    """

    def __init__(self, window, members, n_estimators, order, smoothing):
        Boosted.__init__(self, window, members)
        self.n_estimators = n_estimators
        self.order = order
        self.smoothing = smoothing
        self.class_weight = np.zeros(window.n_classes)
        self._set_sums(np.zeros((0, order + 1)), np.zeros((0, order + 1)))

    def _set_sums(self, right, wrong):
        self.right = right
        self.wrong = wrong
        self.hit = np.zeros(len(right), dtype=np.uint8)
        self.up = np.ones(len(right))
        self.down = np.ones(len(right))

    def _may_train(self, wrong):
        return self.members.n == 0 and self.window.n + 1 == self.window.size

    def _learn_one(self, X, i, y, w, wrong):
        if self.members.n > 0:
            for j in range(self.members.n):
                self.hit[j] = self.now[0, j] == y
            self._adjust(w)
        else:
            self._slide(X, i, y, w)
            self.class_weight[y] += w
            if self.window.n == self.window.size:
                self._start(i)
        self.n_rows += 1

    def finish(self, host=None):
        """Make do with the initial rows that have come, if that has not happened yet."""
        if self.members.n == 0 and self.window.n > 0:
            self.members.begin(host, np.empty((0, self.window.n_features)))
            self.n_rows -= 1
            try:
                self._start(-1)
            finally:
                self.n_rows += 1
                self.members.end()

    def _start(self, i):
        """Train the members on the initial rows; let the sums pass over these rows once."""
        n: cython.Py_ssize_t = self.window.n
        first: cython.Py_ssize_t = self.window.start
        train_anew(self, self.n_estimators, i)
        m: cython.Py_ssize_t = self.members.n
        sums = np.full((2, m, self.order + 1), self.smoothing)
        self._set_sums(sums[0], sums[1])
        d: cython.double[::1] = np.array(self.window.w[first : first + n])
        for j in range(m):
            for k in range(n):
                y = self.window.y[first + k]
                for before in range(max(0, j - self.order), j + 1):
                    self.hit[before] = self.window.codes[first + k, before] == y
                self._add(j, d[k])
            self.alpha[j] = 0.5 * log(self.right[j, self.order] / self.wrong[j, self.order])
            for k in range(n):
                hit = self.window.codes[first + k, j] == self.window.y[first + k]
                d[k] *= exp(-self.alpha[j] if hit else self.alpha[j])
        self.window = Window(self.window.n_features, self.window.n_classes, 1)

    def _add(self, j, d):
        """Add a row of weight `d` at stage j to the sums of member j."""
        for k in range(max(0, j - self.order), j + 1):
            if self.hit[j] and self.hit[k]:
                self.right[j, k - j + self.order] += d
            elif not (self.hit[j] or self.hit[k]):
                self.wrong[j, k - j + self.order] += d

    def _adjust(self, d):
        """Move all confidences for a row of weight `d`; `hit` says who is right about it."""
        largest: cython.double = 0.0
        for j in range(self.members.n):
            self._rescale(j)
            self._add(j, d)
            for c in range(self.order + 1):
                self.right[j, c] = max(self.right[j, c], 1e-12)
                self.wrong[j, c] = max(self.wrong[j, c], 1e-12)
                largest = max(largest, self.right[j, c], self.wrong[j, c])
            change = 0.5 * log(self.right[j, self.order] / self.wrong[j, self.order])
            change = min(max(change - self.alpha[j], -1.0), 1.0)
            self.up[j] = exp(change)
            self.down[j] = exp(-change)
            self.alpha[j] += change
            d = min(d * exp(-self.alpha[j] if self.hit[j] else self.alpha[j]), 1e12)
        if largest > 1e12:
            for j in range(self.members.n):
                for c in range(self.order + 1):
                    self.right[j, c] *= 1e-6
                    self.wrong[j, c] *= 1e-6

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

    def scores(self, X, host=None):
        """Return the votes; before there are members, the weights of the classes so far."""
        if self.members.n == 0:
            return np.tile(np.asarray(self.class_weight), (len(X), 1))
        return Boosted.scores(self, X, host)

    def errors(self):
        """Return the share of the weight at its stage that each member has got wrong."""
        right = np.asarray(self.right)[:, self.order]
        wrong = np.asarray(self.wrong)[:, self.order]
        return wrong / (right + wrong)

    def widen(self, positions, n_classes):
        """Take note that there are `n_classes` now and old class ``c`` is ``positions[c]``."""
        class_weight = np.zeros(n_classes)
        class_weight[positions] = self.class_weight
        self.class_weight = class_weight
        Boosted.widen(self, positions, n_classes)

    def get_state(self):
        """Return everything the ensemble knows: arrays, numbers, its window and members."""
        return {
            **Boosted.get_state(self),
            "n_estimators": self.n_estimators,
            "order": self.order,
            "smoothing": self.smoothing,
            "class_weight": np.array(self.class_weight),
            "right": np.array(self.right),
            "wrong": np.array(self.wrong),
        }

    def set_state(self, state):
        """Become the ensemble whose `get_state` this was."""
        Boosted.set_state(self, state)
        self.n_estimators = int(state["n_estimators"])
        self.order = int(state["order"])
        self.smoothing = float(state["smoothing"])
        self.class_weight = np.array(state["class_weight"], dtype=float)
        self._set_sums(np.array(state["right"], dtype=float), np.array(state["wrong"], dtype=float))
