"""Random subsets of features: how many, and which."""

import math
from numbers import Integral

import numpy as np


def how_many(max_features, n_features):
    """Return the number of features that `max_features` means where there are `n_features`.

    Parameters
    ----------
    max_features : int, float, "sqrt" or None
        So many, or all if there are fewer; this share of them, rounded, at least two, as one alone
        tells nothing of what two mean together; the square root of their number, rounded, and one
        more; all.
    n_features : int
        Features that there are.

    Examples
    --------
    >>> [how_many(choice, 8) for choice in (None, 5, 100, 0.6, 0.1, "sqrt")]
    [8, 5, 8, 5, 2, 4]
    """
    if max_features is None:
        return n_features
    if max_features == "sqrt":
        return min(n_features, round(math.sqrt(n_features)) + 1)
    if isinstance(max_features, Integral):
        return min(int(max_features), n_features)
    return min(n_features, max(2, round(float(max_features) * n_features)))


def draw_features(seed, n_rows, n_features, n_chosen):
    """Return in each row the features with the smallest of as many uniform numbers, ascending.

    Parameters
    ----------
    seed : int or list of int
        Decides the numbers.
    n_rows, n_features, n_chosen : int
        How many subsets, the features that there are, and how many to choose.

    Examples
    --------
    >>> draw_features(7, 2, 8, 3).tolist()
    [[3, 4, 6], [2, 3, 4]]
    """
    u = np.random.default_rng(seed).random((n_rows, n_features))
    return np.sort(np.argsort(u, axis=1, kind="stable")[:, :n_chosen])
