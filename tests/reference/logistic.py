"""Multinomial logistic regression, trained a row at a time at several learning rates in parallel.

Let z be the row in standard units and p the predicted probabilities of the classes seen. Rate r
changes the weights of class c, which are 0 before the first row, by ::

    r w / (1 + r w (1 + |z|^2) / 4) * ([c = y] - p_c) * (1, z)

The prediction is the mean of the predictions at the rates, weighted by exp(-m), where m is the
weight of the errors at that rate; at each row m is first reduced by 1/500.

Decisions: y is a class code, the model grows up to the largest code seen; a row of weight 0 is
ignored; a class counts as seen from its first row on, and this row is already learned with it among
the classes; an error is a row whose class does not have the strictly largest probability, so a tie
is an error; means and variances are updated with a row after the weights, so that the first row is
all 0. A feature that does not vary, or is missing (nan), is 0; a missing value does not count for
the mean. Standard units are clipped to a million. Before the first row every score is 0.

A nominal feature is represented by 64 columns in its place; the column at its code modulo 64 is 1
and the others are 0. If the feature is missing, all of them are missing.
"""

from __future__ import annotations

import math

from tests.reference.cart import add_up
from tests.reference.naive_bayes import Moments, normalise

RATES = (0.003, 0.01, 0.03, 0.1, 0.3)


class LogisticReference:
    def __init__(self, n_features, n_classes=0, rates=RATES, nominal=()):
        self.rates = list(rates)
        self.nominal = nominal
        self.moments = Moments(n_features + 63 * len(nominal))
        self.seen = [False] * n_classes
        self.weights = [{} for _ in self.rates]  # by class: intercept, then coefficients
        self.mistakes = [0.0] * len(self.rates)

    def columns(self, x):
        found = []
        for f, value in enumerate(map(float, x)):
            if f not in self.nominal:
                found.append(value)
            elif math.isnan(value):
                found += [math.nan] * 64
            else:
                found += [float(k == value % 64) for k in range(64)]
        return found

    def standard(self, x):
        z = []
        for f, value in enumerate(x):
            m2, n = self.moments.m2[f], self.moments.known[f]
            if math.isnan(value) or n == 0 or m2 / n == 0:
                z.append(0.0)
            else:
                scaled = (value - self.moments.mean[f]) / math.sqrt(m2 / n)
                z.append(min(max(scaled, -1e6), 1e6))
        return z

    def shares(self, k, z):
        """Return the class probabilities at rate k; 0 for a class not seen."""
        logs = []
        for c, seen in enumerate(self.seen):
            weights = self.weights[k].get(c, [0.0] * (1 + len(z)))
            terms = [v * u for v, u in zip(weights, [1.0, *z])]
            logs.append(add_up(terms) if seen else -math.inf)
        return normalise(logs)

    def learn_one(self, x, y, w=1.0):
        x, y, w = self.columns(x), int(y), float(w)
        self.seen += [False] * (y + 1 - len(self.seen))
        if w == 0:
            return
        self.seen[y] = True
        z = self.standard(x)
        square = 1.0 + add_up(u * u for u in z)
        for k, rate in enumerate(self.rates):
            p = self.shares(k, z)
            mistake = any(p[c] >= p[y] for c in range(len(p)) if self.seen[c] and c != y)
            self.mistakes[k] = self.mistakes[k] * (1 - 1 / 500) + (w if mistake else 0.0)
            length = rate * w / (1 + rate * w * square / 4)
            for c in range(len(p)):
                if self.seen[c]:
                    old = self.weights[k].get(c, [0.0] * (1 + len(z)))
                    go = length * ((c == y) - p[c])
                    self.weights[k][c] = [v + go * u for v, u in zip(old, [1.0, *z])]
        self.moments.add(x, w)

    def scores(self, x):
        z = self.standard(self.columns(x))
        fewest = min(self.mistakes)
        rate_weights = [math.exp(fewest - m) for m in self.mistakes]
        predictions = [self.shares(k, z) for k in range(len(self.rates))]
        total = add_up(rate_weights)
        return [
            add_up(t * prediction[c] for t, prediction in zip(rate_weights, predictions)) / total
            for c in range(len(self.seen))
        ]

    def predict_one(self, x):
        scores = self.scores(x)
        return scores.index(max(scores))
