"""AdaBoost retrained on a sliding window after errors (spec 14; S3 Algorithm 1).

Decisions:

* The coherent pair: alpha = 1/2 ln((1-e)/e), z_i = sum_j alpha_j u_ij with u = +1 right, -1 wrong,
  weights w_i exp(-(z_i - min z)) with w the row weights; the base learner receives these weights.
* More than two classes: SAMME, halved likewise: alpha = 1/2 (ln((1-e)/e) + ln(K-1)), K = max(2,
  classes among the rows); everything else is unchanged.
* e is clipped to [1/(2n), 1 - 1/(2n)] with n = max(2, number of rows), so that the very first
  member has a positive alpha.
* e >= 1 - 1/K ends the training without the candidate (its seed is drawn); if it is the first it
  is kept with alpha at least LEAST. The test is e K >= K - 1 - 1e-9, because the previous member
  has e = 1/2 up to rounding and training often finds it again. e = 0: the candidate is kept with
  the capped alpha, and training ends.
* The ensemble is trained if there is no member yet, or if the row's number is a multiple of
  `period` and the ensemble's prediction, made before the row, was wrong; the window includes the
  row.
* `resample`: the rows are drawn by the weights (see `drawn`) before the seed, and trained on with
  weights of one; e and alpha are computed on the window with its weights, as without `resample`. A
  candidate that is too weak ends the training; there is no second draw.
* Scores are the sums of alpha over the members that vote for the class.
"""

from __future__ import annotations

import math

import numpy as np

from tests.reference.common import drawn, share
from tests.reference.online_bases import OnlineReference, label_of

LEAST = 1e-6


def adaboost(train, X, y, w, n_rounds, seed, resample=None):
    """Return (members, alphas); `seed()` returns the next seed, `resample` a generator or None."""
    K, n = max(2, len(set(y))), max(2, len(y))
    members, alphas, z = [], [], [0.0] * len(y)
    while len(members) < n_rounds:
        low = min(z)
        D = [weight * math.exp(low - margin) for weight, margin in zip(w, z)]
        if resample is None:
            model = train(X, np.array(y), np.array(D), seed())
        else:
            rows = drawn(D, resample)
            model = train(X[rows], np.array(y)[rows], np.ones(len(rows)), seed())
        wrong = [guess != label for guess, label in zip(model.predict(X), y)]
        error = share(D, wrong)
        too_weak = error * K >= K - 1 - 1e-9
        if too_weak and members:
            break
        e = min(max(error, 1 / (2 * n)), 1 - 1 / (2 * n))
        alpha = max(LEAST, 0.5 * (math.log((1 - e) / e) + math.log(K - 1)))
        members.append(model)
        alphas.append(alpha)
        if too_weak or error == 0:
            break
        z = [margin - alpha if bad else margin + alpha for margin, bad in zip(z, wrong)]
    return members, alphas


class WindowedAdaBoostReference(OnlineReference):
    def __init__(
        self,
        train,
        n_estimators=200,
        window_size=200,
        period=1,
        resample=False,
        random_state=0,
    ):
        super().__init__(random_state)
        self.resample = self.rng if resample else None
        self.train, self.n_estimators = train, n_estimators
        self.window_size, self.period = window_size, period
        self.window, self.members, self.alphas = [], [], []

    def learn(self, x, y, w, guess):
        self.window = [*self.window, (x, y, w)][-self.window_size :]
        if not self.members or (self.n_rows % self.period == 0 and guess != y):
            X, labels, weights = zip(*self.window)
            window = np.array(X), labels, weights
            self.members, self.alphas = adaboost(
                self.train, *window, self.n_estimators, self.seed, self.resample
            )

    def score_one(self, x):
        votes = [0.0] * len(self.classes)
        for f, alpha in zip(self.members, self.alphas):
            votes[self.classes.index(label_of(f, x))] += alpha
        return votes
