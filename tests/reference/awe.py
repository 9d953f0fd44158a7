"""AWE (spec 10; Wang, Fan, Yu, Han 2003, Algorithm 1).

In the paper's order: a classifier is trained on the chunk, its error is that of cross-validation
on the chunk, its weight is MSE_r - MSE; every older classifier is weighed on the same chunk; what
stays are the K top weighted of the old ones *and* the new one. A classifier that is no better than
guessing (MSE >= MSE_r) has no say: its weight is 0.

Decisions: the paper has one K; here `n_stored` classifiers are kept, in order of birth, and the
`n_estimators` top weighted of them vote. Equal weights: of the lowest the oldest goes, of the
highest the older votes. If no classifier is better than guessing, the paper leaves nobody to ask;
then the newest speaks alone, the only one that has learned the present concept (all weights are
0, so the oldest has gone and the newest is there). "Better" is meant to twelve decimals, so that
equality does not hang on the order of a sum. Seeds are drawn for the candidate first, then
for each fold in order (none for folds if the chunk cannot be folded: then the error is that of
the candidate on its own chunk). The error of cross-validation is one mean over all rows of the
chunk, each judged by the model that has not seen it. A class absent from what a model has learned
has p(y|x) = 0. Birth steps count from 1.
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
        """The mean of (1 - p(y|x))^2 with p(y|x) by a model that was not trained on the row."""
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
        """Indices of the members that are asked, the top weighted first."""
        if max(self.weights) == 0:
            return [len(self.members) - 1]
        top = sorted(range(len(self.members)), key=lambda i: -self.weights[i])
        return top[: self.n_estimators]

    def scores(self, X):
        say = self.weights if max(self.weights) > 0 else [1.0] * len(self.members)
        return sum(say[i] * self.members[i].proba(X, self.classes) for i in self.voters)
