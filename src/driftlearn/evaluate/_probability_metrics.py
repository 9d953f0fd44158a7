"""Metrics of class probabilities, and the scores of the tests of a round."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from driftlearn.utils.arguments import Floats, Ints, Labels

BINS = 10  # equal-width bins of confidence; 10 is common in the calibration literature


class Probabilities:
    """Metrics of class probabilities and true labels.

    Parameters
    ----------
    y_true : array-like of shape (n,)
        True labels. A label unknown to the learner has probability 0.
    proba : array-like of shape (n, K)
        Output of `predict_proba`. Rows are normalized to sum 1; rows of zeros are unchanged, and
        nan (which scikit-learn's naive Bayes returns after one row) counts as 0.
    classes : array-like of shape (K,)
        Classes of the columns, sorted.
    """

    def __init__(self, y_true: Any, proba: Any, classes: Sequence[Any] | Labels):
        self.y, self.labels = np.asarray(y_true), np.asarray(classes)
        self.raw: Floats = np.asarray(proba, dtype=float)
        total = self.raw.sum(axis=1, keepdims=True)
        if not np.isfinite(total).all():
            self.raw = np.where(np.isfinite(total), self.raw, 0.0)
            total = self.raw.sum(axis=1, keepdims=True)
        self.p: Floats = self.raw / np.where(total > 0, total, 1.0)
        self.column: Ints = np.minimum(np.searchsorted(self.labels, self.y), len(self.labels) - 1)
        self.known = self.labels[self.column] == self.y
        self.rows = np.arange(len(self.y))
        self.true: Floats = self.p[self.rows, self.column] * self.known

    def log_loss(self) -> float:
        """Return the mean negative logarithm of the predicted probability of the true class."""
        return float(-np.log(np.maximum(self.true, np.finfo(float).eps)).mean())

    def brier_score(self) -> float:
        """Return half the mean squared distance between probabilities and outcomes."""
        apart = np.einsum("ij,ij->i", self.p, self.p) - 2 * self.true + 1
        return float(apart.mean() / 2)

    def calibration(self) -> Floats:
        """Return the number of rows, sum of confidences and hits in each confidence bin."""
        named = self.p.argmax(axis=1)
        confidence = self.p[self.rows, named]
        hits = (named == self.column) & self.known
        bins = np.minimum((confidence * BINS).astype(int), BINS - 1)
        return np.stack([np.bincount(bins, of, BINS) for of in (self.rows >= 0, confidence, hits)])

    def auc(self) -> float:
        """Return the area under the ROC curve; see `auc`."""
        p, column = self.raw, self.column  # not normalized, since division can create or break ties
        if not self.known.all():
            labels = np.union1d(self.labels, self.y)
            p = np.zeros((len(self.y), len(labels)))
            p[:, np.searchsorted(labels, self.labels)] = self.raw
            column = np.searchsorted(labels, self.y)
        sizes = np.bincount(column, minlength=p.shape[1])
        present = np.flatnonzero(sizes)
        if len(present) < 2:
            return np.nan
        # For two classes, only the probability of the second class counts, as in scikit-learn.
        chosen = present[1:] if p.shape[1] == 2 else present
        total = 0.0
        for i in chosen:
            score = p[:, i]
            own = np.sort(score[column == i])
            # For each row, twice the number of rows of class i ranked above it; ties count half.
            beaten = 2 * sizes[i] - own.searchsorted(score) - own.searchsorted(score, "right")
            won = np.bincount(column, beaten, len(sizes))
            won[i] = 0.0
            total += (won[present] / sizes[present]).sum() / (2 * sizes[i])
        return float(total / (len(chosen) * (len(present) - 1)))


def log_loss(y_true: Any, proba: Any, classes: Sequence[Any] | Labels) -> float:
    """Return the mean negative logarithm of the predicted probability of the true class.

    Parameters
    ----------
    y_true : array-like of shape (n,)
        True labels. A label unknown to the learner has probability 0.
    proba : array-like of shape (n, K)
        Output of `predict_proba`.
    classes : array-like of shape (K,)
        Classes of the columns, sorted.

    Returns
    -------
    float
        Probabilities are clipped at the machine epsilon, as in scikit-learn, so a true class with
        probability 0 contributes a loss of 36.

    Examples
    --------
    >>> round(log_loss([0, 1], [[0.5, 0.5], [0.2, 0.8]], [0, 1]), 4)
    0.4581
    """
    return Probabilities(y_true, proba, classes).log_loss()


def brier_score(y_true: Any, proba: Any, classes: Sequence[Any] | Labels) -> float:
    """Return half the mean squared distance between probabilities and outcomes, from 0 to 1.

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
    return Probabilities(y_true, proba, classes).brier_score()


def auc(y_true: Any, proba: Any, classes: Sequence[Any] | Labels) -> float:
    """Return the area under the ROC curve; for several classes, the mean over all pairs.

    The area is the fraction of pairs of rows, one of each class, whose probabilities are in the
    right order; a tie counts half. For more than two classes it is Hand and Till's M (called PMAUC
    when computed on a window of a stream): for each pair of classes that occur, the mean of the
    areas computed from the probabilities of each of the two classes; scikit-learn's
    ``roc_auc_score(multi_class="ovo")``.

    Parameters
    ----------
    y_true, proba, classes
        As in `log_loss`.

    Returns
    -------
    float
        nan if fewer than two classes occur.

    Examples
    --------
    >>> auc([0, 1, 1], [[0.8, 0.2], [0.9, 0.1], [0.3, 0.7]], [0, 1])
    0.5
    """
    return Probabilities(y_true, proba, classes).auc()


def calibration(y_true: Any, proba: Any, classes: Sequence[Any] | Labels) -> Floats:
    """Return the number of rows, sum of confidences and hits for each tenth of confidence.

    Parameters
    ----------
    y_true, proba, classes
        As in `log_loss`.

    Returns
    -------
    ndarray of shape (3, 10)
        For each tenth of confidence (the largest probability of a row): number of rows, sum of
        confidences, and number of rows predicted correctly. Arrays of several chunks can be added.

    Examples
    --------
    >>> calibration([0, 1], [[0.95, 0.05], [0.92, 0.08]], [0, 1])[:, -1]
    array([2.  , 1.87, 1.  ])
    """
    return Probabilities(y_true, proba, classes).calibration()


class TestedRows(NamedTuple):
    """Labels and predictions of rows on which a learner was tested.

    Attributes
    ----------
    y, predicted : ndarray of shape (n,)
        True and predicted labels.
    proba : ndarray of shape (n, K), or None
        Predicted probabilities, if available and requested.
    classes : ndarray of shape (K,), or None
        Labels of the columns of `proba`.
    """

    y: Labels
    predicted: Labels
    proba: Floats | None = None
    classes: Labels | None = None


class RoundScores(NamedTuple):
    """Scores of the tests of one round; see `Step`."""

    confusion: Ints
    log_loss: float = np.nan
    brier: float = np.nan
    auc: float = np.nan
    calibration: Floats = np.zeros((3, BINS))


def joined(tests: Sequence[TestedRows]) -> TestedRows:
    """Join the tests of a round; probabilities are dropped unless all tests have them."""
    if len(tests) == 1:
        return tests[0]
    y, predicted = (np.concatenate([test[k] for test in tests]) for k in (0, 1))
    pairs = [(t.proba, t.classes) for t in tests if t.proba is not None and t.classes is not None]
    if len(pairs) < len(tests):
        return TestedRows(y, predicted)
    first = pairs[0][1]
    if all(classes is first for _, classes in pairs):
        return TestedRows(y, predicted, np.concatenate([proba for proba, _ in pairs]), first)
    labels = np.unique(np.concatenate([classes for _, classes in pairs]))
    proba, done = np.zeros((len(y), len(labels))), 0
    for part, classes in pairs:
        proba[done : done + len(part), np.searchsorted(labels, classes)] = part
        done += len(part)
    return TestedRows(y, predicted, proba, labels)


def score(test: TestedRows, classes: Labels) -> RoundScores:
    """Return the scores of a test; the sorted `classes` include all its labels."""
    k = len(classes)
    code = np.searchsorted(classes, test.y) * k + np.searchsorted(classes, test.predicted)
    counts = np.bincount(code, minlength=k * k).reshape(k, k)
    if test.proba is None or test.classes is None:
        return RoundScores(counts)
    p = Probabilities(test.y, test.proba, test.classes)
    return RoundScores(counts, p.log_loss(), p.brier_score(), p.auc(), p.calibration())
