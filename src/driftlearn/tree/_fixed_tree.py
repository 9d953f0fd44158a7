# cython: infer_types=True
"""Batch-trained decision tree with the interface of an online model."""

import cython
import numpy as np

if not cython.compiled:
    from driftlearn.base._online_model import OnlineModel
    from driftlearn.tree._packed_trees import side_of

from driftlearn.io._node_checks import check_nodes
from driftlearn.io.schema import InvalidStateError, floats, integers, newer
from driftlearn.utils._class_axis import widened


@cython.cclass
class FixedTree(OnlineModel):
    """Static tree of `driftlearn.tree._grow_tree` as a member of an ensemble of online models.

    The tree predicts, but is not trained further.

    Parameters
    ----------
    n_features, n_classes : int
        Number of features and classes.
    tree : tuple of arrays
        Features, thresholds, left children, right children, class weights, and flags for nodes
        that send missing values left; with nominal features, also groups and sets.
    codes : int array
        Class codes of the columns of the class weights.

    Attributes
    ----------
    n_nodes : int
        Number of nodes.

    Examples
    --------
    >>> from driftlearn.tree._grow_tree import grow
    >>> from driftlearn.base._presort import presort
    >>> X = np.array([[0.0], [1.0], [2.0], [4.0]])
    >>> tree = grow(X, presort(X), np.array([0, 0, 1, 1]), np.ones(4), 2, min_samples_split=2)
    >>> model = FixedTree(1, 3, tree, np.array([0, 2]))
    >>> print(*(model.predict_one(X, i) for i in range(4)))
    0 0 2 2
    """

    STATE = {
        **OnlineModel.STATE,
        "feature": integers("nodes", least=-1),
        "threshold": floats("nodes", finite=False),
        "child": integers("nodes", 2),
        "share": floats("nodes", "n_classes", least=0),
        "missing_left": newer(integers("nodes", least=0, below=2)),
        "group": newer(integers("nodes", least=-1)),
        "sets": newer(integers("sets", "codes", least=0, below=3)),
    }

    def __init__(self, n_features, n_classes, tree, codes):
        OnlineModel.__init__(self, n_features, n_classes)
        feature, threshold, left, right, value, missing_left, *sides = tree
        group, sets = sides or (np.full(len(feature), -1), np.zeros((0, 0)))
        self.feature = np.array(feature, dtype=np.int32)
        self.threshold = np.array(threshold, dtype=float)
        self.child = np.stack((left, right), axis=1).astype(np.int32)
        self.share = widened(value / value.sum(axis=1, keepdims=True), codes, n_classes, axis=1)
        self.missing_left = np.array(missing_left, dtype=np.uint8)
        self.group = np.array(group, dtype=np.int32)
        self.sets = np.array(sets, dtype=np.uint8)
        self.weight_seen = value[0].sum()
        self._prepare()

    def _prepare(self):
        self.n_nodes = len(self.feature)
        self.label = np.asarray(self.share).argmax(axis=1).astype(np.int32)
        self.sides = np.asarray(self.sets).reshape(-1)

    @staticmethod
    def check_state(state):
        """Raise ValueError unless the nodes form a tree and there is at least one class."""
        feature, child = state["feature"], state["child"]
        if state["n_classes"] < 1:
            raise InvalidStateError("n_classes of a tree must be at least 1")
        check_nodes(feature >= 0, (child[:, 0], child[:, 1]), feature, state["n_features"])
        if "group" in state and state["group"].max(initial=-1) >= len(state["sets"]):
            raise InvalidStateError("a nominal split of a tree has no sides")

    @property
    def n_bytes(self):
        """Memory of all arrays, in bytes."""
        # Bytes per node: feature 4, threshold 8, children 8, missing_left 1, group 4 and label 4.
        return self.n_nodes * (29 + 8 * self.n_classes) + len(self.sides)

    def _leaf_of(self, X, i):
        """Return the leaf of row `i`."""
        node: cython.Py_ssize_t = 0
        while self.feature[node] >= 0:
            x = X[i, self.feature[node]]
            side: cython.Py_ssize_t = 0 if x <= self.threshold[node] else 1
            if x != x:
                side = 1 - self.missing_left[node]
            if self.group[node] >= 0:
                n_codes = self.sets.shape[1]
                at = self.group[node] * n_codes
                side = side_of(self.sides, at, n_codes, x, self.missing_left[node])
            node = self.child[node, side]
        return node

    def scores_one(self, X, i, out):
        """Write the class frequencies of row `i`'s leaf to `out`."""
        leaf = self._leaf_of(X, i)
        for c in range(self.n_classes):
            out[c] = self.share[leaf, c]

    def predict_one(self, X, i):
        """Return the majority class of row `i`'s leaf; the lowest code on ties."""
        return self.label[self._leaf_of(X, i)]

    def widen(self, positions, n_classes):
        """Adapt to `n_classes` classes, where old class ``c`` becomes ``positions[c]``."""
        self.share = widened(self.share, positions, n_classes, axis=1)
        self.n_classes = n_classes
        self._prepare()

    def set_state(self, state):
        """Restore a state returned by `get_state`; without `missing_left`, they go left."""
        left = np.ones(len(state["feature"]), dtype=np.uint8)
        none = {"group": np.full(len(left), -1, dtype=np.int32), "sets": np.zeros((0, 0), np.uint8)}
        OnlineModel.set_state(self, {"missing_left": left, **none, **state})
