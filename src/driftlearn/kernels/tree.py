# cython: infer_types=True
"""CART on presorted columns, and its transfer to a new chunk.

Every column is sorted once per chunk (`driftlearn.kernels.presort`), and a split divides the
sorted lists of rows stably [1]_: a level of the tree costs O(n d), and no node sorts anything.
Columns of two values need no order at all: for these only the rows that hold the rarer value are
noted, and a node counts them in one pass over its rows.

A tree is a tuple ``(feature, threshold, left, right, value)`` of flat arrays, one entry a node:
rows with ``x[feature] <= threshold`` go left, a leaf has feature, left and right -1, and ``value``
holds the weighted class counts of the training rows that reached the node. Parents come before
their children. Classes are codes 0, 1, ...; X is float64 in C order without missing values; weights
are float64 and positive. All arrays may be read-only and none is changed.

Sums of whole weights (mostly all 1) are exact in whatever order they are taken. Only there running
sums of squares and the counts of the rarer value are used; for other weights the classes are
summed in the order of the sorted rows, so that the result is defined to the last bit.

References
----------
.. [1] M. Mehta, R. Agrawal, J. Rissanen: SLIQ: A fast scalable classifier for data mining.
   EDBT 1996.
"""

import cython
import numpy as np
from cython.cimports.libc.math import floor

Index = cython.typedef(cython.Py_ssize_t)
NEVER = cython.declare(cython.int, 2147483647)
EXACT = cython.declare(cython.double, 2.0**26)


def grow(X, order, y, w, n_classes, min_samples_split=10, min_samples_leaf=1, max_depth=-1):
    """Grow a CART tree by the Gini index.

    A split lies between two consecutive distinct values a < b of a feature, at (a + b) / 2 or, if
    that rounds to b, at a. The best one has the greatest ``sum_c l_c**2 / l + sum_c r_c**2 / r``
    (l, r: weights of the classes on either side), the lowest feature and threshold among equals,
    and must gain on the node itself by more than rounding.

    Parameters
    ----------
    X : float64 array (n, d)
    order : int32 array (d, n)
        ``presort(X)``.
    y : int array (n,)
        Class codes below `n_classes`.
    w : float64 array (n,)
        Positive weights.
    n_classes : int
    min_samples_split, min_samples_leaf : int
        The fewest rows, whatever their weight, of a node that is split and of a child.
    max_depth : int
        Depth of the deepest leaves, -1 for no limit.

    Returns
    -------
    tree : tuple of arrays
        The nodes in depth-first order, left before right.

    Examples
    --------
    >>> import numpy as np
    >>> from driftlearn.kernels.presort import presort
    >>> X = np.array([[0.0], [1.0], [2.0], [4.0]])
    >>> tree = grow(X, presort(X), np.array([0, 0, 1, 1]), np.ones(4), 2, min_samples_split=2)
    >>> feature, threshold, left, right, value = tree
    >>> feature, threshold
    (array([ 0, -1, -1], dtype=int32), array([1.5, 0. , 0. ]))
    >>> value
    array([[2., 2.],
           [2., 0.],
           [0., 2.]])
    """
    n: Index = X.shape[0]
    if n == 0:
        raise ValueError("a tree cannot be grown on 0 rows")
    grower: _Grower = _Grower(
        X, order, y, w, n_classes, min_samples_split, min_samples_leaf, max_depth
    )
    grower.make_room(2 * n - 1, n_classes)
    grower.used = 1
    with cython.nogil:
        grower.grow(0, 0, n, 0)
    return grower.tree()


def transfer(
    tree, X, order, y, w, n_classes, min_samples_split=10, min_samples_leaf=1, max_depth=-1
):
    """Adapt a copy of a tree to a new chunk: relabel its leaves, then grow on below them.

    A node that rows of the chunk reach takes the class counts of these rows, and a leaf where
    CART's stopping criteria do not hold becomes the root of a tree grown on them. What no row
    reaches stays as it was: this is the old knowledge that DTEL wants to keep.

    Parameters
    ----------
    tree : tuple of arrays
        Its `value` has `n_classes` columns.
    X, order, y, w, n_classes, min_samples_split, min_samples_leaf, max_depth
        As in `grow`; depth is counted from the root of the whole tree.

    Returns
    -------
    tree : tuple of arrays
        The old nodes in their old places, then the new ones.

    Examples
    --------
    >>> import numpy as np
    >>> from driftlearn.kernels.forest import apply
    >>> from driftlearn.kernels.presort import presort
    >>> X = np.array([[0.0], [1.0], [2.0], [4.0]])
    >>> old = grow(X, presort(X), np.array([0, 0, 1, 1]), np.ones(4), 2, 2)
    >>> X = np.array([[2.5], [3.5]])
    >>> new = transfer(old, X, presort(X), np.array([0, 1]), np.ones(2), 2, 2)
    >>> apply(new, np.array([[0.0], [2.0], [4.0]]))
    array([1, 3, 4], dtype=int32)
    """
    n: Index = X.shape[0]
    n_old: Index = len(tree[0])
    if n == 0:
        return tuple([part.copy() for part in tree])
    grower: _Grower = _Grower(
        X, order, y, w, n_classes, min_samples_split, min_samples_leaf, max_depth
    )
    grower.make_room(n_old + 2 * n, n_classes)
    for part, old in zip(grower.arrays, tree):
        part[:n_old] = old
    grower.used = n_old
    leaf: cython.int[::1] = np.empty(n, dtype=np.int32)
    arrived: cython.int[::1] = np.zeros(n_old, dtype=np.int32)
    places: cython.int[::1] = np.empty(n_old, dtype=np.int32)
    depth: cython.int[::1] = np.zeros(n_old, dtype=np.int32)
    with cython.nogil:
        grower.drop_rows(leaf, arrived, depth)
        grower.group_by_leaf(leaf, arrived, places)
        start: Index = 0
        for node in range(n_old):
            if arrived[node] > 0 and grower.feature[node] < 0:
                grower.grow(node, start, start + arrived[node], depth[node])
                start += arrived[node]
    return grower.tree()


@cython.final
@cython.cclass
class _Grower:
    """The rows of a chunk on their way down a tree that is being grown.

    The rows of a node are one segment ``[start, end)`` of every list.

    Attributes
    ----------
    lists, rows
        For each column of many values, the rows of every node by ascending value; last, as `rows`,
        the rows of every node in their own order.
    many, columns, constant_at
        The features of these columns, their values, and the depth of the node on the path to the
        present one from which on they are constant: such lists are no longer divided.
    binary, rare, rare_start
        The features of two values; ``rare[rare_start[row]:rare_start[row + 1]]`` are those (as
        indices into `binary`) in which the row has the rarer value.
    rare_rows, rare_sums
        How many rows of the present node have the rarer value, and their weight in each class;
        all zero between two nodes.
    best, best_feature, best_threshold
        The best split of the present node so far.
    pending
        The nodes still to be made: start, end, depth, parent.
    """

    X: cython.const[cython.double][:, ::1]
    order: cython.const[cython.int][:, ::1]
    y: cython.const[cython.int][::1]
    w: cython.const[cython.double][::1]
    whole: cython.bint
    min_samples_split: Index
    min_samples_leaf: Index
    max_depth: Index

    lists: cython.int[:, ::1]
    rows: cython.int[::1]
    goes_left: cython.int[::1]
    spare: cython.int[::1]
    pending: cython.int[:, ::1]
    many: cython.int[::1]
    columns: cython.double[:, ::1]
    constant_at: cython.int[::1]
    left_sums: cython.double[::1]
    binary: cython.int[::1]
    rare: cython.int[::1]
    rare_start: cython.int[::1]
    rare_rows: cython.int[::1]
    rare_sums: cython.double[:, ::1]
    best: cython.double
    best_feature: Index
    best_threshold: cython.double

    arrays: tuple
    feature: cython.int[::1]
    threshold: cython.double[::1]
    left: cython.int[::1]
    right: cython.int[::1]
    value: cython.double[:, ::1]
    used: Index

    def __init__(self, X, order, y, w, n_classes, min_samples_split, min_samples_leaf, max_depth):
        self.X = X
        self.order = order
        self.y = np.ascontiguousarray(y, dtype=np.int32)
        self.w = w
        self.whole = _are_whole(self.w)
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = max(1, min_samples_leaf)
        self.max_depth = max_depth

        n = self.X.shape[0]
        d = self.X.shape[1]
        kept: cython.int[:, ::1] = np.empty((d, 2), dtype=np.int32)
        n_many: Index = 0
        n_binary: Index = 0
        n_rare: Index = 0
        for f in range(d):
            length = self.choose_kept(f, kept[f])
            if length == n:
                n_many += 1
            elif length > 0:
                n_binary += 1
                n_rare += length
        lists = np.empty((n_many + 1, n), dtype=np.int32)
        self.lists = lists
        self.rows = lists[n_many]
        self.goes_left = np.empty(n, dtype=np.int32)
        self.spare = np.empty(n, dtype=np.int32)
        self.pending = np.empty((n + 1, 4), dtype=np.int32)
        self.many = np.empty(n_many, dtype=np.int32)
        self.columns = np.empty((n_many, n))
        self.constant_at = np.empty(n_many, dtype=np.int32)
        self.left_sums = np.empty(n_classes)
        self.binary = np.empty(n_binary, dtype=np.int32)
        self.rare = np.empty(n_rare, dtype=np.int32)
        self.rare_start = np.zeros(n + 1, dtype=np.int32)
        self.rare_rows = np.zeros(n_binary, dtype=np.int32)
        self.rare_sums = np.zeros((n_binary, n_classes))
        with cython.nogil:
            self.lay_out(kept)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def choose_kept(self, f: Index, kept: cython.int[::1]) -> cython.int:
        """Choose what is kept of a sorted column: nothing, its rarer value, or all of it."""
        n: cython.int = self.X.shape[0]
        start: cython.int = 0
        end: cython.int = n - 1
        low = self.X[self.order[f, start], f]
        high = self.X[self.order[f, end], f]
        kept[0] = 0
        kept[1] = 0 if low == high else n
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

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def lay_out(self, kept: cython.int[:, ::1]) -> cython.void:
        """Fill the lists, and note for each row in which columns it has the rarer value."""
        n: cython.int = self.X.shape[0]
        many: Index = 0
        binary: Index = 0
        for f in range(self.X.shape[1]):
            if kept[f, 1] - kept[f, 0] == n:
                self.many[many] = f
                self.lists[many, :] = self.order[f]
                for i in range(n):
                    self.columns[many, i] = self.X[i, f]
                many += 1
            elif kept[f, 1] > 0:
                self.binary[binary] = f
                binary += 1
                for i in range(kept[f, 0], kept[f, 1]):
                    self.rare_start[self.order[f, i]] += 1
        for i in range(n):
            self.rows[i] = i
            self.rare_start[i + 1] += self.rare_start[i]
        for k in range(binary):
            f = self.binary[k]
            for i in range(kept[f, 0], kept[f, 1]):
                row = self.order[f, i]
                self.rare_start[row] -= 1
                self.rare[self.rare_start[row]] = k

    def make_room(self, n_nodes, n_classes):
        """Make the arrays of a tree of at most `n_nodes` nodes."""
        self.arrays = (
            np.empty(n_nodes, dtype=np.int32),
            np.empty(n_nodes),
            np.empty(n_nodes, dtype=np.int32),
            np.empty(n_nodes, dtype=np.int32),
            np.empty((n_nodes, n_classes)),
        )
        self.feature, self.threshold, self.left, self.right, self.value = self.arrays

    def tree(self):
        """Return what has been grown."""
        return tuple([part[: self.used].copy() for part in self.arrays])

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def drop_rows(
        self, leaf: cython.int[::1], arrived: cython.int[::1], depth: cython.int[::1]
    ) -> cython.void:
        """Drop all rows down the old tree and count them, by class, in the nodes they pass."""
        for row in range(self.X.shape[0]):
            node: cython.int = 0
            while True:
                if arrived[node] == 0:
                    self.value[node, :] = 0.0
                arrived[node] += 1
                self.value[node, self.y[row]] += self.w[row]
                if self.feature[node] < 0:
                    break
                goes_left: cython.bint = self.X[row, self.feature[node]] <= self.threshold[node]
                child: cython.int = self.left[node] if goes_left else self.right[node]
                depth[child] = depth[node] + 1
                node = child
            leaf[row] = node

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def group_by_leaf(
        self, leaf: cython.int[::1], arrived: cython.int[::1], places: cython.int[::1]
    ) -> cython.void:
        """Divide every list among the leaves of the old tree, which take segments in turn."""
        for k in range(self.lists.shape[0]):
            start: cython.int = 0
            for node in range(arrived.shape[0]):
                places[node] = start
                if self.feature[node] < 0:
                    start += arrived[node]
            for i in range(self.lists.shape[1]):
                row = self.lists[k, i]
                self.spare[places[leaf[row]]] = row
                places[leaf[row]] += 1
            self.lists[k, :] = self.spare

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def grow(self, node: Index, start: Index, end: Index, depth: Index) -> cython.void:
        """Make the node a CART tree of the rows ``[start, end)``; new nodes go to the end."""
        top: Index = 1
        self.constant_at[:] = NEVER
        self.push(0, start, end, depth, -1)
        while top > 0:
            top -= 1
            start = self.pending[top, 0]
            end = self.pending[top, 1]
            depth = self.pending[top, 2]
            parent = self.pending[top, 3]
            if parent >= 0:
                node = self.used
                self.used += 1
                if self.left[parent] < 0:
                    self.left[parent] = node
                else:
                    self.right[parent] = node
            self.make_leaf(node, start, end)
            if self.stops(start, end, depth):
                continue
            self.find_split(node, start, end, depth)
            if self.best_feature < 0:
                continue
            self.feature[node] = self.best_feature
            self.threshold[node] = self.best_threshold
            self.choose_sides(start, end)
            middle = self.divide(self.many.shape[0], start, end)
            depth += 1
            if not (self.stops(start, middle, depth) and self.stops(middle, end, depth)):
                for k in range(self.many.shape[0]):
                    if self.constant_at[k] == NEVER and self.many[k] != self.best_feature:
                        self.divide(k, start, end)
            self.push(top, middle, end, depth, node)
            self.push(top + 1, start, middle, depth, node)
            top += 2

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def push(
        self, top: Index, start: Index, end: Index, depth: Index, parent: Index
    ) -> cython.void:
        """Put a node on the stack of those still to be made."""
        self.pending[top, 0] = start
        self.pending[top, 1] = end
        self.pending[top, 2] = depth
        self.pending[top, 3] = parent

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def stops(self, start: Index, end: Index, depth: Index) -> cython.bint:
        """Say whether the rows are too few, too deep or of one class."""
        if end - start < self.min_samples_split or depth == self.max_depth:
            return True
        label = self.y[self.rows[start]]
        start += 1
        while start < end and self.y[self.rows[start]] == label:
            start += 1
        return start == end

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def make_leaf(self, node: Index, start: Index, end: Index) -> cython.void:
        """Write a leaf with the class counts of its rows."""
        self.feature[node] = self.left[node] = self.right[node] = -1
        self.threshold[node] = 0.0
        self.value[node, :] = 0.0
        for i in range(start, end):
            row = self.rows[i]
            self.value[node, self.y[row]] += self.w[row]

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def find_split(self, node: Index, start: Index, end: Index, depth: Index) -> cython.void:
        """Set `best_feature` to that of the best split of the node, -1 if none gains."""
        weight: cython.double = 0.0
        squares: cython.double = 0.0
        for c in range(self.value.shape[1]):
            weight += self.value[node, c]
            squares += self.value[node, c] * self.value[node, c]
        self.best = squares / weight * (1 + 1e-12)
        self.best_feature = -1
        for k in range(self.many.shape[0]):
            if self.constant_at[k] < depth:
                continue
            low: cython.double = self.columns[k, self.lists[k, start]]
            high: cython.double = self.columns[k, self.lists[k, end - 1]]
            if low == high:
                self.constant_at[k] = depth
            else:
                self.constant_at[k] = NEVER
                self.scan_sorted(k, node, start, end, weight, squares)
        if self.binary.shape[0] > 0:
            self.scan_binary(node, start, end)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def scan_sorted(
        self,
        k: Index,
        node: Index,
        start: Index,
        end: Index,
        weight: cython.double,
        squares: cython.double,
    ) -> cython.void:
        """Try all thresholds of a sorted column while its rows move from right to left.

        With whole weights, a product tells without division that a place does not beat the best
        (but for rounding); only where it may is it looked up whether the value changes there.
        """
        n_classes: Index = self.value.shape[1]
        left_weight: cython.double = 0.0
        left_squares: cython.double = 0.0
        right_squares: cython.double = squares
        best: cython.double = self.best
        bar: cython.double = best * (1 - 1e-14)
        whole: cython.bint = self.whole
        first: Index = start + self.min_samples_leaf - 1
        self.left_sums[:] = 0.0
        for i in range(start, end - self.min_samples_leaf):
            row: Index = self.lists[k, i]
            label: Index = self.y[row]
            step: cython.double = self.w[row]
            part: cython.double = self.left_sums[label]
            rest: cython.double = self.value[node, label] - part
            self.left_sums[label] = part + step
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
            x: cython.double = self.columns[k, row]
            following: cython.double = self.columns[k, self.lists[k, i + 1]]
            if x == following or i < first:
                continue
            if not whole:
                left_weight = left_squares = right_weight = right_squares = 0.0
                for c in range(n_classes):
                    part = self.left_sums[c]
                    rest = self.value[node, c] - part
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

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def scan_binary(self, node: Index, start: Index, end: Index) -> cython.void:
        """Try the one threshold of each column of two values."""
        last: Index = self.X.shape[0] - 1
        for i in range(start, end):
            row: Index = self.rows[i]
            for j in range(self.rare_start[row], self.rare_start[row + 1]):
                k: Index = self.rare[j]
                self.rare_rows[k] += 1
                self.rare_sums[k, self.y[row]] += self.w[row]
        for k in range(self.binary.shape[0]):
            n_rare: Index = self.rare_rows[k]
            if n_rare == 0:
                continue
            self.rare_rows[k] = 0
            weight: cython.double = 0.0
            squares: cython.double = 0.0
            rest_weight: cython.double = 0.0
            rest_squares: cython.double = 0.0
            for c in range(self.value.shape[1]):
                part: cython.double = self.rare_sums[k, c]
                self.rare_sums[k, c] = 0.0
                rest: cython.double = self.value[node, c] - part
                weight += part
                squares += part * part
                rest_weight += rest
                rest_squares += rest * rest
            if n_rare < self.min_samples_leaf or end - start - n_rare < self.min_samples_leaf:
                continue
            quality: cython.double = squares / weight + rest_squares / rest_weight
            f: Index = self.binary[k]
            if quality > self.best or (quality == self.best and f < self.best_feature):
                self.best = quality
                self.best_feature = f
                self.best_threshold = _midpoint(
                    self.X[self.order[f, 0], f], self.X[self.order[f, last], f]
                )

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def choose_sides(self, start: Index, end: Index) -> cython.void:
        """Note for each row of the node whether the best split sends it left."""
        for i in range(start, end):
            row: Index = self.rows[i]
            self.goes_left[row] = self.X[row, self.best_feature] <= self.best_threshold

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def divide(self, k: Index, start: Index, end: Index) -> Index:
        """Divide the node's segment of a list stably, left before right; return the middle."""
        middle: Index = start
        spared: Index = 0
        for i in range(start, end):
            row: cython.int = self.lists[k, i]
            self.lists[k, middle] = row
            self.spare[spared] = row
            middle += self.goes_left[row]
            spared += 1 - self.goes_left[row]
        for i in range(spared):
            self.lists[k, middle + i] = self.spare[i]
        return middle


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _are_whole(w: cython.const[cython.double][::1]) -> cython.bint:
    """Say whether sums of these weights and of their squares are exact."""
    total: cython.double = 0.0
    for i in range(w.shape[0]):
        total += w[i]
        if floor(w[i]) != w[i]:
            return False
    return total < EXACT


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _midpoint(a: cython.double, b: cython.double) -> cython.double:
    """Return the threshold between two values; where rounding leaves [a, b), the lower value."""
    middle: cython.double = (float(a) + float(b)) / 2
    return middle if a <= middle < b else a
