"""Learners that look at labels alone."""

from __future__ import annotations

from typing import Any

import numpy as np

from driftlearn.base.chunk import Chunk
from driftlearn.base.stream_classifier import StreamClassifier
from driftlearn.utils.interrupts import uninterrupted


class BlindClassifier(StreamClassifier):
    """Base of learners that never look at the features: one answer for all rows.

    A subclass writes ``_see(y, w)``, which takes in class codes and weights, and ``_answers()``,
    the class scores that stand for every row.
    """

    _in_place = True

    def _learn(self, chunk: Chunk) -> None:
        with uninterrupted():
            self._see(chunk.y, chunk.w)

    def _scores(self, X: np.ndarray) -> np.ndarray:
        return np.repeat(self._answers()[None], len(X), axis=0)

    def _see(self, y: np.ndarray, w: np.ndarray) -> None:
        raise NotImplementedError

    def _answers(self) -> np.ndarray:
        raise NotImplementedError

    def _takes_missing(self) -> bool:
        return True

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.poor_score = True
        return tags
