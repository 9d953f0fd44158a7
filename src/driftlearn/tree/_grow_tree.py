# cython: infer_types=True
"""CART on presorted columns, and the transfer of a tree to a new chunk.

`_sorted_columns` passes the rows down the tree, `_gini_search` finds the splits, and this module
creates the nodes.

A tree is a tuple ``(feature, threshold, left, right, value, missing_left)`` of flat arrays with one
entry per node. Rows with ``x[feature] <= threshold`` go left; rows with a missing value (nan) go
left where ``missing_left`` is 1. A leaf has -1 as feature, left and right. ``value`` holds the
weighted class counts of the training rows that reached the node. Parents come before their
children. Classes are codes 0, 1, ...; X is float64 in C order; weights are float64 and positive.
All input arrays may be read-only; none is modified.

A tree with nominal features has two more arrays. ``group`` is -1 for a leaf or a threshold, and
otherwise the row of ``sets`` that holds the side of each code: 1 for left, 2 for right, and 0 for
a code that no row of the node had, which goes where missing values go.
"""

import cython
import numpy as np

if not cython.compiled:
    from driftlearn.tree._gini_search import GiniSearch
    from driftlearn.tree._packed_trees import side_of

from driftlearn.base.validation import check_codes

# `missing_left` of a split without missing values, until the weights of its children are known.
OPEN = cython.declare(cython.int, 2)


def grow(
    X, order, y, w, n_classes, min_samples_split=10, min_samples_leaf=1, max_depth=-1, nominal=None
):
    """Return a CART tree grown by the Gini index.

    A split lies between two consecutive distinct values a < b of a feature, at (a + b) / 2 or, if
    that rounds to b, at a. The best split maximizes ``sum_c l_c**2 / l + sum_c r_c**2 / r``, where
    l and r are the class weights of the two sides. Ties are resolved in favor of the lowest feature
    and then the lowest threshold. The gain must exceed rounding errors.

    If rows of the node lack a feature, every split is tried with these rows on the left and on the
    right, and finally one more split with threshold inf: present values left, missing ones right.
    If both sides are equally good, missing values go to the heavier side of the other rows. A split
    on a feature that no row of its node lacks sends missing values to its heavier child. Both rules
    prefer the left side on ties.

    A split on a nominal feature divides its codes into two groups. With two classes, the codes are
    sorted by the share of the second class, and all groups of codes at the beginning are tried as
    the left side; with more classes, all single codes.

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
        Minimum number of rows, regardless of their weights, of a node to be split and of a child.
    max_depth : int
        Maximum depth of a leaf, -1 for no limit.
    nominal : bool array (d,), optional
        The nominal features. Their values are codes 0, 1, ....

    Returns
    -------
    tree : tuple of arrays
        The nodes in depth-first order, left before right.

    Examples
    --------
    >>> import numpy as np
    >>> from driftlearn.base._presort import presort
    >>> X = np.array([[0.0], [1.0], [2.0], [4.0]])
    >>> tree = grow(X, presort(X), np.array([0, 0, 1, 1]), np.ones(4), 2, min_samples_split=2)
    >>> feature, threshold, left, right, value, missing_left = tree
    >>> feature, threshold
    (array([ 0, -1, -1], dtype=int32), array([1.5, 0. , 0. ]))
    >>> value
    array([[2., 2.],
           [2., 0.],
           [0., 2.]])
    """
    n: cython.Py_ssize_t = X.shape[0]
    if n == 0:
        raise ValueError("a tree needs at least 1 row for training. Got 0 rows.")
    grower: _Grower = _Grower(
        X, order, y, w, n_classes, min_samples_split, min_samples_leaf, max_depth, nominal
    )
    grower.make_room(2 * n - 1, n_classes)
    grower.used = 1
    with cython.nogil:
        grower.fill_lists()
        grower.grow(0, 0, n, 0)
    return grower.tree(grower.n_codes)


def transfer_all(
    trees, X, order, y, w, n_classes, min_samples_split=10, min_samples_leaf=1, max_depth=-1,
    nominal=None,
):  # fmt: skip
    """Return copies of trees adapted to a new chunk, as in DTEL.

    Nodes reached by rows of the chunk take the class counts of these rows. A leaf at which CART's
    stopping criteria do not hold becomes the root of a subtree grown on its rows. Nodes that no row
    reaches stay unchanged, which preserves the historical knowledge that DTEL transfers. Old splits
    also keep the side to which they send missing values.

    The columns of the chunk are prepared only once, and nearly all work is done without the GIL.

    Parameters
    ----------
    trees : list of tuples of arrays
        The trees to adapt; their `value` has `n_classes` columns.
    X, order, y, w, n_classes, min_samples_split, min_samples_leaf, max_depth, nominal
        As in `grow`; depth is counted from the root of the whole tree.

    Returns
    -------
    trees : list of tuples of arrays
        The old nodes at their old positions, followed by the new ones.

    Examples
    --------
    >>> import numpy as np
    >>> from driftlearn.tree._packed_trees import apply
    >>> from driftlearn.base._presort import presort
    >>> X = np.array([[0.0], [1.0], [2.0], [4.0]])
    >>> old = grow(X, presort(X), np.array([0, 0, 1, 1]), np.ones(4), 2, 2)
    >>> X = np.array([[2.5], [3.5]])
    >>> [new] = transfer_all([old], X, presort(X), np.array([0, 1]), np.ones(2), 2, 2)
    >>> apply(new, np.array([[0.0], [2.0], [4.0]]))
    array([1, 3, 4], dtype=int32)
    """
    n: cython.Py_ssize_t = X.shape[0]
    if n == 0:
        return [tuple([part.copy() for part in tree]) for tree in trees]
    grower: _Grower = _Grower(
        X, order, y, w, n_classes, min_samples_split, min_samples_leaf, max_depth, nominal
    )
    most: cython.Py_ssize_t = max([len(tree[0]) for tree in trees], default=0)
    grower.make_room(most + 2 * n, n_classes)
    leaf: cython.int[::1] = np.empty(n, dtype=np.int32)
    arrived: cython.int[::1] = np.empty(most, dtype=np.int32)
    places: cython.int[::1] = np.empty(most, dtype=np.int32)
    depth: cython.int[::1] = np.empty(most, dtype=np.int32)
    grown = []
    for tree in trees:
        n_old: cython.Py_ssize_t = len(tree[0])
        for part, old in zip(grower.arrays, tree[:7]):
            part[:n_old] = old
        n_codes = grower.take_sets(tree, n_old)
        with cython.nogil:
            grower.used = n_old
            arrived[:n_old] = 0
            depth[:n_old] = 0
            grower.fill_lists()
            grower.drop_rows(leaf, arrived, depth)
            grower.group_by_leaf(leaf, arrived[:n_old], places)
            start: cython.Py_ssize_t = 0
            for node in range(n_old):
                if arrived[node] > 0 and grower.feature[node] < 0:
                    grower.grow(node, start, start + arrived[node], depth[node])
                    start += arrived[node]
        grown.append(grower.tree(n_codes))
    return grown


@cython.cclass
class _Grower(GiniSearch):
    """Tree under construction.

    Attributes
    ----------
    arrays, used
        Arrays of the tree, also available by their names, and the number of nodes in use.
    pending
        Stack of nodes to be created: start, end, depth, parent.
    sets, n_sets, n_codes
        Rows of the tree's `sets`, end to end; their number and length.
    """

    def __init__(
        self, X, order, y, w, n_classes, min_samples_split, min_samples_leaf, max_depth, nominal
    ):
        self.n_codes = 0
        if nominal is None:
            nominal = np.zeros(X.shape[1], dtype=bool)
        elif nominal.any():
            codes = X[:, nominal]
            check_codes(codes)
            self.n_codes = 1 + int(np.max(codes, where=codes == codes, initial=0))
        nominal = nominal.astype(np.uint8)
        super().__init__(X, order, y, w, nominal, self.n_codes, n_classes, min_samples_leaf)
        self.n_sets = 0
        self.sets = np.zeros(0, dtype=np.uint8)
        self.min_samples_split = min_samples_split
        self.max_depth = max_depth
        self.pending = np.empty((self.X.shape[0] + 1, 4), dtype=np.int32)

    def make_room(self, n_nodes, n_classes):
        """Allocate the arrays of a tree of at most `n_nodes` nodes."""
        self.arrays = (
            np.empty(n_nodes, dtype=np.int32),
            np.empty(n_nodes),
            np.empty(n_nodes, dtype=np.int32),
            np.empty(n_nodes, dtype=np.int32),
            np.empty((n_nodes, n_classes)),
            np.empty(n_nodes, dtype=np.uint8),
            np.empty(n_nodes, dtype=np.int32),
        )
        self.feature, self.threshold, self.left, self.right, self.value = self.arrays[:5]
        self.missing_left, self.group = self.arrays[5:]

    def tree(self, n_codes):
        """Return a copy of the grown tree, with sides of `n_codes` codes."""
        arrays = self.arrays if n_codes else self.arrays[:6]
        parts = [part[: self.used].copy() for part in arrays]
        if n_codes == 0:
            return tuple(parts)
        sets = np.asarray(self.sets)[: self.n_sets * self.n_codes].reshape(-1, self.n_codes)
        parts.append(sets[:, :n_codes].copy())
        return tuple(parts)

    def take_sets(self, tree, n_old):
        """Take the sets of an old tree; return the number of codes that the new tree needs."""
        self.n_codes = self.n_sets = 0
        if len(tree) == 6:
            self.group[:n_old] = -1
            if len(self.sides) == 0:
                return 0
        old = tree[7] if len(tree) > 6 else np.zeros((0, 0), dtype=np.uint8)
        n_codes = max(old.shape[1], len(self.sides))
        self.n_codes, self.n_sets = n_codes, len(old)
        sets = np.zeros((len(old), n_codes), dtype=np.uint8)
        sets[:, : old.shape[1]] = old
        self.sets = sets.reshape(-1)
        return n_codes

    def add_set(self):
        """Store the sides of the best split; return their row in `sets`."""
        if (self.n_sets + 1) * self.n_codes > self.sets.shape[0]:
            with cython.gil:
                sets = np.zeros((2 * self.n_sets + 8) * self.n_codes, dtype=np.uint8)
                sets[: len(self.sets)] = self.sets
                self.sets = sets
        at: cython.Py_ssize_t = self.n_sets * self.n_codes
        for code in range(self.n_codes):
            self.sets[at + code] = self.sides[code] if code < self.sides.shape[0] else 0
        self.n_sets += 1
        return self.n_sets - 1

    def drop_rows(self, leaf, arrived, depth):
        """Pass all rows down the old tree and count them, by class, in the nodes they reach."""
        for row in range(self.X.shape[0]):
            node: cython.int = 0
            while True:
                if arrived[node] == 0:
                    self.value[node, :] = 0.0
                arrived[node] += 1
                self.value[node, self.y[row]] += self.w[row]
                if self.feature[node] < 0:
                    break
                x: cython.double = self.X[row, self.feature[node]]
                goes_left: cython.bint = x <= self.threshold[node]
                if self.group[node] >= 0:
                    at = self.group[node] * self.n_codes
                    goes_left = not side_of(self.sets, at, self.n_codes, x, self.missing_left[node])
                elif x != x:
                    goes_left = self.missing_left[node]
                child: cython.int = self.left[node] if goes_left else self.right[node]
                depth[child] = depth[node] + 1
                node = child
            leaf[row] = node

    def group_by_leaf(self, leaf, arrived, places):
        """Divide every list into consecutive segments, one per leaf of the old tree."""
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

    def grow(self, node, start, end, depth):
        """Grow a CART tree of the rows ``[start, end)`` at the node; new nodes are appended."""
        top: cython.Py_ssize_t = 1
        self.begin()
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
            if parent >= 0 and self.right[parent] == node and self.missing_left[parent] == OPEN:
                self.missing_left[parent] = self.heavier_left(parent)
            if self.stops(start, end, depth):
                continue
            self.find_split(start, end, depth)
            if self.best_feature < 0:
                continue
            self.feature[node] = self.best_feature
            self.threshold[node] = self.best_threshold
            self.missing_left[node] = OPEN if self.best_missing < 0 else self.best_missing
            if self.nominal[self.best_feature]:
                self.group[node] = self.add_set()
                middle = self.divide_by_code(start, end)
            else:
                missing_left: cython.bint = self.best_missing == 1
                middle = self.divide_rows(
                    self.best_feature, self.best_threshold, missing_left, start, end
                )
            depth += 1
            # The columns are needed only if at least one of the children is split further.
            if not (self.stops(start, middle, depth) and self.stops(middle, end, depth)):
                self.divide_columns(start, end)
            # The left child is pushed last and therefore created first: nodes are in depth-first
            # order, left before right.
            self.push(top, middle, end, depth, node)
            self.push(top + 1, start, middle, depth, node)
            top += 2
        return 0

    def push(self, top, start, end, depth, parent):
        """Push a node onto the stack of nodes to be created."""
        self.pending[top, 0] = start
        self.pending[top, 1] = end
        self.pending[top, 2] = depth
        self.pending[top, 3] = parent

    def stops(self, start, end, depth):
        """Return whether a node stays a leaf: too few rows, maximum depth, or a single class."""
        if end - start < self.min_samples_split or depth == self.max_depth:
            return True
        label = self.y[self.rows[start]]
        start += 1
        while start < end and self.y[self.rows[start]] == label:
            start += 1
        return start == end

    def heavier_left(self, node):
        """Return whether the left child weighs at least as much as the right one."""
        left_weight: cython.double = 0.0
        right_weight: cython.double = 0.0
        for c in range(self.value.shape[1]):
            left_weight += self.value[self.left[node], c]
            right_weight += self.value[self.right[node], c]
        return left_weight >= right_weight

    def make_leaf(self, node, start, end):
        """Store a leaf with the class counts of its rows."""
        self.feature[node] = self.left[node] = self.right[node] = -1
        self.threshold[node] = 0.0
        self.missing_left[node] = 0
        self.group[node] = -1
        self.count(start, end)
        for c in range(self.counts.shape[0]):
            self.value[node, c] = self.counts[c]
