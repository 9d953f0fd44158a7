"""What every online model can do, so that one compiled loop can drive any of them.

Ensembles hold a list of `OnlineModel` and call ``learn_one(X, i, y, w)`` and ``predict_one(X, i)``
through the type's table of methods: rows go by index, nothing is sliced or boxed. A Python class
that derives from `OnlineModel` and overrides `learn_one` and `scores_one` runs in the same loops.
"""

import cython
import numpy as np

from driftlearn.base._engine import restore
from driftlearn.io.schema import integer, number


@cython.cclass
class OnlineModel:
    """Base of the online models; classes are codes, rows are rows of a C-ordered matrix.

    Parameters
    ----------
    n_features : int
        Columns of every `X`.
    n_classes : int
        Number of classes known so far; `widen` adds more.

    Attributes
    ----------
    weight_seen : float
        Sum of the weights of the rows learned.

    Notes
    -----
    `learn_one`, `scores_one` and `predict_one` trust the loop that calls them: ``i`` is a row of
    `X`, `X` has `n_features` columns, ``0 <= y < n_classes``. The batch methods check.

    A model written in Python overrides `learn_one`, `scores_one`, `get_state` and `set_state`
    (and `widen`, if it keeps something a class); `X` and `out` reach it as buffers.

    Examples
    --------
    >>> class Counts(OnlineModel):
    ...     def __init__(self, n_features, n_classes):
    ...         super().__init__(n_features, n_classes)
    ...         self.counts = np.zeros(n_classes)
    ...
    ...     def learn_one(self, X, i, y, w):
    ...         self.counts[y] += w
    ...
    ...     def scores_one(self, X, i, out):
    ...         np.asarray(out)[:] = self.counts / self.counts.sum()
    >>> model = Counts(n_features=1, n_classes=2)
    >>> model.learn_many(np.zeros((3, 1)), np.array([0, 1, 1]), np.ones(3))
    >>> model.predict_one(np.zeros((1, 1)), 0)
    1
    """

    STATE = {"n_features": integer(1), "n_classes": integer(0), "weight_seen": number(0)}

    def __init__(self, n_features, n_classes):
        if n_features < 1 or n_classes < 0:
            raise ValueError(f"no model of {n_features} features and {n_classes} classes")
        self.n_features = n_features
        self.n_classes = n_classes
        self.weight_seen = 0.0

    def learn_one(self, X, i, y, w):
        """Learn row `i` of `X`, of class `y`, as if it had come `w` times; 0 is never."""
        raise NotImplementedError(f"{type(self).__name__} does not say how to learn a row")

    def scores_one(self, X, i, out):
        """Write row `i`'s class scores to `out`: they sum to 1, or all are 0 before any row."""
        raise NotImplementedError(f"{type(self).__name__} does not say how to score a row")

    def predict_one(self, X, i):
        """Return the code of row `i`'s best class, the lowest on ties; -1 before any row."""
        c: cython.int
        best: cython.int = -1
        highest: cython.double = 0.0
        out: cython.double[::1] = np.zeros(self.n_classes)
        self.scores_one(X, i, out)
        for c in range(self.n_classes):
            if out[c] > highest:
                best = c
                highest = out[c]
        return best

    def test_one(self, X, i, out):
        """Write row `i`'s class scores to `out`, unless that is None; return its best class.

        Models that have to reckon again for the class say -2 if they are given `out`.
        """
        if out is None:
            return self.predict_one(X, i)
        self.scores_one(X, i, out)
        return -2

    def learn_tested(self, X, i, y, w):
        """Learn row `i` as `learn_one` does; it is the row of the last call, of `test_one`.

        So what the test found out about the row can be used again.
        """
        self.learn_one(X, i, y, w)

    # What compiled loops call, with a row of a matrix: `learn_one`, `learn_tested` and `test_one`.
    # A model that does not override them is handed a copy of the row, under the lock.

    def _is_free(self):
        """Say whether these need no lock, and cannot fail on rows that were checked."""
        return False

    def _is_quiet(self, row):
        """Say whether no Python code runs while it learns this row, of weight 1 and complete.

        Where none runs nobody hears Ctrl-C, so that it need not be held back.
        """
        return False

    def _take_row(self, row, y, w):
        """Learn a row of class `y`, as if it had come `w` times."""
        with cython.gil:
            self.learn_one(self._as_matrix(row), 0, y, w)
        return 0

    def _take_tested(self, row, y, w):
        """Learn the row that was tested last."""
        with cython.gil:
            self.learn_tested(self._as_matrix(row), 0, y, w)
        return 0

    def _say_row(self, row):
        """Return the class of a row: its test, without scores."""
        with cython.gil:
            return self.test_one(self._as_matrix(row), 0, None)

    def _test_row(self, row, out):
        """Write the class scores of a row to `out`; return its class or -2."""
        with cython.gil:
            scores: cython.double[::1] = np.zeros(self.n_classes)
            says = self.test_one(self._as_matrix(row), 0, scores)
            for c in range(self.n_classes):
                out[c] = scores[c]
            return says

    def _as_matrix(self, row):
        """Return a copy of a row as a matrix of one row."""
        X = np.empty((1, self.n_features))
        to: cython.double[:, ::1] = X
        for f in range(self.n_features):
            to[0, f] = row[f]
        return X

    def learn_many(self, X, y, w):
        """Learn all rows, in order."""
        i: cython.Py_ssize_t
        check_rows(self.n_features, self.n_classes, X, y, w)
        for i in range(X.shape[0]):
            self.learn_one(X, i, y[i], w[i])

    def test_and_learn_many(self, X, y, w, out):
        """Learn all rows, in order; write the class scores of each before that to `out`."""
        i: cython.Py_ssize_t
        check_rows(self.n_features, self.n_classes, X, y, w)
        check_scores(self.n_features, self.n_classes, X, out)
        for i in range(X.shape[0]):
            self.test_one(X, i, out[i])
            self.learn_tested(X, i, y[i], w[i])

    def scores_many(self, X, out):
        """Write the class scores of all rows to `out`, of shape (rows, n_classes)."""
        i: cython.Py_ssize_t
        check_scores(self.n_features, self.n_classes, X, out)
        for i in range(X.shape[0]):
            self.scores_one(X, i, out[i])

    def widen(self, positions, n_classes):
        """Take note that there are `n_classes` now and old class ``c`` is ``positions[c]``."""
        self.n_classes = n_classes

    def copy(self):
        """Return a model that knows the same and goes its own way."""
        return restore(type(self), self.get_state())

    def get_state(self):
        """Return everything the model knows: a dict of arrays, numbers and strings."""
        return {
            "n_features": int(self.n_features),
            "n_classes": int(self.n_classes),
            "weight_seen": float(self.weight_seen),
        }

    def set_state(self, state):
        """Become the model whose `get_state` this was."""
        self.n_features = int(state["n_features"])
        self.n_classes = int(state["n_classes"])
        self.weight_seen = float(state["weight_seen"])

    def __reduce__(self):
        return restore, (type(self), self.get_state())


def check_rows(n_features, n_classes, X, y, w):
    """Raise unless these are rows that a model of this shape can learn."""
    if X.shape[1] != n_features:
        raise ValueError(f"rows of {X.shape[1]} features for a model of {n_features}")
    if not X.shape[0] == y.shape[0] == w.shape[0]:
        raise ValueError(f"{X.shape[0]} rows, {y.shape[0]} classes, {w.shape[0]} weights")
    lowest: cython.Py_ssize_t = 0
    highest: cython.Py_ssize_t = -1
    for i in range(y.shape[0]):
        lowest = min(lowest, y[i])
        highest = max(highest, y[i])
    if lowest < 0 or highest >= n_classes:
        codes = np.asarray(y)
        raise ValueError(f"class codes {codes.min()} to {codes.max()} with {n_classes} classes")
    return 0


def check_scores(n_features, n_classes, X, out):
    """Raise unless `out` can take the scores of the rows of `X`."""
    if X.shape[1] != n_features:
        raise ValueError(f"rows of {X.shape[1]} features for a model of {n_features}")
    if out.shape[0] != X.shape[0] or out.shape[1] != n_classes:
        raise ValueError(
            f"no room for {X.shape[0]} rows of {n_classes} scores in {(out.shape[0], out.shape[1])}"
        )
    return 0
