"""Ranges of features."""

from __future__ import annotations

import numpy as np

from driftlearn.utils.typing import Floats

# What is divided by a range gets squared. The largest feature that learners take is 1e75, so with
# this the squares are below 1e301.
LEAST_RANGE = 1e-75


def divisors(width: Floats) -> Floats:
    """Return ranges of features to divide by, 1 for a feature that is as good as constant.

    Examples
    --------
    >>> divisors(np.array([2.0, 0.0, 1e-300]))
    array([2., 1., 1.])
    """
    return np.where(width > LEAST_RANGE, width, 1.0)


def ranges(X: Floats) -> Floats:
    """Return the range of each feature, 1 for one that is as good as constant."""
    return divisors(X.max(axis=0) - X.min(axis=0))
