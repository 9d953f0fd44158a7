"""The nodes of a tree, looked at before a compiled walk goes down them.

A walk does not check where a node's children and its feature are. Arrays that come out of a file
could send it outside of them, or round in circles; these checks, a few operations a tree, refuse
that.
"""

import numpy as np


def check_nodes(inner, children, feature, n_features):
    """Raise ValueError unless each inner node has its children behind it and a feature that exists.

    Parameters
    ----------
    inner : bool array of shape (nodes,)
        Which nodes are split.
    children : sequence of int arrays of shape (nodes,)
        The left and the right child of each.
    feature : int array of shape (nodes,)
        The feature that is split.
    n_features : int
        How many there are.

    Examples
    --------
    >>> check_nodes(np.array([True]), [np.array([7])], np.array([0]), 1)
    Traceback (most recent call last):
    ValueError: a node of a tree has a child that is not there
    """
    n = len(inner)
    if n == 0 or any(np.shape(child) != (n,) for child in children):
        raise ValueError("the arrays of a tree differ in length")
    at = inner.nonzero()[0]
    if len(at) == 0:
        return
    for child in children:
        child = child[at]
        if (child <= at).any() or child.max() >= n:
            raise ValueError("a node of a tree has a child that is not there")
    feature = feature[at]
    if feature.min() < 0 or feature.max() >= n_features:
        raise ValueError(f"a node of a tree splits a feature beyond the {n_features} there are")


def check_twins(feature, child, n_features):
    """Raise ValueError as `check_nodes` does, for trees whose right child follows on the left one.

    Trees of keys have few nodes, of which a loop over lists is done before an operation on arrays.

    Parameters
    ----------
    feature : int array of shape (nodes,)
        The feature that is split, below 0 for a leaf.
    child : int array of shape (nodes,)
        The left child, or the number of the leaf.
    n_features : int
        How many there are.

    Returns
    -------
    int
        The highest number of a leaf, -1 if there is no leaf.

    Examples
    --------
    >>> check_twins(np.array([0, -1, -1]), np.array([1, 0, 1]), 1)
    1
    >>> check_twins(np.array([0, -1]), np.array([1, 0]), 1)
    Traceback (most recent call last):
    ValueError: a node of a tree has a child that is not there
    """
    n = len(feature)
    if n == 0 or np.shape(child) != (n,):
        raise ValueError("the arrays of a tree differ in length")
    leaf = -1
    for i, (split, below) in enumerate(zip(feature.tolist(), child.tolist())):
        if split < 0:
            leaf = max(leaf, below)
        elif below <= i or below + 1 >= n:
            raise ValueError("a node of a tree has a child that is not there")
        elif split >= n_features:
            raise ValueError(f"a node of a tree splits a feature beyond the {n_features} there are")
    return leaf
