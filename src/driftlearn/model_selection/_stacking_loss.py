# cython: infer_types=True
"""Log loss of combined log-probabilities with its derivatives, summed in the order of the rows."""

import cython
import numpy as np
from cython.cimports.libc.math import exp, log


def log_loss(z, y, w, theta, probas):
    """Return the weighted log loss of combined predictions, and store their probabilities.

    Parameters
    ----------
    z : array of shape (rows, members, classes)
        Log-probabilities of the members.
    y, w : array of shape (rows,)
        Class codes and row weights.
    theta : array of shape (members + classes,)
        Weights of the members, biases of the classes.
    probas : array of shape (rows, classes)
        Receives the combined probabilities.

    Examples
    --------
    >>> z, probas = np.log([[[0.2, 0.8]], [[0.5, 0.5]]]), np.empty((2, 2))
    >>> log_loss(z, np.array([1, 0]), np.ones(2), np.array([1.0, 0.0, 0.0]), probas)
    0.916290731874155
    >>> probas
    array([[0.2, 0.8],
           [0.5, 0.5]])
    """
    n_members, n_classes = z.shape[1], z.shape[2]
    loss: cython.double = 0.0
    for i in range(z.shape[0]):
        top: cython.double = -1e300
        for k in range(n_classes):
            score: cython.double = theta[n_members + k]
            for j in range(n_members):
                score += theta[j] * z[i, j, k]
            probas[i, k] = score
            top = max(top, score)
        total: cython.double = 0.0
        own: cython.double = probas[i, y[i]] - top
        for k in range(n_classes):
            probas[i, k] = exp(probas[i, k] - top)
            total += probas[i, k]
        for k in range(n_classes):
            probas[i, k] /= total
        loss += w[i] * (log(total) - own)
    return loss


def add_derivatives(z, y, w, probas, gradient, hessian):
    """Add the derivatives of the log loss to a gradient, and to the lower half of a Hessian.

    The Hessian is the covariance, under the combined probabilities, of the derivatives of the
    scores with respect to weights and biases. The parameters are those of `log_loss`.
    """
    n_members, n_classes = z.shape[1], z.shape[2]
    spread: cython.double[:, ::1] = np.empty((n_members, n_classes))
    for i in range(z.shape[0]):
        for j in range(n_members):
            mean: cython.double = 0.0
            for k in range(n_classes):
                mean += probas[i, k] * z[i, j, k]
            gradient[j] += w[i] * (mean - z[i, j, y[i]])
            for k in range(n_classes):
                spread[j, k] = z[i, j, k] - mean
        for k in range(n_classes):
            weight: cython.double = w[i] * probas[i, k]
            row = n_members + k
            gradient[row] += weight
            hessian[row, row] += weight
            for c in range(k + 1):
                hessian[row, n_members + c] -= weight * probas[i, c]
            for j in range(n_members):
                part: cython.double = weight * spread[j, k]
                hessian[row, j] += part
                for c in range(j + 1):
                    hessian[j, c] += part * spread[c, k]
        gradient[n_members + y[i]] -= w[i]
