"""Learners to which rows come one by one."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from driftlearn.base.chunk import Chunk
from driftlearn.base.input import row_weights
from driftlearn.base.single_row import SingleRow

if TYPE_CHECKING:
    from driftlearn.base._online_model import OnlineModel

#: What a row that goes the short way does not pass.
PASSED_BY = (
    "_absorb",
    "_validated",
    "_checked",
    "_cut",
    "_proba_with_classes",
    "_proba_unlocked",
    "_probas",
)


class SingleRowMixin:
    """The short way of single plain rows into a learner that learns in place (`SingleRow`).

    It ends where the general way does: in `_receive` and `_scores`, or at the model, where a
    learner is one.
    """

    classes_: np.ndarray
    n_features_in_: int
    class_weight: Any
    _get_param_names: Any
    _receive: Any
    _single_row: SingleRow | None = None

    def _keep_short_way(self) -> None:
        """Have a short way for the learner as it is now, if there can be one."""
        if self._single_row is None or not self._single_row.is_for(self):
            self._single_row = self._short_way()

    def _short_way(self) -> SingleRow | None:
        known = self.__dict__
        plain = self.class_weight is None and "feature_names_in_" not in known
        if not plain or not self._enters_as_usual():
            return None
        facts = {"classes_": self.classes_, "n_features_in_": self.n_features_in_}
        model = self._only_model()
        if model is not None:
            facts["model_"] = model
        params = {name: known.get(name) for name in self._get_param_names()}
        return SingleRow(facts, params, model)

    @classmethod
    @cache
    def _enters_as_usual(cls) -> bool:
        """Say whether no step that the short way leaves out was written anew elsewhere."""
        steps = [getattr(cls, name).__module__ for name in PASSED_BY]
        return all(step.startswith("driftlearn.base.") for step in steps)

    def _only_model(self) -> OnlineModel | None:
        """Return ``model_``, if it is all that learns and answers."""
        return None

    def _learn_row(self, X: np.ndarray, code: int) -> None:
        """Learn a single row that was checked, of a known class."""
        self._receive(Chunk(X, np.array([code]), row_weights(None, 1), self.classes_), False)
