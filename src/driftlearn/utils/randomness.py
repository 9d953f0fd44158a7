"""Generators of random numbers: made from a `random_state`, and copied."""

from __future__ import annotations

from typing import Any

import numpy as np


def generator(random_state: Any) -> np.random.Generator:
    """Return the NumPy generator that a scikit-learn ``random_state`` stands for."""
    if isinstance(random_state, np.random.RandomState):
        return np.random.default_rng(random_state.randint(2**31 - 1))
    if isinstance(random_state, np.random.Generator):
        return np.random.default_rng(random_state.integers(2**31 - 1))
    return np.random.default_rng(random_state)


def copy_generator(rng: np.random.Generator) -> np.random.Generator:
    """Return a generator that will draw the same numbers."""
    bits: Any = rng.bit_generator
    twin = type(bits)(bits.seed_seq)
    twin.state = bits.state
    return np.random.Generator(twin)
