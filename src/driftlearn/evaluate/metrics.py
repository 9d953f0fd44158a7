"""Metrics of confusion matrices, probabilities and concepts.

Each chunk has one confusion matrix ``C[true, predicted]``. The matrices of several chunks can be
added, so a metric over all chunks is exact and not a mean of means. They can also be stacked: each
function takes an array of shape ``(..., K, K)`` and returns one value per matrix (`recall`: one per
class). A matrix without rows gives nan, and so does the recall of a class without rows.

Metrics of probabilities (`log_loss`, `brier_score`, `auc`, `calibration`) take labels and the
output of `predict_proba`; those of concepts take scores and the rows or concepts they belong to.
``docs/metrics.rst`` lists all formulas and their sources.
"""

from collections.abc import Callable, Collection, Sequence
from functools import partial
from typing import Any

import numpy as np

from driftlearn.evaluate._probability_metrics import auc as auc
from driftlearn.evaluate._probability_metrics import brier_score as brier_score
from driftlearn.evaluate._probability_metrics import calibration as calibration
from driftlearn.evaluate._probability_metrics import log_loss as log_loss
from driftlearn.utils.arguments import Floats, Ints, Labels


def ratio(a: Any, b: Any) -> Floats:
    """Return a / b, with nan where b is 0."""
    a, b = np.broadcast_arrays(np.asarray(a, dtype=float), np.asarray(b, dtype=float))
    return np.divide(a, b, out=np.full(a.shape, np.nan), where=b != 0)


def mean(values: Any, axis: int = -1) -> Floats:
    """Return the mean without nan; nan, without a warning, if there are no values."""
    values = np.asarray(values, dtype=float)
    known = ~np.isnan(values)
    return ratio(np.where(known, values, 0.0).sum(axis), known.sum(axis))


def std(values: Any, axis: int = -1) -> Floats:
    """Return the sample standard deviation without nan; nan for fewer than two values."""
    values = np.asarray(values, dtype=float)
    known = ~np.isnan(values)
    off = np.where(known, values - np.expand_dims(mean(values, axis), axis), 0.0)
    return np.sqrt(ratio((off**2).sum(axis), np.maximum(known.sum(axis) - 1, 0)))


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
    """Return the fraction of rows predicted correctly.

    Examples
    --------
    >>> float(accuracy([[8, 2], [1, 9]]))
    0.85
    """
    C = np.asarray(C)
    return ratio(np.trace(C, axis1=-2, axis2=-1), C.sum((-2, -1)))


def recall(C: Any) -> Floats:
    """Return the fraction of each class's rows predicted correctly; nan for an absent class.

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
    with np.errstate(divide="ignore"):  # the logarithm of 0 is -inf, whose exponential is 0
        return np.exp(mean(np.log(recall(C))))


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

    The most frequent class is determined on the same rows. The value is nan if all rows have the
    same class, and negative if always predicting the majority would have been more accurate.

    Examples
    --------
    >>> float(kappa_m([[8, 2], [1, 9]]))
    0.7
    """
    C = np.asarray(C, dtype=float)
    trivial = ratio(C.sum(-1).max(-1, initial=0.0), C.sum((-2, -1)))
    return ratio(accuracy(C) - trivial, 1 - trivial)


def kappa_temporal(C: Any, unchanged: Any) -> Floats:
    """Return kappa-temporal: the accuracy above that of repeating the previous label.

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
        nan if no label changes; negative if repeating the previous label would have been more
        accurate.

    Examples
    --------
    >>> float(kappa_temporal([[8, 2], [1, 9]], 16))
    0.25
    """
    trivial = ratio(unchanged, np.asarray(C).sum((-2, -1)))
    return ratio(accuracy(C) - trivial, 1 - trivial)


def precision(C: Any) -> Floats:
    """Return the fraction of correct predictions of each class; nan if it is never predicted.

    Examples
    --------
    >>> precision([[8, 2, 0], [0, 3, 0], [0, 0, 0]])
    array([1. , 0.6, nan])
    """
    C = np.asarray(C)
    return ratio(np.diagonal(C, axis1=-2, axis2=-1), C.sum(-2))


def f1(C: Any) -> Floats:
    """Return the harmonic mean of precision and recall of each class; nan for an absent class.

    Examples
    --------
    >>> f1([[8, 2, 0], [0, 3, 0], [0, 0, 0]])
    array([0.88888889, 0.75      ,        nan])
    """
    C = np.asarray(C)
    return ratio(2 * np.diagonal(C, axis1=-2, axis2=-1), C.sum(-1) + C.sum(-2))


def macro(per_class: Callable[[Any], Floats], C: Any) -> Floats:
    """Return the mean of a per-class metric over all classes among true or predicted labels.

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


def calibration_error(bins: Any) -> Floats:
    """Return the expected calibration error, the mean difference of confidence and accuracy.

    Parameters
    ----------
    bins : array-like of shape (..., 3, B)
        Output of `calibration`, or sums of such outputs.

    Returns
    -------
    ndarray
        Mean over the rows of the difference in their bin; nan without rows.

    Examples
    --------
    >>> float(calibration_error(calibration([0, 1], [[0.95, 0.05], [0.92, 0.08]], [0, 1])))
    0.435
    """
    rows, confidence, hits = np.moveaxis(np.asarray(bins, dtype=float), -2, 0)
    return ratio(np.abs(confidence - hits).sum(-1), rows.sum(-1))


#: Default number of rows after a drift, as in the tables of the IBoost paper.
RECOVERY_ROWS = 600


def recovery(
    values: Any,
    start: Any,
    stop: Any,
    drifts: Sequence[int],
    window: int = RECOVERY_ROWS,
    only: Collection[int] | None = None,
) -> float:
    """Return the mean of a score over the first rows after each known drift.

    Parameters
    ----------
    values, start, stop : array-like of shape (n_tests,)
        A score and the rows of the stream it covers, ``start`` to ``stop - 1``. A test that
        overlaps the window counts with the rows inside.
    drifts : sequence of int
        First row of each concept. Row 0 is not a drift.
    window : int
        Number of rows after a drift, at most up to the next drift.
    only : collection of int, optional
        Drifts to include; the default is all.

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
        if only is not None and drift not in only:
            continue
        end = min(drift + window, following)
        share = np.clip(np.minimum(stop, end) - np.maximum(start, drift), 0, None)
        means.append(ratio((share * np.where(known, values, 0.0)).sum(), (share * known).sum()))
    return float(mean(means)) if means else float("nan")


def kinds_of_drifts(
    concepts: Sequence[Any], stop: Any, drifts: Sequence[int]
) -> dict[str, list[int]]:
    """Return the drifts to new concepts and the drifts to recurring ones.

    A drift leads to the concept in force at the end of the last chunk before the next drift, when a
    gradual drift is complete.

    Parameters
    ----------
    concepts, stop : sequence of length n_chunks
        Concept in force at the end of each chunk, and the row after it.
    drifts : sequence of int
        First row of each concept.

    Examples
    --------
    >>> kinds_of_drifts([8, 9, 8], [100, 200, 300], [100, 200])
    {'new': [100], 'returned': [200]}
    """
    found: dict[str, list[int]] = {"new": [], "returned": []}
    stop = np.asarray(stop)
    begins = [0, *sorted({int(drift) for drift in drifts if drift > 0})]
    seen = []
    for begin, end in zip(begins, [*begins[1:], np.inf]):
        inside = np.flatnonzero((stop > begin) & (stop <= end))
        if not len(concepts) or not len(inside):
            continue
        concept = concepts[inside[-1]]
        if begin:
            found["returned" if concept in seen else "new"].append(begin)
        seen.append(concept)
    return found


def transfer(matrix: Any, in_force: Sequence[Any], chance: float = 0.0) -> dict[str, float]:
    """Return anytime accuracy, forgetting and transfer from an accuracy matrix.

    Parameters
    ----------
    matrix : array-like of shape (n_periods, n_concepts)
        ``R[i, j]``: the accuracy on concept j of a learner trained up to the end of period i.
        A period lies between two drifts; concepts are in order of appearance.
    in_force : sequence of length n_periods
        Concept of each period. A recurring concept has several periods.
    chance : float
        Accuracy of random guessing, the reference of forward transfer.

    Returns
    -------
    dict of str to float
        `anytime_accuracy`: mean over the periods of the mean over the concepts seen so far.
        `forgetting`: mean, over all concepts but the last in force, of the best accuracy between
        the concept's first period and the last period, minus that at the end.
        `backward_transfer`: the same mean of the accuracy at the end minus that after the
        concept's first period. `forward_transfer`: mean, over all concepts but the first, of the
        accuracy in the period before the concept first appeared, minus `chance`.

    Examples
    --------
    >>> transfer([[0.9, 0.5], [0.7, 0.8]], ["a", "b"], chance=0.5)["forgetting"]
    0.2
    """
    R: Floats = np.asarray(matrix, dtype=float)
    concepts = list(dict.fromkeys(in_force))
    if R.shape != (len(in_force), len(concepts)):
        raise ValueError(
            f"matrix must have shape {(len(in_force), len(concepts))}, for {len(in_force)} periods "
            f"and {len(concepts)} concepts. Got {R.shape} instead."
        )
    first = [list(in_force).index(concept) for concept in concepts]
    visited = np.array([[i >= begun for begun in first] for i in range(len(R))])
    old = [(j, first[j]) for j, concept in enumerate(concepts) if concept != in_force[-1]]
    ahead = [R[first[j] - 1, j] - chance for j in range(len(concepts)) if first[j]]
    means = {
        "anytime_accuracy": mean(np.where(visited, R, np.nan)),
        "forgetting": [R[begun:-1, j].max() - R[-1, j] for j, begun in old],
        "backward_transfer": [R[-1, j] - R[begun, j] for j, begun in old],
        "forward_transfer": ahead,
    }
    return {name: round(float(mean(values)), 12) for name, values in means.items()}
