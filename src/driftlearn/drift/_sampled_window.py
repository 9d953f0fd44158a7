# cython: infer_types=True
"""The window of KSWIN and its Kolmogorov-Smirnov tests."""

from bisect import bisect_left
from copy import deepcopy
from math import log, sqrt

import cython
import numpy as np

if not cython.compiled:
    from driftlearn.drift._error_detector import ErrorDetector

from driftlearn.io.schema import InvalidStateError, a, flag, floats, integer, number

MOST_ERRORS = 2**20  # largest window: each update takes time linear in its size


@cython.cclass
class SampledWindow(ErrorDetector):
    """Window of the last errors that compares its newest part with a sample of the rest.

    The errors are in a ring buffer, and `order` holds their positions sorted by value. One pass
    along `order` that counts the newest errors up and the sampled ones down gives the
    Kolmogorov-Smirnov distance without sorting.

    Parameters
    ----------
    level : float
        Significance level of the test.
    window_size : int
        Number of errors in the window.
    sample_size : int
        Number of errors in the newest part and in the sample.
    exact : bool
        Whether to use the exact test instead of the bound of the paper.
    rng : numpy.random.Generator
        Source of the samples, `sample_size` uniform numbers per test.

    Attributes
    ----------
    width : int
        Current number of errors in the window.
    distance : int
        Distance of the last test times `sample_size`; 0 if there was no test.
    rising : bool
        Whether a change was detected at the last error and the newest errors have a higher mean.
    """

    STATE = {
        "level": number(0, 1, above=True), "window_size": integer(2, MOST_ERRORS),
        "sample_size": integer(1), "exact": flag(), "rng": a(np.random.Generator),
        "errors": floats("n"), "distance": integer(0), "rising": flag(),
    }  # fmt: skip

    def __init__(self, level, window_size, sample_size, exact, rng):
        self.check_state({"window_size": window_size, "sample_size": sample_size, "errors": ()})
        self.level = level
        self.window_size = window_size
        self.sample_size = sample_size
        self.exact = exact
        self.rng = rng
        self.limit = exact_limit(level, sample_size) if exact else bound(level, sample_size)
        self.ring = np.zeros(window_size)
        self.order = np.zeros(window_size, dtype=np.intp)
        self.side = np.zeros(window_size, dtype=np.intp)
        self.places = np.zeros(window_size - sample_size, dtype=np.intp)
        self._fill(np.zeros(0))

    def _fill(self, errors):
        """Set the content of the window, oldest error first."""
        n = len(errors)
        np.asarray(self.ring)[:n] = errors
        np.asarray(self.order)[:n] = np.argsort(errors, kind="stable")
        self.width = n
        self.next = n % self.window_size
        self.distance = 0
        self.rising = False

    @property
    def errors(self):
        """Errors in the window, oldest first."""
        ring = np.asarray(self.ring)[: self.width]
        return np.roll(ring, -self.next if self.width == self.window_size else 0)

    @property
    def estimate(self):
        """Mean of the errors in the window; 0 while it is empty."""
        return float(self.errors.mean()) if self.width else 0.0

    def update(self, error):
        """Update the detector with one error; return whether a change was detected."""
        self._insert(error)
        self.rising = False
        self.distance = 0
        if self.width < self.window_size:
            return False
        self._draw(self.rng.random(self.sample_size))
        distance: cython.Py_ssize_t = self._distance()
        changed: cython.bint = distance >= self.limit
        if changed:
            errors = self.errors
            older, newest = errors[: -self.sample_size], errors[-self.sample_size :]
            self._fill(newest)
            self.rising = newest.mean() > older.mean()
        self.distance = distance
        return changed

    def _insert(self, error):
        """Add an error; it replaces the oldest if the window is full."""
        k: cython.Py_ssize_t = 0
        if self.width == self.window_size:
            while self.order[k] != self.next:
                k += 1
            while k < self.width - 1:
                self.order[k] = self.order[k + 1]
                k += 1
        else:
            k = self.width
            self.width += 1
        while k > 0 and self.ring[self.order[k - 1]] > error:
            self.order[k] = self.order[k - 1]
            k -= 1
        self.order[k] = self.next
        self.ring[self.next] = error
        self.next = (self.next + 1) % self.window_size

    def _draw(self, uniforms):
        """Mark the newest errors with 1 and a sample of the others with -1."""
        n = self.window_size - self.sample_size
        for k in range(n):
            self.places[k] = (self.next + k) % self.window_size
            self.side[self.places[k]] = 0
        for k in range(n, self.window_size):
            self.side[(self.next + k) % self.window_size] = 1
        for k in range(self.sample_size):
            j = k + cython.cast(cython.Py_ssize_t, uniforms[k] * (n - k))
            place = self.places[j]
            self.places[j] = self.places[k]
            self.side[place] = -1

    def _distance(self):
        """Return the Kolmogorov-Smirnov distance times `sample_size`."""
        ahead: cython.Py_ssize_t = 0
        most: cython.Py_ssize_t = 0
        last = self.window_size - 1
        for k in range(self.window_size):
            place = self.order[k]
            ahead += self.side[place]
            if k == last or self.ring[self.order[k + 1]] > self.ring[place]:
                most = max(most, ahead, -ahead)
        return most

    def get_state(self):
        """Return parameters and statistics as a dict of arrays, numbers and a generator."""
        return {**ErrorDetector.get_state(self), "rng": deepcopy(self.rng)}

    def set_state(self, state):
        """Restore from `get_state`."""
        names = "level", "window_size", "sample_size", "exact"
        self.__init__(*(state[name] for name in names), deepcopy(state["rng"]))
        self._fill(state["errors"])
        self.distance = state["distance"]
        self.rising = state["rising"]

    @staticmethod
    def check_state(state):
        """Raise ValueError if the window is too small for two samples or for its errors."""
        if state["window_size"] < 2 * state["sample_size"]:
            raise InvalidStateError(
                f"window_size={state['window_size']} must be at least twice "
                f"sample_size={state['sample_size']}"
            )
        if len(state["errors"]) > state["window_size"]:
            raise InvalidStateError(
                f"the window has {len(state['errors'])} errors, more than "
                f"window_size={state['window_size']}"
            )


def bound(level, n):
    """Return the smallest count difference of two samples of size n that exceeds the bound.

    The bound of the distance (the difference divided by n) is ``sqrt(-log(level) / n)``. If no
    difference exceeds it, n + 1 is returned.

    Examples
    --------
    >>> bound(0.005, 30)
    13
    """
    limit = sqrt(-log(level) / n)
    return 1 + bisect_left(range(1, n + 1), True, key=lambda k: k / n > limit)


def exact_limit(level, n):
    """Return the smallest significant count difference of two samples of size n.

    If there is none, n + 1 is returned.

    Examples
    --------
    >>> exact_limit(0.005, 30)
    14
    """
    return 1 + bisect_left(range(1, n + 1), True, key=lambda k: p_value(k, n) <= level)


def p_value(k, n):
    """Return the p-value of a count difference k of two samples of size n.

    It is ``2 * (c(k) - c(2 * k) + c(3 * k) - ...)`` with the shares ``c(m)`` of the binomial
    coefficients, ``C(2n, n - m) / C(2n, n)``.

    Examples
    --------
    >>> round(p_value(3, 3), 12)  # two of the 20 orders of six values
    0.1
    """
    total: cython.double = 0.0
    share: cython.double = 1.0
    sign: cython.double = 2.0
    for i in range(n // k * k):
        share *= (n - i) / (n + 1.0 + i)
        if (i + 1) % k == 0:
            total += sign * share
            sign = -sign
    return min(total, 1.0)  # rounding can produce sums above 1
