"""Fast path for learners that receive single rows."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from driftlearn.base._single_row import SingleRowPath
from driftlearn.base.chunk import Chunk
from driftlearn.base.validation import check_sample_weight

if TYPE_CHECKING:
    from driftlearn.base._online_model import OnlineModel

#: Methods that the fast path skips; a learner that overrides one of them cannot use it.
SKIPPED = (
    "_absorb", "_validated", "_checked", "_cut",
    "_proba_with_classes", "_proba_unlocked", "_probas",
)  # fmt: skip
#: Modules of the base classes whose methods the fast path replaces.
BASES = "driftlearn.base.", "driftlearn.ensemble.online_classifier"


class SingleRowMixin:
    """Fast path for single rows, for learners that are trained in place.

    It calls `_receive` and `_scores` as the general path does, or directly the model if the learner
    consists of one.
    """

    classes_: np.ndarray
    n_features_in_: int
    class_weight: Any
    _get_param_names: Any
    _receive: Any
    _single_row: SingleRowPath | None = None

    def _cache_single_row_path(self) -> None:
        """Cache the fast path for the current classes and parameters, if one is possible."""
        if self._single_row is None or not self._single_row.is_for(self):
            self._single_row = self._single_row_path()

    def _single_row_path(self) -> SingleRowPath | None:
        known = self.__dict__
        plain = self.class_weight is None and "feature_names_in_" not in known
        if not plain or not self._uses_default_methods():
            return None
        facts = {"classes_": self.classes_, "n_features_in_": self.n_features_in_}
        model = self._only_model()
        if model is not None:
            facts["model_"] = model
        params = {name: known.get(name) for name in self._get_param_names()}
        return SingleRowPath(facts, params, model)

    @classmethod
    @cache
    def _uses_default_methods(cls) -> bool:
        """Return whether the skipped methods are those of the package's base classes."""
        modules = (getattr(cls, name).__module__ for name in SKIPPED)
        return all(module.startswith(BASES) for module in modules)

    def _only_model(self) -> OnlineModel | None:
        """Return ``model_`` if training and prediction involve nothing else."""
        return None

    def _learn_row(self, X: np.ndarray, code: int) -> None:
        """Train on a single validated row of a known class."""
        self._receive(
            Chunk(X, np.array([code]), check_sample_weight(None, 1), self.classes_), False
        )
