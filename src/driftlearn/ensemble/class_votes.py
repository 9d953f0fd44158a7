"""Votes of members that were trained on different classes (Learn++ for new classes)."""

import numpy as np

from driftlearn.ensemble._class_votes import add_shares, named_shares, tally_discounted, tally_own
from driftlearn.ensemble.votes import tally
from driftlearn.utils.arguments import Floats, Ints, Values

CERTAIN = 1.0 - 1e-12  # probabilities from here on count as 1, despite rounding
NEGLIGIBLE = 1e-12  # weights below this count as 0, despite rounding


def class_confidence(labels: Ints, weight: Floats, known: Values) -> Floats:
    """Return P_c(x): the weight of the votes for class c, as a share of the members trained on c.

    Parameters
    ----------
    labels : int32 ndarray of shape (members, rows)
        Class codes predicted by each member.
    weight : ndarray of shape (members,)
        Voting weights.
    known : ndarray of bool, shape (members, classes)
        Which classes each member was trained on.

    Returns
    -------
    ndarray of shape (rows, classes)

    Examples
    --------
    >>> known = np.array([[True, True], [True, False]])
    >>> class_confidence(np.array([[1], [0]], dtype=np.int32), np.array([1.0, 3.0]), known)
    array([[0.75, 1.  ]])
    """
    named = tally(labels, weight, known.shape[1])
    possible = _sum(weight[:, None] * known)
    return named / _positive(possible)


def settle_conflicts(P: Floats, known: Values) -> Floats:
    """Set confidences to 0 where two disjoint groups of members are both certain (Learn++.NC).

    Then neither group discounts the votes of the other.

    Examples
    --------
    >>> known = np.array([[True, False], [False, True]])
    >>> settle_conflicts(np.array([[1.0, 1.0], [1.0, 0.5]]), known)
    array([[0. , 0. ],
           [1. , 0.5]])
    """
    certain = P >= CERTAIN
    sure = [c for c, rows in enumerate(certain.T) if rows.any()]  # usually only a few classes
    known = known[:, sure].astype(int)
    apart = ~((known.T @ known) > 0)
    np.fill_diagonal(apart, False)
    if not apart.any():
        return P
    certain = certain[:, sure]
    clash = certain & ((certain.astype(int) @ apart.astype(int)) > 0)
    settled = P.copy()
    settled[:, sure] = np.where(clash, 0.0, P[:, sure])
    return settled


def dynamic_vote(labels: Ints, weight: Floats, known: Values, conflicts: bool = False) -> Floats:
    """Return votes of members that are down-weighted for classes they were not trained on.

    For every row, a member's weight is multiplied by ``1 - P_c`` for each class c that it was not
    trained on, where P_c is the other members' confidence in that class. This is dynamic weight
    voting (Learn++.MT); with `conflicts` it is dynamically weighted consult and vote (Learn++.NC).
    If all weights vanish, the original ones are used.

    Parameters
    ----------
    labels, weight, known
        As in `class_confidence`.
    conflicts : bool
        Whether disjoint groups that are certain do not discount each other.

    Returns
    -------
    ndarray of shape (rows, classes)

    Examples
    --------
    Three old members know classes 0 and 1; a new one also known class 2, and predicts it:

    >>> known = np.array([[True, True, False]] * 3 + [[True, True, True]])
    >>> labels = np.array([[0], [0], [0], [2]], dtype=np.int32)
    >>> dynamic_vote(labels, np.ones(4), known)
    array([[0., 0., 1.]])
    """
    P = class_confidence(labels, weight, known)
    if conflicts:
        P = settle_conflicts(P, known)
    return tally_discounted(labels, weight, known.view(np.uint8), P, NEGLIGIBLE)


def class_weights(p: Floats, counts: Floats, totals: Floats) -> Floats:
    """Return w_tc: each member's weight per class, by its share of the training rows of the class.

    Parameters
    ----------
    p : ndarray of shape (members,)
        Advantage of each member over chance, ``1 - 2 eps``.
    counts : ndarray of shape (members, classes)
        Number of rows of each class that each member was trained on.
    totals : ndarray of shape (classes,)
        Number of rows of each class in all data sets.

    Examples
    --------
    >>> class_weights(np.array([0.5]), np.array([[10.0, 0.0]]), np.array([20.0, 0.0]))
    array([[0.25, 0.  ]])
    """
    return np.divide(
        p[:, None] * counts, totals, out=np.zeros_like(counts, dtype=float), where=totals > 0
    )


def own_class_vote(labels: Ints, weights: Floats) -> Floats:
    """Return the votes of members that have a separate weight for each class.

    Parameters
    ----------
    labels : int32 ndarray of shape (members, rows)
        Class codes predicted by each member.
    weights : ndarray of shape (members, classes)
        Weight of each member for each class.

    Examples
    --------
    >>> labels = np.array([[0, 1]], dtype=np.int32)
    >>> own_class_vote(labels, np.array([[0.25, 0.75]]))
    array([[0.25, 0.  ],
           [0.  , 0.75]])
    """
    return tally_own(labels, weights)


def ensemble_decision(
    labels: Ints, weights: Floats, group: Ints, counts: Floats, power: bool = True
) -> Floats:
    """Return the votes of sub-ensembles that were trained on different data sets (Learn++.UDNC).

    The confidence of a sub-ensemble in a class is the share of its weight for the class whose
    members vote for the class. It is raised to the power of the ratio of the class's rows to those
    of the rarest class in its data set, which lowers it for abundant classes. The result is
    multiplied by the share of all rows of the class that are in the data set.

    Parameters
    ----------
    labels : int32 ndarray of shape (members, rows)
        Class codes predicted by each member.
    weights : ndarray of shape (members, classes)
        The members' class weights, see `class_weights`.
    group : ndarray of int, shape (members,)
        The data set of each member: a row of `counts`.
    counts : ndarray of shape (data sets, classes)
        Number of rows of each class in every data set so far.
    power : bool
        Whether confidences in abundant classes are lowered.

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
    empty = ~adjusted.any(axis=1)  # taking the power can underflow all confidences to 0
    if empty.any():
        rest = np.ascontiguousarray(labels[:, empty])
        adjusted[empty] = _counted(rest, weights, group, counts, power=False)
    return adjusted


def _counted(labels: Ints, weights: Floats, group: Ints, counts: Floats, power: bool) -> Floats:
    """Return the sum of the sub-ensembles' confidences, weighted by their shares of the rows."""
    total = _positive(counts.sum(axis=0))
    scores = np.zeros((labels.shape[1], counts.shape[1]))
    for k in np.unique(group):
        here, rows = np.flatnonzero(group == k), counts[k]
        share, row, code = named_shares(labels, weights, here, _positive(_sum(weights[here])))
        if power:
            share = np.exp((rows / rows[rows > 0].min())[code] * np.log(share))
        add_shares(scores, share, row, code, rows, total)
    return scores


def _sum(weights: Floats) -> Floats:
    """Return the sum over members, added in order."""
    return np.cumsum(weights, axis=0)[-1] if len(weights) else np.zeros(weights.shape[1])


def _positive(divisor: Floats) -> Floats:
    """Return the divisor, with infinity in place of 0 so that quotients are zero."""
    return np.where(divisor > 0, divisor, np.inf)
