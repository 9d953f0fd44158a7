"""Trees that come out of a file, looked at before compiled code walks down them.

Compiled walks do not check where a node's children and its feature are. A file that was crafted
could send them outside of their arrays; these checks, a few operations a tree, refuse that.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np


def check(name: str, arguments: Sequence[Any], state: Any) -> None:
    """Raise ValueError if the state of an object of the class `name` is no sound tree.

    Examples
    --------
    >>> state = {"feature": np.array([0, -1, -1]), "child": np.array([7, 0, 0]), "n_features": 1}
    >>> check("driftlearn.engines.hoeffding_model:HoeffdingTree", (), state | {"depth": [0]})
    Traceback (most recent call last):
    ValueError: a node of a tree has a child that is not there
    """
    if name in CHECKS:
        CHECKS[name](arguments, state)
    elif isinstance(state, dict) and name.startswith("sklearn."):
        tree = state.get("tree_")
        if getattr(tree, "n_features", None) != state.get("n_features_in_") and tree is not None:
            raise ValueError("a tree has another number of features than its classifier")


def check_nodes(inner: Any, children: Sequence[Any], feature: Any, n_features: int) -> None:
    """Raise unless each inner node has its children behind it and a feature that exists."""
    n = len(inner)
    if n == 0 or any(np.shape(child) != (n,) for child in children):
        raise ValueError("the arrays of a tree differ in length")
    at = inner.nonzero()[0]
    if len(at) == 0:
        return
    for child in children:
        child = child[at]
        if (child <= at).any() or child.max() >= n:
            raise ValueError("a node of a tree has a child that is not there")
    feature = feature[at]
    if feature.min() < 0 or feature.max() >= n_features:
        raise ValueError(f"a node of a tree splits a feature beyond the {n_features} there are")


def check_cart(_: Sequence[Any], state: dict[str, Any]) -> None:
    """Check the flat arrays of a `CARTClassifier`, if it is fitted."""
    if "feature_" not in state:
        return
    feature, left, right = state["feature_"], state["left_"], state["right_"]
    check_nodes(feature >= 0, (left, right), feature, state["n_features_in_"])
    if state["threshold_"].shape != feature.shape:
        raise ValueError("the arrays of a tree differ in length")
    if state["value_"].shape != (len(feature), len(state["classes_"])):
        raise ValueError("the class counts of a tree have another shape than nodes and classes")


def check_hoeffding(_: Sequence[Any], state: dict[str, Any]) -> None:
    """Check the nodes of a Hoeffding tree and the statistics of its leaves."""
    feature, child = state["feature"], state["child"]
    d, n_leaves = state["n_features"], len(state["depth"])
    check_nodes(feature >= 0, (child, np.where(feature >= 0, child + 1, child)), feature, d)
    leaf = child[feature < 0]
    if (leaf < 0).any() or (leaf >= n_leaves).any():
        raise ValueError("a node of a tree has a leaf that is not there")
    offset = state["offset"]
    room = np.diff(offset)
    if len(room) != d or offset[0] != 0 or (room < 0).any() or (state["n_values"] > room).any():
        raise ValueError("the nominal values of a tree have no room")
    by_class = (n_leaves, state["n_classes"])
    shapes = {
        **dict.fromkeys(("since_check", "majority_right", "bayes_right"), (n_leaves,)),
        **dict.fromkeys(("class_weight", "weight"), by_class),
        **dict.fromkeys(("mean", "m2", "low", "high"), (*by_class, d)),
        "counts": (*by_class, offset[-1]),
        "threshold": feature.shape,
        "nominal": (d,),
        "n_values": (d,),
    }
    for name, shape in shapes.items():
        if np.shape(state[name]) != shape:
            raise ValueError(f"{name} of a tree has shape {np.shape(state[name])}, not {shape}")


def check_sklearn(arguments: Sequence[Any], state: dict[str, Any]) -> None:
    """Check the nodes of a tree of scikit-learn's, which does not do it itself."""
    nodes, n_features = state["nodes"], arguments[0]
    if state["node_count"] != len(nodes):
        raise ValueError(f"a tree says it has {state['node_count']} nodes and has {len(nodes)}")
    left, right = nodes["left_child"], nodes["right_child"]
    check_nodes(left != -1, (left, right), nodes["feature"], n_features)


CHECKS: dict[str, Callable[[Sequence[Any], Any], None]] = {
    "driftlearn.learners.cart:CARTClassifier": check_cart,
    "driftlearn.engines.hoeffding_model:HoeffdingTree": check_hoeffding,
    "sklearn.tree._tree:Tree": check_sklearn,
}
