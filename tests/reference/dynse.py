"""DYNSE (Almeida, Oliveira, Britto and Sabourin 2018): dynamic selection by accuracy near the row.

Decisions:

* Each chunk draws one seed. The window is the newest `n_window` chunks; all members are evaluated
  on all of it, also on rows that they were trained on.
* Accuracies are weighted and rounded to 12 decimals. ``prune="accuracy"`` removes the member with
  the lowest accuracy on the window, which may be the new one (ties: the oldest); "age" removes the
  oldest.
* Distance: the sum of squared differences of features divided by their range in the window
  (0 -> 1); categorical ones 0/1; no root is taken. On ties the newer row is nearer. With fewer rows
  than neighbors all rows are used.
* "knora-e" counts rows. If no member is correct at the nearest neighbor, all members vote.
* "knora-u" adds row weights from the nearest on; if no member was correct, all members vote with
  equal weights.
* "ola" and "lca" let all of the best members vote, with one vote each; sums and shares are rounded
  to 12 decimals. "lca" uses the neighbors of the class that a member predicts for the row; without
  such neighbors its value is 0.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from tests.reference.common import ChunkReference, limit, share, votes
from tests.reference.online_bases import first_min


class DYNSEReference(ChunkReference):
    def __init__(
        self,
        train,
        n_estimators=25,
        n_window=1,
        n_neighbors=9,
        selection="knora-e",
        slack=2,
        prune="age",
        vote="soft",
        categorical=None,
        random_state=0,
    ):
        super().__init__(train, random_state)
        self.n_estimators, self.n_window = limit(n_estimators), n_window
        self.n_neighbors, self.selection, self.slack = n_neighbors, selection, slack
        self.prune, self.vote, self.categorical = prune, vote, categorical
        self.members, self.births, self.window, self.weights = [], [], [], []

    def learn(self, X, y, w):
        self.members.append(self.train(X, y, w, self.seed()))
        self.births.append(self.step)
        self.window = [*self.window, (X, y, w)][-self.n_window :]
        self.X = np.concatenate([chunk[0] for chunk in self.window])
        self.y = [label for chunk in self.window for label in chunk[1].tolist()]
        self.w = [float(weight) for chunk in self.window for weight in chunk[2]]
        self.range = [float(np.max(column) - np.min(column)) for column in self.X.T]
        self.range = [r if r > 1e-75 else 1.0 for r in self.range]
        self.correct = [
            [
                predicted == label
                for predicted, label in zip(np.asarray(h.predict(self.X)).tolist(), self.y)
            ]
            for h in self.members
        ]
        wrong = [[not right for right in row] for row in self.correct]
        self.weights = [1.0 - round(share(self.w, row), 12) for row in wrong]
        if len(self.members) > self.n_estimators:
            out = 0 if self.prune == "age" else first_min(self.weights)
            for numbers in (self.members, self.births, self.correct, self.weights):
                del numbers[out]

    def distance(self, a, b):
        total = 0.0
        for f, width in enumerate(self.range):
            if self.categorical is None or not self.categorical[f]:
                d = a[f] / width - b[f] / width
                total += d * d
        for f in range(len(a)):
            if self.categorical is not None and self.categorical[f]:
                total += float(a[f] != b[f])
        return total

    def neighbours(self, x):
        """Return the positions of the nearest rows, the nearest first."""
        distances = [self.distance(x, row) for row in self.X]
        return sorted(range(len(self.X)), key=lambda i: (distances[i], -i))[: self.n_neighbors]

    def vote_weights(self, x, labels):
        """Return the weight of every member's vote; `labels` are the members' predictions for x."""
        near = self.neighbours(x)
        members = range(len(self.members))
        if self.selection == "knora-e":
            for n in range(len(near), 0, -1):
                wrong = [sum(not self.correct[i][r] for r in near[:n]) for i in members]
                if min(wrong) <= self.slack:
                    return [float(number <= self.slack) for number in wrong]
            return [1.0] * len(members)
        if self.selection == "lca":
            worth = [
                self.right(i, [r for r in near if self.y[r] == labels[i]], True) for i in members
            ]
        else:
            worth = [self.right(i, near) for i in members]
        if self.selection == "knora-u":
            return worth if max(worth) > 0 else [1.0] * len(members)
        worth = [round(value, 12) for value in worth]
        return [float(value == max(worth)) for value in worth]

    def right(self, i, near, relative=False):
        """Return the weight, or its share, of those of these rows on which a member is correct."""
        good = everything = 0.0
        for r in near:
            everything += self.w[r]
            good += self.w[r] if self.correct[i][r] else 0.0
        if relative:
            return good / everything if near else 0.0
        return good

    def scores(self, X):
        X = np.asarray(X, dtype=float)
        predicted = [np.asarray(h.predict(X)).tolist() for h in self.members]
        table = np.zeros((len(X), len(self.classes)))
        for row, x in enumerate(X):
            labels = [given[row] for given in predicted]
            for h, vote_weight in zip(self.members, self.vote_weights(x, labels)):
                given = h.proba if self.vote == "soft" else partial(votes, h)
                table[row] += vote_weight * given(X[row : row + 1], self.classes)[0]
        return table
