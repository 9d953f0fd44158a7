"""Adaptive random forests and streaming random patches."""

import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB

from driftlearn import (
    AdaptiveRandomForestClassifier,
    GaussianNBClassifier,
    HoeffdingTreeClassifier,
    StreamingRandomPatchesClassifier,
)
from driftlearn.base._engine import restore
from driftlearn.forest._subspace_model import SubspaceModel
from driftlearn.forest.adaptive_random_forest import AdaptiveRandomForest
from driftlearn.io import CorruptFile, dumps, loads
from driftlearn.io.schema import InvalidStateError, check
from driftlearn.tree._hoeffding_model import HoeffdingTreeModel

FORESTS = [AdaptiveRandomForestClassifier, StreamingRandomPatchesClassifier]
BOTH = pytest.mark.parametrize("forest", FORESTS)


def flipped(n=3_000, flip=2_000, d=6):
    rng = np.random.default_rng(1)
    X = rng.normal(size=(n, d))
    return X, (X[:, :3].sum(axis=1) > 0) != (np.arange(n) >= flip)


@BOTH
def test_background_models_replace_members(forest):
    """After a flip all members are former background models."""
    X, y = flipped()
    model = forest(random_state=0).partial_fit(X[:2_000], y[:2_000])
    before, drifts = model.score(X[1_500:2_000], y[1_500:2_000]), model.n_drifts_
    seen = {}
    for i in range(2_000, 3_000):
        waiting = list(model.engine_.background_models)
        members = list(model.committee_.models)
        model.partial_fit(X[i : i + 1], y[i : i + 1])
        for j, (old, new) in enumerate(zip(members, model.committee_.models)):
            if old is not new:
                seen[j] = i
                assert model.engine_.background_models[j] is None
                if waiting[j] is not None:
                    assert new is waiting[j]
                assert new.weight_seen > 0
    assert len(seen) == model.n_members_ and min(seen.values()) < 2_150
    assert model.n_drifts_ >= drifts + 10 and model.n_warnings_ >= 10
    assert model.members_["created_at"].min() > 2_000
    assert before > 0.85 and model.score(X[2_600:], y[2_600:]) > 0.85


@BOTH
def test_weights_are_accuracies_since_the_last_reset(forest):
    X, y = flipped(400, 300)
    model = forest(GaussianNBClassifier(), 3, random_state=0)
    model.partial_fit(X[:1], y[:1], classes=[False, True])
    right, seen = np.zeros(3), np.zeros(3)
    for i in range(1, 400):
        members = list(model.committee_.models)
        right += np.array([member.predict_one(X, i) for member in members]) == int(y[i])
        seen += 1
        model.partial_fit(X[i : i + 1], y[i : i + 1])
        replaced = [old is not new for old, new in zip(members, model.committee_.models)]
        right[replaced] = seen[replaced] = 0
    assert model.n_drifts_ > 0 and seen.max() > 0
    np.testing.assert_array_equal(model.members_["weight"], (1 + right) / (1 + seen))


def test_a_vote_counts_by_its_weight():
    X, y = flipped(300, 300)
    model = AdaptiveRandomForestClassifier(n_estimators=3, vote="majority", random_state=0)
    model.fit(X, y)
    weights = model.members_["weight"]
    expected = np.zeros((300, 2))
    for weight, tree in zip(weights, model.estimators_):
        for i in range(300):
            expected[i, tree.predict_one(X, i)] += weight
    np.testing.assert_allclose(
        model.predict_proba(X), expected / expected.sum(axis=1, keepdims=True), rtol=1e-12
    )


def test_members_have_separate_feature_subsets():
    """Other features do not affect a member; its replacements have other subsets."""
    X, y = flipped(d=10)
    model = StreamingRandomPatchesClassifier(subspace=0.3, random_state=0).fit(X, y)
    columns = [member.get_state()["columns"] for member in model.committee_.models]
    assert {len(each) for each in columns} == {3}
    assert len({tuple(each) for each in columns}) > 5
    for member, each in zip(model.committee_.models, columns):
        other = np.full((1, 10), 1e6)
        other[0, each] = X[7, each]
        assert member.predict_one(other, 0) == member.predict_one(X, 7)


def test_nominal_features_are_those_of_the_part():
    rng = np.random.default_rng(0)
    X = rng.integers(5, size=(400, 4)).astype(float)
    base = HoeffdingTreeClassifier(nominal_features=[1, 3], grace_period=20)
    model = StreamingRandomPatchesClassifier(base, 6, subspace=2, random_state=0)
    model.fit(X, X[:, 1] == 2)
    for member in model.committee_.models:
        columns, tree = member.get_state()["columns"], member.inner.get_state()
        np.testing.assert_array_equal(tree["nominal"], np.isin(columns, [1, 3]))


def test_external_members_of_a_part():
    X, y = flipped(80, 80)
    model = StreamingRandomPatchesClassifier(GaussianNB(), 2, subspace=3, random_state=0)
    model.fit(X, y)
    assert [type(each) for each in model.estimators_] == [GaussianNB] * 2
    assert model.estimators_[0].n_features_in_ == 3
    assert model.score(X, y) > 0.7


@pytest.mark.parametrize("max_features", [1, np.int64(2), 0.5, "sqrt"])
def test_leaves_have_separate_feature_subsets(max_features):
    X, y = flipped(4_000, 4_000)
    tree = HoeffdingTreeClassifier(
        grace_period=20, tie_threshold=0.5, max_features=max_features, random_state=0
    ).fit(X, y)
    state = tree.model_.get_state()
    n = {1: 1, 2: 2, 0.5: 3, "sqrt": 3}[max_features]
    assert state["subset"].shape == (tree.size_, n) and tree.size_ > 20
    assert (np.diff(state["subset"], axis=1) > 0).all()
    inner = np.flatnonzero(state["feature"] >= 0)
    assert all(state["feature"][node] in state["subset"][node] for node in inner)
    assert len(np.unique(state["subset"], axis=0)) > 3
    other = HoeffdingTreeClassifier(grace_period=20, max_features=max_features, random_state=1)
    other = other.fit(X, y).model_.get_state()["subset"]
    assert not np.array_equal(other[:9], state["subset"][:9])


def test_a_loaded_tree_draws_the_same_features():
    """At any size, also if further features are drawn between saving and loading."""
    X, y = flipped(2_000, 2_000)
    how = {"grace_period": 20, "tie_threshold": 0.5, "max_features": 2}
    whole = HoeffdingTreeClassifier(**how).fit(X, y)
    tree, sizes = HoeffdingTreeClassifier(**how), set()
    for i in range(0, 2_000, 20):
        tree = loads(dumps(tree.partial_fit(X[i : i + 20], y[i : i + 20])))
        sizes.add(tree.size_)
    assert {63, 65} <= sizes
    np.testing.assert_array_equal(
        tree.model_.get_state()["subset"], whole.model_.get_state()["subset"]
    )
    np.testing.assert_array_equal(tree.predict_proba(X), whole.predict_proba(X))


@pytest.mark.parametrize("max_features", [6, 99, 1.0])
def test_all_features_are_no_subset(max_features):
    X, y = flipped()
    plain = HoeffdingTreeClassifier(grace_period=20).fit(X, y)
    tree = HoeffdingTreeClassifier(grace_period=20, max_features=max_features).fit(X, y)
    assert tree.model_.get_state()["subset"].shape == (0, 0)
    np.testing.assert_array_equal(tree.predict_proba(X), plain.predict_proba(X))


def test_a_tree_from_before_there_were_subsets():
    """Stored trees and learners without feature subsets use all features."""
    X, y = flipped()
    tree = HoeffdingTreeClassifier(grace_period=20).fit(X[:1_000], y[:1_000])
    state = {k: v for k, v in tree.model_.get_state().items() if k not in ("seed", "subset")}
    old = restore(HoeffdingTreeModel, state)
    old.learn_many(X[1_000:], y[1_000:].astype(np.intp), np.ones(2_000))
    attributes = tree.__getstate__()
    for name in ("rng_", "random_state", "max_features"):
        del attributes[name]
    tree.partial_fit(X[1_000:], y[1_000:])
    for name, value in tree.model_.get_state().items():
        np.testing.assert_array_equal(old.get_state()[name], value)
    again = HoeffdingTreeClassifier.__new__(HoeffdingTreeClassifier)
    again.__setstate__(attributes)
    assert loads(dumps(again)).max_features is None


def test_hostile_states():
    """Invalid features, mismatched models and impossible counts are rejected."""
    X, y = flipped(600, 300)
    how = {"warning_delta": 0.9, "drift_delta": 1e-9, "random_state": 0}
    model = StreamingRandomPatchesClassifier(n_estimators=2, **how)
    model.fit(X, y)
    engine, member = model.engine_, model.committee_.models[0]
    assert any(each is not None for each in engine.background_models)
    state = member.get_state()
    for columns in [[0, 6], [-1, 2], [0, 1]]:
        with pytest.raises(InvalidStateError):
            check(SubspaceModel, {**state, "columns": np.array(columns)})
    tree = HoeffdingTreeModel(6, 2, n_chosen=2).get_state()
    for subset in [[[0, 6]], [[-1, 0]], [[0, 1], [0, 1]]]:
        with pytest.raises(InvalidStateError, match=r"subset|every leaf"):
            check(HoeffdingTreeModel, {**tree, "subset": np.array(subset)})
    state = engine.get_state()
    check(AdaptiveRandomForest, state)
    wrong = HoeffdingTreeModel(5, 2)
    for change in [
        {"background_models": [wrong, None]},
        {"background_models": [None]},
        {"background_classes": np.zeros((2, 3), dtype=np.uint8)},
    ]:
        with pytest.raises(InvalidStateError):
            check(AdaptiveRandomForest, {**state, **change})
    engine.committee["n_correct"] += 1_000
    with pytest.raises(CorruptFile, match="n_correct"):
        loads(dumps(model))


@BOTH
@pytest.mark.parametrize(
    "how", [{"rate": 0}, {"rate": 101}, {"warning_delta": 1}, {"drift_delta": 0}, {"vote": "hard"}]
)
def test_bad_values(forest, how):
    with pytest.raises(ValueError, match=next(iter(how))):
        forest(**how).fit([[0.0], [1.0]], [0, 1])


@pytest.mark.parametrize("value", [0, 0.0, 1.5, "half", -1])
def test_bad_shares_of_features(value):
    with pytest.raises(ValueError, match="subspace"):
        StreamingRandomPatchesClassifier(subspace=value).fit([[0.0], [1.0]], [0, 1])
    with pytest.raises(ValueError, match="max_features"):
        HoeffdingTreeClassifier(max_features=value).fit([[0.0], [1.0]], [0, 1])
