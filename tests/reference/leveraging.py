"""Leveraging bagging (Bifet, Holmes & Pfahringer 2010): ADWIN bagging with more randomization.

Decisions:

* `draws` determines how often a member learns a row. "leveraging": Poisson(`rate`). "me": once if
  the member's prediction, made before it learns the row, is wrong or missing; else with probability
  e / (1 - e), e the estimate of its detector before the row. "half": once with probability 1/2.
  "wt": 1 + Poisson(1). "subag": once if Poisson(1) is more than 0.
* `codes`: members are binary models. A member assigns a side to a class when it first learns a row
  of it, half of the classes to each side: of two successive classes, the side of the first is
  determined by a uniform number of the member's seed, the second gets the other side. Each class of
  a side receives the whole probability of this side. A class without a side counts as an error.
* The rest, including the random numbers, is as in ADWIN bagging.
"""

from __future__ import annotations

import numpy as np

from tests.reference.adwin_bagging import ADWINBaggingReference
from tests.reference.common import seed_of
from tests.reference.online_bases import poisson


class CodedModel:
    """A binary model of two sets of classes."""

    def __init__(self, model, seed):
        self.model, self.seed, self.side = model, seed, {}

    def learn_one(self, x, y, w):
        if y not in self.side:
            pair, second = divmod(len(self.side), 2)
            bit = int(np.random.default_rng(self.seed).random(pair + 1)[pair] < 0.5)
            self.side[y] = 1 - bit if second else bit
        self.model.learn_one(x, self.side[y], w)

    def predict_one(self, x):
        """Return the predicted side."""
        return self.model.predict_one(x)

    def proba_one(self, x, classes):
        sides = self.model.proba_one(x, (0, 1))
        return [sides[self.side[c]] if c in self.side else 0.0 for c in classes]


class LeveragingBaggingReference(ADWINBaggingReference):
    def __init__(
        self,
        make,
        n_estimators=10,
        rate=6.0,
        draws="leveraging",
        codes=False,
        delta=0.002,
        replace="worst",
        vote="soft",
        error="before",
        random_state=0,
    ):
        super().__init__(make, n_estimators, delta, replace, vote, error, random_state)
        self.rate, self.draws, self.codes = rate, draws, codes

    def times(self, u, wrong, estimate):
        match self.draws:
            case "leveraging":
                return poisson(u, self.rate)
            case "me":
                return int(wrong or u * (1 - estimate) < estimate)
            case "half":
                return int(u < 0.5)
            case "wt":
                return 1 + poisson(u, 1.0)
            case "subag":
                return int(poisson(u, 1.0) > 0)

    def fresh(self, u=None):
        seed = self.seed() if u is None else seed_of(u)
        return CodedModel(self.make(seed), seed) if self.codes else self.make(seed)

    def wrong(self, f, x, y):
        if not self.codes:
            return super().wrong(f, x, y)
        prediction = f.predict_one(x)
        return prediction is None or f.side.get(y) != prediction

    def ballot(self, f, x):
        if not self.codes or self.vote == "soft":
            return super().ballot(f, x)
        prediction = f.predict_one(x)
        return [float(c in f.side and f.side[c] == prediction) for c in self.classes]
