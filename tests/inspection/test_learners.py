"""Margins, importances and explanations of every learner."""

import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

import driftlearn
from driftlearn import (
    ACEClassifier,
    CARTClassifier,
    GaussianNBClassifier,
    HoeffdingAdaptiveTreeClassifier,
    HoeffdingTreeClassifier,
    OnlineBaggingClassifier,
    SEAClassifier,
    StreamingRandomPatchesClassifier,
    TableEncoder,
    make_pipeline,
)
from driftlearn.inspection import permutation_importances
from driftlearn.inspection._members import models_of, predictions_of
from driftlearn.tree.node_arrays import importances_of, path_of, tree_of

RNG = np.random.default_rng(0)
X = np.round(RNG.random((600, 4)), 3)
TWO = (X[:, 0] + 0.3 * X[:, 1] > 0.6).astype(int)
MANY = np.array(["a", "b", "c"])[(X[:, 0] > 0.3).astype(int) + (X[:, 1] > 0.5)]
BINARY = (X > 0.5).astype(float)
SYMBOLIC = ("STAGGER", "FLORA", "Winnow")  # of few distinct values
NO_TREES = {
    "BoostedTreesClassifier",
    "FLORA2Classifier",
    "FLORA3Classifier",
    "FuzzyARTMAPClassifier",
    "GaussianNBClassifier",
    "LogisticClassifier",
    "MLPGoalClassifier",
    "MajorityClassifier",
    "NoChangeClassifier",
    "OneHotLogisticClassifier",
    "STAGGERClassifier",
    "WinnowClassifier",
}
LEARNERS = [name for name in driftlearn.__all__ if name.endswith("Classifier")]


def learned(name, y=TWO):
    rows = BINARY if name.startswith(SYMBOLIC) else X
    learner = getattr(driftlearn, name)()
    if hasattr(learner, "random_state"):
        learner.set_params(random_state=1)
    if hasattr(learner, "partial_fit"):
        return learner.partial_fit(rows[:300], y[:300]).partial_fit(rows[300:], y[300:]), rows
    return learner.fit(rows, y), rows


@pytest.mark.parametrize("name", LEARNERS)
def test_every_learner_has_margins_importances_and_reasons(name):
    model, rows = learned(name)
    margin = model.decision_function(rows)
    assert margin.shape == (600,)
    assert np.array_equal(model.classes_[(margin > 0).astype(int)], model.predict(rows))

    assert hasattr(model, "feature_importances_") == (name not in NO_TREES)
    if name in NO_TREES:
        with pytest.raises(AttributeError, match="permutation_importances"):
            _ = model.feature_importances_
    else:
        found = model.feature_importances_
        assert found.shape == (4,) and found.sum() == pytest.approx(1.0)
        assert found.argmax() == 0

    why = model.explain(rows[:3])
    assert np.array_equal(why.labels, model.predict(rows[:3]))
    assert len(why.table) == 3 * len(why.members)
    assert str(why).startswith(f"row 0: {why.labels[0]}")
    codes, sure = predictions_of(model, rows)
    assert codes.shape == sure.shape == (len(models_of(model)), 600)
    assert codes.max() < 2 and not (sure[~np.isnan(sure)] > 1 + 1e-12).any()


@pytest.mark.parametrize("name", ["SEAClassifier", "AdaptiveRandomForestClassifier"])
def test_margins_of_many_classes_are_probabilities(name):
    model, _ = learned(name, MANY)
    margins = model.decision_function(X)
    assert np.array_equal(margins, model.predict_proba(X))
    assert np.array_equal(model.classes_[margins.argmax(axis=1)], model.predict(X))


def test_one_class_is_minus_one():
    model = GaussianNBClassifier().fit([[0.0], [1.0]], [7, 7])
    assert model.decision_function([[0.5]]).tolist() == [-1.0]


def test_importances_of_a_tree_are_those_of_scikit_learn():
    ours = CARTClassifier(min_samples_split=2).fit(X, MANY)
    theirs = DecisionTreeClassifier(min_samples_split=2, random_state=0).fit(X, MANY)
    # both grow the same tree here; their predictions for all rows are compared
    assert ours.size_ == theirs.tree_.node_count
    assert ours.feature_importances_ == pytest.approx(theirs.feature_importances_, abs=1e-9)


def test_importances_of_an_ensemble_are_the_weighted_mean_of_its_trees():
    model = SEAClassifier(n_estimators=3)
    for k in range(3):
        model.partial_fit(X[k * 200 : (k + 1) * 200], TWO[k * 200 : (k + 1) * 200])
    model.committee_["weight"] = [1.0, 3.0, 0.0]
    first, second, _ = (tree.feature_importances_ for tree in model.estimators_)
    assert model.feature_importances_ == pytest.approx((first + 3 * second) / 4)


def test_a_tree_that_has_not_split_has_no_importances_to_share():
    model = HoeffdingTreeClassifier().partial_fit(X[:5], TWO[:5])
    assert model.feature_importances_.tolist() == [0, 0, 0, 0]


def test_importances_of_external_members_are_their_own():
    model = SEAClassifier(DecisionTreeClassifier(random_state=0)).partial_fit(X, TWO)
    assert model.feature_importances_ == pytest.approx(model.estimators_[0].feature_importances_)
    with pytest.raises(AttributeError, match="no member is a tree"):
        _ = SEAClassifier(GaussianNB()).partial_fit(X, TWO).feature_importances_


@pytest.mark.parametrize(
    "model",
    [
        CARTClassifier(smoothing=0),
        CARTClassifier(smoothing=0, nominal_features=[2]),
        HoeffdingTreeClassifier(grace_period=20, leaf_prediction="majority"),
        HoeffdingTreeClassifier(grace_period=20, nominal_features=[2], leaf_prediction="majority"),
        HoeffdingAdaptiveTreeClassifier(grace_period=20, leaf_prediction="majority"),
    ],
)
def test_the_path_of_a_row_ends_in_its_leaf(model):
    rows = X.copy()
    rows[:, 2] = np.floor(4 * rows[:, 2])
    y = np.where(rows[:, 2] == 1, 1 - TWO, TWO)
    model = model.fit(rows, y)
    tree = tree_of(model)
    assert len(tree.feature) > 3
    probas = model.predict_proba(rows)
    for i in range(0, 600, 7):
        node = 0
        for split in path_of(tree, rows[i]):
            assert split.feature == tree.feature[node]
            left = split.sign in ("<=", "==")
            if split.sign == "in":
                left = tree.sides[node, int(rows[i, 2])] == 1
                assert rows[i, 2] in split.threshold
            node = tree.left[node] if left else tree.right[node]
        assert tree.feature[node] < 0
        value = tree.value[node]
        assert probas[i] == pytest.approx(value / value.sum())


def test_a_member_of_some_features_names_the_right_ones():
    model = StreamingRandomPatchesClassifier(random_state=3).partial_fit(X, TWO)
    columns = {tuple(each.get_state()["columns"]) for each in model.committee_.models}
    assert len(columns) > 2
    for each in model.committee_.models:
        tree = tree_of(each)
        assert {*tree.feature} - {-1} <= {*each.get_state()["columns"]}


def test_a_model_around_another_one_is_no_tree():
    model = driftlearn.LogisticClassifier(nominal_features=[0]).partial_fit(np.floor(4 * X), TWO)
    assert tree_of(model) is None and "inner" in model.model_.get_state()


def test_importances_of_a_tree_with_class_shares():
    model = ACEClassifier(random_state=0).partial_fit(X, TWO)
    fixed = [each for each in model.committee_.models if type(each).__name__ == "FixedTree"]
    assert fixed
    tree = tree_of(fixed[0])
    assert tree.value[tree.feature < 0].sum() == pytest.approx(1.0)
    assert importances_of(tree, 4).argmax() == 0


def test_explanations_of_pipelines_use_column_names():
    n = 2000
    colour = RNG.choice(["red", "blue", "green"], n)
    size = RNG.random(n)
    y = np.where(colour == "blue", "yes", np.where(size > 0.5, "yes", "no"))
    table = {"colour": colour.astype(object), "size": size}
    model = make_pipeline(TableEncoder(), HoeffdingTreeClassifier(grace_period=50))
    model.partial_fit(table, y)
    why = model.explain({"colour": ["blue", "red"], "size": [0.1, 0.9]})
    assert (
        why.labels.tolist()
        == model.predict({"colour": ["blue", "red"], "size": [0.1, 0.9]}).tolist()
    )
    assert "colour is 'blue'" in str(why) and "size > " in str(why)
    assert model.feature_importances_.sum() == pytest.approx(1.0)
    margin = model.decision_function(table)
    assert np.array_equal(model.classes_[(margin > 0).astype(int)], model.predict(table))


def test_explanation_as_rows_and_as_a_frame():
    model, _ = learned("OnlineBaggingClassifier")
    why = model.explain(X[:8])
    row = why.to_dicts()[0]
    assert {"row", "member", "weight", "prediction", "confidence", "agrees", "splits"} <= {*row}
    assert len(why.to_frame()) == 80
    assert "3 more rows are in .table" in str(why) and "5 other members" in str(why)
    agree = [each["agrees"] for each in why.to_dicts() if each["row"] == 0]
    votes = [each["prediction"] == why.labels[0] for each in why.to_dicts() if each["row"] == 0]
    assert agree == votes


def test_questions_before_the_first_row():
    from sklearn.exceptions import NotFittedError

    pipeline = make_pipeline(TableEncoder(), GaussianNBClassifier())
    for model in (OnlineBaggingClassifier(), pipeline):
        for ask in (model.explain, model.decision_function):
            with pytest.raises(NotFittedError):
                ask(X)


@pytest.mark.parametrize("kind", ["array", "dict", "pandas", "polars", "pyarrow"])
def test_shuffled_columns(kind):
    y = X[:, 2] > 0.5
    columns = {f"c{j}": X[:, j] for j in range(4)}
    rows = X
    if kind != "array":
        rows = columns if kind == "dict" else None
    if kind == "pandas":
        rows = pytest.importorskip("pandas").DataFrame(columns)
    if kind == "polars":
        rows = pytest.importorskip("polars").DataFrame(columns)
    if kind == "pyarrow":
        rows = pytest.importorskip("pyarrow").table(columns)
    model = make_pipeline(TableEncoder(), GaussianNBClassifier()).partial_fit(rows, y)
    found = permutation_importances(model, rows, y, n_repeats=3)
    assert found["feature"][0] == ("x2" if kind == "array" else "c2")
    assert found["importance"][0] > 0.3 > 0.1 > abs(found["importance"][1:]).max()


def test_shuffled_columns_need_labels():
    model = GaussianNBClassifier().fit(X, TWO)
    with pytest.raises(ValueError, match="600 rows, but y has 10 labels"):
        permutation_importances(model, X, TWO[:10])


@pytest.mark.parametrize("name", [name for name in LEARNERS if name.startswith(SYMBOLIC)])
def test_learners_without_weighted_members_are_inspected(name):
    model, _ = learned(name)
    assert "members" in driftlearn.inspect(model).tables
