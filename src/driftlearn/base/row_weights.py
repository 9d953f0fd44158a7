"""Distributions over rows: boosting updates, samples and folds."""

import numpy as np

from driftlearn.utils.typing import Floats, Ints, Values

WEAK = 0.5  # a member with a larger error is worse than chance
# errors are rounded: coarser than rounding noise, finer than any meaningful difference
DECIMALS = 12


def weighted_error(wrong: Values, D: Floats) -> Floats:
    """Return each member's error under a distribution over the rows.

    It is rounded to `DECIMALS`, so that an error of one half and ties do not depend on the order
    in which rows are summed.

    Examples
    --------
    >>> weighted_error(np.array([[True, False], [True, True]]), np.array([0.25, 0.75]))
    array([0.25, 1.  ])
    """
    return np.round((wrong * D).sum(axis=-1) / D.sum(), DECIMALS)


def to_distribution(w: Floats) -> Floats:
    """Return weights divided by their sum."""
    return w / w.sum()


def penalize(w: Floats, wrong: Values) -> Floats:
    """Reduce the weights of rows that the ensemble predicts correctly (Learn++.NSE, steps 1, 2).

    Their weights are multiplied by the ensemble's error, then all are normalized. If the ensemble
    makes no error, the weights stay as they are.

    Examples
    --------
    >>> penalize(np.ones(4), np.array([True, False, False, False])) * 7
    array([4., 1., 1., 1.])
    """
    D = to_distribution(w)
    error = float(D[wrong].sum())
    if error == 0:
        return D
    return to_distribution(D * np.where(wrong, 1.0, error))


def stress(D: Floats, right: Values, rest: Floats) -> Floats:
    """Reduce the weights of rows that a composite predicts correctly (Learn++, composite error).

    With the composite's error E, clipped to 1/2, these weights are multiplied by E / (1 - E), then
    all are normalized. If it makes no error, the distribution is reset to `rest`.

    Examples
    --------
    >>> D = np.full(4, 0.25)
    >>> stress(D, np.array([False, True, True, True]), D) * 6
    array([3., 1., 1., 1.])
    """
    error = min(float(weighted_error(~right, D)), WEAK)
    if error == 0:
        return rest
    return to_distribution(D * np.where(right, error / (1.0 - error), 1.0))


def draw(
    w: Floats,
    y: Ints | None,
    rng: np.random.Generator,
    size: int | None = None,
    replace: bool = True,
) -> Ints:
    """Draw row numbers with probability proportional to `w`, covering every class of `y`.

    If a class is missing from the sample, a random drawn row of a class that has at least two is
    replaced by a random row of the missing class.

    Parameters
    ----------
    w : ndarray of shape (n,)
        Weights.
    y : ndarray of shape (n,) or None
        Class codes; None if classes may be missing.
    rng : numpy.random.Generator
        Source of randomness.
    size : int, optional
        Number of rows to draw; `n` by default.
    replace : bool
        Whether a row may be drawn more than once.

    Returns
    -------
    ndarray of int

    Examples
    --------
    >>> rows = draw(np.array([1.0, 1.0, 1e-9]), np.array([0, 0, 1]), np.random.default_rng(0))
    >>> 2 in rows
    True
    """
    rows = rng.choice(len(w), size=len(w) if size is None else size, replace=replace, p=w / w.sum())
    if y is None:
        return rows
    for missing in np.setdiff1d(y, y[rows]):
        counts = np.bincount(y[rows])
        spare = np.flatnonzero(counts[y[rows]] >= 2)
        if len(spare):
            position = rng.choice(spare)
            rows[position] = rng.choice(np.flatnonzero(y == missing))
    return rows


def draw_by_inversion(w: Floats, rng: np.random.Generator) -> Ints:
    """Draw as many row numbers as there are rows, with replacement, proportionally to `w`.

    Inverse transform sampling: each row is the first at which the cumulative weights exceed a
    uniform number. The numbers are drawn in one call of the generator.

    Examples
    --------
    >>> draw_by_inversion(np.array([0.0, 1.0, 0.0]), np.random.default_rng(0))
    array([1, 1, 1])
    """
    shares = np.cumsum(w) / np.sum(w)
    rows: Ints = np.searchsorted(shares, rng.random(len(w)), side="right")
    return np.minimum(rows, len(w) - 1)


def folds(y: Ints, n_folds: int) -> Ints | None:
    """Return stratified folds, without randomness.

    Rows are assigned class by class, in order, round robin. With fewer rows than folds there are
    two folds. If a class has a single row, cross-validation is not possible.

    Returns
    -------
    ndarray of int or None
        The fold of each row, or None.

    Examples
    --------
    >>> folds(np.array([0, 1, 0, 1]), 2)
    array([0, 0, 1, 1])
    """
    n = len(y)
    if n < 2 or np.unique(y, return_counts=True)[1].min() < 2:
        return None
    fold = np.empty(n, dtype=int)
    fold[np.argsort(y, kind="stable")] = np.arange(n) % (n_folds if n >= n_folds else 2)
    return fold
