# cython: infer_types=True
"""Poisson random numbers by inversion, which uses one uniform number per draw."""

import cython
import numpy as np
from cython.cimports.libc.math import exp

# Far above any rate in use; it ends the loop if rounding keeps the cumulative sum below u.
MOST = cython.declare(cython.int, 1000)
NONE_OF_1 = cython.declare(cython.double, exp(-1.0))  # P(0) at rate 1, the most common rate
PARTS = 64  # of [0, 1) in a table


def poisson(u, lam):
    """Return the Poisson(lam) quantile of a uniform number.

    Examples
    --------
    >>> [poisson(u, 1.0) for u in (0.3, 0.5, 0.9, 0.99)]
    [0, 1, 2, 4]
    """
    k: cython.int = 0
    p: cython.double = NONE_OF_1 if lam == 1.0 else exp(-lam)
    c: cython.double = p
    while u >= c and k < MOST:
        k += 1
        # Avoid the slow division for the most frequent results, 0 and 1.
        p *= lam / k if k > 1 else lam
        c += p
    return k


def chances(lam: cython.double):
    """Return the distribution function of Poisson(lam) at 0, 1, 2, ..., summed as in `poisson`.

    Examples
    --------
    >>> chances(1.0)[:3].round(3)
    array([0.368, 0.736, 0.92 ])
    """
    sums = np.empty(MOST)
    p: cython.double = exp(-lam)
    c: cython.double = p
    for k in range(1, MOST + 1):
        sums[k - 1] = c
        p *= lam / k
        c += p
    return sums


@cython.cclass
class PoissonTable:
    """Poisson random numbers from a table: the same results as `poisson`, but faster.

    The table contains the cumulative distribution and, for each of 64 equal parts of [0, 1), the
    number at which the search starts, which is nearly always the result. A draw therefore computes
    no exponential and rarely causes a branch misprediction.

    Parameters
    ----------
    rate : float
        Mean of the distribution.

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
        """Return the Poisson quantile of a uniform number."""
        k: cython.int = self.begin[cython.cast(cython.int, u * self.parts)]
        while u >= self.sums[k]:
            k += 1
        return k
