"""Facts about a model as data: members, importances, why a row is what it is, what changed."""

from driftlearn.inspection.explanation import Explanation
from driftlearn.inspection.feature_record import FeatureRecord
from driftlearn.inspection.importances import permutation_importances

__all__ = ["Explanation", "FeatureRecord", "permutation_importances"]
