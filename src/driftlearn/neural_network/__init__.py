"""Multilayer perceptron trained to an error goal, and fuzzy ARTMAP."""

from driftlearn.utils.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__)
