"""The decision stump of least weighted error (spec 14), by trying every cut.

Decisions: rows of weight 0 are absent. The error of a cut is compared through the weight it gets
right, ``max(left) + max(right)`` (more is better), against ``max(all)`` of the no-split candidate;
left is a running sum in the order of (value, row), right = all - left, all summed in row order.
The no-split stump is (-1, 0.0, all, all). Threshold as in CART: (a + b) / 2, or a if that is not
in [a, b).
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from twins.cart import count, midpoint


def fit_stump(X, y, w, n_classes):
    """(feature, threshold, left weights, right weights) of the first best stump."""
    X, y = np.asarray(X, dtype=float), np.asarray(y)
    w = np.ones(len(y)) if w is None else np.asarray(w, dtype=float)
    X, y, w = X[w > 0], y[w > 0], w[w > 0]
    everything = count(y, w, n_classes)
    best = (-1, 0.0, list(everything), list(everything))
    most_right = max(everything)
    for feature in range(X.shape[1]):
        column = [float(v) for v in X[:, feature]]
        order = sorted(range(len(y)), key=lambda i: (column[i], i))
        left = [0.0] * n_classes
        for i, j in pairwise(order):
            left[int(y[i])] += float(w[i])
            if column[i] == column[j]:
                continue
            right = [total - part for total, part in zip(everything, left)]
            if max(left) + max(right) > most_right:
                most_right = max(left) + max(right)
                best = (feature, midpoint(column[i], column[j]), list(left), right)
    feature, threshold, left, right = best
    return feature, threshold, np.array(left), np.array(right)


def predict_stump(stump, X):
    """The code each side's heaviest class has; the lowest code on ties."""
    feature, threshold, left, right = stump
    codes = []
    for x in np.asarray(X, dtype=float):
        side = left if feature < 0 or x[feature] <= threshold else right
        codes.append(list(side).index(max(side)))
    return np.array(codes)
