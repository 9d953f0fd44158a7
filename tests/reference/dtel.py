"""DTEL (spec 8; S1 Algorithm 2).

Decisions: an injected ``transfer(model, X, y, w)`` returns an adapted copy and draws no seed. The
counts N_ab of the Q statistic are sums of row weights. Sums of Q are exactly rounded (math.fsum),
so that equal sets of Q tie in any order and the oldest model is removed. The model removed from the
archive still votes in this step (the ensemble is built first). Ensemble order: adapted models by
step of creation, then the new one. Scores are sums of weight x vote.

The other measures of diversity are computed as fractions, so that values that are equal on paper
tie; N is the sum of the row weights, like N_ab. A single remaining model has diversity 0.

`n_transfers`: models are chosen by their error before transfer. This is the mean squared error that
DTEL uses for weights, of the archived model without changes, rounded to twelve decimals, so that
values that are equal on paper tie. Models that are not transferred are not members in this step;
their diversity is measured like that of all others.
"""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import combinations

import numpy as np

from tests.reference.common import ChunkReference, limit, mse, mse_random, posterior_of_truth, votes


def q_statistic(a, b, w):
    """Return Yule's Q of two correctness vectors; if undefined, 1 for equal vectors, else 0."""
    N = {(i, j): 0.0 for i in (False, True) for j in (False, True)}
    for right_a, right_b, weight in zip(a, b, w):
        N[bool(right_a), bool(right_b)] += float(weight)
    both = N[True, True] * N[False, False]
    either = N[False, True] * N[True, False]
    if both + either == 0:
        return 1.0 if list(a) == list(b) else 0.0
    return (both - either) / (both + either)


def least_diverse(correct, w):
    """Return the index of the model with the largest sum of Q with the others; ties: the oldest."""
    sums = []
    for i, a in enumerate(correct):
        sums.append(math.fsum(q_statistic(a, b, w) for j, b in enumerate(correct) if j != i))
    return sums.index(max(sums))


def disagreement(a, b, w):
    """Return the share of the rows on which exactly one of the two is correct."""
    return sum(v for i, j, v in zip(a, b, w) if bool(i) != bool(j)) / sum(w)


def double_fault(a, b, w):
    """Return the share of the rows on which both are wrong."""
    return sum(v for i, j, v in zip(a, b, w) if not i and not j) / sum(w)


def entropy(correct, w):
    """Return Kuncheva and Whitaker's E: 0 if all agree, 1 if half are right on every row."""
    L = len(correct)
    if L == 1:
        return Fraction(0)
    total = Fraction(0)
    for i, weight in enumerate(w):
        right = sum(bool(row[i]) for row in correct)
        total += weight * Fraction(min(right, L - right), L - math.ceil(L / 2))
    return total / sum(w)


def diversity(measure, correct, w):
    """Return the diversity of these models; larger values mean more diversity."""
    w = [Fraction(float(weight)) for weight in w]
    if measure == "entropy":
        return entropy(correct, w)
    pairs = list(combinations(correct, 2))
    if not pairs:
        return Fraction(0)
    if measure == "disagreement":
        return sum(disagreement(a, b, w) for a, b in pairs) / len(pairs)
    if measure == "double_fault":
        return -sum(double_fault(a, b, w) for a, b in pairs) / len(pairs)
    raise ValueError(f"unknown measure {measure!r}")


def superfluous(measure, correct, w):
    """Return the index of the model without which the others are most diverse; ties: the oldest."""
    if measure == "q":
        return least_diverse(correct, w)
    left = [
        diversity(measure, [*correct[:out], *correct[out + 1 :]], w) for out in range(len(correct))
    ]
    return left.index(max(left))


class DTELReference(ChunkReference):
    def __init__(
        self,
        train,
        transfer,
        n_estimators=25,
        vote="soft",
        eps=1e-10,
        diversity="q",
        n_transfers=None,
        random_state=0,
    ):
        super().__init__(train, random_state)
        self.transfer, self.n_estimators = transfer, n_estimators
        self.vote, self.eps = vote, eps
        self.diversity, self.n_transfers = diversity, n_transfers
        self.archive, self.archive_births = [], []
        self.members, self.births, self.weights = [], [], []

    def learn(self, X, y, w):
        newest = self.train(X, y, w, self.seed())
        random = mse_random(y, w)
        chosen = self._to_transfer(X, y, w)
        self.members = [self.transfer(self.archive[i], X, y, w) for i in chosen]
        self.weights = [
            1 / (random + mse(posterior_of_truth(f, X, y, self.classes), w) + self.eps)
            for f in self.members
        ]
        self.members.append(newest)
        self.weights.append(1 / (random + self.eps))
        self.births = [*(self.archive_births[i] for i in chosen), self.step]
        self.archive.append(newest)
        self.archive_births.append(self.step)
        if len(self.archive) > limit(self.n_estimators):
            correct = [(np.asarray(f.predict(X)) == y).tolist() for f in self.archive]
            out = superfluous(self.diversity, correct, w)
            del self.archive[out], self.archive_births[out]

    def _to_transfer(self, X, y, w):
        """Return the indices of the models to transfer: those of least error, ties: the newer."""
        places = range(len(self.archive))
        errors = []
        for f in self.archive:
            errors.append(round(mse(posterior_of_truth(f, X, y, self.classes), w), 12))
        ranked = sorted(places, key=lambda i: (errors[i], -i))
        return sorted(ranked[: self.n_transfers])

    def scores(self, X):
        total = np.zeros((len(X), len(self.classes)))
        for f, weight in zip(self.members, self.weights):
            predicted = (
                votes(f, X, self.classes) if self.vote == "hard" else f.proba(X, self.classes)
            )
            total += weight * predicted
        return total
