# cython: infer_types=True
"""Validation of arrays, compiled: each check in a single pass.

NumPy would need several passes, each slower than training on a row.
"""

import cython
import numpy as np

# NumPy has one object of each, so `is` compares them
FLOATS, INTEGERS = np.dtype(np.float64), np.dtype(np.int64)
CODES = np.dtype(np.intp)
INF = cython.declare(cython.double, np.inf)
# integer labels in a range of at most this size are not sorted
SPAN = cython.declare(cython.longlong, 256)


def within(X, most: cython.double):
    """Return True if a quick test shows that all values are between -`most` and `most`.

    It compares the sum of squares, so the result may also be False for values in range.

    Parameters
    ----------
    X : C-ordered float64 array (n, d)
    most : float

    Examples
    --------
    >>> within(np.array([[1.0, -2.0]]), 3.0), within(np.array([[1.0, np.nan]]), 3.0)
    (True, False)
    """
    # Uncompiled code uses a list, because Python integers do not overflow.
    values: cython.const[cython.double][::1] = X.ravel() if cython.compiled else X.ravel().tolist()
    n: cython.Py_ssize_t = X.size
    whole: cython.Py_ssize_t = n - n % 4
    a: cython.double = 0.0  # four sums, so that an addition need not wait for the previous one
    b: cython.double = 0.0
    c: cython.double = 0.0
    d: cython.double = 0.0
    for i in range(0, whole, 4):
        a += values[i] * values[i]
        b += values[i + 1] * values[i + 1]
        c += values[i + 2] * values[i + 2]
        d += values[i + 3] * values[i + 3]
    for i in range(whole, n):
        a += values[i] * values[i]
    return a + b + c + d <= most * most


def finite(values: cython.const[cython.double][::1]):
    """Return whether all values are finite numbers.

    Examples
    --------
    >>> print(finite(np.array([1.0, -2.0])), finite(np.array([1.0, np.inf])))
    True False
    """
    n_finite: cython.Py_ssize_t = 0
    for i in range(values.shape[0]):
        n_finite += -INF < values[i] < INF
    return n_finite == values.shape[0]


def places(known, labels):
    """Return the positions of labels in sorted known labels; None if a label is unknown.

    Parameters
    ----------
    known, labels : int64 arrays of one axis

    Returns
    -------
    intp array or None

    Examples
    --------
    >>> places(np.array([3, 5]), np.array([5, 3, 5]))
    array([1, 0, 1])
    >>> places(np.array([3, 5]), np.array([5, 4]))
    """
    there: cython.const[cython.longlong][:] = known
    these: cython.const[cython.longlong][:] = labels
    n: cython.Py_ssize_t = these.shape[0]
    result = np.empty(n, CODES)
    out: cython.Py_ssize_t[::1] = result
    n_known: cython.Py_ssize_t = there.shape[0]
    n_other: cython.Py_ssize_t = 0
    if n_known == 0:
        return None if n else result
    for i in range(n):
        label = these[i]
        at: cython.Py_ssize_t = 0
        left = n_known
        while left > 1:
            half = left >> 1
            at += half * (there[at + half - 1] < label)
            left -= half
        out[i] = at
        n_other += there[at] != label
    return None if n_other else result


def unique_labels(labels):
    """Return the labels that occur, sorted, as `numpy.unique` does.

    Parameters
    ----------
    labels : int64 array of one axis, not empty

    Examples
    --------
    >>> unique_labels(np.array([5, 3, 5]))
    array([3, 5])
    """
    these: cython.const[cython.longlong][:] = labels
    n: cython.Py_ssize_t = these.shape[0]
    low: cython.longlong = these[0]
    high: cython.longlong = these[0]
    n_found: cython.Py_ssize_t = 0
    for i in range(n):
        low = min(low, these[i])
        high = max(high, these[i])
    if low < 0 <= high:  # `high - low` may overflow
        near: cython.bint = low > -SPAN and high < SPAN
    else:
        near = high - low < SPAN
    if not near:
        return np.unique(labels)
    span: cython.Py_ssize_t = high - low + 1
    present: cython.uchar[::1] = np.zeros(span, dtype=np.uint8)
    for i in range(n):
        present[these[i] - low] = 1
    for k in range(span):
        n_found += present[k]
    result = np.empty(n_found, dtype=np.int64)
    out: cython.longlong[::1] = result
    i = 0
    for k in range(span):
        if present[k]:
            out[i] = low + k
            i += 1
    return result
