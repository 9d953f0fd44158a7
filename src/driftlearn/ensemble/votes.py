"""Weighted votes, summed in the order of the members, with a default if all weights are zero."""

from collections.abc import Callable
from typing import Any

import numpy as np

from driftlearn.ensemble import _votes as kernels
from driftlearn.utils.arguments import Floats, Ints, Values

tally: Callable[[Ints, Floats, int], Floats] = kernels.tally
blend: Callable[[Floats, Floats], Floats] = kernels.blend
tally_each: Callable[[Ints, Floats, int], Floats] = kernels.tally_each


def weighted_vote(predictions: Values, weight: Floats, n_classes: int) -> Floats:
    """Return the members' weighted votes, or the newest member's vote if all weights are zero.

    Parameters
    ----------
    predictions : int ndarray (members, rows), or ndarray (members, rows, classes)
        The members' class codes (hard vote) or class probabilities (soft vote).
    weight : ndarray of shape (members,)
        Voting weights, none negative.
    n_classes : int
        Number of classes.

    Returns
    -------
    ndarray of shape (rows, classes)

    Examples
    --------
    >>> labels = np.array([[0, 1], [1, 1]], dtype=np.int32)
    >>> weighted_vote(labels, np.array([0.25, 0.5]), 2)
    array([[0.25, 0.5 ],
           [0.  , 0.75]])
    >>> weighted_vote(labels, np.zeros(2), 2)
    array([[0., 1.],
           [0., 1.]])
    """
    if len(weight) and not weight.max() > 0:
        weight = np.zeros(len(weight))
        weight[-1] = 1.0
    if predictions.ndim == 2:
        return tally(predictions.astype(np.int32, "K", "same_kind", copy=False), weight, n_classes)
    if predictions.shape[2] != n_classes:
        raise ValueError(f"predictions have {predictions.shape[2]} classes, expected {n_classes}")
    return blend(predictions, weight)


def vote_each(committee: Any, X: Values, weights: Floats, soft: bool) -> Floats:
    """Return the votes of members with one weight per member and row, added in their order.

    Parameters
    ----------
    committee : Committee
        The members.
    X : ndarray of shape (rows, features)
        The rows.
    weights : ndarray of shape (members, rows)
        Voting weights.
    soft : bool
        Whether members vote by probabilities instead of labels.

    Returns
    -------
    ndarray of shape (rows, classes)
    """
    if not soft:
        return tally_each(committee.labels(X), weights, len(committee.classes))
    scores = np.zeros((len(X), len(committee.classes)))
    for probas, weight in zip(committee.probas(X), weights):
        scores += weight[:, None] * probas
    return scores


def signed_vote(labels: Ints, weight: Floats, known: Values) -> Floats:
    """Return the votes of members with positive or negative weights, shifted to be nonnegative.

    If a row has a negative sum, its smallest sum is subtracted from all of its sums: the class with
    the largest sum remains the same. A class that no member predicts has the sum 0, which is larger
    than a negative sum; therefore only classes that a member was trained on can get votes. If all
    weights are zero, the newest member's vote is used.

    Parameters
    ----------
    labels : int32 ndarray of shape (members, rows)
        The members' class codes.
    weight : ndarray of shape (members,)
        Voting weights of either sign.
    known : ndarray of bool, shape (classes,)
        Which classes at least one member was trained on.

    Returns
    -------
    ndarray of shape (rows, classes)

    Examples
    --------
    >>> labels = np.array([[0, 1], [1, 1]], dtype=np.int32)
    >>> signed_vote(labels, np.array([-0.25, 0.5]), np.array([True, True, False]))
    array([[0.  , 0.75, 0.  ],
           [0.  , 0.25, 0.  ]])
    """
    if not weight.any():
        return weighted_vote(labels, weight, len(known))
    scores = tally(labels, weight, len(known))
    scores -= scores.min(axis=1, where=known, initial=0.0, keepdims=True)
    scores[~(scores[:, known] > 0).any(axis=1)] = 1.0  # rows whose sums are all equal
    return scores * known


def default_to_newest(scores: Floats, predictions: Values) -> Floats:
    """Fill rows of `scores` that are all zero with the newest member's vote; return `scores`.

    Parameters
    ----------
    scores : ndarray of shape (rows, classes)
        The votes.
    predictions : int32 ndarray (members, rows), or ndarray (members, rows, classes)
        The members' class codes or class probabilities, the newest last.

    Examples
    --------
    >>> default_to_newest(np.array([[0.0, 0.0], [0.5, 0.0]]), np.array([[0, 0], [1, 1]]))
    array([[0. , 1. ],
           [0.5, 0. ]])
    """
    empty = np.flatnonzero(scores.max(axis=1) <= 0)
    if len(empty) and len(predictions):
        if predictions.ndim == 2:
            scores[empty, predictions[-1, empty]] = 1.0
        else:
            scores[empty] = predictions[-1, empty]
    return scores
