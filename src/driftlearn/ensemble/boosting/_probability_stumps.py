"""Decision stumps with class probabilities."""

from __future__ import annotations

import numpy as np

from driftlearn.base.chunk import Chunk
from driftlearn.tree import _packed_stumps as packed_stumps
from driftlearn.tree.stump import StumpClassifier


class RatioStump(StumpClassifier):
    """Stump that predicts the class ratios of each side, with half a row added to each class."""

    def _scores(self, X: np.ndarray) -> np.ndarray:
        shares = self.value_ + 0.5
        return (shares / shares.sum(axis=1, keepdims=True))[self._side(X)]

    @staticmethod
    def _pack(models: list[RatioStump], columns: list[np.ndarray]) -> PackedRatioStumps:
        return PackedRatioStumps(models, columns)


class PackedRatioStumps:
    """The stumps of a committee packed into arrays, so that one call predicts with all of them.

    Probabilities are bit-identical to those of `driftlearn.base.base_learners.proba`, which
    normalizes twice.
    """

    def __init__(self, models: list[RatioStump], columns: list[np.ndarray]):
        self.models, self.columns = list(models), list(columns)
        self._arrays: tuple[np.ndarray, ...] | None = None

    def append(self, model: RatioStump, columns: np.ndarray) -> None:
        """Add a stump whose classes are the ensemble's classes at positions `columns`."""
        self.models.append(model)
        self.columns.append(columns)
        self._arrays = None

    def select(self, index: np.ndarray) -> None:
        """Keep the stumps at these positions, in this order."""
        self.models = [self.models[k] for k in index]
        self.columns = [self.columns[k] for k in index]
        self._arrays = None

    def draft(self) -> PackedRatioStumps:
        """Return a working copy that can be changed independently."""
        return PackedRatioStumps(self.models, self.columns)

    def labels(self, X: np.ndarray) -> np.ndarray:
        """Return the class codes predicted by each stump for each row."""
        arrays = self.arrays()
        shares = packed_stumps.probas(*arrays, X, arrays[-1].shape[2])  # type: ignore[call-arg]
        return shares.argmax(axis=2).astype(np.int32)

    def probas(self, X: np.ndarray, n_classes: int) -> np.ndarray:
        """Return the class probabilities predicted by each stump for each row."""
        return packed_stumps.probas(*self.arrays(), X, n_classes)  # type: ignore[call-arg]

    def total(self, X: np.ndarray, n_classes: int) -> np.ndarray:
        """Return the sum of all stumps' class probabilities for each row."""
        return packed_stumps.probas(*self.arrays(), X, n_classes, True)  # type: ignore[call-arg]

    def arrays(self) -> tuple[np.ndarray, ...]:
        """Return features, thresholds, sides of missing values, and probabilities of each side."""
        if self._arrays is None:
            n_classes = 1 + max(int(columns[-1]) for columns in self.columns)
            value = np.zeros((len(self.models), 2, n_classes))
            widths = np.array([len(columns) for columns in self.columns])
            for width in np.unique(widths):
                which = np.flatnonzero(widths == width)
                ratios = np.array([self.models[k].value_ for k in which]) + 0.5
                for _ in range(2):
                    ratios /= ratios.sum(axis=2, keepdims=True)
                columns = np.array([self.columns[k] for k in which])
                value[which[:, None, None], np.arange(2)[:, None], columns[:, None]] = ratios
            feature = np.array([model.feature_ for model in self.models], dtype=np.int32)
            threshold = np.array([model.threshold_ for model in self.models])
            missing_left = np.array([model.missing_left_ for model in self.models], dtype=np.uint8)
            self._arrays = feature, threshold, missing_left, value
        return self._arrays


class DistanceStump(StumpClassifier):
    """Stump whose class probabilities are a sigmoid of the distance from the threshold.

    Parameters
    ----------
    slope : float
        Slope of the sigmoid, in standard deviations of the feature.
    """

    def __init__(self, slope: float = 2.0):
        self.slope = slope

    def _takes_missing(self) -> bool:
        return False  # a missing value has no distance from the threshold

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
