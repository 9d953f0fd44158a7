# cython: infer_types=True
"""Cumulative sums of the Page-Hinkley test."""

import cython

if not cython.compiled:
    from driftlearn.drift._error_detector import ErrorDetector

from driftlearn.drift._error_detector import ERRORS
from driftlearn.io.schema import flag, integer, number, word


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
