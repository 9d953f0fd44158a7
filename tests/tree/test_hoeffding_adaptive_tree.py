"""Hoeffding adaptive tree: alternates replace subtrees whose error increases."""

import numpy as np
import pytest

from driftlearn import (
    DWMClassifier,
    HoeffdingAdaptiveTreeClassifier,
    HoeffdingTreeClassifier,
    StreamingRandomPatchesClassifier,
)
from driftlearn.drift._adwin_window import AdaptiveWindow
from driftlearn.io import dumps, loads
from driftlearn.io.schema import InvalidStateError, check
from driftlearn.tree._adaptive_tree_model import AdaptiveTreeModel
from driftlearn.tree._hoeffding_model import HoeffdingTreeModel

QUICK = {"grace_period": 20, "tie_threshold": 0.3}


def regions(n=6_000, flip=3_000):
    """Return rows of two regions; from row `flip` on the labels of the right one are swapped."""
    rng = np.random.default_rng(0)
    X = rng.random((n, 3))
    y = (X[:, 1] > 0.5) != ((X[:, 0] > 0.5) & (np.arange(n) >= flip))
    return X, np.where(X[:, 0] > 0.5, np.where(y, "c", "d"), np.where(y, "a", "b"))


@pytest.mark.parametrize("leaf_prediction", ["nba", "nb", "majority"])
@pytest.mark.parametrize("max_depth", [None, 2])
def test_without_an_alarm_it_is_the_hoeffding_tree(leaf_prediction, max_depth):
    X, y = regions()
    w = np.random.default_rng(1).integers(1, 5, size=len(y)) / 2
    how = {**QUICK, "leaf_prediction": leaf_prediction, "max_depth": max_depth}
    plain = HoeffdingTreeClassifier(**how).partial_fit(X, y, sample_weight=w)
    tree = HoeffdingAdaptiveTreeClassifier(drift_delta=1e-300, **how)
    tree.partial_fit(X, y, sample_weight=w)
    assert tree.n_alternates_ == 0
    assert tree.size_ == plain.size_ > 5
    np.testing.assert_array_equal(tree.predict_proba(X), plain.predict_proba(X))


def inside(node):
    """Return the nodes of a subtree, without alternates."""
    if node is None:
        return []
    return [node, *inside(node.left), *inside(node.right)]


def test_an_alternate_takes_over_where_errors_rise():
    """It is created after the change, and the alternate becomes the node when it replaces it."""
    X, y = regions()
    shallow = {**QUICK, "max_depth": 2}  # leaves that may still split adapt by themselves
    tree = HoeffdingAdaptiveTreeClassifier(**shallow).partial_fit(X[:3_000], y[:3_000])
    begun, switched = tree.n_alternates_, tree.n_switches_
    stale = HoeffdingTreeClassifier(**shallow).partial_fit(X, y)
    for i in range(3_000, 6_000):
        before = {id(n): n.alternate for n in inside(tree.model_.root) if n.alternate is not None}
        was = tree.n_switches_
        tree.partial_fit(X[i : i + 1], y[i : i + 1])
        if tree.n_switches_ > was:
            now = [n for n in inside(tree.model_.root) if id(n) in before]
            assert any(n.errors is before[id(n)].errors and n.alternate is None for n in now)
    assert tree.n_alternates_ > begun and tree.n_switches_ > switched
    late = slice(5_000, 6_000)
    assert tree.score(X[late], y[late]) > max(0.9, stale.score(X[late], y[late]))


def test_an_alternate_that_is_no_better_is_dropped():
    """With a test that accepts every difference, alternates come and go; nodes are counted."""
    rng = np.random.default_rng(3)
    X, y = rng.random((6_000, 2)), rng.integers(2, size=6_000)
    y = np.where(rng.random(6_000) < 0.7, X[:, 0] > 0.5, y)
    tree = HoeffdingAdaptiveTreeClassifier(
        drift_delta=0.9, switch_alpha=0.9, min_width=20, **QUICK
    ).partial_fit(X, y)
    alive = sum(node.alternate is not None for node in inside(tree.model_.root))
    assert tree.n_alternates_ > tree.n_switches_ + alive > 0
    assert tree.size_ == len(tree.model_.get_state()["feature"])


def test_bounds():
    X, y = regions()
    how = {**QUICK, "drift_delta": 0.5}
    free = HoeffdingAdaptiveTreeClassifier(**how).partial_fit(X, y)
    assert free.n_alternates_ > 0
    for most in (1, 2, 7):
        tree = HoeffdingAdaptiveTreeClassifier(max_nodes=most, **how)
        for i in range(0, 6_000, 100):
            tree.partial_fit(X[i : i + 100], y[i : i + 100])
            assert tree.size_ <= 2 * most
        assert tree.size_ >= most - 1
        assert (tree.n_switches_ > 0) == (most > 2)  # a full tree adapts too
    assert (
        max(
            HoeffdingAdaptiveTreeClassifier(max_depth=1, **how)
            .fit(X, y)
            .model_.get_state()["depth"]
        )
        == 1
    )


def test_late_classes_nominal_features_and_files():
    """State is saved and loaded at any row, also with alternates."""
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.random(4_000), rng.integers(5, size=4_000)])
    y = np.where((X[:, 1] == 2) != (np.arange(4_000) > 2_000), "x", "y").astype("<U4")
    y[1_000:][X[1_000:, 0] > 0.8] = "late"
    how = {**QUICK, "drift_delta": 0.1, "max_depth": 2}
    make = HoeffdingAdaptiveTreeClassifier(nominal_features=[1], **how)
    whole = HoeffdingAdaptiveTreeClassifier(**make.get_params()).partial_fit(X, y)
    alternates = 0
    for i in range(0, 4_000, 50):
        make = loads(dumps(make.partial_fit(X[i : i + 50], y[i : i + 50])))
        alternates += (make.model_.get_state()["alternate"] >= 0).any()
    assert alternates > 5 and whole.n_switches_ > 0
    assert list(make.classes_) == ["late", "x", "y"]
    np.testing.assert_array_equal(make.predict_proba(X), whole.predict_proba(X))
    assert make.score(X[3_500:], y[3_500:]) > 0.9
    reference = whole.model_.copy()
    reference.learn_many(X[:500], np.zeros(500, dtype=np.intp), np.ones(500))
    np.testing.assert_array_equal(make.predict_proba(X), whole.predict_proba(X))


@pytest.mark.parametrize("ensemble", [DWMClassifier, StreamingRandomPatchesClassifier])
def test_member_of_an_ensemble(ensemble):
    X, y = regions(1_500, 1_500)
    model = ensemble(HoeffdingAdaptiveTreeClassifier(**QUICK), 3, random_state=0).fit(X, y)
    assert model.score(X, y) > 0.7
    assert all(isinstance(each, AdaptiveTreeModel) for each in model.estimators_)


def states():
    """Return a tree of five nodes whose root has an alternate, and invalid changes of its state."""
    model = AdaptiveTreeModel(2, 2)
    leaf = HoeffdingTreeModel(2, 2)
    state = {
        **model.get_state(),
        "feature": np.array([0, 1, -1, -1, -1, -1]),
        "threshold": np.zeros(6),
        "missing_left": np.zeros(6, dtype=np.uint8),
        "depth": np.array([0, 1, 1, 0, 2, 2]),
        "left": np.array([1, 4, -1, -1, -1, -1]),
        "right": np.array([2, 5, -1, -1, -1, -1]),
        "alternate": np.array([3, -1, -1, -1, -1, -1]),
        "errors": [AdaptiveWindow() for _ in range(6)],
        "leaves": [leaf] * 4,
    }
    changes = {
        "feature": [2, 1, -1, -1, -1, -1],
        "left": [1, 1, -1, -1, -1, -1],
        "right": [2, 6, -1, -1, -1, -1],
        "alternate": [0, -1, -1, -1, -1, -1],
    }
    changes = {name: np.array(values) for name, values in changes.items()}
    changes |= {"leaves": [leaf] * 3, "errors": [AdaptiveWindow()]}
    return state, changes


@pytest.mark.parametrize("name", states()[1])
def test_hostile_states(name):
    state, changes = states()
    check(AdaptiveTreeModel, state)
    with pytest.raises(InvalidStateError):
        check(AdaptiveTreeModel, {**state, name: changes[name]})


def test_hostile_leaves_and_alternates():
    state, _ = states()
    for leaf in (HoeffdingTreeModel(3, 2), HoeffdingTreeModel(2, 3)):
        with pytest.raises(InvalidStateError, match=r"'leaves' .* must have n_(features|classes)"):
            check(AdaptiveTreeModel, {**state, "leaves": [*state["leaves"][:3], leaf]})
    nested = {
        "feature": np.array([0, -1, -1, 0, -1, -1, -1]),
        "threshold": np.zeros(7),
        "missing_left": np.zeros(7, dtype=np.uint8),
        "depth": np.zeros(7, dtype=int),
        "left": np.array([1, -1, -1, 4, -1, -1, -1]),
        "right": np.array([2, -1, -1, 5, -1, -1, -1]),
        "alternate": np.array([3, -1, -1, 6, -1, -1, -1]),
        "errors": [AdaptiveWindow() for _ in range(7)],
        "leaves": [HoeffdingTreeModel(2, 2)] * 5,
    }
    with pytest.raises(InvalidStateError, match="has its own alternate"):
        check(AdaptiveTreeModel, {**state, **nested})
