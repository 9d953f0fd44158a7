"""Models saved in a state folder and updated from files: what ``driftlearn learn`` works on."""

from driftlearn.ops.checkpoint.record import Record
from driftlearn.ops.checkpoint.saved_model import SavedModel

__all__ = ["Record", "SavedModel"]
