# cython: infer_types=True
"""Step lengths of implicit gradient descent on the margins of one row."""

import cython
import numpy as np
from cython.cimports.libc.math import exp, log

INF = cython.declare(cython.double, np.inf)


def sigmoid(z):
    """Return 1 / (1 + exp(-z)) without overflow."""
    if z >= 0.0:
        return 1.0 / (1.0 + exp(-z))
    e = exp(z)
    return e / (1.0 + e)


def lambert(a):
    """Return the s with s + ln s = a, which is Lambert's W(exp(a)), by Newton's method.

    Examples
    --------
    >>> lambert(1.0)
    1.0
    """
    # Below -36, s is less than 2.4e-16 and s + ln s equals ln s in double precision.
    if a < -36.0:
        return exp(a)
    s = a - log(a) if a > 1.0 else exp(a)
    # Five Newton steps reach full double precision from either starting point.
    for _ in range(5):
        s = s * (1.0 + a - log(s)) / (1.0 + s)
    return s


def implicit_step(rate, z, a):
    """Return the s with s = rate * sum_c exp(-(z_c + s a_c)).

    This is a step of implicit gradient descent (backward Euler): the gradient is taken at the end
    of the step, which therefore never overshoots. If all ``a`` are 1, as always with two classes,
    Lambert's W function is the solution; otherwise it is a lower bound from which Newton's method
    converges to the root.

    Parameters
    ----------
    rate : float
        Learning rate.
    z : float array
        The margins.
    a : float array
        Rate at which each margin grows with s; at most 1.

    Examples
    --------
    >>> s = implicit_step(0.1, np.zeros(2), np.array([1.0, 0.5]))
    >>> print(round(s, 6), round(0.1 * (np.exp(-s) + np.exp(-s / 2)), 6))
    0.175502 0.175502
    """
    flat: cython.bint = True
    for k in range(z.shape[0]):
        flat = flat and a[k] == 1.0
    s = lambert(log(rate) + _log_sum_exp(z, a, 0.0))
    if flat or s < 1e-300:
        return s
    for _ in range(20):
        total = _log_sum_exp(z, a, s)
        pulls: cython.double = 0.0
        for k in range(z.shape[0]):
            pulls += a[k] * exp(-(z[k] + s * a[k]) - total)
        before = s
        s -= (log(s) - log(rate) - total) / (1.0 / s + pulls)
        if s == before:
            break
    return s


def _log_sum_exp(z, a, s):
    top: cython.double = -INF
    total: cython.double = 0.0
    for k in range(z.shape[0]):
        top = max(top, -(z[k] + s * a[k]))
    for k in range(z.shape[0]):
        total += exp(-(z[k] + s * a[k]) - top)
    return top + log(total)
