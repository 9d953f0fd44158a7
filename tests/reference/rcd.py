"""RCD (Goncalves and Barros 2013): a pool of models with samples to recognize their concepts.

Randomness: the seed of the first model is drawn at the first row, and a seed whenever a new model
is created. Every test of two samples makes one call for as many uniform numbers as permutations
times rows.

Decisions:

* The detector is updated with the 0/1 errors of the current model, which predicts a row before it
  learns it. In the warning zone a new model is trained in parallel; when the detector leaves the
  zone, the new model is dropped.
* At a drift only the new model (created now, if there was no warning) learns the row. Its buffer is
  compared with those of all stored models but the current one, oldest first. The first model whose
  buffer does not differ significantly becomes the current one; it learns none of the new model's
  rows. If there is none, the new model is stored. If the pool is full, the oldest model that is not
  current is removed.
* Every row is in one buffer only, because a row in two buffers would make them similar at once.
  Rows of the warning zone are in the new model's buffer; when the zone is left, they move to the
  current model's buffer.
* Every `check_every` rows, outside the zone, the newest half of the current buffer is compared with
  its other rows. If they differ significantly, the newest half is compared with the other buffers,
  oldest first. The first model whose buffer does not differ becomes the current one, and the newest
  half is dropped.
* A model that becomes current starts with a new detector.
* The test (Schilling 1986; Henze 1988) counts, in the pooled rows, the neighbors that are from the
  same sample. Features are divided by their standard deviation in the pooled rows. On ties of
  distances the row that comes first is nearer, stored rows before new ones.
  ``compare="labelled"`` adds the number of features to the squared distance of rows of different
  classes.
* A sample of fewer than `min_rows` or ``n_neighbors + 2`` rows matches no other, without a test.
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
        """Return whether the test finds no significant difference between two samples."""
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
        """Return (weight, error, step of creation) of every model, as the learner's table does."""
        table = []
        for pair in self.stored:
            current = pair is self.current
            watched = current and self.detector.width > 0
            error = self.detector.estimate if watched else math.nan
            table.append((float(current), error, pair.born))
        return table


def deviations(rows):
    """Return the standard deviation of every feature, summed row by row; 1 if it is 0."""
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
    """Return the k nearest other rows of every row (x, y)."""
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
    """Return the number of pairs, of a row and its neighbor, from the same sample."""
    inside = set(sample)
    return sum((i in inside) == (j in inside) for i, js in enumerate(near) for j in js)
