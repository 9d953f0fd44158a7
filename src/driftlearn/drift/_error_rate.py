# cython: infer_types=True
"""Statistics of DDM: the error rate and its minimum."""

import cython
from cython.cimports.libc.math import sqrt

if not cython.compiled:
    from driftlearn.drift._error_detector import ErrorDetector

from driftlearn.drift._error_detector import ERRORS
from driftlearn.io.schema import InvalidStateError, flag, integer, number

NONE_YET = cython.declare(cython.double, 1.0)  # initial value of p_min and s_min, above any p + s


@cython.cclass
class ErrorRate(ErrorDetector):
    """Error rate since the last change, its standard deviation, and the minimum of their sum.

    Parameters
    ----------
    drift_level, warning_level : float
        Number of standard deviations above the minimum at which each level lies.
    min_window : int
        Number of errors after a change before the detector is active.

    Attributes
    ----------
    width : int
        Number of errors since the last change.
    total : float
        Sum of these errors.
    p_min, s_min : float
        Error rate and standard deviation at the minimum of their sum.
    warning : bool
        Whether the last error is in the warning zone.
    n_warning : int
        Number of errors since the warning level was reached.
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
        self._restart()
        self.check_state(self.get_state())

    def _restart(self):
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
        """Update the detector with one error; return whether a change was detected."""
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
        # Without any mistake, s_min is 0 and the rate equals both levels; this is not a change.
        higher: cython.bint = p + s > self.p_min + self.s_min
        self.warning = higher and p + s >= self.p_min + self.warning_level * self.s_min
        self.n_warning = self.n_warning + 1 if self.warning else 0
        if higher and p + s >= self.p_min + self.drift_level * self.s_min:
            self._restart()
            return True
        return False

    @staticmethod
    def check_state(state):
        """Raise ValueError if the drift level is below the warning level, or a sum is too large."""
        if state["warning_level"] > state["drift_level"]:
            raise InvalidStateError(
                f"warning_level={state['warning_level']} must be at most "
                f"drift_level={state['drift_level']}"
            )
        if state["total"] > state["width"]:
            raise InvalidStateError("the sum of the errors exceeds their number")
