"""Leveraging bagging (Bifet, Holmes & Pfahringer 2010): ADWIN bagging with more chance in it.

Decisions:

* `draws` is how often a member learns a row. "leveraging": Poisson(`rate`). "me": once if it is
  wrong about the row before it learns it, or has no answer; else with probability e / (1 - e), e
  the estimate of its detector before the row. "half": once with probability 1/2. "wt": 1 +
  Poisson(1). "subag": once if Poisson(1) is more than 0.
* `codes`: members tell two sides apart. A member gives a side to a class when it first learns a row
  of it, half of the classes each: of two that come one after the other the first is told by a
  uniform number of the member's seed, the second has the other side. All that a member thinks
  likely of a side goes to each of its classes. It is wrong about a class that has no side.
* The rest, also the random numbers, is ADWIN bagging's.
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
        """The side."""
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
