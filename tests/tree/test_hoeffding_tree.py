import pickle

import numpy as np
import pytest
from sklearn.utils.estimator_checks import check_estimator

from driftlearn import (
    ADWINBaggingClassifier,
    AUE2Classifier,
    DWMClassifier,
    HoeffdingTreeClassifier,
)
from driftlearn.checks import check_stream_classifier
from driftlearn.io import dumps, loads
from tests.reference.hoeffding import HoeffdingReference


def test_scikit_learn_checks_with_naive_bayes_leaves():
    """Without adaptive leaves, weights and repeated rows are equivalent."""
    known = {"check_class_weight_classifiers": "a leaf of one class names it, however light"}
    tree = HoeffdingTreeClassifier(leaf_prediction="nb")
    results = check_estimator(tree, on_skip=None, expected_failed_checks=known)
    assert {result["status"] for result in results} <= {"passed", "skipped", "xfail"}


@pytest.mark.parametrize("leaf_prediction", ["nba", "nb", "majority"])
def test_stream_checks(leaf_prediction):
    model = HoeffdingTreeClassifier(leaf_prediction=leaf_prediction, grace_period=20)
    assert set(check_stream_classifier(model).values()) == {"passed"}


def rows(n, seed):
    rng = np.random.default_rng(seed)
    X = np.column_stack([rng.random(n), rng.integers(0, 4, n), rng.random(n)])
    return X, np.where(X[:, 1] == 2, "b", np.where(X[:, 0] + 0.3 * X[:, 2] > 0.6, "a", "c"))


@pytest.mark.parametrize(
    "how",
    [
        {"grace_period": 30},
        {"delta": 0.3},
        {"tie_threshold": 0.3},
        {"leaf_prediction": "nb"},
        {"leaf_prediction": "majority"},
        {"max_depth": 1},
        {"max_nodes": 8},
        {"max_bytes": 1000},
    ],
    ids=str,
)
def test_every_parameter_reaches_the_tree(how):
    X, y = rows(3000, seed=0)
    model = HoeffdingTreeClassifier(nominal_features=[1], **how).fit(X, y)
    reference = HoeffdingReference(3, nominal=[0, 1, 0], **how)
    reference.widen(3)
    for x, code in zip(X, np.searchsorted(model.classes_, y)):
        reference.learn_one(x, code)
    expected = np.array([reference.scores(x) for x in X])
    np.testing.assert_allclose(model.predict_proba(X), expected, rtol=1e-8, atol=1e-12)
    assert model.size_ > 1
    assert model.n_active_leaves_ == len([leaf for leaf in reference.root.leaves() if leaf.active])


@pytest.mark.parametrize("nominal", [[1], [False, True, False], np.array([1]), (-2,)])
def test_nominal_features_are_positions_or_a_mask(nominal):
    X, y = rows(500, seed=1)
    model = HoeffdingTreeClassifier(nominal_features=nominal).fit(X, y)
    assert model.model_.get_state()["nominal"].tolist() == [0, 1, 0]


def test_bad_nominal_values_leave_the_model_as_it_was():
    X, y = rows(400, seed=2)
    model = HoeffdingTreeClassifier(nominal_features=[1]).partial_fit(X, y)
    before = pickle.dumps(model)
    with pytest.raises(ValueError, match=r"integer codes in the range \[0, 65535\]"):
        model.partial_fit([[0.1, 0.5, 0.2]], ["a class never seen"])
    assert pickle.dumps(model) == before
    assert model.partial_fit(X, y).predict_proba(X).shape == (400, 3)


def test_nominal_features_must_be_columns():
    X, y = rows(20, seed=3)
    with pytest.raises(ValueError, match=r"column indices of X, which has 3 features. Got \[3\]"):
        HoeffdingTreeClassifier(nominal_features=[3]).fit(X, y)


def test_slicing_does_not_matter():
    X, y = rows(1500, seed=4)
    whole = HoeffdingTreeClassifier(grace_period=25, nominal_features=[1]).fit(X, y)
    sliced = HoeffdingTreeClassifier(grace_period=25, nominal_features=[1])
    for start in range(0, len(y), 11):
        sliced.partial_fit(X[start : start + 11], y[start : start + 11])
    assert whole.size_ == sliced.size_ > 3
    assert np.array_equal(whole.predict_proba(X), sliced.predict_proba(X))


@pytest.mark.parametrize(
    "bad",
    [
        {"grace_period": 0},
        {"delta": 1.0},
        {"tie_threshold": -0.1},
        {"leaf_prediction": "best"},
        {"max_depth": -1},
        {"nominal_features": "colour"},
        {"max_nodes": 0},
        {"max_nodes": 1.5},
        {"max_bytes": 0},
        {"max_bytes": "64 MB"},
    ],
    ids=str,
)
def test_bad_parameters(bad):
    with pytest.raises(ValueError, match=next(iter(bad))):
        HoeffdingTreeClassifier(**bad).fit([[0.0], [1.0]], [0, 1])


@pytest.mark.parametrize("ensemble", [DWMClassifier, ADWINBaggingClassifier, AUE2Classifier])
def test_ensembles_of_bounded_trees(ensemble):
    X, y = rows(2400, seed=5)
    tree = HoeffdingTreeClassifier(
        grace_period=20, delta=0.3, nominal_features=[1], max_nodes=15, max_bytes=1500
    )
    model = ensemble(tree, n_estimators=3)
    for k in range(0, 2400, 200):
        model.partial_fit(X[k : k + 200], y[k : k + 200])
    held = [getattr(each, "model_", each) for each in model.estimators_]
    n_active = [each.n_active for each in held]
    assert max(each.leaves.n_leaves for each in held) > max(n_active) > 1
    assert max(n_active) <= 1500 // (8 * 3 * (1 + 4 * 3 + 4))
    assert 3 < max(model.members_["size"]) <= 15
    if "bytes" in model.members_.columns:
        assert list(model.members_["bytes"]) == [each.n_bytes for each in held]
    assert model.score(X, y) > 0.75


def test_bounds_are_restored():
    X, y = rows(3000, seed=6)
    how = {"grace_period": 20, "delta": 0.3, "nominal_features": [1], "max_bytes": 1500}
    model = HoeffdingTreeClassifier(**how).partial_fit(X[:1500], y[:1500])
    assert model.n_active_leaves_ < (model.size_ + 1) // 2
    copy = loads(dumps(model))
    assert (copy.n_active_leaves_, copy.size_) == (model.n_active_leaves_, model.size_)
    for one in (model, copy):
        one.partial_fit(np.vstack([X[1500:], [[0.5, 9, 0.5]]]), np.append(y[1500:], "a new one"))
    assert dumps(model) == dumps(copy)


def test_files_of_before_there_were_bounds():
    X, y = rows(300, seed=7)
    model = HoeffdingTreeClassifier().fit(X, y)
    state = {k: v for k, v in model.__getstate__().items() if k not in ("max_nodes", "max_bytes")}
    old = HoeffdingTreeClassifier.__new__(HoeffdingTreeClassifier)
    old.__setstate__(state)
    assert old.get_params() == HoeffdingTreeClassifier().get_params()
    assert old.partial_fit(X, y).n_bytes_ > 0


def test_memory_stays_flat():
    """Statistics are bounded, so only the nodes grow, and these are bounded too."""
    rng = np.random.default_rng(0)
    how = {"grace_period": 10, "tie_threshold": 0.9, "max_nodes": 301, "max_bytes": 20_000}
    model = HoeffdingTreeClassifier(**how)
    sizes = []
    for _ in range(8):
        X = rng.random((2000, 3))
        model.partial_fit(X, (X[:, 0] > X[:, 1]) ^ (rng.random(2000) < 0.2))
        sizes.append(model.n_bytes_)
    assert model.size_ == 301
    assert sizes[-1] == sizes[-3] < 20_000 * 1.5 + 301 * 100
