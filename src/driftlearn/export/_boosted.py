"""Boosted trees as plain arrays."""

from typing import Any

import numpy as np

from driftlearn.tree.node_arrays import Tree


def trees_of(model: Any) -> list[Tree]:
    """Return the trees of a `BoostedTreesClassifier`; their values have a column for each score."""
    n_scores = len(model.baseline_)
    return [_tree(model, int(root), t % n_scores) for t, root in enumerate(model.root_)]


def _tree(model: Any, root: int, score: int) -> Tree:
    nodes = [root]
    left: list[int] = []
    right: list[int] = []
    for node in nodes:
        for side, place in ((0, left), (1, right)):
            place.append(len(nodes) if node >= 0 else -1)
            if node >= 0:
                nodes.append(int(model.child_[node, side]))
    n, n_scores = len(nodes), len(model.baseline_)
    feature, nominal = np.full(n, -1), np.zeros(n, dtype=bool)
    threshold, missing_left = np.zeros(n), np.zeros(n, dtype=bool)
    value = np.zeros((n, n_scores))
    sides: list[np.ndarray] = [np.zeros(0, dtype=np.uint8)] * n
    for k, node in enumerate(nodes):
        if node < 0:
            value[k, score] = model.value_[~node]
            continue
        feature[k] = f = int(model.feature_[node])
        edges = model.edges_[model.first_[f] : model.first_[f + 1]]
        words = model.bins_[node].astype(np.int64)
        goes_left = (words[:, None] >> np.arange(32) & 1).ravel().astype(bool)
        nominal[k] = model.nominal_[f]
        missing = len(edges) if nominal[k] else len(edges) + 1
        missing_left[k] = goes_left[missing]
        if nominal[k]:
            codes = np.zeros(int(edges.max(initial=-1)) + 1, dtype=np.uint8)
            codes[edges.astype(int)] = np.where(goes_left[: len(edges)], 1, 2)
            sides[k] = codes
        else:  # values up to an edge go left; all do if that is the last bin
            last = int(np.flatnonzero(goes_left[:missing]).max(initial=-1))
            threshold[k] = np.append(edges, np.inf)[last] if last >= 0 else -np.inf
    width = max(map(len, sides))
    table = np.array([np.pad(each, (0, width - len(each))) for each in sides])
    return Tree(
        feature, threshold, np.array(left), np.array(right), value, nominal, missing_left,
        None, table if width else None,
    )  # fmt: skip
