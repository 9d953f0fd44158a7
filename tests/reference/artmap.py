"""Fuzzy ARTMAP (spec 24), one row at a time.

Decisions:

* a = clip((x - low) / (high - low), 0, 1), where low and high are the given `bounds` (numbers, or
  one number for each feature) or else the minimum and maximum of the first data set; a feature with
  high = low is divided by 1. Then I = (a_1..a_d, 1-a_1..1-a_d). The bounds are those of all rows of
  the first call.
* |.| is summed from the first to the last coordinate. The match is |I ^ w| / d.
* Categories are tried in order of decreasing T, the lowest index first on ties; T does not change
  while a row is presented. Match tracking raises rho for the rest of this row only.
* w = beta * (I ^ w) + (1 - beta) * w.
* Each epoch presents the rows in the order ``rng.permutation(n)``, or in the given order
  (shuffle=False; no number is drawn). The learner has one generator. There are no row weights.
* Prediction: the label of the first category with the largest T. Scores are one-hot rows of this
  label plus smoothing / K, normalized (two classes may share the largest T, so T itself would not
  always agree with the label).
* `max_categories` (None: no limit): presentations are numbered 1, 2, ... over all epochs and calls.
  A category learned a presentation if the row was added to it, even if its weights did not change
  (the row was inside its box). A category that was only tried, or that raised rho by match
  tracking, did not learn it. The category that learned least recently is replaced. It may be of any
  class, including that of the row, and it takes part in match tracking before it is replaced.
* The new category takes the index of the replaced one: its weights are the code, its label is the
  row's, its last presentation is this one. A class that lost all its categories keeps its column of
  scores.
"""

from __future__ import annotations

import numpy as np


class ArtmapReference:
    def __init__(
        self,
        alpha=1e-3,
        beta=1.0,
        rho=0.75,
        match_eps=1e-3,
        bounds=None,
        epochs=1,
        shuffle=True,
        max_categories=None,
        smoothing=0.0,
        random_state=0,
    ):
        self.alpha, self.beta, self.rho, self.match_eps = alpha, beta, rho, match_eps
        self.bounds, self.epochs, self.shuffle = bounds, epochs, shuffle
        self.rng = np.random.default_rng(random_state)
        self.max_categories, self.smoothing = max_categories, smoothing
        self.weights, self.labels, self.classes = [], [], []
        self.learned, self.n_presented = {}, 0  # category -> the last presentation that it learned

    def partial_fit(self, X, y):
        X, y = np.asarray(X, dtype=float), np.asarray(y).tolist()
        if not y:
            return self
        if self.bounds is None:
            self.bounds = (X.min(axis=0), X.max(axis=0))
        self.classes = sorted({*self.classes, *y})
        for _ in range(self.epochs):
            order = self.rng.permutation(len(y)) if self.shuffle else range(len(y))
            for i in order:
                self.learn_one(self.code(X[i]), y[i])
        return self

    def code(self, x):
        """Return the complement code of a row."""
        low, high = (np.broadcast_to(np.asarray(b, dtype=float), len(x)) for b in self.bounds)
        a = []
        for value, lo, hi in zip(x, low, high):
            span = float(hi - lo) or 1.0
            a.append(min(max(float(value - lo) / span, 0.0), 1.0))
        return a + [1 - value for value in a]

    def choice(self, code):
        """Return T_j of every category."""
        return [sum(meet(code, w)) / (self.alpha + sum(w)) for w in self.weights]

    def learn_one(self, code, label):
        self.n_presented += 1
        d, rho = len(code) // 2, self.rho
        T = self.choice(code)
        for j in sorted(range(len(T)), key=lambda j: (-T[j], j)):
            match = sum(meet(code, self.weights[j])) / d
            if match < rho:
                continue
            if self.labels[j] == label:
                old = self.weights[j]
                both = zip(meet(code, old), old)
                self.weights[j] = [self.beta * a + (1 - self.beta) * b for a, b in both]
                self.learned[j] = self.n_presented
                return
            rho = match + self.match_eps
        j = len(self.weights)
        if j == self.max_categories:
            j = min(self.learned, key=self.learned.get)
        self.weights[j : j + 1] = [list(code)]
        self.labels[j : j + 1] = [label]
        self.learned[j] = self.n_presented

    def predict(self, X):
        labels = []
        for x in np.asarray(X, dtype=float):
            T = self.choice(self.code(x))
            labels.append(self.labels[T.index(max(T))])
        return np.array(labels)

    def scores(self, X):
        labels = self.predict(X).tolist()
        share = self.smoothing / len(self.classes)
        table = [[float(label == c) + share for c in self.classes] for label in labels]
        return np.array([[value / sum(row) for value in row] for row in table])


def meet(a, b):
    """Return the fuzzy AND of two codes."""
    return [min(p, q) for p, q in zip(a, b)]
