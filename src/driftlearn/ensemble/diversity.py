"""Diversity measures of ensembles, by which DTEL selects its archived models."""

import numpy as np

from driftlearn.utils.arguments import Floats, Values

ROUNDING = 1e-13  # shares of the total weight below this count as zero
DECIMALS = 9  # sums of Q are rounded, so that ties do not depend on the order of summation


def q_statistics(correct: Values, w: Floats) -> Floats:
    """Return Yule's Q of every pair of members: 1 if they err on the same rows, -1 on others.

    If Q is undefined, the value is 1 for members that are right on the same rows, else 0.

    Parameters
    ----------
    correct : ndarray of bool, shape (members, rows)
        Which rows each member predicts correctly.
    w : ndarray of shape (rows,)
        Row weights.

    Examples
    --------
    >>> q_statistics(np.array([[1, 1, 0, 0], [1, 0, 1, 0]], dtype=bool), np.ones(4))
    array([[1., 0.],
           [0., 1.]])
    """
    n11, n10, n01, n00 = _pairs(correct, w)
    above, below = n11 * n00 - n01 * n10, n11 * n00 + n01 * n10
    same = (n01 == 0) & (n10 == 0)
    return np.divide(above, below, out=np.where(same, 1.0, 0.0), where=below > 0)


def _pairs(correct: Values, w: Floats) -> tuple[Floats, Floats, Floats, Floats]:
    """Return the weights of rows that both, only the first, only the second or no member got right.

    Weights that are zero up to rounding are set to 0. The matrix product does not use BLAS, because
    its threads would keep processors busy for milliseconds afterwards that the learner's own
    threads need.
    """
    right = correct.astype(float)
    both = np.einsum("ir,jr->ij", right * w, right)
    own, total = np.diag(both), w.sum()
    first, second = own[:, None] - both, own - both
    neither = total - own[:, None] - second
    least = ROUNDING * total
    return both, *(np.where(some > least, some, 0.0) for some in (first, second, neither))


def disagreement(correct: Values, w: Floats) -> Floats:
    """Return the disagreement of every pair of members: the share of rows only one gets right.

    Parameters
    ----------
    correct, w
        As in `q_statistics`.

    Examples
    --------
    >>> disagreement(np.array([[1, 1, 0, 0], [1, 1, 1, 0]], dtype=bool), np.ones(4))
    array([[0.  , 0.25],
           [0.25, 0.  ]])
    """
    _, first, second, _ = _pairs(correct, w)
    return (first + second) / w.sum()


def double_fault(correct: Values, w: Floats) -> Floats:
    """Return the double fault of every pair of members: the share of rows both get wrong.

    Parameters
    ----------
    correct, w
        As in `q_statistics`.

    Examples
    --------
    >>> double_fault(np.array([[1, 1, 0, 0], [1, 1, 1, 0]], dtype=bool), np.ones(4))
    array([[0.5 , 0.25],
           [0.25, 0.25]])
    """
    return _pairs(correct, w)[3] / w.sum()


def entropy_without(correct: Values, w: Floats) -> Floats:
    """Return the entropy measure E without each member (Kuncheva and Whitaker 2003).

    E is 1 if half of the members are right on every row, and 0 if all members are always right or
    wrong together, or if there is only one member.

    Parameters
    ----------
    correct, w
        As in `q_statistics`.

    Examples
    --------
    >>> entropy_without(np.array([[1, 1], [1, 0], [1, 0]], dtype=bool), np.ones(2))
    array([0. , 0.5, 0.5])
    """
    others = len(correct) - 1
    right = correct.sum(axis=0) - correct
    split = (np.minimum(right, others - right) * w).sum(axis=1)
    return np.round(split / (w.sum() * max(others // 2, 1)), DECIMALS)


def most_redundant(Q: Floats) -> int:
    """Return the member whose removal leaves the most diverse ensemble; the oldest on ties.

    `Q` contains a similarity measure of every pair of members, such as `q_statistics`.

    Examples
    --------
    >>> most_redundant(np.array([[1.0, 0.9, 0.1], [0.9, 1.0, 0.2], [0.1, 0.2, 1.0]]))
    1
    """
    return int(np.round(Q.sum(axis=1) - np.diag(Q), DECIMALS).argmax())
