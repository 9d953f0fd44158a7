"""Export of tree ensembles to ONNX, treelite and SHAP."""

from typing import Any

import numpy as np

from driftlearn.export._fixed_trees import CannotExport, FixedTrees, fixed_trees
from driftlearn.utils.optional import needed
from driftlearn.utils.version import __version__

OPSETS = (("", 17), ("ai.onnx.ml", 3))  # ai.onnx.ml has 64-bit thresholds since version 3
IR_VERSION = 8  # IR version that belongs to these opsets; readers reject newer versions


def to_onnx(model: Any) -> Any:
    """Return a tree ensemble as an ONNX model.

    The input ``X`` is a matrix of 64-bit floats, so that no value is rounded across a threshold;
    missing values are nan. The outputs are ``label`` and ``probabilities``, with a column for each
    of ``classes_``. The votes of the leaves that a row reaches are added in the order of the
    members, so that every runtime returns the labels of `predict`.

    Parameters
    ----------
    model : learner
        Fitted ensemble of `CARTClassifier`, `StumpClassifier` or Hoeffding trees with
        ``leaf_prediction="majority"``, or a single tree.

    Returns
    -------
    onnx.ModelProto
        Model; ``to_onnx(model).SerializeToString()`` returns the bytes of a file.

    Raises
    ------
    CannotExport
        If the prediction is not a sum of fixed votes of trees.
    """
    onnx = needed("onnx")
    return _Graph(onnx, fixed_trees(model)).built()


class _Graph:
    def __init__(self, onnx: Any, fixed: FixedTrees):
        self.onnx, self.fixed = onnx, fixed
        self.nodes: list[Any] = []
        self.constants: list[Any] = []

    def built(self) -> Any:
        helper = self.onnx.helper
        votes = self._votes(self._leaves())
        if self.fixed.sharpness is None:
            scores = self._shares(votes, "probabilities")
        else:
            scores = votes
            sharper = self._node("Mul", votes, self._constant(np.array(self.fixed.sharpness)))
            self._node("Softmax", sharper, out="probabilities", axis=1)
        best = self._node("ArgMax", scores, axis=1, keepdims=0)
        classes = _plain(self.fixed.classes)
        self._node("Gather", self._constant(classes), best, out="label")
        matrix, info = self.onnx.TensorProto.DOUBLE, helper.make_tensor_value_info
        rows = info("X", matrix, ["rows", self.fixed.n_features])
        label = info("label", self.constants[-1].data_type, ["rows"])
        probas = info("probabilities", matrix, ["rows", len(classes)])
        graph = helper.make_graph(self.nodes, "driftlearn", [rows], [label, probas], self.constants)
        built = helper.make_model(
            graph,
            opset_imports=[helper.make_opsetid(*each) for each in OPSETS],
            producer_name="driftlearn",
            producer_version=__version__,
            ir_version=IR_VERSION,
        )
        self.onnx.checker.check_model(built)
        return built

    def _leaves(self) -> str:
        """Add nodes that find the leaf of each row in each tree, numbered through all trees."""
        trees = self.fixed.trees
        if any(tree.sides is not None for tree in trees):
            raise CannotExport("ONNX does not support splits of nominal features into groups")
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
        n = len(trees)
        found = self._node(
            "TreeEnsembleRegressor", "X", domain="ai.onnx.ml", n_targets=n,
            nodes_treeids=in_tree.tolist(), nodes_nodeids=of_node.tolist(),
            nodes_featureids=inner("feature"), nodes_modes=np.where(leaf, "LEAF", modes).tolist(),
            nodes_values_as_tensor=self._tensor("", np.where(leaf, 0.0, thresholds)),
            nodes_truenodeids=inner("left"), nodes_falsenodeids=inner("right"),
            nodes_missing_value_tracks_true=inner("missing_left"),
            target_treeids=in_tree[leaf].tolist(), target_nodeids=of_node[leaf].tolist(),
            target_ids=in_tree[leaf].tolist(), target_weights_as_tensor=self._tensor("", numbers),
        )  # fmt: skip
        return self._node("Cast", found, to=self.onnx.TensorProto.INT64)

    def _votes(self, leaves: str) -> str:
        """Add nodes that sum the votes of the leaves, in the order of the trees."""
        table = self._constant(np.concatenate([tree.value for tree in self.fixed.trees]))
        total = ""
        for k in range(len(self.fixed.trees)):
            which = self._node("Gather", leaves, self._constant(np.array(k)), axis=1)
            votes = self._node("Gather", table, which)
            total = self._node("Add", total, votes) if total else votes
        return total

    def _shares(self, votes: str, out: str) -> str:
        """Add nodes that normalize votes; rows without votes get equal probabilities."""
        total = self._node("ReduceSum", votes, self._constant(np.array([1])), keepdims=1)
        some = self._node("Greater", total, self._constant(np.array(0.0)))
        share = self._node("Div", votes, total)
        even = self._constant(np.array(1.0 / len(self.fixed.classes)))
        return self._node("Where", some, share, even, out=out)

    def _node(self, kind: str, *inputs: str, out: str = "", **how: Any) -> str:
        name = out or f"n{len(self.nodes)}"
        self.nodes.append(self.onnx.helper.make_node(kind, list(inputs), [name], **how))
        return name

    def _constant(self, values: np.ndarray) -> str:
        name = f"c{len(self.constants)}"
        self.constants.append(self._tensor(name, values))
        return name

    def _tensor(self, name: str, values: np.ndarray) -> Any:
        return self.onnx.numpy_helper.from_array(values, name)


def _plain(classes: np.ndarray) -> np.ndarray:
    """Return labels in a dtype of ONNX: 64-bit numbers, bools or strings."""
    kind = classes.dtype.kind
    wide = {"i": np.int64, "u": np.int64, "f": np.float64, "b": np.bool_}
    return classes.astype(wide.get(kind, object))


def to_treelite(model: Any) -> Any:
    """Return a tree ensemble as a treelite model, which tl2cgen compiles to C.

    The output is the votes, with a column for each of ``classes_``; the label is the class of the
    largest, the first of ties. Thresholds and votes have 64 bits, and rows must have 64 bits, too.

    Parameters
    ----------
    model : learner
        As for `to_onnx`.

    Returns
    -------
    treelite.Model

    Raises
    ------
    CannotExport
        If the prediction is not a sum of fixed votes of trees.
    """
    parts = needed("treelite.model_builder")
    fixed = fixed_trees(model)
    n_trees, n_classes = len(fixed.trees), len(fixed.classes)
    builder = parts.ModelBuilder(
        threshold_type="float64",
        leaf_output_type="float64",
        metadata=parts.Metadata(
            num_feature=fixed.n_features,
            task_type="kMultiClf",
            average_tree_output=False,
            num_target=1,
            num_class=[n_classes],
            leaf_vector_shape=(1, n_classes),
        ),
        tree_annotation=parts.TreeAnnotation(
            num_tree=n_trees, target_id=[0] * n_trees, class_id=[-1] * n_trees
        ),
        postprocessor=parts.PostProcessorFunc(name="identity_multiclass"),
        base_scores=[0.0] * n_classes,
    )
    for tree in fixed.trees:
        builder.start_tree()
        for node, feature in enumerate(tree.feature.tolist()):
            builder.start_node(node)
            threshold = float(tree.threshold[node])
            split = {
                "feature_id": feature,
                "default_left": bool(tree.missing_left[node]),
                "left_child_key": int(tree.left[node]),
                "right_child_key": int(tree.right[node]),
            }
            if feature < 0:
                builder.leaf(tree.value[node].tolist())
            elif tree.nominal[node]:
                codes, right = [int(threshold)], False
                if tree.sides is not None:  # codes in no list go to the other child
                    right = bool(tree.missing_left[node])
                    codes = np.flatnonzero(tree.sides[node] == (2 if right else 1)).tolist()
                builder.categorical_test(
                    category_list=codes, category_list_right_child=right, **split
                )
            else:
                builder.numerical_test(threshold=threshold, opname="<=", **split)
            builder.end_node()
        builder.end_tree()
    return builder.commit()


def to_shap(model: Any) -> dict[str, Any]:
    """Return a tree ensemble in the form that ``shap.TreeExplainer`` accepts.

    SHAP values of a row and a class, together with the expected value, add up to the votes of the
    row for the class.

    Parameters
    ----------
    model : learner
        As for `to_onnx`, without splits of nominal features.

    Returns
    -------
    dict
        Trees under the key ``"trees"``.

    Raises
    ------
    CannotExport
        If the prediction is not a sum of fixed votes of trees, or a split is nominal.

    Examples
    --------
    >>> from driftlearn import CARTClassifier
    >>> tree = to_shap(CARTClassifier(min_samples_split=2).fit([[1.0], [2.0]], ["a", "b"]))["trees"]
    >>> tree[0]["thresholds"].tolist(), tree[0]["values"][1:].tolist()
    ([1.5, 0.0, 0.0], [[0.75, 0.25], [0.25, 0.75]])
    """
    trees = fixed_trees(model).trees
    if any(tree.nominal.any() for tree in trees):
        raise CannotExport("SHAP does not support splits of nominal features")
    return {
        "trees": [
            {
                "children_left": tree.left,
                "children_right": tree.right,
                "children_default": np.where(tree.missing_left, tree.left, tree.right),
                "features": tree.feature,
                "thresholds": tree.threshold,
                "values": tree.value,
                "node_sample_weight": tree.cover,
            }
            for tree in trees
        ]
    }
