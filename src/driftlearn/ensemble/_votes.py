"""Counting votes: sums over members, always in the order of the members.

A matrix product would be as fast, but its order of summation depends on the shape of the batch;
here a row's score has the same bits however the rows are sliced.

What a member of fixed opinion says about fixed rows never changes, so it can be filed and counted
again whenever weights have moved. A file has a row a member, in any order, and rows of members
that have left; `where` names the member's row.
"""

import cython
import numpy as np

Code = cython.fused_type(cython.schar, cython.short)


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
    start: cython.Py_ssize_t
    end: cython.Py_ssize_t
    beyond: cython.int = -1
    n: cython.Py_ssize_t = labels.shape[1]
    if labels.shape[0] != weights.shape[0]:
        raise misfit(labels, weights)
    scores = np.zeros((n, n_classes))
    out: cython.double[:, ::1] = scores
    with cython.nogil:
        for start in range(0, n, 256):
            end = min(start + 256, n)
            for m in range(labels.shape[0]):
                for i in range(start, end):
                    c = labels[m, i]
                    if c >= n_classes:
                        beyond = c
                    elif c >= 0:
                        out[i, c] += weights[m]
    if beyond >= 0:
        raise no_class(beyond, n_classes)
    return scores


def blend(probas, weights: cython.const[cython.double][::1]):
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
    k: cython.Py_ssize_t
    start: cython.Py_ssize_t
    end: cython.Py_ssize_t
    weight: cython.double
    n_members, n, n_classes = probas.shape
    if n_members != weights.shape[0]:
        raise misfit(probas, weights)
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
    beyond: cython.int = -1
    if labels.shape[0] != weights.shape[0] or labels.shape[1] != weights.shape[1]:
        raise misfit(labels, weights)
    scores = np.zeros((labels.shape[1], n_classes))
    out: cython.double[:, ::1] = scores
    with cython.nogil:
        for m in range(labels.shape[0]):
            for i in range(labels.shape[1]):
                c = labels[m, i]
                if c >= n_classes:
                    beyond = c
                elif c >= 0:
                    out[i, c] += weights[m, i]
    if beyond >= 0:
        raise no_class(beyond, n_classes)
    return scores


def tally_cached(
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
    >>> tally_cached(said, np.array([2, 0]), np.array([1.0, 0.5]), 2)
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


def blend_cached(
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
    >>> blend_cached(shares, np.array([1, 0]))
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


def misfit(said, weights):
    """Return the error that weights and what members say do not fit together."""
    return ValueError(
        f"weights of shape {np.shape(weights)} for what members say, of shape {np.shape(said)}"
    )


def no_class(code, n_classes):
    """Return the error that there is no such class."""
    return ValueError(f"class code {code} where there are {n_classes} classes")
