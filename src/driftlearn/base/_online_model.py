# cython: infer_types=True
"""Interface of online models, so that one compiled loop can train any of them.

Ensembles hold a list of `OnlineModel` and call ``learn_one(X, i, y, w)`` and ``predict_one(X, i)``
as C methods: rows are passed by index, without slices or Python objects. A Python class that
derives from `OnlineModel` and overrides `learn_one` and `scores_one` runs in the same loops.
"""

import cython
import numpy as np

if not cython.compiled:
    from driftlearn.base._engine import Engine
    from driftlearn.utils._row_pointers import place_at, row_at, start_of

from driftlearn.base._engine import restore
from driftlearn.io.schema import integer, number


@cython.cclass
class OnlineModel(Engine):
    """Base of online models; classes are codes, rows are those of a C-ordered matrix.

    Parameters
    ----------
    n_features : int
        Number of columns of every `X`.
    n_classes : int
        Number of known classes; `widen` adds more.

    Attributes
    ----------
    weight_seen : float
        Sum of the weights of all training rows.

    Notes
    -----
    `learn_one`, `scores_one` and `predict_one` do not validate: ``i`` is a row of `X`, `X` has
    `n_features` columns, ``0 <= y < n_classes``. The batch methods do.

    A model written in Python overrides `learn_one` and `scores_one` (and `widen`, if it has
    per-class attributes), and adds its attributes to `STATE`; it receives `X` and `out` as buffers.

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
            raise ValueError(f"invalid shape: {n_features} features and {n_classes} classes")
        self.n_features = n_features
        self.n_classes = n_classes
        self.weight_seen = 0.0

    def learn_one(self, X, i, y, w):
        """Train on row `i` of `X`, of class `y`, with weight `w`; 0 leaves the model unchanged."""
        raise NotImplementedError(f"{type(self).__name__} does not implement learn_one")

    def scores_one(self, X, i, out):
        """Write row `i`'s class scores to `out`: they sum to 1, or are 0 in an empty model."""
        raise NotImplementedError(f"{type(self).__name__} does not implement scores_one")

    def predict_one(self, X, i):
        """Return row `i`'s highest-scoring class, the lowest on ties; -1 if all scores are 0."""
        out: cython.double[::1] = np.zeros(self.n_classes)
        self.scores_one(X, i, out)
        return top_class(start_of(out), self.n_classes) if self.n_classes else -1

    def test_one(self, X, i, out):
        """Write row `i`'s class scores to `out`, unless that is None; return its class.

        With `out`, models that would have to compute the class separately return -2.
        """
        if out is None:
            return self.predict_one(X, i)
        self.scores_one(X, i, out)
        return -2

    def learn_tested(self, X, i, y, w):
        """Train on row `i` as `learn_one` does, directly after `test_one` of the same row.

        A model may reuse intermediate results of the test, such as the leaf of the row.
        """
        self.learn_one(X, i, y, w)

    # The next methods are `learn_one`, `learn_tested` and `test_one` for compiled loops, which pass
    # a pointer to the row. By default they acquire the GIL and call those methods with a copy of
    # the row.

    def _is_free(self):
        """Return whether the methods need no GIL and cannot fail on validated rows."""
        return False

    def _is_quiet(self, row):
        """Return whether training on this row, of weight 1 and without nan, runs no Python code.

        Then no signal handler can run, and Ctrl-C need not be deferred.
        """
        return False

    def _learn_row(self, row, y, w):
        """Train on a row of class `y` with weight `w`."""
        with cython.gil:
            self.learn_one(self._as_matrix(row), 0, y, w)
        return 0

    def _learn_tested_row(self, row, y, w):
        """Train on the row that was tested last."""
        with cython.gil:
            self.learn_tested(self._as_matrix(row), 0, y, w)
        return 0

    def _predict_row(self, row):
        """Return the class of a row."""
        with cython.gil:
            return self.test_one(self._as_matrix(row), 0, None)

    def _test_row(self, row, out):
        """Write the class scores of a row to `out`; return its class or -2."""
        with cython.gil:
            scores: cython.double[::1] = np.zeros(self.n_classes)
            predicted = self.test_one(self._as_matrix(row), 0, scores)
            for c in range(self.n_classes):
                out[c] = scores[c]
            return predicted

    def _as_matrix(self, row):
        """Return a copy of a row as a matrix of one row."""
        X = np.empty((1, self.n_features))
        to: cython.double[:, ::1] = X
        for f in range(self.n_features):
            to[0, f] = row[f]
        return X

    def learn_many(self, X, y, w):
        """Train on all rows in order."""
        check_rows(self.n_features, self.n_classes, X, y, w)
        for i in range(X.shape[0]):
            self.learn_one(X, i, y[i], w[i])

    def test_and_learn_many(self, X, y, w, out):
        """Test each row, writing its class scores to `out`, then train on it, in order."""
        check_rows(self.n_features, self.n_classes, X, y, w)
        check_scores(self.n_features, self.n_classes, X, out)
        for i in range(X.shape[0]):
            self.test_one(X, i, out[i])
            self.learn_tested(X, i, y[i], w[i])

    def scores_many(self, X, out):
        """Write the class scores of all rows to `out`, of shape (rows, n_classes)."""
        check_scores(self.n_features, self.n_classes, X, out)
        for i in range(X.shape[0]):
            self.scores_one(X, i, out[i])

    def widen(self, positions, n_classes):
        """Adapt to `n_classes` classes; old class ``c`` becomes ``positions[c]``."""
        self.n_classes = n_classes

    def copy(self):
        """Return an independent copy."""
        return restore(type(self), self.get_state())


@cython.cclass
class RowModel(OnlineModel):
    """Base of compiled online models that receive rows as pointers.

    A subclass implements `_learn_row`, `_test_row` and `_predict_row`; also `_learn_tested_row` if
    training can reuse intermediate results of the test.
    """

    def learn_one(self, X, i, y, w):
        """Train on row `i` of `X`, of class `y`, with weight `w`; 0 leaves the model unchanged."""
        self._learn_row(row_at(X, i), y, w)

    def learn_tested(self, X, i, y, w):
        """Train on row `i` as `learn_one` does, directly after `test_one` of the same row."""
        self._learn_tested_row(row_at(X, i), y, w)

    def _learn_tested_row(self, row, y, w):
        return self._learn_row(row, y, w)

    def scores_one(self, X, i, out):
        """Write row `i`'s class probabilities to `out`; all are 0 in an empty model."""
        self._test_row(row_at(X, i), start_of(out))

    def predict_one(self, X, i):
        """Return row `i`'s highest-scoring class, the lowest on ties; -1 if all scores are 0."""
        return self._predict_row(row_at(X, i))

    def test_one(self, X, i, out):
        """Write row `i`'s class scores to `out`, unless that is None; return its class or -2."""
        if out is None:
            return self._predict_row(row_at(X, i))
        return self._test_row(row_at(X, i), start_of(out))

    def _check_features(self, X):
        """Raise ValueError for feature values that the model does not accept."""

    def learn_many(self, X, y, w):
        """Train on all rows in order."""
        check_rows(self.n_features, self.n_classes, X, y, w)
        self._check_features(X)
        with cython.nogil:
            for i in range(X.shape[0]):
                self._learn_row(row_at(X, i), y[i], w[i])

    def test_and_learn_many(self, X, y, w, out):
        """Test each row, writing its scores to `out`, then train on it, in order."""
        check_rows(self.n_features, self.n_classes, X, y, w)
        check_scores(self.n_features, self.n_classes, X, out)
        self._check_features(X)
        with cython.nogil:
            for i in range(X.shape[0]):
                self._test_row(row_at(X, i), place_at(out, i))
                self._learn_tested_row(row_at(X, i), y[i], w[i])

    def scores_many(self, X, out):
        """Write the class probabilities of all rows to `out`, of shape (rows, n_classes)."""
        check_scores(self.n_features, self.n_classes, X, out)
        with cython.nogil:
            for i in range(X.shape[0]):
                self._test_row(row_at(X, i), place_at(out, i))


def top_class(scores, n_classes):
    """Return the class with the highest score, the lowest on ties; -1 if all scores are 0."""
    best: cython.int = -1
    highest: cython.double = 0.0
    for c in range(n_classes):
        if scores[c] > highest:
            best = c
            highest = scores[c]
    return best


def check_rows(n_features, n_classes, X, y, w):
    """Raise ValueError unless a model of this shape can be trained on the rows."""
    if X.shape[1] != n_features:
        raise ValueError(f"X has {X.shape[1]} features, but the model is expecting {n_features}")
    if not X.shape[0] == y.shape[0] == w.shape[0]:
        lengths = X.shape[0], y.shape[0], w.shape[0]
        raise ValueError(f"X, y and w have inconsistent lengths: {lengths}")
    lowest: cython.Py_ssize_t = 0
    highest: cython.Py_ssize_t = -1
    for i in range(y.shape[0]):
        lowest = min(lowest, y[i])
        highest = max(highest, y[i])
    if lowest < 0 or highest >= n_classes:
        codes = np.asarray(y)
        found = f"{codes.min()} to {codes.max()}"
        raise ValueError(f"class codes must be 0 to {n_classes - 1}. Got {found} instead.")
    return 0


def check_scores(n_features, n_classes, X, out):
    """Raise ValueError unless `out` has the right shape for the scores of the rows of `X`."""
    if X.shape[1] != n_features:
        raise ValueError(f"X has {X.shape[1]} features, but the model is expecting {n_features}")
    if out.shape[0] != X.shape[0] or out.shape[1] != n_classes:
        shape = out.shape[0], out.shape[1]
        raise ValueError(f"out must have shape {(X.shape[0], n_classes)}. Got {shape} instead.")
    return 0
