"""Scores of the tests of a round, from labels, predictions and probabilities."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from driftlearn.evaluate._probability_metrics import BINS, Probabilities
from driftlearn.utils.typing import Floats, Ints, Labels


class TestedRows(NamedTuple):
    """Labels and predictions of rows on which a learner was tested.

    Attributes
    ----------
    y, predicted : ndarray of shape (n,)
        True and predicted labels.
    proba : ndarray of shape (n, K), or None
        Predicted probabilities, if available and wanted.
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
