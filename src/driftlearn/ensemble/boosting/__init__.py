"""Boosting ensembles: online, on a sliding window, and on a single data set."""

from driftlearn.utils.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, {"_watch": "Watch"})
