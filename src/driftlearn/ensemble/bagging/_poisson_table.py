# cython: infer_types=True
"""Poisson numbers of one rate, many of them."""

import cython
import numpy as np

from driftlearn.utils._poisson import chances

PARTS = 64


@cython.cclass
class PoissonTable:
    """The numbers that `poisson` gives for one rate, the same ones, by a table.

    The chance of each number or a lower one is worked out once, and for each of some equal parts
    of the range of uniform numbers where the search begins, which is nearly always where it ends:
    so there are no exponentials, and hardly a branch that nobody can foretell.

    Parameters
    ----------
    rate : float
        The mean of the numbers.

    Examples
    --------
    >>> table = PoissonTable(6.0)
    >>> print(*(table.draw(u) for u in (0.001, 0.3, 0.5, 0.99)))
    0 5 6 12
    """

    def __init__(self, rate):
        self.rate = rate
        sums = np.append(chances(rate), np.inf)
        self.sums = sums
        self.begin = (np.arange(PARTS)[:, None] / PARTS >= sums).sum(axis=1).astype(np.int32)
        self.parts = PARTS

    def draw(self, u):
        """Return the number that a uniform one stands for."""
        k: cython.int = self.begin[cython.cast(cython.int, u * self.parts)]
        while u >= self.sums[k]:
            k += 1
        return k
