"""Random subsets of features."""

import math
from numbers import Integral

import numpy as np


def how_many(max_features, n_features):
    """Return the number of features that `max_features` selects out of `n_features`.

    Parameters
    ----------
    max_features : int, float, "sqrt" or None
        An int is the number itself, at most `n_features`. A float is a share of the features; the
        result is rounded and at least 2, since a single feature shows no interactions. "sqrt" is
        the rounded square root plus one. None means all features.
    n_features : int
        Number of available features.

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
    """Return random feature subsets, one per row, each in ascending order.

    A subset consists of the features with the smallest of `n_features` uniform random numbers.

    Parameters
    ----------
    seed : int or list of int
        Seed of the random numbers.
    n_rows, n_features, n_chosen : int
        Number of subsets, of available features, and of features per subset.

    Examples
    --------
    >>> draw_features(7, 2, 8, 3).tolist()
    [[3, 4, 6], [2, 3, 4]]
    """
    # One call of the generator for all subsets; a stable sort breaks ties in the same way
    # everywhere.
    u = np.random.default_rng(seed).random((n_rows, n_features))
    return np.sort(np.argsort(u, axis=1, kind="stable")[:, :n_chosen])
