"""Ensembles that are trained chunk by chunk, one module per paper."""

from driftlearn.utils.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__)
