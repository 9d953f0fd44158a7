# cython: infer_types=True
"""Gradient boosting on binned columns: growing a tree, and the scores of many trees.

A row's value of a column is a bin. A numeric column with edges ``e_0 < e_1 < ...`` has one bin more
than edges, and a value the bin of the first edge that is not below it; a nominal column has a bin
for each of its codes. The bin after the last holds missing values, and codes without a bin.

Trees are stored in flat arrays: `feature`, `child` (left, right) and `bins`, 256 bits that state
which bins go left, for each split, and `value` for each leaf. Child c is split c if c >= 0, else
leaf ~c.
"""

import cython
import numpy as np
from cython.cimports.libc.math import exp

BLOCK = cython.declare(cython.int, 64)  # rows that descend a tree together
LEAST_HESSIAN = cython.declare(cython.double, 1e-3)  # of each side of a split
# Rows that a category needs to be sorted among others, and rows of gradient 0 added to each.
SUPPORT = cython.declare(cython.double, 10.0)
SURELY = cython.declare(cython.double, 1 - 1e-9)
# Below this score, 1 + exp(score) is 1, and exp(-score) might overflow.
LOWEST_SCORE = cython.declare(cython.double, -37.0)


def bin_rows(X, edges, first, nominal):
    """Return the bin of each value.

    Parameters
    ----------
    X : float64 array (n, d)
    edges : float64 array
        Edges of numeric columns and codes of nominal ones, ascending, column after column.
    first : int32 array (d + 1,)
        The positions in `edges` at which columns begin; the last entry is the end.
    nominal : uint8 array (d,)
        Which columns are nominal.

    Returns
    -------
    bins : uint8 array (n, d)

    Examples
    --------
    >>> X = np.array([[0.5, 3.0], [0.7, 4.0], [9.0, 5.0], [np.nan, np.nan]])
    >>> first, nominal = np.array([0, 1, 3], dtype=np.int32), np.array([0, 1], dtype=np.uint8)
    >>> bin_rows(X, np.array([0.6, 3.0, 5.0]), first, nominal)
    array([[0, 0],
           [1, 2],
           [1, 1],
           [2, 2]], dtype=uint8)
    """
    rows: cython.const[cython.double][:, ::1] = X
    edge: cython.const[cython.double][::1] = edges
    begins: cython.const[cython.int][::1] = first
    is_nominal: cython.const[cython.uchar][::1] = nominal
    result = np.empty(X.shape, dtype=np.uint8)
    bins: cython.uchar[:, ::1] = result
    with cython.nogil:
        for i in range(rows.shape[0]):
            for f in range(rows.shape[1]):
                x = rows[i, f]
                at: cython.Py_ssize_t = begins[f]
                n: cython.Py_ssize_t = begins[f + 1] - at
                missing: cython.Py_ssize_t = n if is_nominal[f] else n + 1
                # Halving without branches, which would be mispredicted half of the time.
                while n > 1:
                    half = n >> 1
                    at += half if edge[at + half - 1] < x else 0
                    n -= half
                if n == 1 and edge[at] < x:
                    at += 1
                found: cython.bint = x == x
                if found and is_nominal[f]:
                    found = at < begins[f + 1] and edge[at] == x
                bins[i, f] = at - begins[f] if found else missing
    return result


def gradients(raw, y, w, out):
    """Write gradient and hessian of each row's log loss, as float32.

    Parameters
    ----------
    raw : float64 array (k, n)
        Scores: the log-odds of class 1 if k is 1, else a score for each class.
    y : int array (n,)
        Class codes.
    w : float64 array (n,)
        Row weights.
    out : complex64 array (k, n)
        The gradient as real part, the hessian as imaginary part.
    """
    score: cython.double[:, ::1] = raw
    label: cython.const[cython.Py_ssize_t][::1] = y
    weight: cython.const[cython.double][::1] = w
    slopes: cython.float[:, :, ::1] = out.view(np.float32).reshape(*out.shape, 2)
    probas: cython.double[::1] = np.empty(score.shape[0])
    with cython.nogil:
        for i in range(score.shape[1]):
            if score.shape[0] == 1:
                x = score[0, i]
                if x > LOWEST_SCORE:
                    e = exp(-x)
                    g = ((1 - label[i]) - label[i] * e) / (1 + e)
                    h = e / ((1 + e) * (1 + e))
                else:
                    h = exp(x)
                    g = h - label[i]
                slopes[0, i, 0] = g * weight[i]
                slopes[0, i, 1] = h * weight[i]
            else:
                _softmax(score, i, probas)
                for k in range(score.shape[0]):
                    p = probas[k]
                    slopes[k, i, 0] = (p - (1.0 if label[i] == k else 0.0)) * weight[i]
                    slopes[k, i, 1] = (p * (1.0 - p)) * weight[i]


def probabilities(raw):
    """Return the class probabilities of scores.

    Parameters
    ----------
    raw : float64 array (k, n)
        As in `gradients`.

    Returns
    -------
    probas : float64 array (n, max(k, 2))

    Examples
    --------
    >>> probabilities(np.array([[0.0, 40.0]])).round(3)
    array([[0.5, 0.5],
           [0. , 1. ]])
    """
    score: cython.double[:, ::1] = raw
    k = score.shape[0]
    result = np.empty((score.shape[1], max(k, 2)))
    probas: cython.double[:, ::1] = result
    with cython.nogil:
        for i in range(score.shape[1]):
            if k == 1:
                x = score[0, i]
                e = exp(-x if x > 0 else x)
                probas[i, 1] = 1 / (1 + e) if x > 0 else e / (1 + e)
                probas[i, 0] = 1 - probas[i, 1]
            else:
                _softmax(score, i, probas[i])
    return result


def _softmax(score, i, out):
    """Write the class probabilities of row `i`."""
    highest: cython.double = score[0, i]
    for k in range(1, score.shape[0]):
        highest = max(highest, score[k, i])
    total: cython.double = 0.0
    for k in range(score.shape[0]):
        out[k] = exp(score[k, i] - highest)
        total += out[k]
    for k in range(score.shape[0]):
        out[k] /= total


def add_trees(trees, bins, raw):
    """Add the leaf values of all trees to the scores of rows; tree t belongs to score ``t % k``.

    Parameters
    ----------
    trees : tuple of arrays
        ``(root, feature, child, bins, value)``; `root` has an entry per tree, coded as a child.
    bins : uint8 array (n, d)
    raw : float64 array (k, n)
    """
    root: cython.const[cython.int][::1] = trees[0]
    feature: cython.const[cython.int][::1] = trees[1]
    child: cython.const[cython.int][:, ::1] = trees[2]
    left: cython.const[cython.uint][:, ::1] = trees[3]
    value: cython.const[cython.double][::1] = trees[4]
    rows: cython.const[cython.uchar][:, ::1] = bins
    score: cython.double[:, ::1] = raw
    place: cython.int[::1] = np.empty(BLOCK, dtype=np.int32)
    active: cython.int[::1] = np.empty(BLOCK, dtype=np.int32)
    with cython.nogil:
        for k in range((rows.shape[0] + BLOCK - 1) // BLOCK):
            start = k * BLOCK
            size: cython.Py_ssize_t = min(rows.shape[0] - start, BLOCK)
            for t in range(root.shape[0]):
                n_active: cython.Py_ssize_t = size if root[t] >= 0 else 0
                for j in range(size):
                    place[j] = root[t]
                    active[j] = j
                while n_active > 0:
                    kept: cython.Py_ssize_t = 0
                    for a in range(n_active):
                        i: cython.Py_ssize_t = active[a]
                        node: cython.int = place[i]
                        b: cython.int = rows[start + i, feature[node]]
                        right: cython.Py_ssize_t = 1 - ((left[node, b >> 5] >> (b & 31)) & 1)
                        node = child[node, right]
                        place[i] = node
                        active[kept] = i
                        kept += 1 if node >= 0 else 0
                    n_active = kept
                for j in range(size):
                    score[t % score.shape[0], start + j] += value[~place[j]]


def _add_rows(rows, begin, end, bins, start, slopes, sums, counts, counting):
    """Add rows to the sums of all columns' bins and, if `counting`, to their counts."""
    d = bins.shape[1]
    for i in range(begin, end):
        row = rows[i]
        slope: cython.doublecomplex = slopes[row]
        for f in range(d):
            at = start[f] + bins[row, f]
            sums[at] += slope
            if counting:
                counts[at] += 1


@cython.cclass
class TreeGrower:
    """Grows trees of the same rows, best leaf first.

    Node 0 is the root; the k-th split makes nodes 2k + 1 and 2k + 2. A node that may be split has a
    slot, which is a place for the sums of gradients and hessians, and for the counts, of all bins.
    The smaller child's are added up row by row; those of the larger one are the difference.

    Parameters
    ----------
    bins : uint8 array (n, d)
        Bins of the rows.
    n_bins : int32 array (d,)
        Number of bins of each column, without that of missing values.
    nominal : uint8 array (d,)
    max_leaf_nodes, max_depth, min_samples_leaf : int
        Limits; a depth of -1 means no limit. A tree has at most n // min_samples_leaf leaves.
    l2 : float
        Added to the hessian of a leaf.
    """

    def __init__(self, bins, n_bins, nominal, max_leaf_nodes, max_depth, min_samples_leaf, l2):
        n, d = bins.shape
        integers, words = np.empty((0, 2), dtype=np.int32), np.empty((0, 8), dtype=np.uint32)
        self.trees = [(integers[:, 0], integers[:, 0], integers, words, np.empty(0))]
        self.n_splits_before = self.n_leaves_before = 0
        self.bins, self.n_bins, self.nominal = bins, n_bins, nominal
        self.max_leaf_nodes, self.max_depth = max_leaf_nodes, max_depth
        self.min_samples_leaf, self.l2 = min_samples_leaf, l2
        # If gains are equal, nominal columns are preferred, as in scikit-learn.
        self.order = np.argsort(np.logical_not(nominal), kind="stable").astype(np.int32)
        start = np.concatenate([[0], np.cumsum(n_bins + 1)]).astype(np.int32)
        self.start, self.total = start, int(start[d])
        counts = [np.bincount(bins[:, f], minlength=n_bins[f] + 1) for f in range(d)]
        root_counts = np.concatenate(counts).astype(np.int32)
        self.root_counts = root_counts
        self.has_missing = (root_counts[start[1:] - 1] > 0).astype(np.uint8)
        self.rows, self.spare = np.empty(n, dtype=np.int32), np.empty(n, dtype=np.int32)
        # A node that may be split has two leaves' rows; a smaller one needs a slot for a moment.
        n_slots = min(max_leaf_nodes, n // (2 * min_samples_leaf)) + 1
        self.sums = np.empty(n_slots * self.total, dtype=complex)
        self.counts = np.empty(n_slots * self.total, dtype=np.int32)
        self.free = np.empty(n_slots, dtype=np.int32)
        self.filled, self.ratio = np.empty(256, dtype=np.int32), np.empty(256)
        n_nodes = 2 * max_leaf_nodes - 1
        whole, real = np.empty((6, n_nodes), dtype=np.int32), np.empty((6, n_nodes))
        self.begin, self.end, self.depth, self.slot, self.feature, self.code = whole
        self.sum_g, self.sum_h, self.value, self.gain, self.left_g, self.left_h = real
        self.goes_left = np.zeros((n_nodes, 256), dtype=np.uint8)

    def grow(self, slopes, allowed, rate, raw):
        """Grow a tree, add its leaf values to the scores, and return its number of splits.

        Parameters
        ----------
        slopes : complex64 array (n,)
            Gradient and hessian of each row, as written by `gradients`.
        allowed : uint8 array (2 * max_leaf_nodes - 1, d)
            The columns on which each node may be split.
        rate : float
            Learning rate.
        raw : float64 array (n,)
            Scores.
        """
        self.slopes, self.allowed = slopes, allowed
        score: cython.double[::1] = raw
        step: cython.double = rate
        with cython.nogil:
            self._grow()
            n_nodes = 2 * self.n_splits + 1
            for node in range(n_nodes):
                if self.code[node] >= 0:
                    self.code[node] += self.n_splits_before
                else:
                    self.code[node] = ~self.n_leaves_before
                    self.n_leaves_before += 1
                    self.value[node] *= step
                    for i in range(self.begin[node], self.end[node]):
                        score[self.rows[i]] += self.value[node]
            self.n_splits_before += self.n_splits
        code, feature = np.array(self.code)[:n_nodes], np.asarray(self.feature)[:n_nodes]
        inner = np.flatnonzero(code >= 0)
        inner = inner[np.argsort(code[inner])]
        bits = np.packbits(np.asarray(self.goes_left)[inner], axis=1, bitorder="little")
        leaves = np.asarray(self.value)[:n_nodes][code < 0]
        tree = code[:1], feature[inner], code[1:].reshape(-1, 2), bits.view(np.uint32), leaves
        self.trees.append(tree)
        return self.n_splits

    def forest(self):
        """Return the arrays of all trees, as `add_trees` takes them."""
        return [np.concatenate(part) for part in zip(*self.trees)]

    def _grow(self):
        self._begin_root()
        n_leaves: cython.Py_ssize_t = 1
        while n_leaves < self.max_leaf_nodes:
            best: cython.Py_ssize_t = 0
            for node in range(1, 2 * self.n_splits + 1):
                if self.gain[node] > self.gain[best]:
                    best = node
            if self.gain[best] <= 0:
                break
            self._split(best)
            n_leaves += 1

    def _begin_root(self):
        n = self.rows.shape[0]
        for i in range(n):
            self.rows[i] = i
        self.n_free = self.free.shape[0]
        for k in range(self.n_free):
            self.free[k] = k
        self.n_splits = 0
        self.begin[0] = 0
        self.end[0] = n
        self.depth[0] = 0
        self.value[0] = 0.0
        self.gain[0] = 0.0
        self.code[0] = -1
        if n < 2 * self.min_samples_leaf:
            return
        slot = self._take_slot()
        self.slot[0] = slot
        shift = slot * self.total
        self.counts[shift : shift + self.total] = self.root_counts  # the same in every tree
        _add_rows(
            self.rows, 0, n, self.bins, self.start, self.slopes, self.sums[shift:],
            self.counts[shift:], False,
        )  # fmt: skip
        g: cython.double = 0.0
        h: cython.double = 0.0
        first = self.order[0]
        for at in range(shift + self.start[first], shift + self.start[first + 1]):
            g += self.sums[at].real
            h += self.sums[at].imag
        self.sum_g[0] = g
        self.sum_h[0] = h
        if h >= LEAST_HESSIAN:
            self._search(0)

    def _take_slot(self):
        """Return a free slot, filled with zeros."""
        self.n_free -= 1
        slot: cython.Py_ssize_t = self.free[self.n_free]
        shift = slot * self.total
        for at in range(shift, shift + self.total):
            self.sums[at] = 0.0
        for at in range(shift, shift + self.total):
            self.counts[at] = 0
        return slot

    def _release(self, node):
        """Free the slot of a node."""
        self.free[self.n_free] = self.slot[node]
        self.n_free += 1

    def _split(self, node):
        """Split a node as `_search` found best, and search the children."""
        left: cython.Py_ssize_t = 2 * self.n_splits + 1
        self.code[node] = self.n_splits
        self.n_splits += 1
        middle = self._divide_rows(node)
        is_last: cython.bint = self.n_splits + 1 == self.max_leaf_nodes
        may_split: cython.bint = False
        for child in range(left, left + 2):
            self.begin[child] = self.begin[node] if child == left else middle
            self.end[child] = middle if child == left else self.end[node]
            self.depth[child] = self.depth[node] + 1
            g = self.left_g[node]
            h = self.left_h[node]
            if child > left:
                g = self.sum_g[node] - g
                h = self.sum_h[node] - h
            self.sum_g[child] = g
            self.sum_h[child] = h
            self.value[child] = self._value(g, h)
            self.code[child] = -1
            self.gain[child] = 0.0
            enough: cython.bint = self.end[child] - self.begin[child] >= 2 * self.min_samples_leaf
            may_split = may_split or enough
        self.gain[node] = 0.0
        if is_last or not may_split or self.depth[left] == self.max_depth:
            self._release(node)
            return
        small = left if middle - self.begin[node] < self.end[node] - middle else left + 1
        large: cython.Py_ssize_t = 2 * left + 1 - small
        self.slot[small] = self._take_slot()
        self.slot[large] = self.slot[node]
        at = self.slot[small] * self.total
        into = self.slot[large] * self.total
        _add_rows(
            self.rows, self.begin[small], self.end[small], self.bins, self.start, self.slopes,
            self.sums[at:], self.counts[at:], True,
        )  # fmt: skip
        for k in range(self.total):
            self.sums[into + k] -= self.sums[at + k]
            self.counts[into + k] -= self.counts[at + k]
        for child in range(left, left + 2):
            if self.end[child] - self.begin[child] >= 2 * self.min_samples_leaf:
                self._search(child)
            if self.gain[child] <= 0:
                self._release(child)

    def _divide_rows(self, node):
        """Move the rows that go right behind the others; return where they begin."""
        f = self.feature[node]
        to: cython.Py_ssize_t = self.begin[node]
        n_right: cython.Py_ssize_t = 0
        for i in range(self.begin[node], self.end[node]):
            row = self.rows[i]
            left: cython.int = 1 if self.goes_left[node, self.bins[row, f]] else 0
            self.rows[to] = row
            self.spare[n_right] = row
            to += left
            n_right += 1 - left
        for i in range(n_right):
            self.rows[to + i] = self.spare[i]
        return to

    def _value(self, g, h):
        """Return the value of a leaf."""
        return -g / (h + self.l2 + 1e-15)

    def _search(self, node):
        """Find the best split of a node."""
        for k in range(self.order.shape[0]):
            f = self.order[k]
            if self.allowed[node, f]:
                if self.nominal[f]:
                    self._search_nominal(node, f)
                else:
                    self._search_numeric(node, f)

    def _gain(self, node, g, h, right_g, right_h):
        """Return the gain of a split."""
        gain = self.sum_g[node] * self.value[node]
        gain -= g * self._value(g, h)
        gain -= right_g * self._value(right_g, right_h)
        return gain

    def _search_numeric(self, node, f):
        """Try the edges of a column, with missing values on the right and then on the left."""
        base = self.slot[node] * self.total + self.start[f]
        n_rows: cython.Py_ssize_t = self.end[node] - self.begin[node]
        n_filled: cython.Py_ssize_t = 0
        for b in range(self.n_bins[f]):
            self.filled[n_filled] = b
            n_filled += 1 if self.counts[base + b] > 0 else 0
        missing: cython.bint = self.counts[base + self.n_bins[f]] > 0
        total_g = self.sum_g[node]
        total_h = self.sum_h[node]
        best = self.gain[node]
        # Most splits are ruled out without a division, at a gain that is surely below the best.
        least: cython.double = (best - total_g * self.value[node]) * SURELY
        cut: cython.Py_ssize_t = -1
        missing_left: cython.bint = False
        n: cython.Py_ssize_t = 0
        g: cython.double = 0.0
        h: cython.double = 0.0
        for k in range(n_filled if missing else n_filled - 1):
            at = base + self.filled[k]
            n += self.counts[at]
            g += self.sums[at].real
            h += self.sums[at].imag
            if n < self.min_samples_leaf or h < LEAST_HESSIAN:
                continue
            if n_rows - n < self.min_samples_leaf or total_h - h < LEAST_HESSIAN:
                break
            right_g = total_g - g
            right_h = total_h - h
            left = h + self.l2
            right = right_h + self.l2
            if g * g * right + right_g * right_g * left < least * (left * right):
                continue
            gain = self._gain(node, g, h, right_g, right_h)
            if gain > best:
                best = gain
                least = (best - total_g * self.value[node]) * SURELY
                cut = self.filled[k]
                self.left_g[node] = g
                self.left_h[node] = h
                missing_left = 2 * n > n_rows and not self.has_missing[f]
        n = 0
        g = h = 0.0
        for k in range(n_filled - 1 if missing else 0, 0, -1):
            at = base + self.filled[k]
            n += self.counts[at]
            g += self.sums[at].real
            h += self.sums[at].imag
            if n < self.min_samples_leaf or h < LEAST_HESSIAN:
                continue
            if n_rows - n < self.min_samples_leaf or total_h - h < LEAST_HESSIAN:
                break
            gain = self._gain(node, total_g - g, total_h - h, g, h)
            if gain > best:
                best = gain
                cut = self.filled[k] - 1
                self.left_g[node] = total_g - g
                self.left_h[node] = total_h - h
                missing_left = True
        if cut >= 0:
            self.gain[node] = best
            self.feature[node] = f
            self.goes_left[node, :] = 0
            self.goes_left[node, : cut + 1] = 1
            self.goes_left[node, self.n_bins[f]] = missing_left

    def _search_nominal(self, node, f):
        """Try the first and the last categories, sorted by their sums of gradients."""
        base = self.slot[node] * self.total + self.start[f]
        n_rows: cython.Py_ssize_t = self.end[node] - self.begin[node]
        total_g = self.sum_g[node]
        total_h = self.sum_h[node]
        per_row = n_rows / total_h
        n_used: cython.Py_ssize_t = 0
        for b in range(self.n_bins[f] + 1):
            h: cython.double = self.sums[base + b].imag
            if self.counts[base + b] > 0 and h * per_row >= SUPPORT:
                ratio = self.sums[base + b].real / (h + SUPPORT)
                k: cython.Py_ssize_t = n_used
                while k > 0 and self.ratio[k - 1] >= ratio:
                    self.ratio[k] = self.ratio[k - 1]
                    self.filled[k] = self.filled[k - 1]
                    k -= 1
                self.ratio[k] = ratio
                self.filled[k] = b
                n_used += 1
        if n_used < 2:
            return
        best = self.gain[node]
        n_chosen: cython.Py_ssize_t = 0
        from_end: cython.bint = False
        missing_left: cython.bint = False
        for backward in range(2):
            n: cython.Py_ssize_t = 0
            g: cython.double = 0.0
            h = 0.0
            for j in range((n_used + 1) // 2 - backward):
                at = base + self.filled[n_used - 1 - j if backward else j]
                n += self.counts[at]
                g += self.sums[at].real
                h += self.sums[at].imag
                if n < self.min_samples_leaf or h < LEAST_HESSIAN:
                    continue
                if n_rows - n < self.min_samples_leaf or total_h - h < LEAST_HESSIAN:
                    break
                gain = self._gain(node, g, h, total_g - g, total_h - h)
                if gain > best:
                    best = gain
                    n_chosen = j + 1
                    from_end = backward
                    self.left_g[node] = g
                    self.left_h[node] = h
                    missing_left = 2 * n > n_rows and not self.has_missing[f]
        if n_chosen > 0:
            self.gain[node] = best
            self.feature[node] = f
            self.goes_left[node, :] = 0
            self.goes_left[node, self.n_bins[f]] = missing_left
            for j in range(n_chosen):
                self.goes_left[node, self.filled[n_used - 1 - j if from_end else j]] = 1
