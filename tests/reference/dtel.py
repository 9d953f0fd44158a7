"""DTEL (spec 8; S1 Algorithm 2).

Decisions: an injected ``transfer(model, X, y, w)`` returns an adapted copy and draws no seed. The
counts N_ab of the Q statistic are sums of row weights. Sums of Q are exactly rounded (math.fsum),
so that equal sets of Q tie whatever their order, and the oldest goes. The model removed from the
archive still votes in this step (the ensemble is built first). Ensemble order: adapted models by
birth, then the new one. Scores are sums of weight x vote.

The other measures of diversity are reckoned in fractions, so that what is equal on paper ties; N is
the sum of the row weights, as N_ab are. A single model that remains has diversity 0.

`n_transfers`: the error before transfer is the mean squared error that DTEL weighs its members by,
of the archived model as it is, to twelve decimals, so that what is equal on paper ties. Models that
are not transferred have no place among the members of the step; they are judged for their diversity
like all others.
"""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import combinations

import numpy as np

from tests.reference.common import ChunkReference, limit, mse, mse_random, posterior_of_truth, votes


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


def disagreement(a, b, w):
    """The share of the rows that one of the two gets right and the other wrong."""
    return sum(v for i, j, v in zip(a, b, w) if bool(i) != bool(j)) / sum(w)


def double_fault(a, b, w):
    """The share of the rows that both get wrong."""
    return sum(v for i, j, v in zip(a, b, w) if not i and not j) / sum(w)


def entropy(correct, w):
    """Kuncheva and Whitaker's E: 0 if all agree on every row, 1 if every row halves the models."""
    L = len(correct)
    if L == 1:
        return Fraction(0)
    total = Fraction(0)
    for i, weight in enumerate(w):
        right = sum(bool(row[i]) for row in correct)
        total += weight * Fraction(min(right, L - right), L - math.ceil(L / 2))
    return total / sum(w)


def diversity(measure, correct, w):
    """How diverse these models are: the larger, the more so."""
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
    """The model without which the others are the most diverse; the oldest among equals."""
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
        chosen = self._worthy(X, y, w)
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

    def _worthy(self, X, y, w):
        """The places of the models to transfer: those of least error, the newer among equals."""
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
