"""Adaptive random forest and streaming random patches (Gomes et al. 2017; Gomes, Read, Bifet 2019).

Randomness: at the first row M seeds are drawn, in index order. For every row, M uniform numbers are
drawn at once; the j-th determines the Poisson(rate) count with which member j and its background
model learn the row. The seed of a background model created in a row is that number times 2^31 - 1,
rounded down.

Decisions:

* Each member in turn predicts the row and then learns it; its 0/1 error, not weighted, updates both
  detectors. An untrained member is not tested. A detector fires if it cuts its window and its
  estimate after the row is higher than before it.
* A warning creates a background model, which replaces an earlier one, and a new warning detector.
  The background model learns the row. At a drift it replaces the member, with new detectors and
  counts; if there is no background model, one is created that learns this row.
* A vote weighs (1 + correct) / (1 + tested), counted since the member was added.
* ``vote="soft"`` adds probabilities, and a member is correct if its most likely class is;
  "majority" counts labels.
* Patches: each model uses its own columns, those with the smallest uniform numbers of its seed.
"""

from __future__ import annotations

import numpy as np

from tests.reference.adwin import AdwinReference
from tests.reference.common import seed_of
from tests.reference.hoeffding import smallest
from tests.reference.online_bases import OnlineReference, first_max, poisson


class Tree:
    """A member with its background model, detectors and counts."""

    def __init__(self, model, warning_delta, drift_delta):
        self.model, self.background = model, None
        self.warning, self.drift = AdwinReference(warning_delta), AdwinReference(drift_delta)
        self.right = self.seen = 0
        self.born = 1

    def weight(self):
        return (1 + self.right) / (1 + self.seen)


def rises(detector, error):
    before = detector.estimate
    return detector.update(error) and detector.estimate > before


class AdaptiveRandomForestReference(OnlineReference):
    def __init__(
        self,
        make,
        n_estimators=10,
        rate=6.0,
        warning_delta=0.01,
        drift_delta=0.001,
        vote="soft",
        random_state=0,
    ):
        super().__init__(random_state)
        self.make, self.n_estimators, self.rate, self.vote = make, n_estimators, rate, vote
        self.deltas = warning_delta, drift_delta
        self.members = []
        self.n_warnings = self.n_drifts = 0

    def new_seed(self, u):
        return self.seed() if u is None else seed_of(u)

    def new_model(self, d, u=None):
        return self.make(self.new_seed(u))

    def learn(self, x, y, w, guess):
        if not self.members:
            models = [self.new_model(len(x)) for _ in range(self.n_estimators)]
            self.members = [Tree(model, *self.deltas) for model in models]
        u = self.rng.random(len(self.members))
        for j, tree in enumerate(self.members):
            k = poisson(u[j], self.rate)
            prediction = self.prediction(tree.model, x)
            if k > 0:
                tree.model.learn_one(x, y, k * w)
            warned = drifted = False
            if prediction is not None:
                tree.seen += 1
                tree.right += prediction == y
                warned = rises(tree.warning, prediction != y)
                drifted = rises(tree.drift, prediction != y)
            if warned:
                tree.background = self.new_model(len(x), u[j])
                tree.warning = AdwinReference(self.deltas[0])
                self.n_warnings += 1
            if drifted and tree.background is None:
                tree.background = self.new_model(len(x), u[j])
            if tree.background is not None and k > 0:
                tree.background.learn_one(x, y, k * w)
            if drifted:
                self.members[j] = Tree(tree.background, *self.deltas)
                self.members[j].born = self.n_rows
                self.n_drifts += 1

    def prediction(self, model, x):
        if self.vote == "majority":
            return model.predict_one(x)
        proba = model.proba_one(x, self.classes)
        return self.classes[first_max(proba)] if max(proba) > 0 else None

    def score_one(self, x):
        scores = [0.0] * len(self.classes)
        for tree in self.members:
            if self.vote == "majority":
                prediction = tree.model.predict_one(x)
                votes = [float(c == prediction) for c in self.classes]
            else:
                votes = tree.model.proba_one(x, self.classes)
            for c, vote in enumerate(votes):
                scores[c] += tree.weight() * vote
        return scores


class Patch:
    """A model that uses a subset of the columns."""

    def __init__(self, model, columns):
        self.model, self.columns = model, columns

    def learn_one(self, x, y, w):
        self.model.learn_one(x[self.columns], y, w)

    def predict_one(self, x):
        return self.model.predict_one(x[self.columns])

    def proba_one(self, x, classes):
        return self.model.proba_one(x[self.columns], classes)


class StreamingRandomPatchesReference(AdaptiveRandomForestReference):
    def __init__(self, make, n_estimators=10, subspace=0.6, **more):
        super().__init__(make, n_estimators, **more)
        self.subspace = subspace

    def new_model(self, d, u=None):
        seed = self.new_seed(u)
        return Patch(
            self.make(seed), smallest(self.subspace, np.random.default_rng(seed).random(d))
        )
