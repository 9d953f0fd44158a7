# cython: infer_types=True
"""Statistics of the errors since the last change, for DDM, EDDM and the Page-Hinkley test."""

import cython
from cython.cimports.libc.math import sqrt

if not cython.compiled:
    from driftlearn.drift._error_detector import ErrorDetector

from driftlearn.drift._error_detector import ERRORS
from driftlearn.io.schema import InvalidStateError, flag, integer, number, word

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
        # The count is kept at the row of a change, so that callers can read it, and reset after it.
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
        Number of errors since the last change, and how many of them are 1.
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
        # A peak of the first few distances would be far too high and never be reached again.
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


@cython.cclass
class CumulativeSum(ErrorDetector):
    """Cumulative sums of the errors' deviations from their mean, minus and plus a tolerance.

    Parameters
    ----------
    threshold : float
        Distance of a sum from its extreme at which a change is detected.
    delta : float
        Tolerance.
    min_window : int
        Number of errors after a change before the detector is active.
    fading : float
        Factor by which a sum is multiplied before an error is added.
    direction : {"rising", "falling", "both"}
        Which changes of the mean are detected.

    Attributes
    ----------
    width : int
        Number of errors since the last change.
    total : float
        Sum of these errors.
    up, lowest, down, highest : float
        The sum that detects increases and its minimum; the one that detects decreases and its
        maximum.
    rising : bool
        Whether an increase of the mean was detected at the last error.
    """

    STATE = {
        "threshold": number(0), "delta": number(0), "min_window": integer(0),
        "fading": number(0, 1, above=True), "direction": word("rising", "falling", "both"),
        "width": integer(0, ERRORS), "total": number(), "up": number(), "lowest": number(),
        "down": number(), "highest": number(), "rising": flag(),
    }  # fmt: skip

    def __init__(self, threshold=50.0, delta=0.005, min_window=30, fading=1.0, direction="rising"):
        self.threshold = threshold
        self.delta = delta
        self.min_window = min_window
        self.fading = fading
        self.direction = direction
        self._prepare()
        self._restart()
        self.rising = False

    def _prepare(self):
        self.upwards = self.direction != "falling"
        self.downwards = self.direction != "rising"

    def _restart(self):
        self.width = 0
        self.total = 0.0
        self.up = 0.0
        self.lowest = 0.0
        self.down = 0.0
        self.highest = 0.0

    @property
    def estimate(self):
        """Mean of the errors since the last change; 0 if there are none."""
        return self.total / self.width if self.width > 0 else 0.0

    def update(self, error):
        """Update the detector with one error; return whether a change was detected."""
        self.width += 1
        self.total += error
        n: cython.double = self.width
        # The mean includes the new error, so the first error has no deviation.
        off = error - self.total / n
        self.up = self.fading * self.up + off - self.delta
        self.down = self.fading * self.down + off + self.delta
        self.lowest = min(self.lowest, self.up)
        self.highest = max(self.highest, self.down)
        active: cython.bint = self.width > self.min_window
        self.rising = active and self.upwards and self.up - self.lowest > self.threshold
        fell: cython.bint = active and self.downwards and self.highest - self.down > self.threshold
        if self.rising or fell:
            self._restart()
            return True
        return False
