"""Adapters for other libraries: river, CapyMOA, MLflow."""

from driftlearn.utils.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__)
