import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.ensemble import HistGradientBoostingClassifier

from driftlearn import BoostedTreesClassifier
from driftlearn.io import CorruptFile, dumps, loads
from tests.reference.boosted_trees import BoostedTrees

SMALL = {"max_iter": 6, "max_leaf_nodes": 8, "min_samples_leaf": 5}


def table(n, n_classes=2, missing=0.0, seed=0):
    """Return three numeric columns, one of them rounded, and two of codes; labels and weights."""
    rng = np.random.default_rng(seed)
    X = np.column_stack([rng.normal(size=(n, 3)), rng.integers(0, 4, n), rng.integers(0, 20, n)])
    X[:, 0] = X[:, 0].round(1)
    score = X[:, 0] + X[:, 1] * X[:, 2] + np.sin(5 * X[:, 4]) + X[:, 3] % 2 + rng.random(n)
    y = np.searchsorted(np.quantile(score, np.arange(1, n_classes) / n_classes), score)
    X[rng.random(X.shape) < missing] = np.nan
    return X, y, rng.random(n) + 0.5


CASES = {
    "defaults": {},
    "four classes": {"n_classes": 4},
    "missing": {"missing": 0.2},
    "nominal": {"nominal": [3, 4]},
    "nominal, missing": {"nominal": [3, 4], "missing": 0.2, "n_classes": 3},
    "weights": {"weighted": True},
    "weights, missing, nominal": {"weighted": True, "missing": 0.1, "nominal": [4]},
    "l2": {"l2_regularization": 3.0},
    "depth": {"max_depth": 2},
    "rate": {"learning_rate": 0.7},
    "leaves": {"max_leaf_nodes": 3},
    "small leaves": {"min_samples_leaf": 1},
    "few bins": {"max_bins": 7, "missing": 0.1},
    "few bins, weights": {"max_bins": 7, "weighted": True, "n_classes": 3},
}


def case(name, n):
    """Return training rows, test rows, weights or None, nominal columns and parameters."""
    params = dict(CASES[name])
    nominal = params.pop("nominal", [])
    of_table = {key: params.pop(key) for key in ("n_classes", "missing") if key in params}
    X, y, w = table(n, **of_table)
    test = table(200, **of_table, seed=1)[0]
    return X, y, test, w if params.pop("weighted", False) else None, nominal, {**SMALL, **params}


@pytest.mark.parametrize("name", CASES)
def test_reference(name):
    X, y, test, w, nominal, params = case(name, 150)
    model = BoostedTreesClassifier(nominal_features=nominal or None, **params).fit(X, y, w)
    reference = BoostedTrees(nominal=nominal, **params).fit(X, y, w)
    expected = reference.predict_proba(test)
    np.testing.assert_allclose(model.predict_proba(test), expected, rtol=0, atol=1e-12)
    assert expected.std(axis=0).min() > 0.01


def compare_with_scikit_learn(X, y, test, w=None, nominal=(), **params):
    ours = BoostedTreesClassifier(nominal_features=nominal or None, **params).fit(X, y, w)
    theirs = HistGradientBoostingClassifier(
        categorical_features=nominal or None, early_stopping=False, **params
    ).fit(X, y, w)
    np.testing.assert_allclose(
        ours.predict_proba(test), theirs.predict_proba(test), rtol=0, atol=1e-6
    )


@pytest.mark.parametrize("name", CASES)
def test_scikit_learn(name):
    X, y, test, w, nominal, params = case(name, 700)
    compare_with_scikit_learn(X, y, test, w, nominal, **params)


@pytest.mark.parametrize("load", [load_breast_cancer, load_iris])
def test_scikit_learn_on_real_data(load):
    X, y = load(return_X_y=True)
    compare_with_scikit_learn(X[::2], y[::2], X[1::2], max_iter=20)


def test_no_limit_of_leaves():
    X, y, _ = table(150)
    compare_with_scikit_learn(X, y, X, max_leaf_nodes=None, min_samples_leaf=3, max_iter=4)


def test_column_of_gaps_and_constant_column():
    X, y, _ = table(100)
    wide = np.column_stack([np.full(100, np.nan), X, np.ones(100), np.full(100, np.nan)])
    probas = (
        BoostedTreesClassifier(**SMALL, nominal_features=[6, 7]).fit(wide, y).predict_proba(wide)
    )
    np.testing.assert_array_equal(
        probas, BoostedTreesClassifier(**SMALL).fit(X, y).predict_proba(X)
    )


def test_single_class():
    model = BoostedTreesClassifier().fit(np.zeros((30, 2)), ["a"] * 30)
    np.testing.assert_array_equal(model.predict_proba(np.ones((2, 2))), np.ones((2, 1)))


def test_class_without_rows():
    X, y, _ = table(60)
    model = BoostedTreesClassifier(**SMALL).fit(X, y + 5, sample_weight=(y == 1).astype(float))
    np.testing.assert_array_equal(model.predict_proba(X[:2]), [[0, 1], [0, 1]])
    y = np.where(np.arange(60) == 0, 7, y)
    w = (y < 7).astype(float)
    probas = BoostedTreesClassifier(**SMALL).fit(X, y, w).predict_proba(X)
    assert (probas[:, 2] == 0).all()
    same = BoostedTreesClassifier(**SMALL).fit(X[1:], y[1:]).predict_proba(X)
    np.testing.assert_array_equal(probas[:, :2], same)


def test_too_few_rows_give_the_class_frequencies():
    X, y = np.arange(8.0)[:, None], [0, 0, 0, 1, 0, 0, 0, 1]
    model = BoostedTreesClassifier().fit(X, y)
    np.testing.assert_allclose(model.predict_proba(X), np.tile([0.75, 0.25], (8, 1)))
    assert len(model.root_) == 1


def test_rare_and_unknown_categories_count_as_missing():
    rng = np.random.default_rng(0)
    X = rng.choice(6, 300, p=[0.3, 0.3, 0.2, 0.1, 0.05, 0.05])[:, None].astype(float)
    y = (X[:, 0] % 2 == 1) ^ (rng.random(300) < 0.1)
    model = BoostedTreesClassifier(**SMALL, max_bins=4, nominal_features=[0]).fit(X, y)
    assert model.edges_.tolist() == [0, 1, 2, 3]
    probas = model.predict_proba([[4], [5], [9], [np.nan], [0]])
    assert (probas[:4] == probas[0]).all() and (probas[0] != probas[4]).any()
    gaps = np.where(X > 3, np.nan, X)
    np.testing.assert_array_equal(
        clone(model).fit(gaps, y).predict_proba(gaps), model.predict_proba(X)
    )


def test_categories_are_codes():
    with pytest.raises(ValueError, match=r"integer codes in the range \[0, 65535\]. Got 0.5"):
        BoostedTreesClassifier(nominal_features=[0]).fit([[0.5], [1]], [0, 1])


def test_drawn_features():
    X, y, _ = table(200)
    model = BoostedTreesClassifier(**SMALL, max_features=0.4, random_state=3)
    probas = model.fit(X, y).predict_proba(X)
    np.testing.assert_array_equal(clone(model).fit(X, y).predict_proba(X), probas)
    assert (clone(model).set_params(random_state=4).fit(X, y).predict_proba(X) != probas).any()
    # Two of five columns are drawn, so the best one is not always among them.
    first = clone(model).set_params(max_features=1.0).fit(X, y).feature_[0]
    roots = {clone(model).set_params(random_state=k).fit(X, y).feature_[0] for k in range(8)}
    assert len(roots) > 1 and first in roots


def test_rows_are_predicted_alike_in_every_batch():
    X, y, w = table(200, n_classes=3, missing=0.1)
    model = BoostedTreesClassifier(**SMALL, nominal_features=[3, 4]).fit(X, y, w)
    probas = model.predict_proba(X)
    parts = [model.predict_proba(X[k : k + 7]) for k in range(0, 200, 7)]
    np.testing.assert_array_equal(np.vstack(parts), probas)
    np.testing.assert_array_equal(loads(dumps(model)).predict_proba(X), probas)


def test_class_weight_multiplies_row_weights():
    X, y, w = table(200)
    weighted = BoostedTreesClassifier(**SMALL, class_weight={0: 3.0}).fit(X, y, w)
    same = BoostedTreesClassifier(**SMALL).fit(X, y, np.where(y == 0, 3.0 * w, w))
    np.testing.assert_array_equal(weighted.predict_proba(X), same.predict_proba(X))


def test_is_not_incremental():
    assert not hasattr(BoostedTreesClassifier(), "partial_fit")


@pytest.mark.parametrize(
    ("attribute", "value", "message"),
    [
        ("child_", 10**6, "child position"),
        ("child_", 0, "child position"),
        ("child_", -(10**6), "child position"),
        ("root_", 10**6, "child position"),
        ("feature_", 5, "below 5"),
        ("first_", 10**6, "'first_' does not divide"),
        ("present_", 2, "below 2"),
    ],
)
def test_invalid_states(attribute, value, message):
    X, y, _ = table(100)
    model = BoostedTreesClassifier(**SMALL).fit(X, y)
    getattr(model, attribute).flat[-1] = value
    with pytest.raises(CorruptFile, match=message):
        loads(dumps(model))


def test_invalid_number_of_scores():
    model = BoostedTreesClassifier(**SMALL).fit(*table(100)[:2])
    model.baseline_ = np.zeros(2)
    with pytest.raises(CorruptFile, match="has 2 scores, but there are 2 classes"):
        loads(dumps(model))
