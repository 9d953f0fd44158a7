"""Nodes of ONNX graphs, among them ensembles of trees."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from driftlearn.tree.node_arrays import Tree
from driftlearn.utils.arguments import Floats, Ints

OPSETS = (("", 17), ("ai.onnx.ml", 3))  # ai.onnx.ml has 64-bit thresholds since version 3


class Graph:
    """Nodes and constants of an ONNX graph; values are named.

    Parameters
    ----------
    onnx : module
        The package onnx.

    Attributes
    ----------
    n_features : int
        Number of columns of the matrix of the learner.
    """

    def __init__(self, onnx: Any):
        self.onnx, self.n_features = onnx, 0
        self.nodes: list[Any] = []
        self.constants: list[Any] = []

    def node(self, kind: str, *inputs: Any, out: str = "", **how: Any) -> str:
        """Add a node and return the name of its output; arrays and numbers become constants."""
        name = out or f"driftlearn.node{len(self.nodes)}"
        names = [each if isinstance(each, str) else self.constant(each) for each in inputs]
        self.nodes.append(self.onnx.helper.make_node(kind, names, [name], **how))
        return name

    def constant(self, values: Any) -> str:
        """Add a constant and return its name."""
        name = f"driftlearn.constant{len(self.constants)}"
        self.constants.append(self.tensor(name, np.asarray(values)))
        return name

    def tensor(self, name: str, values: np.ndarray) -> Any:
        """Return an array as a tensor."""
        return self.onnx.numpy_helper.from_array(values, name)

    def cast(self, name: str, kind: str) -> str:
        """Convert a value to a type such as "DOUBLE"."""
        return self.node("Cast", name, to=getattr(self.onnx.TensorProto, kind))

    def columns(self, X: str, places: Sequence[int] | Ints) -> str:
        """Return columns of a matrix."""
        return self.node("Gather", X, np.asarray(places, dtype=np.int64), axis=1)

    def placed(self, probas: str, places: Ints, n: int) -> str:
        """Return a matrix with `n` columns that has the given ones at some places, 0 elsewhere."""
        if np.array_equal(places, np.arange(n)):
            return probas
        selection = np.zeros((len(places), n))
        selection[np.arange(len(places)), places] = 1.0
        return self.node("MatMul", probas, selection)

    def filled(self, X: str, value: Any) -> str:
        """Return values with nan replaced."""
        return self.node("Where", self.node("IsNaN", X), value, X)

    def shares(self, votes: str, n: int, out: str = "") -> str:
        """Normalize votes; rows without votes get equal probabilities."""
        total = self.node("ReduceSum", votes, np.array([1]), keepdims=1)
        some = self.node("Greater", total, 0.0)
        share = self.node("Div", votes, total)
        return self.node("Where", some, share, 1.0 / n, out=out)

    def repeated(self, X: str, row: Floats) -> str:
        """Return a row as often as a matrix has rows."""
        size = self.node("Slice", self.node("Shape", X), np.array([0]), np.array([1]))
        shape = self.node("Concat", size, np.array([len(row)]), axis=0)
        return self.node("Expand", row[None], shape)

    def leaves(self, X: str, trees: list[Tree]) -> str:
        """Return the leaf of each row in each tree, numbered through all trees."""
        X, trees = self._with_sets(X, trees)
        sizes = [len(tree.feature) for tree in trees]
        in_tree = np.repeat(np.arange(len(trees)), sizes)
        of_node = np.concatenate([np.arange(n) for n in sizes])
        leaf = np.concatenate([tree.feature < 0 for tree in trees])
        nominal = np.concatenate([tree.nominal for tree in trees])
        modes = np.where(nominal, "BRANCH_EQ", "BRANCH_LEQ")

        def inner(name: str) -> list[int]:
            every = np.concatenate([getattr(tree, name) for tree in trees])
            return np.where(leaf, 0, every).astype(int).tolist()

        thresholds = np.concatenate([tree.threshold for tree in trees])
        first = np.cumsum([0, *sizes[:-1]])
        numbers = (first[in_tree] + of_node)[leaf].astype(float)
        found = self.node(
            "TreeEnsembleRegressor", X, domain="ai.onnx.ml", n_targets=len(trees),
            nodes_treeids=in_tree.tolist(), nodes_nodeids=of_node.tolist(),
            nodes_featureids=inner("feature"), nodes_modes=np.where(leaf, "LEAF", modes).tolist(),
            nodes_values_as_tensor=self.tensor("", np.where(leaf, 0.0, thresholds)),
            nodes_truenodeids=inner("left"), nodes_falsenodeids=inner("right"),
            nodes_missing_value_tracks_true=inner("missing_left"),
            target_treeids=in_tree[leaf].tolist(), target_nodeids=of_node[leaf].tolist(),
            target_ids=in_tree[leaf].tolist(), target_weights_as_tensor=self.tensor("", numbers),
        )  # fmt: skip
        return self.cast(found, "INT64")

    def votes(self, X: str, trees: list[Tree]) -> str:
        """Return the sums of the values of the leaves, added in the order of the trees."""
        leaves = self.leaves(X, trees)
        table = self.constant(np.concatenate([tree.value for tree in trees]))
        total = ""
        for k in range(len(trees)):
            votes = self.node("Gather", table, self.node("Gather", leaves, np.array(k), axis=1))
            total = self.node("Add", total, votes) if total else votes
        return total

    def scores(self, X: str, trees: list[Tree]) -> str:
        """Return the sums of the values of the leaves of many trees, in any order."""
        leaves = self.leaves(X, trees)
        values = self.node("Gather", np.concatenate([tree.value for tree in trees]), leaves)
        return self.node("ReduceSum", values, np.array([1]), keepdims=0)

    def _with_sets(self, X: str, trees: list[Tree]) -> tuple[str, list[Tree]]:
        """Replace splits into groups of codes by splits of columns that are 1 for the right side.

        The columns are appended to the matrix. ONNX has no splits into groups.
        """
        groups: dict[tuple[int, bytes], int] = {}
        tables: dict[int, list[np.ndarray]] = {}
        for tree in trees:
            if tree.sides is None:
                continue
            for node in np.flatnonzero(tree.nominal & (tree.feature >= 0)).tolist():
                f, right = int(tree.feature[node]), _right_codes(tree, node)
                key = f, right.tobytes()
                if key not in groups:
                    groups[key] = len(tables.setdefault(f, []))
                    tables[f].append(right)
        if not groups:
            return X, trees
        n_features = self.n_features
        parts, begins = [X], {}
        for f, columns in tables.items():
            begins[f] = n_features
            n_features += len(columns)
            width = max(map(len, columns))
            # the last entry is that of missing codes, and of codes beyond the table
            table = np.array([np.append(c[:-1], [c[-1]] * (width - len(c) + 1)) for c in columns])
            parts.append(self.node("Gather", table.T, self.codes(X, f, width - 1)))
        changed = []
        for tree in trees:
            feature, threshold = tree.feature.copy(), tree.threshold.copy()
            for node in np.flatnonzero(tree.nominal & (tree.feature >= 0)).tolist():
                if tree.sides is not None:
                    f = int(tree.feature[node])
                    key = f, _right_codes(tree, node).tobytes()
                    feature[node], threshold[node] = begins[f] + groups[key], 0.5
            nominal = tree.nominal & (tree.sides is None)
            changed.append(tree._replace(feature=feature, threshold=threshold, nominal=nominal))
        return self.node("Concat", *parts, axis=1), changed

    def codes(self, X: str, feature: int, n: int) -> str:
        """Return the codes of a column as positions 0, ..., n - 1; n for all other values."""
        column = self.node("Gather", X, np.array(feature), axis=1)
        whole = self.node("Equal", self.node("Floor", column), column)
        there = self.node("GreaterOrEqual", column, 0.0)
        below = self.node("Less", column, float(n))
        valid = self.node("And", whole, self.node("And", there, below))
        return self.cast(self.node("Where", valid, column, float(n)), "INT64")


def _right_codes(tree: Tree, node: int) -> Floats:
    """Return 1 for each code that goes right, else 0; the last entry is that of missing codes."""
    assert tree.sides is not None
    side = tree.sides[node]
    missing_right = not tree.missing_left[node]
    return np.append(np.where(side == 0, missing_right, side == 2), missing_right).astype(float)
