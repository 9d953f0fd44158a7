# cython: infer_types=True
"""Class scores as probabilities."""

import cython
import numpy as np

FLOATS, CODES = np.dtype(np.float64), np.dtype(np.intp)  # NumPy has a single object of each
FEW = 8  # NumPy sums fewer numbers one after the other, and more of them in another order


def check_scores(model, X, scores, method):
    """Return the scores of rows, after their shape was checked: (rows, classes of the model)."""
    shape = len(X), len(model.classes_)
    if getattr(scores, "shape", None) != shape:
        raise ValueError(
            f"{method} of {type(model).__name__} must return an array of shape {shape}, with a row "
            "for each row of X and a column for each of classes_. Got shape "
            f"{np.shape(scores)} instead."
        )
    return scores


def normalize(scores):
    """Return class scores as probabilities, uniform where all scores of a row are 0.

    Examples
    --------
    >>> normalize(np.array([[1.0, 3.0], [0.0, 0.0]]))
    array([[0.25, 0.75],
           [0.5 , 0.5 ]])
    """
    probas, complete = normalize_rows(scores)
    if complete:
        return probas
    if not (scores >= 0).all():
        raise ValueError("class scores must be numbers >= 0; some are negative or nan")
    return np.where((probas > 0).any(axis=1, keepdims=True), probas, 1.0 / scores.shape[1])


def normalize_rows(scores):
    """Return each row divided by its sum, and whether every sum is positive.

    Other rows become 0. The bits are those of NumPy's sum and division, which take ten times as
    long for a few classes.

    Parameters
    ----------
    scores : array of shape (rows, classes)

    Returns
    -------
    probas : array of the same shape
    complete : bool

    Examples
    --------
    >>> normalize_rows(np.array([[1.0, 3.0], [0.0, 0.0]]))
    (array([[0.25, 0.75],
           [0.  , 0.  ]]), False)
    """
    if scores.dtype is not FLOATS or not scores.flags.c_contiguous or scores.shape[1] >= FEW:
        total = scores.sum(axis=1, keepdims=True)
        some = total > 0
        return np.divide(scores, total, out=np.zeros(scores.shape), where=some), bool(some.all())
    probas = scores.copy()
    return probas, bool(normalize_in_place(probas))


def normalize_in_place(scores):
    """Divide each row by its sum, or fill it with 0; return whether every sum is positive."""
    complete: cython.bint = True
    total: cython.double
    if scores.shape[1] >= FEW:
        values = np.asarray(scores)
        values[:], complete = normalize_rows(values)
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


def argmax_rows(probas: cython.const[cython.double][:, ::1]):
    """Return the position of the largest value of each row, the first of equals.

    Parameters
    ----------
    probas : C-ordered float64 array of shape (rows, classes), without nan

    Returns
    -------
    intp array of shape (rows,)

    Examples
    --------
    >>> argmax_rows(np.array([[0.25, 0.75], [0.5, 0.5]]))
    array([1, 0])
    """
    result = np.empty(probas.shape[0], CODES)
    out: cython.Py_ssize_t[::1] = result
    for i in range(probas.shape[0]):
        best: cython.Py_ssize_t = 0
        for c in range(1, probas.shape[1]):
            if probas[i, c] > probas[i, best]:
                best = c
        out[i] = best
    return result
