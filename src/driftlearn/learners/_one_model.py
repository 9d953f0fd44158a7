"""Learners that are one online model."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from driftlearn._schema import Field, Misfit, a
from driftlearn.base.chunk import Chunk
from driftlearn.base.interrupts import uninterrupted
from driftlearn.base.scores import shares
from driftlearn.base.stream_classifier import StreamClassifier
from driftlearn.engines.online_model import OnlineModel

PIECE = 4096  # rows that Ctrl-C has to wait for: a few milliseconds


class OneModelClassifier(StreamClassifier):
    """A scikit-learn classifier around a compiled `OnlineModel`.

    A subclass says in `_make` which model its parameters describe; `seed` is for one that draws.
    Online ensembles call `_make` for as many models as they need and drive them in a compiled loop.
    """

    STATE: ClassVar[dict[str, Field]] = {**StreamClassifier.STATE, "model_": a(OnlineModel)}
    _in_place = True
    model_: OnlineModel

    @staticmethod
    def check_state(state: dict[str, Any]) -> None:
        """Raise ValueError unless the model is of the learner's problem."""
        model = state.get("model_")
        shape = state.get("n_features_in_"), len(state.get("classes_", ()))
        if model is not None and (model.n_features, model.n_classes) != shape:
            raise Misfit("a model of other features or classes than its learner")

    def _make(self, n_features: int, n_classes: int, seed: int = 0) -> OnlineModel:
        raise NotImplementedError

    def _seeing(self, columns: np.ndarray, n_features: int) -> OneModelClassifier:
        """Return the learner whose models see these columns only."""
        return self

    def _begin(self) -> None:
        self.model_ = self._make(self.n_features_in_, len(self.classes_))

    def _widen(self, positions: np.ndarray) -> None:
        self.model_.widen(positions, len(self.classes_))

    def _learn(self, chunk: Chunk, scores: np.ndarray | None = None) -> None:
        """Learn rows; write the scores of each before it was learned to `scores`, if given."""
        for k in range(0, len(chunk), PIECE):
            piece = slice(k, k + PIECE)
            with uninterrupted():
                y = chunk.y[piece]
                rows = chunk.X[piece], y, self._weigh(y, chunk.w[piece])
                if scores is None:
                    self.model_.learn_many(*rows)
                else:
                    self.model_.test_and_learn_many(*rows, scores[piece])

    def _test_then_learn(self, chunk: Chunk, probas: np.ndarray) -> None:
        self._receive(chunk, False, scores=probas)
        probas[:] = shares(probas)

    def _scores(self, X: np.ndarray) -> np.ndarray:
        scores = np.empty((len(X), len(self.classes_)))
        self.model_.scores_many(X, scores)
        return scores
