"""DTEL (spec 8; S1 Algorithm 2).

Decisions: an injected ``transfer(model, X, y, w)`` returns an adapted copy and draws no seed. The
counts N_ab of the Q statistic are sums of row weights. Sums of Q are exactly rounded (math.fsum),
so that equal sets of Q tie whatever their order, and the oldest goes. The model removed from the
archive still votes in this step (the ensemble is built first). Ensemble order: adapted models by
birth, then the new one. Scores are sums of weight x vote.
"""

from __future__ import annotations

import math

import numpy as np

from twins.common import ChunkTwin, limit, mse, mse_random, posterior_of_truth, votes


def q_statistic(a, b, w):
    """Yule's Q of two correctness vectors; undefined is 1 for equal vectors, else 0."""
    N = {(i, j): 0.0 for i in (False, True) for j in (False, True)}
    for right_a, right_b, weight in zip(a, b, w):
        N[bool(right_a), bool(right_b)] += float(weight)
    both = N[True, True] * N[False, False]
    either = N[False, True] * N[True, False]
    if both + either == 0:
        return 1.0 if list(a) == list(b) else 0.0
    return (both - either) / (both + either)


def least_diverse(correct, w):
    """The index of the model whose Q with the others sums highest; the oldest among equals."""
    sums = []
    for i, a in enumerate(correct):
        sums.append(math.fsum(q_statistic(a, b, w) for j, b in enumerate(correct) if j != i))
    return sums.index(max(sums))


class DTELTwin(ChunkTwin):
    def __init__(self, train, transfer, n_estimators=25, vote="hard", eps=1e-10, random_state=0):
        super().__init__(train, random_state)
        self.transfer, self.n_estimators = transfer, n_estimators
        self.vote, self.eps = vote, eps
        self.archive, self.archive_births = [], []
        self.members, self.births, self.weights = [], [], []

    def learn(self, X, y, w):
        newest = self.train(X, y, w, self.seed())
        random = mse_random(y, w)
        self.members = [self.transfer(f, X, y, w) for f in self.archive]
        self.weights = [
            1 / (random + mse(posterior_of_truth(f, X, y, self.classes), w) + self.eps)
            for f in self.members
        ]
        self.members.append(newest)
        self.weights.append(1 / (random + self.eps))
        self.births = [*self.archive_births, self.step]
        self.archive.append(newest)
        self.archive_births.append(self.step)
        if len(self.archive) > limit(self.n_estimators):
            correct = [(np.asarray(f.predict(X)) == y).tolist() for f in self.archive]
            out = least_diverse(correct, w)
            del self.archive[out], self.archive_births[out]

    def scores(self, X):
        total = np.zeros((len(X), len(self.classes)))
        for f, weight in zip(self.members, self.weights):
            said = votes(f, X, self.classes) if self.vote == "hard" else f.proba(X, self.classes)
            total += weight * said
        return total
