"""Gaussian naive Bayes, trained a row at a time; new classes may occur at any time.

Decisions: y is a class code, the model grows up to the largest code seen; a row of weight 0 is
ignored; the sum over features runs in feature order and is halved at the end; before the first
row every score is 0. The first row is the mean itself, and no sum of squares is below 0, whatever
the rounding of ``d * w / n``. `predict_one` is the argmax of the log posterior (lowest code on
ties).

``constant="match"``: a feature that has had only one value in a class has a density of 1 there,
times the exponential of minus half the squared distance over the smoothing.

A missing value (nan) is ignored in the moments of its feature and in the sum over the features; a
feature without values in a class is ignored in that class's sum. The row still counts for the
priors.

The moments skip nominal features. In each class, a code of a nominal feature has the probability
(weight of its rows + 1) / (weight of the rows that have the feature + number of codes that any row
had); a code that no row had is ignored.
"""

from __future__ import annotations

import math

from tests.reference.cart import add_up


class Moments:
    """Weight of some rows; for each feature the weight of the rows that have it, mean and M2."""

    def __init__(self, n_features):
        self.n = 0.0
        self.known = [0.0] * n_features
        self.mean = [0.0] * n_features
        self.m2 = [0.0] * n_features

    def add(self, x, w):
        self.n += w
        for f, value in enumerate(x):
            if math.isnan(value):
                continue
            self.known[f] += w
            d = value - self.mean[f]
            self.mean[f] += d if w >= self.known[f] else d * w / self.known[f]
            self.m2[f] = max(0.0, self.m2[f] + w * d * (value - self.mean[f]))


class NaiveBayesReference:
    def __init__(self, n_features, n_classes=0, var_smoothing=1e-9, constant="match", nominal=()):
        self.n_features = n_features
        self.var_smoothing, self.constant = var_smoothing, constant
        self.by_class = [Moments(n_features) for _ in range(n_classes)]
        self.all = Moments(n_features)
        self.codes = {f: {} for f in nominal}  # feature -> code -> class -> weight

    def numbers(self, x):
        return [math.nan if f in self.codes else v for f, v in enumerate(x)]

    def learn_one(self, x, y, w=1.0):
        x, y, w = [float(v) for v in x], int(y), float(w)
        while len(self.by_class) <= y:
            self.by_class.append(Moments(self.n_features))
        if w > 0:
            self.by_class[y].add(self.numbers(x), w)
            self.all.add(self.numbers(x), w)
            for f, codes in self.codes.items():
                if not math.isnan(x[f]):
                    found = codes.setdefault(x[f], {})
                    found[y] = found.get(y, 0.0) + w

    def log_posterior(self, x):
        """Return the unnormalized log posterior; -inf for a class never seen."""
        if self.all.n == 0:
            return [-math.inf] * len(self.by_class)
        variances = [m2 / n for m2, n in zip(self.all.m2, self.all.known) if n > 0]
        eps = self.var_smoothing * max(variances, default=0.0)
        if eps == 0:
            eps = self.var_smoothing
        logs = []
        for label, c in enumerate(self.by_class):
            if c.n == 0:
                logs.append(-math.inf)
                continue
            total = 0.0
            for f, value in enumerate(self.numbers(x)):
                if math.isnan(value) or c.known[f] == 0:
                    continue
                var = c.m2[f] / c.known[f] + eps
                d = float(value) - c.mean[f]
                total += d * d / var
                if c.m2[f] > 0 or self.constant == "density":
                    total += math.log(2 * math.pi * var)
            logs.append(math.log(c.n / self.all.n) - 0.5 * total)
            for f, codes in self.codes.items():
                if x[f] in codes:
                    known = add_up(found.get(label, 0.0) for found in codes.values())
                    logs[-1] += math.log((codes[x[f]].get(label, 0.0) + 1) / (known + len(codes)))
        return logs

    def scores(self, x):
        return normalise(self.log_posterior(x))

    def predict_one(self, x):
        logs = self.log_posterior(x)
        return logs.index(max(logs))


def normalise(logs):
    """Return exp(log - logsumexp); all 0 if no class has a finite log."""
    top = max(logs, default=-math.inf)
    if top == -math.inf:
        return [0.0] * len(logs)
    shifted = [math.exp(v - top) for v in logs]
    total = add_up(shifted)
    return [v / total for v in shifted]
