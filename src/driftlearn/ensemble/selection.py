"""Selection of members by their weights or errors."""

import numpy as np

from driftlearn.base.chunk import DECIMALS
from driftlearn.utils.arguments import Floats, Ints


def largest_weights(weight: Floats, k: int) -> Floats:
    """Return the positions of the `k` largest weights, ascending; older members win ties.

    Examples
    --------
    >>> largest_weights(np.array([1.0, 3.0, 1.0]), 2)
    array([0, 1])
    """
    return np.sort(np.argsort(-weight, kind="stable")[:k])


def smallest_errors(error: Floats, k: int) -> Ints:
    """Return the positions of the `k` smallest errors, ascending; newer members win ties.

    Examples
    --------
    >>> smallest_errors(np.array([0.2, 0.1, 0.2, 0.3]), 2)
    array([1, 2])
    """
    newest_first = np.argsort(np.round(error, DECIMALS)[::-1], kind="stable")
    return np.sort(len(error) - 1 - newest_first[:k])
