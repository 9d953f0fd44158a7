# cython: infer_types=True
"""Where a leaf of a Hoeffding tree would split, and what it would gain."""

import cython
import numpy as np
from cython.cimports.libc.math import erf, log2, sqrt

SQRT_2 = cython.declare(cython.double, sqrt(2.0))
INF = cython.declare(cython.double, np.inf)


def best_split(leaves, slot, n_cuts, subset, node):
    """Return the gains of the two best attributes, which is the best and where to cut it.

    Looked at are those that row `node` of `subset` names, or all if its rows are empty.

    A numeric attribute is tried at `n_cuts` thresholds evenly between its lowest and highest
    value, a nominal one at each of its values. Doing nothing gains 0 and competes; the attribute
    is -1 if nothing gains more. Ties go to the first attribute and the lowest threshold.

    Gains compare the rows that the leaf has seen itself and that have the attribute, and are
    multiplied by the share of these among its rows. The class weights left of the best cut stay in
    ``leaves.left[2]``; its other rows, and ``leaves.surprise``, are working space.
    """
    n: cython.double = 0.0
    n_known: cython.double = 0.0
    for c in range(leaves.n_classes):
        leaves.left[3, c] = leaves.weight[slot, c]
        n += leaves.weight[slot, c]
    best: cython.double = 0.0
    second: cython.double = 0.0
    feature: cython.int = -1
    cut: cython.double = 0.0
    n_chosen = subset.shape[1]
    for k in range(n_chosen if n_chosen > 0 else leaves.n_features):
        f = subset[node, k] if n_chosen > 0 else k
        if leaves.gaps:
            n_known = 0.0
            for c in range(leaves.n_classes):
                leaves.left[3, c] = leaves.known[slot, c, f]
                n_known += leaves.known[slot, c, f]
            if n_known == 0.0:
                continue
        gain, t = _best_cut(leaves, slot, f, n_cuts)
        if leaves.gaps:
            gain *= n_known / n
        if gain > best:
            second = best
            best = gain
            feature = f
            cut = t
            leaves.left[2, :] = leaves.left[1, :]
        elif gain > second:
            second = gain
    return best, second, feature, cut


def divide_weights(leaves, slot, f):
    """Write what the sides of the best cut inherit to ``leaves.left[2:]``; return where gaps go.

    Rows without the attribute, of which each class has what is missing from its weight, go with
    the heavier side of the others: that is the left one if True is returned, and on ties.
    """
    n_left: cython.double = 0.0
    n_right: cython.double = 0.0
    for c in range(leaves.n_classes):
        n = leaves.known[slot, c, f] if leaves.gaps else leaves.weight[slot, c]
        leaves.left[3, c] = n - leaves.left[2, c]
        n_left += leaves.left[2, c]
        n_right += leaves.left[3, c]
    goes_left: cython.bint = n_left >= n_right
    if leaves.gaps:
        for c in range(leaves.n_classes):
            missing = leaves.weight[slot, c] - leaves.known[slot, c, f]
            leaves.left[2 if goes_left else 3, c] += missing
    return goes_left


def _best_cut(leaves, slot, f, n_cuts):
    low: cython.double = INF
    high: cython.double = -INF
    for c in range(leaves.n_classes):
        n = leaves.left[3, c]
        if n > 0.0:
            low = min(low, leaves.low[slot, c, f])
            high = max(high, leaves.high[slot, c, f])
            leaves.left[4, c] = sqrt(max(leaves.m2[slot, c, f], 0.0) / n)
    best: cython.double = 0.0
    cut: cython.double = 0.0
    for k in range(leaves.n_values[f] if leaves.nominal[f] else n_cuts):
        t: cython.double = k
        if not leaves.nominal[f]:
            t = low + (high - low) * (k + 1) / (n_cuts + 1)
        for c in range(leaves.n_classes):
            leaves.left[0, c] = _weight_left(leaves, slot, c, f, t)
        gain = _gain(leaves)
        if gain > best:
            best = gain
            cut = t
            leaves.left[1, :] = leaves.left[0, :]
    return best, cut


def _weight_left(leaves, slot, c, f, t):
    n = leaves.left[3, c]
    if leaves.nominal[f]:
        return leaves.counts[slot, c, leaves.offset[f] + cython.cast(cython.int, t)]
    if n == 0.0 or t < leaves.low[slot, c, f]:
        return 0.0
    if t >= leaves.high[slot, c, f]:
        return n
    mean = leaves.mean[slot, c, f]
    sd = leaves.left[4, c]
    if sd == 0.0:
        return n if mean <= t else 0.0
    return n * (0.5 * (1.0 + erf((t - mean) / sd / SQRT_2)))


def _gain(leaves):
    n: cython.double = 0.0
    n_left: cython.double = 0.0
    n_right: cython.double = 0.0
    known: cython.bint = True  # what the classes weigh is mostly the same at every cut
    for c in range(leaves.n_classes):
        left = leaves.left[0, c]
        right = leaves.left[3, c] - left
        if left + right != leaves.left[5, c]:
            leaves.left[5, c] = left + right
            known = False
        n += left + right
        n_left += left
        n_right += right
    if not known:
        leaves.surprise = 0.0
        for c in range(leaves.n_classes):
            leaves.surprise += _surprise(leaves.left[5, c], n)
    after_left: cython.double = 0.0
    after_right: cython.double = 0.0
    for c in range(leaves.n_classes):
        left = leaves.left[0, c]
        right = leaves.left[3, c] - left
        after_left += _surprise(left, n_left)
        after_right += _surprise(right, n_right)
    return leaves.surprise - (n_left / n * after_left + n_right / n * after_right)


def _surprise(part, whole):
    if part > 0.0:
        return -(part / whole) * log2(part / whole)
    return 0.0
