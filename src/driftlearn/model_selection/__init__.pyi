# Written by `make stubs`.
from driftlearn.model_selection import auto_classifier as auto_classifier
from driftlearn.model_selection import candidate as candidate
from driftlearn.model_selection import class_frequencies as class_frequencies
from driftlearn.model_selection import class_thresholds as class_thresholds
from driftlearn.model_selection import decision as decision
from driftlearn.model_selection import defaults as defaults
from driftlearn.model_selection import expected_performance as expected_performance
from driftlearn.model_selection import nested_params as nested_params
from driftlearn.model_selection import online_stacking as online_stacking
from driftlearn.model_selection import prediction_sets as prediction_sets
from driftlearn.model_selection import stacking_weights as stacking_weights
from driftlearn.model_selection.auto_classifier import AutoClassifier as AutoClassifier
from driftlearn.model_selection.online_stacking import OnlineStackingClassifier as OnlineStackingClassifier
from driftlearn.model_selection.prediction_sets import PredictionSets as PredictionSets
from driftlearn.model_selection.defaults import default_candidates as default_candidates
from driftlearn.model_selection.defaults import default_table_candidates as default_table_candidates

__all__ = ['AutoClassifier', 'OnlineStackingClassifier', 'PredictionSets', 'default_candidates', 'default_table_candidates']
