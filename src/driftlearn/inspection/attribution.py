"""Shapley values of columns, for any function of rows."""

from collections.abc import Callable
from math import factorial
from typing import NamedTuple

import numpy as np

from driftlearn.utils.arguments import Floats, Ints

Function = Callable[[Floats], Floats]

MOST_BACKGROUND = 64  # rows; more change a mean of probabilities by less than two digits show
MOST_EXACT = 6  # columns; all their 64 subsets cost little more than two pairs of orders
PAIRS = 2  # pairs of orders for each background row; their difference gives the standard error
BATCH = 16_384  # rows that are predicted at once


class Attribution(NamedTuple):
    """Contributions of columns to the values of a function.

    Attributes
    ----------
    base : ndarray of shape (outputs,)
        Mean of the function over the background rows.
    values : ndarray of shape (rows, columns, outputs)
        Shapley values; those of a row and the base add up to the value of the function.
    errors : ndarray of shape (rows, columns, outputs)
        Standard errors of the Shapley values, which are 0 where these are exact.
    """

    base: Floats
    values: Floats
    errors: Floats


def shapley_values(function: Function, X: Floats, background: Floats, owner: Ints) -> Attribution:
    """Return the interventional Shapley values of columns [1]_.

    The game of a row and a background row: a set of columns is worth the value of the function for
    the row that has these columns of the row and all others of the background row. The values are
    means over the background rows.

    If at most 6 columns differ, all sets are evaluated, and the values are exact. Otherwise,
    columns are replaced in random orders, each followed by its reverse [2]_, two such pairs for
    each background row. This is exact, too, if the function is a sum of functions of at most two
    columns; in any case the values of a row and the base add up to the value of the function.

    Parameters
    ----------
    function : callable
        Function that returns an array of shape (rows, outputs).
    X : ndarray of shape (n, d)
        The rows.
    background : ndarray of shape (m, d)
        The background rows; of more than 64, evenly spaced ones are used.
    owner : int array of shape (d,)
        The column to which each feature belongs; columns are replaced as a whole.

    References
    ----------
    .. [1] E. Štrumbelj, I. Kononenko, "Explaining prediction models and individual predictions with
       feature contributions", Knowledge and Information Systems 41(3), 2014,
       doi:10.1007/s10115-013-0679-x.
    .. [2] R. Mitchell, J. Cooper, E. Frank, G. Holmes, "Sampling Permutations for Shapley Value
       Estimation", Journal of Machine Learning Research 23(43), 2022.

    Examples
    --------
    >>> product = lambda X: X.prod(axis=1, keepdims=True)
    >>> found = shapley_values(product, np.array([[3.0, 4.0]]), np.zeros((1, 2)), np.arange(2))
    >>> found.base, found.values[0, :, 0]
    (array([0.]), array([6., 6.]))
    """
    if len(background) > MOST_BACKGROUND:
        background = background[np.linspace(0, len(background) - 1, MOST_BACKGROUND).astype(int)]
    n_columns = int(owner.max()) + 1
    ends, starts = _evaluated(function, X), _evaluated(function, background)
    values = np.zeros((len(X), n_columns, ends.shape[1]))
    errors = np.zeros_like(values)
    for i, row in enumerate(X):
        same = (background == row) | (np.isnan(background) & np.isnan(row))
        differs = np.unique(owner[~same.all(axis=0)])
        if not len(differs):
            continue
        place = np.full(n_columns, -1)
        place[differs] = np.arange(len(differs))
        game = _Game(function, row, background, place[owner], starts, ends[i])
        found = game.exact() if len(differs) <= MOST_EXACT else game.sampled()
        values[i, differs], errors[i, differs] = found
    return Attribution(starts.mean(axis=0), values, errors)


def _evaluated(function: Function, X: Floats) -> Floats:
    """Return the values of a function, evaluated in batches."""
    batches = range(0, len(X), BATCH)
    return np.concatenate([function(np.ascontiguousarray(X[k : k + BATCH])) for k in batches])


class _Game:
    """Values of the sets of columns of a row.

    Parameters
    ----------
    function, row, background
        See `shapley_values`.
    owner : int array of shape (d,)
        Column of each feature; -1 for those that are equal in all rows.
    starts : ndarray of shape (m, outputs)
        Values of the background rows.
    end : ndarray of shape (outputs,)
        Value of the row.
    """

    def __init__(
        self, function: Function, row: Floats, background: Floats, owner: Ints,
        starts: Floats, end: Floats,
    ):  # fmt: skip
        self.function, self.row, self.background = function, row, background
        self.owner, self.starts, self.end = owner, starts, end
        self.n_columns = int(owner.max()) + 1

    def exact(self) -> tuple[Floats, Floats]:
        """Return the values of columns from all sets, and standard errors of 0."""
        k, m = self.n_columns, len(self.background)
        codes = np.arange(2**k)
        sets = (codes[:, None] >> np.arange(k) & 1).astype(bool)
        inner = np.repeat(sets[1:-1], m, axis=0)
        worth = np.empty((2**k, len(self.end)))
        worth[0], worth[-1] = self.starts.mean(axis=0), self.end
        if k > 1:
            found = self._worth(inner, np.tile(np.arange(m), len(sets) - 2))
            worth[1:-1] = found.reshape(-1, m, len(self.end)).mean(axis=1)
        sizes = sets.sum(axis=1)
        weights = np.array([factorial(s) * factorial(k - s - 1) for s in range(k)]) / factorial(k)
        values = np.empty((k, len(self.end)))
        for j in range(k):
            without = codes[~sets[:, j]]
            gains = worth[without | 1 << j] - worth[without]
            values[j] = weights[sizes[without]] @ gains
        return values, np.zeros_like(values)

    def sampled(self) -> tuple[Floats, Floats]:
        """Return the values of columns from random orders, and their standard errors."""
        k, m = self.n_columns, len(self.background)
        rng = np.random.default_rng(0)
        order = rng.permuted(np.tile(np.arange(k), (m * PAIRS, 1)), axis=1)
        orders = np.stack([order, order[:, ::-1]], axis=1).reshape(-1, k)
        start = np.repeat(np.arange(m), 2 * PAIRS)
        rank = np.argsort(orders, axis=1)
        total = np.zeros((m, PAIRS, k, len(self.end)))
        flat = total.reshape(m * PAIRS, k, len(self.end))
        size = max(BATCH // (k - 1), 1)
        for begin in range(0, len(orders), size):
            some = np.arange(begin, min(begin + size, len(orders)))
            sets = rank[some, None, :] < np.arange(1, k)[:, None]
            worth = np.empty((len(some), k + 1, len(self.end)))
            worth[:, 0], worth[:, -1] = self.starts[start[some]], self.end
            found = self._worth(sets.reshape(-1, k), np.repeat(start[some], k - 1))
            worth[:, 1:-1] = found.reshape(len(some), k - 1, -1)
            gains = np.diff(worth, axis=1)
            np.add.at(flat, (some[:, None] // 2, orders[some]), gains / 2)
        values = total.mean(axis=(0, 1))
        variance = total.var(axis=1, ddof=1).sum(axis=0) / PAIRS
        errors = np.sqrt(variance) / m
        # rounding leaves differences where the two pairs are equal
        return values, np.where(errors > 1e-12, errors, 0.0)

    def _worth(self, sets: np.ndarray, start: Ints) -> Floats:
        """Return the values of sets of columns, each with one background row."""
        with_none = np.column_stack([sets, np.ones(len(sets), dtype=bool)])
        rows = np.where(with_none[:, self.owner], self.row, self.background[start])
        return _evaluated(self.function, rows)
