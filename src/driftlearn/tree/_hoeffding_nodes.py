# cython: infer_types=True
"""Nodes of a Hoeffding tree and the path of a row through them."""

import cython
import numpy as np

from driftlearn.io._node_checks import check_sibling_nodes
from driftlearn.io.schema import InvalidStateError, floats, integer, integers, newer
from driftlearn.tree._random_features import draw_features

# Number of nodes whose attributes are drawn at a time, which costs hardly more than drawing for one
# node. It is part of the seeds: changing it changes every tree with random features.
BLOCK = 64
# Columns of `links`.
FEATURE = cython.declare(cython.int, 0)
CHILD = cython.declare(cython.int, 1)
MISSING_LEFT = cython.declare(cython.int, 2)


@cython.cclass
class HoeffdingNodes:
    """Nodes in flat arrays whose size doubles when they are full; the first node is the root.

    Parameters
    ----------
    n_features : int
        Number of attributes.
    n_chosen : int
        Number of attributes drawn for every node, stored in `subset`; 0 draws none.
    seed : int
        Seed of these draws.

    Notes
    -----
    A row of `links` contains the feature of a node, its child, and whether missing values go left.
    The child of an inner node is its left child; the right child is the next node. A leaf has
    feature -1, and its child is its number in `HoeffdingLeaves`.

    The attributes of a leaf at node n are those with the smallest of the numbers
    ``default_rng([seed, 1 + n // 64]).random((64, n_features))[n % 64]``. The leaf still stores
    statistics of all attributes, which naive Bayes uses.
    """

    STATE = {
        "feature": integers("nodes", least=-1, below="n_features"),
        "threshold": floats("nodes"),
        "child": integers("nodes", least=0),
        "missing_left": newer(integers("nodes", least=0, below=2)),
        "seed": newer(integer(0)),
        "subset": newer(integers("drawn", "chosen", least=0, below="n_features")),
    }

    def __init__(self, n_features, n_chosen, seed):
        self.n = 1
        self.links = np.array([[-1, 0, 0]], dtype=np.int32)
        self.threshold = np.zeros(1)
        self.n_features = n_features
        n_chosen = 0 if n_chosen >= n_features else n_chosen
        self.seed = seed if n_chosen > 0 else 0
        self.subset = np.zeros((0, n_chosen), dtype=np.int32)
        self._choose(1)

    def _choose(self, n: cython.int):
        """Draw attributes for at least `n` nodes, one block of nodes at a time."""
        n_chosen = self.subset.shape[1]
        while n_chosen > 0 and len(self.subset) < n:
            k, done = divmod(len(self.subset), BLOCK)
            block = draw_features([self.seed, 1 + k], BLOCK, self.n_features, n_chosen)
            self.subset = np.vstack([self.subset, block[done:].astype(np.int32)])

    def find(self, row, leaves):
        """Return the leaf node of a row.

        The child is computed from comparison results, since branches would often be mispredicted.
        """
        if leaves.any_nominal:
            return self._find_nominal(row, leaves)
        node: cython.int = 0
        f = self.links[0, FEATURE]
        while f >= 0:
            x = row[f]
            if x != x:
                node = self.links[node, CHILD] + (not self.links[node, MISSING_LEFT])
            else:
                node = self.links[node, CHILD] + (x > self.threshold[node])
            f = self.links[node, FEATURE]
        return node

    def _find_nominal(self, row, leaves):
        node: cython.int = 0
        f = self.links[0, FEATURE]
        while f >= 0:
            x = row[f]
            t = self.threshold[node]
            if x != x:
                node = self.links[node, CHILD] + (not self.links[node, MISSING_LEFT])
            elif leaves.nominal[f]:
                node = self.links[node, CHILD] + (x != t)
            else:
                node = self.links[node, CHILD] + (x > t)
            f = self.links[node, FEATURE]
        return node

    def has_room(self):
        """Return whether the arrays have room for two more nodes."""
        n = self.n + 2
        return n <= self.links.shape[0] and (self.subset.shape[1] == 0 or n <= self.subset.shape[0])

    def make_room(self):
        """Enlarge the arrays if they have no room for two more nodes."""
        self._choose(self.n + 2)
        if self.n + 2 > len(self.links):
            size = 2 * self.n + 2
            links, threshold = np.zeros((size, 3), dtype=np.int32), np.zeros(size)
            links[: self.n], threshold[: self.n] = self.links[: self.n], self.threshold[: self.n]
            self.links, self.threshold = links, threshold

    def split(self, node, feature, cut, missing_left, right):
        """Turn a leaf into an inner node with two children; `right` is the number of the new leaf.

        The arrays must have room for two more nodes.
        """
        leaf, first = self.links[node, CHILD], self.n
        self._write(node, feature, first, missing_left, cut)
        self._write(first, -1, leaf, False, 0.0)
        self._write(first + 1, -1, right, False, 0.0)
        self.n = first + 2

    def _write(self, node, feature, child, missing_left, cut):
        self.links[node, FEATURE] = feature
        self.links[node, CHILD] = child
        self.links[node, MISSING_LEFT] = missing_left
        self.threshold[node] = cut

    def copy(self):
        """Return an independent copy."""
        other: HoeffdingNodes = HoeffdingNodes.__new__(HoeffdingNodes)
        other.n, other.n_features, other.seed = self.n, self.n_features, self.seed
        other.subset = self.subset  # shared, since it is read-only
        other.links, other.threshold = self.links.copy(), self.threshold.copy()
        return other

    @property
    def n_bytes(self):
        """Memory of the arrays in bytes, including unused capacity."""
        # Per node: three int32 links, a float64 threshold, and int32 attribute numbers.
        return 20 * len(self.links) + 4 * np.size(self.subset)

    def get_state(self):
        """Return the state as a dict of arrays and the seed."""
        links = np.asarray(self.links)[: self.n]
        return {
            "feature": links[:, FEATURE].copy(),
            "threshold": np.array(self.threshold[: self.n]),
            "child": links[:, CHILD].copy(),
            "missing_left": links[:, MISSING_LEFT].astype(np.uint8),
            "seed": int(self.seed),
            "subset": np.array(self.subset[: self.n]),
        }

    def set_state(self, state):
        """Restore a state returned by `get_state`."""
        self.n = len(state["feature"])
        links = np.empty((self.n, 3), dtype=np.int32)
        links[:, FEATURE], links[:, CHILD] = state["feature"], state["child"]
        links[:, MISSING_LEFT] = state.get("missing_left", 1)
        self.links, self.threshold = links, np.array(state["threshold"], dtype=float)
        self.seed = state.get("seed", 0)
        self.subset = np.array(state.get("subset", np.zeros((0, 0))), dtype=np.int32, order="C")

    @staticmethod
    def check_state(state):
        """Raise ValueError unless the nodes form a tree whose leaves exist."""
        feature, child = state["feature"], state["child"]
        leaf = check_sibling_nodes(feature, child, state["n_features"])
        if leaf >= len(state["depth"]):
            raise InvalidStateError("a node of the tree refers to a leaf that does not exist")
        subset = state.get("subset", np.zeros((0, 0)))
        if subset.shape[1] and len(subset) != len(feature):
            raise InvalidStateError("the feature subsets do not match the nodes of the tree")
