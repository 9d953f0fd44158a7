"""SMOTE and the baseline that retrains on each data set alone (spec 25).

Decisions:

* A class is in the minority if 2 N_c < N of the largest class; it is brought to exactly that N.
* Classes in sorted order; the s-th synthetic row starts from row s mod N_c (in order of position).
  Its neighbour: the k nearest rows of the class but itself (Euclid; the lower position on ties),
  k at most N_c - 1, then ``j = rng.integers(k)`` and ``u = rng.random()``. N_c = 1: copies.
* Synthetic rows follow the real ones. The baseline draws them, then its seed, from one generator,
  trains with weights of one and forgets its old model. Row weights count only as absent or not.
"""

from __future__ import annotations

import math

import numpy as np

from twins.common import ChunkTwin, votes


def wanted(y):
    """How many synthetic rows each class needs."""
    labels = np.asarray(y).tolist()
    sizes = {c: labels.count(c) for c in sorted(set(labels))}
    most = max(sizes.values())
    return {c: most - n if 2 * n < most else 0 for c, n in sizes.items()}


def neighbours(rows, i, k):
    """Positions of the k nearest to row i."""
    others = [j for j in range(len(rows)) if j != i]
    return sorted(others, key=lambda j: (math.dist(rows[i], rows[j]), j))[:k]


def smote(X, y, rng, k=5):
    X, y = np.asarray(X, dtype=float), np.asarray(y)
    new_rows, new_labels = [], []
    for c, amount in wanted(y).items():
        rows = X[y == c]
        for s in range(amount):
            i = s % len(rows)
            x = rows[i]
            if len(rows) > 1:
                near = neighbours(rows, i, min(k, len(rows) - 1))
                j = near[rng.integers(len(near))]
                x = x + rng.random() * (rows[j] - x)
            new_rows.append(x)
            new_labels.append(c)
    if not new_rows:
        return X, y
    return np.vstack([X, new_rows]), np.concatenate([y, np.array(new_labels, dtype=y.dtype)])


def on_a_segment(x, rows, k=5, tolerance=1e-9):
    """Whether x lies between a row and one of its k nearest; ties in distance count as near."""
    for i, a in enumerate(rows):
        if math.dist(a, x) <= tolerance:
            return True
        near = neighbours(rows, i, k)
        if not near:
            continue
        reach = math.dist(a, rows[near[-1]]) + tolerance
        for j, b in enumerate(rows):
            if j != i and math.dist(a, b) <= reach:
                detour = math.dist(a, x) + math.dist(x, b) - math.dist(a, b)
                if detour <= tolerance:
                    return True
    return False


class SmoteTwin(ChunkTwin):
    def __init__(self, train, k=5, random_state=0):
        super().__init__(train, random_state)
        self.k = k

    def learn(self, X, y, w):
        X, y = smote(X, y, self.rng, self.k)
        self.model = self.train(X, y, np.ones(len(y)), self.seed())

    def scores(self, X):
        return votes(self.model, X, self.classes)
