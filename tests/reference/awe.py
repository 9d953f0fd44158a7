"""AWE (spec 10; Wang, Fan, Yu, Han 2003, Algorithm 1).

In the paper's order: a classifier is trained on the chunk, its error is that of cross-validation
on the chunk, its weight is MSE_r - MSE. Every older classifier is weighted on the same chunk. The K
classifiers with the largest weights, of the old ones *and* the new one, are kept. A classifier that
is no better than guessing (MSE >= MSE_r) has weight 0.

Decisions: the paper has one K; here `n_stored` classifiers are kept, in order of creation, and the
`n_estimators` of them with the largest weights vote. Ties: of the lowest weights the oldest
classifier is removed, of the highest the older one votes. If no classifier is better than guessing,
the paper defines no prediction; here the newest classifier predicts alone, because only it was
trained on the present concept (all weights are 0, so the oldest was removed and the newest was
kept). "Better" means better after rounding to twelve decimals, so that equality does not depend on
the order of a sum. The candidate draws its seed first, then each fold in order (folds draw none if
the chunk cannot be folded; then the error is that of the candidate on its own chunk). The error of
cross-validation is one mean over all rows of the chunk; each row is predicted by the model that was
not trained on it. A class without rows in a model's training data has p(y|x) = 0. Steps of creation
are numbered from 1.
"""

from __future__ import annotations

import numpy as np

from tests.reference.common import ChunkReference, folds, limit, mse, mse_random, posterior_of_truth


class AWEReference(ChunkReference):
    def __init__(self, train, n_estimators=15, n_stored=30, n_folds=10, random_state=0):
        super().__init__(train, random_state)
        self.n_estimators, self.n_stored, self.n_folds = n_estimators, limit(n_stored), n_folds
        self.members, self.births, self.weights = [], [], []

    def learn(self, X, y, w):
        newest = self.train(X, y, w, self.seed())
        errors = [mse(posterior_of_truth(h, X, y, self.classes), w) for h in self.members]
        errors.append(self.cross_validated(newest, X, y, w))
        self.members.append(newest)
        self.births.append(self.step)
        gains = [mse_random(y, w) - error for error in errors]
        self.weights = [gain if round(gain, 12) > 0 else 0.0 for gain in gains]
        if len(self.members) > self.n_stored:
            lowest = self.weights.index(min(self.weights))
            for column in (self.members, self.births, self.weights):
                del column[lowest]

    def cross_validated(self, newest, X, y, w):
        """Return the mean of (1 - p(y|x))^2, p(y|x) of a model not trained on the row."""
        fold = folds(y, self.n_folds)
        if fold is None:
            return mse(posterior_of_truth(newest, X, y, self.classes), w)
        p_true = np.empty(len(y))
        for f in sorted(set(fold.tolist())):
            held = fold == f
            model = self.train(X[~held], y[~held], w[~held], self.seed())
            p_true[held] = posterior_of_truth(model, X[held], y[held], self.classes)
        return mse(p_true, w)

    @property
    def voters(self):
        """Indices of the members that vote, the largest weight first."""
        if max(self.weights) == 0:
            return [len(self.members) - 1]
        top = sorted(range(len(self.members)), key=lambda i: -self.weights[i])
        return top[: self.n_estimators]

    def scores(self, X):
        weights = self.weights if max(self.weights) > 0 else [1.0] * len(self.members)
        return sum(weights[i] * self.members[i].proba(X, self.classes) for i in self.voters)
