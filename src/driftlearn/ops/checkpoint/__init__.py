"""A model that is kept up to date with a user's files: what ``driftlearn learn`` works on."""

from driftlearn.ops.checkpoint.kept import Kept
from driftlearn.ops.checkpoint.record import Record

__all__ = ["Kept", "Record"]
