# cython: infer_types=True
"""Exhaustive search for the decision stump with the smallest weighted error."""

import cython
import numpy as np

INF = cython.declare(cython.double, np.inf)


def fit_stump(X, order, y, w, n_classes):
    """Return the stump with the most correctly classified weight.

    Each side predicts the class with the largest weight. Every feature is scanned once in ascending
    order, which costs O(rows x features x classes). A candidate must be strictly better than the
    best before it, and the first candidate is no split: ties are resolved in favor of no split,
    then of the lowest feature, then of the lowest threshold.

    If a feature has missing values (nan), each threshold is tried with these rows on the left and
    on the right, and finally one more split: present values on the left, missing ones on the
    right. If both sides are equally good, missing values go to the heavier side of the rows that
    have the feature, which is also the rule if no value was missing; left on ties.

    Parameters
    ----------
    X : float array of shape (n, d)
        Features.
    order : int32 array of shape (d, n)
        For every feature the result of a stable argsort: rows by ascending value, nan last.
    y : intp array of shape (n,)
        Class codes.
    w : float array of shape (n,)
        Row weights; rows of weight 0 are ignored.
    n_classes : int
        Number of classes.

    Returns
    -------
    feature : int
        Feature of the split; -1 if no split is better than none.
    threshold : float
        Midpoint of two consecutive values, or inf; rows with ``x <= threshold`` go left.
    left, right : float arrays of shape (n_classes,)
        Class weights of each side; without a split all rows are on the left.
    missing_left : int
        1 if rows with a missing value go left.

    Examples
    --------
    >>> X = np.array([[3.0], [1.0], [2.0]])
    >>> order = np.argsort(X, axis=0, kind="stable").T.astype(np.int32)
    >>> fit_stump(X, np.ascontiguousarray(order), np.array([1, 0, 0]), np.ones(3), 2)
    (0, 2.5, array([2., 0.]), array([0., 1.]), 1)
    """
    n: cython.Py_ssize_t = X.shape[0]
    feature: cython.Py_ssize_t = -1
    threshold: cython.double = 0.0
    gaps: cython.bint = False
    side: cython.bint
    everything = np.zeros(n_classes)
    total: cython.double[::1] = everything
    left: cython.double[::1] = np.empty(n_classes)
    best_left = np.empty(n_classes)
    kept: cython.double[::1] = best_left
    with cython.nogil:
        for f in range(X.shape[1]):
            gaps |= X[order[f, n - 1], f] != X[order[f, n - 1], f]
        for i in range(n):
            total[y[i]] += w[i]
        kept[:] = total
        left[:] = 0.0
        most_right = _right_weight(left, total)
        # nan sorts last, so one look at the end of each column has shown whether values are
        # missing.
        for f in range(0 if gaps else X.shape[1]):
            left[:] = 0.0
            started = False
            before = 0.0
            for k in range(n):
                i = order[f, k]
                if w[i] > 0.0:
                    value = X[i, f]
                    if started and value > before:
                        right_now = _right_weight(left, total)
                        # The strict comparison prefers no split, then the lowest feature, then the
                        # lowest threshold.
                        if right_now > most_right:
                            most_right = right_now
                            feature = f
                            threshold = midpoint(before, value)
                            kept[:] = left
                    left[y[i]] += w[i]
                    before = value
                    started = True
        left[:] = 0.0
        side = heavier_left(kept, left, total)
    if gaps:
        feature, threshold, side = _with_gaps(X, order, y, w, total, most_right, kept, side)
    return feature, float(threshold), best_left, everything - best_left, int(side)


def _with_gaps(X, order, y, w, total, most_right, kept, side):
    """Return the best stump of data with missing values.

    It is a separate function so that the loop for complete data stays fast.
    """
    left: cython.double[::1] = np.empty(total.shape[0])
    room: cython.double[:, ::1] = np.empty((2, total.shape[0]))
    best: cython.double[::1] = np.array([most_right, 0.0, side])
    feature: cython.Py_ssize_t = -1
    with cython.nogil:
        for f in range(X.shape[1]):
            left[:] = 0.0
            if _walk_gaps(X, f, order, y, w, total, left, room, kept, best):
                feature = f
    return feature, best[1], best[2]


def _walk_gaps(X, f, order, y, w, total, left, room, kept, best):
    """Try the splits of a feature with missing values; return whether one is the best so far.

    `best` holds the correctly classified weight of the best split, its threshold and the side of
    missing values; `kept` holds the class weights on its left side.
    """
    missing = room[0]
    both = room[1]
    n: cython.Py_ssize_t = X.shape[0]
    gaps: cython.bint = False
    found: cython.bint = False
    started: cython.bint = False
    side: cython.bint
    before: cython.double = 0.0
    missing[:] = 0.0
    while n > 0 and X[order[f, n - 1], f] != X[order[f, n - 1], f]:
        n -= 1
    for k in range(n, X.shape[0]):
        i = order[f, k]
        missing[y[i]] += w[i]
        gaps |= w[i] > 0.0
    for k in range(n):
        i = order[f, k]
        if w[i] > 0.0:
            value = X[i, f]
            if started and value > before:
                for c in range(total.shape[0]):
                    both[c] = left[c] + missing[c]
                right_now = _right_weight(left, total)
                right_then = _right_weight(both, total)
                side = right_then > right_now
                # On a tie, missing values follow the majority of the rows that have the feature.
                if right_then == right_now:
                    side = heavier_left(left, missing, total)
                right_now = max(right_now, right_then)
                if right_now > best[0]:
                    found = True
                    best[0] = right_now
                    best[1] = midpoint(before, value)
                    best[2] = side
                    kept[:] = left
                    if side:
                        kept[:] = both
            left[y[i]] += w[i]
            before = value
            started = True
    right_now = _right_weight(left, total)
    if started and gaps and right_now > best[0]:
        found = True
        best[0] = right_now
        best[1] = INF
        best[2] = 0.0
        kept[:] = left
    return found


def _right_weight(left, total):
    heaviest_left: cython.double = 0.0
    heaviest_right: cython.double = 0.0
    for c in range(total.shape[0]):
        heaviest_left = max(heaviest_left, left[c])
        part = total[c] - left[c]
        heaviest_right = max(heaviest_right, part)
    return heaviest_left + heaviest_right


def heavier_left(left, missing, total):
    """Return whether the left side weighs at least as much as the right, ignoring missing rows."""
    left_weight: cython.double = 0.0
    right_weight: cython.double = 0.0
    for c in range(total.shape[0]):
        left_weight += left[c]
        right_weight += total[c] - missing[c] - left[c]
    return left_weight >= right_weight


def midpoint(low, high):
    """Return the midpoint of two values, or the lower one if rounding moves it out of range."""
    middle: cython.double = (float(low) + float(high)) / 2.0
    return middle if low <= middle < high else low
