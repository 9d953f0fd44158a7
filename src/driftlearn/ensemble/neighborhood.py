"""Accuracy of ensemble members in the neighborhood of a row."""

import numpy as np
from scipy.spatial.distance import cdist

from driftlearn.utils.arguments import Floats, Ints, Values


def heom(A: Floats, B: Floats, width: Floats, nominal: Values) -> Floats:
    """Return heterogeneous Euclidean-overlap distances between the rows of A and B.

    Differences of numeric features are divided by the feature's range; those of nominal features
    are 0 or 1.

    Examples
    --------
    >>> A, B = np.array([[0.0, 1.0]]), np.array([[3.0, 2.0]])
    >>> heom(A, B, np.array([1.0, 1.0]), np.array([False, True]))
    array([[3.16]])
    """
    square: Floats = cdist(
        A[:, ~nominal] / width[~nominal], B[:, ~nominal] / width[~nominal], "sqeuclidean"
    )
    if nominal.any():
        square += cdist(A[:, nominal], B[:, nominal], "hamming") * nominal.sum()
    return np.sqrt(square)


def local_accuracy(distance: Floats, correct: Values, w: Floats, n_neighbors: int) -> Floats:
    """Return each member's accuracy on the nearest rows, weighted by their proximity.

    Parameters
    ----------
    distance : ndarray of shape (rows, validation)
        Distances to the rows on which the members were evaluated; ties go to the lower position.
    correct : ndarray of bool, shape (members, validation)
        Which rows each member predicted correctly.
    w : ndarray of shape (validation,)
        Weights of those rows.
    n_neighbors : int
        Number of neighbors.

    Returns
    -------
    ndarray of shape (rows, members)

    Examples
    --------
    >>> correct = np.array([[True, False], [True, True]])
    >>> local_accuracy(np.array([[0.0, 1.0]]), correct, np.ones(2), 2)
    array([[0.67, 1.  ]])
    """
    nearest = np.argsort(distance, axis=1, kind="stable")[:, :n_neighbors]
    good = np.zeros((len(distance), len(correct)))
    total = np.zeros((len(distance), 1))
    for at in nearest.T:
        u = (w[at] / (1.0 + np.take_along_axis(distance, at[:, None], axis=1)[:, 0]))[:, None]
        total += u
        good += u * correct[:, at].T
    return good / total


def knora_eliminate(correct: Values, near: Ints, slack: int = 0) -> Values:
    """Return which members make at most `slack` errors on the neighbors of a row (KNORA-Eliminate).

    If there are none, the farthest neighbor is left out, then the next farthest, and so on; if no
    member is correct on the nearest neighbor, all members are returned.

    Parameters
    ----------
    correct : ndarray of bool, shape (members, validation)
        Which rows each member predicted correctly.
    near : int ndarray of shape (rows, neighbors)
        The positions of each row's neighbors, the nearest first.
    slack : int
        Number of tolerated errors.

    Returns
    -------
    ndarray of bool, shape (members, rows)

    Examples
    --------
    >>> correct = np.array([[True, False, False], [True, True, False]])
    >>> knora_eliminate(correct, np.array([[0, 1, 2], [2, 1, 0]]))
    array([[False,  True],
           [ True,  True]])
    """
    wrong = np.zeros((len(correct), len(near)), dtype=np.intp)
    chosen: Values = np.ones(wrong.shape, dtype=bool)
    for at in near.T:
        wrong += ~correct[:, at]
        still = wrong <= slack
        chosen = np.where(still.any(axis=0), still, chosen)
    return chosen


def knora_union(correct: Values, near: Ints, w: Floats) -> Floats:
    """Return the weight of a row's neighbors that each member predicts correctly (KNORA-Union).

    Parameters
    ----------
    correct, near
        As in `knora_eliminate`.
    w : ndarray of shape (validation,)
        Weights of the rows on which the members were evaluated.

    Returns
    -------
    ndarray of shape (members, rows)

    Examples
    --------
    >>> correct = np.array([[True, False, False], [True, True, False]])
    >>> knora_union(correct, np.array([[0, 1]]), np.array([1.0, 2.0, 1.0]))
    array([[1.],
           [3.]])
    """
    good = np.zeros((len(correct), len(near)))
    for at in near.T:
        good += correct[:, at] * w[at]
    return good


def class_accuracy(correct: Values, near: Ints, w: Floats, y: Ints, predictions: Ints) -> Floats:
    """Return each member's accuracy on the neighbors of the class that it predicts for a row.

    Parameters
    ----------
    correct, near, w
        As in `knora_union`.
    y : int ndarray of shape (validation,)
        Class codes of the rows on which the members were evaluated.
    predictions : int ndarray of shape (members, rows)
        Class codes that the members predict for the query rows.

    Returns
    -------
    ndarray of shape (members, rows)
        The accuracy is 0 where no neighbor has that class.

    Examples
    --------
    >>> correct = np.array([[True, False, True], [True, True, False]])
    >>> near, y, predictions = np.array([[0, 1, 2]]), np.array([0, 0, 1]), np.array([[0], [1]])
    >>> class_accuracy(correct, near, np.ones(3), y, predictions)
    array([[0.5],
           [0. ]])
    """
    good, total = np.zeros(predictions.shape), np.zeros(predictions.shape)
    for at in near.T:
        weight = np.where(predictions == y[at], w[at], 0.0)
        total += weight
        good += weight * correct[:, at]
    return np.divide(good, total, out=np.zeros_like(good), where=total > 0)
