"""Metrics of confusion matrices, probabilities and concepts.

Each chunk has one confusion matrix ``C[true, predicted]``. The matrices of several chunks can be
added, so a metric over all chunks is exact and not a mean of means. They can also be stacked: each
function takes an array of shape ``(..., K, K)`` and returns one value per matrix (`recall`: one per
class). A matrix without rows gives nan, and so does the recall of a class without rows.

Metrics of probabilities (`log_loss`, `brier_score`, `auc`, `calibration`) take labels and the
output of `predict_proba`; those of concepts take scores and the rows or concepts they belong to.
``docs/metrics.rst`` has every formula and where it comes from.
"""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from driftlearn.evaluate._arithmetic import mean as mean
from driftlearn.evaluate._arithmetic import ratio as ratio
from driftlearn.evaluate._arithmetic import std as std
from driftlearn.evaluate._concept_metrics import RECOVERY_ROWS as RECOVERY_ROWS
from driftlearn.evaluate._concept_metrics import kinds_of_drifts as kinds_of_drifts
from driftlearn.evaluate._concept_metrics import recovery as recovery
from driftlearn.evaluate._concept_metrics import transfer as transfer
from driftlearn.evaluate._probability_metrics import auc as auc
from driftlearn.evaluate._probability_metrics import brier_score as brier_score
from driftlearn.evaluate._probability_metrics import calibration as calibration
from driftlearn.evaluate._probability_metrics import calibration_error as calibration_error
from driftlearn.evaluate._probability_metrics import log_loss as log_loss
from driftlearn.utils.typing import Floats, Ints, Labels


def confusion(y_true: Any, y_pred: Any, classes: Any) -> Ints:
    """Return the confusion matrix of true and predicted labels.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n,)
        True and predicted labels, all of them in `classes`.
    classes : array-like of shape (K,)
        Labels, sorted.

    Returns
    -------
    ndarray of int, shape (K, K)
        ``C[i, j]`` is the number of rows of class ``classes[i]`` predicted as ``classes[j]``.

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
    """Return whether `y` contains a label that is not in the sorted `classes`."""
    if not len(classes):
        return len(y) > 0
    place = np.minimum(np.searchsorted(classes, y), len(classes) - 1)
    return bool((classes[place] != y).any())


def _codes(y: Any, classes: Labels) -> Ints:
    y = np.asarray(y)
    if unknown(y, classes):
        others = sorted(set(y.tolist()) - set(classes.tolist()))
        raise ValueError(f"y contains labels that are not in classes {classes.tolist()}: {others}")
    return np.searchsorted(classes, y)


def accuracy(C: Any) -> Floats:
    """Return the fraction of rows predicted right.

    Examples
    --------
    >>> float(accuracy([[8, 2], [1, 9]]))
    0.85
    """
    C = np.asarray(C)
    return ratio(np.trace(C, axis1=-2, axis2=-1), C.sum((-2, -1)))


def recall(C: Any) -> Floats:
    """Return for each class the fraction of its rows predicted right; nan for an absent class.

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

    It is 0 if the recall of any class is 0, which makes it a metric for rare classes.

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

    nan if true and predicted labels are all of one class.

    Examples
    --------
    >>> float(kappa([[8, 2], [1, 9]]))
    0.7
    """
    C = np.asarray(C, dtype=float)
    n = C.sum((-2, -1))
    chance = ratio((C.sum(-1) * C.sum(-2)).sum(-1), n**2)
    return ratio(accuracy(C) - chance, 1 - chance)


def kappa_m(C: Any) -> Floats:
    """Return kappa-M: the accuracy above that of always predicting the most frequent class.

    That class is the most frequent among the same rows, in hindsight; nan if all rows are of one
    class. Below 0, predicting the majority would have been better.

    Examples
    --------
    >>> float(kappa_m([[8, 2], [1, 9]]))
    0.7
    """
    C = np.asarray(C, dtype=float)
    trivial = ratio(C.sum(-1).max(-1, initial=0.0), C.sum((-2, -1)))
    return ratio(accuracy(C) - trivial, 1 - trivial)


def kappa_temporal(C: Any, unchanged: Any) -> Floats:
    """Return kappa-temporal: the accuracy above that of repeating the label of the row before.

    Parameters
    ----------
    C : array-like of shape (..., K, K)
        Confusion matrices.
    unchanged : array-like of shape (...)
        Number of their rows with the same label as the previous row of the stream; nan if the
        rows are not in the order of the stream.

    Returns
    -------
    ndarray
        nan if no label changes. Below 0, repeating the last label would have been better.

    Examples
    --------
    >>> float(kappa_temporal([[8, 2], [1, 9]], 16))
    0.25
    """
    trivial = ratio(unchanged, np.asarray(C).sum((-2, -1)))
    return ratio(accuracy(C) - trivial, 1 - trivial)


def precision(C: Any) -> Floats:
    """Return for each class the fraction of its predictions that are right; nan without any.

    Examples
    --------
    >>> precision([[8, 2, 0], [0, 3, 0], [0, 0, 0]])
    array([1. , 0.6, nan])
    """
    C = np.asarray(C)
    return ratio(np.diagonal(C, axis1=-2, axis2=-1), C.sum(-2))


def f1(C: Any) -> Floats:
    """Return for each class the harmonic mean of precision and recall; nan for an absent class.

    Examples
    --------
    >>> f1([[8, 2, 0], [0, 3, 0], [0, 0, 0]])
    array([0.88888889, 0.75      ,        nan])
    """
    C = np.asarray(C)
    return ratio(2 * np.diagonal(C, axis1=-2, axis2=-1), C.sum(-1) + C.sum(-2))


def macro(per_class: Callable[[Any], Floats], C: Any) -> Floats:
    """Return the mean of a per-class metric over the classes that occur, true or predicted.

    An undefined value counts as 0, as in scikit-learn: the precision of a class that is never
    predicted, or the recall of a class that is predicted but does not occur.

    Examples
    --------
    >>> float(macro(precision, [[8, 0], [2, 0]]))
    0.4
    """
    C = np.asarray(C)
    occurs = C.sum(-1) + C.sum(-2) > 0
    return mean(np.where(occurs, np.nan_to_num(per_class(C)), np.nan))


#: Metrics with one value per class, by name; see `macro`.
PER_CLASS: dict[str, Callable[[Any], Floats]] = {"precision": precision, "recall": recall, "f1": f1}

#: Metrics computed from a confusion matrix, by name; for all of them, larger is better.
METRICS: dict[str, Callable[[Any], Floats]] = {
    "accuracy": accuracy,
    "balanced_accuracy": balanced_accuracy,
    "kappa": kappa,
    "kappa_m": kappa_m,
    "g_mean": g_mean,
    **{name: partial(macro, per_class) for name, per_class in PER_CLASS.items()},
}
