# cython: infer_types=True
"""Rows that come one by one: what a call of a learner does for a single plain row.

The general way, by a chunk, is Python that costs twenty times what a model needs for a row. Here it
is one compiled call, and whatever is not as it was, or not plain, is left to the general way.
"""

from __future__ import annotations

import cython
import numpy as np

if not cython.compiled:
    from driftlearn.base._plain_row import take_label, take_values
    from driftlearn.base._row_shares import to_shares
    from driftlearn.utils._row_pointers import start_of

from driftlearn.base.input import LARGEST_VALUE
from driftlearn.utils.interrupts import uninterrupted

INTEGERS = np.dtype(np.int64)
MOST = cython.declare(cython.double, LARGEST_VALUE)
HIGHEST = cython.declare(cython.double, 1e150)  # scores whose sum of squares is a number


@cython.cclass
class SingleRow:
    """The way of a single plain row into a learner that learns in place, and of its answer.

    It is for the learner as it was when this was made: with these values of its attributes, the
    same objects. Where one is another, where rows and labels are not plain arrays, of one row of
    the known width with values in range, or where the label is new, nothing happens, and the
    learner goes the general way.

    Parameters
    ----------
    facts : dict
        Attributes by which an answer is found: `n_features_in_`, `classes_`, and the model if it
        is given.
    parameters : dict
        The parameters, which were looked at.
    model : OnlineModel, optional
        What learns and answers, if that is all that the learner does; else rows are handed to its
        `_learn_row` and `_scores`.
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
        self.answers = [None] * len(classes)

    def is_for(self, learner):
        """Say whether the learner is as it was."""
        known: dict = learner.__dict__
        return _same(known, self.facts, self.fact_values) and _same(
            known, self.parameters, self.parameter_values
        )

    def learn(self, learner, X, y):
        """Have the learner learn a row; say whether it did, or has to go the general way."""
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
        """Return the label of a row, an array; None if the learner has to go the general way."""
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
            best = self._ask(learner, X)
            return None if best < 0 else self._answer(best)
        finally:
            lock.release()

    def _code(self):
        """Return the place of the label among the known ones, which are sorted; -1 if it is new."""
        low: cython.Py_ssize_t = 0
        high: cython.Py_ssize_t = self.labels.shape[0]
        while low < high:
            middle = (low + high) >> 1
            if self.labels[middle] < self.label[0]:
                low = middle + 1
            else:
                high = middle
        return low if low < self.labels.shape[0] and self.labels[low] == self.label[0] else -1

    def _answer(self, code):
        """Return the label of a class, in an array that the caller may keep."""
        answer = self.answers[code]
        if answer is None:  # made when it is first said: there may be thousands
            answer = self.answers[code] = self.classes[code : code + 1].copy()
        return answer.copy()

    def _update(self, learner, X, code):
        """Have the row learned: Ctrl-C is held back where it could come, which is in Python."""
        if self.model is None:
            learner._learn_row(X, code)
        elif cython.compiled and self.model._is_quiet(start_of(self.row)):
            self.model._take_row(start_of(self.row), code, 1.0)
        else:
            with uninterrupted():
                self.model._take_row(start_of(self.row), code, 1.0)
        return 0

    def _ask(self, learner, X):
        """Return the code of the likeliest class; -1 if there is none, or no scores are plain."""
        if self.model is not None:
            self.model._test_row(start_of(self.row), start_of(self.votes))
        else:
            scores = learner._scores(X)
            if type(scores) is not np.ndarray or not take_values(scores, self.votes, HIGHEST):
                return -1
        if not to_shares(self.shares):
            return -1
        best: cython.Py_ssize_t = 0
        for c in range(1, self.votes.shape[0]):
            if self.votes[c] > self.votes[best]:
                best = c
        return best


def _same(known, names, values):
    """Say whether attributes have these values, the same objects."""
    same: cython.bint = True
    for k in range(len(names)):
        same = same and known.get(names[k]) is values[k]
    return same
