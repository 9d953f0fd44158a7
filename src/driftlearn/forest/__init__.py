"""Adaptive random forest and streaming random patches."""

from driftlearn.utils.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__)
