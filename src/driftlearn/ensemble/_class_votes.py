# cython: infer_types=True
"""Sums of votes of members that were trained on different classes.

As in `driftlearn.ensemble._votes`, votes are added in the order of the members. Rows are processed
256 at a time, so that their sums stay in the cache.
"""

import cython
import numpy as np

from driftlearn.ensemble._votes import shape_mismatch, unknown_class


def tally_own(labels, weights):
    """Sum the members' weights by predicted class, given one weight per member and class.

    Parameters
    ----------
    labels : int32 array of shape (members, rows)
        Class codes.
    weights : float array of shape (members, classes)
        Voting weights.

    Returns
    -------
    float array of shape (rows, classes)
    """
    out_of_range: cython.int = 0
    n = labels.shape[1]
    n_classes = weights.shape[1]
    if labels.shape[0] != weights.shape[0]:
        raise shape_mismatch(labels, weights)
    scores = np.zeros((n, n_classes))
    out: cython.double[:, ::1] = scores
    with cython.nogil:
        # In blocks of rows, the inner loops run over contiguous arrays that stay in the cache.
        for start in range(0, n, 256):
            end = min(start + 256, n)
            for m in range(labels.shape[0]):
                for i in range(start, end):
                    c = labels[m, i]
                    if 0 <= c < n_classes:
                        out[i, c] += weights[m, c]
                    else:
                        out_of_range = c
    if out_of_range:
        raise unknown_class(out_of_range, n_classes)
    return scores


def tally_discounted(labels, weights, known, confidence, negligible):
    """Sum the members' weights by predicted class, discounted for unknown classes.

    Parameters
    ----------
    labels : int32 array of shape (members, rows)
        Class codes; -1 is an abstention.
    weights : float array of shape (members,)
        Voting weights.
    known : uint8 array of shape (members, classes)
        Which classes a member was trained on.
    confidence : float array of shape (rows, classes)
        The weight of a member is multiplied by 1 minus the confidence in each class that it was not
        trained on.
    negligible : float
        Weights are not discounted on rows where every class would have at most this score.

    Returns
    -------
    float array of shape (rows, classes)

    Examples
    --------
    >>> labels, known = np.array([[0], [1]], dtype=np.int32), np.array([[1, 0], [1, 1]], np.uint8)
    >>> tally_discounted(labels, np.ones(2), known, np.array([[0.5, 0.75]]), 0.0)
    array([[0.25, 1.  ]])
    """
    empty: cython.bint
    out_of_range: cython.int = -1
    n = labels.shape[1]
    n_classes = known.shape[1]
    if labels.shape[0] != weights.shape[0] or labels.shape[0] != known.shape[0]:
        raise shape_mismatch(labels, weights)
    if confidence.shape[0] != n or confidence.shape[1] != n_classes:
        raise shape_mismatch(labels, confidence)
    # factors for members that do not know the class
    factor: cython.double[:, ::1] = np.empty((n_classes, 256))
    weight: cython.double[::1] = np.empty(256)
    scores = np.zeros((n, n_classes))
    out: cython.double[:, ::1] = scores
    with cython.nogil:
        for start in range(0, n, 256):
            size = min(n - start, 256)
            for i in range(size):
                for k in range(n_classes):
                    factor[k, i] = 1.0 - confidence[start + i, k]
            for m in range(labels.shape[0]):
                for i in range(size):
                    weight[i] = weights[m]
                for k in range(n_classes):
                    if not known[m, k]:
                        for i in range(size):
                            weight[i] *= factor[k, i]
                for i in range(size):
                    c = labels[m, start + i]
                    if c >= n_classes:
                        out_of_range = c
                    elif c >= 0:
                        out[start + i, c] += weight[i]
            for i in range(start, start + size):
                # If every member is discounted to nothing, the row would have no prediction: the
                # members' full weights are used instead.
                empty = True
                for k in range(n_classes):
                    empty = empty and out[i, k] <= negligible
                if empty:
                    for k in range(n_classes):
                        out[i, k] = 0.0
                    for m in range(labels.shape[0]):
                        c = labels[m, i]
                        if 0 <= c < n_classes:
                            out[i, c] += weights[m]
    if out_of_range >= 0:
        raise unknown_class(out_of_range, n_classes)
    return scores


def named_shares(labels, weights, members, possible):
    """Return, for each row, the vote shares of the classes that the given members predict.

    Parameters
    ----------
    labels : int32 array of shape (members, rows)
        Class codes.
    weights : float array of shape (members, classes)
        Voting weights, none negative.
    members : intp array
        The members whose votes are summed, in this order.
    possible : float array of shape (classes,)
        Divisors of the sums.

    Returns
    -------
    share, row, code : float, intp and intp arrays
        The positive shares, and their rows and classes.

    Examples
    --------
    >>> labels = np.array([[0, 1], [1, 1]], dtype=np.int32)
    >>> named_shares(labels, np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([0, 1]), np.full(2, 8.0))
    (array([0.125, 0.5  , 0.75 ]), array([0, 0, 1]), array([0, 1, 1]))
    """
    n_found: cython.Py_ssize_t = 0
    out_of_range: cython.int = 0
    n = labels.shape[1]
    n_classes = weights.shape[1]
    if labels.shape[0] != weights.shape[0] or possible.shape[0] != n_classes:
        raise shape_mismatch(labels, weights)
    sums: cython.double[::1] = np.zeros(n_classes)
    named: cython.int[::1] = np.empty(n_classes + members.shape[0], dtype=np.int32)
    room = n * members.shape[0]
    found = np.empty(room), np.empty(room, dtype=np.intp), np.empty(room, dtype=np.intp)
    share: cython.double[::1] = found[0]
    row: cython.Py_ssize_t[::1] = found[1]
    code: cython.Py_ssize_t[::1] = found[2]
    with cython.nogil:
        for i in range(n):
            n_named: cython.Py_ssize_t = 0
            for k in range(members.shape[0]):
                m = members[k]
                c = labels[m, i]
                if not 0 <= c < n_classes:
                    out_of_range = c
                else:
                    if sums[c] == 0.0:
                        named[n_named] = c
                        n_named += 1
                    sums[c] += weights[m, c]
            # Only the classes that were named are reset, since there may be far more classes than
            # members.
            for k in range(n_named):
                c = named[k]
                part = sums[c] / possible[c]
                sums[c] = 0.0
                if part > 0.0:
                    share[n_found] = part
                    row[n_found] = i
                    code[n_found] = c
                    n_found += 1
    if out_of_range:
        raise unknown_class(out_of_range, n_classes)
    return tuple([each[:n_found] for each in found])


def add_shares(scores, share, row, code, part, total):
    """Add ``share * part / total`` to the scores, (rows, classes), at the given rows and codes.

    `part` and `total` have one entry per class.
    """
    with cython.nogil:
        for k in range(share.shape[0]):
            c = code[k]
            scores[row[k], c] += share[k] * part[c] / total[c]
