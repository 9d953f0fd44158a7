"""One-hot logistic regression against scikit-learn's transformers, and its corner cases."""

import numpy as np
import pytest
from sklearn.compose import make_column_transformer
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from driftlearn import OneHotLogisticClassifier
from driftlearn.io import CorruptFile, dumps, loads
from driftlearn.linear_model import one_hot_logistic


def table(n=400, n_classes=2, seed=0):
    """Return two numeric columns, one with gaps, and two nominal ones; the last has rare values."""
    rng = np.random.default_rng(seed)
    X = rng.normal(5, 3, size=(n, 4))
    X[rng.random(n) < 0.2, 1] = np.nan
    X[:, 2] = rng.integers(0, 4, n)
    X[:, 3] = np.minimum(rng.geometric(0.2, n), 30)
    y = (X[:, 0] + 4 * (X[:, 2] == 1) + rng.normal(size=n)).astype(int) % n_classes
    return X, y


@pytest.mark.parametrize("n_classes", [2, 3])
def test_it_equals_a_pipeline_of_scikit_learn(n_classes):
    X, y = table(n_classes=n_classes)
    w = np.ones(len(y))
    ours = OneHotLogisticClassifier(C=0.7, max_iter=1000, nominal_features=[2, 3]).fit(X, y, w)
    theirs = make_pipeline(
        make_column_transformer(
            (make_pipeline(SimpleImputer(), StandardScaler()), [0]),
            (OneHotEncoder(min_frequency=10, handle_unknown="infrequent_if_exist"), [2, 3]),
        ),
        LogisticRegression(C=0.7, max_iter=1000),
    )
    # The mean replaces gaps before scikit-learn's scaler and after ours: leave out that column.
    X[:, 1] = np.nan
    ours.fit(X, y, w)
    theirs.fit(X, y)
    fresh, _ = table(seed=1)
    fresh[:5, 3] = 77
    fresh[:, 1] = np.nan
    np.testing.assert_allclose(
        ours.predict_proba(fresh), theirs.predict_proba(fresh), rtol=2e-3, atol=2e-4
    )


def test_gaps_are_filled_with_the_mean():
    X, y = table()
    model = OneHotLogisticClassifier(nominal_features=[2, 3]).fit(X, y)
    present = X[~np.isnan(X[:, 1]), 1]
    np.testing.assert_allclose([model.mean_[1], model.scale_[1]], [present.mean(), present.std()])
    filled = np.where(np.isnan(X), model.mean_[1], X)
    np.testing.assert_array_equal(model.predict_proba(X), model.predict_proba(filled))


def test_frequent_values_only():
    X, y = table()
    model = OneHotLogisticClassifier(nominal_features=[3], min_frequency=20, max_categories=3)
    model.fit(X, y)
    values, counts = np.unique(X[:, 3], return_counts=True)
    assert model.categories_[0].tolist() == sorted(values[np.argsort(-counts)[:3]])
    assert model.coef_.shape == (2, 3 + 3 + 1)


def test_a_missing_category_is_a_value():
    X = np.array([[np.nan], [1.0]] * 30)
    y = np.isnan(X[:, 0])
    model = OneHotLogisticClassifier(nominal_features=[0]).fit(X, y)
    assert model.score(X, y) == 1.0
    assert np.isnan(model.categories_[0][-1])


@pytest.mark.parametrize("X", [[[1.0]] * 6, [[np.nan]] * 6])
def test_few_rows_give_class_frequencies(X):
    model = OneHotLogisticClassifier().fit(X, ["a", "a", "a", "a", "b", "b"])
    np.testing.assert_allclose(model.predict_proba([[5.0]]), [[2 / 3, 1 / 3]])


def test_many_classes_do_not_warn(recwarn):
    X = np.arange(60.0)[:, None]
    OneHotLogisticClassifier().fit(X, np.arange(60) * 2 // 3)
    assert not recwarn.list


def test_rows_are_encoded_in_blocks(monkeypatch):
    X, y = table()
    whole, blocks = (OneHotLogisticClassifier(nominal_features=[2, 3]) for _ in range(2))
    whole.fit(X, y)
    expected = whole.predict_proba(X)
    monkeypatch.setattr(one_hot_logistic, "BLOCK", 7)
    np.testing.assert_array_equal(blocks.fit(X, y).coef_, whole.coef_)
    np.testing.assert_array_equal(blocks.predict_proba(X), expected)


def test_one_class():
    X, _ = table()
    model = OneHotLogisticClassifier().fit(X, np.ones(len(X)))
    assert (model.predict_proba(X) == 1.0).all()


def test_invalid_columns():
    X, y = table()
    with pytest.raises(ValueError, match="nominal_features must be column indices"):
        OneHotLogisticClassifier(nominal_features=[7]).fit(X, y)


def test_a_file_with_other_categories_is_rejected():
    model = OneHotLogisticClassifier(nominal_features=[2]).fit(*table())
    X, _ = table(seed=3)
    np.testing.assert_array_equal(loads(dumps(model)).predict_proba(X), model.predict_proba(X))
    model.categories_ = [model.categories_[0][:-1]]
    with pytest.raises(CorruptFile, match="coefficients do not match"):
        loads(dumps(model))
