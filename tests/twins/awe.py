"""AWE (spec 10; Wang, Fan, Yu, Han 2003).

Decisions: seeds are drawn for the candidate first, then for each fold in order (none for folds if
the resubstitution error is used). A class absent from the training part of a fold has p(y|x) = 0.
Stored members stay in order of birth; a candidate that is not admitted is dropped. The vote is
that of the `n_estimators` largest weights, the older first among equals; if all stored weights
are 0 the newest stored member votes alone. Birth steps count from 1.
"""

from __future__ import annotations

import numpy as np

from twins.common import ChunkTwin, folds, limit, mse, mse_random, posterior_of_truth


class AWETwin(ChunkTwin):
    def __init__(self, train, n_estimators=15, n_stored=30, n_folds=10, random_state=0):
        super().__init__(train, random_state)
        self.n_estimators, self.n_stored, self.n_folds = n_estimators, limit(n_stored), n_folds
        self.members, self.births, self.weights = [], [], []

    def learn(self, X, y, w):
        random = mse_random(y, w)
        self.weights = [
            max(0.0, random - mse(posterior_of_truth(h, X, y, self.classes), w))
            for h in self.members
        ]
        candidate = self.train(X, y, w, self.seed())
        weight = max(0.0, random - self._candidate_mse(candidate, X, y, w))
        if len(self.members) >= self.n_stored:
            worst = self.weights.index(min(self.weights))
            if not weight > self.weights[worst]:
                return
            del self.members[worst], self.births[worst], self.weights[worst]
        self.members.append(candidate)
        self.births.append(self.step)
        self.weights.append(weight)

    def _candidate_mse(self, candidate, X, y, w):
        fold = folds(y, self.n_folds)
        if fold is None:
            return mse(posterior_of_truth(candidate, X, y, self.classes), w)
        total = 0.0
        for f in range(max(fold) + 1):
            out = fold == f
            model = self.train(X[~out], y[~out], w[~out], self.seed())
            error = mse(posterior_of_truth(model, X[out], y[out], self.classes), w[out])
            total += error * np.sum(w[out])
        return float(total / np.sum(w))

    @property
    def voters(self):
        """Indices of the members that vote, best first."""
        if not any(self.weights):
            return [len(self.members) - 1]
        ranked = sorted(range(len(self.members)), key=lambda i: (-self.weights[i], i))
        return ranked[: self.n_estimators]

    def scores(self, X):
        if not any(self.weights):
            return self.members[-1].proba(X, self.classes)
        return sum(self.weights[i] * self.members[i].proba(X, self.classes) for i in self.voters)
