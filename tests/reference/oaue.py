"""OAUE, the online accuracy updated ensemble (Brzezinski & Stefanowski 2014).

A seed is drawn for every candidate when it is created: at the first row, and at every d-th row.

Decisions:

* A member's error is the mean of (1 - p(y|x))^2 over the rows since it joined, at most the last d,
  each predicted before the member learns it; 0 when it joins. Every row counts as one, whatever its
  weight.
* MSE_r is computed from the class shares of the last d rows, including the row being learned.
* At every d-th row, a full ensemble removes the member with the largest error (ties: the first).
  The candidate joins at the end and learns the row; the next candidate is trained from the next
  row on.
* ``weighting="nonlinear"``: 1 / (MSE_r + MSE_i + 1e-10), "linear": max(MSE_r - MSE_i, 1e-10).
  Weights hold until the next row. The candidate votes while there is no member.
"""

from __future__ import annotations

import numpy as np

from tests.reference.common import mse_random
from tests.reference.online_bases import OnlineReference, first_max

EPS = 1e-10


class Member:
    def __init__(self, model):
        self.model, self.errors = model, []

    def mse(self):
        return sum(self.errors) / len(self.errors) if self.errors else 0.0


class OAUEReference(OnlineReference):
    def __init__(
        self, make, n_estimators=10, window_size=500, weighting="nonlinear", random_state=0
    ):
        super().__init__(random_state)
        self.make, self.n_estimators = make, n_estimators
        self.window_size, self.weighting = window_size, weighting
        self.members, self.weights, self.labels = [], [], []
        self.candidate = None

    def learn(self, x, y, w, guess):
        if self.candidate is None:
            self.candidate = self.make(self.seed())
        self.labels = [*self.labels, y][-self.window_size :]
        for member in self.members:
            p = member.model.proba_one(x, [y])[0]
            member.errors = [*member.errors, (1 - p) ** 2][-self.window_size :]
        if self.n_rows % self.window_size == 0:
            if len(self.members) == self.n_estimators:
                del self.members[first_max([member.mse() for member in self.members])]
            self.members.append(Member(self.candidate))
            self.candidate = self.make(self.seed())
        else:
            self.candidate.learn_one(x, y, w)
        for member in self.members:
            member.model.learn_one(x, y, w)
        self.weights = [self.weight(member.mse()) for member in self.members]

    def weight(self, mse):
        random = mse_random(np.array(self.labels), np.ones(len(self.labels)))
        if self.weighting == "linear":
            return max(random - mse, EPS)
        return 1 / (random + mse + EPS)

    def score_one(self, x):
        if not self.members:
            return self.candidate.proba_one(x, self.classes)
        scores = [0.0] * len(self.classes)
        for member, weight in zip(self.members, self.weights):
            for c, p in enumerate(member.model.proba_one(x, self.classes)):
                scores[c] += weight * p
        return scores
