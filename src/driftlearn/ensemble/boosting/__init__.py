"""Online boosting, boosting on a sliding window, and boosting of a data chunk."""

from driftlearn.utils.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, {"_watch": "Watch"})
