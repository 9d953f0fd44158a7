"""Export of tree ensembles to SHAP."""

from typing import Any

import numpy as np

from driftlearn.export._fixed_trees import CannotExport, fixed_trees


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
        If the prediction is not a sum of fixed votes of trees, or a split tests equality.

    Examples
    --------
    >>> from driftlearn import CARTClassifier
    >>> tree = to_shap(CARTClassifier(min_samples_split=2).fit([[1.0], [2.0]], ["a", "b"]))["trees"]
    >>> tree[0]["thresholds"].tolist(), tree[0]["values"][1:].tolist()
    ([1.5, 0.0, 0.0], [[1.0, 0.0], [0.0, 1.0]])
    """
    trees = fixed_trees(model).trees
    if any(tree.nominal.any() for tree in trees):
        raise CannotExport(
            "SHAP does not support splits that test the equality of a nominal feature"
        )
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
