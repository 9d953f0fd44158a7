# cython: infer_types=True
"""Compiled weighted majority vote of several models, row by row."""

import cython

# Weights that differ by at most this much count as equal; otherwise predictions could depend on
# rounding.
TOLERANCE = cython.declare(cython.double, 1e-12)


def vote(codes, truth, weights, prior, beta, share, out):
    """Predict rows by the weighted vote; update the weights after each row with a known label.

    The rule is that of `ModelWeights`.

    Parameters
    ----------
    codes : intp array of shape (n_rows, n_models)
        The label that each model predicts, as a code; -1 if it abstains.
    truth : intp array of shape (n_rows,) or (0,)
        The labels, -2 for those that no model predicts; empty if they are not known.
    weights : float array of shape (n_models,)
        The weights, which are updated.
    prior : float array of shape (n_models,)
        The prior weights.
    beta, share : float
        The constants of the rule.
    out : intp array of shape (n_rows, 2)
        Receives for each row the predicted code, and the position of the model with the largest
        weight among those that predicted it; both are -1 if all models abstain.
    """
    m = codes.shape[1]
    if not weights.shape[0] == prior.shape[0] == m:
        raise ValueError(f"there are {m} models, but {weights.shape[0]} weights")
    if out.shape[0] != codes.shape[0] or out.shape[1] != 2:
        raise ValueError("out must have two columns, and a row for each row of the codes")
    if truth.shape[0] not in (0, codes.shape[0]):
        raise ValueError(f"there are {codes.shape[0]} rows, but {truth.shape[0]} labels")
    for i in range(codes.shape[0]):
        best: cython.Py_ssize_t = -1
        source: cython.Py_ssize_t = -1
        most: cython.double = -1.0
        for j in range(m):
            if is_first(codes, i, j):
                total = weight_of(codes, weights, i, j)
                if total > most + TOLERANCE:
                    best = codes[i, j]
                    most = total
        most = 0.0
        for j in range(m):
            if best >= 0 and codes[i, j] == best and weights[j] > most + TOLERANCE:
                source = j
                most = weights[j]
        out[i, 0] = best
        out[i, 1] = source
        if truth.shape[0] > 0:
            update(codes, i, truth[i], weights, beta)
            for j in range(m):
                weights[j] += share * (prior[j] - weights[j])


def weight_of(codes, weights, i, first):
    """Return the weight of the models with the label of the first one, in their order."""
    total: cython.double = 0.0
    for j in range(first, codes.shape[1]):
        if codes[i, j] == codes[i, first]:
            total += weights[j]
    return total


def is_first(codes, i, j):
    """Return whether a model predicts a label that no model before it predicts."""
    if codes[i, j] < 0:
        return False
    for k in range(j):  # noqa: SIM110 (a loop in C)
        if codes[i, k] == codes[i, j]:
            return False
    return True


def update(codes, i, truth, weights, beta):
    """Reduce the weights of models that were wrong, unless all models or none were right."""
    total: cython.double = 0.0
    right: cython.double = 0.0
    n_labels: cython.Py_ssize_t = 0
    known: cython.bint = False
    for j in range(codes.shape[1]):
        if is_first(codes, i, j):
            weight = weight_of(codes, weights, i, j)
            n_labels += 1
            total += weight
            if codes[i, j] == truth:
                known = True
                right = weight
    if not known or n_labels == 1:
        return
    up = total / (right + beta * (total - right))
    down = beta * up
    for j in range(codes.shape[1]):
        if codes[i, j] >= 0:
            weights[j] *= up if codes[i, j] == truth else down
