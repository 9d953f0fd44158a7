"""What class probabilities say about a learner: log loss, Brier score, calibration, AUC."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from driftlearn.evaluate._arithmetic import ratio
from driftlearn.utils.typing import Floats, Ints, Labels

BINS = 10  # of confidence, all of one width: as many as in the literature on calibration


class Said:
    """Probabilities beside the labels that came: what the metrics of this file share.

    Parameters
    ----------
    y_true : array-like of shape (n,)
        True labels. One that the learner has never seen has probability zero.
    proba : array-like of shape (n, K)
        What the learner's `predict_proba` returned; rows are brought to a sum of one; one of zeros
        stays one, and what is no number, as scikit-learn's naive Bayes gives after one row, counts
        as zeros.
    classes : array-like of shape (K,)
        The learner's classes, one a column, sorted.
    """

    def __init__(self, y_true: Any, proba: Any, classes: Sequence[Any] | Labels):
        self.y, self.labels = np.asarray(y_true), np.asarray(classes)
        self.given: Floats = np.asarray(proba, dtype=float)
        total = self.given.sum(axis=1, keepdims=True)
        if not np.isfinite(total).all():
            self.given = np.where(np.isfinite(total), self.given, 0.0)
            total = self.given.sum(axis=1, keepdims=True)
        self.p: Floats = self.given / np.where(total > 0, total, 1.0)
        self.column: Ints = np.minimum(np.searchsorted(self.labels, self.y), len(self.labels) - 1)
        self.known = self.labels[self.column] == self.y
        self.rows = np.arange(len(self.y))
        self.true: Floats = self.p[self.rows, self.column] * self.known

    def log_loss(self) -> float:
        """Return the mean negative logarithm of the probability given to the true class."""
        return float(-np.log(np.maximum(self.true, np.finfo(float).eps)).mean())

    def brier_score(self) -> float:
        """Return half the mean squared distance of the probabilities from what came."""
        apart = np.einsum("ij,ij->i", self.p, self.p) - 2 * self.true + 1
        return float(apart.mean() / 2)

    def calibration(self) -> Floats:
        """Return for each bin of confidence its rows, the sum of confidences, and the hits."""
        named = self.p.argmax(axis=1)
        confidence = self.p[self.rows, named]
        hits = (named == self.column) & self.known
        bins = np.minimum((confidence * BINS).astype(int), BINS - 1)
        return np.stack([np.bincount(bins, of, BINS) for of in (self.rows >= 0, confidence, hits)])

    def auc(self) -> float:
        """Return how well the probabilities put the classes in order."""
        p, column = self.given, self.column  # as they came, because dividing makes and breaks ties
        if not self.known.all():
            labels = np.union1d(self.labels, self.y)
            p = np.zeros((len(self.y), len(labels)))
            p[:, np.searchsorted(labels, self.labels)] = self.given
            column = np.searchsorted(labels, self.y)
        sizes = np.bincount(column, minlength=p.shape[1])
        present = np.flatnonzero(sizes)
        if len(present) < 2:
            return np.nan
        # of two classes the second one's probability alone decides, as in scikit-learn
        chosen = present[1:] if p.shape[1] == 2 else present
        total = 0.0
        for i in chosen:
            score = p[:, i]
            own = np.sort(score[column == i])
            # for each row, twice the rows of class i above it, those beside it counted half
            beaten = 2 * sizes[i] - own.searchsorted(score) - own.searchsorted(score, "right")
            won = np.bincount(column, beaten, len(sizes))
            won[i] = 0.0
            total += (won[present] / sizes[present]).sum() / (2 * sizes[i])
        return float(total / (len(chosen) * (len(present) - 1)))


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
    return Said(y_true, proba, classes).log_loss()


def brier_score(y_true: Any, proba: Any, classes: Sequence[Any] | Labels) -> float:
    """Return half the mean squared distance of the probabilities from what came, 0 to 1.

    For two classes this is the mean of ``(p - y)**2``; for more, scikit-learn's
    ``brier_score_loss(scale_by_half=True)``.

    Parameters
    ----------
    y_true, proba, classes
        As in `log_loss`.

    Examples
    --------
    >>> round(brier_score([0, 1], [[0.5, 0.5], [0.2, 0.8]], [0, 1]), 4)
    0.145
    """
    return Said(y_true, proba, classes).brier_score()


def auc(y_true: Any, proba: Any, classes: Sequence[Any] | Labels) -> float:
    """Return the area under the ROC curve; of many classes, the mean over all pairs of them.

    The area is the share of pairs of rows, one of each class, whose probabilities are in the right
    order; a tie counts half. With more than two classes it is Hand and Till's M, which computed on
    a window of a stream is called PMAUC: for each pair of classes that occur, the mean of the
    areas by either one's probability; scikit-learn's ``roc_auc_score(multi_class="ovo")``.

    Parameters
    ----------
    y_true, proba, classes
        As in `log_loss`.

    Returns
    -------
    float
        nan where fewer than two classes occur: there is nothing to put in order.

    Examples
    --------
    >>> auc([0, 1, 1], [[0.8, 0.2], [0.9, 0.1], [0.3, 0.7]], [0, 1])
    0.5
    """
    return Said(y_true, proba, classes).auc()


def calibration(y_true: Any, proba: Any, classes: Sequence[Any] | Labels) -> Floats:
    """Return how often a learner is right where it is so sure.

    Parameters
    ----------
    y_true, proba, classes
        As in `log_loss`.

    Returns
    -------
    ndarray of shape (3, 10)
        For each tenth of confidence, which is the largest probability of a row: the number of
        rows, the sum of their confidences, and how many of them were predicted right. The arrays
        of several chunks can be added.

    Examples
    --------
    >>> calibration([0, 1], [[0.95, 0.05], [0.92, 0.08]], [0, 1])[:, -1]
    array([2.  , 1.87, 1.  ])
    """
    return Said(y_true, proba, classes).calibration()


def calibration_error(bins: Any) -> Floats:
    """Return the expected calibration error: by how much confidence and accuracy differ.

    Parameters
    ----------
    bins : array-like of shape (..., 3, B)
        What `calibration` returned, or sums of it.

    Returns
    -------
    ndarray
        The mean over the rows of the difference in their bin; nan without rows.

    Examples
    --------
    >>> float(calibration_error(calibration([0, 1], [[0.95, 0.05], [0.92, 0.08]], [0, 1])))
    0.435
    """
    rows, confidence, hits = np.moveaxis(np.asarray(bins, dtype=float), -2, 0)
    return ratio(np.abs(confidence - hits).sum(-1), rows.sum(-1))
