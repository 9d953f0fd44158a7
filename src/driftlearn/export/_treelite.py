"""Export of tree ensembles to treelite."""

from typing import Any

from driftlearn.export._fixed_trees import fixed_trees
from driftlearn.utils.optional import needed


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
                builder.categorical_test(
                    category_list=[int(threshold)], category_list_right_child=False, **split
                )
            else:
                builder.numerical_test(threshold=threshold, opname="<=", **split)
            builder.end_node()
        builder.end_tree()
    return builder.commit()
