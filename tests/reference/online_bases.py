"""Base class of the online reference implementations, and base models with their interface.

An online reference learns row by row. A row of weight 0 is absent: it is not counted, consumes no
random number, and its class stays unknown. The ensemble predicts a row before anything, including
its class, is learned from it.

Ties between classes go to the first in sorted order, also if there are two classes and the sum
of signed votes is exactly 0 (spec 0.3; spec 14 has sign(0) = +1). If no member votes, the first
known class is predicted. `scores` has a column for every class known.

A batch base is ``train(X, y, w, seed) -> model`` with ``predict(X)`` and ``proba(X, classes)``.
Trained on rows of a single class, it returns a model that always predicts this class. Every call
passes a seed of ``rng.integers(2**31 - 1)``.

An online base is ``make(seed) -> model`` with ``learn_one(x, y, w)``, ``predict_one(x)`` (None
before the first row) and ``proba_one(x, classes)`` (all 0 before the first row). Its classes are
coded in the order of `classes` if that is given, then in the order of appearance; ties go to the
first label in sorted order.
"""

from __future__ import annotations

import math

import numpy as np

from tests.reference.bases import Coded
from tests.reference.cart import add_up
from tests.reference.hoeffding import HoeffdingReference
from tests.reference.logistic import LogisticReference
from tests.reference.naive_bayes import NaiveBayesReference
from tests.reference.stump import fit_stump, goes_left, predict_stump


class OnlineReference:
    """Base class that counts rows from 1, stores all classes so far (sorted) and the generator."""

    def __init__(self, random_state=0):
        self.rng = np.random.default_rng(random_state)
        self.n_rows = 0
        self.classes = []

    def partial_fit(self, X, y, w=None):
        w = np.ones(len(y)) if w is None else w
        for x, label, weight in zip(X, np.asarray(y).tolist(), w):
            self.learn_one(x, label, weight)
        return self

    def learn_one(self, x, y, w=1.0):
        x, w = np.asarray(x, dtype=float), float(w)
        if w > 0:
            guess = self.predict_one(x)
            self.n_rows += 1
            self.classes = sorted({*self.classes, y})
            self.learn(x, y, w, guess)
        return self

    def predict_one(self, x):
        """Return the class with the largest score; None before the first row."""
        if not self.classes:
            return None
        scores = self.score_one(np.asarray(x, dtype=float))
        return self.classes[scores.index(max(scores))]

    def predict(self, X):
        return np.array([self.predict_one(x) for x in X])

    def scores(self, X):
        return np.array([self.score_one(np.asarray(x, dtype=float)) for x in X])

    def seed(self):
        return int(self.rng.integers(2**31 - 1))


def label_of(model, x):
    """Return a batch model's prediction for one row, as a plain label."""
    return np.asarray(model.predict(x.reshape(1, -1))).tolist()[0]


def first_min(values):
    return values.index(min(values))


def first_max(values):
    return values.index(max(values))


def poisson(u, lam):
    """Return the Poisson(lam) number of a uniform number, by inversion."""
    p = math.exp(-lam)
    c, k = p, 0
    while u >= c and k < 1000:
        k += 1
        p *= lam / k
        c += p
    return k


class OnlineModel:
    """Adapter that encodes labels for the reference implementation of an online learner."""

    def __init__(self, start, classes):
        self.start, self.classes, self.reference = start, list(classes), None

    def learn_one(self, x, y, w):
        if self.reference is None:
            self.reference = self.start(len(x))
        if y not in self.classes:
            self.classes.append(y)
        self.reference.learn_one(x, self.classes.index(y), w)

    def predict_one(self, x):
        if self.reference is None:
            return None
        values = self.values(x)
        known = sorted(self.classes[: len(values)])
        return known[first_max([values[self.classes.index(label)] for label in known])]

    def proba_one(self, x, classes):
        own = dict(zip(self.classes, self.reference.scores(x))) if self.reference else {}
        return [own.get(label, 0.0) for label in classes]


class OnlineNaiveBayes(OnlineModel):
    def values(self, x):
        return self.reference.log_posterior(x)


class OnlineHoeffding(OnlineModel):
    def values(self, x):
        return self.reference.scores(x)


def naive_bayes_maker(classes=(), **params):
    return lambda seed: OnlineNaiveBayes(lambda d: NaiveBayesReference(d, **params), classes)


def logistic_maker(classes=(), **params):
    return lambda seed: OnlineHoeffding(lambda d: LogisticReference(d, **params), classes)


def hoeffding_maker(classes=(), **params):
    return lambda seed: OnlineHoeffding(
        lambda d: HoeffdingReference(d, seed=seed, **params), classes
    )


class StumpModel(Coded):
    """Decision stump; a side predicts (its class weight + laplace) / (its weight + C laplace)."""

    def __init__(self, classes, laplace):
        super().__init__(classes)
        self.laplace = laplace

    def own_proba(self, X):
        rows = []
        for x in X:
            side = self.stump[2] if goes_left(self.stump, x) else self.stump[3]
            shares = [max(0.0, weight) + self.laplace for weight in side]
            rows.append([share / add_up(shares) for share in shares])
        return np.array(rows)

    def predict(self, X):
        return np.array([self.classes[code] for code in predict_stump(self.stump, X)])


def stump_base(laplace=0.5):
    def train(X, y, w, seed):
        model = StumpModel(sorted(set(np.asarray(y).tolist())), laplace)
        model.stump = fit_stump(X, model.codes(y), w, len(model.classes))
        return model

    return train
