# cython: infer_types=True
"""EDDM: the distances between mistakes against the widest that they were."""

import cython
from cython.cimports.libc.math import sqrt

if not cython.compiled:
    from driftlearn.drift._error_detector import ErrorDetector

from driftlearn.drift._error_detector import ERRORS
from driftlearn.io.schema import InvalidStateError, flag, integer, number


@cython.cclass
class MistakeDistance(ErrorDetector):
    """Mean and standard deviation of the distances between mistakes, and their highest sum.

    Parameters
    ----------
    drift_level, warning_level : float
        The shares of the peak below which there is a change, and a warning.
    min_mistakes : int
        There is no alarm up to so many mistakes.
    early_peak : bool
        Look for the peak once there are more than `min_mistakes` errors, right or wrong; else
        from mistake number `min_mistakes` on.

    Attributes
    ----------
    width, n_mistakes : int
        Errors since the last change, and how many of them are 1.
    last : int
        The number of the last mistake among them; 0 before the first.
    mean, squares : float
        Mean of the distances, and the sum of squares around it (Welford's).
    peak : float
        The largest mean plus two standard deviations; 0 before there is one.
    warning : bool
        Whether the last mistake lies in the warning zone.
    n_warning : int
        Errors since the warning level was reached.
    """

    STATE = {
        "drift_level": number(0, 1, above=True), "warning_level": number(0, 1, above=True),
        "min_mistakes": integer(1), "early_peak": flag(),
        "width": integer(0, ERRORS), "n_mistakes": integer(0, ERRORS), "last": integer(0, ERRORS),
        "mean": number(0), "squares": number(0), "peak": number(0), "warning": flag(),
        "n_warning": integer(0, ERRORS),
    }  # fmt: skip

    def __init__(self, drift_level=0.9, warning_level=0.95, min_mistakes=30, early_peak=False):
        self.drift_level = drift_level
        self.warning_level = warning_level
        self.min_mistakes = min_mistakes
        self.early_peak = early_peak
        self.n_warning = 0
        self._begin()
        self.check_state(self.get_state())

    def _begin(self):
        self.width = 0
        self.n_mistakes = 0
        self.last = 0
        self.mean = 0.0
        self.squares = 0.0
        self.peak = 0.0
        self.warning = False

    @property
    def estimate(self):
        """Share of mistakes since the last change; 0 if there are no errors."""
        mistakes: cython.double = self.n_mistakes
        return mistakes / self.width if self.width > 0 else 0.0

    def update(self, error):
        """Take in one error, 0 or 1; return whether the drift level is reached."""
        drift: cython.bint = False
        if self.width == 0:
            self.n_warning = 0
        self.width += 1
        if error == 1.0:
            share = self._share()
            self.warning = share < self.warning_level
            drift = share < self.drift_level
        self.n_warning = self.n_warning + 1 if self.warning else 0
        if drift:
            self._begin()
        return drift

    def _share(self):
        """Take in a mistake; return the share of the peak, 1 while there is no alarm."""
        distance: cython.double = self.width - self.last
        self.last = self.width
        self.n_mistakes += 1
        n: cython.double = self.n_mistakes
        d = distance - self.mean
        self.mean += d / n
        self.squares += d * (distance - self.mean)
        sd = sqrt(self.squares / (n - 1.0)) if n > 1.0 else 0.0
        high = self.mean + 2.0 * sd
        early: cython.bint = self.early_peak and self.width > self.min_mistakes
        if high > self.peak and (early or self.n_mistakes >= self.min_mistakes):
            self.peak = high
        return high / self.peak if self.n_mistakes > self.min_mistakes else 1.0

    @staticmethod
    def check_state(state):
        """Raise ValueError if a change comes before its warning, or mistakes have no room."""
        if state["warning_level"] < state["drift_level"]:
            raise InvalidStateError(
                f"warning_level={state['warning_level']} must not be below "
                f"drift_level={state['drift_level']}"
            )
        if not state["n_mistakes"] <= state["last"] <= state["width"]:
            raise InvalidStateError("more mistakes than rows")
