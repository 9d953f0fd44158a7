"""Base learners that go on when the class list grows."""

from driftlearn.learners.artmap import FuzzyARTMAPClassifier
from driftlearn.learners.boosting import BoostingClassifier
from driftlearn.learners.cart import CARTClassifier
from driftlearn.learners.gaussian_nb import GaussianNBClassifier
from driftlearn.learners.hoeffding_adaptive_tree import HoeffdingAdaptiveTreeClassifier
from driftlearn.learners.hoeffding_tree import HoeffdingTreeClassifier
from driftlearn.learners.logistic import LogisticClassifier
from driftlearn.learners.mlp_goal import MLPGoalClassifier
from driftlearn.learners.stump import StumpClassifier

__all__ = [
    "BoostingClassifier",
    "CARTClassifier",
    "FuzzyARTMAPClassifier",
    "GaussianNBClassifier",
    "HoeffdingAdaptiveTreeClassifier",
    "HoeffdingTreeClassifier",
    "LogisticClassifier",
    "MLPGoalClassifier",
    "StumpClassifier",
]
