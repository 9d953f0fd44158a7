"""Baselines: learners that know next to nothing, and that every other one has to beat."""

from driftlearn.baselines.majority import MajorityClassifier
from driftlearn.baselines.no_change import NoChangeClassifier
from driftlearn.baselines.refit import RefitClassifier

__all__ = ["MajorityClassifier", "NoChangeClassifier", "RefitClassifier"]
