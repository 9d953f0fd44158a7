"""Rows for Winnow, FLORA and STAGGER: changing concepts over nominal attributes."""

from __future__ import annotations

import numpy as np

from driftlearn.streams import STA


def stagger_rows(seed, segment=70, n_segments=5, noise=0.0, labels=("no", "yes"), weighted=False):
    """Return rows of the three STAGGER concepts, which recur after the third."""
    n = segment * n_segments
    X, y = STA(n_rows=n, segment=segment, noise=noise, random_state=seed).take(n)
    return X, np.array(labels)[y], weights(seed, n, y if weighted else None)


def rule_rows(seed, n=300, d=5, n_classes=2, weighted=False, alone=0):
    """Return rows whose classes are random disjunctions of conditions, replaced halfway.

    The features have the values -1, 0 (of both signs) and 2. The first `alone` rows are of the last
    class. With more than two classes, the last class sorts first and occurs only after a quarter of
    the rows.
    """
    rng = np.random.default_rng([seed, n_classes])
    X = rng.choice([-1.0, -0.0, 0.0, 2.0], size=(n, d))
    y = np.zeros(n, dtype=int)
    for half in (np.arange(n) < n // 2, np.arange(n) >= n // 2):
        for c in range(1, n_classes):
            for feature in rng.choice(d, 2, replace=False):
                y[half & (X[:, feature] == rng.choice([-1, 2]))] = c
    y[: n // 4][y[: n // 4] == 2] = 0
    y[:alone] = n_classes - 1
    return X, np.array(["b", "c", "a"])[y], weights(seed, n, y if weighted else None)


def weights(seed, n, y=None):
    """Return ones, or with `y` random weights; only a class's first row never has weight 0."""
    if y is None:
        return np.ones(n)
    rng = np.random.default_rng([seed, n])
    w = np.where(rng.random(n) < 0.1, 0.0, rng.integers(1, 12, size=n) / 4)
    w[np.unique(y, return_index=True)[1]] = 1.5
    return w
