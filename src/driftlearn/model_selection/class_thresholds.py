"""Thresholds of class probabilities, chosen by earlier predictions."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from driftlearn.io.schema import Field, floats
from driftlearn.utils._class_axis import widened
from driftlearn.utils.arguments import Floats, Ints

BINS, MAX_LOG_ODDS = 64, 7.0  # probabilities of .001 to .999; finer bins gained nothing


class ClassThresholds:
    """Thresholds of class probabilities that treat all classes as equally important.

    Votes are often poorly calibrated, so that the frequency of a rare class is a poor threshold of
    its probability. The threshold of a class is instead the one that maximizes the product of
    sensitivity and specificity on earlier predictions, of which histograms are stored.

    Attributes
    ----------
    counts : ndarray of shape (n_classes, 2, BINS)
        Weights of earlier rows by the predicted log-odds of each class: rows of other classes, and
        rows of the class. Older rows count less.

    Examples
    --------
    >>> votes = np.array([[0.9, 0.1], [0.95, 0.05], [0.7, 0.3]])
    >>> thresholds = ClassThresholds(2).updated(votes, np.array([0, 0, 1]), np.ones(3))
    >>> thresholds.codes(np.array([[0.92, 0.08], [0.6, 0.4]]))
    array([0, 1])
    """

    STATE: ClassVar[dict[str, Field]] = {"counts": floats(None, 2, BINS, least=0.0)}

    def __init__(self, n_classes: int):
        self.counts = np.zeros((n_classes, 2, BINS))

    def updated(self, probas: Floats, y: Ints, w: Floats) -> ClassThresholds:
        """Return the thresholds updated with the labels of predicted rows."""
        n_classes = probas.shape[1]
        bins = (_log_odds(probas) + MAX_LOG_ODDS) * (BINS / (2 * MAX_LOG_ODDS))
        bins = np.minimum(bins.astype(np.intp), BINS - 1)
        own = (y[:, None] == np.arange(n_classes)).astype(np.intp)
        cells = (np.arange(n_classes) * 2 + own) * BINS + bins
        counts = self.counts.ravel().copy()
        # added row by row, so that results do not depend on how rows are split into calls
        np.add.at(counts, cells.ravel(), np.repeat(w, n_classes))
        return self._with(counts.reshape(self.counts.shape))

    def decayed(self, factor: float) -> ClassThresholds:
        """Return the thresholds with all counts multiplied by a factor."""
        return self._with(self.counts * factor)

    def widened(self, positions: Ints, n_classes: int) -> ClassThresholds:
        """Return the thresholds for an extended class list."""
        return self._with(widened(self.counts, positions, n_classes))

    def codes(self, probas: Floats) -> Ints:
        """Return the class of each row whose log-odds exceed its threshold the most."""
        below = self.counts.cumsum(axis=2)
        total = below[:, :, -1:]
        below = np.concatenate([np.zeros_like(total), below[:, :, :-1]], axis=2)
        product = below[:, 0] * (total[:, 1] - below[:, 1])
        best = product >= product.max(axis=1, keepdims=True) * (1 - 1e-12)
        middle = np.array([np.median(np.flatnonzero(each)) for each in best])
        known = (total > 0).all(axis=(1, 2))
        thresholds = np.where(known, middle * (2 * MAX_LOG_ODDS / BINS) - MAX_LOG_ODDS, 0.0)
        codes: Ints = (_log_odds(probas) - thresholds).argmax(axis=1)
        return codes

    def _with(self, counts: Floats) -> ClassThresholds:
        new = object.__new__(ClassThresholds)
        new.counts = counts
        return new


def _log_odds(probas: Floats) -> Floats:
    smallest = 1.0 / (1.0 + np.exp(MAX_LOG_ODDS))
    p = np.clip(probas, smallest, 1.0 - smallest)
    odds: Floats = np.log(p / (1.0 - p))
    return odds
