"""A model that is kept up to date with a user's files: what ``driftlearn learn`` works on."""

from driftlearn.keeping.kept import Kept
from driftlearn.keeping.record import Record

__all__ = ["Kept", "Record"]
