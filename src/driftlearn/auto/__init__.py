"""A learner that chooses among learners while it learns."""

from driftlearn.auto.auto_classifier import AutoClassifier
from driftlearn.auto.players import default_learners

__all__ = ["AutoClassifier", "default_learners"]
