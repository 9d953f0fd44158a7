"""Rows for comparing a learner with its reference implementation, and the comparison."""

from __future__ import annotations

import numpy as np
from sklearn.base import clone

LABELS = np.array(["b", "c", "d", "a"])
TREE = {"grace_period": 20, "delta": 0.2, "tie_threshold": 0.3}


def rows(seed, n_classes, weighted, n=240, n_features=3, shares=None, wild=0):
    """Return rows whose classes are bands of a sum, reversed from the middle to four fifths.

    With more than two classes, the last class does not occur in the first quarter; it sorts first.
    The labels of the first `wild` rows are random, so that errors fall after them. With `shares`
    the classes are drawn with these probabilities, and features depend on them.
    The first row of a class never has weight 0.
    """
    rng = np.random.default_rng([seed, n_classes])
    X = rng.integers(1024, size=(n, n_features)) / 1024
    i = np.arange(n)
    if shares is None:
        y = np.minimum((X[:, 0] + 0.5 * X[:, 1]) / 1.5 * n_classes, n_classes - 1).astype(int)
        astray = rng.random(n) < 0.04
        y[astray] = rng.integers(n_classes, size=astray.sum())
        y[:wild] = rng.integers(n_classes, size=wild)
        y[(i < n // 4) & (y == n_classes - 1) & (n_classes > 2)] = 0
        y = np.where((i < n // 2) | (i >= 4 * n // 5), y, n_classes - 1 - y)
    else:
        y = rng.choice(n_classes, size=n, p=shares)
        y = np.where(i < 2 * n // 3, y, n_classes - 1 - y)
        X[:, 0] = (X[:, 0] + y) / n_classes
    w = np.ones(n)
    if weighted:
        w = np.where(rng.random(n) < 0.1, 0.0, rng.integers(1, 12, size=n) / 4)
        w[np.unique(y, return_index=True)[1]] = 1.5
    return X, LABELS[-n_classes:][y], w


def returning(seed, n_classes, weighted, n=600, every=150, noise=0.05):
    """Return rows whose classes are bands of a sum; the bands change classes and back.

    With more than two classes, the last class occurs late; it sorts first. The first row of a class
    never has weight 0.
    """
    rng = np.random.default_rng([seed, n_classes])
    X = rng.integers(1024, size=(n, 3)) / 1024
    i = np.arange(n)
    y = np.minimum((X[:, 0] + 0.5 * X[:, 1]) / 1.5 * n_classes, n_classes - 1).astype(int)
    y = np.where(i // every % 2 == 0, y, (y + 1) % n_classes)
    astray = rng.random(n) < noise
    y[astray] = rng.integers(n_classes, size=astray.sum())
    y[(i < every // 2) & (y == n_classes - 1) & (n_classes > 2)] = 0
    w = np.ones(n)
    if weighted:
        w = np.where(rng.random(n) < 0.1, 0.0, rng.integers(1, 12, size=n) / 4)
        w[np.unique(y, return_index=True)[1]] = 1.5
    return X, LABELS[-n_classes:][y], w


def shares_of(scores):
    """Return the scores of a row as probabilities, equal ones if all scores are 0."""
    total = sum(scores)
    return [v / total if total > 0 else 1 / len(scores) for v in scores]


def calls(w):
    """Return slices that end at each row with a weight: a call needs at least one such row."""
    ends = np.flatnonzero(w) + 1
    return [slice(start, end) for start, end in zip([0, *ends[:-1]], ends)]


def agree(
    product, reference, data, also=lambda product, reference: None, rtol=1e-12, announced=None
):
    """Assert equal labels, probabilities and `also` at every row, and equal generators at the end.

    A learner that learns all rows in one call ends in the same state. Labels in `announced` are
    passed as `classes` in the first call.
    """
    X, y, w = data
    weighted = w.min() < w.max()
    reference.classes = list(announced or [])
    for part in calls(w):
        if part.start:
            x = X[part][-1:]
            assert product.predict(x).tolist() == [reference.predict_one(x[0])], part
            expected = shares_of(reference.score_one(x[0]))
            actual = product.predict_proba(x)[0]
            np.testing.assert_allclose(actual, expected, rtol, 1e-12, err_msg=str(part))
        product.partial_fit(X[part], y[part], announced, w[part] if weighted else None)
        reference.partial_fit(X[part], y[part], w[part])
        also(product, reference)
    assert product.classes_.tolist() == reference.classes
    assert product.n_rows_ == reference.n_rows
    at_once = clone(product).partial_fit(X, y, announced, w)
    np.testing.assert_allclose(at_once.predict_proba(X), product.predict_proba(X), rtol, 1e-12)
    if "random_state" in product.get_params():
        assert product.rng_.random() == at_once.rng_.random() == reference.rng.random()
