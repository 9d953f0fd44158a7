"""Weighted majority (Littlestone and Warmuth 1994): a fixed pool of experts trained online.

Each row: the experts predict; those that are wrong have their weights multiplied by beta (wml: only
if the weight is more than floor / M of the total before); all weights are divided by the largest
and kept >= 1e-75; all experts learn the row with its weight.

Decisions: seeds for all experts are drawn before the first row, in order. An untrained expert does
not vote and keeps its weight. wmr: after each row a uniform number is drawn; until the next row all
predictions are those of the expert whose share of the weights contains this number, counted in
order. vote="soft" adds probabilities times weights; "majority" (the paper) adds weights of labels.
"""

from __future__ import annotations

from tests.reference.online_bases import OnlineReference


class WeightedMajorityReference(OnlineReference):
    """Weighted majority; `makers` are functions of a seed, one for each expert."""

    def __init__(self, makers, variant="wm", beta=0.5, floor=0.01, vote="soft", random_state=0):
        super().__init__(random_state)
        self.vote = vote
        self.makers, self.variant, self.beta, self.floor = makers, variant, beta, floor
        self.experts, self.weights = [], [1.0] * len(makers)
        self.come = set()
        self.u = None
        self.n_spared = 0

    def learn(self, x, y, w, guess):
        self.come.add(y)
        self.experts = self.experts or [make(self.seed()) for make in self.makers]
        total = 0.0
        for weight in self.weights:
            total += weight
        least = self.floor / len(self.experts) * total if self.variant == "wml" else 0.0
        for j, f in enumerate(self.experts):
            prediction = f.predict_one(x)
            if prediction is not None and prediction != y:
                if self.weights[j] > least:
                    self.weights[j] *= self.beta
                else:
                    self.n_spared += 1
        largest = max(self.weights)
        self.weights = [max(weight / largest, 1e-75) for weight in self.weights]
        for f in self.experts:
            f.learn_one(x, y, w)
        if self.variant == "wmr":
            self.u = self.rng.random()

    def score_one(self, x):
        votes = [(f.predict_one(x), weight) for f, weight in zip(self.experts, self.weights)]
        votes = [(prediction, weight) for prediction, weight in votes if prediction is not None]
        scores = dict.fromkeys(self.classes, 0.0)
        if not votes:
            scores.update(dict.fromkeys(sorted(self.come)[:1], 1.0))
        elif self.variant == "wmr":
            scores[self.followed(votes)] = 1.0
        else:
            for prediction, weight in votes if self.vote == "majority" else ():
                scores[prediction] += weight
            for f, weight in zip(self.experts, self.weights) if self.vote == "soft" else ():
                for label, p in zip(self.classes, f.proba_one(x, self.classes)):
                    scores[label] += p * weight
        return [scores[label] for label in self.classes]

    def followed(self, votes):
        total = 0.0
        for _, weight in votes:
            total += weight
        running = 0.0
        for prediction, weight in votes:
            running += weight
            if running > self.u * total:
                return prediction
        return votes[-1][0]
