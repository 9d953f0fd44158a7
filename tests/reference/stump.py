"""The decision stump of least weighted error (spec 14), by trying every cut.

Decisions: rows of weight 0 are absent. Cuts are compared by the weight of correctly classified
rows, ``max(left) + max(right)`` (more is better), with ``max(all)`` of the no-split candidate;
left is a running sum in the order of (value, row), right = all - left, all summed in row order.
The no-split stump is (-1, 0.0, all, all). Threshold as in CART: (a + b) / 2, or a if that is not
in [a, b).

If rows lack a feature (nan), every cut is tried with these rows on the left and on the right; the
last candidate is all rows that have it (left, threshold inf) against them. The better direction is
kept; on ties the side with more weight of the rows that have the feature, left if equal. The same
side is used if no row lacks the feature.
"""

from __future__ import annotations

import math

import numpy as np

from tests.reference.cart import add_up, count, midpoint


def fit_stump(X, y, w, n_classes):
    """Return (feature, threshold, left and right weights, missing_left) of the first best stump."""
    X, y = np.asarray(X, dtype=float), np.asarray(y)
    w = np.ones(len(y)) if w is None else np.asarray(w, dtype=float)
    X, y, w = X[w > 0], y[w > 0], w[w > 0]
    everything = count(y, w, n_classes)
    best = (-1, 0.0, list(everything), list(everything), True)
    most_right = max(everything)
    for feature in range(X.shape[1]):
        column = [float(v) for v in X[:, feature]]
        lacking = [i for i in range(len(y)) if math.isnan(column[i])]
        missing = count(y[lacking], w[lacking], n_classes)
        order = sorted(set(range(len(y))) - set(lacking), key=lambda i: (column[i], i))
        left = [0.0] * n_classes
        for n_left, i in enumerate(order, 1):
            left[int(y[i])] += float(w[i])
            if n_left == len(order):
                threshold, ways = math.inf, [False] if lacking else []
            else:
                j = order[n_left]
                if column[i] == column[j]:
                    continue
                threshold = midpoint(column[i], column[j])
                rest = [n - gone - part for n, gone, part in zip(everything, missing, left)]
                heavier_left = add_up(left) >= add_up(rest)
                ways = [heavier_left, not heavier_left] if lacking else [heavier_left]
            for missing_left in ways:
                here = [a + b for a, b in zip(left, missing)] if missing_left else list(left)
                right = [total - part for total, part in zip(everything, here)]
                if max(here) + max(right) > most_right:
                    most_right = max(here) + max(right)
                    best = (feature, threshold, here, right, missing_left)
    feature, threshold, left, right, missing_left = best
    return feature, threshold, np.array(left), np.array(right), missing_left


def goes_left(stump, x):
    feature, threshold, _, _, missing_left = stump
    if feature < 0:
        return True
    return missing_left if math.isnan(x[feature]) else x[feature] <= threshold


def predict_stump(stump, X):
    """Return the code of the class with the largest weight on each row's side; ties: the lowest."""
    codes = []
    for x in np.asarray(X, dtype=float):
        side = stump[2] if goes_left(stump, x) else stump[3]
        codes.append(list(side).index(max(side)))
    return np.array(codes)
