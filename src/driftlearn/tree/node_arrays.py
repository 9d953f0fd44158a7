"""Common array format for trees of all learners, with importances and decision paths."""

from typing import Any, NamedTuple

import numpy as np

from driftlearn.utils.arguments import Floats, Ints

NEW = "is new", "is new"  # a code that no training row of the node had


class Tree(NamedTuple):
    """Binary tree as arrays with one entry per node; the root is the first node.

    Attributes
    ----------
    feature : int array
        The feature of the split; -1 for a leaf.
    threshold : float array
        A row goes left if ``x[feature] <= threshold`` or, for nominal splits without `sides`, if
        both are equal.
    left, right : int array
        The children; -1 for a leaf.
    value : float array of shape (nodes, classes)
        Class weights of the leaves; rows of other nodes are unused.
    nominal : bool array
        Whether the split is nominal.
    missing_left : bool array
        Whether rows in which the feature is missing go left.
    cover : float array, optional
        Total weight of the training rows of each node; computed by exports.
    sides : int array of shape (nodes, codes), optional
        Side of each code in nominal splits: 1 for left, 2 for right, 0 if it is treated as missing.
    """

    feature: np.ndarray
    threshold: np.ndarray
    left: np.ndarray
    right: np.ndarray
    value: np.ndarray
    nominal: np.ndarray
    missing_left: np.ndarray
    cover: np.ndarray | None = None
    sides: np.ndarray | None = None

    def nodes(self) -> list[int]:
        """Return all nodes reachable from the root, including the root, parents first."""
        order = [0]
        for node in order:
            if self.feature[node] >= 0:
                order += [int(self.left[node]), int(self.right[node])]
        return order

    def totals(self, values: np.ndarray) -> Floats:
        """Return, for each node, the sum of the values of the leaves below it."""
        total = np.array(values, dtype=float)
        for node in reversed(self.nodes()):
            if self.feature[node] >= 0:
                total[node] = total[self.left[node]] + total[self.right[node]]
        return total

    def leaves_of(self, X: np.ndarray) -> Ints:
        """Return the leaf of each row."""
        at = np.zeros(len(X), dtype=np.intp)
        while True:
            rows = np.flatnonzero(self.feature[at] >= 0)
            if not len(rows):
                return at
            node = at[rows]
            x, t = X[rows, self.feature[node]], self.threshold[node]
            goes_left = np.where(self.nominal[node], x == t, x <= t)
            absent = np.isnan(x)
            if self.sides is not None:
                side = self.sides_of(node, x)
                goes_left = np.where(self.nominal[node], side == 1, goes_left)
                absent |= self.nominal[node] & (side == 0)
            goes_left = np.where(absent, self.missing_left[node], goes_left)
            at[rows] = np.where(goes_left, self.left[node], self.right[node])

    def sides_of(self, nodes: Any, codes: Any) -> Ints:
        """Return the sides of codes in the nominal splits of nodes."""
        sides: np.ndarray = self.sides  # type: ignore[assignment]
        known = np.isin(codes, np.arange(sides.shape[1]))
        return np.where(known, sides[nodes, np.where(known, codes, 0).astype(int)], 0)


class Split(NamedTuple):
    """A split on the path of a row: feature, comparison result, and threshold or set of codes."""

    feature: int
    sign: str
    threshold: Any


def tree_of(model: Any) -> Tree | None:
    """Return a model, unwrapped if necessary, as a `Tree`; None if it is not a driftlearn tree."""
    state = model.get_state() if hasattr(model, "get_state") else {}
    if {"inner", "columns"} <= state.keys():  # the model uses a subset of the features
        inner = tree_of(state["inner"])
        columns = np.append(state["columns"], -1)  # feature -1 marks a leaf and stays -1
        return None if inner is None else inner._replace(feature=columns[inner.feature])
    for name in ("model_", "model"):  # learners with a single model, and adapters
        if getattr(model, name, None) is not None:
            return tree_of(getattr(model, name))
    if hasattr(model, "left_") and hasattr(model, "feature_"):
        sides = model.left_, model.right_
        nodes = model.feature_, model.threshold_, *sides, model.value_, model.missing_left_
        return _with_sets(nodes, getattr(model, "group_", None), getattr(model, "sets_", None))
    if hasattr(model, "feature_") and hasattr(model, "threshold_"):
        return _stump(model.feature_, model.threshold_, model.value_, model.missing_left_)
    if "feature" not in state or "threshold" not in state:
        return None
    feature, missing_left = np.asarray(state["feature"]), state.get("missing_left", 0)
    nominal = np.asarray(state["nominal"])[feature] if "nominal" in state else 0
    if "share" in state:
        left, right = np.asarray(state["child"]).T
        value: Any = _class_weights(feature, np.asarray(state["child"]), state["share"])
        nodes = feature, state["threshold"], left, right, value, missing_left
        return _with_sets(nodes, state.get("group"), state.get("sets"))
    elif "child" in state:
        left, right = np.asarray(state["child"]), np.asarray(state["child"]) + 1
        value = np.asarray(state["class_weight"])[np.where(feature < 0, left, 0)]
    else:
        left, right, leaves = state["left"], state["right"], iter(state["leaves"])
        empty = np.zeros(state["n_classes"])
        value = [next(leaves).get_state()["class_weight"][0] if f < 0 else empty for f in feature]
    return _tree(feature, state["threshold"], left, right, value, missing_left, nominal)


def stumps_of(state: dict[str, Any], n_classes: int) -> list[Tree]:
    """Return decision stumps, which predict one class on each side, as a list of trees."""
    columns = (state[name] for name in ("feature", "threshold", "left", "right"))
    sides = np.eye(n_classes)
    return [_stump(f, t, np.stack([sides[a], sides[b]]), 0) for f, t, a, b in zip(*columns)]


def importances_of(tree: Tree, n_features: int) -> Floats:
    """Return each feature's share of the total decrease in Gini impurity.

    All shares are 0 if the tree has no splits or the impurity does not decrease.
    """
    value = tree.totals(tree.value)
    weight = value.sum(axis=1)
    gini = weight - (value**2).sum(axis=1) / np.where(weight > 0, weight, 1.0)
    found = np.zeros(n_features)
    for node in tree.nodes():
        if tree.feature[node] >= 0:
            rest = gini[tree.left[node]] + gini[tree.right[node]]
            found[tree.feature[node]] += max(0.0, gini[node] - rest)
    total = found.sum()
    return found / total if total > 0 else found


def path_of(tree: Tree, row: np.ndarray) -> list[Split]:
    """Return the splits on the path of a row from the root to a leaf."""
    node, path = 0, []
    while tree.feature[node] >= 0:
        feature = int(tree.feature[node])
        threshold: Any = float(tree.threshold[node])
        x, nominal = row[feature], tree.nominal[node]
        signs = ("==", "!=") if nominal else ("<=", ">")
        left = x == threshold if nominal else x <= threshold
        if np.isnan(x):
            left, signs = tree.missing_left[node], ("is missing", "is missing")
        elif nominal and tree.sides is not None:
            side = int(tree.sides_of(node, x))
            left, signs = (side == 1, ("in", "in")) if side else (tree.missing_left[node], NEW)
            threshold = tuple(np.flatnonzero(tree.sides[node] == side).astype(float).tolist())
        path.append(Split(feature, signs[0 if left else 1], threshold))
        node = int(tree.left[node] if left else tree.right[node])
    return path


def _with_sets(nodes: tuple[Any, ...], group: Any, sets: Any) -> Tree:
    """Return a `Tree` whose nominal splits are described by rows of `sets`."""
    if sets is None or not len(sets):
        return _tree(*nodes)
    group = np.asarray(group)
    sides = np.where(group[:, None] >= 0, np.asarray(sets)[np.maximum(group, 0)], 0)
    return _tree(*nodes)._replace(nominal=group >= 0, sides=sides)


def _tree(
    feature: Any, threshold: Any, left: Any, right: Any, value: Any, missing_left: Any = 0,
    nominal: Any = 0,
) -> Tree:  # fmt: skip
    """Return a `Tree` built from lists or arrays; leaves have no children and no flags."""
    feature, inner = np.asarray(feature), np.asarray(feature) >= 0
    sides = np.where(inner, left, -1), np.where(inner, right, -1)
    equality, missing = (inner & (np.asarray(flag) > 0) for flag in (nominal, missing_left))
    return Tree(feature, np.asarray(threshold), *sides, np.asarray(value), equality, missing)


def _stump(feature: Any, threshold: Any, sides: np.ndarray, missing_left: Any) -> Tree:
    if feature < 0:
        return _tree([-1], [0.0], -1, -1, sides[:1])
    value = np.concatenate([sides[:1], sides])
    return _tree([int(feature), -1, -1], [threshold, 0.0, 0.0], 1, 2, value, missing_left)


def _class_weights(feature: np.ndarray, child: np.ndarray, share: Any) -> Floats:
    """Return the class weights of the nodes of a tree that stores class shares.

    The class shares of a node are the mean of its children's shares, weighted by their rows.
    Projecting onto the difference of the children's shares recovers the share of rows that went
    left.
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
