"""Votes in which members ask each other who knows: for classes that not everybody has met."""

from __future__ import annotations

import numpy as np

from driftlearn.ensemble._class_votes import add_shares, named_shares, tally_discounted, tally_own
from driftlearn.ensemble.votes import tally
from driftlearn.utils.typing import Floats, Ints, Values

CERTAIN = 1.0 - 1e-12  # a share of all weight is one only up to the last bits of its sum
NOTHING = 1e-12  # what is left of a weight after those who are sure took it, up to the last bits


def class_confidence(labels: Ints, weight: Floats, knows: Values) -> Floats:
    """Return P_c(x): the share of weight, among the members that know class c, that names it.

    Parameters
    ----------
    labels : int32 ndarray of shape (members, rows)
        What each member says.
    weight : ndarray of shape (members,)
        Voting weights.
    knows : ndarray of bool, shape (members, classes)
        Which classes each member was trained on.

    Returns
    -------
    ndarray of shape (rows, classes)

    Examples
    --------
    >>> knows = np.array([[True, True], [True, False]])
    >>> class_confidence(np.array([[1], [0]], dtype=np.int32), np.array([1.0, 3.0]), knows)
    array([[0.75, 1.  ]])
    """
    named = tally(labels, weight, knows.shape[1])
    could = _sum(weight[:, None] * knows)
    return named / _something(could)


def settle_conflicts(P: Floats, knows: Values) -> Floats:
    """Silence nobody where two groups that share no member are both certain (Learn++.NC).

    Examples
    --------
    >>> knows = np.array([[True, False], [False, True]])
    >>> settle_conflicts(np.array([[1.0, 1.0], [1.0, 0.5]]), knows)
    array([[0. , 0. ],
           [1. , 0.5]])
    """
    certain = P >= CERTAIN
    sure = [c for c, rows in enumerate(certain.T) if rows.any()]  # few, of however many classes
    known = knows[:, sure].astype(int)
    apart = ~((known.T @ known) > 0)
    np.fill_diagonal(apart, False)
    if not apart.any():
        return P
    certain = certain[:, sure]
    clash = certain & ((certain.astype(int) @ apart.astype(int)) > 0)
    settled = P.copy()
    settled[:, sure] = np.where(clash, 0.0, P[:, sure])
    return settled


def dynamic_vote(labels: Ints, weight: Floats, knows: Values, conflicts: bool = False) -> Floats:
    """Return the votes after members that do not know a class step back for those that do.

    For every row, a member's weight is multiplied by ``1 - P_c`` for each class c that it was
    not trained on: the surer the others are that it is one of those, the less it has to say.
    This is Learn++.MT's dynamic weight voting; with `conflicts` it is Learn++.NC's dynamically
    weighted consult and vote. Where nobody has anything left to say the plain weights count.

    Parameters
    ----------
    labels, weight, knows
        As in `class_confidence`.
    conflicts : bool
        Whether certain groups that share no member leave each other alone.

    Returns
    -------
    ndarray of shape (rows, classes)

    Examples
    --------
    Three old members know classes 0 and 1; a new one knows 2 as well, and is sure:

    >>> knows = np.array([[True, True, False]] * 3 + [[True, True, True]])
    >>> labels = np.array([[0], [0], [0], [2]], dtype=np.int32)
    >>> dynamic_vote(labels, np.ones(4), knows)
    array([[0., 0., 1.]])
    """
    P = class_confidence(labels, weight, knows)
    if conflicts:
        P = settle_conflicts(P, knows)
    scores: Floats = tally_discounted(labels, weight, knows.view(np.uint8), P, NOTHING)
    return scores


def class_weights(p: Floats, counts: Floats, totals: Floats) -> Floats:
    """Return w_tc: what a member has to say on a class, by the share of its rows it has seen.

    Parameters
    ----------
    p : ndarray of shape (members,)
        How much better than chance each member is, ``1 - 2 eps``.
    counts : ndarray of shape (members, classes)
        Rows of each class that it was trained on.
    totals : ndarray of shape (classes,)
        Rows of each class that have ever been.

    Examples
    --------
    >>> class_weights(np.array([0.5]), np.array([[10.0, 0.0]]), np.array([20.0, 0.0]))
    array([[0.25, 0.  ]])
    """
    share: Floats = np.divide(
        p[:, None] * counts, totals, out=np.zeros_like(counts, dtype=float), where=totals > 0
    )
    return share


def own_class_vote(labels: Ints, weights: Floats) -> Floats:
    """Return the votes when a member counts for the class it names by its weight for that class.

    Parameters
    ----------
    labels : int32 ndarray of shape (members, rows)
        What each member says.
    weights : ndarray of shape (members, classes)
        Its weight for each class.

    Examples
    --------
    >>> labels = np.array([[0, 1]], dtype=np.int32)
    >>> own_class_vote(labels, np.array([[0.25, 0.75]]))
    array([[0.25, 0.  ],
           [0.  , 0.75]])
    """
    votes: Floats = tally_own(labels, weights)
    return votes


def ensemble_decision(
    labels: Ints,
    weights: Floats,
    group: Ints,
    counts: Floats,
    power: bool = True,
) -> Floats:
    """Return the votes of sub-ensembles that know what they have seen (Learn++.UDNC).

    Each sub-ensemble has a confidence in every class, the share of its weight for the class that
    names it. The confidence in a class that is abundant in its data set is lowered, to the power
    of how many times more rows it has than the rarest; then it counts by the share of all rows
    of the class that the sub-ensemble has seen.

    Parameters
    ----------
    labels : int32 ndarray of shape (members, rows)
        What each member says.
    weights : ndarray of shape (members, classes)
        The members' class weights, see `class_weights`.
    group : ndarray of int, shape (members,)
        The data set of each member: a row of `counts`.
    counts : ndarray of shape (data sets, classes)
        Rows of each class in every data set so far.
    power : bool
        Whether abundant classes are held back.

    Returns
    -------
    ndarray of shape (rows, classes)

    Examples
    --------
    >>> labels = np.array([[0], [1], [0]], dtype=np.int32)
    >>> weights = np.array([[0.5, 0.5]] * 3)
    >>> ensemble_decision(labels, weights, np.zeros(3, int), np.array([[20.0, 10.0]]))
    array([[0.44, 0.33]])
    """
    adjusted = _counted(labels, weights, group, counts, power)
    mute = ~adjusted.any(axis=1)
    if mute.any():
        said = np.ascontiguousarray(labels[:, mute])
        adjusted[mute] = _counted(said, weights, group, counts, power=False)
    return adjusted


def _counted(labels: Ints, weights: Floats, group: Ints, counts: Floats, power: bool) -> Floats:
    """Return the sub-ensembles' confidences, held back or not, by the share of rows each saw."""
    total = _something(counts.sum(axis=0))
    scores = np.zeros((labels.shape[1], counts.shape[1]))
    for k in np.unique(group):
        here, rows = np.flatnonzero(group == k), counts[k]
        share, row, code = named_shares(labels, weights, here, _something(_sum(weights[here])))
        if power:
            share = np.exp((rows / rows[rows > 0].min())[code] * np.log(share))
        add_shares(scores, share, row, code, rows, total)
    return scores


def _sum(weights: Floats) -> Floats:
    """Return the sum over members, in their order."""
    return np.cumsum(weights, axis=0)[-1] if len(weights) else np.zeros(weights.shape[1])


def _something(divisor: Floats) -> Floats:
    """Return the divisor where it is above zero, else infinity: a share of nothing is zero."""
    return np.where(divisor > 0, divisor, np.inf)
