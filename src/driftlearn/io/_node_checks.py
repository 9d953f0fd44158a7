"""Checks of the nodes of a tree before compiled code traverses it.

The traversal does not check the positions of children and features. Arrays from a file could make
it read outside of them, or loop forever; these checks, a few operations per tree, prevent that.
"""

import numpy as np


def check_nodes(inner, children, feature, n_features):
    """Raise ValueError unless each inner node precedes its children and has a valid feature.

    Parameters
    ----------
    inner : bool array of shape (nodes,)
        Which nodes are split.
    children : sequence of int arrays of shape (nodes,)
        Positions of the left and the right child of each node.
    feature : int array of shape (nodes,)
        Feature of the split.
    n_features : int
        Number of features.

    Examples
    --------
    >>> check_nodes(np.array([True]), [np.array([7])], np.array([0]), 1)
    Traceback (most recent call last):
    ValueError: a tree node has an invalid child position
    """
    n = len(inner)
    if n == 0 or any(np.shape(child) != (n,) for child in children):
        raise ValueError("the arrays of a tree have different lengths")
    at = inner.nonzero()[0]
    if len(at) == 0:
        return
    for child in children:
        child = child[at]
        if (child <= at).any() or child.max() >= n:
            raise ValueError("a tree node has an invalid child position")
    feature = feature[at]
    if feature.min() < 0 or feature.max() >= n_features:
        raise ValueError(f"a tree node splits a feature outside the range [0, {n_features})")


def check_sibling_nodes(feature, child, n_features):
    """Like `check_nodes`, for trees in which each right child follows the left one.

    The trees of keyed models have few nodes, for which a loop over lists is faster than operations
    on arrays.

    Parameters
    ----------
    feature : int array of shape (nodes,)
        Feature of the split; negative for a leaf.
    child : int array of shape (nodes,)
        Position of the left child, or the number of the leaf.
    n_features : int
        Number of features.

    Returns
    -------
    int
        Highest number of a leaf, -1 if there is no leaf.

    Examples
    --------
    >>> check_sibling_nodes(np.array([0, -1, -1]), np.array([1, 0, 1]), 1)
    1
    >>> check_sibling_nodes(np.array([0, -1]), np.array([1, 0]), 1)
    Traceback (most recent call last):
    ValueError: a tree node has an invalid child position
    """
    n = len(feature)
    if n == 0 or np.shape(child) != (n,):
        raise ValueError("the arrays of a tree have different lengths")
    leaf = -1
    for i, (split, below) in enumerate(zip(feature.tolist(), child.tolist())):
        if split < 0:
            leaf = max(leaf, below)
        elif below <= i or below + 1 >= n:
            raise ValueError("a tree node has an invalid child position")
        elif split >= n_features:
            raise ValueError(f"a tree node splits a feature outside the range [0, {n_features})")
    return leaf
