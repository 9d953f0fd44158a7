# cython: infer_types=True
"""The Page-Hinkley test: how far a sum of deviations has come from where it was lowest."""

import cython

if not cython.compiled:
    from driftlearn.drift._error_detector import ErrorDetector

from driftlearn.drift._error_detector import ERRORS
from driftlearn.io.schema import flag, integer, number, word


@cython.cclass
class CumulativeSum(ErrorDetector):
    """Sums of the errors' deviations from their mean, less and plus a tolerance.

    Parameters
    ----------
    threshold : float
        A sum so far from its extreme is a change.
    delta : float
        The tolerance.
    min_window : int
        There is no alarm up to so many errors.
    fading : float
        What a sum is multiplied by before an error is added.
    direction : {"rising", "falling", "both"}
        Which changes of the mean are looked for.

    Attributes
    ----------
    width : int
        Errors since the last change.
    total : float
        Their sum.
    up, lowest, down, highest : float
        The sum that rises with the errors and its minimum; the one that falls and its maximum.
    rising : bool
        Whether the last error showed a change to a higher mean.
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
        self._begin()
        self.rising = False

    def _prepare(self):
        self.upwards = self.direction != "falling"
        self.downwards = self.direction != "rising"

    def _begin(self):
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
        """Take in one error; return whether a sum is beyond the threshold."""
        self.width += 1
        self.total += error
        n: cython.double = self.width
        off = error - self.total / n
        self.up = self.fading * self.up + off - self.delta
        self.down = self.fading * self.down + off + self.delta
        self.lowest = min(self.lowest, self.up)
        self.highest = max(self.highest, self.down)
        looks: cython.bint = self.width > self.min_window
        self.rising = looks and self.upwards and self.up - self.lowest > self.threshold
        fell: cython.bint = looks and self.downwards and self.highest - self.down > self.threshold
        if self.rising or fell:
            self._begin()
            return True
        return False
