"""Learners and a stream that record calls; each row contains its number."""

from collections import namedtuple

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.exceptions import NotFittedError

Batch = namedtuple("Batch", "X y start")


class Rows:
    """Row i has features (i, class code); test rows are numbered from -1 down."""

    name = "rows"
    random_state = 3

    def __init__(self, n_rows=40, drifts=(), classes=(0, 1)):
        self.n_rows = n_rows
        self.drifts = list(drifts)
        self.classes = np.array(classes)
        self.passes = 0
        self.tests = []

    def label(self, rows):
        concept = np.searchsorted(self.drifts, rows, side="right")
        return self.classes[(np.abs(rows) + concept) % len(self.classes)]

    def features(self, rows, y):
        return np.column_stack([rows, np.searchsorted(self.classes, y)]).astype(float)

    def chunks(self, chunk_size=10):
        self.passes += 1
        for start in range(0, self.n_rows, chunk_size):
            rows = np.arange(start, min(start + chunk_size, self.n_rows))
            y = self.label(rows)
            yield Batch(self.features(rows, y), y, start)

    def test_set(self, row, n=None, random_state=None):
        n = 10 if n is None else n
        self.tests.append((row, n, random_state))
        y = np.full(n, self.label(np.array([row]))[0])
        return self.features(-np.arange(1, n + 1), y), y


class Recorder(BaseEstimator):
    """Records the rows of every call; predicts the code in the second feature."""

    def __init__(self, ready_after=1, wrong=False):
        self.ready_after = ready_after
        self.wrong = wrong

    def partial_fit(self, X, y):
        if not hasattr(self, "log_"):
            self.log_, self.seen_ = [], 0
        assert len(X) == len(y)
        self.log_.append(("fit", X[:, 0].astype(int).tolist()))
        self.seen_ += len(y)
        return self

    def predict(self, X):
        if getattr(self, "seen_", 0) < self.ready_after:
            raise NotFittedError("not yet")
        self.log_.append(("predict", X[:, 0].astype(int).tolist()))
        return (1 - X[:, 1] if self.wrong else X[:, 1]).astype(int)


class Proba(Recorder):
    """Predicts class 0 only."""

    def predict_proba(self, X):
        return np.ones((len(X), 1))

    @property
    def classes_(self):
        return np.array([0])


class History:
    """Minimal history of an ensemble."""

    def __init__(self):
        self.steps, self.members, self.weights = [], [], []

    def matrix(self):
        ids = np.unique(np.concatenate(self.members))
        weights = np.full((len(ids), len(self.steps)), np.nan)
        for k, (members, values) in enumerate(zip(self.members, self.weights)):
            weights[np.searchsorted(ids, members), k] = values
        return np.array(self.steps), ids, weights


class Ensemble(BaseEstimator):
    """Keeps `size` members that do nothing, and is right with probability `skill`."""

    def __init__(self, skill=0.9, size=5, random_state=0):
        self.skill = skill
        self.size = size
        self.random_state = random_state

    def partial_fit(self, X, y):
        if not hasattr(self, "history_"):
            self.history_, self.step_ = History(), 0
            self.rng_ = np.random.default_rng(self.random_state)
            self.classes_ = np.array([], dtype=np.asarray(y).dtype)
        self.step_ += 1
        self.classes_ = np.union1d(self.classes_, y)
        born = np.arange(max(1, self.step_ - self.size + 1), self.step_ + 1)
        self.members_ = born.tolist()
        self.history_.steps.append(self.step_)
        self.history_.members.append(born)
        self.history_.weights.append(1.0 + np.sin(born + self.step_))
        return self

    def predict(self, X):
        wrong = self.rng_.random(len(X)) > self.skill
        return self.classes_[(X[:, 1].astype(int) + wrong) % len(self.classes_)]
