# cython: infer_types=True
"""Running means and variances, used to fill missing values and scale rows.

Each row is filled and scaled with the moments of the rows before it and then updates them, so the
results are bitwise identical however rows are split into calls.
"""

import cython
import numpy as np
from cython.cimports.libc.math import sqrt

# Standardized values are clipped to this many standard deviations, since learners square their
# input.
FARTHEST = cython.declare(cython.double, 1e6)


def fill(X, count, mean, var, scaled, window, native, learning):
    """Fill and scale rows in place; update the moments if `learning`.

    Parameters
    ----------
    X : float array of shape (n, d)
        The rows. Missing values (nan) are replaced by the mean, or by 0 if there is none yet.
    count, mean, var : float arrays of shape (d,)
        Number, mean and variance of the values; updated if `learning`.
    scaled : uint8 array of shape (d,)
        Which columns are scaled to mean 0 and variance 1; constant columns become 0.
    window : float
        Age, in values, at which the weight of a value is down to 37 %; infinite for equal weights.
    native : bool
        Whether to leave nan unchanged.
    learning : bool
        Whether to update the moments.
    """
    d = X.shape[1]
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
                far: cython.double = 0.0
                if var[j] > 0.0:
                    far = apart / sqrt(var[j])
                    far = min(max(far, -FARTHEST), FARTHEST)
                X[i, j] = far
            if learning:
                count[j] += 1.0
                k = min(count[j], window)
                mean[j] += apart / k
                var[j] += (apart * (x - mean[j]) - var[j]) / k


def first_beyond(X, most):
    """Return the flat index of the first number with a magnitude above `most`, or -1.

    Examples
    --------
    >>> first_beyond(np.array([[0.0, np.nan], [-np.inf, 1.0]]), 9.0)
    2
    """
    for i in range(X.shape[0]):
        for j in range(X.shape[1]):
            if X[i, j] > most or X[i, j] < -most:
                return i * X.shape[1] + j
    return -1


def shares(codes, counts, learning):
    """Return the relative frequency of each code so far; count the codes if `learning`.

    Parameters
    ----------
    codes : intp array of shape (n,)
        Indices into `counts`; negative codes have frequency 0 and are not counted.
    counts : float array
        Number of occurrences of each code; the last entry is the total.
    learning : bool
        Whether to count the codes.

    Examples
    --------
    >>> counts = np.zeros(3)
    >>> shares(np.array([0, 1, 0], dtype=np.intp), counts, True), counts
    (array([0. , 0. , 0.5]), array([2., 1., 3.]))
    """
    last = counts.shape[0] - 1
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
