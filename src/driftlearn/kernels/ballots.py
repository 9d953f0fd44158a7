"""Counting votes that are on file: sums over members, always in the order of the members.

What a member says about fixed rows never changes, so it can be kept in a file and counted again
whenever confidences have moved. A file has a row a member, in any order, and rows of members that
have left; `where` names the member's row.
"""

import cython
import numpy as np

Code = cython.fused_type(cython.schar, cython.short)


def count(
    said: Code[:, ::1],
    where: cython.const[cython.Py_ssize_t][::1],
    weights: cython.const[cython.double][::1],
    n_classes: cython.Py_ssize_t,
):
    """Add up each member's weight on the class it names.

    Parameters
    ----------
    said : int8 or int16 array of shape (members on file, rows)
        Class codes.
    where : intp array of shape (members,)
        The row of `said` that is the member's.
    weights : float array of shape (members,)
        Voting weights.
    n_classes : int
        Number of classes.

    Returns
    -------
    float array of shape (rows, n_classes)

    Examples
    --------
    >>> said = np.array([[0, 0], [1, 1], [0, 1]], dtype=np.int8)
    >>> count(said, np.array([2, 0]), np.array([1.0, 0.5]), 2)
    array([[1.5, 0. ],
           [0.5, 1. ]])
    """
    i: cython.Py_ssize_t
    j: cython.Py_ssize_t
    k: cython.Py_ssize_t
    weight: cython.double
    scores = np.zeros((said.shape[1], n_classes))
    out: cython.double[:, ::1] = scores
    with cython.nogil:
        for j in range(where.shape[0]):
            k = where[j]
            weight = weights[j]
            for i in range(said.shape[1]):
                out[i, said[k, i]] += weight
    return scores


def add(
    shares: cython.const[cython.double][:, :, ::1], where: cython.const[cython.Py_ssize_t][::1]
):
    """Add up the members' class probabilities.

    Parameters
    ----------
    shares : float array of shape (members on file, rows, classes)
        Class probabilities.
    where : intp array of shape (members,)
        The row of `shares` that is the member's.

    Returns
    -------
    float array of shape (rows, classes)

    Examples
    --------
    >>> shares = np.array([[[0.5, 0.5]], [[1.0, 0.0]], [[0.0, 1.0]]])
    >>> add(shares, np.array([1, 0]))
    array([[1.5, 0.5]])
    """
    i: cython.Py_ssize_t
    j: cython.Py_ssize_t
    k: cython.Py_ssize_t
    c: cython.Py_ssize_t
    scores = np.zeros((shares.shape[1], shares.shape[2]))
    out: cython.double[:, ::1] = scores
    with cython.nogil:
        for j in range(where.shape[0]):
            k = where[j]
            for i in range(shares.shape[1]):
                for c in range(shares.shape[2]):
                    out[i, c] += shares[k, i, c]
    return scores
