"""Random-feature trees, forests and patches: references checked by hand, then the learners."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import driftlearn
from driftlearn import GaussianNBClassifier, HoeffdingTreeClassifier
from tests.reference.adwin import AdwinReference
from tests.reference.forest import AdaptiveRandomForestReference, StreamingRandomPatchesReference
from tests.reference.hat import AdaptiveTreeReference
from tests.reference.hoeffding import HoeffdingReference, chosen, smallest
from tests.reference.online_bases import (
    OnlineHoeffding,
    hoeffding_maker,
    naive_bayes_maker,
    poisson,
)
from tests.reference.rows import LABELS, TREE, agree, calls, rows

FOREST = "AdaptiveRandomForestClassifier", AdaptiveRandomForestReference
PATCHES = "StreamingRandomPatchesClassifier", StreamingRandomPatchesReference


def splits(node):
    """Return all inner nodes."""
    return [] if node.feature < 0 else [node, *splits(node.left), *splits(node.right)]


# reference implementations alone


def test_how_many_features():
    assert [chosen("sqrt", d) for d in (1, 2, 3, 9, 12, 50)] == [1, 2, 3, 4, 4, 8]
    assert [chosen(f, 5) for f in (0.01, 0.5, 0.6, 1.0)] == [2, 2, 3, 5]
    assert chosen(0.6, 1) == 1
    assert [chosen(k, 5) for k in (1, 5, 9, None)] == [1, 5, 5, 5]


def test_features_of_the_smallest_numbers():
    assert smallest(3, [0.5, 0.1, 0.9, 0.1, 0.4]) == [1, 3, 4]
    assert smallest(1, [0.5, 0.1, 0.9, 0.1, 0.4]) == [1]


def test_leaves_split_by_their_own_features():
    X, y, _ = rows(1, 4, False, 600, 5)
    codes = np.searchsorted(["a", "b", "c", "d"], y)
    trees = [HoeffdingReference(5, **TREE, max_features=m, seed=3) for m in (None, 5, 2)]
    for tree in trees:
        for x, code in zip(X, codes):
            tree.learn_one(x, code)
    probe = np.random.default_rng(0).random((50, 5))
    whole, same, part = ([tree.scores(x) for x in probe] for tree in trees)
    assert whole == same != part
    nodes = splits(trees[2].root)
    assert len(nodes) > 5
    assert all(node.feature in node.features and len(node.features) == 2 for node in nodes)
    assert len({tuple(node.features) for node in nodes}) > 2
    u = np.random.default_rng([3, 1]).random((64, 5))
    first = [trees[2].root, trees[2].root.left, trees[2].root.right]
    assert [node.features for node in first] == [smallest(2, numbers) for numbers in u[:3]]


class Constant:
    """Predict "a" after the first row; record the weights."""

    def __init__(self, seed):
        self.seed, self.weights = seed, []

    def learn_one(self, x, y, w):
        self.weights.append(w)
        self.n_columns = len(x)

    def predict_one(self, x):
        return "a" if self.weights else None

    def proba_one(self, x, classes):
        return [float(c == self.predict_one(x)) for c in classes]


@pytest.mark.parametrize(
    "Reference", [AdaptiveRandomForestReference, StreamingRandomPatchesReference]
)
def test_background_takes_over_after_a_flip(Reference):
    reference = Reference(Constant, 1, random_state=6)
    rng = np.random.default_rng(6)
    seeds = [int(rng.integers(2**31 - 1))]
    u, background, now = [], None, None
    for i in range(400):
        old = reference.members[0] if reference.members else None
        drawn = reference.n_warnings
        reference.learn_one(np.zeros(5), "a" if i < 200 else "b", 0.5)
        u.append(rng.random())
        if reference.n_warnings > drawn:
            seeds.append(int(u[-1] * (2**31 - 1)))
            background, begun = old.background, i
        if reference.n_drifts:
            now = reference.members[0]
            break
    assert now is not None
    assert 200 < begun <= i < 300
    assert now.model is background
    assert (now.seen, now.right, now.weight(), now.born) == (0, 0, 1.0, i + 1)
    tested = sum(1 for _ in itertools.dropwhile(lambda v: poisson(v, 6.0) == 0, u)) - 1
    assert old.seen == tested
    model = now.model.model if Reference is StreamingRandomPatchesReference else now.model
    ks = [poisson(v, 6.0) for v in u[begun:]]
    assert model.weights == [0.5 * k for k in ks if k]
    assert model.seed == seeds[-1]
    assert model.n_columns == (3 if Reference is StreamingRandomPatchesReference else 5)


@pytest.mark.parametrize(
    "Reference", [AdaptiveRandomForestReference, StreamingRandomPatchesReference]
)
def test_forests_learn_a_band_and_its_flip(Reference):
    X, y, _ = rows(3, 2, False, 600)
    make = hoeffding_maker("ad", **TREE, max_features="sqrt")
    reference = Reference(make, 6, drift_delta=0.1, warning_delta=0.3).partial_fit(X[:260], y[:260])
    assert np.mean(reference.predict(X[260:300]) == y[260:300]) > 0.7
    reference.partial_fit(X[300:440], y[300:440])
    assert reference.n_warnings >= reference.n_drifts > 0
    assert np.mean(reference.predict(X[440:480]) == y[440:480]) > 0.7


# learners against the reference implementations


def one_by_one(product, reference, X, y, w, also=lambda product, reference: None):
    """Assert that a single learner and its reference agree on every row before it is learned."""
    for part in calls(w):
        x = X[part][-1:]
        if part.start:
            expected = reference.proba_one(x[0], product.classes_.tolist())
            actual = product.predict_proba(x)[0]
            np.testing.assert_allclose(actual, expected, 1e-12, 1e-12, err_msg=str(part))
            assert product.predict(x).tolist() == [reference.predict_one(x[0])], part
        product.partial_fit(X[part], y[part], sample_weight=w[part])
        reference.learn_one(x[0], y[part].tolist()[-1], w[part][-1])
        also(product, reference)


@pytest.mark.parametrize(
    ("max_features", "weighted", "eager"),
    [
        (None, True, {}),
        (1, False, {}),
        (2, True, {"grace_period": 3, "delta": 0.9}),  # more nodes than a block of numbers has
        (7, False, {}),
        (0.5, True, {}),
        (1.0, False, {}),
        ("sqrt", True, {}),
    ],
)
def test_tree_of_random_features(max_features, weighted, eager):
    how = {**TREE, **eager, "max_features": max_features}
    nominal = [0, 1, 0, 0, 0]
    X, y, w = rows(4, 4, weighted, 240, 5)
    X[:, 1] = np.floor(4 * X[:, 1])
    product = HoeffdingTreeClassifier(**how, nominal_features=[1], random_state=11)
    seed = int(np.random.default_rng(11).integers(2**31 - 1))
    reference = OnlineHoeffding(
        lambda d: HoeffdingReference(d, **how, nominal=nominal, seed=seed), "abcd"
    )
    one_by_one(product, reference, X, y, w)
    assert product.size_ == reference.reference.n_nodes > (128 if eager else 8)


def test_tree_without_a_choice_is_the_tree():
    X, y, _ = rows(4, 4, False, 320, 5)
    plain, all_of_them = (
        HoeffdingTreeClassifier(**TREE, max_features=m, random_state=0).partial_fit(X, y)
        for m in (None, 5)
    )
    assert np.array_equal(plain.predict_proba(X), all_of_them.predict_proba(X))


def watched(product, reference):
    assert (product.n_warnings_, product.n_drifts_) == (reference.n_warnings, reference.n_drifts)
    table = product.members_
    assert table["weight"].tolist() == [tree.weight() for tree in reference.members]
    assert table["error"].tolist() == [tree.drift.estimate for tree in reference.members]
    assert table["created_at"].tolist() == [tree.born for tree in reference.members]
    assert product.committee_.n_admitted == len(reference.members) + reference.n_drifts


def forest(kind, base, n_classes, weighted, seed, m=3, data=None, **how):
    classes = sorted("bcda"[-n_classes:])
    if base == "bayes":
        estimator, make = GaussianNBClassifier(), naive_bayes_maker(classes)
    else:
        options = {**TREE, "max_features": base}
        estimator = HoeffdingTreeClassifier(**options)
        make = hoeffding_maker(classes, **options)
    how = {"random_state": seed, **how}
    product, reference = getattr(driftlearn, kind[0])(estimator, m, **how), kind[1](make, m, **how)
    agree(product, reference, data or rows(seed, n_classes, weighted, 320, 5), watched)
    return reference


SOON = {"warning_delta": 0.5, "drift_delta": 0.3}
UNWARNED = {"warning_delta": 0.01, "drift_delta": 0.5}


@pytest.mark.parametrize(
    ("base", "n_classes", "weighted", "how"),
    [
        ("sqrt", 2, False, {}),
        ("sqrt", 4, True, {**SOON, "vote": "majority"}),
        (0.5, 4, False, {**SOON, "rate": 1.0}),
        ("bayes", 2, True, {**UNWARNED, "vote": "majority"}),
        ("bayes", 4, False, UNWARNED),
    ],
)
def test_adaptive_random_forest(base, n_classes, weighted, how):
    reference = forest(FOREST, base, n_classes, weighted, 3, **how)
    assert (reference.n_drifts > 0) == bool(how)  # too few rows for a drift with the default deltas


@pytest.mark.parametrize(
    ("base", "n_classes", "weighted", "how"),
    [
        (None, 2, False, {}),
        (None, 4, True, {**SOON, "subspace": "sqrt"}),
        ("sqrt", 4, False, {**SOON, "subspace": 3, "rate": 2.0, "vote": "majority"}),
        ("bayes", 2, True, {**UNWARNED, "subspace": None}),
        ("bayes", 4, True, {**SOON, "subspace": 0.5, "vote": "majority"}),
    ],
)
def test_streaming_random_patches(base, n_classes, weighted, how):
    reference = forest(PATCHES, base, n_classes, weighted, 4, **how)
    assert (reference.n_drifts > 0) == bool(how)


KINDS = pytest.mark.parametrize("kind", [FOREST, PATCHES], ids=["forest", "patches"])


@KINDS
def test_errors_that_fall_are_no_drift(kind, monkeypatch):
    cuts, update = [], AdwinReference.update

    def noting(detector, error):
        before, cut = detector.estimate, update(detector, error)
        cuts.append(cut and detector.estimate <= before)
        return cut

    monkeypatch.setattr(AdwinReference, "update", noting)
    data = rows(4, 2, False, 320, 5, wild=100)
    forest(kind, "bayes", 2, False, 4, data=data, warning_delta=0.9, drift_delta=0.9)
    assert any(cuts)


@KINDS
@pytest.mark.parametrize("drift_delta", [0.01, 1e-6])
def test_backgrounds_are_lost_to_the_next_warning(kind, drift_delta):
    """Errors rise twice; with 0.01 the second warning may occur at the drift."""
    rng = np.random.default_rng(4)
    X = rng.integers(1024, size=(320, 5)) / 1024
    astray = rng.random(320) < np.repeat([0.0, 0.3, 0.9], [106, 106, 108])
    data = X, np.where((X[:, 0] > 0.5) == astray, "a", "d"), np.ones(320)
    how = {"warning_delta": 0.9, "drift_delta": drift_delta}
    reference = forest(kind, "bayes", 2, False, 4, data=data, **how)
    assert 0 < reference.n_drifts <= 3
    assert reference.n_warnings == 6


def test_patches_have_their_nominal_columns():
    X, y, w = rows(5, 4, True, 200, 5)
    X[:, 1] = np.floor(4 * X[:, 1])
    estimator = HoeffdingTreeClassifier(**TREE, nominal_features=[1])

    def make(seed):
        columns = smallest(0.6, np.random.default_rng(seed).random(5))
        nominal = [column == 1 for column in columns]
        return OnlineHoeffding(lambda d: HoeffdingReference(d, **TREE, nominal=nominal), "abcd")

    how = {"random_state": 5, **SOON}
    product = driftlearn.StreamingRandomPatchesClassifier(estimator, 4, **how)
    agree(product, StreamingRandomPatchesReference(make, 4, **how), (X, y, w), watched)


# the adaptive tree: the reference alone, then the learner against it

QUICK = {**TREE, "grace_period": 10, "drift_delta": 0.3, "min_width": 20}


def flips(seed, n_classes, n, *at):
    """Return bands reversed at these rows, with a nominal column and a late third class."""
    rng = np.random.default_rng(seed)
    X = rng.integers(1024, size=(n, 4)) / 1024
    X[:, 2] = np.floor(4 * X[:, 2])
    y = np.minimum((X[:, 0] + 0.3 * X[:, 2]) / 1.9 * n_classes, n_classes - 1).astype(int)
    astray = rng.random(n) < 0.05
    y[astray] = rng.integers(n_classes, size=astray.sum())
    y[: n // 4][y[: n // 4] == 2] = 0
    turned = np.searchsorted(at, np.arange(n), side="right") % 2 == 1
    return X, np.where(turned, n_classes - 1 - y, y)


def test_adaptive_tree_without_change_is_the_tree():
    X, y = flips(0, 3, 600)
    trees = AdaptiveTreeReference(4, **TREE, drift_delta=1e-9), HoeffdingReference(4, **TREE)
    for x, code in zip(X, y):
        assert trees[0].scores(x) == trees[1].scores(x)
        for tree in trees:
            tree.learn_one(x, code)
    assert trees[0].size() == trees[1].n_nodes > 9
    assert trees[0].n_alternates == 0


def test_adaptive_tree_grows_anew():
    X, y = flips(1, 2, 1200, 500)
    trees = AdaptiveTreeReference(4, **TREE, min_width=100), HoeffdingReference(4, **TREE)
    for x, code in zip(X[:1100], y):
        for tree in trees:
            tree.learn_one(x, code)
    assert trees[0].n_alternates >= trees[0].n_switches > 0
    right = [np.mean([tree.predict_one(x) for x in X[1100:]] == y[1100:]) for tree in trees]
    assert right[0] > 0.8
    assert right[0] > right[1]


@pytest.mark.parametrize(
    ("how", "comparison"), [({}, 1), ({"switch_alpha": 1e-5}, 0), ({"min_width": 60}, 0)]
)
def test_adaptive_tree_leads_by_hand(how, comparison):
    """Errors of 1/2 and 1/4 in 100 and 60 rows; sqrt(log(40) / 2 * (1 / 100 + 1 / 60)) = 0.222."""
    tree = AdaptiveTreeReference(1, **{"min_width": 59, **how})
    node = tree._equip(tree.root, [0])
    node.alternate = AdaptiveTreeReference(1).root
    node.adwin.width, node.adwin.total = 100, 50.0
    node.alternate.adwin.width, node.alternate.adwin.total = 60, 15.0
    assert tree._comparison(node) == comparison
    node.alternate.adwin.total = 45.0
    assert tree._comparison(node) == -comparison


@pytest.mark.parametrize(
    ("n_classes", "seed", "weighted", "how"),
    [
        (2, 24, False, {"max_depth": 3, "max_nodes": 30}),
        (4, 5, False, {"max_depth": 3, "max_nodes": 20, "switch_alpha": 0.99}),
        (4, 21, True, {"grace_period": 25, "max_depth": 2, "min_width": 5, "switch_alpha": 0.99}),
        (2, 36, False, {"leaf_prediction": "nb", "grace_period": 25, "drift_delta": 0.9}),
        (4, 44, False, {"leaf_prediction": "majority", "max_nodes": 20, "drift_delta": 0.9}),
        (2, 5, True, {"min_width": 60, "switch_alpha": 0.9, "drift_delta": 0.9}),
        (2, 5, True, {"min_width": 60, "drift_delta": 0.9, "alternates": "wait"}),
    ],
)
def test_adaptive_tree(n_classes, seed, weighted, how):
    how = {**QUICK, **how}
    X, y = flips(seed, n_classes, 600, 250, 430)
    y = LABELS[-n_classes:][y]
    w = np.random.default_rng(0).integers(0 if weighted else 4, 5, size=len(y)) / 4
    w[:20] = 1
    product = driftlearn.HoeffdingAdaptiveTreeClassifier(**how, nominal_features=[2])
    reference = OnlineHoeffding(
        lambda d: AdaptiveTreeReference(d, **how, nominal=[0, 0, 1, 0]), sorted(LABELS[-n_classes:])
    )

    def counts(product, reference):
        actual = product.size_, product.n_alternates_, product.n_switches_
        assert actual == (
            reference.reference.size(),
            reference.reference.n_alternates,
            reference.reference.n_switches,
        )

    one_by_one(product, reference, X, y, w, counts)
    assert reference.reference.n_switches > 0
