"""Stumps that say how sure they are."""

from __future__ import annotations

import numpy as np

from driftlearn._base import Chunk
from driftlearn.learners.stump import StumpClassifier


class RatioStump(StumpClassifier):
    """A stump that says the class ratios of the side, each class counting half a row more."""

    def _scores(self, X: np.ndarray) -> np.ndarray:
        shares = self.value_ + 0.5
        return (shares / shares.sum(axis=1, keepdims=True))[self._side(X)]

    def _side(self, X: np.ndarray) -> np.ndarray:
        if self.feature_ < 0:
            return np.zeros(len(X), dtype=int)
        return (X[:, self.feature_] > self.threshold_).astype(int)


class DistanceStump(StumpClassifier):
    """A stump that is the surer of its classes the farther a row lies from the threshold.

    Parameters
    ----------
    slope : float
        Slope of the sigmoid, in standard deviations of the feature.
    """

    def __init__(self, slope: float = 2.0):
        self.slope = slope

    def _learn(self, chunk: Chunk) -> None:
        super()._learn(chunk)
        x = chunk.X[:, max(self.feature_, 0)]
        mean = np.average(x, weights=chunk.w)
        self.scale_ = float(np.sqrt(np.average((x - mean) ** 2, weights=chunk.w))) or 1.0

    def _scores(self, X: np.ndarray) -> np.ndarray:
        left, right = self.value_.argmax(axis=1)
        scores = np.zeros((len(X), len(self.classes_)))
        if self.feature_ < 0:
            scores[:, left] = 1.0
            return scores
        z = self.slope / self.scale_ * (X[:, self.feature_] - self.threshold_)
        on_the_right = 0.5 * (1.0 + np.tanh(0.5 * z))
        scores[:, left] += 1.0 - on_the_right
        scores[:, right] += on_the_right
        return scores
