"""AUE2 (spec 11; Brzezinski & Stefanowski 2014).

Decisions: an injected ``update(model, X, y, w)`` returns the model after one more pass. The
candidate is trained (and its seed drawn) only if it is admitted; its training on the chunk is its
pass. A member is replaced only if the candidate's weight is strictly larger than the lowest weight;
on ties the oldest member is removed. Members stay in order of creation; the weights of a step hold
until the next one. A row of probabilities is divided by its sum; a row that sums to 0 stays 0, so
it counts as 1 in the MSE.
"""

from __future__ import annotations

import numpy as np

from tests.reference.common import ChunkReference, limit, mse, mse_random


def normalised(model, X, classes):
    proba = np.array(model.proba(X, classes), dtype=float)
    for row in proba:
        if np.sum(row) > 0:
            row /= np.sum(row)
    return proba


class AUE2Reference(ChunkReference):
    def __init__(self, train, update, n_estimators=10, eps=1e-10, random_state=0):
        super().__init__(train, random_state)
        self.update, self.n_estimators, self.eps = update, limit(n_estimators), eps
        self.members, self.births, self.weights = [], [], []

    def learn(self, X, y, w):
        random = mse_random(y, w)
        candidate_weight = 1 / (random + self.eps)
        truth = [self.classes.index(label) for label in y.tolist()]
        self.weights = []
        for h in self.members:
            p_true = normalised(h, X, self.classes)[np.arange(len(y)), truth]
            self.weights.append(1 / (random + mse(p_true, w) + self.eps))
        admitted = len(self.members) < self.n_estimators
        if not admitted and min(self.weights) < candidate_weight:
            worst = self.weights.index(min(self.weights))
            del self.members[worst], self.births[worst], self.weights[worst]
            admitted = True
        self.members = [self.update(h, X, y, w) for h in self.members]
        if admitted:
            self.members.append(self.train(X, y, w, self.seed()))
            self.births.append(self.step)
            self.weights.append(candidate_weight)

    def scores(self, X):
        total = np.zeros((len(X), len(self.classes)))
        for h, weight in zip(self.members, self.weights):
            total += weight * normalised(h, X, self.classes)
        return total
