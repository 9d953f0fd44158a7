# Written by `make stubs`.
from driftlearn.neural_network import fuzzy_artmap as fuzzy_artmap
from driftlearn.neural_network import mlp_goal as mlp_goal
from driftlearn.neural_network.fuzzy_artmap import FuzzyARTMAPClassifier as FuzzyARTMAPClassifier
from driftlearn.neural_network.mlp_goal import MLPGoalClassifier as MLPGoalClassifier

__all__ = ['FuzzyARTMAPClassifier', 'MLPGoalClassifier']
