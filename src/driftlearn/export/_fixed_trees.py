"""Tree ensembles as plain arrays, the common form for all exports."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from driftlearn.base._probabilities import normalize
from driftlearn.base.one_model import OneModelClassifier
from driftlearn.base.stream_classifier import StreamClassifier
from driftlearn.ensemble._online_committee import OnlineCommittee
from driftlearn.ensemble.boosting._boosted_committee import BoostedCommittee
from driftlearn.ensemble.boosting._boosted_votes import soften
from driftlearn.ensemble.committee import Committee
from driftlearn.forest._subspace_model import SubspaceModel
from driftlearn.tree._adaptive_tree_model import AdaptiveTreeModel
from driftlearn.tree._hoeffding_model import HoeffdingTreeModel
from driftlearn.tree.cart import CARTClassifier
from driftlearn.tree.stump import StumpClassifier

PROBES = 2048  # rows at the thresholds of the trees on which predictions are compared
MISSING = 0.1  # share of missing values in these rows, if the learner accepts them
CLOSE = 1e-9  # scores are of the order of 1; a larger difference means another voting rule


class CannotExport(ValueError):
    """Error for a model that is not an ensemble of trees with fixed votes."""

    __module__ = "driftlearn.export"


@dataclass
class FixedTree:
    """Tree as arrays with one entry per node; the root is the first.

    Attributes
    ----------
    feature : int array
        Feature of the split; -1 for a leaf.
    threshold : float array
        Rows with ``x <= threshold`` go left; with ``x == threshold`` if `nominal`.
    nominal : bool array
        Whether the split tests equality.
    left, right : int array
        Children; -1 for a leaf.
    missing_left : bool array
        Whether rows in which the feature is missing go left.
    value : float array of shape (nodes, classes)
        Class probabilities of a leaf, or zeros if the leaf abstains.
    cover : float array
        Total weight of the training rows of a node.
    """

    feature: np.ndarray
    threshold: np.ndarray
    nominal: np.ndarray
    left: np.ndarray
    right: np.ndarray
    missing_left: np.ndarray
    value: np.ndarray
    cover: np.ndarray

    def leaves_of(self, X: np.ndarray) -> np.ndarray:
        """Return the leaf of each row."""
        at = np.zeros(len(X), dtype=np.intp)
        while True:
            rows = np.flatnonzero(self.feature[at] >= 0)
            if not len(rows):
                return at
            node = at[rows]
            x, t = X[rows, self.feature[node]], self.threshold[node]
            goes_left = np.where(self.nominal[node], x == t, x <= t)
            goes_left = np.where(np.isnan(x), self.missing_left[node], goes_left)
            at[rows] = np.where(goes_left, self.left[node], self.right[node])


@dataclass
class FixedTrees:
    """Ensemble of trees whose leaves vote; the class with the largest sum is predicted.

    Attributes
    ----------
    trees : list of FixedTree
        Trees whose `value` holds votes: the probabilities of a leaf times the weight of its
        member, or this weight on the most probable class. Votes are added in this order.
    classes : ndarray
        Labels.
    n_features : int
        Number of features.
    sharpness : float or None
        If None, probabilities are the shares of the votes; otherwise they are proportional to
        ``exp(sharpness * votes)``.
    """

    trees: list[FixedTree]
    classes: np.ndarray
    n_features: int
    sharpness: float | None

    def votes(self, X: np.ndarray) -> np.ndarray:
        """Return the sums of the votes, of shape (rows, classes)."""
        total = np.zeros((len(X), len(self.classes)))
        for tree in self.trees:
            total += tree.value[tree.leaves_of(X)]
        return total

    def probas(self, X: np.ndarray) -> np.ndarray:
        """Return class probabilities."""
        votes = self.votes(X)
        if self.sharpness is None:
            return normalize(votes)
        soften(votes, self.sharpness)
        return votes

    def probes(self, missing: bool = False) -> np.ndarray:
        """Return rows at the thresholds of the trees, just above, and further away.

        Infinite thresholds, which separate missing from present values, are left out.

        Parameters
        ----------
        missing : bool
            Whether to include missing values.
        """
        rng = np.random.default_rng(0)
        X = rng.normal(size=(PROBES, self.n_features))
        for f in range(self.n_features):
            splits = [(tree, tree.feature == f) for tree in self.trees]
            at = np.unique(np.concatenate([tree.threshold[nodes] for tree, nodes in splits]))
            at = at[np.isfinite(at)]
            nominal = any(tree.nominal[nodes].any() for tree, nodes in splits)
            if len(at) and nominal:
                X[:, f] = rng.choice([*at, at.max() + 1], size=PROBES)
            elif len(at):
                near = rng.choice(at, size=PROBES)
                far = near + rng.normal(size=PROBES) * max(float(np.ptp(at)), 1e-3)
                which = rng.integers(3, size=PROBES)
                X[:, f] = np.choose(which, [near, np.nextafter(near, np.inf), far])
        if missing:
            X[rng.random(X.shape) < MISSING] = np.nan
        return X


def fixed_trees(model: Any) -> FixedTrees:
    """Return a fitted learner as trees with votes.

    The voting rule is found by trial: the trees of the members are combined with the weights of
    the learner's table, as soft and as hard votes. The rule that reproduces the learner's own
    predictions on rows at all thresholds is used.

    Raises
    ------
    CannotExport
        If a member is not a tree, or neither rule reproduces the predictions.
    """
    if not isinstance(model, StreamClassifier):
        raise CannotExport(
            f"{type(model).__name__} is not a learner of driftlearn. Only the learner at the end "
            "of a pipeline can be exported, not its other steps."
        )
    model._check_fitted()
    models, weights, sharpness = _members(model)
    trees = [_tree(each, model) for each in models]
    if not weights.any():
        raise CannotExport(f"no member of this {type(model).__name__} has a positive weight")
    problem = model.classes_, model.n_features_in_, sharpness
    probes = FixedTrees(trees, *problem).probes(model._takes_missing())
    expected = model.predict_proba(probes)
    for hard in (False, True):
        voting = [_voting(*each, hard) for each in zip(trees, weights) if each[1] != 0]
        found = FixedTrees(voting, *problem)
        probas = found.probas(probes)
        alike = np.allclose(probas, expected, rtol=CLOSE, atol=CLOSE)
        if alike and (probas.argmax(axis=1) == expected.argmax(axis=1)).all():
            return found
    raise CannotExport(
        f"the prediction of this {type(model).__name__} is not a weighted sum of the votes of its "
        "members: the votes depend on the row or on each other"
    )


def _members(model: Any) -> tuple[list[Any], np.ndarray, float | None]:
    """Return the models of a learner, their weights, and the sharpness of the votes."""
    committee = getattr(model, "committee_", None)
    if committee is None:
        return [model], np.ones(1), None
    weights = np.array(model.members_["weight"], dtype=float)
    if isinstance(committee, BoostedCommittee):
        return list(model.estimators_), weights, model._sharpness
    if isinstance(committee, Committee):
        if len(weights) and not weights.max() > 0:
            weights = (np.arange(len(weights)) == len(weights) - 1).astype(float)
        return list(committee.models), weights, None
    assert isinstance(committee, OnlineCommittee)
    return list(committee.models), np.maximum(weights, 0.0), None


def _voting(tree: FixedTree, weight: float, hard: bool) -> FixedTree:
    """Return a tree whose leaves hold votes."""
    value = tree.value
    if hard:
        named = np.arange(value.shape[1]) == value.argmax(axis=1)[:, None]
        value = named & (value.max(axis=1, keepdims=True) > 0)
    return FixedTree(**{**tree.__dict__, "value": weight * value})


def _tree(model: Any, learner: Any) -> FixedTree:
    """Return a member as a tree, with a column for each of the learner's classes."""
    if isinstance(model, OneModelClassifier | CARTClassifier | StumpClassifier):
        if isinstance(model, OneModelClassifier):
            tree = _tree(model.model_, learner)
            if model is not learner:  # ensembles normalize the scores of their members
                tree.value = normalize(tree.value)
        else:
            tree = _cart(model) if isinstance(model, CARTClassifier) else _stump(model)
        value = np.zeros((len(tree.value), len(learner.classes_)))
        value[:, np.searchsorted(learner.classes_, model.classes_)] = tree.value
        tree.value = value
        return tree
    if isinstance(model, SubspaceModel):
        tree = _tree(model.inner, learner)
        columns = model.get_state()["columns"]
        tree.feature = np.where(tree.feature >= 0, columns[tree.feature], -1)
        return tree
    if isinstance(model, HoeffdingTreeModel):
        return _hoeffding(model)
    if isinstance(model, AdaptiveTreeModel):
        return _adaptive(model)
    raise CannotExport(
        f"a member of this {type(learner).__name__} is a {type(model).__name__}. Only "
        "CARTClassifier, StumpClassifier and Hoeffding trees can be exported."
    )


def _cart(model: CARTClassifier) -> FixedTree:
    counts = model.value_
    total = counts.sum(axis=1, keepdims=True)
    nodes = model.feature_, model.threshold_, np.zeros(len(counts), dtype=bool)
    sides = model.left_, model.right_, model.missing_left_ > 0
    tree = FixedTree(*nodes, *sides, counts / total, total[:, 0].copy())
    return _covered(tree)  # transferred trees have the cover of their old rows


def _stump(model: Any) -> FixedTree:
    counts = model.value_
    total = counts.sum(axis=1)
    shares = counts / np.where(total > 0, total, 1.0)[:, None]
    if model.feature_ < 0:
        none, no = np.array([-1]), np.zeros(1, dtype=bool)
        return FixedTree(none, np.zeros(1), no, none, none, no, shares[:1], total[:1])
    return FixedTree(
        np.array([model.feature_, -1, -1]), np.array([model.threshold_, 0.0, 0.0]),
        np.zeros(3, dtype=bool), np.array([1, -1, -1]), np.array([2, -1, -1]),
        np.array([model.missing_left_ > 0, False, False]),
        np.vstack([shares[:1], shares]), np.array([total.sum(), *total]),
    )  # fmt: skip


def _hoeffding(model: Any) -> FixedTree:
    state = model.get_state()
    leaf, feature, child = state["feature"] < 0, state["feature"], state["child"]
    weight = state["class_weight"][np.where(leaf, child, 0)]
    _check_leaves(state, child[leaf])
    total = weight.sum(axis=1, keepdims=True)
    value = np.divide(weight, total, out=np.zeros_like(weight), where=total > 0)
    left, right = np.where(leaf, -1, child), np.where(leaf, -1, child + 1)
    nominal = ~leaf & (state["nominal"][feature] > 0)
    sides = left, right, state["missing_left"] > 0
    tree = FixedTree(feature, state["threshold"], nominal, *sides, value, total[:, 0])
    return _covered(tree)


def _adaptive(model: Any) -> FixedTree:
    state = model.get_state()
    feature, leaf = state["feature"], state["feature"] < 0
    value, cover = np.zeros((len(feature), model.n_classes)), np.zeros(len(feature))
    for node, each in zip(np.flatnonzero(leaf), state["leaves"]):
        tree = _hoeffding(each)
        value[node], cover[node] = tree.value[0], tree.cover[0]
    nominal = ~leaf & (state["nominal"][feature] > 0)
    nodes = feature, state["threshold"], nominal, state["left"], state["right"]
    return _covered(FixedTree(*nodes, state["missing_left"] > 0, value, cover))


def _check_leaves(state: dict[str, Any], leaves: np.ndarray) -> None:
    """Raise CannotExport if a leaf predicts with naive Bayes."""
    if state["leaf_prediction"] == "majority":
        return
    bayes = state["slot"][leaves] >= 0
    if state["leaf_prediction"] == "nba":
        bayes &= state["bayes_right"][leaves] > state["majority_right"][leaves]
    if bayes.any():
        raise CannotExport(
            f"{bayes.sum()} of {len(leaves)} leaves of a Hoeffding tree predict with naive Bayes, "
            'which is not a fixed vote. Train it with leaf_prediction="majority" to export it.'
        )


def _covered(tree: FixedTree) -> FixedTree:
    """Return the nodes below the root; inner nodes get the cover of their leaves."""
    order = [0]
    for node in order:
        if tree.feature[node] >= 0:
            order += [int(tree.left[node]), int(tree.right[node])]
    for node in reversed(order):
        if tree.feature[node] >= 0:
            tree.cover[node] = tree.cover[tree.left[node]] + tree.cover[tree.right[node]]
    place = np.full(len(tree.feature) + 1, -1)  # the last entry maps -1 to -1
    place[order] = np.arange(len(order))
    kept = {name: values[order] for name, values in tree.__dict__.items()}
    return FixedTree(**{**kept, "left": place[kept["left"]], "right": place[kept["right"]]})
