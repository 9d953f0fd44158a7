# cython: infer_types=True
"""Statistics of EDDM: the distances between mistakes and their peak."""

import cython
from cython.cimports.libc.math import sqrt

if not cython.compiled:
    from driftlearn.drift._error_detector import ErrorDetector

from driftlearn.drift._error_detector import ERRORS
from driftlearn.io.schema import InvalidStateError, flag, integer, number


@cython.cclass
class MistakeDistance(ErrorDetector):
    """Mean and standard deviation of the distances between mistakes, and their peak.

    Parameters
    ----------
    drift_level, warning_level : float
        Fractions of the peak below which a change is detected and a warning is given.
    min_mistakes : int
        Number of mistakes after a change before the detector is active.
    early_peak : bool
        Search for the peak after `min_mistakes` rows, right or wrong, instead of from mistake
        number `min_mistakes` on.

    Attributes
    ----------
    width, n_mistakes : int
        Number of errors since the last change, and of those that are 1.
    last : int
        Position of the last mistake among them; 0 before the first.
    mean, squares : float
        Mean of the distances and sum of squared deviations (Welford's algorithm).
    peak : float
        Maximum of mean plus two standard deviations; 0 initially.
    warning : bool
        Whether the last mistake is in the warning zone.
    n_warning : int
        Number of errors since the warning level was reached.
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
        self._restart()
        self.check_state(self.get_state())

    def _restart(self):
        self.width = 0
        self.n_mistakes = 0
        self.last = 0
        self.mean = 0.0
        self.squares = 0.0
        self.peak = 0.0
        self.warning = False

    @property
    def estimate(self):
        """Fraction of mistakes since the last change; 0 if there are no errors."""
        mistakes: cython.double = self.n_mistakes
        return mistakes / self.width if self.width > 0 else 0.0

    def update(self, error):
        """Update the detector with one error; return whether a change was detected."""
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
            self._restart()
        return drift

    def _share(self):
        """Update with a mistake; return the fraction of the peak, 1 while inactive."""
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
        """Raise ValueError if the levels are in the wrong order, or counts are inconsistent."""
        if state["warning_level"] < state["drift_level"]:
            raise InvalidStateError(
                f"warning_level={state['warning_level']} must be at least "
                f"drift_level={state['drift_level']}"
            )
        if not state["n_mistakes"] <= state["last"] <= state["width"]:
            raise InvalidStateError("the number of mistakes exceeds the number of rows")
