# cython: infer_types=True
"""The best split of a node by the Gini index.

Sums of whole weights (mostly all 1) are exact in whatever order they are taken. Only there running
sums of squares and the counts of the rarer value are used; for other weights the classes are
summed in the order of the sorted rows, so that the result is defined to the last bit.
"""

import cython
import numpy as np

if not cython.compiled:
    from driftlearn.tree._sorted_columns import Columns

NEVER = cython.declare(cython.int, 2147483647)
INF = cython.declare(cython.double, np.inf)
NOBODY = cython.declare(cython.int, -1)  # where no row of a node lacks the feature


@cython.cclass
class GiniSearch(Columns):
    """The search for the split of one node after the other.

    Parameters
    ----------
    X, order, y, w, n_classes, min_samples_leaf
        As in `driftlearn.tree._grow_tree.grow`.

    Attributes
    ----------
    constant_at
        For each column of many values, the depth of the node on the path to the present one from
        which on it is constant: its list is then neither looked at nor divided.
    counts
        The weight of each class in the present node.
    rare_rows, rare_counts
        How many rows of the present node have the rarer value, and their weight in each class;
        all zero between two nodes.
    two, second
        Whether there are two classes and whole weights; then, for each row, its weight if it is of
        the second class, else 0.
    missing_counts
        The weight of each class in the rows of the present node that lack the present feature.
    best, best_feature, best_threshold, best_missing
        The best split of the present node so far, and where rows that lack its feature go: 1 for
        left, 0 for right, -1 if there are none.
    """

    def __init__(self, X, order, y, w, n_classes, min_samples_leaf):
        super().__init__(X, order, y, w)
        self.min_samples_leaf = max(1, min_samples_leaf)
        n_binary = self.binary.shape[0]
        self.constant_at = np.empty(self.many.shape[0], dtype=np.int32)
        counts: cython.double[:, ::1] = np.empty((3, n_classes))
        self.counts = counts[0]
        self.left_counts = counts[1]
        self.missing_counts = counts[2]
        self.rare_rows = np.zeros(n_binary, dtype=np.int32)
        self.rare_counts = np.zeros((n_binary, n_classes))
        self.two = self.whole and n_classes == 2
        self.second = np.empty(self.X.shape[0] if self.two else 0)
        for i in range(self.second.shape[0]):
            self.second[i] = self.w[i] * self.y[i]

    def begin(self):
        """Take no column for constant any more: a root follows."""
        self.constant_at[:] = NEVER

    def count(self, start, end):
        """Count the classes of the node, which `find_split` needs."""
        self.counts[:] = 0.0
        for i in range(start, end):
            row = self.rows[i]
            self.counts[self.y[row]] += self.w[row]

    def find_split(self, start, end, depth):
        """Set `best_feature` to that of the best split of the node, -1 if none gains."""
        weight: cython.double = 0.0
        squares: cython.double = 0.0
        for c in range(self.counts.shape[0]):
            weight += self.counts[c]
            squares += self.counts[c] * self.counts[c]
        self.best = squares / weight * (1 + 1e-12)
        self.best_feature = -1
        for k in range(self.many.shape[0]):
            if self.constant_at[k] < depth:
                continue
            low: cython.double = self.values[k, self.lists[k, start]]
            high: cython.double = self.values[k, self.lists[k, end - 1]]
            if low == high or low != low:
                self.constant_at[k] = depth
                continue
            self.constant_at[k] = NEVER
            if high != high:
                self.scan_with_gaps(k, start, end)
            elif self.two:
                self.scan_two(k, start, end, weight, squares)
            else:
                self.scan_sorted(k, start, end, weight, squares)
        if self.binary.shape[0] > 0:
            self.scan_binary(start, end)

    def scan_sorted(self, k, start, end, weight, squares):
        """Try all thresholds of a sorted column while its rows move from right to left.

        With whole weights, a product tells without division that a place does not beat the best
        (but for rounding); only where it may is it looked up whether the value changes there.
        """
        n_classes: cython.Py_ssize_t = self.counts.shape[0]
        left_weight: cython.double = 0.0
        left_squares: cython.double = 0.0
        right_squares: cython.double = squares
        best: cython.double = self.best
        bar: cython.double = best * (1 - 1e-14)
        whole: cython.bint = self.whole
        first: cython.Py_ssize_t = start + self.min_samples_leaf - 1
        self.left_counts[:] = 0.0
        for i in range(start, end - self.min_samples_leaf):
            row: cython.Py_ssize_t = self.lists[k, i]
            label: cython.Py_ssize_t = self.y[row]
            step: cython.double = self.w[row]
            part: cython.double = self.left_counts[label]
            rest: cython.double = self.counts[label] - part
            self.left_counts[label] = part + step
            left_weight += step
            left_squares += step * (part + part + step)
            right_squares += step * (step - rest - rest)
            right_weight: cython.double = weight - left_weight
            if (
                whole
                and left_squares * right_weight + right_squares * left_weight
                <= bar * left_weight * right_weight
            ):
                continue
            x: cython.double = self.values[k, row]
            following: cython.double = self.values[k, self.lists[k, i + 1]]
            if x == following or i < first:
                continue
            if not whole:
                left_weight = left_squares = right_weight = right_squares = 0.0
                for c in range(n_classes):
                    part = self.left_counts[c]
                    rest = self.counts[c] - part
                    left_weight += part
                    left_squares += part * part
                    right_weight += rest
                    right_squares += rest * rest
            quality: cython.double = left_squares / left_weight
            if right_weight > 0.0:
                quality += right_squares / right_weight
            if quality > best:
                best = quality
                bar = best * (1 - 1e-14)
                self.best_feature = self.many[k]
                self.best_threshold = _midpoint(x, following)
                self.best_missing = NOBODY
        self.best = best

    def scan_two(self, k, start, end, weight, squares):
        """Do what `scan_sorted` does, where there are two classes and whole weights.

        With the weights l and r of the sides, a of the second class on the left and b in the node,
        the gain is ``2 (a (l + r) - b l)**2 / (l r (l + r))``. So a place that does not beat the
        best (but for rounding) is passed over without a look at the classes; where it may, the
        same numbers are computed as there.
        """
        left_weight: cython.double = 0.0
        left_second: cython.double = 0.0
        total: cython.double = self.counts[1]
        best: cython.double = self.best
        bar: cython.double = (best * (1 - 1e-14) - squares / weight) * weight / 2
        first: cython.Py_ssize_t = start + self.min_samples_leaf - 1
        for i in range(start, end - self.min_samples_leaf):
            row: cython.Py_ssize_t = self.lists[k, i]
            left_weight += self.w[row]
            left_second += self.second[row]
            right_weight: cython.double = weight - left_weight
            apart: cython.double = left_second * weight - total * left_weight
            if apart * apart <= bar * (left_weight * right_weight):
                continue
            x: cython.double = self.values[k, row]
            following: cython.double = self.values[k, self.lists[k, i + 1]]
            if x == following or i < first:
                continue
            left_first: cython.double = left_weight - left_second
            right_second: cython.double = total - left_second
            right_first: cython.double = right_weight - right_second
            quality: cython.double = (
                left_first * left_first + left_second * left_second
            ) / left_weight
            quality += (right_first * right_first + right_second * right_second) / right_weight
            if quality > best:
                best = quality
                bar = (best * (1 - 1e-14) - squares / weight) * weight / 2
                self.best_feature = self.many[k]
                self.best_threshold = _midpoint(x, following)
                self.best_missing = NOBODY
        self.best = best

    def scan_with_gaps(self, k, start, end):
        """Try all thresholds of a column that some rows lack, with these on either side.

        Last all that have a value are tried against those that have none.
        """
        known: cython.Py_ssize_t = end
        self.missing_counts[:] = 0.0
        while self.values[k, self.lists[k, known - 1]] != self.values[k, self.lists[k, known - 1]]:
            known -= 1
        for i in range(known, end):
            row: cython.Py_ssize_t = self.lists[k, i]
            self.missing_counts[self.y[row]] += self.w[row]
        self.left_counts[:] = 0.0
        for i in range(start, known):
            row = self.lists[k, i]
            self.left_counts[self.y[row]] += self.w[row]
            x: cython.double = self.values[k, row]
            following: cython.double = INF
            if i + 1 < known:
                following = self.values[k, self.lists[k, i + 1]]
                if x == following:
                    continue
            n_left: cython.Py_ssize_t = i + 1 - start
            n_right: cython.Py_ssize_t = known - i - 1
            side: cython.int = self.better_side(n_left, n_right, end - known)
            if side >= 0:
                quality: cython.double = self.quality(side)
                if quality > self.best:
                    self.best = quality
                    self.best_feature = self.many[k]
                    self.best_threshold = _midpoint(x, following)
                    self.best_missing = side

    def better_side(self, n_left, n_right, n_missing):
        """Return where rows that lack the feature do better, 1 for left; -1 if neither will do.

        Sides have these numbers of rows that have it. Where both are as good, the heavier of these
        is taken.
        """
        least: cython.Py_ssize_t = self.min_samples_leaf
        right: cython.bint = n_left >= least and n_right + n_missing >= least
        left: cython.bint = n_right > 0 and n_left + n_missing >= least and n_right >= least
        if not (left and right):
            return 1 if left else (0 if right else -1)
        gain: cython.double = self.quality(1) - self.quality(0)
        if gain != 0.0:
            return gain > 0.0
        left_weight: cython.double = 0.0
        right_weight: cython.double = 0.0
        for c in range(self.counts.shape[0]):
            left_weight += self.left_counts[c]
            right_weight += self.counts[c] - self.missing_counts[c] - self.left_counts[c]
        return left_weight >= right_weight

    def quality(self, missing_left):
        """Return how good a split is that has `left_counts` on the left, or these and the gaps."""
        left_weight: cython.double = 0.0
        left_squares: cython.double = 0.0
        right_weight: cython.double = 0.0
        right_squares: cython.double = 0.0
        for c in range(self.counts.shape[0]):
            part: cython.double = self.left_counts[c]
            if missing_left:
                part += self.missing_counts[c]
            rest: cython.double = self.counts[c] - part
            left_weight += part
            left_squares += part * part
            right_weight += rest
            right_squares += rest * rest
        value: cython.double = left_squares / left_weight
        if right_weight > 0.0:
            value += right_squares / right_weight
        return value

    def scan_binary(self, start, end):
        """Try the one threshold of each column of two values."""
        last: cython.Py_ssize_t = self.X.shape[0] - 1
        for i in range(start, end):
            row: cython.Py_ssize_t = self.rows[i]
            for j in range(self.rare_start[row], self.rare_start[row + 1]):
                k: cython.Py_ssize_t = self.rare[j]
                self.rare_rows[k] += 1
                self.rare_counts[k, self.y[row]] += self.w[row]
        for k in range(self.binary.shape[0]):
            n_rare: cython.Py_ssize_t = self.rare_rows[k]
            if n_rare == 0:
                continue
            self.rare_rows[k] = 0
            weight: cython.double = 0.0
            squares: cython.double = 0.0
            rest_weight: cython.double = 0.0
            rest_squares: cython.double = 0.0
            for c in range(self.counts.shape[0]):
                part: cython.double = self.rare_counts[k, c]
                self.rare_counts[k, c] = 0.0
                rest: cython.double = self.counts[c] - part
                weight += part
                squares += part * part
                rest_weight += rest
                rest_squares += rest * rest
            if n_rare < self.min_samples_leaf or end - start - n_rare < self.min_samples_leaf:
                continue
            quality: cython.double = squares / weight + rest_squares / rest_weight
            f: cython.Py_ssize_t = self.binary[k]
            if quality > self.best or (quality == self.best and f < self.best_feature):
                self.best = quality
                self.best_feature = f
                self.best_missing = NOBODY
                self.best_threshold = _midpoint(
                    self.X[self.order[f, 0], f], self.X[self.order[f, last], f]
                )

    def divide_columns(self, start, end):
        """Divide the sorted columns as the rows were; that of the split is in order already.

        Unless rows that lack its feature, which are at the end, go left.
        """
        for k in range(self.many.shape[0]):
            in_order: cython.bint = self.many[k] == self.best_feature and self.best_missing != 1
            if self.constant_at[k] == NEVER and not in_order:
                self.divide(k, start, end)


def _midpoint(a, b):
    """Return the threshold between two values; where rounding leaves [a, b), the lower value."""
    if b == INF:
        return INF
    middle: cython.double = (float(a) + float(b)) / 2
    return middle if a <= middle < b else a
