"""What the counts of a confusion matrix say about a learner.

Every chunk leaves one matrix ``C[true, predicted]`` behind. The matrices of several chunks can be
added, so a metric over all chunks is exact and not a mean of means; and they can be stacked: each
function takes an array of shape ``(..., K, K)`` and returns one value (`recall`: one a class) for
each matrix. A matrix without rows gives nan, and so does the recall of a class that no row has.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from driftlearn._types import Floats, Ints, Labels


def confusion(y_true: Any, y_pred: Any, classes: Any) -> Ints:
    """Count how often each class was taken for each other.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n,)
        True and predicted labels, all of them in `classes`.
    classes : array-like of shape (K,)
        The labels, sorted.

    Returns
    -------
    ndarray of int, shape (K, K)
        ``C[i, j]`` rows of class ``classes[i]`` were predicted to be ``classes[j]``.

    Examples
    --------
    >>> confusion(["a", "b", "b"], ["a", "a", "b"], ["a", "b"])
    array([[1, 0],
           [1, 1]])
    """
    labels = np.asarray(classes)
    k = len(labels)
    code = _codes(y_true, labels) * k + _codes(y_pred, labels)
    return np.bincount(code, minlength=k * k).reshape(k, k)


def unknown(y: Labels, classes: Labels) -> bool:
    """Say whether `y` holds a label that the sorted `classes` lack."""
    if not len(classes):
        return len(y) > 0
    place = np.minimum(np.searchsorted(classes, y), len(classes) - 1)
    return bool((classes[place] != y).any())


def _codes(y: Any, classes: Labels) -> Ints:
    y = np.asarray(y)
    if unknown(y, classes):
        strange = sorted(set(y.tolist()) - set(classes.tolist()))
        raise ValueError(f"labels {strange} are not among the classes {classes.tolist()}")
    codes: Ints = np.searchsorted(classes, y)
    return codes


def ratio(a: Any, b: Any) -> Floats:
    """Divide, with nan where there is nothing to divide by."""
    a, b = np.broadcast_arrays(np.asarray(a, dtype=float), np.asarray(b, dtype=float))
    quotient: Floats = np.divide(a, b, out=np.full(a.shape, np.nan), where=b != 0)
    return quotient


def mean(values: Any, axis: int = -1) -> Floats:
    """Return the mean of what is not nan; nan, and no warning, where nothing is."""
    values = np.asarray(values, dtype=float)
    known = ~np.isnan(values)
    return ratio(np.where(known, values, 0.0).sum(axis), known.sum(axis))


def std(values: Any, axis: int = -1) -> Floats:
    """Return the sample standard deviation of what is not nan; nan for fewer than two values."""
    values = np.asarray(values, dtype=float)
    known = ~np.isnan(values)
    off = np.where(known, values - np.expand_dims(mean(values, axis), axis), 0.0)
    return np.sqrt(ratio((off**2).sum(axis), np.maximum(known.sum(axis) - 1, 0)))


def accuracy(C: Any) -> Floats:
    """Return the share of rows predicted right.

    Examples
    --------
    >>> float(accuracy([[8, 2], [1, 9]]))
    0.85
    """
    C = np.asarray(C)
    return ratio(np.trace(C, axis1=-2, axis2=-1), C.sum((-2, -1)))


def recall(C: Any) -> Floats:
    """Return for each class the share of its rows predicted right; nan for an absent class.

    Examples
    --------
    >>> recall([[8, 2, 0], [1, 3, 0], [0, 0, 0]])
    array([0.8 , 0.75,  nan])
    """
    C = np.asarray(C)
    return ratio(np.diagonal(C, axis1=-2, axis2=-1), C.sum(-1))


def balanced_accuracy(C: Any) -> Floats:
    """Return the mean recall of the classes that are present.

    Examples
    --------
    >>> float(balanced_accuracy([[8, 2, 0], [1, 3, 0], [0, 0, 0]]))
    0.775
    """
    return mean(recall(C))


def g_mean(C: Any) -> Floats:
    """Return the geometric mean of the recalls of the classes that are present.

    It is zero as soon as one class is never found, which makes it the metric for rare classes.

    Examples
    --------
    >>> float(g_mean([[9, 1], [6, 4]]))
    0.6
    """
    R = recall(C)
    known = ~np.isnan(R)
    with np.errstate(divide="ignore"):
        logs = np.where(known, np.log(np.where(known, R, 1.0)), 0.0)
    return np.exp(ratio(logs.sum(-1), known.sum(-1)))


def kappa(C: Any) -> Floats:
    """Return Cohen's kappa: the accuracy above that of guessing with the same class shares.

    Where true and predicted labels are all of one class, guessing is as good as anything and kappa
    is nan.

    Examples
    --------
    >>> float(kappa([[8, 2], [1, 9]]))
    0.7
    """
    C = np.asarray(C, dtype=float)
    n = C.sum((-2, -1))
    chance = ratio((C.sum(-1) * C.sum(-2)).sum(-1), n**2)
    return ratio(accuracy(C) - chance, 1 - chance)


def log_loss(y_true: Any, proba: Any, classes: Sequence[Any] | Labels) -> float:
    """Return the mean negative logarithm of the probability given to the true class.

    Parameters
    ----------
    y_true : array-like of shape (n,)
        True labels. One that the learner has never seen has probability zero.
    proba : array-like of shape (n, K)
        What the learner's `predict_proba` returned.
    classes : array-like of shape (K,)
        The learner's classes, one a column, sorted.

    Returns
    -------
    float
        Probabilities below the spacing of floats around one, zero among them, count as that
        spacing, as in scikit-learn; so a row the learner ruled out costs 36.

    Examples
    --------
    >>> round(log_loss([0, 1], [[0.5, 0.5], [0.2, 0.8]], [0, 1]), 4)
    0.4581
    """
    y, proba, labels = np.asarray(y_true), np.asarray(proba, dtype=float), np.asarray(classes)
    column = np.minimum(np.searchsorted(labels, y), len(labels) - 1)
    p = np.where(labels[column] == y, proba[np.arange(len(y)), column], 0.0)
    total = proba.sum(axis=1)
    p = np.divide(p, total, out=np.zeros(len(y)), where=total > 0)
    return float(mean(-np.log(np.clip(p, np.finfo(float).eps, 1.0))))


#: The metrics of a confusion matrix by name; for all of them more is better.
METRICS: dict[str, Callable[[Any], Floats]] = {
    "accuracy": accuracy,
    "balanced_accuracy": balanced_accuracy,
    "kappa": kappa,
    "g_mean": g_mean,
}

#: How many rows count as "after the drift": as many as in the tables of the IBoost paper.
RECOVERY_ROWS = 600


def recovery(
    values: Any, start: Any, stop: Any, drifts: Sequence[int], window: int = RECOVERY_ROWS
) -> float:
    """Return the mean of a score over the first rows after each known drift.

    Parameters
    ----------
    values, start, stop : array-like of shape (n_tests,)
        A score and the rows of the stream it stands for, ``start`` to ``stop - 1``. A test that
        reaches out of the window counts with the rows inside.
    drifts : sequence of int
        The first row of each concept. Row 0 is no drift.
    window : int
        How many rows count as "after the drift"; fewer where the next drift comes sooner.

    Returns
    -------
    float
        The mean over the drifts of the mean over their windows; nan without a drift.

    Examples
    --------
    >>> recovery([0.9, 0.5, 0.7, 0.9], [0, 100, 200, 300], [100, 200, 300, 400], [100], window=200)
    0.6
    """
    values = np.asarray(values, dtype=float)
    start, stop = np.asarray(start), np.asarray(stop)
    known = ~np.isnan(values)
    changes = sorted({int(drift) for drift in drifts if drift > 0})
    means = []
    for drift, following in zip(changes, [*changes[1:], np.inf]):
        end = min(drift + window, following)
        share = np.clip(np.minimum(stop, end) - np.maximum(start, drift), 0, None)
        means.append(ratio((share * np.where(known, values, 0.0)).sum(), (share * known).sum()))
    return float(mean(means)) if means else float("nan")
