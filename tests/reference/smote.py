"""SMOTE and the baseline that retrains on each data set alone (spec 25).

Decisions:

* A class is in the minority if 2 N_c < N of the largest class; it is filled up to exactly that N.
* Classes in sorted order. A neighbor is one of the k nearest other rows of the class (Euclidean
  distance; ties: the lower position), k at most N_c - 1. N_c = 1: copies.
* A draw determines the row, the neighbor and the position between them. `round_robin` is that of
  the spec: the s-th synthetic row starts from row s mod N_c (in order of position), then
  ``j = rng.integers(k)`` and ``u = rng.random()``. `library_draw` is imbalanced-learn's, which
  also draws the row at random: ``RandomState(rng.integers(2**31 - 1))`` for each class that is
  filled up, then ``randint(N_c * k)`` of all synthetic rows (the row times k plus the neighbor),
  then u of all. A class of one row also draws its seed.
* Synthetic rows follow the real ones, with the mean weight of their class. The baseline draws them,
  then its seed, from one generator, and discards its old model.
"""

from __future__ import annotations

import math

import numpy as np

from tests.reference.common import ChunkReference, votes


def wanted(y):
    """Return how many synthetic rows each class needs."""
    labels = np.asarray(y).tolist()
    sizes = {c: labels.count(c) for c in sorted(set(labels))}
    most = max(sizes.values())
    return {c: most - n if 2 * n < most else 0 for c, n in sizes.items()}


def neighbours(rows, i, k):
    """Return the positions of the k rows nearest to row i."""
    others = [j for j in range(len(rows)) if j != i]
    return sorted(others, key=lambda j: (math.dist(rows[i], rows[j]), j))[:k]


def round_robin(rng, n_rows, k, amount):
    """Yield (row, neighbor, u) of every synthetic row of a class."""
    for s in range(amount):
        yield (s % n_rows, int(rng.integers(k)), rng.random()) if k else (0, 0, 0.0)


def library_draw(rng, n_rows, k, amount):
    state = np.random.RandomState(rng.integers(2**31 - 1))
    pairs = state.randint(n_rows * k, size=amount).tolist() if k else [0] * amount
    for pair, u in zip(pairs, state.uniform(size=amount).tolist()):
        yield *divmod(pair, max(k, 1)), u


def smote(X, y, rng, k=5, draw=round_robin):
    X, y = np.asarray(X, dtype=float), np.asarray(y)
    new_rows, new_labels = [], []
    for c, amount in wanted(y).items():
        rows = X[y == c]
        n_near = min(k, len(rows) - 1)
        for i, j, u in draw(rng, len(rows), n_near, amount) if amount else []:
            other = rows[neighbours(rows, i, n_near)[j] if n_near else i]
            new_rows.append(rows[i] + u * (other - rows[i]))
        new_labels.extend([c] * amount)
    if not new_rows:
        return X, y
    return np.vstack([X, new_rows]), np.concatenate([y, np.array(new_labels, dtype=y.dtype)])


def with_means(y, w, labels):
    """Return the weights of the real and the synthetic rows; `labels` contains both."""
    new = labels[len(y) :].tolist()
    return np.concatenate([w, [float(np.mean(w[y == c])) for c in new]])


def on_a_segment(x, rows, k=5, tolerance=1e-9):
    """Return whether x lies between a row and one of its k nearest, including all ties."""
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


class SmoteReference(ChunkReference):
    def __init__(self, train, k=5, draw=round_robin, random_state=0):
        super().__init__(train, random_state)
        self.k, self.draw = k, draw

    def learn(self, X, y, w):
        X, labels = smote(X, y, self.rng, self.k, self.draw)
        self.model = self.train(X, labels, with_means(y, w, labels), self.seed())

    def scores(self, X):
        return votes(self.model, X, self.classes)
