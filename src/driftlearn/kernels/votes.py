"""Counting votes: sums over members, always in the order of the members.

A matrix product would be as fast, but its order of summation depends on the shape of the batch;
here a row's score has the same bits however the rows are sliced.
"""

import cython
import numpy as np


def tally(
    labels: cython.const[cython.int][:, ::1],
    weights: cython.const[cython.double][::1],
    n_classes: cython.Py_ssize_t,
):
    """Add up each member's weight on the class it names.

    Parameters
    ----------
    labels : int32 array of shape (members, rows)
        Class codes; -1 is an abstention.
    weights : float array of shape (members,)
        Voting weights.
    n_classes : int
        Number of classes.

    Returns
    -------
    float array of shape (rows, n_classes)
    """
    m: cython.Py_ssize_t
    i: cython.Py_ssize_t
    c: cython.int
    n: cython.Py_ssize_t = labels.shape[1]
    scores = np.zeros((n, n_classes))
    out: cython.double[:, ::1] = scores
    with cython.nogil:
        for m in range(labels.shape[0]):
            for i in range(n):
                c = labels[m, i]
                if c >= 0:
                    out[i, c] += weights[m]
    return scores


def blend(
    probas: cython.const[cython.double][:, :, ::1], weights: cython.const[cython.double][::1]
):
    """Add up the members' probability vectors, each times its weight.

    Parameters
    ----------
    probas : float array of shape (members, rows, classes)
        Class probabilities.
    weights : float array of shape (members,)
        Voting weights.

    Returns
    -------
    float array of shape (rows, classes)
    """
    m: cython.Py_ssize_t
    i: cython.Py_ssize_t
    c: cython.Py_ssize_t
    scores = np.zeros((probas.shape[1], probas.shape[2]))
    out: cython.double[:, ::1] = scores
    with cython.nogil:
        for m in range(probas.shape[0]):
            for i in range(probas.shape[1]):
                for c in range(probas.shape[2]):
                    out[i, c] += weights[m] * probas[m, i, c]
    return scores


def tally_each(
    labels: cython.const[cython.int][:, ::1],
    weights: cython.const[cython.double][:, ::1],
    n_classes: cython.Py_ssize_t,
):
    """Add up each member's weight on the class it names, the weight being different row by row.

    Parameters
    ----------
    labels : int32 array of shape (members, rows)
        Class codes; -1 is an abstention.
    weights : float array of shape (members, rows)
        Voting weights.
    n_classes : int
        Number of classes.

    Returns
    -------
    float array of shape (rows, n_classes)
    """
    m: cython.Py_ssize_t
    i: cython.Py_ssize_t
    c: cython.int
    scores = np.zeros((labels.shape[1], n_classes))
    out: cython.double[:, ::1] = scores
    with cython.nogil:
        for m in range(labels.shape[0]):
            for i in range(labels.shape[1]):
                c = labels[m, i]
                if c >= 0:
                    out[i, c] += weights[m, i]
    return scores
