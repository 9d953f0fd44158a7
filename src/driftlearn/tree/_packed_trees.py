# cython: infer_types=True
"""Predictions of a single CART tree and of many trees at once.

A tree is the tuple of flat arrays defined in `driftlearn.tree._grow_tree`.
"""

from itertools import pairwise

import cython
import numpy as np

from driftlearn.base._probabilities import normalize_rows

Index = cython.typedef(cython.Py_ssize_t)


def apply(tree, X):
    """Return the leaf of each row.

    Parameters
    ----------
    tree : tuple of arrays
        The tree.
    X : float64 array (n, d)

    Returns
    -------
    leaf : int32 array (n,)

    Examples
    --------
    >>> import numpy as np
    >>> from driftlearn.base._presort import presort
    >>> from driftlearn.tree._grow_tree import grow
    >>> X = np.array([[0.0], [1.0], [2.0], [4.0]])
    >>> tree = grow(X, presort(X), np.array([0, 0, 1, 1]), np.ones(4), 2, min_samples_split=2)
    >>> apply(tree, X)
    array([1, 1, 2, 2], dtype=int32)
    """
    steps = _steps(tree)
    feature: cython.const[cython.int][::1] = steps["feature"]
    threshold: cython.const[cython.double][::1] = steps["threshold"]
    child: cython.const[cython.int][:, ::1] = steps["child"]
    missing_left: cython.const[cython.uchar][::1] = steps["missing_left"]
    group: cython.const[cython.int][::1] = steps["group"]
    sets: cython.const[cython.uchar][::1] = steps["sets"]
    n_codes: Index = tree[7].shape[1] if len(tree) > 6 else 0
    rows: cython.const[cython.double][:, ::1] = X
    result = np.empty(rows.shape[0], dtype=np.int32)
    leaf: cython.int[::1] = result
    with cython.nogil:
        _walk(feature, threshold, child, missing_left, group, sets, n_codes, rows, leaf)
    return result


def _steps(tree):
    """Return a tree in the form that `_walk` expects.

    The two children of a node are in one row. A leaf is its own child, so that further steps stay
    at the leaf and `_walk` needs no test for leaves.
    """
    feature: cython.const[cython.int][::1] = tree[0]
    left: cython.const[cython.int][::1] = tree[2]
    right: cython.const[cython.int][::1] = tree[3]
    split = np.empty(feature.shape[0], dtype=np.int32)
    child = np.empty((feature.shape[0], 2), dtype=np.int32)
    split_of: cython.int[::1] = split
    child_of: cython.int[:, ::1] = child
    for k in range(feature.shape[0]):
        split_of[k] = max(feature[k], 0)
        child_of[k, 0] = k if feature[k] < 0 else left[k]
        child_of[k, 1] = k if feature[k] < 0 else right[k]
    steps = {"feature": split, "threshold": tree[1], "child": child, "missing_left": tree[5]}
    # Groups are only read if there are sets, so that any array of this length will do.
    group, sets = tree[6:] if len(tree) > 6 else (split, _BLANK["sets"][1])
    return {**steps, "group": group, "sets": sets.reshape(-1)}


def _parts(tree, codes):
    """Return the parts of a forest that consists of this tree only."""
    value: cython.const[cython.double][:, ::1] = tree[4]
    codes = np.asarray(codes, dtype=np.int32)
    if len(codes) != value.shape[1]:
        raise ValueError(f"Got {len(codes)} class codes for a tree with {value.shape[1]} classes.")
    code: cython.const[cython.int][::1] = codes
    label = np.empty(value.shape[0], dtype=np.int32)
    label_of: cython.int[::1] = label
    for k in range(value.shape[0]):
        highest = 0
        for c in range(1, value.shape[1]):
            if value[k, c] > value[k, highest]:
                highest = c
        label_of[k] = code[highest]
    share, _ = normalize_rows(tree[4])
    return _steps(tree) | {"label": label, "share": share.reshape(-1), "code": codes}


def side_of(sets, at, n_codes, x, missing_left):
    """Return the side, 0 for left, of a nominal value; the sides of codes begin at `at`."""
    side: cython.int = 0
    if 0.0 <= x < n_codes and cython.cast(cython.Py_ssize_t, x) == x:
        side = sets[at + cython.cast(cython.Py_ssize_t, x)]
    return side - 1 if side > 0 else 1 - missing_left


def _walk(feature, threshold, child, missing_left, group, sets, n_codes, X, leaf):
    """Write the leaf of each row.

    Blocks of sixteen rows descend together, so that their memory accesses overlap. A block is done
    when none of its rows has moved.
    """
    n = X.shape[0]
    leaf[:] = 0
    for start in range(0, n, 16):
        end = min(start + 16, n)
        moved: cython.int = 1
        while moved:
            moved = 0
            if n_codes == 0:  # a loop without the test for nominal splits: 12 % fewer instructions
                for row in range(start, end):
                    node = leaf[row]
                    x = X[row, feature[node]]
                    # nan fails every comparison, so it goes right here and is corrected below.
                    side = 0 if x <= threshold[node] else 1
                    if x != x:
                        side = 1 - missing_left[node]
                    following = child[node, side]
                    leaf[row] = following
                    # At a leaf, which is its own child, the exclusive or is 0.
                    moved |= following ^ node
                continue
            for row in range(start, end):
                node = leaf[row]
                x = X[row, feature[node]]
                side = 0 if x <= threshold[node] else 1
                if group[node] >= 0:
                    side = side_of(sets, group[node] * n_codes, n_codes, x, missing_left[node])
                elif x != x:
                    side = 1 - missing_left[node]
                following = child[node, side]
                leaf[row] = following
                moved |= following ^ node


class Forest:
    """Trees packed into one set of arrays, so that one call evaluates all of them.

    The arrays have spare capacity: the amortized cost of appending a tree is proportional to its
    size. Pickles contain only the used part.

    Parameters
    ----------
    trees : sequence of trees
        Tuples of arrays.
    codes : sequence of int arrays
        For each tree the global codes of its class columns, in ascending order.

    Attributes
    ----------
    n_trees : int
        Number of trees.
    starts : int64 array of shape (n_trees + 1, 5)
        Row k contains the first positions of the nodes, shares, codes and sets of tree k; the last
        row contains the end positions. The last column adds up the lengths of the trees' sets.
    parts : dict of arrays
        For each node ``feature``, ``threshold``, ``child`` (relative to the tree's root),
        ``missing_left``, ``group`` and ``label`` (global code of the majority class). ``share``
        holds the class frequencies of all nodes, ``code`` the global codes of the trees' class
        columns, ``sets`` those of the trees.

    Examples
    --------
    >>> import numpy as np
    >>> from driftlearn.base._presort import presort
    >>> from driftlearn.tree._grow_tree import grow
    >>> X = np.array([[0.0], [1.0], [2.0], [4.0]])
    >>> tree = grow(X, presort(X), np.array([0, 0, 1, 1]), np.ones(4), 2, min_samples_split=2)
    >>> forest = Forest([tree, tree], [[0, 1], [1, 2]])
    >>> leaves = forest_leaves(forest, X)
    >>> forest_labels(forest, leaves)
    array([[0, 0, 1, 1],
           [1, 1, 2, 2]], dtype=int32)
    >>> forest_probas(forest, leaves[:, :1], 3)
    array([[[1., 0., 0.]],
    <BLANKLINE>
           [[0., 1., 0.]]])
    """

    def __init__(self, trees=(), codes=()):
        each = [_parts(tree, code) for tree, code in zip(trees, codes)]
        self.n_trees = len(each)
        self.starts = np.cumsum([(0, 0, 0, 0, 0), *map(_sizes, each)], axis=0)
        self.parts = {
            name: np.concatenate([blank, *(new[name] for new in each)])
            for name, (_, blank) in _BLANK.items()
        }

    def __len__(self):
        return self.n_trees

    def append(self, tree, codes):
        """Add a tree whose class columns have the global codes `codes`, in ascending order."""
        new = _parts(tree, codes)
        used = self.starts[self.n_trees]
        for name, part in new.items():
            self.parts[name] = _extended(self.parts[name], used[_BLANK[name][0]], part)
        self.n_trees += 1
        self.starts = _extended(self.starts, self.n_trees, [used + _sizes(new)])

    def select(self, members):
        """Keep the trees selected by indices, in this order, or by a mask; drop the others.

        Runs of adjacent trees are copied at once, since usually a single tree is dropped.
        """
        members = np.arange(self.n_trees)[members]
        cuts = [0, *(np.flatnonzero(np.diff(members) != 1) + 1).tolist(), len(members)]
        starts = self.starts[members]
        ends = self.starts[members + 1]
        spans = [(starts[a].tolist(), ends[b - 1].tolist()) for a, b in pairwise(cuts) if a < b]
        room = (ends - starts).sum(axis=0).tolist()
        for name, part in self.parts.items():
            column = _BLANK[name][0]
            kept = np.empty((max(room[column], len(part)), *part.shape[1:]), dtype=part.dtype)
            used = 0
            for begin, end in spans:
                piece = part[begin[column] : end[column]]
                kept[used : used + len(piece)] = piece
                used += len(piece)
            self.parts[name] = kept
        self.n_trees = len(members)
        self.starts = np.zeros((self.n_trees + 1, 5), dtype=np.int64)
        np.cumsum(ends - starts, axis=0, out=self.starts[1:])

    def __getstate__(self):
        used = self.starts[self.n_trees]
        parts = {name: part[: used[_BLANK[name][0]]] for name, part in self.parts.items()}
        return {**self.__dict__, "starts": self.starts[: self.n_trees + 1], "parts": parts}


# For each part: whether its rows are nodes (0), shares (1), codes (2) or sides (3), and its empty
# array.
_BLANK = {
    "feature": (0, np.empty(0, dtype=np.int32)),
    "threshold": (0, np.empty(0)),
    "child": (0, np.empty((0, 2), dtype=np.int32)),
    "missing_left": (0, np.empty(0, dtype=np.uint8)),
    "group": (0, np.empty(0, dtype=np.int32)),
    "label": (0, np.empty(0, dtype=np.int32)),
    "share": (1, np.empty(0)),
    "code": (2, np.empty(0, dtype=np.int32)),
    "sets": (3, np.empty(0, dtype=np.uint8)),
}


def _sizes(parts):
    """Return the numbers of nodes, shares, codes and sides, and the length of each set."""
    sizes = tuple([len(parts[name]) for name in ("label", "share", "code", "sets")])
    return *sizes, sizes[3] // (parts["group"].max() + 1) if sizes[3] else 0


def _extended(array, used, more):
    """Write `more` after the `used` rows of an array; double its size in a copy if it is full."""
    end = used + len(more)
    if end > len(array):
        larger = np.empty((max(end, 2 * len(array)), *array.shape[1:]), dtype=array.dtype)
        larger[:used] = array[:used]
        array = larger
    array[used:end] = more
    return array


def forest_leaves(forest, X, out=None, first=0, last=None):
    """Return the leaf of each row in each tree, counted from the root of the tree.

    Parameters
    ----------
    forest : Forest
    X : float64 array (n, d)
    out : int32 array (n_trees, n), optional
        Output array.
    first, last : int
        Range of the trees to evaluate; `last` is exclusive. By default all trees.

    Returns
    -------
    leaves : int32 array (n_trees, n)
    """
    feature: cython.const[cython.int][::1] = forest.parts["feature"]
    threshold: cython.const[cython.double][::1] = forest.parts["threshold"]
    child: cython.const[cython.int][:, ::1] = forest.parts["child"]
    missing_left: cython.const[cython.uchar][::1] = forest.parts["missing_left"]
    group: cython.const[cython.int][::1] = forest.parts["group"]
    sets: cython.const[cython.uchar][::1] = forest.parts["sets"]
    starts: cython.const[cython.longlong][:, ::1] = forest.starts
    rows: cython.const[cython.double][:, ::1] = X
    begin: Index = first
    end: Index = forest.n_trees if last is None else last
    result = np.empty((forest.n_trees, len(X)), dtype=np.int32) if out is None else out
    leaves: cython.int[:, ::1] = result
    with cython.nogil:
        for k in range(begin, end):
            root = starts[k, 0]
            _walk(
                feature[root:], threshold[root:], child[root:], missing_left[root:], group[root:],
                sets[starts[k, 3] :], starts[k + 1, 4] - starts[k, 4], rows, leaves[k],
            )  # fmt: skip
    return result


def forest_labels(forest, leaves):
    """Return the class predicted by each tree for each row, as global codes.

    Parameters
    ----------
    forest : Forest
    leaves : int32 array (n_trees, n)
        ``forest_leaves(forest, X)``.

    Returns
    -------
    labels : int32 array (n_trees, n)
        The majority class of the leaf, the lowest on ties.
    """
    label: cython.const[cython.int][::1] = forest.parts["label"]
    starts: cython.const[cython.longlong][:, ::1] = forest.starts
    leaf: cython.const[cython.int][:, :] = leaves
    result = np.empty((leaf.shape[0], leaf.shape[1]), dtype=np.int32)
    labels: cython.int[:, ::1] = result
    for k in range(leaf.shape[0]):
        root = starts[k, 0]
        for i in range(leaf.shape[1]):
            labels[k, i] = label[root + leaf[k, i]]
    return result


def forest_probas(forest, leaves, n_classes, out=None, first=0, last=None):
    """Return the class frequencies of the leaf of each row in each tree, in global columns.

    Parameters
    ----------
    forest : Forest
    leaves : int32 array (n_trees, n)
        ``forest_leaves(forest, X)``.
    n_classes : int
        Number of global classes, above the largest code in the forest.
    out : float64 array (n_trees, n, n_classes), optional
        Output array.
    first, last : int
        As in `forest_leaves`.

    Returns
    -------
    probas : float64 array (n_trees, n, n_classes)
    """
    share: cython.const[cython.double][::1] = forest.parts["share"]
    code: cython.const[cython.int][::1] = forest.parts["code"]
    starts: cython.const[cython.longlong][:, ::1] = forest.starts
    leaf: cython.const[cython.int][:, :] = leaves
    begin: Index = first
    end: Index = forest.n_trees if last is None else last
    for at in range(starts[begin, 2], starts[end, 2]):
        if not 0 <= code[at] < n_classes:
            raise ValueError(
                f"The forest contains class code {code[at]}, but n_classes is {n_classes}."
            )
    result = np.empty((*leaves.shape, n_classes)) if out is None else out
    probas: cython.double[:, :, ::1] = result
    with cython.nogil:
        for k in range(begin, end):
            codes = starts[k, 2]
            width = starts[k + 1, 2] - codes
            if width < probas.shape[2]:
                probas[k, :, :] = 0.0
            for c in range(width):
                column = code[codes + c]
                for i in range(leaf.shape[1]):
                    probas[k, i, column] = share[starts[k, 1] + leaf[k, i] * width + c]
    return result
