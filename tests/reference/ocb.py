"""Online coordinate boosting (spec 21): updates the confidences of fixed or online members.

Fixed: the first `init_size` rows are stored; before they are complete the prediction is the class
with the larger weight so far. Then AdaBoost (`windowed_adaboost.adaboost`, `n_estimators` rounds)
creates the members, and they never change.

Decisions:

* The sums start from one pass over the initial rows: d_i = row weight; for j in order: each sum
  starts at `smoothing` and takes d_i [[...]] row by row; alpha_j = 1/2 ln(Wp[j,j]/Wn[j,j]);
  d_i *= exp(-alpha_j m_ij). So alpha and the sums agree from the start; AdaBoost's own alphas only
  affect the training of the members. da_j = 0.
* A row: d = its weight. da_j = 1/2 ln(Wp[j,j]/Wn[j,j]) - alpha_j clipped to [-1, 1], then
  alpha_j += da_j (also if nothing is clipped). All sums are kept >= 1e-12 after their update,
  d <= 1e12; if after the row any sum is > 1e12 all are multiplied by 1e-6.
* da_k of k < j is the increment made at this row. The factors of pi are multiplied in the order of
  k = max(0, j - order), ..., j - 1.
* Scores are (-F, F), F = sum of alpha_j h_j in member order, h = +1 for the second class; while
  only one class is known (F,) with h = +1.
* More than two classes: alpha_j = 1/2 (ln(Wp[j,j]/Wn[j,j]) + ln(K - 1)), a member is right if it
  predicts the class of the row, and its alpha goes to the class that it predicts. K = max(2,
  classes among the initial rows), permanently; later classes score -inf, and every member is
  wrong on them.

Online members (`OCBLearningReference`): `n_estimators` online models from the start, alpha = 0.

* Every row: its class counts in K = max(2, classes so far). Each member in turn learns the row
  with weight min(d, 100 w), d the row's weight at its stage (before this member's own factor), then
  predicts it; this prediction updates the member's sums and alpha as above.
* Scores: the sum of alpha_j times the member's class probabilities over those with alpha_j > 0.
"""

from __future__ import annotations

import math

import numpy as np

from tests.reference.online_bases import OnlineReference, label_of
from tests.reference.windowed_adaboost import adaboost


def factors(Wp, Wn, da, j, ks):
    """Return (pi_p, pi_n): how the changes da_k multiply the weight where j is right and wrong.

    A change of alpha_k by da multiplies a row's weight by exp(-da m_k). Of the rows on which j is
    right, k is right on a share q; of those on which j is wrong, k is wrong on a share r.
    """
    pi_p = pi_n = 1.0
    for k in ks:
        q, r = Wp[j][k] / Wp[j][j], Wn[j][k] / Wn[j][j]
        pi_p *= q * math.exp(-da[k]) + (1 - q) * math.exp(da[k])
        pi_n *= r * math.exp(da[k]) + (1 - r) * math.exp(-da[k])
    return pi_p, pi_n


class OCBReference(OnlineReference):
    def __init__(
        self, train, n_estimators=200, init_size=200, order=5, smoothing=0.5, random_state=0
    ):
        super().__init__(random_state)
        self.train, self.n_estimators, self.init_size = train, n_estimators, init_size
        self.order, self.smoothing = order, smoothing
        self.initial, self.members, self.alphas, self.named = [], [], [], []

    def learn(self, x, y, w, guess):
        if self.members:
            self._row(self._margins(x, y), w)
            return
        self.initial.append((x, y, w))
        if len(self.initial) == self.init_size:
            self._initialise()

    def _margins(self, x, y):
        return [1 if label_of(h, x) == y else -1 for h in self.members]

    def _earlier(self, j):
        return range(max(0, j - self.order), j)

    def _initialise(self):
        X, y, w = zip(*self.initial)
        X = np.array(X)
        self.members, _ = adaboost(self.train, X, y, w, self.n_estimators, self.seed)
        self.named = sorted(set(y))
        M = len(self.members)
        margins = [self._margins(x, label) for x, label in zip(X, y)]
        self.Wp = [[self.smoothing] * M for _ in range(M)]
        self.Wn = [[self.smoothing] * M for _ in range(M)]
        self.da, d = [0.0] * M, list(w)
        for j in range(M):
            for m, weight in zip(margins, d):
                self._add(m, weight, j)
            alpha = self._confidence(j, self.named)
            self.alphas.append(alpha)
            d = [weight * math.exp(-alpha * m[j]) for m, weight in zip(margins, d)]
        self.initial = []

    def _confidence(self, j, classes):
        odds = math.log(self.Wp[j][j] / self.Wn[j][j])
        return 0.5 * (odds + math.log(max(2, len(classes)) - 1))

    def _add(self, m, d, j):
        for k in [*self._earlier(j), j]:
            if m[k] == 1 and m[j] == 1:
                self.Wp[j][k] += d
            if m[k] == -1 and m[j] == -1:
                self.Wn[j][k] += d

    def _row(self, m, d):
        for j in range(len(self.members)):
            d = self._stage(m, d, j, self.named)
        self._end()

    def _stage(self, m, d, j, classes):
        """Update alpha_j with a row of weight d; return the row's weight at the next stage."""
        pi_p, pi_n = factors(self.Wp, self.Wn, self.da, j, self._earlier(j))
        for k in [*self._earlier(j), j]:
            self.Wp[j][k] *= pi_p
            self.Wn[j][k] *= pi_n
        self._add(m, d, j)
        for k in [*self._earlier(j), j]:
            self.Wp[j][k] = max(self.Wp[j][k], 1e-12)
            self.Wn[j][k] = max(self.Wn[j][k], 1e-12)
        da = self._confidence(j, classes) - self.alphas[j]
        self.da[j] = min(max(da, -1.0), 1.0)
        self.alphas[j] += self.da[j]
        return min(d * math.exp(-self.alphas[j] * m[j]), 1e12)

    def _end(self):
        if max(max(row) for row in self.Wp + self.Wn) > 1e12:
            self.Wp = [[v * 1e-6 for v in row] for row in self.Wp]
            self.Wn = [[v * 1e-6 for v in row] for row in self.Wn]

    def score_one(self, x):
        if not self.members:
            heavier = [0.0] * len(self.classes)
            for _, y, w in self.initial:
                heavier[self.classes.index(y)] += w
            return heavier
        if len(self.classes) > 2:
            votes = {c: 0.0 if c in self.named else -math.inf for c in self.classes}
            for h, alpha in zip(self.members, self.alphas):
                votes[label_of(h, x)] += alpha
            return [votes[c] for c in self.classes]
        F = 0.0
        for h, alpha in zip(self.members, self.alphas):
            F += alpha if label_of(h, x) == self.classes[-1] else -alpha
        return [-F, F] if len(self.classes) == 2 else [F]


class OCBLearningReference(OCBReference):
    def __init__(self, make, n_estimators, order=5, smoothing=0.5, random_state=0):
        super().__init__(None, n_estimators, None, order, smoothing, random_state)
        self.models = [make(self.seed()) for _ in range(n_estimators)]
        self.alphas, self.da = [0.0] * n_estimators, [0.0] * n_estimators
        self.Wp = [[smoothing] * n_estimators for _ in self.models]
        self.Wn = [[smoothing] * n_estimators for _ in self.models]

    def learn(self, x, y, w, guess):
        m, d = [], w
        for j, model in enumerate(self.models):
            model.learn_one(x, y, min(d, 100 * w))
            m.append(1 if model.predict_one(x) == y else -1)
            d = self._stage(m, d, j, self.classes)
        self._end()

    def score_one(self, x):
        total = [0.0] * len(self.classes)
        for model, alpha in zip(self.models, self.alphas):
            if alpha > 0:
                shares = model.proba_one(x, self.classes)
                total = [t + alpha * p for t, p in zip(total, shares)]
        return total
