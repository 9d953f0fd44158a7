"""Learners that are one compiled online learner."""

from __future__ import annotations

import numpy as np

from driftlearn._base import Chunk, StreamClassifier
from driftlearn.kernels.learner import Learner


class OnlineClassifier(StreamClassifier):
    """A scikit-learn classifier around a compiled `Learner`.

    A subclass says in `_make` which learner its parameters describe. Online ensembles call
    `_make` for as many fresh learners as they need and drive them in a compiled loop.
    """

    _in_place = True
    learner_: Learner

    def _make(self, n_features: int, n_classes: int) -> Learner:
        raise NotImplementedError

    def _begin(self) -> None:
        self.learner_ = self._make(self.n_features_in_, len(self.classes_))

    def _widen(self, positions: np.ndarray) -> None:
        self.learner_.widen(positions, len(self.classes_))

    def _learn(self, chunk: Chunk) -> None:
        self.learner_.learn_many(chunk.X, chunk.y, chunk.w)

    def _scores(self, X: np.ndarray) -> np.ndarray:
        scores = np.empty((len(X), len(self.classes_)))
        self.learner_.scores_many(X, scores)
        return scores
