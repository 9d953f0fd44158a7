# cython: infer_types=True
"""Search for the split of a node that minimizes the Gini index.

Sums of integer weights (usually all 1) are exact in any order, so running sums of squares and the
counts of the rarer value of a binary column are used only for these. For other weights the sums
are taken over the classes in the order of the sorted rows, so that results are reproducible to the
last bit.
"""

import cython
import numpy as np

if not cython.compiled:
    from driftlearn.tree._fit_stump import heavier_left, midpoint
    from driftlearn.tree._sorted_columns import Columns

NEVER = cython.declare(cython.int, 2147483647)  # a depth that no node reaches
INF = cython.declare(cython.double, np.inf)
# Value of `best_missing` if no row of the node lacks the feature.
NO_MISSING = cython.declare(cython.int, -1)


@cython.cclass
class GiniSearch(Columns):
    """Gini split search, for one node of a tree at a time.

    Parameters
    ----------
    X, order, y, w, nominal, n_codes, n_classes, min_samples_leaf
        `n_codes` exceeds all codes of nominal columns; the others are as in
        `driftlearn.tree._grow_tree.grow`.

    Attributes
    ----------
    constant_at
        For each column with more than two values, the depth on the path to the current node from
        which the column is constant. Constant columns are neither scanned nor divided.
    counts
        Weight of each class in the current node.
    rare_rows, rare_counts
        Number of rows of the current node with the rarer value, and their weight per class; all
        zero between two nodes.
    two, second
        Whether there are two classes and integer weights; if so, `second` holds the weight of each
        row of the second class, and 0 for the other rows.
    missing_counts
        Weight of each class in the rows of the current node that lack the current feature.
    best, best_feature, best_threshold, best_missing
        Best split of the current node so far, and where it sends missing values: 1 for left, 0
        for right, -1 if no row lacks the feature.
    group_start, share, by_share
        First row of each code of the current nominal column, the share of the second class in its
        rows, and the codes in the order in which they join the left side.
    sides
        For each code, its side in the best nominal split: 1 for left, 2 for right, 0 if no row of
        the node has it.
    """

    def __init__(self, X, order, y, w, nominal, n_codes, n_classes, min_samples_leaf):
        super().__init__(X, order, y, w, nominal)
        self.min_samples_leaf = max(1, min_samples_leaf)
        n_binary = self.binary.shape[0]
        self.constant_at = np.empty(self.many.shape[0], dtype=np.int32)
        counts: cython.double[:, ::1] = np.empty((3, n_classes))
        self.counts = counts[0]
        self.left_counts = counts[1]
        self.missing_counts = counts[2]
        self.rare_rows = np.zeros(n_binary, dtype=np.int32)
        self.rare_counts = np.zeros((n_binary, n_classes))
        n_rows = self.X.shape[0] if n_codes else 0
        self.group_start = np.empty(n_rows + 1, dtype=np.int32)
        self.by_share = np.empty(n_rows, dtype=np.int32)
        self.share = np.empty(n_rows)
        self.sides = np.zeros(n_codes, dtype=np.uint8)
        self.two = self.whole and n_classes == 2
        self.second = np.empty(self.X.shape[0] if self.two else 0)
        for i in range(self.second.shape[0]):
            self.second[i] = self.w[i] * self.y[i]

    def begin(self):
        """Mark all columns as not constant before a new root is split."""
        self.constant_at[:] = NEVER

    def count(self, start, end):
        """Sum the class weights of the node; `find_split` requires them."""
        self.counts[:] = 0.0
        for i in range(start, end):
            row = self.rows[i]
            self.counts[self.y[row]] += self.w[row]

    def find_split(self, start, end, depth):
        """Store the best split of the node; `best_feature` is -1 if no split has a gain."""
        weight: cython.double = 0.0
        squares: cython.double = 0.0
        for c in range(self.counts.shape[0]):
            weight += self.counts[c]
            squares += self.counts[c] * self.counts[c]
        # Maximizing sum l_c^2 / l + sum r_c^2 / r minimizes the weighted Gini impurity. A split
        # must exceed the value of the unsplit node by a relative 1e-12, far above the rounding
        # error of these sums, so that a gain of exactly 0 never causes a split.
        self.best = squares / weight * (1 + 1e-12)
        self.best_feature = -1
        for k in range(self.many.shape[0]):
            if self.constant_at[k] < depth:
                continue
            low: cython.double = self.values[k, self.lists[k, start]]
            high: cython.double = self.values[k, self.lists[k, end - 1]]
            # nan is sorted last: if the lowest value is nan, the node has no value of this feature.
            if low == high or low != low:
                self.constant_at[k] = depth
                continue
            self.constant_at[k] = NEVER
            if self.nominal[self.many[k]]:
                self.scan_nominal(k, start, end)
            elif high != high:
                self.scan_with_gaps(k, start, end)
            elif self.two:
                self.scan_two(k, start, end, weight, squares)
            else:
                self.scan_sorted(k, start, end, weight, squares)
        if self.binary.shape[0] > 0:
            self.scan_binary(start, end)

    def scan_sorted(self, k, start, end, weight, squares):
        """Try all thresholds of a sorted column while its rows move from right to left.

        With integer weights, a comparison of products rules out most positions without a division.
        Only positions that may be better than the best are checked for a change of the value. The
        tolerance 1e-14 covers the rounding of the comparison: no better split is lost.
        """
        n_classes: cython.Py_ssize_t = self.counts.shape[0]
        left_weight: cython.double = 0.0
        left_squares: cython.double = 0.0
        right_squares: cython.double = squares
        best: cython.double = self.best
        bar: cython.double = best * (1 - 1e-14)
        whole: cython.bint = self.whole
        first: cython.Py_ssize_t = start + self.min_samples_leaf - 1
        cut: cython.Py_ssize_t = -1
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
                cut = i
        self.note_cut(k, best, cut)

    def scan_two(self, k, start, end, weight, squares):
        """Fast version of `scan_sorted` for two classes and integer weights.

        Let l and r be the weights of the sides, a the weight of the second class on the left and b
        its weight in the node. The gain is then ``2 (a (l + r) - b l)**2 / (l r (l + r))``.
        Positions that cannot be better than the best, up to a relative tolerance of 1e-14 for
        rounding, are skipped. For all others the same numbers are computed as in `scan_sorted`.
        """
        left_weight: cython.double = 0.0
        left_second: cython.double = 0.0
        total: cython.double = self.counts[1]
        best: cython.double = self.best
        bar: cython.double = (best * (1 - 1e-14) - squares / weight) * weight / 2
        first: cython.Py_ssize_t = start + self.min_samples_leaf - 1
        cut: cython.Py_ssize_t = -1
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
                cut = i
        self.note_cut(k, best, cut)

    def note_cut(self, k, best, cut):
        """Store the best threshold of a column, behind position `cut`; -1 if none is better."""
        if cut >= 0:
            self.best = best
            self.best_feature = self.many[k]
            self.best_threshold = midpoint(
                self.values[k, self.lists[k, cut]], self.values[k, self.lists[k, cut + 1]]
            )
            self.best_missing = NO_MISSING

    def scan_with_gaps(self, k, start, end):
        """Try all thresholds of a column with missing values, which may go to either side.

        The last candidate separates present values (left) from missing ones (right).
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
                    self.best_threshold = INF if following == INF else midpoint(x, following)
                    self.best_missing = side

    def scan_nominal(self, k, start, end):
        """Try groups of codes as the left side of a nominal column.

        With two classes, these are the codes with the smallest shares of the second class: one of
        these groups is the best of all (Breiman et al. 1984, theorem 4.5). With more classes, they
        are single codes. If values are missing, the last candidate separates present values (left)
        from missing ones (right).
        """
        two: cython.bint = self.counts.shape[0] == 2
        known: cython.Py_ssize_t = end
        best: cython.Py_ssize_t = -1
        n_left: cython.Py_ssize_t = 0
        self.missing_counts[:] = 0.0
        self.left_counts[:] = 0.0
        while self.values[k, self.lists[k, known - 1]] != self.values[k, self.lists[k, known - 1]]:
            known -= 1
        for i in range(known, end):
            row: cython.Py_ssize_t = self.lists[k, i]
            self.missing_counts[self.y[row]] += self.w[row]
        n_groups = self.find_groups(k, start, known)
        for r in range(n_groups + (0 if two else 1)):
            first: cython.Py_ssize_t = start
            last: cython.Py_ssize_t = known
            if r < n_groups:
                first = self.group_start[self.by_share[r]]
                last = self.group_start[self.by_share[r] + 1]
            if not two:
                self.left_counts[:] = 0.0
                n_left = 0
            for i in range(first, last):
                row = self.lists[k, i]
                self.left_counts[self.y[row]] += self.w[row]
            n_left += last - first
            n_right: cython.Py_ssize_t = known - start - n_left
            if known < end:
                side: cython.int = self.better_side(n_left, n_right, end - known)
            else:
                side = 0 if min(n_left, n_right) >= self.min_samples_leaf else -1
            if side < 0:
                continue
            quality: cython.double = self.quality(side)
            if quality > self.best:
                self.best = quality
                self.best_feature = self.many[k]
                self.best_threshold = 0.0
                self.best_missing = side if known < end else NO_MISSING
                best = r
        if best >= 0:
            self.note_sides(k, n_groups, best)

    def find_groups(self, k, start, known):
        """Find the rows of each code, and the order of the codes; return the number of codes."""
        n_groups: cython.Py_ssize_t = 0
        weight: cython.double = 0.0
        second: cython.double = 0.0
        for i in range(start, known):
            row: cython.Py_ssize_t = self.lists[k, i]
            if i == start or self.values[k, row] != self.values[k, self.lists[k, i - 1]]:
                self.group_start[n_groups] = i
                n_groups += 1
                weight = second = 0.0
            weight += self.w[row]
            second += self.w[row] * self.y[row]
            self.share[n_groups - 1] = second / weight
        self.group_start[n_groups] = known
        for g in range(n_groups):
            at: cython.Py_ssize_t = g
            if self.counts.shape[0] == 2:
                while at > 0 and self.share[self.by_share[at - 1]] > self.share[g]:
                    self.by_share[at] = self.by_share[at - 1]
                    at -= 1
            self.by_share[at] = g
        return n_groups

    def note_sides(self, k, n_groups, best):
        """Store the side of each code for the candidate number `best`."""
        self.sides[:] = 0
        for r in range(n_groups):
            row: cython.Py_ssize_t = self.lists[k, self.group_start[self.by_share[r]]]
            code: cython.Py_ssize_t = cython.cast(cython.Py_ssize_t, self.values[k, row])
            left: cython.bint = r == best or best == n_groups
            if self.counts.shape[0] == 2:
                left = r <= best
            self.sides[code] = 1 if left else 2

    def divide_by_code(self, start, end):
        """Divide the rows of the node by a nominal split; return the start of the right side."""
        for i in range(start, end):
            row: cython.Py_ssize_t = self.rows[i]
            x: cython.double = self.X[row, self.best_feature]
            if x != x:
                self.goes_left[row] = self.best_missing == 1
            else:
                self.goes_left[row] = self.sides[cython.cast(cython.Py_ssize_t, x)] == 1
        return self.divide(self.many.shape[0], start, end)

    def better_side(self, n_left, n_right, n_missing):
        """Return the better side for missing values: 1 for left, 0 for right, -1 for neither.

        `n_left` and `n_right` are the numbers of rows that have the feature. A side is allowed if
        both children then have `min_samples_leaf` rows. On equal gains the heavier side is
        returned.
        """
        least: cython.Py_ssize_t = self.min_samples_leaf
        right: cython.bint = n_left >= least and n_right + n_missing >= least
        left: cython.bint = n_right > 0 and n_left + n_missing >= least and n_right >= least
        if not (left and right):
            return 1 if left else (0 if right else -1)
        gain: cython.double = self.quality(1) - self.quality(0)
        if gain != 0.0:
            return gain > 0.0
        return heavier_left(self.left_counts, self.missing_counts, self.counts)

    def quality(self, missing_left):
        """Return the criterion of a split by `left_counts`; missing rows may go left."""
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
        """Try the single threshold of each binary column."""
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
                self.best_missing = NO_MISSING
                low: cython.double = self.X[self.order[f, 0], f]
                self.best_threshold = midpoint(low, self.X[self.order[f, last], f])

    def divide_columns(self, start, end):
        """Divide the sorted columns in the same way as the rows.

        The column of the split feature is already in the right order, unless it is nominal or its
        missing values, which are sorted last, go left.
        """
        for k in range(self.many.shape[0]):
            in_order: cython.bint = self.many[k] == self.best_feature and self.best_missing != 1
            in_order = in_order and not self.nominal[self.many[k]]
            if self.constant_at[k] == NEVER and not in_order:
                self.divide(k, start, end)
