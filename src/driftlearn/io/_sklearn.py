"""Classes of scikit-learn that a file may contain, and the checks of their states.

scikit-learn's compiled code does not check its arrays. A class is allowed only if the state of its
objects can be checked first, so that no compiled code reads outside of its arrays. `FIELDS`
declares the fields that matter for that, and ``sklearn-classes.txt`` lists the classes. Classes
without fields are used by NumPy code only, which makes its own checks. Every other class needs
``allow="sklearn"``: support vector machines with kernels, gradient boosting and many more.
"""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from driftlearn.io import schema
from driftlearn.io._node_checks import check_nodes

METRICS = ("Euclidean", "Manhattan", "Chebyshev", "Minkowski")
STATE_OF_NEIGHBOURS = 13  # length of the state tuple of a KDTree or BallTree

Fields = dict[str, schema.Field]
_SIZED: Fields = {"n_features_in_": schema.integer(1)}
_ONE_OUTPUT: Fields = {**_SIZED, "n_outputs_": schema.integer(1, 1)}
_TREE: Fields = {**_ONE_OUTPUT, "classes_": schema.labels("n_classes_"), "tree_": schema.a("Tree")}
_LINEAR: Fields = {
    **_SIZED,
    "classes_": schema.labels("classes"),
    "coef_": schema.floats("k", "n_features_in_", finite=False),
    "intercept_": schema.floats("k", finite=False),
}
_FOREST: Fields = {
    **_ONE_OUTPUT,
    "classes_": schema.labels("n_classes_"),
    "estimators_": schema.list_of(schema.a("BaseDecisionTree")),
}
_NEIGHBOURS: Fields = {
    **_SIZED,
    "n_neighbors": schema.integer(1),
    "n_samples_fit_": schema.integer(1),
    "classes_": schema.labels("classes"),
    "_fit_X": schema.floats("n_samples_fit_", "n_features_in_"),
    "_y": schema.integers("n_samples_fit_", least=0, below="classes"),
    "_tree": schema.optional(schema.a("BinaryTree64")),
    "effective_metric_": schema.word(*(name.lower() for name in METRICS)),
}
_GAUSSIAN: Fields = {
    **_SIZED,
    "classes_": schema.labels("classes"),
    "theta_": schema.floats("classes", "n_features_in_", finite=False),
    "var_": schema.floats("classes", "n_features_in_", finite=False),
    "class_count_": schema.floats("classes", finite=False),
    "class_prior_": schema.floats("classes", finite=False),
}
FIELDS: dict[str, Fields] = {
    "compiled": {},
    "numpy": {},
    "one-output": _ONE_OUTPUT,
    "tree": _TREE,
    "forest": _FOREST,
    "gaussian": _GAUSSIAN,
    "linear": _LINEAR,
    "sgd": {**_LINEAR, "_loss_function_": schema.a("LossFunction", "CyLossFunction")},
    "neighbors": _NEIGHBOURS,
}
LISTED: dict[str, Fields] = {}
for line in Path(__file__).with_name("sklearn-classes.txt").read_text("utf-8").splitlines():
    if not line.startswith("#"):
        group, module, *classes = line.split()
        LISTED |= dict.fromkeys([f"sklearn.{module}:{name}" for name in classes], FIELDS[group])
RESTORERS = frozenset(
    f"sklearn.{module}:newObj"
    for module in ("neighbors._kd_tree", "neighbors._ball_tree", "metrics._dist_metrics")
)


def check_arguments(name: str, arguments: Sequence[Any]) -> None:
    """Raise ValueError if a compiled object would be created from inconsistent arguments."""
    if name == "sklearn.tree._tree:Tree":
        n_features, n_classes, n_outputs = arguments
        shape = np.shape(n_classes)
        if n_features < 1 or n_outputs < 1 or shape != (n_outputs,) or np.min(n_classes) < 1:
            raise ValueError(
                f"a Tree has {n_outputs!r:.20} outputs, but its classes have shape {shape}"
            )
    elif name in RESTORERS:
        module = name.partition(":")[0]
        if [getattr(kind, "__module__", None) for kind in arguments] != [module]:
            raise ValueError(f"expected a class of {module}. Got {arguments!r:.80}.")


def check_compiled(kind: type, arguments: Sequence[Any], state: Any) -> None:
    """Raise ValueError if compiled code cannot safely use this state of a class.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.tree._tree import Tree
    >>> kinds = [("left_child", "i8"), ("right_child", "i8"), ("feature", "i8")]
    >>> state = {"nodes": np.array([(7, 1, 0)], dtype=kinds), "node_count": 1}
    >>> check_compiled(Tree, (1,), state)
    Traceback (most recent call last):
    ValueError: a tree node has an invalid child position
    """
    check_state = _COMPILED_CHECKS.get(kind.__name__)
    if check_state is not None and kind.__module__.startswith("sklearn."):
        check_state(arguments, state)


def check(kind: type, state: Any) -> None:
    """Raise ValueError if a state cannot be that of a listed estimator."""
    if not kind.__module__.startswith("sklearn."):
        return
    fields = LISTED.get(f"{kind.__module__}:{kind.__qualname__}")
    if fields is None or not isinstance(state, dict):
        return
    schema.check_fields(kind, state, fields)
    if "n_classes_" in state and state["n_classes_"] != len(state["classes_"]):
        raise schema.InvalidStateError(
            f"'n_classes_' of {kind.__name__} is not the length of 'classes_'"
        )
    if "coef_" in fields and "coef_" in state:
        n = len(state["classes_"])
        if n < 2 or len(state["coef_"]) != (n if n > 2 else 1):
            raise schema.InvalidStateError(f"'coef_' of {kind.__name__} does not match 'classes_'")
    if fields is _TREE and "tree_" in state:
        _check_width([state["tree_"]], state)
    elif fields is _FOREST:
        _check_width([each.tree_ for each in state.get("estimators_", ())], state)
    elif fields is _NEIGHBOURS:
        tree = state.get("_tree")
        if tree is not None and np.shape(tree.data) != np.shape(state["_fit_X"]):
            raise schema.InvalidStateError(
                "'_tree' of KNeighborsClassifier does not match '_fit_X'"
            )


def _check_width(trees: list[Any], state: dict[str, Any]) -> None:
    if any(tree.n_features != state.get("n_features_in_") for tree in trees):
        raise ValueError("'n_features_in_' of a classifier does not match its trees")


def _check_tree(arguments: Sequence[Any], state: Any) -> None:
    nodes, n_features = state["nodes"], arguments[0]
    if state["node_count"] != len(nodes):
        raise ValueError(
            f"'node_count' of Tree is {state['node_count']}, but it has {len(nodes)} nodes"
        )
    left, right = nodes["left_child"], nodes["right_child"]
    check_nodes(left != -1, (left, right), nodes["feature"], n_features)


def _check_neighbours(arguments: Sequence[Any], state: Any) -> None:
    """Check a KDTree or BallTree: the children of node i are 2i + 1 and 2i + 2."""
    if not isinstance(state, tuple) or len(state) != STATE_OF_NEIGHBOURS:
        raise ValueError(f"the state of a neighbors tree must have {STATE_OF_NEIGHBOURS} parts")
    data, places, nodes, bounds, leaf_size, n_levels, n_nodes, *_, metric, weight = state
    sizes = (leaf_size, n_levels, n_nodes)
    if not all(type(size) is int and 0 < size < 2**31 for size in sizes) or n_levels > 31:
        raise ValueError(f"a neighbors tree has invalid sizes: {sizes!r:.80}")
    n = len(places)
    inner = np.flatnonzero(nodes["is_leaf"] == 0)
    first, end = nodes["idx_start"], nodes["idx_end"]
    sound = (
        data.ndim == 2
        and len(data) == n > 0
        and np.array_equal(np.sort(places), np.arange(n))
        and nodes.shape == (n_nodes,)
        and n_nodes == 2**n_levels - 1
        and bounds.ndim == 3
        and bounds.shape == (2 if arguments[0].__name__ == "KDTree" else 1, n_nodes, data.shape[1])
        and not (2 * inner + 2 >= n_nodes).any()
        and (first >= 0).all()
        and (first <= end).all()
        and (end <= n).all()
        and (weight is None or np.shape(weight) == (n,))
    )
    if not sound:
        raise ValueError("the parts of a neighbors tree do not match each other")
    kind, weights = type(metric).__name__, len(metric.__getstate__()[1])
    if kind not in _COMPILED_CHECKS or (
        kind.startswith("Minkowski") and weights not in (0, data.shape[1])
    ):
        raise ValueError(f"a neighbors tree has the unknown metric {metric!r:.80}")


def _check_metric(arguments: Sequence[Any], state: Any) -> None:
    power, weight, matrix = state
    if not isinstance(power, float) or power < 1 or np.ndim(weight) != 1 or np.ndim(matrix) != 2:
        raise ValueError("a distance metric must have a power of at least 1, weights and a matrix")


_COMPILED_CHECKS: dict[str, Callable[[Sequence[Any], Any], None]] = {
    "Tree": _check_tree,
    "KDTree": _check_neighbours,
    "BallTree": _check_neighbours,
    **{f"{name}Distance64": _check_metric for name in METRICS},
}
