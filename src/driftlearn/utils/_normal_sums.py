# cython: infer_types=True
"""Normal log densities of rows, and class scores from log densities.

Compiled code receives arrays as pointers to their first entry, uncompiled code as arrays.
"""

import cython
import numpy as np
from cython.cimports.libc.math import exp, log

LOG_2PI = cython.declare(cython.double, log(2.0 * np.pi))
INF = cython.declare(cython.double, np.inf)
# A relative difference above 1e-12 cannot result from rounding in a few operations.
CLEAR = cython.declare(cython.double, 1.0 + 1e-12)
FAR = cython.declare(cython.double, 1e100)  # its square is finite


def sum_without_gaps(mean, variance, first, row, n, least):
    """Return minus twice the log density of the nonmissing features of a row.

    The means and variances of the class begin at position `first`. Features with infinite variance
    are skipped. For a variance of at most `least`, the density at the mean counts as 1.
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
    """Return the sum of the logarithms of positive values.

    Infinite values and values of at most `least` are skipped.
    """
    total: cython.double = 0.0
    product: cython.double = 1.0
    # Multiplication is faster than the logarithm: values are multiplied, and the logarithm is taken
    # before the product can overflow or underflow. A factor of 1e100 leaves it below 1e200.
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
    """Replace log scores of `n` classes by scores that sum to 1, or by zeros if all are -inf."""
    highest: cython.double = -INF
    total: cython.double = 0.0
    # Two classes are common. Indexing by a comparison avoids a branch, which is hard to predict.
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
        if out[c] == highest:  # exp(0) is 1; if all values are -inf, the result is 0
            out[c] = 1.0 if highest > -INF else 0.0
        else:
            out[c] = exp(out[c] - highest)
        total += out[c]
    if total > 0.0:
        for c in range(n):
            out[c] /= total


def weigh(out, share, n):
    """Replace exponents of `n` classes by normalized scores, ``share * exp(exponent)``.

    Return the best class (the first of tied classes), or -1 if all shares are 0. The highest
    exponent is subtracted first to prevent overflow; if it is -inf, all scores are 0.
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
    """Return the same class as `weigh`; the content of `out` is undefined afterwards."""
    if n == 2 and out[0] > -INF and out[1] > -INF:
        second: cython.int = 1 if out[1] > out[0] else 0
        d: cython.double = min(out[second] - out[1 - second], FAR)
        # 1 + d + d^2 / 2 is a lower bound of exp(d), which usually avoids computing the
        # exponential.
        if share[second] * (1.0 + d * (1.0 + 0.5 * d)) > share[1 - second] * CLEAR:
            return second
    return weigh(out, share, n)
