"""Dynamic weighted majority, the original and the windowed version of S3 (spec 23).

Rows are numbered from 1. The first row creates one expert of weight 1, which learns it. Every later
row:

* original: on every `period`-th row, each expert that is wrong has its weight multiplied by beta;
  global vote with these weights; on every `period`-th row: divide by the largest weight, drop
  experts of weight < theta, and if the vote was wrong create an expert of weight 1 (the lightest is
  removed first if the ensemble is full); all experts, including the new one, learn the row.
* windowed: the row joins the window; on every row, each expert that is wrong has its weight
  multiplied by beta; global vote with these weights, before any expert is dropped; on every
  `period`-th row: drop experts of weight < theta, and if the vote was wrong create an expert of
  weight 1 (the lightest is removed first if the ensemble is full) that learns the window, row by
  row in order; the older experts learn the row if `online_update`; divide by the largest weight,
  with a minimum of 1e-12.

Decisions: the new expert of the windowed version learns the row as a part of the window and does
not learn it again. If all weights are < theta, the heaviest expert is kept. Lightest, heaviest: the
oldest on ties. Row weights are passed to the experts only. n_estimators None: no limit. A seed is
drawn for every expert. Scores are sums of weights, or with ``vote="soft"`` of probabilities times
weights. An expert is wrong if its label is, and the global vote that may create a new expert
counts labels, whatever `vote` is.
"""

from __future__ import annotations

from tests.reference.common import limit
from tests.reference.online_bases import OnlineReference, first_max, first_min


class DWMReference(OnlineReference):
    def __init__(
        self,
        make,
        n_estimators=50,
        beta=0.5,
        theta=0.01,
        period=50,
        variant="original",
        window_size=200,
        online_update=True,
        vote="majority",
        random_state=0,
    ):
        super().__init__(random_state)
        self.make, self.n_estimators, self.beta, self.theta = make, n_estimators, beta, theta
        self.period, self.variant = period, variant
        self.window_size, self.online_update = window_size, online_update
        self.vote = vote
        self.experts, self.weights, self.window = [], [], []

    def learn(self, x, y, w, guess):
        self.window = [*self.window, (x, y, w)][-self.window_size :]
        if not self.experts:
            self._add()
            self.experts[0].learn_one(x, y, w)
        elif self.variant == "original":
            self._original(x, y, w)
        else:
            self._windowed(x, y, w)

    def _original(self, x, y, w):
        due = self.n_rows % self.period == 0
        if due:
            self._penalise(x, y)
        wrong = self._vote(x) != y
        if due:
            self._scale()
            self._drop()
            if wrong:
                self._add()
        for f in self.experts:
            f.learn_one(x, y, w)

    def _windowed(self, x, y, w):
        self._penalise(x, y)
        wrong = self._vote(x) != y
        older = self.experts
        if self.n_rows % self.period == 0:
            self._drop()
            older = list(self.experts)
            if wrong:
                self._add()
                older = [f for f in older if f in self.experts]
                for row in self.window:
                    self.experts[-1].learn_one(*row)
        if self.online_update:
            for f in older:
                f.learn_one(x, y, w)
        self._scale()
        self.weights = [max(weight, 1e-12) for weight in self.weights]

    def _penalise(self, x, y):
        for j, f in enumerate(self.experts):
            if f.predict_one(x) != y:
                self.weights[j] *= self.beta

    def _vote(self, x):
        return self.classes[first_max(self._labels(x))]

    def _scale(self):
        largest = max(self.weights)
        self.weights = [weight / largest for weight in self.weights]

    def _drop(self):
        keep = [j for j, weight in enumerate(self.weights) if weight >= self.theta]
        keep = keep or [first_max(self.weights)]
        self.experts = [self.experts[j] for j in keep]
        self.weights = [self.weights[j] for j in keep]

    def _add(self):
        if len(self.experts) == limit(self.n_estimators):
            lightest = first_min(self.weights)
            del self.experts[lightest], self.weights[lightest]
        self.experts.append(self.make(self.seed()))
        self.weights.append(1.0)

    def _labels(self, x):
        scores = [0.0] * len(self.classes)
        for f, weight in zip(self.experts, self.weights):
            scores[self.classes.index(f.predict_one(x))] += weight
        return scores

    def score_one(self, x):
        if self.vote == "majority":
            return self._labels(x)
        scores = [0.0] * len(self.classes)
        for f, weight in zip(self.experts, self.weights):
            for j, p in enumerate(f.proba_one(x, self.classes)):
                scores[j] += p * weight
        return scores
