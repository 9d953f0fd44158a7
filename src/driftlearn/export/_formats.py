"""Export to treelite and SHAP."""

from typing import Any

import numpy as np

from driftlearn.dummy.refit import RefitClassifier
from driftlearn.export._boosted import trees_of
from driftlearn.export._fixed_trees import CannotExport, fixed_trees
from driftlearn.tree.boosted_trees import BoostedTreesClassifier
from driftlearn.tree.node_arrays import Tree
from driftlearn.utils.arguments import Floats
from driftlearn.utils.optional import needed

IMPOSSIBLE = -1e300  # score of a class without rows, whose probability is 0


def to_treelite(model: Any) -> Any:
    """Return a tree ensemble as a treelite model, which tl2cgen compiles to C.

    The output has a column for each of ``classes_``: the votes of an ensemble, or the scores of
    boosted trees, whose softmax are the probabilities. The label is the class of the largest, the
    first of ties. Thresholds and outputs have 64 bits, and rows must have 64 bits, too.

    Parameters
    ----------
    model : learner
        Fitted ensemble of `CARTClassifier`, `StumpClassifier` or Hoeffding trees with
        ``leaf_prediction="majority"``, a single tree, `BoostedTreesClassifier`, or a
        `RefitClassifier` of boosted trees.

    Returns
    -------
    treelite.Model

    Raises
    ------
    CannotExport
        If the prediction is not a sum of fixed votes of trees.
    """
    parts = needed("treelite.model_builder")
    boosted = _boosted_of(model)
    if boosted is None:
        fixed = fixed_trees(model)
        boosted = fixed.trees, np.zeros(len(fixed.classes))
    trees, base = boosted
    n_classes = len(base)
    builder = parts.ModelBuilder(
        threshold_type="float64",
        leaf_output_type="float64",
        metadata=parts.Metadata(
            num_feature=model.n_features_in_,
            task_type="kMultiClf",
            average_tree_output=False,
            num_target=1,
            num_class=[n_classes],
            leaf_vector_shape=(1, n_classes),
        ),
        tree_annotation=parts.TreeAnnotation(
            num_tree=len(trees), target_id=[0] * len(trees), class_id=[-1] * len(trees)
        ),
        postprocessor=parts.PostProcessorFunc(name="identity_multiclass"),
        base_scores=base.tolist(),
    )
    for tree in trees:
        _add_tree(builder, tree)
    return builder.commit()


def softmax_factor(model: Any) -> float | None:
    """Return the factor of outputs whose softmax are probabilities, None if their shares are."""
    return 1.0 if _boosted_of(model) is not None else fixed_trees(model).sharpness


def _boosted_of(model: Any) -> tuple[list[Tree], Floats] | None:
    """Return boosted trees and their base scores in the columns of the classes, None if others."""
    core, classes = model, getattr(model, "classes_", ())
    if isinstance(model, RefitClassifier):
        model._check_fitted()
        (core,) = model.committee_.models
    if not isinstance(core, BoostedTreesClassifier):
        return None
    core._check_fitted()
    places = np.searchsorted(classes, core.classes_[core.present_])
    scored = places[1:] if len(places) == 2 else places[: len(core.baseline_)]
    base = np.full(len(classes), IMPOSSIBLE)
    base[places] = 0.0
    base[scored] = core.baseline_
    trees = []
    for tree in trees_of(core):
        value = np.zeros((len(tree.feature), len(classes)))
        value[:, scored] = tree.value
        trees.append(tree._replace(value=value))
    return trees or [_leaf(len(classes))], base


def _leaf(n_classes: int) -> Tree:
    """Return a tree without splits whose value is 0, since treelite needs a tree."""
    no = np.zeros(1, dtype=bool)
    child = np.array([-1])
    return Tree(child, np.zeros(1), child, child, np.zeros((1, n_classes)), no, no)


def _add_tree(builder: Any, tree: Tree) -> None:
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
            builder.categorical_test(category_list=codes, category_list_right_child=right, **split)
        else:
            builder.numerical_test(threshold=threshold, opname="<=", **split)
        builder.end_node()
    builder.end_tree()


def to_shap(model: Any) -> dict[str, Any]:
    """Return a tree ensemble in the form that ``shap.TreeExplainer`` accepts.

    SHAP values of a row and a class, together with the expected value, add up to the votes of the
    row for the class.

    Parameters
    ----------
    model : learner
        As for `to_treelite`, without boosted trees and splits of nominal features.

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
