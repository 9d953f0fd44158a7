# cython: infer_types=True
"""The window of ADWIN, as an exponential histogram."""

import cython
import numpy as np
from cython.cimports.libc.math import fabs, log, sqrt

if not cython.compiled:
    from driftlearn.drift._error_detector import ErrorDetector

from driftlearn.drift._error_detector import ERRORS
from driftlearn.io.schema import InvalidStateError, flag, floats, integer, integers, number

# maximum number of bucket sizes: the largest buckets have 2**47 errors
ROWS = cython.declare(cython.int, 48)
BUCKETS = "count", "bucket_sum", "bucket_var"  # arrays with one row per bucket size
MOST_ROWS = 40  # limit for stored states: enough for a stream of 10**12 errors


@cython.cclass
class AdaptiveWindow(ErrorDetector):
    """Adaptive window of Bifet and Gavaldà (2007), as an exponential histogram of errors.

    Row ``r`` of the histogram holds buckets of ``2**r`` errors, oldest first. When a row exceeds
    `max_buckets`, its two oldest buckets are merged into one of the next row. The sum and variance
    of the window therefore take memory and time logarithmic in its width.

    Parameters
    ----------
    delta : float
        Confidence parameter: smaller values give fewer false alarms.
    clock : int
        The window is checked every `clock` errors.
    max_buckets : int
        Maximum number of buckets per row.
    min_window : int
        Windows up to this width are not checked.
    min_sub : int
        Each side of a cut has more than ``min_sub + 1`` errors.

    Attributes
    ----------
    width : int
        Number of errors in the window.
    total : float
        Sum of the errors in the window.
    estimate, variance : float
        Mean and variance of the window; 0 if it is empty.
    rising : bool
        Whether the window was cut at the last error and its mean increased by the cut.
    n_updates : int
        Number of errors since the start.

    Examples
    --------
    >>> adwin = AdaptiveWindow()
    >>> errors = [0.0] * 200 + [1.0] * 200
    >>> [step for step, error in enumerate(errors) if adwin.update(error)]
    [223, 255, 287]
    >>> print(adwin.width, adwin.estimate)
    200 1.0
    """

    STATE = {
        "delta": number(0, 1, above=True), "clock": integer(1), "max_buckets": integer(1),
        "min_window": integer(0), "min_sub": integer(0), "width": integer(0, ERRORS),
        "n_updates": integer(0, ERRORS), "total": number(), "var_sum": number(), "rising": flag(),
        "count": integers("rows", least=0), "bucket_sum": floats("rows", "room"),
        "bucket_var": floats("rows", "room"),
    }  # fmt: skip
    SETTINGS = "delta", "clock", "max_buckets", "min_window", "min_sub"

    def __init__(self, delta=0.002, clock=32, max_buckets=5, min_window=10, min_sub=5):
        if not 0 < delta < 1:
            raise ValueError(f"delta must be between 0 and 1. Got {delta} instead.")
        if clock < 1 or max_buckets < 1 or min_window < 0 or min_sub < 0:
            raise ValueError(
                "clock and max_buckets must be at least 1, min_window and min_sub at least 0. Got "
                f"clock={clock}, max_buckets={max_buckets}, min_window={min_window} and "
                f"min_sub={min_sub} instead."
            )
        self.delta = delta
        self.clock = clock
        self.max_buckets = max_buckets
        self.min_window = min_window
        self.min_sub = min_sub
        self.width = 0
        self.n_updates = 0
        self.total = 0.0
        self.estimate = 0.0
        self.rising = False
        self.var_sum = 0.0
        self.n_rows = 1
        self.count = np.zeros(ROWS, dtype=np.int32)
        self.bucket_sum = np.zeros((ROWS, max_buckets + 1))
        self.bucket_var = np.zeros((ROWS, max_buckets + 1))

    @property
    def variance(self):
        """Variance of the errors in the window."""
        return self.var_sum / self.width if self.width > 0 else 0.0

    def update(self, error):
        """Update the detector with one error; return whether a change was detected."""
        return self._take(error)

    def _take(self, error):
        changed: cython.bint = False
        self._insert(error)
        self.n_updates += 1
        if self.n_updates % self.clock == 0 and self.width > self.min_window:
            while self._cut_found():
                self._drop_oldest()
                changed = True
        self.rising = False
        if changed:
            before = self.estimate
            self.estimate = self.total / self.width
            self.rising = self.estimate > before
        return changed

    def rises(self, error):
        """Update with one error; return whether the window was cut and its mean increased.

        The mean is compared with that before the update; `rising` compares with the mean right
        before the cut, which includes the new error.
        """
        before = self.estimate
        return self._take(error) and self.estimate > before

    def errors_until_test(self):
        """Return the number of errors until the window is tested, including the last one."""
        return self.clock - self.n_updates % self.clock

    def _insert(self, error):
        n: cython.double = 1.0
        share: cython.double = 1.0  # 1 / n, a power of two: multiplying by it is exact
        row: cython.int = 0
        if self.width > 0:  # Welford's update of the sum of squares
            d = error - self.estimate
            self.var_sum += self.width * d * d / (self.width + 1)
        self.width += 1
        self.total += error
        self.estimate = self.total / self.width
        self._push(0, error, 0.0)
        while self.count[row] > self.max_buckets:
            d = (self.bucket_sum[row, 0] - self.bucket_sum[row, 1]) * share
            self._push(
                row + 1,
                self.bucket_sum[row, 0] + self.bucket_sum[row, 1],
                self.bucket_var[row, 0] + self.bucket_var[row, 1] + 0.5 * n * (d * d),
            )
            self._shift(row, 2)
            row += 1
            n *= 2.0
            share *= 0.5

    def _push(self, row, value, variance):
        k: cython.int = self.count[row]
        self.bucket_sum[row, k] = value
        self.bucket_var[row, k] = variance
        self.count[row] = k + 1
        if row >= self.n_rows:
            self.n_rows = row + 1

    def _shift(self, row, k):
        self.count[row] -= k
        for j in range(self.count[row]):
            self.bucket_sum[row, j] = self.bucket_sum[row, j + k]
            self.bucket_var[row, j] = self.bucket_var[row, j + k]

    def _cut_found(self):
        n0: cython.double = 0.0
        s0: cython.double = 0.0
        # compared as floats, since the sum could overflow a C int
        if self.width <= 2.0 * (self.min_sub + 1.0):
            return False
        dd = log(2.0 * log(self.width) / self.delta)
        v = self.var_sum / self.width
        for row in range(self.n_rows - 1, -1, -1):
            n: cython.double = 2.0**row
            for j in range(self.count[row]):
                n0 += n
                n1 = self.width - n0
                s0 += self.bucket_sum[row, j]
                if n1 <= self.min_sub + 1.0:
                    return False
                # Equation 3.1 of the paper: the cut is significant if the means differ by more
                # than eps, with m the harmonic mean of the sizes and dd = ln(2 ln(width) / delta).
                if n0 > self.min_sub + 1.0:
                    m = 1.0 / (n0 - self.min_sub + 1) + 1.0 / (n1 - self.min_sub + 1)
                    if fabs(s0 / n0 - (self.total - s0) / n1) > (
                        sqrt(2.0 * m * v * dd) + 2.0 / 3.0 * m * dd
                    ):
                        return True
        return False

    def _drop_oldest(self):
        row: cython.int = self.n_rows - 1
        n: cython.double = 2.0**row
        s: cython.double = self.bucket_sum[row, 0]
        v: cython.double = self.bucket_var[row, 0]
        self._shift(row, 1)
        while self.n_rows > 1 and self.count[self.n_rows - 1] == 0:
            self.n_rows -= 1
            # `get_state` omits the row. A restored window would have zeros here, so without this,
            # the same window could have different bytes when the row is used again.
            for j in range(self.max_buckets + 1):
                self.bucket_sum[self.n_rows, j] = self.bucket_var[self.n_rows, j] = 0.0
        self.width -= cython.cast(cython.longlong, n)
        self.total -= s
        d = s / n - self.total / self.width
        v += n * self.width * d * d / (n + self.width)
        self.var_sum = max(0.0, self.var_sum - v)

    def get_state(self):
        """Return parameters and statistics as a dict of arrays and numbers."""
        state = ErrorDetector.get_state(self)
        return state | {name: state[name][: self.n_rows].copy() for name in BUCKETS}

    def set_state(self, state):
        """Restore from `get_state`."""
        self.__init__(*[state[name] for name in self.SETTINGS])
        self.width = state["width"]
        self.n_updates = state["n_updates"]
        self.total = state["total"]
        self.estimate = self.total / self.width if self.width > 0 else 0.0
        self.var_sum = state["var_sum"]
        self.rising = state["rising"]
        self.n_rows = len(state["count"])
        for name in BUCKETS:
            np.asarray(getattr(self, name))[: self.n_rows] = state[name]

    @staticmethod
    def check_state(state):
        """Raise ValueError unless the buckets hold as many errors as the window is wide."""
        count = state["count"].tolist()
        room = state["bucket_sum"].shape[1]
        if not (
            1 <= len(count) <= MOST_ROWS
            and max(count) < room == state["max_buckets"] + 1
            and sum(n * 2**row for row, n in enumerate(count)) == state["width"]
            and (len(count) == 1 or count[len(count) - 1] > 0)
        ):
            raise InvalidStateError("the buckets of an ADWIN window do not add up to its width")
