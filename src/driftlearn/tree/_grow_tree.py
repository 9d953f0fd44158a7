# cython: infer_types=True
"""CART on presorted columns, and its transfer to a new chunk.

`sorted_columns` carries the rows down the tree and `gini_search` finds the splits; here nodes are
made.

A tree is a tuple ``(feature, threshold, left, right, value, missing_left)`` of flat arrays, one
entry a node: rows with ``x[feature] <= threshold`` go left, those in which it is missing (nan) do
where ``missing_left`` is 1; a leaf has feature, left and right -1, and ``value`` holds the weighted
class counts of the training rows that reached the node. Parents come before their children. Classes
are codes 0, 1, ...; X is float64 in C order; weights are float64 and positive. All arrays may be
read-only and none is changed.
"""

import cython
import numpy as np

if not cython.compiled:
    from driftlearn.tree._gini_search import GiniSearch

OPEN = cython.declare(cython.int, 2)  # where missing values go, until the children are made


def grow(X, order, y, w, n_classes, min_samples_split=10, min_samples_leaf=1, max_depth=-1):
    """Grow a CART tree by the Gini index.

    A split lies between two consecutive distinct values a < b of a feature, at (a + b) / 2 or, if
    that rounds to b, at a. The best one has the greatest ``sum_c l_c**2 / l + sum_c r_c**2 / r``
    (l, r: weights of the classes on either side), the lowest feature and threshold among equals,
    and must gain on the node itself by more than rounding.

    Where rows of the node lack the feature every split is tried with these on the left and on the
    right, and last one more, of threshold inf: all others on the left, these on the right. If left
    and right are as good, they go with the heavier side of the others. A split whose feature no
    row of its node lacks sends later ones to its heavier child. On ties both times the left one.

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
        raise ValueError("a tree cannot be grown on 0 rows")
    grower: _Grower = _Grower(
        X, order, y, w, n_classes, min_samples_split, min_samples_leaf, max_depth
    )
    grower.make_room(2 * n - 1, n_classes)
    grower.used = 1
    with cython.nogil:
        grower.fill_lists()
        grower.grow(0, 0, n, 0)
    return grower.tree()


def transfer(
    tree, X, order, y, w, n_classes, min_samples_split=10, min_samples_leaf=1, max_depth=-1
):
    """Adapt a copy of a tree to a new chunk: relabel its leaves, then grow on below them.

    A node that rows of the chunk reach takes the class counts of these rows, and a leaf where
    CART's stopping criteria do not hold becomes the root of a tree grown on them. What no row
    reaches stays as it was: this is the old knowledge that DTEL wants to keep. So does the side to
    which an old split sends rows that lack its feature.

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
    >>> from driftlearn.tree._packed_trees import apply
    >>> from driftlearn.base._presort import presort
    >>> X = np.array([[0.0], [1.0], [2.0], [4.0]])
    >>> old = grow(X, presort(X), np.array([0, 0, 1, 1]), np.ones(4), 2, 2)
    >>> X = np.array([[2.5], [3.5]])
    >>> new = transfer(old, X, presort(X), np.array([0, 1]), np.ones(2), 2, 2)
    >>> apply(new, np.array([[0.0], [2.0], [4.0]]))
    array([1, 3, 4], dtype=int32)
    """
    limits = min_samples_split, min_samples_leaf, max_depth
    return transfer_all([tree], X, order, y, w, n_classes, *limits)[0]


def transfer_all(
    trees, X, order, y, w, n_classes, min_samples_split=10, min_samples_leaf=1, max_depth=-1
):
    """Adapt copies of several trees to a new chunk, each as `transfer` does.

    The columns of the chunk are laid out once for all of them, and next to nothing needs the
    interpreter's lock.

    Parameters
    ----------
    trees : list of tuples of arrays
    X, order, y, w, n_classes, min_samples_split, min_samples_leaf, max_depth
        As in `transfer`.

    Returns
    -------
    trees : list of tuples of arrays
    """
    n: cython.Py_ssize_t = X.shape[0]
    if n == 0:
        return [tuple([part.copy() for part in tree]) for tree in trees]
    grower: _Grower = _Grower(
        X, order, y, w, n_classes, min_samples_split, min_samples_leaf, max_depth
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
        for part, old in zip(grower.arrays, tree):
            part[:n_old] = old
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
        grown.append(grower.tree())
    return grown


@cython.cclass
class _Grower(GiniSearch):
    """A tree that is being grown.

    Attributes
    ----------
    arrays, used
        The arrays of the tree, also by their names, and how many of their nodes there are.
    pending
        The nodes still to be made: start, end, depth, parent.
    """

    def __init__(self, X, order, y, w, n_classes, min_samples_split, min_samples_leaf, max_depth):
        super().__init__(X, order, y, w, n_classes, min_samples_leaf)
        self.min_samples_split = min_samples_split
        self.max_depth = max_depth
        self.pending = np.empty((self.X.shape[0] + 1, 4), dtype=np.int32)

    def make_room(self, n_nodes, n_classes):
        """Make the arrays of a tree of at most `n_nodes` nodes."""
        self.arrays = (
            np.empty(n_nodes, dtype=np.int32),
            np.empty(n_nodes),
            np.empty(n_nodes, dtype=np.int32),
            np.empty(n_nodes, dtype=np.int32),
            np.empty((n_nodes, n_classes)),
            np.empty(n_nodes, dtype=np.uint8),
        )
        self.feature, self.threshold, self.left, self.right, self.value = self.arrays[:5]
        self.missing_left = self.arrays[5]

    def tree(self):
        """Return what has been grown."""
        return tuple([part[: self.used].copy() for part in self.arrays])

    def drop_rows(self, leaf, arrived, depth):
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
                x: cython.double = self.X[row, self.feature[node]]
                goes_left: cython.bint = x <= self.threshold[node]
                if x != x:
                    goes_left = self.missing_left[node]
                child: cython.int = self.left[node] if goes_left else self.right[node]
                depth[child] = depth[node] + 1
                node = child
            leaf[row] = node

    def group_by_leaf(self, leaf, arrived, places):
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

    def grow(self, node, start, end, depth):
        """Make the node a CART tree of the rows ``[start, end)``; new nodes go to the end."""
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
            middle = self.divide_rows(
                self.best_feature, self.best_threshold, self.best_missing == 1, start, end
            )
            depth += 1
            if not (self.stops(start, middle, depth) and self.stops(middle, end, depth)):
                self.divide_columns(start, end)
            self.push(top, middle, end, depth, node)
            self.push(top + 1, start, middle, depth, node)
            top += 2

    def push(self, top, start, end, depth, parent):
        """Put a node on the stack of those still to be made."""
        self.pending[top, 0] = start
        self.pending[top, 1] = end
        self.pending[top, 2] = depth
        self.pending[top, 3] = parent

    def stops(self, start, end, depth):
        """Say whether the rows are too few, too deep or of one class."""
        if end - start < self.min_samples_split or depth == self.max_depth:
            return True
        label = self.y[self.rows[start]]
        start += 1
        while start < end and self.y[self.rows[start]] == label:
            start += 1
        return start == end

    def heavier_left(self, node):
        """Say whether the left child of a node has at least the weight of the right one."""
        left_weight: cython.double = 0.0
        right_weight: cython.double = 0.0
        for c in range(self.value.shape[1]):
            left_weight += self.value[self.left[node], c]
            right_weight += self.value[self.right[node], c]
        return left_weight >= right_weight

    def make_leaf(self, node, start, end):
        """Write a leaf with the class counts of its rows."""
        self.feature[node] = self.left[node] = self.right[node] = -1
        self.threshold[node] = 0.0
        self.missing_left[node] = 0
        self.count(start, end)
        for c in range(self.counts.shape[0]):
            self.value[node, c] = self.counts[c]
