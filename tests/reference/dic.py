"""DIC (spec 13; Tsymbal et al. 2008): members are weighted by their accuracy near the row x.

Decisions:

* The training of h_t draws its seed first, then the folds in order. The correctness of the newest
  member is cross-validated with the folds of AWE (10, or fewer by its rules); if the chunk cannot
  be folded, the member is tested on its own training rows. All other members are tested by their
  labels on the chunk.
* Distance: square root of the sum of squared differences, numeric ones divided by the chunk's
  range (0 -> 1), categorical ones 0/1. On ties the lower row is nearer. m < k: all rows.
* A neighbor weighs u = w / (1 + distance) with its row weight w; sums run from the nearest on.
* Order of members for DS and the "count" rule: local accuracy, then weighted accuracy on the
  whole chunk (cross-validated for the newest), then the newer. "count" keeps ceil(n/2).
* "interval" keeps a_i >= (min a + max a) / 2, so a member in the middle is kept.
* If all a_i are 0, all members vote with equal weights, also with DS.
* The vote is soft by default, hard in the paper. DS scores are one member's vote.
* `weights` are accuracies on the chunk, for inspection.
"""

from __future__ import annotations

import math

import numpy as np

from tests.reference.common import ChunkReference, folds, limit, share, votes


class DICReference(ChunkReference):
    def __init__(
        self,
        train,
        n_estimators=25,
        selection="dvs",
        n_neighbors=7,
        rule="interval",
        categorical=None,
        n_folds=10,
        vote="soft",
        random_state=0,
    ):
        super().__init__(train, random_state)
        self.n_estimators, self.selection, self.n_neighbors = n_estimators, selection, n_neighbors
        self.rule, self.categorical, self.n_folds = rule, categorical, n_folds
        self.vote = vote
        self.members, self.births, self.weights = [], [], []

    def learn(self, X, y, w):
        newest = self.train(X, y, w, self.seed())
        right = self._cross_validated(newest, X, y, w)
        self.members.append(newest)
        self.births.append(self.step)
        if len(self.members) > limit(self.n_estimators):
            del self.members[0], self.births[0]
        self.X, self.w = X, w
        self.correct = [np.asarray(h.predict(X)) == y for h in self.members[:-1]] + [right]
        self.weights = [share(w, right) for right in self.correct]
        self.range = [float(np.max(column) - np.min(column)) or 1.0 for column in X.T]

    def _cross_validated(self, newest, X, y, w):
        fold = folds(y, self.n_folds)
        if fold is None:
            return np.asarray(newest.predict(X)) == y
        right = np.zeros(len(y), dtype=bool)
        for f in range(max(fold) + 1):
            out = fold == f
            model = self.train(X[~out], y[~out], w[~out], self.seed())
            right[out] = np.asarray(model.predict(X[out])) == y[out]
        return right

    def distance(self, a, b):
        total = 0.0
        for f in range(len(a)):
            if self.categorical is not None and self.categorical[f]:
                d = float(a[f] != b[f])
            else:
                d = abs(a[f] - b[f]) / self.range[f]
            total += d * d
        return math.sqrt(total)

    def local_accuracies(self, x):
        distances = [self.distance(x, row) for row in self.X]
        nearest = sorted(range(len(self.X)), key=lambda i: (distances[i], i))[: self.n_neighbors]
        u = {i: self.w[i] / (1 + distances[i]) for i in nearest}
        accuracies = []
        for right in self.correct:
            good = everything = 0.0
            for i in nearest:
                everything += u[i]
                good += u[i] if right[i] else 0.0
            accuracies.append(good / everything)
        return accuracies

    def vote_weights(self, x):
        """Return the weight of every member's vote at x."""
        a = self.local_accuracies(x)
        members = range(len(a))
        if max(a) == 0:
            return [1.0] * len(a)
        ranked = sorted(members, key=lambda i: (a[i], self.weights[i], i), reverse=True)
        if self.selection == "ds":
            return [1.0 if i == ranked[0] else 0.0 for i in members]
        if self.selection == "dv":
            return a
        if self.rule == "count":
            kept = ranked[: math.ceil(len(a) / 2)]
        else:
            kept = [i for i in members if a[i] >= (min(a) + max(a)) / 2]
        return [a[i] if i in kept else 0.0 for i in members]

    def scores(self, X):
        X = np.asarray(X, dtype=float)
        given = [
            h.proba(X, self.classes) if self.vote == "soft" else votes(h, X, self.classes)
            for h in self.members
        ]
        table = np.zeros((len(X), len(self.classes)))
        for row, x in enumerate(X):
            for member, vote_weight in zip(given, self.vote_weights(x)):
                table[row] += vote_weight * member[row]
        return table
