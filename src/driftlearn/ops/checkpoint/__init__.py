"""Models that are saved in a state folder and updated from files by ``driftlearn learn``."""

from driftlearn.ops.checkpoint.record import Record
from driftlearn.ops.checkpoint.saved_model import SavedModel

__all__ = ["Record", "SavedModel"]
