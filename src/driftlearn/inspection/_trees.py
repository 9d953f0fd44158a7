"""Trees of all learners in one array format: importances, and the path of a row."""

from typing import Any, NamedTuple

import numpy as np

from driftlearn.utils.typing import Floats


class Tree(NamedTuple):
    """A binary tree.

    Attributes
    ----------
    feature, threshold, left, right : ndarray of shape (nodes,)
        A row goes left where ``x[feature] <= threshold``; a leaf has feature -1.
    value : ndarray of shape (nodes, classes)
        The class weights of leaves; other rows are unused.
    nominal : ndarray of shape (nodes,), optional
        Positive at nodes at which a row goes left if ``x[feature] == threshold``.
    missing_left : ndarray of shape (nodes,), optional
        Positive at nodes at which a row with a missing value goes left.
    """

    feature: np.ndarray
    threshold: np.ndarray
    left: np.ndarray
    right: np.ndarray
    value: np.ndarray
    nominal: np.ndarray | None = None
    missing_left: np.ndarray | None = None


class Split(NamedTuple):
    """A split on the path of a row: the feature, the outcome of the comparison, the threshold."""

    feature: int
    sign: str
    threshold: float


def tree_of(model: Any) -> Tree | None:
    """Return a model as a tree, unwrapped if necessary, or None if it is not one of our trees."""
    state = model.get_state() if hasattr(model, "get_state") else {}
    if "inner" in state:  # a model of a subset of the features
        inner = tree_of(state["inner"])
        columns = np.append(state["columns"], -1)  # feature -1, a leaf, stays -1
        return None if inner is None else inner._replace(feature=columns[inner.feature])
    for name in ("model_", "model"):  # a learner of one model, or an adapter
        if getattr(model, name, None) is not None:
            return tree_of(getattr(model, name))
    if hasattr(model, "left_") and hasattr(model, "feature_"):
        nodes = model.feature_, model.threshold_, model.left_, model.right_, model.value_
        return _tree(*nodes, None, getattr(model, "missing_left_", None))
    if hasattr(model, "feature_") and hasattr(model, "value_"):
        return _stump(model.feature_, model.threshold_, model.value_)
    if "feature" not in state or "threshold" not in state:
        return None
    feature = np.asarray(state["feature"])
    missing_left, nominal = state.get("missing_left"), None
    if state.get("nominal") is not None:
        nominal = np.asarray(state["nominal"])[feature]  # of a leaf, never read
    if "share" in state:
        left, right = np.asarray(state["child"]).T
        value: Any = _class_weights(feature, np.asarray(state["child"]), state["share"])
    elif "child" in state:
        left, right = np.asarray(state["child"]), np.asarray(state["child"]) + 1
        value = np.asarray(state["class_weight"])[np.where(feature < 0, left, 0)]
    else:
        left, right, leaves = state["left"], state["right"], iter(state["leaves"])
        empty = np.zeros(state["n_classes"])
        value = [next(leaves).get_state()["class_weight"][0] if f < 0 else empty for f in feature]
    return _tree(feature, state["threshold"], left, right, value, nominal, missing_left)


def stumps_of(state: dict[str, Any], n_classes: int) -> list[Tree]:
    """Return decision stumps, which predict one class on either side, as trees."""
    columns = (state[name] for name in ("feature", "threshold", "left", "right"))
    sides = np.eye(n_classes)
    return [_stump(f, t, np.stack([sides[a], sides[b]])) for f, t, a, b in zip(*columns)]


def importances_of(tree: Tree, n_features: int) -> Floats:
    """Return the share of each feature in the decrease of Gini impurity.

    All are 0 in a tree without splits, or without any decrease.
    """
    order, value = _subtrees(tree)
    weight = value.sum(axis=1)
    gini = weight - (value**2).sum(axis=1) / np.where(weight > 0, weight, 1.0)
    found = np.zeros(n_features)
    for node in order:
        if tree.feature[node] >= 0:
            rest = gini[tree.left[node]] + gini[tree.right[node]]
            found[tree.feature[node]] += max(0.0, gini[node] - rest)
    total = found.sum()
    return found / total if total > 0 else found


def path_of(tree: Tree, row: np.ndarray) -> list[Split]:
    """Return the splits on the path of a row from the root to a leaf."""
    node, path = 0, []
    while tree.feature[node] >= 0:
        feature, threshold = int(tree.feature[node]), float(tree.threshold[node])
        x, nominal = row[feature], tree.nominal is not None and tree.nominal[node] > 0
        signs = ("==", "!=") if nominal else ("<=", ">")
        left = x == threshold if nominal else x <= threshold
        if np.isnan(x):
            left = tree.missing_left is not None and tree.missing_left[node] > 0
            signs = ("is missing", "is missing")
        path.append(Split(feature, signs[0 if left else 1], threshold))
        node = int(tree.left[node] if left else tree.right[node])
    return path


def _tree(*columns: Any) -> Tree:
    """Return a tree of lists or arrays; the last two may be None or omitted: no such nodes."""
    return Tree(*(None if column is None else np.asarray(column) for column in columns))


def _stump(feature: Any, threshold: Any, sides: np.ndarray) -> Tree:
    if feature < 0:
        return _tree([-1], [0.0], [0], [0], sides[:1])
    value = np.concatenate([sides.sum(axis=0, keepdims=True), sides])
    return _tree([int(feature), -1, -1], [threshold, 0.0, 0.0], [1, 0, 0], [2, 0, 0], value)


def _subtrees(tree: Tree) -> tuple[list[int], Floats]:
    """Return the nodes, parents first, and the class weights of the leaves below each node."""
    order = [0]
    for node in order:
        if tree.feature[node] >= 0:
            order += [int(tree.left[node]), int(tree.right[node])]
    value = np.array(tree.value, dtype=float)
    for node in reversed(order):
        if tree.feature[node] >= 0:
            value[node] = value[tree.left[node]] + value[tree.right[node]]
    return order, value


def _class_weights(feature: np.ndarray, child: np.ndarray, share: Any) -> Floats:
    """Return the class weights of the nodes of a tree that stores class shares.

    The shares of a node are the mean of those of its children, weighted by their rows. Projecting
    onto the difference of the children recovers the share of rows that went left.
    """
    share = np.asarray(share, dtype=float)
    weight = np.zeros(len(feature))
    weight[0] = 1.0
    order = [0]
    for node in order:
        if feature[node] >= 0:
            left, right = child[node]
            apart = share[left] - share[right]
            size = float(apart @ apart)
            part = float((share[node] - share[right]) @ apart) / size if size > 0 else 0.5
            weight[left], weight[right] = weight[node] * part, weight[node] * (1.0 - part)
            order += [int(left), int(right)]
    return share * weight[:, None]
