"""FLB, fast and light boosting (spec 22), blocks of rows.

Rows are buffered until there are `block_size`; only then are they learned. Before the first block
the prediction is the first known class.

A block: e = weighted error of the ensemble on it (mean of the members' probabilities); the test for
a change; then `n_per_block` times: train on the block with row weight times (1-e)/e where the
ensemble is wrong (all 1 if the ensemble is empty, e = 0 or e >= 1/2), append, drop the oldest
beyond `n_estimators`, recompute predictions and e.

Decisions:

* The test compares theta = 1 - e, before training, with the accuracies of the earlier blocks since
  the last change, at least 5 of them: mu0 = their mean, s0 = their standard deviation (n - 1), s =
  max(s0, sqrt(mu (1-mu) / n)) with n the rows of the block and mu = mu0 clipped to [1/(2n),
  1 - 1/(2n)], so that s > 0. Change if (mu0 - theta) / s > 2.326.
* A change removes all members and accuracies; theta of that block is not stored. Without a change
  theta is appended. The first block, and the block of a change, train the first model with the
  original row weights.
* ``detect=False``: no test. A seed is drawn for every model.
"""

from __future__ import annotations

import math

import numpy as np

from tests.reference.cart import add_up
from tests.reference.common import limit, share
from tests.reference.online_bases import OnlineReference, first_max

ONE_PERCENT = 2.326


class FLBReference(OnlineReference):
    def __init__(
        self, train, n_estimators=200, block_size=200, n_per_block=5, detect=True, random_state=0
    ):
        super().__init__(random_state)
        self.train, self.n_estimators, self.block_size = train, n_estimators, block_size
        self.n_per_block, self.detect = n_per_block, detect
        self.buffer, self.members, self.accuracies = [], [], []
        self.n_changes = 0

    def learn(self, x, y, w, guess):
        self.buffer.append((x, y, w))
        if len(self.buffer) == self.block_size:
            X, labels, weights = zip(*self.buffer)
            self.buffer = []
            self._block(np.array(X), labels, weights)

    def _block(self, X, y, w):
        if self.members:
            wrong, e = self._errors(X, y, w)
            if self.detect and self._changed(1 - e, len(y)):
                self.members, self.accuracies = [], []
                self.n_changes += 1
            else:
                self.accuracies.append(1 - e)
        for _ in range(self.n_per_block):
            weights = list(w)
            if self.members:
                wrong, e = self._errors(X, y, w)
                if 0 < e < 0.5:
                    weights = [v * ((1 - e) / e) if bad else v for v, bad in zip(w, wrong)]
            model = self.train(X, np.array(y), np.array(weights), self.seed())
            self.members.append(model)
            if len(self.members) > limit(self.n_estimators):
                del self.members[0]

    def _errors(self, X, y, w):
        wrong = [guess != label for guess, label in zip(self.predict(X), y)]
        return wrong, share(w, wrong)

    def _changed(self, theta, n):
        count = len(self.accuracies)
        if count < 5:
            return False
        mu0 = add_up(self.accuracies) / count
        s0 = math.sqrt(add_up((a - mu0) * (a - mu0) for a in self.accuracies) / (count - 1))
        mu = min(max(mu0, 1 / (2 * n)), 1 - 1 / (2 * n))
        s = max(s0, math.sqrt(mu * (1 - mu) / n))
        return (mu0 - theta) / s > ONE_PERCENT

    def predict(self, X):
        return np.array([self.classes[first_max(scores)] for scores in self.scores(X).tolist()])

    def scores(self, X):
        total = np.zeros((len(X), len(self.classes)))
        for f in self.members:
            total += f.proba(np.asarray(X, dtype=float), self.classes)
        return total / len(self.members) if self.members else total

    def score_one(self, x):
        return self.scores([x])[0].tolist()
