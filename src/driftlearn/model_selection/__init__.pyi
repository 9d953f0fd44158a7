# Written by `make stubs`.
from driftlearn.model_selection import auto_classifier as auto_classifier
from driftlearn.model_selection import named_learners as named_learners
from driftlearn.model_selection import player as player
from driftlearn.model_selection import players as players
from driftlearn.model_selection.auto_classifier import AutoClassifier as AutoClassifier
from driftlearn.model_selection.players import default_learners as default_learners

__all__ = ['AutoClassifier', 'default_learners']
