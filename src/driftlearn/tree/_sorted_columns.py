# cython: infer_types=True
"""Presorted columns of a chunk while a tree is grown on it.

Every column is sorted once per chunk (`driftlearn.base._presort`). A split partitions the sorted
lists of rows stably [1]_, so that a level of the tree costs O(n d) and no node sorts anything.
Binary columns need no order: only the rows with the rarer value are stored, and a node counts
them in one pass over its rows.

References
----------
.. [1] M. Mehta, R. Agrawal, J. Rissanen: SLIQ: A fast scalable classifier for data mining.
   EDBT 1996.
"""

import cython
import numpy as np
from cython.cimports.libc.math import floor

# Integer weights with a sum below 2^26 have squared sums below 2^52, which float64 represents
# exactly, so the order of summation does not matter.
EXACT = cython.declare(cython.double, 2.0**26)


@cython.cclass
class Columns:
    """Rows and columns of a chunk; a node owns the segment ``[start, end)`` of every list.

    `fill_lists` starts a new tree; one object serves any number of trees on the same chunk.

    Parameters
    ----------
    X, order, y, w, nominal
        As in `driftlearn.tree._grow_tree.grow`.

    Attributes
    ----------
    whole
        Whether sums of the weights and of their squares are exact in any order.
    lists, rows
        For each column with more than two values, the rows of every node by ascending value, nan
        last. The last list, `rows`, contains the rows of every node in their original order.
    many, values
        The features with such columns, and their values. Columns with missing values and nominal
        columns are always included.
    binary, rare, rare_start
        Features with two values; ``rare[rare_start[row]:rare_start[row + 1]]`` lists the features
        (as indices into `binary`) for which the row has the rarer value.
    """

    def __init__(self, X, order, y, w, nominal):
        self.X = X
        self.nominal = nominal
        self.order = order
        self.y = np.ascontiguousarray(y, dtype=np.int32)
        self.w = w
        self.whole = _are_whole(self.w)
        n = self.X.shape[0]
        d = self.X.shape[1]
        kept: cython.int[:, ::1] = np.empty((d, 2), dtype=np.int32)
        n_many: cython.Py_ssize_t = 0
        n_binary: cython.Py_ssize_t = 0
        n_rare: cython.Py_ssize_t = 0
        for f in range(d):
            length = self.choose_kept(f, kept[f])
            if length == n:
                n_many += 1
            elif length > 0:
                n_binary += 1
                n_rare += length
        self.lists = np.empty((n_many + 1, n), dtype=np.int32)
        self.rows = self.lists[n_many]
        work: cython.int[:, ::1] = np.empty((2, n), dtype=np.int32)
        self.goes_left = work[0]
        self.spare = work[1]
        self.many = np.empty(n_many, dtype=np.int32)
        self.values = np.empty((n_many, n))
        self.binary = np.empty(n_binary, dtype=np.int32)
        self.rare = np.empty(n_rare, dtype=np.int32)
        self.rare_start = np.zeros(n + 1, dtype=np.int32)
        with cython.nogil:
            self.lay_out(kept)

    def choose_kept(self, f, kept):
        """Choose the part of a sorted column to store: nothing, its rarer value, or all rows."""
        n: cython.int = self.X.shape[0]
        start: cython.int = 0
        end: cython.int = n - 1
        low = self.X[self.order[f, start], f]
        high = self.X[self.order[f, end], f]
        kept[0] = 0
        kept[1] = 0 if low == high else n
        if high != high or (self.nominal[f] and low != high):
            return n
        # Binary search for the end of the lowest value; it stops at a third value.
        while self.whole and end - start > 1:
            middle = (start + end) // 2
            x = self.X[self.order[f, middle], f]
            if x != low and x != high:
                return n
            if x == low:
                start = middle
            else:
                end = middle
        if self.whole and low != high:
            kept[0] = 0 if 2 * end <= n else end
            kept[1] = end if 2 * end <= n else n
        return kept[1] - kept[0]

    def lay_out(self, kept):
        """Copy the values of columns, and store for each row the columns with the rarer value."""
        n: cython.int = self.X.shape[0]
        many: cython.Py_ssize_t = 0
        binary: cython.Py_ssize_t = 0
        for f in range(self.X.shape[1]):
            if kept[f, 1] - kept[f, 0] == n:
                self.many[many] = f
                for i in range(n):
                    self.values[many, i] = self.X[i, f]
                many += 1
            elif kept[f, 1] > 0:
                self.binary[binary] = f
                binary += 1
                for i in range(kept[f, 0], kept[f, 1]):
                    self.rare_start[self.order[f, i]] += 1
        for i in range(n):
            self.rare_start[i + 1] += self.rare_start[i]
        for k in range(binary):
            f = self.binary[k]
            for i in range(kept[f, 0], kept[f, 1]):
                row = self.order[f, i]
                self.rare_start[row] -= 1
                self.rare[self.rare_start[row]] = k

    def fill_lists(self):
        """Put all rows into one node, the root of a new tree."""
        for k in range(self.many.shape[0]):
            self.lists[k, :] = self.order[self.many[k]]
        for i in range(self.rows.shape[0]):
            self.rows[i] = i

    def divide_rows(self, f, threshold, missing_left, start, end):
        """Divide the rows of the node by a split; return the start of the right side."""
        for i in range(start, end):
            row: cython.Py_ssize_t = self.rows[i]
            self.goes_left[row] = self.X[row, f] <= threshold
        if missing_left:
            for i in range(start, end):
                row = self.rows[i]
                self.goes_left[row] |= self.X[row, f] != self.X[row, f]
        return self.divide(self.many.shape[0], start, end)

    def divide(self, k, start, end):
        """Divide the node's segment of a list stably, left before right; return the middle."""
        middle: cython.Py_ssize_t = start
        spared: cython.Py_ssize_t = 0
        # Both targets are written for every row, but only one position advances: this avoids a
        # branch that processors cannot predict.
        for i in range(start, end):
            row: cython.int = self.lists[k, i]
            left: cython.int = self.goes_left[row]
            self.lists[k, middle] = row
            self.spare[spared] = row
            middle += left
            spared += 1 - left
        for i in range(spared):
            self.lists[k, middle + i] = self.spare[i]
        return middle


def _are_whole(w):
    """Return whether sums of these weights and of their squares are exact."""
    total: cython.double = 0.0
    for i in range(w.shape[0]):
        total += w[i]
        if floor(w[i]) != w[i]:
            return False
    return total < EXACT
