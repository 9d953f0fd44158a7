"""Gaussian naive Bayes learned a row at a time, any class at any time.

Decisions: y is a class code, the model grows up to the largest code seen; a row of weight 0 is
ignored; the sum over features runs in feature order and is halved at the end; before the first
row every score is 0. The first row is the mean itself, and no sum of squares is below 0, whatever
the rounding of ``d * w / n``. `predict_one` is the argmax of the log posterior (lowest code on
ties).
"""

from __future__ import annotations

import math

from twins.cart import add_up


class Moments:
    """Weight, means and sums of squared deviations of some rows, by weighted Welford."""

    def __init__(self, n_features):
        self.n = 0.0
        self.mean = [0.0] * n_features
        self.m2 = [0.0] * n_features

    def add(self, x, w):
        self.n += w
        for f, value in enumerate(x):
            d = value - self.mean[f]
            self.mean[f] += d if w >= self.n else d * w / self.n
            self.m2[f] = max(0.0, self.m2[f] + w * d * (value - self.mean[f]))


class NaiveBayesTwin:
    def __init__(self, n_features, n_classes=0, var_smoothing=1e-9):
        self.n_features = n_features
        self.var_smoothing = var_smoothing
        self.by_class = [Moments(n_features) for _ in range(n_classes)]
        self.all = Moments(n_features)

    def learn_one(self, x, y, w=1.0):
        x, y, w = [float(v) for v in x], int(y), float(w)
        while len(self.by_class) <= y:
            self.by_class.append(Moments(self.n_features))
        if w > 0:
            self.by_class[y].add(x, w)
            self.all.add(x, w)

    def log_posterior(self, x):
        """Unnormalised; -inf for a class never seen."""
        if self.all.n == 0:
            return [-math.inf] * len(self.by_class)
        eps = self.var_smoothing * max(m2 / self.all.n for m2 in self.all.m2)
        if eps == 0:
            eps = self.var_smoothing
        logs = []
        for c in self.by_class:
            if c.n == 0:
                logs.append(-math.inf)
                continue
            total = 0.0
            for f, value in enumerate(x):
                var = c.m2[f] / c.n + eps
                d = float(value) - c.mean[f]
                total += math.log(2 * math.pi * var) + d * d / var
            logs.append(math.log(c.n / self.all.n) - 0.5 * total)
        return logs

    def scores(self, x):
        return normalise(self.log_posterior(x))

    def predict_one(self, x):
        logs = self.log_posterior(x)
        return logs.index(max(logs))


def normalise(logs):
    """exp(log - logsumexp); all 0 if no class has a finite log."""
    top = max(logs, default=-math.inf)
    if top == -math.inf:
        return [0.0] * len(logs)
    shifted = [math.exp(v - top) for v in logs]
    total = add_up(shifted)
    return [v / total for v in shifted]
