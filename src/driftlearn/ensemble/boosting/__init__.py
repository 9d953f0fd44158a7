"""Online boosting, and boosting within a chunk or window."""

from driftlearn.utils.lazy import attach

__getattr__, __dir__, __all__ = attach(
    __name__,
    {
        "Watch": "_watch",
    },
)
