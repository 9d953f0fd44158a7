"""Model inspection: members, feature importances, explanations of predictions, and drift."""

from driftlearn.inspection.explanation import Explanation
from driftlearn.inspection.feature_record import FeatureRecord
from driftlearn.inspection.importances import permutation_importances
from driftlearn.inspection.inspection import Inspection, inspect

__all__ = ["Explanation", "FeatureRecord", "Inspection", "inspect", "permutation_importances"]
