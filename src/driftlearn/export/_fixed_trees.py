"""Tree ensembles as plain arrays, the common form for all exports."""

from collections.abc import Iterable
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
from driftlearn.tree.node_arrays import Tree, tree_of
from driftlearn.tree.stump import StumpClassifier

PROBES = 2048  # number of rows, placed at the trees' thresholds, on which predictions are compared
MISSING = 0.1  # share of missing values in these rows, if the learner accepts missing values
TREES = CARTClassifier | StumpClassifier | HoeffdingTreeModel | AdaptiveTreeModel
CLOSE = 1e-9  # tolerance for scores of order 1; a larger difference means a different voting rule


class CannotExport(ValueError):
    """Error for a model that is not an ensemble of trees with fixed votes."""

    __module__ = "driftlearn.export"


@dataclass
class FixedTrees:
    """Ensemble of trees whose leaves vote; the class with the largest sum is predicted.

    Attributes
    ----------
    trees : list of Tree
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

    trees: list[Tree]
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
            sides = [tree.sides for tree, _ in splits if tree.sides is not None]
            if nominal and sides:
                X[:, f] = rng.integers(0, max(each.shape[1] for each in sides) + 1, size=PROBES)
            elif len(at) and nominal:
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
            f"{type(model).__name__} is not a driftlearn learner. Only the learner at the end of a "
            "pipeline can be exported, not the other steps."
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
        f"this {type(model).__name__} cannot be exported: its predictions are not a weighted sum "
        "of the members' votes, because the votes depend on the row or on each other"
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


def _voting(tree: Tree, weight: float, hard: bool) -> Tree:
    """Return a tree whose leaves hold votes."""
    value = tree.value
    if hard:
        named = np.arange(value.shape[1]) == value.argmax(axis=1)[:, None]
        value = named & (value.max(axis=1, keepdims=True) > 0)
    return tree._replace(value=weight * value)


def _tree(model: Any, learner: Any) -> Tree:
    """Return a member as a tree of class probabilities, in the columns of the learner's classes."""
    core = model
    while isinstance(core, OneModelClassifier | SubspaceModel):
        core = core.model_ if isinstance(core, OneModelClassifier) else core.inner
    tree = tree_of(model) if isinstance(core, TREES) else None
    if tree is None:
        raise CannotExport(
            f"a {type(core).__name__} in {type(learner).__name__} has no fixed votes. Only "
            "CARTClassifier, StumpClassifier, Hoeffding trees and ensembles of them have"
        )
    if isinstance(core, HoeffdingTreeModel):
        _check_leaves(core.get_state(), learner)
    elif isinstance(core, AdaptiveTreeModel):
        for leaf in core.get_state()["leaves"]:
            _check_leaves(leaf.get_state(), learner)
    weight = core._smoothed() if isinstance(core, CARTClassifier) else tree.value
    smoothed = weight.sum(axis=1, keepdims=True)
    shares = np.divide(weight, smoothed, out=np.zeros(weight.shape), where=smoothed > 0)
    if isinstance(model, OneModelClassifier) and model is not learner:
        shares = normalize(shares)  # ensembles normalize their members' scores
    value = np.zeros((len(shares), len(learner.classes_)))
    classes = getattr(model, "classes_", learner.classes_)
    value[:, np.searchsorted(learner.classes_, classes)] = shares
    # Keep only the nodes reachable from the root. Transferred trees store the cover of their old
    # rows.
    order = tree.nodes()
    place = np.full(len(tree.feature) + 1, -1)  # the last entry maps -1 to -1
    place[order] = np.arange(len(order))
    sides = {"left": place[tree.left], "right": place[tree.right]}
    columns: Iterable[Any] = tree._replace(
        value=value, cover=tree.totals(tree.value.sum(axis=1)), **sides
    )
    parts: list[Any] = [None if column is None else column[order] for column in columns]
    return Tree(*parts)


def _check_leaves(state: dict[str, Any], learner: Any) -> None:
    """Raise CannotExport if a leaf predicts with naive Bayes."""
    if state["leaf_prediction"] == "majority":
        return
    leaves = state["child"][state["feature"] < 0]
    bayes = state["slot"][leaves] >= 0
    if state["leaf_prediction"] == "nba":
        bayes &= state["bayes_right"][leaves] > state["majority_right"][leaves]
    if bayes.any():
        raise CannotExport(
            f"{bayes.sum()} of {len(leaves)} leaves of a Hoeffding tree predict with naive Bayes, "
            f"which is not a fixed vote. To export it, train {_with_majority(learner)}"
        )


def _with_majority(learner: Any) -> str:
    """Return the learner whose leaves have fixed votes, as Python code."""
    tree, params = 'leaf_prediction="majority"', learner.get_params(deep=False)
    if "leaf_prediction" not in params:
        tree = f"HoeffdingTreeClassifier({tree})"
    return f"{type(learner).__name__}({tree})"
