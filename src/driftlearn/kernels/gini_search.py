# cython: infer_types=True
"""The best split of a node by the Gini index.

Sums of whole weights (mostly all 1) are exact in whatever order they are taken. Only there running
sums of squares and the counts of the rarer value are used; for other weights the classes are
summed in the order of the sorted rows, so that the result is defined to the last bit.
"""

import cython
import numpy as np

if not cython.compiled:
    from driftlearn.kernels.sorted_columns import Columns

NEVER = cython.declare(cython.int, 2147483647)


@cython.cclass
class GiniSearch(Columns):
    """The search for the split of one node after the other.

    Parameters
    ----------
    X, order, y, w, n_classes, min_samples_leaf
        As in `driftlearn.kernels.grow_tree.grow`.

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
    best, best_feature, best_threshold
        The best split of the present node so far.
    """

    def __init__(self, X, order, y, w, n_classes, min_samples_leaf):
        super().__init__(X, order, y, w)
        self.min_samples_leaf = max(1, min_samples_leaf)
        n_binary = self.binary.shape[0]
        self.constant_at = np.empty(self.many.shape[0], dtype=np.int32)
        counts: cython.double[:, ::1] = np.empty((2, n_classes))
        self.counts = counts[0]
        self.left_counts = counts[1]
        self.rare_rows = np.zeros(n_binary, dtype=np.int32)
        self.rare_counts = np.zeros((n_binary, n_classes))

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
            if low == high:
                self.constant_at[k] = depth
            else:
                self.constant_at[k] = NEVER
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
        self.best = best

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
                self.best_threshold = _midpoint(
                    self.X[self.order[f, 0], f], self.X[self.order[f, last], f]
                )

    def divide_columns(self, start, end):
        """Divide the sorted columns as the rows were; that of the split is in order already."""
        for k in range(self.many.shape[0]):
            if self.constant_at[k] == NEVER and self.many[k] != self.best_feature:
                self.divide(k, start, end)


def _midpoint(a, b):
    """Return the threshold between two values; where rounding leaves [a, b), the lower value."""
    middle: cython.double = (float(a) + float(b)) / 2
    return middle if a <= middle < b else a
