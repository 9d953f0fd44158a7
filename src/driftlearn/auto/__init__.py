"""A learner that chooses among learners while it learns."""

from driftlearn.auto.auto_classifier import AutoClassifier

__all__ = ["AutoClassifier"]
