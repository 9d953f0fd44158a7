import pickle

import numpy as np
import pytest
from sklearn.utils.estimator_checks import check_estimator
from twins.hoeffding import HoeffdingTwin

from driftlearn import HoeffdingTreeClassifier
from driftlearn.checks import check_stream_classifier


def test_scikit_learn_checks_with_naive_bayes_leaves():
    """Without the choice by past accuracy, weights and repeated rows are the same."""
    results = check_estimator(HoeffdingTreeClassifier(leaf_prediction="nb"), on_skip=None)
    assert {result["status"] for result in results} <= {"passed", "skipped"}


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
    ],
    ids=str,
)
def test_every_parameter_reaches_the_tree(how):
    X, y = rows(3000, seed=0)
    model = HoeffdingTreeClassifier(nominal_features=[1], **how).fit(X, y)
    twin = HoeffdingTwin(3, nominal=[0, 1, 0], **how)
    for x, code in zip(X, np.searchsorted(model.classes_, y)):
        twin.learn_one(x, code)
    expected = np.array([twin.scores(x) for x in X])
    np.testing.assert_allclose(model.predict_proba(X), expected, rtol=1e-8, atol=1e-12)
    assert model.size_ > 1


@pytest.mark.parametrize("nominal", [[1], [False, True, False], np.array([1]), (-2,)])
def test_nominal_features_are_positions_or_a_mask(nominal):
    X, y = rows(500, seed=1)
    model = HoeffdingTreeClassifier(nominal_features=nominal).fit(X, y)
    assert model.model_.get_state()["nominal"].tolist() == [0, 1, 0]


def test_bad_nominal_values_leave_the_model_as_it_was():
    X, y = rows(400, seed=2)
    model = HoeffdingTreeClassifier(nominal_features=[1]).partial_fit(X, y)
    before = pickle.dumps(model)
    with pytest.raises(ValueError, match="nominal values are integers from 0 to 65535"):
        model.partial_fit([[0.1, 0.5, 0.2]], ["a class never seen"])
    assert pickle.dumps(model) == before
    assert model.partial_fit(X, y).predict_proba(X).shape == (400, 3)


def test_nominal_features_must_be_columns():
    X, y = rows(20, seed=3)
    with pytest.raises(ValueError, match=r"nominal_features=\[3\] are not columns of 3"):
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
    ],
    ids=str,
)
def test_bad_parameters(bad):
    with pytest.raises(ValueError, match=next(iter(bad))):
        HoeffdingTreeClassifier(**bad).fit([[0.0], [1.0]], [0, 1])
