# cython: infer_types=True
"""Nearest neighbors by squared distance, and counts of neighbors in the same sample."""

import cython
import numpy as np

INFINITE = cython.declare(cython.double, float("inf"))


def nearest(X, rows, k, n_names=0, unequal=1.0, others=False):
    """Return the positions in `rows` of the `k` nearest neighbors of each row, nearest first.

    Squares are summed column by column, so a distance is bit-identical in every batch; the
    summation stops once a row cannot be among the nearest.

    Parameters
    ----------
    X : float array of shape (n, d)
        The query rows.
    rows : float array of shape (m, d)
        The candidate rows; the lower position comes first on ties.
    k : int
        Number of neighbors.
    n_names : int
        Number of nominal columns, which come last and whose values are either equal or different.
    unequal : float
        Contribution of two different categories to the squared distance.
    others : bool
        Whether `X` and `rows` are the same array, so that a row must not be its own neighbor.

    Returns
    -------
    intp array of shape (n, k)

    Examples
    --------
    >>> rows = np.array([[0.0], [1.0], [3.0], [1.0]])
    >>> nearest(np.array([[1.0]]), rows, 3).tolist()
    [[1, 3, 0]]
    >>> nearest(rows, rows, 1, others=True).ravel().tolist()
    [1, 3, 1, 1]
    >>> nearest(np.array([[3.0]]), rows, 2, n_names=1).tolist()
    [[2, 0]]
    """
    n = X.shape[0]
    m = rows.shape[0]
    d = X.shape[1]
    first_name: cython.Py_ssize_t = d - n_names
    if not 1 <= k <= m - others or rows.shape[1] != d or n_names > d or (others and n != m):
        raise ValueError(
            f"cannot find {k} neighbors of rows of shape {np.shape(X)} among rows of shape "
            f"{np.shape(rows)}"
        )
    found = np.empty((n, k), dtype=np.intp)
    out: cython.Py_ssize_t[:, ::1] = found
    best: cython.double[::1] = np.empty(k)
    with cython.nogil:
        for i in range(n):
            best[:] = INFINITE
            for j in range(m):
                if others and i == j:
                    continue
                square: cython.double = 0.0
                f = 0
                # A partial sum only grows: once it reaches the k-th smallest distance, the row is
                # ruled out.
                while f < first_name and square < best[k - 1]:
                    step = X[i, f] - rows[j, f]
                    square += step * step
                    f += 1
                while f < d and square < best[k - 1]:
                    if X[i, f] != rows[j, f]:
                        square += unequal
                    f += 1
                if square < best[k - 1]:
                    place: cython.Py_ssize_t = k - 1
                    # Insertion is fast for small k. The strict comparison keeps the lower position
                    # first on ties.
                    while place > 0 and square < best[place - 1]:
                        best[place] = best[place - 1]
                        out[i, place] = out[i, place - 1]
                        place -= 1
                    best[place] = square
                    out[i, place] = j
    return found


def pairs_together(near, inside):
    """Count, for each sample, the (row, neighbor) pairs that are both inside it or both outside.

    Parameters
    ----------
    near : intp array of shape (n, k)
        The neighbors of each row, as returned by `nearest`.
    inside : uint8 array of shape (samples, n)
        Which rows are inside each sample.

    Returns
    -------
    intp array of shape (samples,)

    Examples
    --------
    >>> near = np.array([[1], [0], [1]])
    >>> pairs_together(near, np.array([[1, 1, 0], [1, 0, 0]], dtype=np.uint8)).tolist()
    [2, 1]
    """
    n = near.shape[0]
    if inside.shape[1] != n:
        raise ValueError(f"samples have {inside.shape[1]} rows. Expected {n} rows.")
    counts = np.zeros(inside.shape[0], dtype=np.intp)
    out: cython.Py_ssize_t[::1] = counts
    with cython.nogil:
        for r in range(inside.shape[0]):
            count: cython.Py_ssize_t = 0
            for i in range(n):
                for j in range(near.shape[1]):
                    count += inside[r, i] == inside[r, near[i, j]]
            out[r] = count
    return counts
