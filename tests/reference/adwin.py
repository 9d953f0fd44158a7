"""ADWIN (spec 18): an exponential histogram of errors that drops old buckets after a change.

Decisions: buckets hold (size, sum, var_sum); a row of the histogram is a list, oldest first. The
check runs on every `clock`-th update since the start (also after a cut) if the width exceeds
`min_window`; both parts of a cut must hold more than ``min_sub + 1`` values. Arithmetic runs left
to right as written, squares as ``d * d``. After a bucket is dropped, a var_sum below 0 (rounding)
is set to 0; an emptied window has total and variance 0.
"""

from __future__ import annotations

import math


class AdwinReference:
    def __init__(self, delta=0.002, max_buckets=5, clock=32, min_window=10, min_sub=5):
        self.delta, self.max_buckets, self.clock = delta, max_buckets, clock
        self.min_window, self.min_sub = min_window, min_sub
        self.rows = [[]]
        self.width, self.total, self.var_sum = 0, 0.0, 0.0
        self.n_updates = 0

    @property
    def estimate(self):
        return self.total / self.width if self.width else 0.0

    @property
    def variance(self):
        return self.var_sum / self.width if self.width else 0.0

    def update(self, error):
        """Add one error; return whether the window was cut."""
        self._insert(float(error))
        self.n_updates += 1
        if self.n_updates % self.clock or self.width <= self.min_window:
            return False
        changed = False
        while self._cut_found():
            self._drop_oldest()
            changed = True
        return changed

    def buckets(self):
        """Return all buckets from the oldest to the newest."""
        return [bucket for row in reversed(self.rows) for bucket in row]

    def _insert(self, x):
        mean_old = self.estimate
        self.width += 1
        if self.width > 1:
            d = x - mean_old
            self.var_sum += (self.width - 1) * d * d / self.width
        self.total += x
        self.rows[0].append((1, x, 0.0))
        level = 0
        while len(self.rows[level]) > self.max_buckets:
            if level + 1 == len(self.rows):
                self.rows.append([])
            n1, s1, v1 = self.rows[level].pop(0)
            n2, s2, v2 = self.rows[level].pop(0)
            d = s1 / n1 - s2 / n2
            merged = (n1 + n2, s1 + s2, v1 + v2 + n1 * n2 * d * d / (n1 + n2))
            self.rows[level + 1].append(merged)
            level += 1

    def _cut_found(self):
        if self.width == 0:
            return False
        dd = math.log(2 * math.log(self.width) / self.delta)
        v = self.variance
        n0, s0 = 0, 0.0
        for n, s, _ in self.buckets():
            n0, s0 = n0 + n, s0 + s
            n1, s1 = self.width - n0, self.total - s0
            if n0 <= self.min_sub + 1 or n1 <= self.min_sub + 1:
                continue
            mm = 1 / (n0 - self.min_sub + 1) + 1 / (n1 - self.min_sub + 1)
            eps_cut = math.sqrt(2 * mm * v * dd) + 2 / 3 * mm * dd
            if abs(s0 / n0 - s1 / n1) > eps_cut:
                return True
        return False

    def _drop_oldest(self):
        n1, s1, v1 = self.rows[-1].pop(0)
        while len(self.rows) > 1 and not self.rows[-1]:
            self.rows.pop()
        self.width -= n1
        if self.width == 0:
            self.total = self.var_sum = 0.0
            return
        self.total -= s1
        d = s1 / n1 - self.estimate
        self.var_sum -= v1 + n1 * self.width * d * d / (n1 + self.width)
        self.var_sum = max(0.0, self.var_sum)
