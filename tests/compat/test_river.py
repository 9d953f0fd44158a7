"""Adapters for river: its classifiers as members, and our learners in its interface."""

import numpy as np
import pytest
from sklearn.base import clone

import driftlearn as dl
from driftlearn.compat.river import to_river
from driftlearn.io import dumps, loads

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")
rng = np.random.default_rng(0)
X = rng.random((240, 3))
Y = np.where(X[:, 0] + X[:, 1] > 1, "b", "a")
LATE = np.where((X[:, 2] > 0.7) & (np.arange(240) > 100), "c", Y)
ROWS = [dict(zip(("x", "y", "z"), row)) for row in X.tolist()]


@pytest.fixture
def tree():
    pytest.importorskip("river", reason="river is not installed")
    from river.compat import convert_river_to_sklearn
    from river.tree import HoeffdingTreeClassifier

    return convert_river_to_sklearn(HoeffdingTreeClassifier(grace_period=20))


@pytest.mark.parametrize(
    "ensemble",
    [
        dl.OnlineBaggingClassifier(n_estimators=2, random_state=0),
        dl.DWMClassifier(n_estimators=2),
        dl.SEAClassifier(random_state=0),
        dl.AUE2Classifier(random_state=0),
    ],
    ids=lambda model: type(model).__name__,
)
def test_a_member(tree, ensemble):
    """It is trained, a class appears late, and it continues after loading a trusted file."""
    model = clone(ensemble).set_params(estimator=tree)
    for k in range(0, 200, 50):
        model.partial_fit(X[k : k + 50], LATE[k : k + 50])
    copy = loads(dumps(model, allow="river"), allow="river")
    for one in (model, copy):
        one.partial_fit(X[200:], LATE[200:])
    np.testing.assert_array_equal(copy.predict_proba(X), model.predict_proba(X))
    assert model.score(X, LATE) > 0.5 and model.classes_.tolist() == ["a", "b", "c"]


def test_row_by_row_is_partial_fit():
    model, reference = to_river(dl.HoeffdingTreeClassifier()), dl.HoeffdingTreeClassifier()
    assert model.predict_one(ROWS[0]) is None and model.predict_proba_one(ROWS[0]) == {}
    for x, y in zip(ROWS, LATE):
        model.learn_one(dict(reversed(x.items())), y, w=2.0)
    reference.partial_fit(X, LATE, sample_weight=np.full(240, 2.0))
    assert model.features == ["x", "y", "z"]
    assert [model.predict_one(x) for x in ROWS[:50]] == reference.predict(X[:50]).tolist()
    probas = [[*model.predict_proba_one({"more": 1, **x}).values()] for x in ROWS[:50]]
    np.testing.assert_array_equal(probas, reference.predict_proba(X[:50]))
    with pytest.raises(ValueError, match="has no feature 'z'"):
        model.predict_one({"x": 1.0, "y": 2.0})


def test_pipelines_take_what_a_row_has():
    model = to_river(dl.make_pipeline(dl.TableEncoder(), dl.GaussianNBClassifier()))
    for k, (x, y) in enumerate(zip(ROWS, Y)):
        model.learn_one({**x, "word": "low" if x["x"] < 0.5 else "high", "z": k % 3}, y)
    with pytest.warns(UserWarning, match="z"):
        assert model.predict_one({"x": 0.9, "y": 0.9, "word": "high"}) == "b"


def test_fitted_feature_names_keep_their_order():
    pd = pytest.importorskip("pandas", reason="pandas is not installed")
    learner = dl.GaussianNBClassifier().partial_fit(pd.DataFrame(X, columns=["z", "y", "x"]), Y)
    assert to_river(learner).features == ["z", "y", "x"]
    with pytest.raises(TypeError, match="no partial_fit"):
        to_river(dl.CARTClassifier())


def test_among_rivers_own():
    pytest.importorskip("river", reason="river is not installed")
    from river import compose, evaluate, metrics, preprocessing

    model = compose.Pipeline(preprocessing.StandardScaler(), to_river(dl.GaussianNBClassifier()))
    metric = evaluate.progressive_val_score(zip(ROWS, Y.tolist()), model, metrics.Accuracy())
    assert metric.get() > 0.8
    fresh = model.clone()
    assert fresh.predict_one(ROWS[0]) is None and model.predict_one(ROWS[0]) is not None
