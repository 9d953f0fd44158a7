# cython: infer_types=True
"""Normal distributions of features: the densities of rows, and scores out of their logarithms.

Numbers are reached by pointers, from a place on; uncompiled, these are arrays.
"""

import cython
import numpy as np
from cython.cimports.libc.math import exp, log

LOG_2PI = cython.declare(cython.double, log(2.0 * np.pi))
INF = cython.declare(cython.double, np.inf)
CLEAR = cython.declare(cython.double, 1.0 + 1e-12)  # by so much more, rounding is no matter


def sum_without_gaps(mean, variance, first, row, n, least):
    """Return minus twice the logarithm of the density of what a row has, in a class.

    Its means and variances begin at the place `first`. Features of infinite variance are left
    out, too. Where a variance is not above `least` the density counts as 1 at the mean.
    """
    total: cython.double = 0.0
    for f in range(n):
        x = row[f]
        v = variance[first + f]
        if x == x and v < INF:
            d = x - mean[first + f]
            total += d * d / v
            if v > least:
                total += LOG_2PI + log(v)
    return total


def sum_of_logs(values, first, n, least):
    """Return the sum of the logarithms of some positive values, with few logarithms.

    Values are multiplied until the product leaves a safe range; infinite ones, and those that are
    not above `least`, are left out.
    """
    total: cython.double = 0.0
    product: cython.double = 1.0
    for f in range(first, first + n):
        v = values[f]
        if v < 1e-100 or v > 1e100:
            if least < v < INF:
                total += log(v)
        elif v > least:
            product *= v
            if product < 1e-100 or product > 1e100:
                total += log(product)
                product = 1.0
    return total + log(product)


def softmax(out, n):
    """Turn log scores of `n` classes into scores that sum to 1; where all are -inf, into zeros.

    Of two classes that both have a score, which is the higher is no branch.
    """
    highest: cython.double = -INF
    total: cython.double = 0.0
    if n == 2 and out[0] > -INF and out[1] > -INF:
        second: cython.int = 1 if out[1] > out[0] else 0
        far = exp(out[1 - second] - out[second])
        total = 1.0 + far
        out[second] = 1.0 / total
        out[1 - second] = far / total
        return
    for c in range(n):
        if out[c] > highest:
            highest = out[c]
    for c in range(n):
        if out[c] == highest:  # its exponential is 1, and 0 where all are -inf
            out[c] = 1.0 if highest > -INF else 0.0
        else:
            out[c] = exp(out[c] - highest)
        total += out[c]
    if total > 0.0:
        for c in range(n):
            out[c] /= total


def weigh(out, share, n):
    """Turn exponents of `n` classes into scores that sum to 1: exponentials, each times its share.

    Return the best class, the first on ties, -1 if none has a share. The highest exponent becomes
    0, so that nothing overflows; where it is -inf all scores are 0. Of two classes that both have
    an exponent, which is the higher is no branch.
    """
    highest: cython.double = -INF
    total: cython.double = 0.0
    best: cython.int = -1
    if n == 2 and out[0] > -INF and out[1] > -INF:
        second: cython.int = 1 if out[1] > out[0] else 0
        far = share[1 - second] * exp(out[1 - second] - out[second])
        total = share[second] + far
        out[second] = share[second] / total
        out[1 - second] = far / total
        return 1 if out[1] > out[0] else 0
    for c in range(n):
        highest = max(highest, out[c])
    for c in range(n):
        if out[c] == highest:
            out[c] = share[c] if highest > -INF else 0.0
        else:
            out[c] = share[c] * exp(out[c] - highest)
        total += out[c]
        if share[c] > 0.0 and (best < 0 or out[c] > out[best]):
            best = c
    if total > 0.0:
        for c in range(n):
            out[c] /= total
    return best


def heaviest(out, share, n):
    """Return what `weigh` does, and leave in `out` what may.

    Of two classes the one with the higher exponent is the best if its share is not too much lower,
    which is told by the beginning of the series of the exponential; hardly ever by more.
    """
    if n == 2 and out[0] > -INF and out[1] > -INF:
        second: cython.int = 1 if out[1] > out[0] else 0
        d = out[second] - out[1 - second]
        if share[second] * (1.0 + d * (1.0 + 0.5 * d)) > share[1 - second] * CLEAR:
            return second
    return weigh(out, share, n)
