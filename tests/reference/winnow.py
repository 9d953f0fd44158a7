"""Winnow (Littlestone 1988; Blum 1997), one weight vector for each class.

An attribute is on if a feature is > 0; with `complements` the negations follow. A vector fires
if P / (theta + N) > 1, P the sum of its weights that are on (N: of its negative weights, balanced
only). It learns from its own errors: a promotion multiplies the weights that are on, a demotion
divides them (winnow2), sets them to 0 (winnow1), or does both to the two kinds of weights
(balanced).

Decisions:

* A class that occurs late starts with the vector of an *unseen class*, for which every row so far
  was negative: as if the class had been known from the start.
* Two classes: only the second one's vector determines the prediction, against 1. More classes: the
  largest P / (theta + N); if all are 0, the first class that occurred.
* Balanced weights start at 2 and 1. Weights stay within 1e-75 and 1e75, except winnow1's 0.
* Row weights have no effect, except that rows of weight 0 are absent.
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
        """Learn a row; return the kind of update, None if there was none."""
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
        self.unseen, self.vectors = None, {}
        self.happened = []

    def on(self, x):
        z = [value > 0 for value in x]
        if self.complements:
            z += [not value for value in z]
        return [a for a, is_on in enumerate(z) if is_on]

    def learn(self, x, y, w, guess):
        if self.unseen is None:
            n = len(x) * (2 if self.complements else 1)
            self.theta = n / 2 if self.threshold is None else self.threshold
            self.unseen = Vector(self.variant, n, self.theta, self.promotion)
        if y not in self.vectors:
            self.vectors[y] = copy.deepcopy(self.unseen)
        self.unseen.learn(self.on(x), False)
        for label, vector in self.vectors.items():
            self.happened.append(vector.learn(self.on(x), label == y))

    def weights(self):
        shown = [self.vectors.get(label, self.unseen) for label in self.classes]
        return [[p - m for p, m in zip(v.plus, v.minus)] for v in shown]

    def score_one(self, x):
        come = sorted(self.vectors)
        values = {label: self.vectors[label].value(self.on(x)) for label in come}
        if len(come) < 3 or not any(values.values()):
            values.update(dict.fromkeys(come[:1], 1.0))
        return [values.get(label, 0.0) for label in self.classes]
