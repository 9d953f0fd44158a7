"""Means and variances that run along with the rows, and rows that are filled and scaled by them.

A row is filled and scaled by what was known before it and counts afterwards, so the outcome has the
same bits however rows are sliced into calls.
"""

import cython
import numpy as np
from cython.cimports.libc.math import sqrt

# Standardized values are clipped to this many standard deviations, since learners square their
# input.
FARTHEST = cython.declare(cython.double, 1e6)


def fill(
    X: cython.double[:, ::1],
    count: cython.double[::1],
    mean: cython.double[::1],
    var: cython.double[::1],
    scaled: cython.const[cython.uchar][::1],
    window: cython.double,
    native: cython.bint,
    learning: cython.bint,
):
    """Fill and scale rows in place; count them if `learning`.

    Parameters
    ----------
    X : float array of shape (n, d)
        The rows; nan is missing. It becomes the mean, or 0 where there is none yet.
    count, mean, var : float arrays of shape (d,)
        The number of values, their mean and variance; they are changed if `learning`.
    scaled : uint8 array of shape (d,)
        Which columns are scaled to mean 0 and variance 1; where nothing varies yet, to 0.
    window : float
        A value that is so many values old counts for 37 %; infinite where all count alike.
    native : bool
        Leave nan as it is.
    learning : bool
        Whether the rows count.
    """
    i: cython.Py_ssize_t
    j: cython.Py_ssize_t
    d: cython.Py_ssize_t = X.shape[1]
    x: cython.double
    apart: cython.double
    far: cython.double
    k: cython.double
    if not count.shape[0] == mean.shape[0] == var.shape[0] == scaled.shape[0] == d:
        raise ValueError(f"moments have {count.shape[0]} columns, but rows have {d}")
    for i in range(X.shape[0]):
        for j in range(d):
            x = X[i, j]
            if x != x:
                if not native:
                    X[i, j] = 0.0 if scaled[j] else mean[j]
                continue
            apart = x - mean[j]
            if scaled[j]:
                far = 0.0
                if var[j] > 0.0:
                    far = apart / sqrt(var[j])
                    far = min(max(far, -FARTHEST), FARTHEST)
                X[i, j] = far
            if learning:
                count[j] += 1.0
                k = min(count[j], window)
                mean[j] += apart / k
                var[j] += (apart * (x - mean[j]) - var[j]) / k


def first_beyond(X: cython.const[cython.double][:, ::1], most: cython.double):
    """Return the place, counted row by row, of the first number beyond `most`; -1 if none is.

    Examples
    --------
    >>> first_beyond(np.array([[0.0, np.nan], [-np.inf, 1.0]]), 9.0)
    2
    """
    i: cython.Py_ssize_t
    j: cython.Py_ssize_t
    for i in range(X.shape[0]):
        for j in range(X.shape[1]):
            if X[i, j] > most or X[i, j] < -most:
                return i * X.shape[1] + j
    return -1


def shares(
    codes: cython.const[cython.Py_ssize_t][::1],
    counts: cython.double[::1],
    learning: cython.bint,
):
    """Return the share of each code among all before it; count the codes if `learning`.

    Parameters
    ----------
    codes : intp array of shape (n,)
        Places in `counts`, below its length; negative ones have the share 0 and do not count.
    counts : float array
        How often each code came; its last entry is for all of them.
    learning : bool
        Whether these count.

    Examples
    --------
    >>> counts = np.zeros(3)
    >>> shares(np.array([0, 1, 0], dtype=np.intp), counts, True), counts
    (array([0. , 0. , 0.5]), array([2., 1., 3.]))
    """
    i: cython.Py_ssize_t
    k: cython.Py_ssize_t
    last: cython.Py_ssize_t = counts.shape[0] - 1
    found = np.zeros(codes.shape[0])
    out: cython.double[::1] = found
    for i in range(codes.shape[0]):
        k = codes[i]
        if k >= last:
            raise ValueError(f"code {k} is out of range: there are counts of {last} codes")
        if k >= 0 and counts[last] > 0.0:
            out[i] = counts[k] / counts[last]
        if learning:
            if k >= 0:
                counts[k] += 1.0
            counts[last] += 1.0
    return found
