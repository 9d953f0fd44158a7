# cython: infer_types=True
"""Class scores of rows as shares that sum to 1."""

import cython
import numpy as np

FLOATS, CODES = np.dtype(np.float64), np.dtype(np.intp)  # NumPy has one object of each
FEW = 8  # NumPy adds up so many numbers and more in another order than one after the other


def row_shares(scores):
    """Return each row divided by its sum, and whether every row has one above 0.

    Rows that have none become 0. The bits are those of NumPy's sum and division, which take ten
    times as long for a few classes.

    Parameters
    ----------
    scores : array of shape (rows, classes)

    Returns
    -------
    shares : array of the same shape
    complete : bool

    Examples
    --------
    >>> row_shares(np.array([[1.0, 3.0], [0.0, 0.0]]))
    (array([[0.25, 0.75],
           [0.  , 0.  ]]), False)
    """
    if scores.dtype is not FLOATS or not scores.flags.c_contiguous or scores.shape[1] >= FEW:
        total = scores.sum(axis=1, keepdims=True)
        some = total > 0
        return np.divide(scores, total, out=np.zeros(scores.shape), where=some), bool(some.all())
    shares = scores.copy()
    return shares, bool(to_shares(shares))


def to_shares(scores):
    """Divide each row by its sum, or fill it with 0; return whether every row has one above 0."""
    complete: cython.bint = True
    total: cython.double
    if scores.shape[1] >= FEW:
        values = np.asarray(scores)
        values[:], complete = row_shares(values)
        return complete
    for i in range(scores.shape[0]):
        total = 0.0
        for c in range(scores.shape[1]):
            total += scores[i, c]
        if not total > 0.0:
            complete = False
            for c in range(scores.shape[1]):
                scores[i, c] = 0.0
        elif total != 1.0:
            for c in range(scores.shape[1]):
                scores[i, c] /= total
    return complete


def likeliest(shares: cython.const[cython.double][:, ::1]):
    """Return the place of the largest share of each row, the first among equals.

    Parameters
    ----------
    shares : C-ordered float64 array of shape (rows, classes), without nan

    Returns
    -------
    intp array of shape (rows,)

    Examples
    --------
    >>> likeliest(np.array([[0.25, 0.75], [0.5, 0.5]]))
    array([1, 0])
    """
    result = np.empty(shares.shape[0], CODES)
    out: cython.Py_ssize_t[::1] = result
    for i in range(shares.shape[0]):
        best: cython.Py_ssize_t = 0
        for c in range(1, shares.shape[1]):
            if shares[i, c] > shares[i, best]:
                best = c
        out[i] = best
    return result
