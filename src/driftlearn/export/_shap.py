"""A committee of trees as SHAP takes trees that it does not know."""

from __future__ import annotations

from typing import Any

import numpy as np

from driftlearn.export._fixed_trees import CannotExport, fixed_trees


def to_shap(model: Any) -> dict[str, Any]:
    """Return a learner of trees as what ``shap.TreeExplainer`` takes.

    The values of ``shap.TreeExplainer(to_shap(model))`` are shares of the votes: those of a row
    and a class and the expected value add up to the votes of the row for the class.

    Parameters
    ----------
    model : learner
        As for `to_onnx`; its trees must not split by the equality of nominal features.

    Returns
    -------
    dict
        The trees, under ``"trees"``.

    Raises
    ------
    CannotExport
        If its answers are no sum of fixed votes of trees, or a split asks for equality.

    Examples
    --------
    >>> from driftlearn import CARTClassifier
    >>> tree = to_shap(CARTClassifier(min_samples_split=2).fit([[1.0], [2.0]], ["a", "b"]))["trees"]
    >>> tree[0]["thresholds"].tolist(), tree[0]["values"][1:].tolist()
    ([1.5, 0.0, 0.0], [[1.0, 0.0], [0.0, 1.0]])
    """
    trees = fixed_trees(model).trees
    if any(tree.nominal.any() for tree in trees):
        raise CannotExport("SHAP knows no split by the equality of a nominal feature")
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
