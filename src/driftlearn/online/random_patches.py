"""Streaming random patches."""

from __future__ import annotations

from typing import Any

from driftlearn.base.foreign_model import ForeignModel
from driftlearn.engines.online_model import OnlineModel
from driftlearn.engines.subspace_model import SubspaceModel
from driftlearn.kernels.random_features import draw_features, how_many
from driftlearn.learners._one_model import OneModelClassifier
from driftlearn.learners.hoeffding_tree import HoeffdingTreeClassifier
from driftlearn.online.background_bagging import BackgroundBaggingClassifier


class StreamingRandomPatchesClassifier(BackgroundBaggingClassifier):
    _parameter_constraints = {
        **BackgroundBaggingClassifier._parameter_constraints,
        "subspace": HoeffdingTreeClassifier._parameter_constraints["max_features"],
    }

    def __init__(
        self,
        estimator: Any = None,
        n_estimators: int = 10,
        *,
        subspace: Any = 0.6,
        lam: float = 6.0,
        warning_delta: float = 0.01,
        drift_delta: float = 0.001,
        vote: str = "soft",
        random_state: Any = None,
    ):
        super().__init__(
            estimator,
            n_estimators,
            lam=lam,
            warning_delta=warning_delta,
            drift_delta=drift_delta,
            vote=vote,
            random_state=random_state,
        )
        self.subspace = subspace

    def _base_learner(self) -> Any:
        return HoeffdingTreeClassifier(grace_period=50) if self.estimator is None else self.estimator

    def _new_model(self, seed: int | None = None) -> OnlineModel:
        """Return a model that knows nothing and sees some of the features, both by its seed."""
        seed = self._seed() if seed is None else seed
        d = self.n_features_in_
        columns = draw_features(seed, d, how_many(self.subspace, d))
        base = self._base_learner()
        if isinstance(base, OneModelClassifier):
            inner = base._seeing(columns, d)._make(len(columns), len(self.classes_), seed)
        else:
            inner = ForeignModel(base, seed, len(columns), self.class_book_)
        return SubspaceModel(d, columns, inner)
