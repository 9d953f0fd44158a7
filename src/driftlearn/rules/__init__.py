"""Rule learners for nominal features: STAGGER, FLORA2 and FLORA3."""

from driftlearn.utils.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__)
