"""Ensembles pass the columns with category codes to their base learners."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.ensemble import BaggingClassifier
from sklearn.linear_model import SGDClassifier

import driftlearn
from driftlearn import io
from driftlearn.base.nominal_features import declare_nominal
from driftlearn.preprocessing import TableEncoder, make_pipeline
from driftlearn.tree.hoeffding_tree import HoeffdingTreeClassifier, quick_tree

LEARNERS = [getattr(driftlearn, name) for name in driftlearn.__all__ if name.endswith("Classifier")]
ENSEMBLES = [
    kind for kind in LEARNERS
    if {"estimator", "nominal_features"} <= {*kind._get_param_names()}
]  # fmt: skip
N, SHOPS = 6_000, 20


def shops():
    """Return rows (shop, two numbers) and classes; each shop has its own rule."""
    rng = np.random.default_rng(0)
    column, flip = rng.integers(1, 3, SHOPS), rng.random(SHOPS) < 0.5
    X = np.column_stack([rng.integers(0, SHOPS, N), rng.random((N, 2))])
    shop = X[:, 0].astype(int)
    return X, (X[np.arange(N), column[shop]] > 0.5) ^ flip[shop]


def prequential(model, X, y, size=500):
    right = 0
    for k in range(0, len(y), size):
        part = {name: x[k : k + size] for name, x in X.items()} if isinstance(X, dict) else None
        part = X[k : k + size] if part is None else part
        right += (model.predict(part) == y[k : k + size]).sum() if k else 0
        model.partial_fit(part, y[k : k + size])
    return right / (len(y) - size)


def seeded(kind, **params):
    params |= {"random_state": 0} if "random_state" in kind._get_param_names() else {}
    return kind(**params)


@pytest.mark.parametrize("kind", ENSEMBLES, ids=lambda kind: kind.__name__)
def test_the_base_learner_is_told(kind):
    X, y = shops()
    X, y = X[:1_500], y[:1_500]
    tree = HoeffdingTreeClassifier(grace_period=20, delta=0.1)
    by_hand = clone(tree).set_params(nominal_features=[0])
    declared, named, ordered = (
        seeded(kind, estimator=base, nominal_features=columns).fit(X, y)
        for base, columns in [(tree, [True, False, False]), (by_hand, None), (tree, None)]
    )
    if kind.__name__ in ("ACEClassifier", "DICClassifier", "DYNSEClassifier"):  # for other parts
        named = seeded(kind, estimator=by_hand, nominal_features=[0]).fit(X, y)
    np.testing.assert_array_equal(declared.predict_proba(X), named.predict_proba(X))
    assert (declared.predict_proba(X) != ordered.predict_proba(X)).any()
    assert tree.nominal_features is None
    copy = io.loads(io.dumps(declared))
    np.testing.assert_array_equal(copy.predict_proba(X), declared.predict_proba(X))
    with pytest.raises(ValueError, match="integer codes"):
        copy.fit(X - 1, y)


@pytest.mark.parametrize(
    "name",
    ["LeveragingBagging", "OnlineBagging", "AdaptiveRandomForest", "StreamingRandomPatches",
     "OAUE", "OnlineBoost", "AUE2", "DDD", "OOB"],
)  # fmt: skip
def test_a_pipeline_names_the_columns(name):
    X, y = shops()
    table = {"shop": np.char.add("shop ", X[:, 0].astype(int).astype(str)), "a": X[:, 1]}
    table["b"] = X[:, 2]
    learner = seeded(getattr(driftlearn, f"{name}Classifier"))
    declared = prequential(make_pipeline(TableEncoder(), learner), table, y)
    learner = clone(learner).set_params(nominal_features=[])
    ordered = prequential(make_pipeline(TableEncoder(), learner), table, y)
    assert declared > ordered + 0.03


def test_values_set_by_the_user_stay():
    named = driftlearn.LeveragingBaggingClassifier(quick_tree().set_params(nominal_features=[1]))
    declared = declare_nominal(named, [0])
    assert declared.nominal_features == [0]
    assert declared._base_learner().nominal_features == [1]
    declared = declare_nominal(driftlearn.SEAClassifier(quick_tree(), nominal_features=[2]), [0])
    assert declared.nominal_features == [2]
    assert declared.estimator.nominal_features is None
    wrapped = declare_nominal(BaggingClassifier(quick_tree()), [0])
    assert wrapped.estimator.nominal_features == [0]
    learner = driftlearn.OnlineBaggingClassifier(SGDClassifier(), nominal_features=[0])
    assert isinstance(learner._base_learner(), SGDClassifier)


def test_experts_are_told():
    X, y = shops()
    model = driftlearn.WeightedMajorityClassifier(nominal_features=[0]).partial_fit(X, y)
    states = [each.get_state() for each in model.estimators_]
    assert [list(each["nominal"]) for each in states if "threshold" in each] == [[1, 0, 0]] * 3


def test_synthetic_rows_have_codes_of_their_class():
    pytest.importorskip("imblearn")
    from driftlearn.base.chunk import Chunk
    from driftlearn.ensemble.chunk.smote import oversampled

    X, _ = shops()
    y = (X[:, 0] > SHOPS - 4).astype(int)
    chunk = Chunk(X[:500], y[:500], np.ones(500), np.array([0, 1]))
    filled = oversampled(chunk, np.random.default_rng(0), 5, [0])
    assert len(filled) > 600
    assert set(filled.X[500:, 0]) <= set(X[:500][y[:500] == 1, 0])
    assert not np.isin(filled.X[500:, 1], X[:, 1]).all()


def test_trees_of_chunk_ensembles():
    X, y = shops()
    table = {"shop": np.char.add("shop ", X[:, 0].astype(int).astype(str)), "a": X[:, 1]}
    table["b"] = X[:, 2]
    for name in ("SEA", "LearnPPNSE", "DTEL", "AWE", "TIX", "DIC", "DYNSE", "ACE"):
        learner = seeded(getattr(driftlearn, f"{name}Classifier"))
        declared = make_pipeline(TableEncoder(), learner)
        declared = prequential(declared, table, y)
        ordered = clone(learner).set_params(nominal_features=[])
        assert declared > prequential(make_pipeline(TableEncoder(), ordered), table, y) + 0.05, name


def test_explanations_name_categories():
    X, _ = shops()
    table = {"shop": np.char.add("shop ", X[:, 0].astype(int).astype(str)), "a": X[:, 1]}
    learner = driftlearn.SEAClassifier(chunk_size=1_000)
    model = make_pipeline(TableEncoder(), learner).fit(table, X[:, 0] > 4)
    found = str(model.explain({"shop": ["shop 7", "shop 2", None], "a": [0.5, 0.5, 0.5]}))
    assert "shop in {'shop 7', " in found and "shop in {'shop 2', " in found
    assert "shop is missing" in found
