"""RCD (Goncalves and Barros 2013): models with a sample of their concept, known by it again.

Randomness: at the first row the seed of the first model; a seed whenever a new model begins; for
every test of two samples one call of as many uniform numbers as permutations times rows.

Decisions:

* The detector takes the 0/1 errors of the current model, asked before it learns the row. In the
  warning zone a new model learns beside it; where the zone is left the new model is dropped.
* At a drift the new model (begun now, if there was no warning) alone learns the row. Its buffer is
  compared with all that are stored but the current one's, oldest first; the first that cannot be
  told apart is current from now on and learns none of the rows of the new model. If there is none
  the new model is stored. Where there is no room the oldest that is not current goes.
* Rows are in one buffer only, else they would be found again at once: those of the warning zone in
  the new one's, from which they go to the current one's when the zone is left.
* Every `check_every` rows, outside the zone, the newest half of the current buffer is compared with
  its other rows; if they are told apart, with the other buffers, oldest first. The first that is
  like it takes over, and the half is forgotten.
* Whoever takes over begins with a fresh detector.
* The test (Schilling 1986; Henze 1988) counts, in the pooled rows, the neighbours that come from
  the own sample. Features are divided by their standard deviation in the pooled rows. Ties of
  distances go to the row that comes first, stored ones before new ones. ``compare="labelled"``
  adds the number of features to the square of the distance of rows of different classes.
* A sample of fewer than `min_rows` or ``n_neighbors + 2`` rows is like no other, without a test.
"""

from __future__ import annotations

import math

import numpy as np

from tests.reference.detectors import DDMReference, EDDMReference
from tests.reference.online_bases import OnlineReference, first_max

DETECTORS = {"ddm": DDMReference, "eddm": EDDMReference}


class Pair:
    """A model and the newest rows that it learned."""

    def __init__(self, model, most):
        self.model, self.most, self.buffer, self.born = model, most, [], 1

    def keep(self, rows):
        self.buffer = [*self.buffer, *rows][-self.most :]


class RCDReference(OnlineReference):
    def __init__(
        self,
        make,
        n_estimators=15,
        detector="ddm",
        buffer_size=200,
        check_every=500,
        min_rows=30,
        n_neighbors=5,
        alpha=0.05,
        n_permutations=199,
        compare="labelled",
        random_state=0,
    ):
        super().__init__(random_state)
        self.make, self.n_estimators, self.buffer_size = make, n_estimators, buffer_size
        self.detector_name, self.detector = detector, DETECTORS[detector]()
        self.check_every, self.n_neighbors = check_every, n_neighbors
        self.least = max(min_rows, n_neighbors + 2)
        self.alpha, self.n_permutations, self.compare = alpha, n_permutations, compare
        self.stored, self.current, self.new = [], None, None
        self.n_drifts = self.n_returns = 0
        self.n_checked = self.n_dropped = 0

    def new_pair(self):
        return Pair(self.make(self.seed()), self.buffer_size)

    def learn(self, x, y, w, guess):
        if self.current is None:
            self.current = self.new_pair()
            self.stored.append(self.current)
        prediction = self.prediction(x)
        drift = warning = False
        if prediction is not None:
            drift = self.detector.update(prediction != y)
            warning = self.detector.warning_detected
        if (drift or warning) and self.new is None:
            self.new = self.new_pair()
        if drift:
            self.n_drifts += 1
            self.new.model.learn_one(x, y, w)
            self.new.keep([(x, y)])
            self.change()
            return
        if not warning and self.new is not None:
            self.current.keep(self.new.buffer)
            self.new = None
            self.n_dropped += 1
        self.current.model.learn_one(x, y, w)
        if self.new is None:
            self.current.keep([(x, y)])
        else:
            self.new.model.learn_one(x, y, w)
            self.new.keep([(x, y)])
        if self.check_every is not None and self.n_rows % self.check_every == 0:
            self.check()

    def check(self):
        half = self.buffer_size // 2
        older, recent = self.current.buffer[:-half], self.current.buffer[-half:]
        if self.new is not None or min(len(older), half) < self.least or self.match(older, recent):
            return
        found = self.first_like(recent, self.others())
        if found is not None:
            self.current.buffer = older
            self.n_checked += 1
            self.take_over(found)

    def prediction(self, x):
        proba = self.current.model.proba_one(x, self.classes)
        return self.classes[first_max(proba)] if max(proba) > 0 else None

    def change(self):
        found = self.first_like(self.new.buffer, self.others())
        if found is None:
            found = self.new
            found.born = self.n_rows
            self.stored.append(found)
            if len(self.stored) > self.n_estimators:
                del self.stored[0]  # never the current one, which is the last
            self.current = found
        self.take_over(found)

    def take_over(self, pair):
        self.n_returns += pair is not self.current
        self.current, self.new = pair, None
        self.detector = DETECTORS[self.detector_name]()

    def others(self):
        return [pair for pair in self.stored if pair is not self.current]

    def first_like(self, rows, pairs):
        for pair in pairs:
            if self.match(pair.buffer, rows):
                return pair
        return None

    def match(self, a, b):
        """Whether the test does not tell two samples apart."""
        if min(len(a), len(b)) < self.least:
            return False
        near = neighbours([*a, *b], self.n_neighbors, self.compare == "labelled")
        observed = together(near, range(len(a)))
        u = self.rng.random((self.n_permutations, len(near)))
        count = 0
        for numbers in u:
            sample = np.argsort(numbers, kind="stable")[: len(a)].tolist()
            count += together(near, sample) >= observed
        return (1 + count) / (1 + self.n_permutations) > self.alpha

    def score_one(self, x):
        if self.current is None:
            return [0.0] * len(self.classes)
        return self.current.model.proba_one(x, self.classes)

    def members(self):
        """(weight, error, born) of every model, as the table of the product has them."""
        table = []
        for pair in self.stored:
            current = pair is self.current
            watched = current and self.detector.width > 0
            error = self.detector.estimate if watched else math.nan
            table.append((float(current), error, pair.born))
        return table


def deviations(rows):
    """The standard deviation of every feature, sums made row by row; 1 where there is none."""
    sds = []
    for f in range(len(rows[0])):
        mean = square = 0.0
        for row in rows:
            mean += row[f]
        mean /= len(rows)
        for row in rows:
            square += (row[f] - mean) * (row[f] - mean)
        sd = math.sqrt(square / len(rows))
        sds.append(sd if sd > 1e-75 else 1.0)
    return sds


def neighbours(pooled, k, labelled):
    """For every row (x, y) the k others that are nearest."""
    rows, labels = [x.tolist() for x, _ in pooled], [y for _, y in pooled]
    sds = deviations(rows)
    scaled = [[value / sd for value, sd in zip(row, sds)] for row in rows]

    def square(i, j):
        total = 0.0
        for a, b in zip(scaled[i], scaled[j]):
            total += (a - b) * (a - b)
        return total + float(len(sds)) if labelled and labels[i] != labels[j] else total

    near = []
    for i in range(len(rows)):
        distances = sorted((square(i, j), j) for j in range(len(rows)) if j != i)
        near.append([j for _, j in distances[:k]])
    return near


def together(near, sample):
    """The number of pairs, of a row and a neighbour of it, of the same sample."""
    inside = set(sample)
    return sum((i in inside) == (j in inside) for i, js in enumerate(near) for j in js)
