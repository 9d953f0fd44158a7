"""Winnow (Littlestone 1988; Blum 1997), one vector of weights a class.

An attribute is on where a feature is > 0; with `complements` the negations follow. A vector fires
if P / (theta + N) > 1, P the sum of its weights on (N: of its negative weights, balanced only). It
learns from its own mistakes: a promotion multiplies the weights on, a demotion divides them
(winnow2), makes them 0 (winnow1), or does both to the two kinds of weights (balanced).

Decisions:

* A class that comes late begins with the *stranger's* vector, for which every row so far was
  somebody else's: as if the class had been known from the start.
* Two classes: the second one's vector alone answers, against 1. More: the largest P / (theta + N);
  all are 0: the first class that has come.
* Balanced weights start at 2 and 1. Weights stay within 1e-75 and 1e75, but for winnow1's 0.
* Row weights count for nothing (but 0).
"""

from __future__ import annotations

import copy

from tests.reference.online_bases import OnlineReference

LEAST, MOST = 1e-75, 1e75


class Vector:
    def __init__(self, variant, n, theta, promotion):
        balanced = variant == "balanced"
        self.variant, self.theta, self.promotion = variant, theta, promotion
        self.plus = [2.0 if balanced else 1.0] * n
        self.minus = [1.0 if balanced else 0.0] * n

    def value(self, on):
        P = N = 0.0
        for a in on:
            P += self.plus[a]
            N += self.minus[a]
        return P / (self.theta + N)

    def learn(self, on, should):
        """Returns what was done, if anything."""
        if (self.value(on) > 1.0) == should:
            return None
        for a in on:
            if should:
                self.plus[a] = min(self.plus[a] * self.promotion, MOST)
            elif self.variant == "winnow1":
                self.plus[a] = 0.0
            else:
                self.plus[a] = max(self.plus[a] / self.promotion, LEAST)
            if self.variant == "balanced":
                if should:
                    self.minus[a] = max(self.minus[a] / self.promotion, LEAST)
                else:
                    self.minus[a] = min(self.minus[a] * self.promotion, MOST)
        return "promoted" if should else "demoted"


class WinnowReference(OnlineReference):
    def __init__(self, variant="winnow2", promotion=2.0, threshold=None, complements=True):
        super().__init__()
        self.variant, self.promotion = variant, promotion
        self.threshold, self.complements = threshold, complements
        self.stranger, self.vectors = None, {}
        self.happened = []

    def on(self, x):
        z = [value > 0 for value in x]
        if self.complements:
            z += [not value for value in z]
        return [a for a, is_on in enumerate(z) if is_on]

    def learn(self, x, y, w, guess):
        if self.stranger is None:
            n = len(x) * (2 if self.complements else 1)
            self.theta = n / 2 if self.threshold is None else self.threshold
            self.stranger = Vector(self.variant, n, self.theta, self.promotion)
        if y not in self.vectors:
            self.vectors[y] = copy.deepcopy(self.stranger)
        self.stranger.learn(self.on(x), False)
        for label, vector in self.vectors.items():
            self.happened.append(vector.learn(self.on(x), label == y))

    def weights(self):
        shown = [self.vectors.get(label, self.stranger) for label in self.classes]
        return [[p - m for p, m in zip(v.plus, v.minus)] for v in shown]

    def score_one(self, x):
        come = sorted(self.vectors)
        values = {label: self.vectors[label].value(self.on(x)) for label in come}
        if len(come) < 3 or not any(values.values()):
            values.update(dict.fromkeys(come[:1], 1.0))
        return [values.get(label, 0.0) for label in self.classes]
