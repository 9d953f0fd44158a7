"""Base of classifiers that ignore the features."""

from typing import Any

import numpy as np

from driftlearn.base.chunk import Chunk
from driftlearn.base.stream_classifier import StreamClassifier
from driftlearn.utils.interrupts import uninterrupted


class BlindClassifier(StreamClassifier):
    """Base of classifiers that ignore the features: one prediction for all rows.

    A subclass implements ``_update(y, w)``, given class codes and weights, and
    ``_class_scores()``, the scores predicted for every row.
    """

    _in_place = True

    def _learn(self, chunk: Chunk) -> None:
        with uninterrupted():
            self._update(chunk.y, chunk.w)

    def _scores(self, X: np.ndarray) -> np.ndarray:
        return np.repeat(self._class_scores()[None], len(X), axis=0)

    def _update(self, y: np.ndarray, w: np.ndarray) -> None:
        raise NotImplementedError

    def _class_scores(self) -> np.ndarray:
        raise NotImplementedError

    def _takes_missing(self) -> bool:
        return True

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.poor_score = True
        return tags
