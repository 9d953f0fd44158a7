"""AdaBoost.M1 and .M2 (Freund and Schapire 1996) and arc-x4 (Breiman 1998) on one table of rows.

Decisions:

* Rows of weight 0 are absent: n and the classes are those of the other rows.
* A round consists of the distribution over the rows, with `resample` a draw (`common.drawn`), the
  seed, and training: on the drawn rows with weights of one, or on all rows with n times the
  distribution.
* Errors are rounded to twelve decimals: in M1 the previous member has an error of exactly 1/2 under
  the new distribution, and training often finds the same member again.
* An error of 1/2 or more ends the training without the candidate. Only the first candidate is kept
  in this case: it is the single member, with weight 1. An error of 0 ends the training with the
  candidate. arc-x4 never ends early.
* The error with its lower bound determines both the weight and the factor of the distribution.
* M1 and arc-x4 count hard votes. In M2 h is the probability, 0 for a class unknown to the member.
  With one class, M2 has no wrong labels and one member of weight 1.
* Ties go to the first class in sorted order. If all weights are 0 (one row: the lower bound is 1/2)
  all votes have the same weight.
"""

from __future__ import annotations

import math

import numpy as np

from tests.reference.common import drawn, votes


class BoostingReference:
    def __init__(self, train, n_estimators=10, method="m1", resample=False, random_state=0):
        self.train, self.n_estimators = train, n_estimators
        self.method, self.resample = method, resample
        self.rng = np.random.default_rng(random_state)

    def fit(self, X, y, w=None):
        X, y = np.asarray(X, dtype=float), np.asarray(y)
        w = np.ones(len(y)) if w is None else np.asarray(w, dtype=float)
        X, y, w = X[w > 0], y[w > 0], w[w > 0]
        self.classes = sorted(set(y.tolist()))
        self.members, self.weights = [], []
        {"m1": self._m1, "m2": self._m2, "arc-x4": self._arc_x4}[self.method](X, y, w)
        return self

    def _next(self, X, y, D):
        """Train a member with the distribution D over the rows."""
        if self.resample:
            rows = drawn(D, self.rng)
            X, y, D = X[rows], y[rows], np.ones(len(rows)) / len(rows)
        return self.train(X, y, len(y) * D, int(self.rng.integers(2**31 - 1)))

    def _admit(self, h, error, n):
        """Return (beta, whether this was the last round)."""
        error = round(error, 12)
        if error >= 0.5:
            if not self.members:
                self.members, self.weights = [h], [1.0]
            return None, True
        floored = max(error, 1 / (2 * n))
        beta = floored / (1 - floored)
        self.members.append(h)
        self.weights.append(math.log(1 / beta))
        return beta, error == 0

    def _m1(self, X, y, w):
        n, D = len(y), w / w.sum()
        for _ in range(self.n_estimators):
            h = self._next(X, y, D)
            right = np.asarray(h.predict(X)) == y
            beta, last = self._admit(h, sum(D[i] for i in range(n) if not right[i]), n)
            if last:
                return
            D = np.array([D[i] * (beta if right[i] else 1.0) for i in range(n)])
            D /= D.sum()

    def _m2(self, X, y, w):
        n, k = len(y), len(self.classes)
        if k == 1:
            self.members, self.weights = [self._next(X, y, w / w.sum())], [1.0]
            return
        truth = [self.classes.index(label) for label in y.tolist()]
        mislabels = [(i, c) for i in range(n) for c in range(k) if c != truth[i]]
        D = {(i, c): w[i] / w.sum() / (k - 1) for i, c in mislabels}
        for _ in range(self.n_estimators):
            rows = [sum(D[i, c] for c in range(k) if c != truth[i]) for i in range(n)]
            member = self._next(X, y, np.array(rows))
            h = member.proba(X, self.classes)
            error = sum(D[i, c] * (1 - h[i, truth[i]] + h[i, c]) for i, c in mislabels) / 2
            beta, last = self._admit(member, error, n)
            if last:
                return
            for i, c in mislabels:
                D[i, c] *= beta ** ((1 + h[i, truth[i]] - h[i, c]) / 2)
            total = sum(D.values())
            D = {pair: weight / total for pair, weight in D.items()}

    def _arc_x4(self, X, y, w):
        times_wrong = np.zeros(len(y))
        for _ in range(self.n_estimators):
            p = w * (1 + times_wrong**4)
            h = self._next(X, y, p / p.sum())
            times_wrong += np.asarray(h.predict(X)) != y
            self.members.append(h)
            self.weights.append(1.0)

    def scores(self, X):
        X = np.asarray(X, dtype=float)
        weights = self.weights if any(self.weights) else [1.0] * len(self.members)
        total = np.zeros((len(X), len(self.classes)))
        for h, weight in zip(self.members, weights):
            soft = self.method == "m2"
            predicted = h.proba(X, self.classes) if soft else votes(h, X, self.classes)
            total += weight * predicted
        return total

    def proba(self, X, classes):
        """Return each class's share of the scores, 0 for a class without rows."""
        scores = self.scores(X)
        table = np.zeros((len(scores), len(classes)))
        for c, label in enumerate(self.classes):
            table[:, classes.index(label)] = scores[:, c] / scores.sum(axis=1)
        return table

    def predict(self, X):
        return np.array([self.classes[i] for i in np.argmax(self.scores(X), axis=1)])
