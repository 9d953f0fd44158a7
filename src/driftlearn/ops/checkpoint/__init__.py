"""A model that is kept up to date with a user's files: what ``driftlearn learn`` works on."""

from driftlearn.ops.checkpoint.record import Record
from driftlearn.ops.checkpoint.saved_model import SavedModel

__all__ = ["SavedModel", "Record"]
