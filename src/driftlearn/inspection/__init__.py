"""Facts about a model as data: members, importances, why a row is what it is, what changed."""

from driftlearn.inspection.feature_record import FeatureRecord

__all__ = ["FeatureRecord"]
