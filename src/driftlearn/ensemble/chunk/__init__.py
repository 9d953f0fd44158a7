"""Ensembles that learn a chunk of rows at a time, one file per paper."""

from driftlearn.utils.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__)
