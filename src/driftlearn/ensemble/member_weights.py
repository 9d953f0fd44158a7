"""Weights and errors of ensemble members."""

import numpy as np

from driftlearn.base.chunk import DECIMALS, WEAK
from driftlearn.base.chunk import weighted_error as weighted_error
from driftlearn.utils.arguments import Floats, Ints

EPS = 1e-10  # keeps weights finite if a chunk has only one class, for which guessing makes no error


def error_floor(floor: str | float, m: float) -> float:
    """Return the lower bound of the error rate: `floor`, or half an instance out of `m`."""
    return 1.0 / (2.0 * m) if floor == "half_instance" else float(floor)


def odds(eps: Floats, floor: float) -> Floats:
    """Return the normalized error beta = eps / (1 - eps), for eps clipped to [floor, 1/2].

    Examples
    --------
    >>> odds(np.array([0.0, 0.2, 0.9]), 0.1).round(2)
    array([0.11, 0.25, 1.  ])
    """
    eps = np.clip(eps, min(floor, WEAK), WEAK)
    return eps / (1.0 - eps)


def age_sigmoid(age: Floats, slope: float, crossing: float | Floats) -> Floats:
    """Return the weight of an evaluation made when the member had the given age.

    The weight is a logistic sigmoid with the given slope and the value 1/2 at `crossing`.
    """
    return 1.0 / (1.0 + np.exp(-slope * (age - crossing)))


def sliding_mean(beta: Floats, age: Floats, slope: float, crossing: float) -> Floats:
    """Return each member's mean normalized error, weighted towards recent evaluations.

    The weights are a sigmoid that moves with time, so that about the last `crossing` evaluations
    count, whatever the age of the member.

    Parameters
    ----------
    beta : ndarray of shape (members, L)
        The last L normalized errors of each member, the newest in the last column; entries from
        before a member was created are ignored.
    age : ndarray of shape (members,)
        Steps since the member's creation: a member of age `a` has been evaluated `a + 1` times.
    slope, crossing : float
        The sigmoid's parameters, ``a`` and ``b`` in the paper.

    Examples
    --------
    >>> sliding_mean(np.array([[0.0, 0.5]]), np.array([0]), 0.5, 10)
    array([0.5])
    """
    L = beta.shape[1]
    s = age[:, None] - np.arange(L - 1, -1, -1)
    weight = age_sigmoid(s + 1.0, slope, age[:, None] - crossing) * (s >= 0)
    return (weight * beta).sum(axis=1) / weight.sum(axis=1)


def random_error(y: Ints, w: Floats) -> float:
    """Return MSE_r, the squared error of guessing by the class priors.

    Examples
    --------
    >>> random_error(np.array([0, 1]), np.ones(2))
    0.25
    """
    p = np.bincount(y, weights=w) / w.sum()
    return float((p * (1.0 - p) ** 2).sum())


def squared_error(probas: Floats, y: Ints, w: Floats) -> Floats:
    """Return MSE_i of each member: the mean of (1 - p_i(y|x))^2 over the rows.

    Examples
    --------
    >>> squared_error(np.array([[[1.0, 0.0], [0.5, 0.5]]]), np.array([0, 1]), np.ones(2))
    array([0.125])
    """
    truth = probas[:, np.arange(len(y)), y]
    return ((1.0 - truth) ** 2 * w).sum(axis=1) / w.sum()


def inverse_error(guessing: float, error: Floats | float = 0.0) -> Floats:
    """Return the members' weights by squared error: ``1 / (MSE_r + MSE_i + EPS)``.

    Without `error`, return the weight of a member that makes no errors (AUE2, DTEL).

    Examples
    --------
    >>> inverse_error(0.25, np.array([0.25, 0.75]))
    array([2., 1.])
    """
    return 1.0 / (guessing + np.asarray(error) + EPS)


def street_quality(labels: Ints, votes: Floats, y: Ints, w: Floats) -> Floats:
    """Return the quality of trees with respect to an ensemble (Street & Kim).

    A correct tree gains most on rows where the ensemble's vote is close; a wrong tree loses most
    where the vote for its class is close to that for the true class. The result is rounded to
    `DECIMALS`, so that ties do not depend on the order of summation.

    Parameters
    ----------
    labels : ndarray of shape (trees, rows)
        Class codes predicted by each tree.
    votes : ndarray of shape (rows, classes)
        The ensemble's vote fractions.
    y, w : ndarray of shape (rows,)
        True class codes and row weights.

    Examples
    --------
    >>> votes = np.array([[0.75, 0.25]])
    >>> street_quality(np.array([[0], [1]]), votes, np.array([0]), np.ones(1))
    array([ 0.5, -0.5])
    """
    rows = np.arange(len(y))
    ranked = np.sort(votes, axis=1)
    first = ranked[:, -1]
    second = ranked[:, -2] if votes.shape[1] > 1 else np.zeros(len(y))
    truth = votes[rows, y]
    named = votes[rows, labels]
    reward = np.where(votes.argmax(axis=1) == y, 1 - (first - second), 1 - (first - truth))
    gain = np.where(labels == y, reward, -(1 - np.abs(truth - named)))
    return np.round((gain * w).sum(axis=1) / w.sum(), DECIMALS)
