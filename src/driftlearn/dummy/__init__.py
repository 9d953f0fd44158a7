"""Baselines: last label, most frequent label, periodic refit."""

from driftlearn.utils.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__)
