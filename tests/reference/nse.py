"""Learn++.NSE (spec 6; S0 Fig. 1), one chunk a step.

Decisions:

* Steps (also those of creation) are numbered from 1. m = sum of the row weights; 1/m becomes w/m.
* ``use_distribution``: "error_only" trains on the chunk with the row weights; "sample_weight"
  with D*m; "resample" on ``rng.choice(rows, size=rows, replace=True, p=D)`` with unit weights (D
  includes the row weights), without the coverage rule of spec 0.6 (nothing here depends on the
  class list).
* Attempts: draw, seed, train; while the error under D is > 1/2 and the outcome can differ
  ("resample", or `stochastic`), up to `max_retries` more; the first of the best is kept. If its
  error is > 1/2, `n_weak` is incremented.
* Errors are rounded to twelve decimals, so that neither "> 1/2" nor a tie depends on the order of
  a sum. The lower bound is min(floor, 1/2). Errors are clipped to [floor, 1/2] before beta, for all
  members.
* The time-weighted mean is (sum om*beta) / (sum om), divided once, so that a member that was
  always at 1/2 has exactly mean 1 and weight 0. W = max(0, -log(mean)).
* "printed" is Eq. 6 and 7 to the letter: the sigmoid of every beta, summed and not normalized; W
  = -log of that sum, below 0 if it exceeds 1. The argmax is over all known classes, so a class
  without votes (sum 0) takes precedence over one whose votes sum below 0.
* Sigmoids are computed without overflow. "last" is the current beta, "uniform" the plain mean.
* Pruning follows weighting; "error" drops the largest clipped error on this chunk (ties: the
  oldest member), never the newest member. prune=None ignores n_estimators.
* If all weights are 0, the newest member predicts alone. Scores are sums of W over soft
  votes, or over hard ones if ``vote="hard"`` or weighting is "printed".
"""

from __future__ import annotations

import math

import numpy as np

from tests.reference.common import ChunkReference, limit, votes


def sigmoid(z):
    return 1 / (1 + math.exp(-z)) if z >= 0 else math.exp(z) / (1 + math.exp(z))


def time_weights(weighting, age, slope, crossing):
    """Return the unnormalized weight om_s of the error measured at age s, for s = 0..age."""
    if weighting == "sliding":
        return [sigmoid(slope * (s + 1 - (age - crossing))) for s in range(age + 1)]
    if weighting == "age":
        return [sigmoid(slope * (s - crossing)) for s in range(age + 1)]
    if weighting == "uniform":
        return [1.0] * (age + 1)
    if weighting == "last":
        return [0.0] * age + [1.0]
    raise ValueError(f"unknown weighting {weighting!r}")


class NSEReference(ChunkReference):
    def __init__(
        self,
        train,
        weighting="sliding",
        slope=0.5,
        crossing=10,
        prune=None,
        n_estimators=None,
        use_distribution="error_only",
        error_floor="half_instance",
        max_retries=10,
        stochastic=False,
        vote="soft",
        random_state=0,
    ):
        super().__init__(train, random_state)
        self.weighting, self.slope, self.crossing = weighting, slope, crossing
        self.prune, self.n_estimators = prune, n_estimators
        self.use_distribution, self.error_floor = use_distribution, error_floor
        self.max_retries, self.stochastic = max_retries, stochastic
        self.members, self.births, self.betas, self.weights = [], [], [], []
        self.n_weak, self.vote = 0, vote

    def learn(self, X, y, w):
        m = float(np.sum(w))
        D = self._distribution(X, y, w / m)
        newest, error = self._train(X, y, w, D, m)
        self.n_weak += error > 0.5
        self.members.append(newest)
        self.births.append(self.step)
        self.betas.append([])
        floor = 1 / (2 * m) if self.error_floor == "half_instance" else self.error_floor
        floor = min(floor, 0.5)
        errors = [min(max(self._error(h, X, y, D), floor), 0.5) for h in self.members]
        self.weights = []
        for betas, eps in zip(self.betas, errors):
            betas.append(eps / (1 - eps))
            self.weights.append(self._weight(betas))
        self._prune(errors)

    def _weight(self, betas):
        if self.weighting == "printed":
            return -math.log(sum(sigmoid(self.slope * (b - self.crossing)) for b in betas))
        om = time_weights(self.weighting, len(betas) - 1, self.slope, self.crossing)
        mean = sum(a * b for a, b in zip(om, betas)) / sum(om)
        return max(0.0, -math.log(mean))

    def _distribution(self, X, y, uniform):
        if not self.members:
            return uniform
        wrong = self.predict(X) != y
        E = sum(uniform[i] for i in range(len(y)) if wrong[i])
        if E == 0:
            return uniform
        D = np.array([uniform[i] * (1 if wrong[i] else E) for i in range(len(y))])
        return D / np.sum(D)

    def _train(self, X, y, w, D, m):
        can_differ = self.use_distribution == "resample" or self.stochastic
        best, lowest = None, math.inf
        for _ in range(1 + self.max_retries if can_differ else 1):
            if self.use_distribution == "resample":
                draw = self.rng.choice(len(y), size=len(y), replace=True, p=D)
                model = self.train(X[draw], y[draw], np.ones(len(y)), self.seed())
            else:
                weight = w if self.use_distribution == "error_only" else D * m
                model = self.train(X, y, weight, self.seed())
            error = self._error(model, X, y, D)
            if error < lowest:
                best, lowest = model, error
            if error <= 0.5:
                break
        return best, lowest

    @staticmethod
    def _error(model, X, y, D):
        wrong = np.asarray(model.predict(X)) != y
        return round(float(sum(D[i] for i in range(len(y)) if wrong[i])), 12)

    def _prune(self, errors):
        while self.prune and len(self.members) > limit(self.n_estimators):
            older = errors[:-1]
            out = older.index(max(older)) if self.prune == "error" else 0
            for numbers in (self.members, self.births, self.betas, self.weights, errors):
                del numbers[out]

    def scores(self, X):
        if not any(self.weights):
            return self._votes(self.members[-1], X)
        total = np.zeros((len(X), len(self.classes)))
        for h, weight in zip(self.members, self.weights):
            total += weight * self._votes(h, X)
        return total

    def _votes(self, h, X):
        soft = self.vote == "soft" and self.weighting != "printed"
        return h.proba(X, self.classes) if soft else votes(h, X, self.classes)
