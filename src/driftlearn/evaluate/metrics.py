"""What counts, probabilities and concepts say about a learner.

Every chunk leaves one matrix ``C[true, predicted]`` behind. The matrices of several chunks can be
added, so a metric over all chunks is exact and not a mean of means; and they can be stacked: each
function takes an array of shape ``(..., K, K)`` and returns one value (`recall`: one a class) for
each matrix. A matrix without rows gives nan, and so does the recall of a class that no row has.

Metrics of probabilities (`log_loss`, `brier_score`, `auc`, `calibration`) take labels and what
`predict_proba` returned; those of concepts take scores and the rows or concepts they belong to.
``docs/metrics.rst`` has every formula and where it comes from.
"""

from __future__ import annotations

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


def kappa_m(C: Any) -> Floats:
    """Return kappa-M: the accuracy above that of always naming the most frequent true class.

    That class is the most frequent of the same rows, known in hindsight; nan where all rows are of
    one class. Below zero, naming the majority would have been better.

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
        How many of their rows have the label of the row before them in the stream; nan where
        rows do not come in the order of the stream.

    Returns
    -------
    ndarray
        nan where no label changes. Below zero, repeating the last label would have been better.

    Examples
    --------
    >>> float(kappa_temporal([[8, 2], [1, 9]], 16))
    0.25
    """
    trivial = ratio(unchanged, np.asarray(C).sum((-2, -1)))
    return ratio(accuracy(C) - trivial, 1 - trivial)


def precision(C: Any) -> Floats:
    """Return for each class the share of its predictions that are right; nan for none.

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
    """Return the mean of a metric over the classes that occur, true or predicted.

    Where it is undefined for one of them it counts as zero, as in scikit-learn: the precision of a
    class that is there and never named, the recall of one that is named and not there.

    Examples
    --------
    >>> float(macro(precision, [[8, 0], [2, 0]]))
    0.4
    """
    C = np.asarray(C)
    occurs = C.sum(-1) + C.sum(-2) > 0
    return mean(np.where(occurs, np.nan_to_num(per_class(C)), np.nan))


#: The metrics that have a value for each class, by name; `macro` makes one of them.
PER_CLASS: dict[str, Callable[[Any], Floats]] = {
    "precision": precision,
    "recall": recall,
    "f1": f1,
}

#: The metrics of a confusion matrix by name; for all of them more is better.
METRICS: dict[str, Callable[[Any], Floats]] = {
    "accuracy": accuracy,
    "balanced_accuracy": balanced_accuracy,
    "kappa": kappa,
    "kappa_m": kappa_m,
    "g_mean": g_mean,
    **{name: partial(macro, per_class) for name, per_class in PER_CLASS.items()},
}
