"""The adaptive random forest."""

from __future__ import annotations

from typing import Any

from driftlearn.learners.hoeffding_tree import HoeffdingTreeClassifier
from driftlearn.online.background_bagging import BackgroundBaggingClassifier


class AdaptiveRandomForestClassifier(BackgroundBaggingClassifier):
    def _base_learner(self) -> Any:
        if self.estimator is None:
            return HoeffdingTreeClassifier(grace_period=50, max_features="sqrt")
        return self.estimator
