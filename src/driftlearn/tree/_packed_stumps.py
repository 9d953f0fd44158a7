# cython: infer_types=True
"""Predictions of many decision stumps at once."""

import cython
import numpy as np


def probas(feature, threshold, missing_left, value, X, n_classes, summed=False):
    """Return the class probabilities of the side of each row in each stump, or their sums.

    Parameters
    ----------
    feature, threshold, missing_left : int32, float and uint8 arrays of shape (stumps,)
        Rows with ``x <= threshold`` are on the left. Rows with a missing value (nan) are on the
        left if `missing_left` is 1. If the feature is -1, all rows are on the left.
    value : float array of shape (stumps, 2, classes)
        Class probabilities on the left and on the right.
    X : float array of shape (rows, features)
        The rows.
    n_classes : int
        Number of classes; may exceed that of `value`.
    summed : bool
        Whether to return the sum over the stumps, added in their order.

    Returns
    -------
    float array of shape (stumps, rows, n_classes), or (rows, n_classes) if `summed`

    Examples
    --------
    >>> stump = np.array([0], dtype=np.int32), np.array([0.5]), np.array([1], dtype=np.uint8)
    >>> probas(*stump, np.array([[[0.75, 0.25], [0, 1]]]), np.array([[0.5], [0.6]]), 2)
    array([[[0.75, 0.25],
            [0.  , 1.  ]]])
    """
    side: cython.Py_ssize_t
    at: cython.Py_ssize_t
    result = np.zeros((1 if summed else feature.shape[0], X.shape[0], n_classes))
    out: cython.double[:, :, ::1] = result
    with cython.nogil:
        for j in range(feature.shape[0]):
            f = feature[j]
            at = 0 if summed else j
            for i in range(X.shape[0]):
                side = 1 if f >= 0 and X[i, f] > threshold[j] else 0
                if f >= 0 and X[i, f] != X[i, f]:
                    side = 1 - missing_left[j]
                for c in range(value.shape[2]):
                    out[at, i, c] += value[j, side, c]
    return result[0] if summed else result
