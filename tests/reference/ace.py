"""ACE (Nishida, Yamauchi and Omori 2005): one online model and batch models of earlier chunks.

Randomness: the seed of the online model is drawn at the first row. Every batch member draws a seed
when it is trained, and an online model that replaces the old one after that draws its own.

Decisions:

* All models predict the row before it is learned: with ``vote="soft"`` the prediction is the most
  likely class, with "majority" the label. Each model's newest 2 W outcomes are stored; an untrained
  online model has none. A new online model inherits the outcomes of the model that it replaces.
* A is the share of correct predictions among the newest W outcomes (or fewer); 1/2 if there are
  none.
* Drift, tested after the outcomes of a row are stored: of the models with 2 W outcomes, take the
  one with the best accuracy in its older W (ties: the online model first, then the oldest member).
  There is a drift if its accuracy in its newer W is below the lower end of Wilson's interval around
  the older accuracy, and below the older accuracy itself. The second condition matters at 0, where
  the two differ in floating-point numbers.
* A member is trained on the buffer, which includes this row, if it has `chunk_size` rows, or if it
  has W rows and there is a drift. At a drift every model drops all but its newest W outcomes.
* If the ensemble is full, the member with the lowest A (ties: the oldest) is removed before the new
  member is added. The new member has no outcomes yet.
* ``restart``: the online model is replaced by a new one at a "drift" at which a member is trained,
  at the end of every "chunk", or "never".
"""

from __future__ import annotations

import math
from statistics import NormalDist

import numpy as np

from tests.reference.common import limit
from tests.reference.online_bases import OnlineReference, first_max, first_min


class Place:
    """A model and its outcomes: 1 for each correct prediction, 0 for each error."""

    def __init__(self, model, born, proba, label):
        self.model, self.born, self.proba, self.label = model, born, proba, label
        self.outcomes = []


class ACEReference(OnlineReference):
    def __init__(
        self,
        train,
        make,
        n_estimators=50,
        chunk_size=500,
        window_size=50,
        alpha=1e-4,
        power=5.0,
        restart="drift",
        vote="soft",
        random_state=0,
    ):
        super().__init__(random_state)
        self.train, self.make, self.n_estimators = train, make, limit(n_estimators)
        self.chunk_size, self.W, self.alpha, self.power = chunk_size, window_size, alpha, power
        self.restart, self.vote = restart, vote
        self.online, self.batch, self.buffer = None, [], []
        self.n_drifts = self.n_pruned = self.n_restarts = 0

    def places(self):
        return [self.online, *self.batch] if self.online else []

    def new_online(self):
        model = self.make(self.seed())
        return Place(model, self.n_rows, model.proba_one, model.predict_one)

    def new_member(self):
        X, y, w = (np.array(part) for part in zip(*self.buffer))
        model = self.train(X, y, w, self.seed())
        return Place(
            model,
            self.n_rows,
            lambda x, classes: model.proba(x.reshape(1, -1), classes)[0].tolist(),
            lambda x: np.asarray(model.predict(x.reshape(1, -1))).tolist()[0],
        )

    def learn(self, x, y, w, guess):
        if self.online is None:
            self.online = self.new_online()
        for place in self.places():
            prediction = self.prediction(place, x)
            if prediction is not None:
                place.outcomes = [*place.outcomes, int(prediction == y)][-2 * self.W :]
        self.online.model.learn_one(x, y, w)
        self.buffer.append((x, y, w))
        drift = self.drifts()
        if len(self.buffer) >= self.chunk_size or (drift and len(self.buffer) >= self.W):
            self.end_chunk(drift)

    def prediction(self, place, x):
        if self.vote == "majority":
            return place.label(x)
        proba = place.proba(x, self.classes)
        return self.classes[first_max(proba)] if max(proba) > 0 else None

    def drifts(self):
        full = [place.outcomes for place in self.places() if len(place.outcomes) == 2 * self.W]
        if not full:
            return False
        best = full[first_max([sum(outcomes[: self.W]) for outcomes in full])]
        older, newest = sum(best[: self.W]), sum(best[self.W :])
        return newest < older and newest / self.W < self.lower(older / self.W)

    def lower(self, p):
        """Return the lower end of Wilson's interval around a share `p` of W."""
        W, z = self.W, NormalDist().inv_cdf(1 - self.alpha / 2)
        zz = z * z
        middle = p + zz / (2 * W)
        return (middle - z * math.sqrt(p * (1 - p) / W + zz / (4 * W * W))) / (1 + zz / W)

    def end_chunk(self, drift):
        if len(self.batch) == self.n_estimators:
            del self.batch[first_min([self.accuracy(place) for place in self.batch])]
            self.n_pruned += 1
        self.batch.append(self.new_member())
        self.buffer = []
        if drift:
            self.n_drifts += 1
            for place in self.places():
                place.outcomes = place.outcomes[-self.W :]
        if self.restart == "chunk" or (self.restart == "drift" and drift):
            outcomes = self.online.outcomes
            self.online = self.new_online()
            self.online.outcomes = outcomes
            self.n_restarts += 1

    def accuracy(self, place):
        newest = place.outcomes[-self.W :]
        return sum(newest) / len(newest) if newest else 0.5

    def weight(self, place):
        return max(1.0 - self.accuracy(place), 1.0 / (2 * self.W)) ** -self.power

    def score_one(self, x):
        scores = [0.0] * len(self.classes)
        for place in self.places():
            if self.vote == "majority":
                prediction = place.label(x)
                votes = [float(c == prediction) for c in self.classes]
            else:
                votes = place.proba(x, self.classes)
            for c, vote in enumerate(votes):
                scores[c] += self.weight(place) * vote
        return scores

    def members(self):
        """Return (weight, error, step of creation) of every model, as the learner's table does."""
        return [
            (
                self.weight(place),
                1.0 - self.accuracy(place) if place.outcomes else math.nan,
                place.born,
            )
            for place in self.places()
        ]
