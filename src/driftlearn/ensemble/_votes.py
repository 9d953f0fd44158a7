# cython: infer_types=True
"""Sums of votes, added in the order of the members.

A matrix product would be as fast, but its order of summation depends on the shape of the batch;
here the score of a row is bit-identical in every batch.

Predictions of a trained member for fixed rows never change, so they can be cached and summed again
when weights change. A cache has one row per member, in any order, and may contain rows of dropped
members; `where` maps each member to its row.
"""

import cython
import numpy as np


def tally(labels, weights, n_classes):
    """Add up each member's weight for its predicted class.

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
    out_of_range: cython.int = -1
    n = labels.shape[1]
    if labels.shape[0] != weights.shape[0]:
        raise shape_mismatch(labels, weights)
    scores = np.zeros((n, n_classes))
    out: cython.double[:, ::1] = scores
    with cython.nogil:
        for start in range(0, n, 256):
            end = min(start + 256, n)
            for m in range(labels.shape[0]):
                for i in range(start, end):
                    c = labels[m, i]
                    if c >= n_classes:
                        out_of_range = c
                    elif c >= 0:
                        out[i, c] += weights[m]
    if out_of_range >= 0:
        raise unknown_class(out_of_range, n_classes)
    return scores


def blend(probas, weights):
    """Sum the members' class probabilities, multiplied by their weights.

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
    n_members, n, n_classes = probas.shape
    if n_members != weights.shape[0]:
        raise shape_mismatch(probas, weights)
    flat: cython.const[cython.double][:, ::1] = probas.reshape(n_members, n * n_classes)
    scores = np.zeros(n * n_classes)
    out: cython.double[::1] = scores
    with cython.nogil:
        for start in range(0, out.shape[0], 512):
            end = min(start + 512, out.shape[0])
            for m in range(flat.shape[0]):
                weight = weights[m]
                for k in range(start, end):
                    out[k] += weight * flat[m, k]
    return scores.reshape(n, n_classes)


def tally_each(labels, weights, n_classes):
    """Sum the members' weights by predicted class, given one weight per member and row.

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
    out_of_range: cython.int = -1
    if labels.shape[0] != weights.shape[0] or labels.shape[1] != weights.shape[1]:
        raise shape_mismatch(labels, weights)
    scores = np.zeros((labels.shape[1], n_classes))
    out: cython.double[:, ::1] = scores
    with cython.nogil:
        for m in range(labels.shape[0]):
            for i in range(labels.shape[1]):
                c = labels[m, i]
                if c >= n_classes:
                    out_of_range = c
                elif c >= 0:
                    out[i, c] += weights[m, i]
    if out_of_range >= 0:
        raise unknown_class(out_of_range, n_classes)
    return scores


def tally_cached(predictions, where, weights, n_classes):
    """Add up each member's weight for its predicted class.

    Parameters
    ----------
    predictions : int8 or int16 array of shape (cached members, rows)
        Class codes.
    where : intp array of shape (members,)
        The row of `predictions` that belongs to each member.
    weights : float array of shape (members,)
        Voting weights.
    n_classes : int
        Number of classes.

    Returns
    -------
    float array of shape (rows, n_classes)

    Examples
    --------
    >>> predictions = np.array([[0, 0], [1, 1], [0, 1]], dtype=np.int8)
    >>> tally_cached(predictions, np.array([2, 0]), np.array([1.0, 0.5]), 2)
    array([[1.5, 0. ],
           [0.5, 1. ]])
    """
    scores = np.zeros((predictions.shape[1], n_classes))
    out: cython.double[:, ::1] = scores
    with cython.nogil:
        for j in range(where.shape[0]):
            k = where[j]
            weight = weights[j]
            for i in range(predictions.shape[1]):
                out[i, predictions[k, i]] += weight
    return scores


def blend_cached(shares, where):
    """Add up the members' class probabilities.

    Parameters
    ----------
    shares : float array of shape (cached members, rows, classes)
        Class probabilities.
    where : intp array of shape (members,)
        The row of `shares` that belongs to each member.

    Returns
    -------
    float array of shape (rows, classes)

    Examples
    --------
    >>> shares = np.array([[[0.5, 0.5]], [[1.0, 0.0]], [[0.0, 1.0]]])
    >>> blend_cached(shares, np.array([1, 0]))
    array([[1.5, 0.5]])
    """
    scores = np.zeros((shares.shape[1], shares.shape[2]))
    out: cython.double[:, ::1] = scores
    with cython.nogil:
        for j in range(where.shape[0]):
            k = where[j]
            for i in range(shares.shape[1]):
                for c in range(shares.shape[2]):
                    out[i, c] += shares[k, i, c]
    return scores


def shape_mismatch(predictions, weights):
    """Return the error for weights and predictions of different shapes."""
    return ValueError(
        f"weights of shape {np.shape(weights)} for predictions of shape {np.shape(predictions)}"
    )


def unknown_class(code, n_classes):
    """Return the error for a class code out of range."""
    return ValueError(f"class code {code} is out of range for {n_classes} classes")
