# cython: infer_types=True
"""DDM: the error rate against the lowest that it was."""

import cython
from cython.cimports.libc.math import sqrt

if not cython.compiled:
    from driftlearn.drift._error_detector import ErrorDetector

from driftlearn.drift._error_detector import ERRORS
from driftlearn.io.schema import InvalidStateError, flag, integer, number

NONE_YET = cython.declare(cython.double, 1.0)  # for p and s; no p + s reaches 2


@cython.cclass
class ErrorRate(ErrorDetector):
    """The error rate since the last change, its standard deviation, and their lowest sum.

    Parameters
    ----------
    drift_level, warning_level : float
        So many standard deviations above the lowest rate lie the two levels.
    min_window : int
        Up to so many errors are only counted.

    Attributes
    ----------
    width : int
        Errors since the last change.
    total : float
        Their sum.
    p_min, s_min : float
        Rate and standard deviation where their sum was lowest.
    warning : bool
        Whether the last error lies in the warning zone.
    n_warning : int
        Errors since the warning level was reached.
    """

    STATE = {
        "drift_level": number(0, above=True), "warning_level": number(0, above=True),
        "min_window": integer(0), "width": integer(0, ERRORS), "total": number(0),
        "p_min": number(0), "s_min": number(0), "warning": flag(), "n_warning": integer(0, ERRORS),
    }  # fmt: skip

    def __init__(self, drift_level=3.0, warning_level=2.0, min_window=30):
        self.drift_level = drift_level
        self.warning_level = warning_level
        self.min_window = min_window
        self.n_warning = 0
        self._begin()
        self.check_state(self.get_state())

    def _begin(self):
        self.width = 0
        self.total = 0.0
        self.p_min = NONE_YET
        self.s_min = NONE_YET
        self.warning = False

    @property
    def estimate(self):
        """Mean of the errors since the last change; 0 if there are none."""
        return self.total / self.width if self.width > 0 else 0.0

    def update(self, error):
        """Take in one error between 0 and 1; return whether the drift level is reached."""
        if self.width == 0:
            self.n_warning = 0
        self.width += 1
        self.total += error
        if self.width <= self.min_window:
            return False
        n: cython.double = self.width
        p = self.total / n
        s = sqrt(p * (1.0 - p) / n)
        if p + s < self.p_min + self.s_min:
            self.p_min = p
            self.s_min = s
        # where no error ever was all levels are 0, and so is the rate: that is no alarm
        higher: cython.bint = p + s > self.p_min + self.s_min
        self.warning = higher and p + s >= self.p_min + self.warning_level * self.s_min
        self.n_warning = self.n_warning + 1 if self.warning else 0
        if higher and p + s >= self.p_min + self.drift_level * self.s_min:
            self._begin()
            return True
        return False

    @staticmethod
    def check_state(state):
        """Raise ValueError if a change comes before its warning, or a sum is out of range."""
        if state["warning_level"] > state["drift_level"]:
            raise InvalidStateError(
                f"warning_level={state['warning_level']} must not be above "
                f"drift_level={state['drift_level']}"
            )
        if state["total"] > state["width"]:
            raise InvalidStateError("errors of at most 1 that add up to more than their number")
