"""Trees of scikit-learn's that come out of a file, looked at before its compiled code walks them.

Our own classes look at their state themselves when they are given it; scikit-learn's trees do not.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from driftlearn.kernels.node_checks import check_nodes


def check_arguments(name: str, arguments: Sequence[Any]) -> None:
    """Raise ValueError if a tree would be made from numbers that do not fit together."""
    if name == "sklearn.tree._tree:Tree":
        n_features, n_classes, n_outputs = arguments
        shape = np.shape(n_classes)
        if n_features < 1 or n_outputs < 1 or shape != (n_outputs,) or np.min(n_classes) < 1:
            raise ValueError(f"a tree of {n_outputs!r:.20} outputs, with classes for {shape}")


def check(name: str, arguments: Sequence[Any], state: Any) -> None:
    """Raise ValueError if the state of an object of the class `name` is no sound tree.

    Examples
    --------
    >>> import numpy as np
    >>> kinds = [("left_child", "i8"), ("right_child", "i8"), ("feature", "i8")]
    >>> state = {"nodes": np.array([(7, 1, 0)], dtype=kinds), "node_count": 1}
    >>> check("sklearn.tree._tree:Tree", (1,), state)
    Traceback (most recent call last):
    ValueError: a node of a tree has a child that is not there
    """
    if not isinstance(state, dict) or not name.startswith("sklearn."):
        return
    if name == "sklearn.tree._tree:Tree":
        _check_tree(arguments, state)
        return
    tree = state.get("tree_")
    if tree is not None and getattr(tree, "n_features", None) != state.get("n_features_in_"):
        raise ValueError("a tree has another number of features than its classifier")


def _check_tree(arguments: Sequence[Any], state: dict[str, Any]) -> None:
    nodes, n_features = state["nodes"], arguments[0]
    if state["node_count"] != len(nodes):
        raise ValueError(f"a tree says it has {state['node_count']} nodes and has {len(nodes)}")
    left, right = nodes["left_child"], nodes["right_child"]
    check_nodes(left != -1, (left, right), nodes["feature"], n_features)
