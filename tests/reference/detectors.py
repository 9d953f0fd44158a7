"""Drift detectors DDM, EDDM, Page-Hinkley and KSWIN, one error at a time, all sums recomputed.

Decisions for all detectors: the error at which a change is detected is the last of the old errors;
all of them are dropped after it (KSWIN keeps its newest). `n_detections` is never reset.

* DDM (Gama, Medas, Castillo, Rodrigues 2004): the minimum of p + s is taken from the first row at
  which alarms are possible, n > `min_window` (the paper's n > 30). If it were taken at every row,
  as in the paper, one correct prediction at the start would set it to 0 permanently. A level is
  reached at equality, as printed, but only by a p + s above the minimum: otherwise a learner
  without errors (0 >= 0) would always raise an alarm.
* EDDM (Baena-Garcia and others 2006): the first distance counts from row 0; after a change, row 0
  is the error at which the change was detected. The standard deviation divides by k - 1 (0 for one
  distance). The maximum of m + 2 s is taken from the `min_mistakes`-th error on (`early_peak`:
  already after `min_mistakes` rows), thresholds are compared after it. A zone lasts until the next
  error.
* Page-Hinkley (Page 1954; Hinkley 1971): the mean includes the newest error.
* KSWIN (Raab, Heusinger, Schleif 2020): each test of a full window makes one call for r uniform
  numbers; the sample is the head of a Fisher-Yates shuffle. The exact p-value counts the orders of
  2 r errors.
* `n_warning` counts consecutive errors beyond the warning level, including one at a change.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from fractions import Fraction
from functools import cache
from itertools import pairwise

import numpy as np


class DetectorReference:
    def __init__(self):
        self.n_detections = self.n_warning = 0
        self.drift_detected = self.warning_detected = self.rising = False
        self.reset()

    def reset(self):
        self.errors = []

    @property
    def width(self):
        return len(self.errors)

    @property
    def estimate(self):
        return math.fsum(self.errors) / len(self.errors) if self.errors else 0.0

    def update(self, error):
        if self.drift_detected:
            self.n_warning = 0
        self.rising = False
        self.errors.append(float(error))
        change, warning = self.check()
        self.n_warning = self.n_warning + 1 if change or warning else 0
        self.drift_detected, self.warning_detected = change, warning and not change
        if change:
            self.n_detections += 1
            self.reset()
        return change


class DDMReference(DetectorReference):
    def __init__(self, drift_level=3.0, warning_level=2.0, min_window=30):
        self.drift_level, self.warning_level = drift_level, warning_level
        self.min_window = min_window
        super().__init__()

    def reset(self):
        self.errors, self.lowest = [], None

    def check(self):
        n, p = self.width, self.estimate
        s = math.sqrt(p * (1 - p) / n)
        if n <= self.min_window:
            return False, False
        if self.lowest is None or p + s < sum(self.lowest):
            self.lowest = p, s
        p_min, s_min = self.lowest
        higher = p + s > p_min + s_min
        levels = self.drift_level, self.warning_level
        change, warning = (higher and p + s >= p_min + level * s_min for level in levels)
        return change, warning


class EDDMReference(DetectorReference):
    def __init__(self, drift_level=0.9, warning_level=0.95, min_mistakes=30, early_peak=False):
        self.drift_level, self.warning_level = drift_level, warning_level
        self.min_mistakes, self.early_peak = min_mistakes, early_peak
        super().__init__()

    def reset(self):
        self.errors, self.peak, self.share = [], 0.0, 1.0

    def check(self):
        if self.errors[-1] == 1:
            self.share = self.share_of_peak()
        return self.share < self.drift_level, self.share < self.warning_level

    def share_of_peak(self):
        places = [0] + [t for t, error in enumerate(self.errors, 1) if error == 1]
        distances = [b - a for a, b in pairwise(places)]
        k, total, squares = len(distances), sum(distances), sum(d * d for d in distances)
        variance = Fraction(k * squares - total * total, k * (k - 1)) if k > 1 else 0
        high = total / k + 2 * math.sqrt(variance)
        enough = k >= self.min_mistakes or (self.early_peak and self.width > self.min_mistakes)
        if enough and high > self.peak:
            self.peak = high
        return high / self.peak if k > self.min_mistakes else 1.0


class PageHinkleyReference(DetectorReference):
    def __init__(self, threshold=50.0, delta=0.005, min_window=30, fading=1.0, direction="rising"):
        self.threshold, self.delta, self.min_window = threshold, delta, min_window
        self.fading, self.direction = fading, direction
        super().__init__()

    def reset(self):
        self.errors, self.ups, self.downs = [], [0.0], [0.0]

    def check(self):
        off = self.errors[-1] - self.estimate
        self.ups.append(self.fading * self.ups[-1] + off - self.delta)
        self.downs.append(self.fading * self.downs[-1] + off + self.delta)
        if self.width <= self.min_window:
            return False, False
        rises = self.ups[-1] - min(self.ups) > self.threshold
        falls = max(self.downs) - self.downs[-1] > self.threshold
        self.rising = rises and self.direction != "falling"
        return self.rising or (falls and self.direction != "rising"), False


class KSWINReference(DetectorReference):
    def __init__(
        self, level=0.005, window_size=100, sample_size=30, exact=False, random_state=None
    ):
        self.level, self.window_size, self.sample_size = level, window_size, sample_size
        self.exact, self.rng = exact, np.random.default_rng(random_state)
        self.errors, self.distance = [], 0.0
        super().__init__()

    def reset(self):
        self.errors = self.errors[-self.sample_size :]

    def check(self):
        r = self.sample_size
        self.errors = self.errors[-self.window_size :]
        self.distance = 0.0
        if self.width < self.window_size:
            return False, False
        older, newest = self.errors[:-r], self.errors[-r:]
        places = list(range(len(older)))
        for k, u in enumerate(self.rng.random(r).tolist()):
            j = k + int(u * (len(older) - k))
            places[k], places[j] = places[j], places[k]
        c = most_apart(newest, [older[i] for i in places[:r]])
        self.distance = c / r
        if self.exact:
            change = c > 0 and p_value(r, c) <= self.level
        else:
            change = c / r > math.sqrt(-math.log(self.level) / r)
        self.rising = change and mean(newest) > mean(older)
        return change, False


def mean(values):
    return sum(map(Fraction, values)) / len(values)


def most_apart(a, b):
    """Return the largest difference, over all x, between the numbers of values up to x."""
    a, b = sorted(a), sorted(b)
    return max(abs(bisect_right(a, x) - bisect_right(b, x)) for x in {*a, *b})


@cache
def p_value(r, c):
    """Return the share of the orders of two samples of r that differ by c or more somewhere."""
    ways = {0: 1}  # number of walks that stay within less than c of 0
    for _ in range(2 * r):
        step = dict.fromkeys(range(1 - c, c), 0)
        for place, n in ways.items():
            for after in (place - 1, place + 1):
                if abs(after) < c:
                    step[after] += n
        ways = step
    return float(1 - Fraction(ways.get(0, 0), math.comb(2 * r, r)))
