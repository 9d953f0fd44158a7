"""Which members to keep."""

from __future__ import annotations

import numpy as np

from driftlearn._types import Floats, Values

DECIMALS = 9  # sums of as many Q as there are members: equal sets of Q tie whatever their order


def q_statistics(correct: Values, w: Floats) -> Floats:
    """Return Yule's Q for every pair of members: 1 if they err together, -1 if never.

    Where Q is not defined it is 1 for members that are right on the same rows, else 0.

    Parameters
    ----------
    correct : ndarray of bool, shape (members, rows)
        Which rows each member gets right.
    w : ndarray of shape (rows,)
        Row weights.

    Examples
    --------
    >>> q_statistics(np.array([[1, 1, 0, 0], [1, 0, 1, 0]], dtype=bool), np.ones(4))
    array([[1., 0.],
           [0., 1.]])
    """
    right, wrong = correct.astype(float), (~correct).astype(float)
    n11, n00 = (right * w) @ right.T, (wrong * w) @ wrong.T
    n10, n01 = (right * w) @ wrong.T, (wrong * w) @ right.T
    above, below = n11 * n00 - n01 * n10, n11 * n00 + n01 * n10
    same = (n01 == 0) & (n10 == 0)
    Q: Floats = np.divide(above, below, out=np.where(same, 1.0, 0.0), where=below > 0)
    return Q


def most_redundant(Q: Floats) -> int:
    """Return the member whose removal leaves the most diverse ensemble; ties: the oldest.

    Examples
    --------
    >>> most_redundant(np.array([[1.0, 0.9, 0.1], [0.9, 1.0, 0.2], [0.1, 0.2, 1.0]]))
    1
    """
    return int(np.round(Q.sum(axis=1) - np.diag(Q), DECIMALS).argmax())


def heaviest(weight: Floats, k: int) -> Floats:
    """Return the positions of the `k` largest weights, ascending; ties: the oldest stay.

    Examples
    --------
    >>> heaviest(np.array([1.0, 3.0, 1.0]), 2)
    array([0, 1])
    """
    return np.sort(np.argsort(-weight, kind="stable")[:k])
