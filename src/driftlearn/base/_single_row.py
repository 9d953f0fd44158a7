# cython: infer_types=True
"""Fast path for single rows, compiled.

The general path through a `Chunk` is Python code that takes twenty times as long as training a
model on one row. Here it is one compiled call. Unusual input and changed learners take the general
path.

A row and its label are read through the buffer protocol, at a tenth of the cost of memoryviews: see
`take_values` and `take_label` in the ``.pxd`` file.
"""

from __future__ import annotations

import cython
import numpy as np

from driftlearn.base.validation import LARGEST_VALUE
from driftlearn.utils.interrupts import uninterrupted

FLOATS, INTEGERS = np.dtype(np.float64), np.dtype(np.int64)
MOST = cython.declare(cython.double, LARGEST_VALUE)
HIGHEST = cython.declare(cython.double, 1e150)  # bound of scores; keeps their sum of squares finite

if not cython.compiled:
    from driftlearn.base._probabilities import normalize_in_place
    from driftlearn.utils._row_pointers import start_of

    def take_values(X, out, most):
        """Copy a single row to `out`; return whether it needs no conversion.

        It must be a C-ordered float64 array of NumPy's own type with one row, as long as `out`, of
        finite numbers whose squares sum to at most that of `most`.
        """
        if type(X) is not np.ndarray or X.dtype is not FLOATS or X.shape != (1, len(out)):
            return False
        if not X.flags.c_contiguous:
            return False
        out[:] = X[0]
        with np.errstate(over="ignore", invalid="ignore"):
            return bool((X[0] * X[0]).sum() <= most * most)

    def take_label(y, out):
        """Copy a single label to `out`; return whether it is an int64 array of one value."""
        if type(y) is not np.ndarray or y.dtype is not INTEGERS or y.shape != (1,):
            return False
        out[0] = y[0]
        return True


@cython.cclass
class SingleRowPath:
    """Fast path of a learner in its current state, for training and prediction with single rows.

    It applies while the attributes in `facts` and the parameters are the same objects, and only to
    arrays with one row of the known width, values in range, and a known label. Otherwise it does
    nothing, and the learner takes the general path.

    Parameters
    ----------
    facts : dict
        Attributes that predictions depend on: `n_features_in_`, `classes_`, and the model, if any.
    parameters : dict
        The validated parameters.
    model : OnlineModel, optional
        The model, if training and prediction involve nothing else. Otherwise rows are passed to
        the learner's `_learn_row` and `_scores`.
    """

    def __init__(self, facts, parameters, model=None):
        classes = facts["classes_"]
        self.facts, self.fact_values = tuple(facts), tuple(facts.values())
        self.parameters, self.parameter_values = tuple(parameters), tuple(parameters.values())
        self.model = model
        self.numbered = classes.dtype is INTEGERS
        self.labels = np.array(classes if self.numbered else [], dtype=np.int64)
        self.label = np.zeros(1, dtype=np.int64)
        self.row = np.zeros(facts["n_features_in_"])
        votes = np.zeros((1, len(classes)))
        self.shares, self.votes = votes, votes[0]
        self.classes = classes
        self.predictions = [None] * len(classes)

    def is_for(self, learner):
        """Return whether the learner's attributes and parameters are unchanged."""
        known: dict = learner.__dict__
        return _same(known, self.facts, self.fact_values) and _same(
            known, self.parameters, self.parameter_values
        )

    def learn(self, learner, X, y):
        """Train the learner on a row; return False if it has to take the general path."""
        lock = learner.__dict__.get("_lock")
        if lock is None:
            return False
        lock.acquire()
        try:
            if not self.numbered or not self.is_for(learner):
                return False
            if type(X) is not np.ndarray or not take_values(X, self.row, MOST):
                return False
            if type(y) is not np.ndarray or not take_label(y, self.label):
                return False
            code = self._code()
            if code < 0:
                return False
            learner._check_features(X)
            self._update(learner, X, code)
            return True
        finally:
            lock.release()

    def predict(self, learner, X):
        """Return the label of a row as an array; None if the general path must be taken."""
        lock = learner.__dict__.get("_lock")
        if lock is None:
            return None
        lock.acquire()
        try:
            known: dict = learner.__dict__
            if not _same(known, self.facts, self.fact_values):
                return None
            if type(X) is not np.ndarray or not take_values(X, self.row, MOST):
                return None
            best = self._best_class(learner, X)
            return None if best < 0 else self._prediction(best)
        finally:
            lock.release()

    def _code(self):
        """Return the position of the label in the known labels, by bisection; -1 if it is new."""
        low: cython.Py_ssize_t = 0
        high: cython.Py_ssize_t = self.labels.shape[0]
        while low < high:
            middle = (low + high) >> 1
            if self.labels[middle] < self.label[0]:
                low = middle + 1
            else:
                high = middle
        return low if low < self.labels.shape[0] and self.labels[low] == self.label[0] else -1

    def _prediction(self, code):
        """Return the label of a class, in a new array."""
        prediction = self.predictions[code]
        if prediction is None:  # created on first use, since there may be thousands of classes
            prediction = self.predictions[code] = self.classes[code : code + 1].copy()
        return prediction.copy()

    def _update(self, learner, X, code):
        """Train on the row; Ctrl-C is deferred if Python code runs, which could be interrupted."""
        if self.model is None:
            learner._learn_row(X, code)
        elif cython.compiled and self.model._is_quiet(start_of(self.row)):
            self.model._learn_row(start_of(self.row), code, 1.0)
        else:
            with uninterrupted():
                self.model._learn_row(start_of(self.row), code, 1.0)
        return 0

    def _best_class(self, learner, X):
        """Return the code of the most probable class; -1 if scores are missing or unusual."""
        if self.model is not None:
            self.model._test_row(start_of(self.row), start_of(self.votes))
        else:
            scores = learner._scores(X)
            if type(scores) is not np.ndarray or not take_values(scores, self.votes, HIGHEST):
                return -1
        if not normalize_in_place(self.shares):
            return -1
        best: cython.Py_ssize_t = 0
        for c in range(1, self.votes.shape[0]):
            if self.votes[c] > self.votes[best]:
                best = c
        return best


def _same(known, names, values):
    """Return whether attributes are these objects."""
    same: cython.bint = True
    for k in range(len(names)):
        same = same and known.get(names[k]) is values[k]
    return same
