# cython: infer_types=True
"""The members of a boosted ensemble: trained on a weighted window, then fixed for ever.

A boosting loop sees nothing of its base learner but `Members`: `train` a candidate, `admit` it,
`vote`, `keep` some. Stumps are arrays, online learners are the compiled ones, and any other
classifier is a guest that a host in Python trains and asks.
"""

import cython
import numpy as np

if not cython.compiled:
    from driftlearn.engines.online_model import OnlineModel

from driftlearn.engines.engine import restore
from driftlearn.kernels.fit_stump import fit_stump


@cython.cclass
class Members:
    """Base of the three kinds. One candidate at a time: trained, then admitted or forgotten.

    Attributes
    ----------
    n : int
        Members admitted and kept.
    can_fail : bool
        Whether training runs code that is not ours, and may raise anything.
    """

    def __init__(self):
        self.n = 0
        self.can_fail = False

    def begin(self, host, X):
        """Take note of the rows that `vote` will be asked about."""

    def end(self):
        """Forget those rows."""

    def vote(self, X, i, codes, row):
        """Write the code each member gives row `i` of `X` into this row of `codes`."""
        raise NotImplementedError

    def train(self, window, weights, i, said):
        """Train a candidate on the window; write the codes it gives the window's rows.

        It comes after row `i` of those told to `begin`.
        """
        raise NotImplementedError

    def admit(self):
        """Make the candidate the newest member."""
        raise NotImplementedError

    def keep(self, index, n_kept):
        """Keep the members at these ascending positions."""
        raise NotImplementedError

    def fresh(self):
        """Return members of the same kind, none yet."""
        raise NotImplementedError

    def widen(self, positions, n_classes):
        """Take note that there are `n_classes` now and old class ``c`` is ``positions[c]``."""

    def ask(self, X, host=None, which=None):
        """Return the code each member, or each at these positions, gives each row.

        Returns
        -------
        int16 array of shape (members, rows)
        """
        raise NotImplementedError

    def keys(self):
        """Return what tells members apart: models, or tuples of all the numbers that make one."""
        raise NotImplementedError

    def sizes(self):
        """Return each member's size, None where there is no such thing."""
        return [None] * self.n

    def __reduce__(self):
        return restore, (type(self), self.get_state())


@cython.cclass
class Stumps(Members):
    """Decision stumps: four numbers each.

    Examples
    --------
    >>> from driftlearn.engines.row_window import RowWindow
    >>> window, members = RowWindow(n_features=1, n_classes=2, size=3), Stumps()
    >>> X = np.array([[3.0], [1.0], [2.0]])
    >>> for i in range(3):
    ...     window.append(X, i, i % 2, 1.0)
    >>> said = np.empty(3, dtype=np.int16)
    >>> members.train(window, np.ones(3), 2, said)
    >>> said
    array([0, 1, 0], dtype=int16)
    """

    def __init__(self):
        Members.__init__(self)
        self.feature = np.empty(8, dtype=np.int32)
        self.threshold = np.empty(8)
        self.left = np.empty(8, dtype=np.int16)
        self.right = np.empty(8, dtype=np.int16)

    def vote(self, X, i, codes, row):
        """Write the code each member gives row `i` of `X` into this row of `codes`."""
        for j in range(self.n):
            f = self.feature[j]
            goes_left = f < 0 or X[i, f] <= self.threshold[j]
            codes[row, j] = self.left[j] if goes_left else self.right[j]

    def train(self, window, weights, i, said):
        """Train a candidate on the window; write the codes it gives the window's rows."""
        window.sort()
        X: cython.double[:, ::1] = window.X[window.start : window.start + window.n]
        y: cython.Py_ssize_t[::1] = window.y[window.start : window.start + window.n]
        feature, threshold, left, right = fit_stump(X, window.order, y, weights, window.n_classes)
        if self.n == self.feature.shape[0]:
            self.feature = _twice(self.feature)
            self.threshold = _twice(self.threshold)
            self.left = _twice(self.left)
            self.right = _twice(self.right)
        self.feature[self.n] = feature
        self.threshold[self.n] = threshold
        self.left[self.n] = _heaviest(left, window.count)
        self.right[self.n] = _heaviest(right, window.count)
        self._ask_one(self.n, X, said)

    def _ask_one(self, j, X, said):
        f = self.feature[j]
        threshold = self.threshold[j]
        left = self.left[j]
        right = self.right[j]
        for i in range(X.shape[0]):
            said[i] = left if f < 0 or X[i, f] <= threshold else right

    def admit(self):
        """Make the candidate the newest member."""
        self.n += 1

    def keep(self, index, n_kept):
        """Keep the members at these ascending positions."""
        for k in range(n_kept):
            self.feature[k] = self.feature[index[k]]
            self.threshold[k] = self.threshold[index[k]]
            self.left[k] = self.left[index[k]]
            self.right[k] = self.right[index[k]]
        self.n = n_kept

    def ask(self, X, host=None, which=None):
        """Return the code each member, or each at these positions, gives each row."""
        k: cython.Py_ssize_t
        chosen: cython.const[cython.Py_ssize_t][::1] = _positions(which, self.n)
        rows: cython.const[cython.double][:, ::1] = X
        codes = np.empty((len(chosen), len(X)), dtype=np.int16)
        out: cython.short[:, ::1] = codes
        for k in range(chosen.shape[0]):
            self._ask_one(chosen[k], rows, out[k])
        return codes

    def keys(self):
        """Return the four numbers of each stump."""
        return list(zip(*(numbers.tolist() for numbers in self.get_state().values())))

    def fresh(self):
        """Return members of the same kind, none yet."""
        return Stumps()

    def widen(self, positions, n_classes):
        """Take note that there are `n_classes` now and old class ``c`` is ``positions[c]``."""
        for side in (np.asarray(self.left)[: self.n], np.asarray(self.right)[: self.n]):
            side[:] = np.asarray(positions)[side]

    def get_state(self):
        """Return the stumps: a dict of arrays."""
        return {
            "feature": np.array(self.feature[: self.n]),
            "threshold": np.array(self.threshold[: self.n]),
            "left": np.array(self.left[: self.n]),
            "right": np.array(self.right[: self.n]),
        }

    def set_state(self, state):
        """Become the members whose `get_state` this was."""
        Members.__init__(self)
        self.n = len(state["feature"])
        self.feature = np.r_[state["feature"], -1].astype(np.int32)
        self.threshold = np.r_[state["threshold"], 0.0]
        self.left = np.r_[state["left"], 0].astype(np.int16)
        self.right = np.r_[state["right"], 0].astype(np.int16)


@cython.cclass
class Learners(Members):
    """Compiled online learners, each of which learns the window's rows in order and then stops.

    Parameters
    ----------
    blank : OnlineModel
        One that has learned nothing; candidates start as its copies.
    """

    def __init__(self, blank):
        Members.__init__(self)
        self.blank = blank
        self.learners = []

    def vote(self, X, i, codes, row):
        """Write the code each member gives row `i` of `X` into this row of `codes`."""
        learner: OnlineModel
        j: cython.Py_ssize_t
        for j in range(self.n):
            learner = self.learners[j]
            codes[row, j] = learner.predict_one(X, i)

    def train(self, window, weights, i, said):
        """Train a candidate on the window; write the codes it gives the window's rows."""
        k: cython.Py_ssize_t
        X: cython.double[:, ::1] = window.X[window.start : window.start + window.n]
        y: cython.Py_ssize_t[::1] = window.y[window.start : window.start + window.n]
        self.candidate = self.blank.copy()
        self.candidate.learn_many(X, y, weights)
        for k in range(X.shape[0]):
            said[k] = self.candidate.predict_one(X, k)

    def admit(self):
        """Make the candidate the newest member."""
        self.learners.append(self.candidate)
        self.n += 1

    def keep(self, index, n_kept):
        """Keep the members at these ascending positions."""
        self.learners = [self.learners[index[k]] for k in range(n_kept)]
        self.n = n_kept

    def ask(self, X, host=None, which=None):
        """Return the code each member, or each at these positions, gives each row."""
        learner: OnlineModel
        i: cython.Py_ssize_t
        k: cython.Py_ssize_t
        chosen: cython.const[cython.Py_ssize_t][::1] = _positions(which, self.n)
        rows: cython.const[cython.double][:, ::1] = X
        codes = np.empty((len(chosen), len(X)), dtype=np.int16)
        out: cython.short[:, ::1] = codes
        for k in range(chosen.shape[0]):
            learner = self.learners[chosen[k]]
            for i in range(rows.shape[0]):
                out[k, i] = learner.predict_one(rows, i)
        return codes

    def keys(self):
        """Return the learners."""
        return list(self.learners)

    def fresh(self):
        """Return members of the same kind, none yet."""
        return Learners(self.blank)

    def widen(self, positions, n_classes):
        """Take note that there are `n_classes` now and old class ``c`` is ``positions[c]``."""
        for learner in [self.blank, *self.learners]:
            learner.widen(positions, n_classes)

    def sizes(self):
        """Return each member's number of nodes, None where there is no such thing."""
        return [getattr(learner, "n_nodes", None) for learner in self.learners]

    def get_state(self):
        """Return the learners."""
        return {"blank": self.blank, "learners": list(self.learners)}

    def set_state(self, state):
        """Become the members whose `get_state` this was."""
        Learners.__init__(self, state["blank"])
        self.learners = list(state["learners"])
        self.n = len(self.learners)


def _positions(which, n):
    return np.arange(n) if which is None else np.asarray(which, dtype=np.intp)


def _twice(array):
    wider = np.empty(2 * len(array), dtype=np.asarray(array).dtype)
    wider[: len(array)] = array
    return wider


def _heaviest(weights, count):
    best: cython.short = -1
    for c in range(weights.shape[0]):
        if count[c] > 0 and (best < 0 or weights[c] > weights[best]):
            best = c
    return best
