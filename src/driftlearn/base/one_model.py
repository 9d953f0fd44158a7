"""Learners that consist of one compiled online model."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from driftlearn.base import _probabilities as compiled
from driftlearn.base._online_model import OnlineModel
from driftlearn.base.chunk import Chunk
from driftlearn.base.stream_classifier import StreamClassifier
from driftlearn.base.thread_safe import TRANSIENT
from driftlearn.io.schema import Field, a
from driftlearn.utils.arguments import Self
from driftlearn.utils.interrupts import uninterrupted

BATCH = 4096  # rows between checks for Ctrl-C, so that it takes effect within milliseconds


class OneModelClassifier(StreamClassifier):
    """Base of classifiers that consist of one compiled `OnlineModel`.

    A subclass creates the model that its parameters describe in `_make`; `seed` is for models that
    draw random numbers. Online ensembles call `_make` for each member and train the models in a
    compiled loop.
    """

    STATE: ClassVar[dict[str, Field]] = {
        "model_": a(OnlineModel, n_features="n_features_in_", n_classes="classes"),
    }
    _in_place = True
    _tests_every_row = True
    model_: OnlineModel

    def _make(self, n_features: int, n_classes: int, seed: int = 0) -> OnlineModel:
        raise NotImplementedError

    def _seeing(self, columns: np.ndarray, n_features: int) -> OneModelClassifier:
        """Return the learner for models trained on these columns only."""
        return self

    def _copied(self) -> Self:
        """Return an independent copy with the same state; only the model is mutable."""
        copy = object.__new__(type(self))
        shared = {name: value for name, value in self.__dict__.items() if name not in TRANSIENT}
        copy.__dict__ = {**shared, "model_": self.model_.copy()}
        return copy

    def _begin(self) -> None:
        self.model_ = self._make(self.n_features_in_, len(self.classes_))

    def _widen(self, positions: np.ndarray) -> None:
        self.model_.widen(positions, len(self.classes_))

    def _only_model(self) -> OnlineModel | None:
        usual = StreamClassifier._receive, OneModelClassifier._learn, OneModelClassifier._scores
        kind = type(self)
        return self.model_ if (kind._receive, kind._learn, kind._scores) == usual else None

    def _learn(self, chunk: Chunk, scores: np.ndarray | None = None) -> None:
        """Train on rows; if `scores` is passed, write the prequential scores of each row to it."""
        X, y, w = chunk.X, chunk.y, chunk.w
        for k in range(0, len(y), BATCH):
            batch = slice(k, k + BATCH)
            with uninterrupted():
                rows = X[batch], y[batch], self._weigh(y[batch], w[batch])
                if scores is None:
                    self.model_.learn_many(*rows)
                else:
                    self.model_.test_and_learn_many(*rows, scores[batch])

    def test_then_train_known(self, X: np.ndarray, labels: list[Any]) -> list[Any] | None:
        """Return the predictions of `test_then_train`, without its checks; None if it is required.

        For a few rows, the checks take much longer than training.

        Parameters
        ----------
        X : float array of shape (n, d)
            Rows that the learner accepts, such as those of its encoder.
        labels : list of n labels
            The labels, of the type of the classes. It is required if one of them is new.
        """
        if not hasattr(self, "classes_") or len(labels) > BATCH:
            return None
        usual = StreamClassifier.test_then_train, OneModelClassifier._test_then_learn
        kind = type(self)
        if (kind.test_then_train, kind._test_then_learn) != usual:
            return None
        if self._only_model() is None or self.class_weight is not None:
            return None
        classes = self.classes_.tolist()
        codes = {label: k for k, label in enumerate(classes)}
        try:
            y = np.array([codes[label] for label in labels], dtype=np.intp)
        except KeyError:
            return None
        self._check_features(X)
        scores = np.empty((len(y), len(classes)))
        with self._locked(), uninterrupted():
            self.model_.test_and_learn_many(X, y, np.ones(len(y)), scores)
        best = compiled.argmax_rows(compiled.normalize(scores))
        return [classes[k] for k in best.tolist()]

    def _can_fold(self) -> bool:
        """Return whether `_folded` gives the results of `_learn` and `_scores`."""
        usual = OneModelClassifier._learn, OneModelClassifier._scores
        return self.class_weight is None and (type(self)._learn, type(self)._scores) == usual

    def _draws(self) -> bool:
        """Return whether models draw random numbers and therefore need a seed."""
        return "random_state" in self.__dict__

    def _new_model(self, chunk: Chunk) -> OnlineModel:
        """Return an empty model for the features and classes of a chunk."""
        if not self._draws():
            return self._make(chunk.X.shape[1], len(chunk.occurring))
        self.n_features_in_ = chunk.X.shape[1]
        self._meet(chunk.occurring)
        return self.model_

    @staticmethod
    def _folded(unfitted: list[Any], chunk: Chunk, fold: np.ndarray) -> np.ndarray:
        """Return class probabilities of rows, each from the model not trained on that row.

        `unfitted` holds a learner for each fold. Learners that draw no random numbers may be the
        same object.
        """
        models = [learner._new_model(chunk) for learner in unfitted]
        chunk = chunk.with_classes(chunk.occurring)
        return compiled.folded(models, chunk.X, chunk.y, chunk.w, fold)

    def _test_then_learn(self, chunk: Chunk, probas: np.ndarray) -> None:
        self._receive(chunk, False, scores=probas)
        probas[:] = compiled.normalize(probas)

    def _scores(self, X: np.ndarray) -> np.ndarray:
        scores = np.empty((len(X), len(self.classes_)))
        self.model_.scores_many(X, scores)
        return scores

    @classmethod
    def _pack(
        cls, members: list[OneModelClassifier], columns: list[np.ndarray]
    ) -> PackedModels | None:
        if cls._scores is not OneModelClassifier._scores:
            return None
        return PackedModels([member.model_ for member in members], columns)


class PackedModels:
    """Online models of a committee, packed for predictions by all members in one call."""

    def __init__(self, models: list[OnlineModel], columns: list[np.ndarray]):
        self.models, self.columns = models, columns

    def append(self, member: OneModelClassifier, columns: np.ndarray) -> None:
        """Add a member; `columns` are the positions of its classes in the ensemble's."""
        self.models.append(member.model_)
        self.columns.append(columns)

    def select(self, index: np.ndarray) -> None:
        """Keep the members at these positions, in this order."""
        self.models = [self.models[k] for k in index]
        self.columns = [self.columns[k] for k in index]

    def draft(self) -> PackedModels:
        """Return a copy to which members can be added."""
        return PackedModels(list(self.models), list(self.columns))

    def labels(self, X: np.ndarray) -> np.ndarray:
        """Return every member's class code for every row."""
        return compiled.labels_of(self.models, self.columns, X)

    def probas(self, X: np.ndarray, n_classes: int) -> np.ndarray:
        """Return every member's class probabilities for every row."""
        return compiled.probas_of(self.models, self.columns, X, n_classes)
