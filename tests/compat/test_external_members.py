"""XGBoost and LightGBM as members: allowed by name, saved, with any labels."""

import numpy as np
import pytest
from sklearn.base import clone

import driftlearn as dl
from driftlearn.io import NotAllowed

pytestmark = pytest.mark.filterwarnings("ignore")  # theirs
rng = np.random.default_rng(0)
X = rng.random((400, 3))
Y = np.where(X[:, 0] + X[:, 1] > 1, "b", "a")
LATE = np.where((X[:, 2] > 0.7) & (np.arange(400) > 200), "c", Y)
ENSEMBLES = [
    dl.SEAClassifier(random_state=0),
    dl.LearnPPNSEClassifier(random_state=0),
    dl.AWEClassifier(random_state=0),
    dl.IBoostClassifier(n_estimators=3, window_size=100, random_state=0),
]


@pytest.fixture(params=["xgboost", "lightgbm"])
def external(request):
    package = pytest.importorskip(request.param, reason=f"{request.param} is not installed")
    few = {"n_estimators": 5, "n_jobs": 1}
    if request.param == "xgboost":
        return "xgboost", package.XGBClassifier(**few, max_depth=3)
    return "lightgbm", package.LGBMClassifier(**few, verbose=-1, min_child_samples=5)


@pytest.mark.parametrize("ensemble", ENSEMBLES, ids=lambda model: type(model).__name__)
def test_members_continue_after_loading(external, ensemble, tmp_path):
    name, base = external
    model = clone(ensemble).set_params(estimator=base)
    for k in range(0, 300, 50):
        model.partial_fit(X[k : k + 50], LATE[k : k + 50])
    with pytest.raises(NotAllowed, match=f"allow=.*{name}"):
        model.save(tmp_path / "model.npz")
    model.save(tmp_path / "model.npz", allow=name)
    with pytest.raises(NotAllowed, match=f"allow=.*{name}"):
        dl.load(tmp_path / "model.npz")
    copy = dl.load(tmp_path / "model.npz", allow=name)
    for one in (model, copy):
        one.partial_fit(X[300:], LATE[300:])
    np.testing.assert_array_equal(copy.predict_proba(X), model.predict_proba(X))
    assert model.classes_.tolist() == ["a", "b", "c"] and model.score(X, LATE) > 0.6


@pytest.mark.parametrize("labels", [[0, 1], [3, 7], [True, False], [-1.0, 1.0]], ids=str)
def test_any_labels(external, labels):
    y = np.array(labels)[(Y == "b").astype(int)]
    model = dl.SEAClassifier(external[1], random_state=0).partial_fit(X, y)
    assert model.score(X, y) > 0.8 and model.predict(X).dtype == y.dtype
