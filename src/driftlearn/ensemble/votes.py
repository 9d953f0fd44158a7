"""Weighted votes: counted in the order of the members, never without an answer."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from driftlearn.ensemble import _votes as kernels
from driftlearn.utils.typing import Floats, Ints, Values

tally: Callable[[Ints, Floats, int], Floats] = kernels.tally
blend: Callable[[Floats, Floats], Floats] = kernels.blend
tally_each: Callable[[Ints, Floats, int], Floats] = kernels.tally_each


def weighted_vote(said: Values, weight: Floats, n_classes: int) -> Floats:
    """Return the votes of members by their weights; where nobody has any, the newest speaks alone.

    Parameters
    ----------
    said : int ndarray of shape (members, rows), or ndarray of shape (members, rows, classes)
        The members' class codes (a hard vote) or their class probabilities (a soft one).
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
    if said.ndim == 2:
        codes = said if said.dtype == np.int32 else said.astype(np.int32, casting="same_kind")
        return tally(codes, weight, n_classes)
    if said.shape[2] != n_classes:
        raise ValueError(f"probabilities of {said.shape[2]} classes where there are {n_classes}")
    return blend(said, weight)


def signed_vote(labels: Ints, weight: Floats, known: Values) -> Floats:
    """Return the votes of members whose weights may be negative, lifted so that no vote is.

    Where a row has a negative sum, its least sum is taken off all of its sums: the class with the
    largest sum stays the largest. A class that nobody names has the sum 0, which is more than a
    negative one; so only classes that are known to a member can be voted for. Where no member has
    any weight, the newest speaks alone.

    Parameters
    ----------
    labels : int32 ndarray of shape (members, rows)
        The members' class codes.
    weight : ndarray of shape (members,)
        Voting weights of either sign.
    known : ndarray of bool, shape (classes,)
        Which classes a member knows.

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
    scores[~(scores[:, known] > 0).any(axis=1)] = 1.0  # all sums are equal
    return scores * known


def default_to_newest(scores: Floats, said: Values) -> Floats:
    """Give the rows on which all scores are zero to the newest member; write into `scores`.

    Parameters
    ----------
    scores : ndarray of shape (rows, classes)
        The votes.
    said : int32 ndarray of shape (members, rows), or ndarray of shape (members, rows, classes)
        The members' class codes or class probabilities, the newest last.

    Examples
    --------
    >>> default_to_newest(np.array([[0.0, 0.0], [0.5, 0.0]]), np.array([[0, 0], [1, 1]]))
    array([[0. , 1. ],
           [0.5, 0. ]])
    """
    mute = np.flatnonzero(scores.max(axis=1) <= 0)
    if len(mute) and len(said):
        if said.ndim == 2:
            scores[mute, said[-1, mute]] = 1.0
        else:
            scores[mute] = said[-1, mute]
    return scores
