"""Decision trees: CART, decision stump, Hoeffding tree, Hoeffding adaptive tree."""

from driftlearn.utils.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__)
