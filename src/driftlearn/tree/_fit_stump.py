# cython: infer_types=True
"""The decision stump of least weighted error, found by trying every threshold."""

import cython
import numpy as np

INF = cython.declare(cython.double, np.inf)


def fit_stump(X, order, y, w, n_classes):
    """Return the stump that gets the most weight right, each side naming its heaviest class.

    Every feature is walked once in ascending order, so a stump costs O(rows x features x classes).
    A stump must be strictly better than the best before it, and the first one is no split at
    all: ties go to no split, then to the lowest feature, then to the lowest threshold.

    Where rows lack a feature (nan), each of its thresholds is tried with these on the left and on
    the right, and last all that have it, on the left, against them. If both sides are as good they
    go with the heavier side of the others, as they do where no row lacks it; left on ties.

    Parameters
    ----------
    X : float array of shape (n, d)
        Features.
    order : int32 array of shape (d, n)
        For every feature its rows in ascending order, equal values by row, nan last: a stable
        argsort.
    y : intp array of shape (n,)
        Class codes.
    w : float array of shape (n,)
        Row weights; a row of weight 0 is absent.
    n_classes : int
        Number of classes.

    Returns
    -------
    feature : int
        -1 if no split is best.
    threshold : float
        Halfway between two neighbouring values, or inf; rows with ``x <= threshold`` go left.
    left, right : float arrays of shape (n_classes,)
        Class weights of each side; without a split every row is on the left.
    missing_left : int
        1 if rows that lack the feature go left.

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
    before: cython.double
    right_now: cython.double
    started: cython.bint
    gaps: cython.bint = False
    side: cython.bint
    everything = np.zeros(n_classes)
    total: cython.double[::1] = everything
    left: cython.double[::1] = np.empty(n_classes)
    best_left = np.empty(n_classes)
    kept: cython.double[::1] = best_left
    most_right: cython.double
    with cython.nogil:
        for f in range(X.shape[1]):
            gaps |= X[order[f, n - 1], f] != X[order[f, n - 1], f]
        for i in range(n):
            total[y[i]] += w[i]
        kept[:] = total
        left[:] = 0.0
        most_right = _right_weight(left, total)
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
                        if right_now > most_right:
                            most_right = right_now
                            feature = f
                            threshold = _midpoint(before, value)
                            kept[:] = left
                    left[y[i]] += w[i]
                    before = value
                    started = True
        left[:] = 0.0
        side = _heavier_left(kept, left, total)
    if gaps:
        feature, threshold, side = _with_gaps(X, order, y, w, total, most_right, kept, side)
    return feature, float(threshold), best_left, everything - best_left, int(side)


def _with_gaps(X, order, y, w, total, most_right, kept, side):
    """Find the best stump where rows lack features: apart, so that others are found quickly."""
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
    """Try the splits of a feature that rows may lack; say whether one beats the best so far.

    The best has its right weight, its threshold and the side of the missing in `best`, and what is
    left of it in `kept`.
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
                if right_then == right_now:
                    side = _heavier_left(left, missing, total)
                right_now = max(right_now, right_then)
                if right_now > best[0]:
                    found = True
                    best[0] = right_now
                    best[1] = _midpoint(before, value)
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


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _right_weight(left: cython.double[::1], total: cython.double[::1]) -> cython.double:
    heaviest_left: cython.double = 0.0
    heaviest_right: cython.double = 0.0
    for c in range(total.shape[0]):
        heaviest_left = max(heaviest_left, left[c])
        part = total[c] - left[c]
        heaviest_right = max(heaviest_right, part)
    return heaviest_left + heaviest_right


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _heavier_left(
    left: cython.double[::1], missing: cython.double[::1], total: cython.double[::1]
) -> cython.bint:
    """Say whether the left side has at least the weight of the right one, without the missing."""
    left_weight: cython.double = 0.0
    right_weight: cython.double = 0.0
    for c in range(total.shape[0]):
        left_weight += left[c]
        right_weight += total[c] - missing[c] - left[c]
    return left_weight >= right_weight


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _midpoint(low: cython.double, high: cython.double) -> cython.double:
    middle: cython.double = (low + high) / 2.0
    return middle if middle < high else low
