"""Detectors of change: DDM, EDDM, Page-Hinkley and KSWIN, one error at a time, sums made anew.

Decisions, for all: the error that shows a change is the last of the old errors; with it all of them
are forgotten (KSWIN keeps its newest). `n_detections` counts changes for ever.

* DDM (Gama, Medas, Castillo, Rodrigues 2004): the lowest p + s is looked for from the first row at
  which alarms are possible, n > `min_window` (the paper's n > 30). Were it looked for at every row,
  as the paper has it, one right answer at the start would make it 0 for good. A level is reached
  at equality, as printed, but only by a p + s above the lowest one: else a learner that never errs
  (0 >= 0) would always be in alarm.
* EDDM (Baena-Garcia and others 2006): the first distance counts from row 0, which after a change is
  the mistake that showed it. The standard deviation divides by k - 1 (0 for one distance). The
  highest m + 2 s is looked for from the `min_mistakes`-th mistake on (`early_peak`: already after
  `min_mistakes` rows), thresholds are compared after it. A zone lasts until the next mistake.
* Page-Hinkley (Page 1954; Hinkley 1971): the mean holds the newest error too.
* KSWIN (Raab, Heusinger, Schleif 2020): one call of r uniforms for each test of a full window; the
  sample is the head of a Fisher-Yates shuffle. The exact p-value counts the orders of 2 r errors.
* `n_warning`: errors in a row beyond the warning level, a change among them.
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
        self.forget()

    def forget(self):
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
        change, warning = self.look()
        self.n_warning = self.n_warning + 1 if change or warning else 0
        self.drift_detected, self.warning_detected = change, warning and not change
        if change:
            self.n_detections += 1
            self.forget()
        return change


class DDMReference(DetectorReference):
    def __init__(self, drift_level=3.0, warning_level=2.0, min_window=30):
        self.drift_level, self.warning_level = drift_level, warning_level
        self.min_window = min_window
        super().__init__()

    def forget(self):
        self.errors, self.lowest = [], None

    def look(self):
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

    def forget(self):
        self.errors, self.peak, self.share = [], 0.0, 1.0

    def look(self):
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

    def forget(self):
        self.errors, self.ups, self.downs = [], [0.0], [0.0]

    def look(self):
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

    def forget(self):
        self.errors = self.errors[-self.sample_size :]

    def look(self):
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
    """The largest difference, over all x, of the numbers of values up to x."""
    a, b = sorted(a), sorted(b)
    return max(abs(bisect_right(a, x) - bisect_right(b, x)) for x in {*a, *b})


@cache
def p_value(r, c):
    """The share of the orders of two samples of r in which they are somewhere c or more apart."""
    ways = {0: 1}  # of walks that never came c away from 0
    for _ in range(2 * r):
        step = dict.fromkeys(range(1 - c, c), 0)
        for place, n in ways.items():
            for after in (place - 1, place + 1):
                if abs(after) < c:
                    step[after] += n
        ways = step
    return float(1 - Fraction(ways.get(0, 0), math.comb(2 * r, r)))
