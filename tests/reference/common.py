"""Base class and helpers of the chunk references: classes, folds and the two mean squared errors.

A base model has ``predict(X)`` (labels) and ``proba(X, classes)`` (n rows, one column for each of
the sorted `classes`, 0 for classes unknown to the model). Rows of weight 0 are absent. A chunk
without rows changes nothing and is not counted as a step.
"""

from __future__ import annotations

import math

import numpy as np


class ChunkReference:
    """Base class that counts steps from 1, stores all classes so far (sorted) and the generator."""

    def __init__(self, train, random_state=0):
        self.train = train
        self.rng = np.random.default_rng(random_state)
        self.step = 0
        self.classes = []

    def partial_fit(self, X, y, w=None):
        X, y = np.asarray(X, dtype=float), np.asarray(y)
        w = np.ones(len(y)) if w is None else np.asarray(w, dtype=float)
        X, y, w = X[w > 0], y[w > 0], w[w > 0]
        if len(y):
            self.step += 1
            self.classes = sorted({*self.classes, *y.tolist()})
            self.learn(X, y, w)
        return self

    def predict(self, X):
        """Return the class with the largest score; the first in sorted order on ties."""
        best = np.argmax(self.scores(X), axis=1)
        return np.array([self.classes[i] for i in best])

    def seed(self):
        return int(self.rng.integers(2**31 - 1))


def limit(n):
    """Return `n`, or infinity for None."""
    return math.inf if n is None else n


def seed_of(u):
    """Return a seed derived from a uniform number."""
    return int(u * (2**31 - 1))


def votes(model, X, classes):
    """Return one-hot rows of the model's predicted labels."""
    table = np.zeros((len(X), len(classes)))
    for i, label in enumerate(model.predict(X)):
        table[i, classes.index(label)] = 1.0
    return table


def share(w, flags):
    """Return the share of the total weight in the flagged rows; exactly 1 if all are flagged."""
    part = total = 0.0
    for weight, flag in zip(w, flags):
        total += float(weight)
        part += float(weight) if flag else 0.0
    return part / total


def drawn(weights, rng):
    """Draw as many rows as there are weights, with replacement, by inverting their distribution."""
    n = len(weights)
    shares = np.cumsum(weights) / np.sum(weights)
    return np.minimum(np.searchsorted(shares, rng.random(n), side="right"), n - 1)


def posterior_of_truth(model, X, y, classes):
    """Return p(y_i | x_i) of every row."""
    proba = model.proba(X, classes)
    return np.array([proba[i, classes.index(label)] for i, label in enumerate(y.tolist())])


def mse(p_true, w):
    """Return the weighted mean of (1 - p(y|x))^2."""
    return float(np.sum(w * (1 - p_true) ** 2) / np.sum(w))


def mse_random(y, w):
    """Return sum_c p(c) (1 - p(c))^2 with the chunk's class priors."""
    total = 0.0
    for c in sorted(set(y.tolist())):
        p = share(w, y == c)
        total += p * (1 - p) ** 2
    return float(total)


def folds(y, n_folds):
    """Return the fold of every row, without randomness, or None if the chunk cannot be folded.

    Row number r, counting class by class in sorted order and by position inside a class, goes to
    fold r mod F; F = n_folds, or 2 if there are fewer rows than folds. There are no folds if a
    class has only one row, and therefore none if there is only one row.
    """
    labels = y.tolist()
    if any(labels.count(c) < 2 for c in set(labels)):
        return None
    n_folds = n_folds if len(labels) >= n_folds else 2
    in_order = [i for c in sorted(set(labels)) for i, label in enumerate(labels) if label == c]
    fold = np.empty(len(labels), dtype=int)
    for r, i in enumerate(in_order):
        fold[i] = r % n_folds
    return fold
