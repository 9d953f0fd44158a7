"""Nearest-neighbor test of whether two samples have the same distribution."""

import numpy as np

from driftlearn.ensemble._nearest import nearest, pairs_together
from driftlearn.utils.arguments import Floats, Ints
from driftlearn.utils.ranges import divisors


def neighbor_test(
    A: Floats, B: Floats, n_neighbors: int, u: Floats, y: tuple[Ints, Ints] | None = None
) -> float:
    """Return the p-value of the nearest-neighbor two-sample test (Schilling 1986; Henze 1988).

    If both samples have the same distribution, the nearest neighbors of a row come from both. The
    number of neighbors in the row's own sample is compared with its permutation distribution.
    Features are divided by their standard deviations in the pooled samples.

    Parameters
    ----------
    A, B : ndarray of shape (n, d), ndarray of shape (m, d)
        The samples.
    n_neighbors : int
        Number of neighbors.
    u : ndarray of shape (permutations, n + m)
        Uniform random numbers; in each permutation, the rows with the n smallest form the first
        sample.
    y : pair of int ndarrays, optional
        Class codes of both samples. If given, the distance between rows of different classes is
        increased by one standard deviation in every feature.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> A, B, u = rng.normal(size=(50, 2)), rng.normal(size=(60, 2)), rng.random((99, 110))
    >>> neighbor_test(A, B, 3, u), neighbor_test(A, B + 2, 3, u)
    (0.43, 0.01)
    """
    n, rows = len(A), np.concatenate([A, B])
    # cumsum adds sequentially, so the sums have the same bits on every machine.
    mean = rows.cumsum(axis=0)[-1] / len(rows)
    variance = np.square(rows - mean).cumsum(axis=0)[-1] / len(rows)
    rows = rows / divisors(np.sqrt(variance))
    n_features, n_names = rows.shape[1], 0
    if y is not None:
        rows, n_names = np.column_stack([rows, np.concatenate(y)]), 1
    near = nearest(rows, rows, n_neighbors, n_names, float(n_features), others=True)
    dealt = u <= np.partition(u, n - 1, axis=1)[:, n - 1 : n]
    inside = np.concatenate([np.arange(len(rows))[None] < n, dealt]).view(np.uint8)
    observed, *others = pairs_together(near, inside)
    return float((1 + (np.array(others) >= observed).sum()) / (1 + len(u)))
