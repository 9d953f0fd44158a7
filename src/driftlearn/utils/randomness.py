"""Random number generators from a `random_state`, and copies of generators."""

from __future__ import annotations

from typing import Any

import numpy as np


def generator(random_state: Any) -> np.random.Generator:
    """Return a NumPy generator for a scikit-learn ``random_state``."""
    if isinstance(random_state, np.random.RandomState):
        return np.random.default_rng(random_state.randint(2**31 - 1))
    if isinstance(random_state, np.random.Generator):
        return np.random.default_rng(random_state.integers(2**31 - 1))
    return np.random.default_rng(random_state)


def copy_generator(rng: np.random.Generator) -> np.random.Generator:
    """Return a copy of a generator, which draws the same numbers."""
    bits: Any = rng.bit_generator
    copy = type(bits)(bits.seed_seq)
    copy.state = bits.state
    return np.random.Generator(copy)
