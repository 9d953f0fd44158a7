# cython: infer_types=True
"""The window of `DeviationWindow`, cut where the means of its parts differ most."""

import cython
import numpy as np
from cython.cimports.libc.math import fabs, sqrt

if not cython.compiled:
    from driftlearn.drift._error_detector import ErrorDetector

from driftlearn.io.schema import InvalidStateError, flag, floats, integer, newer, number

MOST_ERRORS = 2**26  # largest window: its array takes 1 GB


@cython.cclass
class SplitWindow(ErrorDetector):
    """Window of the last errors, tested at every split for a difference of means.

    The errors are contiguous in an array of twice the window size; they are moved to its front when
    they reach its end.

    Parameters
    ----------
    window_size : int
        Maximum number of errors.
    k_sd : float
        Number of standard errors by which the means must differ.
    min_sub : int
        Minimum number of errors on each side of a split.

    Attributes
    ----------
    width : int
        Current number of errors.
    rising : bool
        Whether the window was cut at the last error and the newer part has the higher mean.
    """

    STATE = {
        "window_size": integer(2, MOST_ERRORS), "k_sd": number(), "min_sub": integer(1),
        "errors": floats("n"), "rising": newer(flag()),
    }  # fmt: skip
    SETTINGS = "window_size", "k_sd", "min_sub"

    def __init__(self, window_size=200, k_sd=3.3, min_sub=30):
        if window_size < 2 * min_sub or min_sub < 1:
            raise ValueError(
                f"window_size must be at least 2 * min_sub, and min_sub at least 1. "
                f"Got window_size={window_size} and min_sub={min_sub} instead."
            )
        if window_size > MOST_ERRORS:
            raise ValueError(f"window_size must be <= {MOST_ERRORS}. Got {window_size}.")
        self.window_size = window_size
        self.k_sd = k_sd
        self.min_sub = min_sub
        self.width = 0
        self.start = 0
        self.rising = False
        self.errors = np.zeros(2 * window_size)

    @property
    def estimate(self):
        """Mean of the errors in the window; 0 while it is empty."""
        window = np.asarray(self.errors)[self.start : self.start + self.width]
        return float(window.mean()) if self.width else 0.0

    def update(self, error):
        """Update the detector with one error; return whether a change was detected."""
        if self.width == self.window_size:
            self.start += 1
            self.width -= 1
        if self.start + self.width == 2 * self.window_size:
            for k in range(self.width):
                self.errors[k] = self.errors[self.start + k]
            self.start = 0
        self.errors[self.start + self.width] = error
        self.width += 1
        cut = self._cut()
        self.start += cut
        self.width -= cut
        return cut > 0

    def _cut(self):
        """Return the length of the older part at the best split, 0 if no split is significant."""
        cut: cython.Py_ssize_t = 0
        n: cython.double = self.width
        total: cython.double = 0.0
        older: cython.double = 0.0
        most: cython.double = self.k_sd
        self.rising = False
        if self.width < 2 * self.min_sub:
            return 0
        for k in range(self.width):
            total += self.errors[self.start + k]
        p = total / n
        sd = sqrt(p * (1.0 - p))
        if not sd > 0.0:
            return 0
        for k in range(self.width - self.min_sub):
            older += self.errors[self.start + k]
            n0: cython.double = k + 1
            if n0 >= self.min_sub:
                d = older / n0 - (total - older) / (n - n0)
                z = fabs(d) / (sd * sqrt(1.0 / n0 + 1.0 / (n - n0)))
                if z > most:
                    most = z
                    cut = k + 1
                    self.rising = d < 0.0
        return cut

    def get_state(self):
        """Return parameters and statistics as a dict of arrays and numbers."""
        window = np.array(self.errors[self.start : self.start + self.width])
        return ErrorDetector.get_state(self) | {"errors": window}

    def set_state(self, state):
        """Restore from `get_state`."""
        self.__init__(*[state[name] for name in self.SETTINGS])
        self.width = len(state["errors"])
        self.rising = state.get("rising", False)
        np.asarray(self.errors)[: self.width] = state["errors"]

    @staticmethod
    def check_state(state):
        """Raise ValueError if there are more errors than `window_size`."""
        if len(state["errors"]) > state["window_size"]:
            n = len(state["errors"])
            raise InvalidStateError(f"{n} errors exceed window_size={state['window_size']}")
