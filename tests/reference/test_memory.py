"""DDD, ACE, RCD and DYNSE compared with their reference implementations."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from sklearn.base import clone

import driftlearn
from driftlearn import CARTClassifier, GaussianNBClassifier, HoeffdingTreeClassifier
from tests.reference.ace import ACEReference
from tests.reference.bases import cart_base, naive_bayes_base
from tests.reference.ddd import DDDReference
from tests.reference.dynse import DYNSEReference
from tests.reference.online_bases import hoeffding_maker, naive_bayes_maker
from tests.reference.rcd import RCDReference
from tests.reference.rows import TREE, agree, returning, shares_of

CART = cart_base(min_samples_split=10)[0]
BATCH = {"cart": (CARTClassifier(), CART), "bayes": (GaussianNBClassifier(), naive_bayes_base()[0])}
NOMINAL = {
    "cart": cart_base(min_samples_split=10, nominal=[2])[0],
    "bayes": naive_bayes_base(nominal=[2])[0],
}
ONLINE = {
    "bayes": (GaussianNBClassifier(), naive_bayes_maker),
    "tree": (HoeffdingTreeClassifier(**TREE), lambda classes: hoeffding_maker(classes, **TREE)),
}


def members(product, reference):
    ours, theirs = product.members_, np.array(reference.members()).T
    assert product.n_members_ == len(reference.members())
    np.testing.assert_allclose(ours["weight"], theirs[0], 1e-12, 1e-12)
    np.testing.assert_allclose(ours["error"], theirs[1], 1e-12, 1e-12)
    assert ours["created_at"].tolist() == theirs[2].tolist()
    assert getattr(product, "n_drifts_", None) == getattr(reference, "n_drifts", None)


def assert_sliced(product, data, seed):
    """Assert that training in several calls gives bit-identical predictions."""
    other = sliced(product, data, seed)
    assert np.array_equal(other.predict_proba(data[0]), product.predict_proba(data[0]))


def sliced(product, data, seed):
    """Return a clone of a learner that was trained in several calls."""
    X, y, w = data
    product = clone(product)
    cuts = np.sort(np.random.default_rng(seed).integers(1, len(y), 12))
    for part in np.split(np.arange(len(y)), cuts):
        if len(part) and w[part].any():
            product.partial_fit(X[part], y[part], sample_weight=w[part])
    return product


def classes_of(n_classes):
    return sorted("bcda"[-n_classes:])


def settings(product, *others):
    """Return the parameters that a learner shares with its reference."""
    params = product.get_params(deep=False)
    assert params.pop("class_weight") is None
    assert params.pop("nominal_features") is None
    return {name: params[name] for name in params if name not in ("estimator", "online", *others)}


DETECTORS = {"ddd": ["eddm", "ddm", "adwin"], "rcd": ["ddm", "eddm"]}
VOTES = ["soft", "majority"]
RESTARTS = ["drift", "chunk", "never"]
SELECTIONS = ["knora-e", "knora-u", "ola", "lca"]
STREAMS = list(itertools.product([2, 3, 4], [False, True]))


def ace_pair(batch, online, n_classes, m, **how):
    estimator, train = BATCH[batch]
    model, maker = ONLINE[online]
    product = driftlearn.ACEClassifier(estimator, m, online=model, **how)
    return product, ACEReference(train, maker(classes_of(n_classes)), m, **how)


@pytest.mark.parametrize("turn", range(12))
def test_ace(turn):
    restart, vote = list(itertools.product(RESTARTS, VOTES))[turn % 6]
    n_classes, weighted = STREAMS[turn % 5]
    batch, online = list(itertools.product(BATCH, ONLINE))[turn % 4]
    m = [50, 3, None, 1][turn % 4]
    how = {
        "restart": restart,
        "vote": vote,
        "chunk_size": [60, 25, 40, 9][turn // 2 % 4],
        "window_size": [10, 20, 7][turn % 3],
        "alpha": [0.01, 0.2][turn // 2 % 2],
        "power": [3.0, 1.0, 0.0, 2.5][turn // 3 % 4],
        "random_state": turn,
    }
    product, reference = ace_pair(batch, online, n_classes, m, **how)
    data = returning(turn, n_classes, weighted, 360, 90)
    agree(product, reference, data, members, 1e-9)
    assert_sliced(product, data, turn)
    assert reference.n_drifts > 0
    assert (reference.n_pruned > 0) == (m in (1, 3))
    assert (reference.n_restarts > 0) == (restart != "never")


def test_ace_defaults():
    product = driftlearn.ACEClassifier(random_state=1)
    reference = ACEReference(CART, naive_bayes_maker(classes_of(2)), **settings(product))
    agree(product, reference, returning(1, 2, True, 1200, 600), members, 1e-9)
    assert len(reference.batch) > 1
    assert reference.n_drifts > 0


@pytest.mark.filterwarnings("ignore:The number of unique classes")
def test_ace_that_is_never_right_has_no_drift():
    """Every row is of a new class; the interval around 0 begins at 0 up to rounding."""
    how = {"chunk_size": 15, "window_size": 10, "alpha": 0.05, "random_state": 0}
    y = np.arange(40)
    X = np.random.default_rng(0).random((40, 2))
    product = driftlearn.ACEClassifier(online=GaussianNBClassifier(), **how)
    reference = ACEReference(CART, naive_bayes_maker(y.tolist()), **how)
    assert reference.lower(0.0) > 0
    agree(product, reference, (X, y, np.ones(40)), members, 1e-9)
    assert reference.n_drifts == 0


def chunks(seed, n_classes, weighted, n_chunks=10, n=30):
    X, y, w = returning(seed, n_classes, weighted, n_chunks * n, 3 * n, 0.1)
    X[:, 2] = np.floor(4 * X[:, 2])  # categories, and ties of distances
    X[:, :2] = np.floor(16 * X[:, :2]) / 16
    parts = np.split(np.arange(len(y)), n_chunks)
    return [(X[part], y[part], w[part]) for part in parts]


def agree_in_chunks(product, reference, data):
    for step, (X, y, w) in enumerate(data):
        if step:
            theirs = [shares_of(scores) for scores in reference.scores(X)]
            assert product.predict(X).tolist() == reference.predict(X).tolist(), step
            np.testing.assert_allclose(product.predict_proba(X), theirs, 1e-12, 1e-12)
        product.partial_fit(X, y, sample_weight=w)
        reference.partial_fit(X, y, w)
        table = product.members_
        assert table["created_at"].tolist() == reference.births
        np.testing.assert_allclose(table["weight"], reference.weights, 1e-11)
        np.testing.assert_allclose(1.0 - table["error"], reference.weights, 1e-11)
    assert product.classes_.tolist() == reference.classes
    assert product.rng_.random() == reference.rng.random()


DYNSE = list(itertools.product(SELECTIONS, ["age", "accuracy"], [0, 2], [None, [2]]))


@pytest.mark.parametrize("turn", range(len(DYNSE)), ids=lambda i: str(DYNSE[i]))
def test_dynse(turn):
    selection, prune, slack, nominal = DYNSE[turn]
    n_classes, weighted = STREAMS[turn % 5]
    base = ["cart", "bayes"][turn // 3 % 2]
    estimator, train = BATCH[base]
    if turn % 7 < 3:  # the base learner's own columns have priority
        estimator = clone(estimator).set_params(nominal_features=[])
    elif nominal:
        train = NOMINAL[base]
    how = {
        "n_estimators": [5, 3, None, 1][turn // 2 % 4],
        "n_window": [4, 1, 2][turn % 3],
        "n_neighbors": [9, 1, 4, 500][turn // 4 % 4],
        "selection": selection,
        "slack": slack,
        "prune": prune,
        "random_state": turn,
    }
    product = driftlearn.DYNSEClassifier(estimator, nominal_features=nominal, **how)
    reference = DYNSEReference(train, categorical=nominal and [False, False, True], **how)
    data = chunks(turn, n_classes, weighted)
    agree_in_chunks(product, reference, data)
    if how["n_estimators"] != 1 and (selection != "knora-e" or slack < how["n_neighbors"]):
        predicted = np.array([h.predict(data[0][0]) for h in reference.members]).T.tolist()
        assert any(
            len({*reference.vote_weights(x, labels)}) > 1
            for x, labels in zip(data[0][0], predicted)
        )


def test_dynse_defaults_and_chunk_size():
    data = chunks(7, 3, True)
    product = driftlearn.DYNSEClassifier(driftlearn.CARTClassifier(), random_state=7)
    how = settings(product, "chunk_size", "n_jobs")
    agree_in_chunks(product, DYNSEReference(CART, **how), data)
    X, y, w = (np.concatenate(part) for part in zip(*data))
    there = w > 0
    X, y, w = X[there], y[there], w[there]
    cut = sliced(
        driftlearn.DYNSEClassifier(driftlearn.CARTClassifier(), chunk_size=50, random_state=7),
        (X, y, w),
        0,
    )
    reference = DYNSEReference(CART, **how)
    for start in range(0, len(y) - 49, 50):
        part = slice(start, start + 50)
        reference.partial_fit(X[part], y[part], w[part])
    assert cut.predict(X).tolist() == reference.predict(X).tolist()
    assert cut.members_["created_at"].tolist() == reference.births


def test_dynse_prunes_by_accuracy_others_than_by_age():
    kept = []
    for prune in ("age", "accuracy"):
        reference = DYNSEReference(CART, 3, n_window=4, prune=prune)
        for X, y, w in chunks(0, 3, False):
            reference.partial_fit(X, y, w)
        kept.append(reference.births)
    assert kept[0] == [8, 9, 10] != kept[1]


def online_pair(name, Reference, base, n_classes, m, **how):
    estimator, maker = ONLINE[base]
    product = getattr(driftlearn, name)(estimator, m, **how)
    return product, Reference(maker(classes_of(n_classes)), m, **how)


def returns(product, reference):
    members(product, reference)
    assert product.n_returns_ == reference.n_returns


@pytest.mark.parametrize("turn", range(12))
def test_rcd(turn):
    detector, compare = list(itertools.product(DETECTORS["rcd"], ["labelled", "rows"]))[turn % 4]
    n_classes, weighted = STREAMS[turn % 5]
    how = {
        "detector": detector,
        "compare": compare,
        "buffer_size": [40, 60, 25][turn % 3],
        "check_every": [70, None, 20][turn // 2 % 3],
        "min_rows": [1, 10, 12, 6][turn // 3 % 4],
        "n_neighbors": [3, 1, 5][turn // 3 % 3],
        "alpha": [0.05, 0.1, 0.3][turn // 4 % 3],
        "n_permutations": [39, 60][turn % 2],
        "random_state": turn,
    }
    base, m = ["bayes", "tree"][turn // 4 % 2], [15, 2, 1, 3][turn // 3 % 4]
    product, reference = online_pair("RCDClassifier", RCDReference, base, n_classes, m, **how)
    data = returning(turn, n_classes, weighted, 600, 150)
    agree(product, reference, data, returns, 1e-9)
    assert_sliced(product, data, turn)
    assert reference.n_drifts > 0
    assert (reference.n_returns > 0) == (turn in (0, 1, 2, 3, 5, 10, 11))
    assert (reference.n_checked > 0) == (turn in (5, 10, 11))
    assert (reference.n_dropped > 0) == (turn not in (3, 6, 10, 11))


def test_rcd_defaults():
    product = driftlearn.RCDClassifier(random_state=3)
    reference = RCDReference(hoeffding_maker(classes_of(2)), **settings(product))
    agree(product, reference, returning(3, 2, True, 1100, 300), returns, 1e-9)
    assert reference.n_drifts > 0


def test_rcd_keeps_the_rows_of_a_false_warning():
    """Random numbers are drawn for each row of a buffer, so a missing row changes the results."""
    i = np.arange(200)
    X = np.random.default_rng(0).integers(1024, size=(200, 3)) / 1024
    astray = (i % 8 == 7) | ((i >= 50) & (i < 58))
    data = X, np.where((X[:, 0] > 0.5) != astray, "a", "d"), np.ones(200)
    how = {"buffer_size": 120, "check_every": 40, "min_rows": 5, "n_permutations": 19}
    product, reference = online_pair(
        "RCDClassifier", RCDReference, "bayes", 2, 15, **how, random_state=0
    )
    reference.make = naive_bayes_maker(["a", "d"])
    agree(product, reference, data, returns, 1e-9)
    assert (reference.n_drifts, reference.n_dropped) == (0, 2)


def modes(product, reference):
    members(product, reference)
    assert product.mode_ == reference.mode


# detector, classes, rows of a concept, noise: together they reach every branch (see below)
DDD = [
    ("ddm", 2, 80, 0.1),
    ("ddm", 3, 200, 0.05),
    ("adwin", 3, 220, 0.05),
    ("adwin", 2, 150, 0.02),
    ("eddm", 3, 220, 0.05),
    ("eddm", 4, 200, 0.02),
]


@pytest.mark.parametrize("turn", range(12))
def test_ddd(turn):
    detector, n_classes, every, noise = DDD[turn % 6]
    how = {
        "low": [1.0, 0.6][turn % 2],
        "high": [0.1, 0.3][turn // 2 % 2],
        "multiplier": [1.0, 2.5, 0.5][turn // 2 % 3],
        "detector": detector,
        "vote": VOTES[turn // 3 % 2],
        "random_state": turn // 4,
    }
    base, m = ["bayes", "tree"][turn // 5 % 2], [3, 1, 5][turn // 4 % 3]
    product, reference = online_pair("DDDClassifier", DDDReference, base, n_classes, m, **how)
    data = returning(turn, n_classes, turn % 4 > 1, 660, every, noise)
    agree(product, reference, data, modes, 1e-9)
    assert_sliced(product, data, turn)
    assert reference.n_drifts > 0
    assert (reference.n_recoveries > 0) == (turn not in (6, 8, 9))
    assert (reference.n_takeovers > 0) == (turn in (0, 5, 6, 8, 9))
    assert (reference.n_old_high > 0) == (turn == 5)


def test_ddd_defaults():
    product = driftlearn.DDDClassifier(random_state=3)
    reference = DDDReference(hoeffding_maker(classes_of(2)), **settings(product))
    agree(product, reference, returning(3, 2, True, 500, 250), modes, 1e-9)
    assert reference.n_drifts > 0


@pytest.mark.parametrize("name", ["DDD", "ACE", "RCD"])
def test_announced_classes_and_one_that_never_comes(name):
    how = {"random_state": 4}
    if name == "ACE":
        product, reference = ace_pair("cart", "tree", 4, 5, chunk_size=30, window_size=10, **how)
    elif name == "DDD":
        product, reference = online_pair(
            "DDDClassifier", DDDReference, "tree", 4, 2, detector="eddm", **how
        )
    else:
        how |= {"buffer_size": 40, "min_rows": 5, "alpha": 0.05}
        product, reference = online_pair("RCDClassifier", RCDReference, "bayes", 4, 3, **how)
    agree(product, reference, returning(4, 4, True, 450, 150), members, 1e-9, list("abcde"))
    assert reference.n_drifts > 0
