"""Base learners that go on when the class list grows."""

from driftlearn.learners.cart import CARTClassifier
from driftlearn.learners.gaussian_nb import GaussianNBClassifier
from driftlearn.learners.hoeffding_tree import HoeffdingTreeClassifier
from driftlearn.learners.stump import StumpClassifier

__all__ = ["CARTClassifier", "GaussianNBClassifier", "HoeffdingTreeClassifier", "StumpClassifier"]
