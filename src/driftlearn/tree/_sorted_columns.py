# cython: infer_types=True
"""The columns of a chunk while its rows go down a tree that is being grown.

Every column is sorted once per chunk (`driftlearn.base._presort`), and a split divides the
sorted lists of rows stably [1]_: a level of the tree costs O(n d), and no node sorts anything.
Columns of two values need no order at all: for these only the rows that hold the rarer value are
noted, and a node counts them in one pass over its rows.

References
----------
.. [1] M. Mehta, R. Agrawal, J. Rissanen: SLIQ: A fast scalable classifier for data mining.
   EDBT 1996.
"""

import cython
import numpy as np
from cython.cimports.libc.math import floor

EXACT = cython.declare(cython.double, 2.0**26)


@cython.cclass
class Columns:
    """Rows and columns, of which a node has one segment ``[start, end)`` of every list.

    `fill_lists` begins a tree; the rest serves for any number of them.

    Parameters
    ----------
    X, order, y, w
        As in `driftlearn.tree._grow_tree.grow`.

    Attributes
    ----------
    whole
        Whether sums of the weights, and of their squares, are exact in whatever order.
    lists, rows
        For each column of many values, the rows of every node by ascending value, those without
        one (nan) at the end; last, as `rows`, the rows of every node in their own order.
    many, values
        The features of these columns, and their values. Where some are missing a column is one
        of many values.
    binary, rare, rare_start
        The features of two values; ``rare[rare_start[row]:rare_start[row + 1]]`` are those (as
        indices into `binary`) in which the row has the rarer value.
    """

    def __init__(self, X, order, y, w):
        self.X = X
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
        """Choose what is kept of a sorted column: nothing, its rarer value, or all of it."""
        n: cython.int = self.X.shape[0]
        start: cython.int = 0
        end: cython.int = n - 1
        low = self.X[self.order[f, start], f]
        high = self.X[self.order[f, end], f]
        kept[0] = 0
        kept[1] = 0 if low == high else n
        if high != high:
            return n
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
        """Take the values of columns, and note in which columns each row has the rarer one."""
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
        """Have all rows in one node, the root of a tree."""
        for k in range(self.many.shape[0]):
            self.lists[k, :] = self.order[self.many[k]]
        for i in range(self.rows.shape[0]):
            self.rows[i] = i

    def divide_rows(self, f, threshold, missing_left, start, end):
        """Divide the rows of the node by a split; return where the right ones begin."""
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
    """Say whether sums of these weights and of their squares are exact."""
    total: cython.double = 0.0
    for i in range(w.shape[0]):
        total += w[i]
        if floor(w[i]) != w[i]:
            return False
    return total < EXACT
