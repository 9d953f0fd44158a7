"""Feature ranges that are safe divisors."""

import numpy as np

from driftlearn.utils.arguments import Floats

# Quotients by a range are squared. Features are at most 1e75, so with this bound the squares stay
# below 1e301 and do not overflow.
LEAST_RANGE = 1e-75


def divisors(width: Floats) -> Floats:
    """Return ranges for division, with 1 for features that are almost constant.

    Examples
    --------
    >>> divisors(np.array([2.0, 0.0, 1e-300]))
    array([2., 1., 1.])
    """
    return np.where(width > LEAST_RANGE, width, 1.0)


def ranges(X: Floats) -> Floats:
    """Return the range of each feature, with 1 for features that are almost constant."""
    return divisors(X.max(axis=0) - X.min(axis=0))
