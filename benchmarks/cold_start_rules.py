"""Alternative rules and pools, which `cold_start.py` compares with those of the library."""

from math import log

import numpy as np

from driftlearn.ops.keyed.model_weights import GLOBAL, OWN
from driftlearn.ops.keyed.shared_models import SharedModels

FADE, ROWS, GUESS = 0.97, 5, 0.5
PRIOR = {GLOBAL: 0.7, OWN: 0.65}  # initial scores, which count as five rows; 0.6 for others


class Scored:
    """Models weighted by their recent accuracy, shrunk towards a prior in favor of the global one.

    ``how`` is "leader": the model with the highest score predicts; "AWE": a vote, weighted by the
    score minus 1/2; "NSE": a vote, weighted by the logarithm of score / (1 - score).
    """

    def __init__(self, how):
        self.how, self.right, self.tested = how, {}, {}

    def vote(self, predictions, own, truth):
        names = [*predictions.names, OWN]
        self.right = {name: self.right.get(name, 0.0) for name in names}
        self.tested = {name: self.tested.get(name, 0.0) for name in names}
        outcomes = []
        for i, labels in enumerate(zip(*predictions.labels.tolist(), own)):
            votes, most = {}, -1.0
            for name, label in zip(names, labels):
                if label is None:
                    continue
                prior = PRIOR.get(name, 0.6)
                score = (self.right[name] + ROWS * prior) / (self.tested[name] + ROWS)
                if self.how == "leader":
                    if score > most:
                        votes, most = {label: 1.0}, score
                elif self.how == "AWE":
                    votes[label] = votes.get(label, 0.0) + max(score - GUESS, 1e-9)
                else:
                    score = min(max(score, 0.5), 0.99)
                    votes[label] = votes.get(label, 0.0) + log(score / (1 - score)) + 1e-9
            outcomes.append(max(votes, key=votes.get) if votes else None)
            for name, label in zip(names, labels):
                if label is not None:
                    self.right[name] = FADE * self.right[name] + (label == truth[i])
                    self.tested[name] = FADE * self.tested[name] + 1.0
        return outcomes, None


class BestRecords(SharedModels):
    """Select the models with the highest recent accuracy."""

    def _select(self, mature):
        order = sorted(mature, key=lambda each: -each[2][1])
        return order[: self.pool_size]


class FarApart(SharedModels):
    """Select models of the more accurate half that differ most from each other."""

    def _select(self, mature):
        n = len(next(iter(self.probe.values())))
        order = np.argsort([-right for _, _, (_, right) in mature], kind="stable")
        half = order[: max(self.pool_size, len(mature) // 2)].tolist()
        good = half[: min(1, self.pool_size)]
        predictions = np.array([model.predict(self.probe) for _, model, _ in mature]).reshape(-1, n)
        while len(good) < min(self.pool_size, len(half)):
            left = [j for j in half if j not in good]
            good.append(
                min(
                    left, key=lambda j: max((predictions[j] == predictions[k]).mean() for k in good)
                )
            )
        return [mature[j] for j in good]


class AnyModels(SharedModels):
    """Select models of random keys."""

    def _select(self, mature):
        order = np.random.default_rng(self.n_rows).permutation(len(mature))[: self.pool_size]
        return [mature[j] for j in order.tolist()]
