"""Baseline that predicts the class frequencies of the last chunks."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from driftlearn.base.chunk import Chunk
from driftlearn.base.stream_classifier import StreamClassifier
from driftlearn.io.schema import Field, floats, list_of
from driftlearn.utils._class_axis import widened


class ClassFrequencies(StreamClassifier):
    """Classifier that predicts the class frequencies of the last `window` chunks for every row.

    One row of each class is added, so that no probability is 0.
    """

    STATE: ClassVar[dict[str, Field]] = {"counts_": list_of(floats("classes", least=0.0))}

    def __init__(self, window: int = 56):
        self.window = window

    def _begin(self) -> None:
        self.counts_: list[np.ndarray] = []

    def _widen(self, positions: np.ndarray) -> None:
        self.counts_ = [widened(counts, positions, len(self.classes_)) for counts in self.counts_]

    def _learn(self, chunk: Chunk) -> None:
        counts = np.bincount(chunk.y, chunk.w, len(self.classes_))
        self.counts_ = [*self.counts_, counts][-self.window :]

    def _scores(self, X: np.ndarray) -> np.ndarray:
        return np.tile(np.sum(self.counts_, axis=0) + 1.0, (len(X), 1))

    def _takes_missing(self) -> bool:
        return True
