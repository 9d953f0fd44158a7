# cython: infer_types=True
"""Splits of a Hoeffding tree leaf: the best one by information gain, and whether to make it."""

import cython
import numpy as np
from cython.cimports.libc.math import erf, log, log2, sqrt

if not cython.compiled:
    from driftlearn.tree._leaf_arrays import MEAN, WEIGHT
    from driftlearn.utils._row_pointers import place_at, place_at_3d

SQRT_2 = cython.declare(cython.double, sqrt(2.0))
INF = cython.declare(cython.double, np.inf)


def best_split(leaves, slot, n_cuts, subset, node):
    """Return the gains of the two best attributes, the best attribute and its threshold.

    The candidates are the attributes in row `node` of `subset`, or all if the subsets are empty.

    A numeric attribute is tried at `n_cuts` thresholds evenly spaced within its range, a nominal
    one at each of its values. No split has gain 0 and is a candidate, too: the attribute is -1 if
    no gain is positive. Ties go to the first attribute and the lowest threshold.

    Gains are computed on the rows of the leaf itself that have the attribute, and multiplied by
    the share of these among all of its rows. On return, ``leaves.left[2]`` holds the class weights
    left of the best cut. The other rows of ``leaves.left`` are working space, and
    ``leaves.entropy`` caches the entropy before the split.
    """
    n: cython.double = 0.0
    n_known: cython.double = 0.0
    for c in range(leaves.n_classes):
        leaves.left[3, c] = leaves.sums[slot, c, WEIGHT]
        n += leaves.left[3, c]
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
        if leaves.nominal[f]:
            gain, t = _best_value(leaves, slot, f)
        else:
            gain, t = _best_cut(leaves, slot, f, n_cuts)
        if leaves.gaps:
            gain *= n_known / n
        if gain > best:
            second = best
            best = gain
            feature = f
            cut = t
            for c in range(leaves.n_classes):
                leaves.left[2, c] = leaves.left[1, c]
        elif gain > second:
            second = gain
    return best, second, feature, cut


def should_split(best, second, n, n_classes, delta, tie_threshold):
    """Return whether a leaf splits, given its two best gains, weight and number of classes.

    It does if the best gain exceeds the second by more than the Hoeffding bound, sqrt(R^2 ln(1 /
    delta) / (2 n)) of Domingos and Hulten (2000), where the range R of the information gain is log2
    of the number of classes at the leaf. The tie threshold keeps a leaf from waiting forever for a
    choice between equal splits.
    """
    r = log2(n_classes)
    bound = sqrt(r * r * log(1.0 / delta) / (2.0 * n))
    return best - second > bound or bound < tie_threshold


def divide_weights(leaves, slot, f):
    """Write the class weights of both sides to ``leaves.left[2:4]``; return the side of nan.

    Rows with a missing value go to the heavier side of the other rows: left if True is returned,
    and on ties. Their class weights are the differences between total and known weights.
    """
    n_left: cython.double = 0.0
    n_right: cython.double = 0.0
    for c in range(leaves.n_classes):
        n = leaves.known[slot, c, f] if leaves.gaps else leaves.sums[slot, c, WEIGHT]
        leaves.left[3, c] = n - leaves.left[2, c]
        n_left += leaves.left[2, c]
        n_right += leaves.left[3, c]
    goes_left: cython.bint = n_left >= n_right
    if leaves.gaps:
        for c in range(leaves.n_classes):
            missing = leaves.sums[slot, c, WEIGHT] - leaves.known[slot, c, f]
            leaves.left[2 if goes_left else 3, c] += missing
    return goes_left


def _best_cut(leaves, slot, f, n_cuts):
    """Return the gain of the best threshold of a numeric attribute, and the threshold."""
    low: cython.double = INF
    high: cython.double = -INF
    d: cython.Py_ssize_t = leaves.n_features
    here, best_here = place_at(leaves.left, 0), place_at(leaves.left, 1)
    weight, deviation = place_at(leaves.left, 3), place_at(leaves.left, 4)
    for c in range(leaves.n_classes):
        n = weight[c]
        if n > 0.0:
            sums = place_at_3d(leaves.sums, slot, c, MEAN + f)
            low = min(low, sums[2 * d])
            high = max(high, sums[3 * d])
            deviation[c] = sqrt(max(sums[d], 0.0) / n)
    best: cython.double = 0.0
    cut: cython.double = 0.0
    for k in range(n_cuts):
        t = low + (high - low) * (k + 1) / (n_cuts + 1)
        for c in range(leaves.n_classes):
            n = weight[c]
            sums = place_at_3d(leaves.sums, slot, c, MEAN + f)
            if n == 0.0 or t < sums[2 * d]:
                here[c] = 0.0
            elif t >= sums[3 * d]:
                here[c] = n
            elif deviation[c] == 0.0:
                here[c] = n if sums[0] <= t else 0.0
            else:
                # Weight below t by the cumulative normal distribution of the class.
                here[c] = n * (0.5 * (1.0 + erf((t - sums[0]) / deviation[c] / SQRT_2)))
        gain = _gain(leaves)
        if gain > best:
            best = gain
            cut = t
            for c in range(leaves.n_classes):
                best_here[c] = here[c]
    return best, cut


def _best_value(leaves, slot, f):
    """Return the gain of the best value of a nominal attribute, and the value."""
    here, best_here = place_at(leaves.left, 0), place_at(leaves.left, 1)
    best: cython.double = 0.0
    cut: cython.double = 0.0
    for value in range(leaves.n_values[f]):
        for c in range(leaves.n_classes):
            here[c] = leaves.counts[slot, c, leaves.offset[f] + value]
        gain = _gain(leaves)
        if gain > best:
            best = gain
            cut = value
            for c in range(leaves.n_classes):
                best_here[c] = here[c]
    return best, cut


def _gain(leaves):
    n: cython.double = 0.0
    n_left: cython.double = 0.0
    n_right: cython.double = 0.0
    here, weight, before = (
        place_at(leaves.left, 0), place_at(leaves.left, 3), place_at(leaves.left, 5)
    )  # fmt: skip
    known: cython.bint = True  # class totals are usually the same at every cut: reuse the entropy
    for c in range(leaves.n_classes):
        left = here[c]
        right = weight[c] - left
        if left + right != before[c]:
            before[c] = left + right
            known = False
        n += left + right
        n_left += left
        n_right += right
    if not known:
        leaves.entropy = 0.0
        for c in range(leaves.n_classes):
            leaves.entropy += _entropy_term(before[c], n)
    after_left: cython.double = 0.0
    after_right: cython.double = 0.0
    for c in range(leaves.n_classes):
        after_left += _entropy_term(here[c], n_left)
        after_right += _entropy_term(weight[c] - here[c], n_right)
    return leaves.entropy - (n_left / n * after_left + n_right / n * after_right)


def _entropy_term(part, whole):
    if part > 0.0:
        return -(part / whole) * log2(part / whole)
    return 0.0
