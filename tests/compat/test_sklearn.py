"""Use of learners with scikit-learn: pipelines, searches, routing, pickles."""

import pickle

import joblib
import numpy as np
import pytest
import sklearn
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import make_column_transformer
from sklearn.ensemble import StackingClassifier, VotingClassifier
from sklearn.feature_selection import SelectKBest
from sklearn.inspection import permutation_importance
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import get_scorer
from sklearn.model_selection import (
    GridSearchCV,
    TimeSeriesSplit,
    cross_val_predict,
    cross_val_score,
    cross_validate,
    learning_curve,
)
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

import driftlearn as dl
from driftlearn.preprocessing import Frozen

rng = np.random.default_rng(0)
X = rng.random((240, 3))
Y = np.where(X[:, 0] + X[:, 1] > 1, "b", "a")
TREE = dl.HoeffdingTreeClassifier(grace_period=20)
LEARNERS = [
    dl.DTELClassifier(chunk_size=40, random_state=0),
    dl.OnlineBaggingClassifier(TREE, n_estimators=3, random_state=0),
    dl.IBoostClassifier(n_estimators=5, window_size=50),
    dl.GaussianNBClassifier(),
    dl.make_pipeline(dl.TableEncoder(), dl.HoeffdingTreeClassifier()),
]
each = pytest.mark.parametrize("model", LEARNERS, ids=lambda model: type(model).__name__)


@each
def test_pipelines_and_cross_validation(model):
    pipeline = make_pipeline(StandardScaler(), SelectKBest(k=2), clone(model))
    assert cross_val_score(pipeline, X, Y, cv=3).mean() > 0.6
    scores = cross_validate(
        clone(model), X, Y, cv=TimeSeriesSplit(3), scoring=["accuracy", "roc_auc"]
    )
    assert scores["test_roc_auc"].min() > 0.5
    predicted = cross_val_predict(clone(model), X, Y, cv=3, method="predict_proba")
    assert predicted.shape == (240, 2)


def test_searches_reach_members_and_steps():
    model = dl.OnlineBaggingClassifier(TREE, n_estimators=2, random_state=0)
    grid = {"estimator__grace_period": [10, 30], "n_estimators": [1, 2]}
    search = GridSearchCV(model, grid, cv=2).fit(X, Y)
    assert search.best_params_.keys() == grid.keys() and search.predict(X).shape == (240,)
    pipeline = dl.make_pipeline(dl.TableEncoder(), dl.HoeffdingTreeClassifier())
    grid = {"tableencoder__scale": [False, True], "hoeffdingtreeclassifier__grace_period": [20]}
    assert GridSearchCV(pipeline, grid, cv=2).fit(X, Y).best_score_ > 0.5
    with joblib.parallel_backend("threading"):
        assert GridSearchCV(model, {"n_estimators": [1, 2]}, cv=2, n_jobs=2).fit(X, Y)


@each
def test_a_part_of_scikit_learns_own(model):
    others = [("ours", clone(model)), ("theirs", LogisticRegression())]
    assert VotingClassifier(others, voting="soft").fit(X, Y).score(X, Y) > 0.8
    assert StackingClassifier(others, cv=2).fit(X, Y).score(X, Y) > 0.8
    assert CalibratedClassifierCV(clone(model), cv=2).fit(X, Y).predict_proba(X).shape == (240, 2)
    three = np.where(X[:, 2] > 0.8, "c", Y)
    assert OneVsRestClassifier(clone(model)).fit(X, three).classes_.tolist() == ["a", "b", "c"]
    found = permutation_importance(clone(model).fit(X, Y), X, Y, n_repeats=1, random_state=0)
    assert found.importances_mean[:2].min() >= found.importances_mean[2]
    assert len(learning_curve(clone(model), X, Y, cv=2, train_sizes=[0.5, 1.0])[0]) == 2


@each
@pytest.mark.parametrize("way", ["pickle", "joblib", "clone of fitted"])
def test_copies(model, way, tmp_path):
    model = clone(model).partial_fit(X[:120], Y[:120])
    if way == "clone of fitted":
        copy = clone(model).partial_fit(X[:120], Y[:120])
    elif way == "pickle":
        copy = pickle.loads(pickle.dumps(model))
    else:
        joblib.dump(model, tmp_path / "model.joblib")
        copy = joblib.load(tmp_path / "model.joblib")
    for one in (model, copy):
        one.partial_fit(X[120:], Y[120:])
    np.testing.assert_array_equal(copy.predict_proba(X), model.predict_proba(X))


def test_weights_are_routed():
    """A row of weight zero is ignored, also through a pipeline and a search."""
    heavy = (np.arange(240) % 2).astype(float)
    wrong = np.where(heavy > 0, Y, np.where(Y == "a", "b", "a"))
    with sklearn.config_context(enable_metadata_routing=True):
        learner = dl.GaussianNBClassifier().set_fit_request(sample_weight=True)
        learner.set_partial_fit_request(sample_weight=True, classes=True)
        learner.set_score_request(sample_weight=True)
        scaler = StandardScaler().set_fit_request(sample_weight=False)
        pipeline = make_pipeline(scaler, learner)
        assert pipeline.fit(X, wrong, sample_weight=heavy).score(X, Y) > 0.9
        how = {"params": {"sample_weight": heavy}, "cv": 3}
        assert cross_val_score(learner, X, wrong, **how).mean() > 0.85
        search = GridSearchCV(learner, {"class_weight": [None]}, cv=3)
        assert search.fit(X, wrong, sample_weight=heavy).best_score_ > 0.85


def test_weights_of_an_incremental_pipeline_are_routed():
    heavy = (np.arange(240) % 2).astype(float)
    wrong = np.where(heavy > 0, Y, np.where(Y == "a", "b", "a"))
    with sklearn.config_context(enable_metadata_routing=True):
        model = dl.make_pipeline(dl.TableEncoder(), dl.GaussianNBClassifier())
        model.set_fit_request(sample_weight=True).set_score_request(sample_weight=True)
        how = {"params": {"sample_weight": heavy}, "cv": 3}
        assert cross_val_score(model, X, wrong, **how).mean() > 0.85


def test_frames_in_and_out():
    pd = pytest.importorskip("pandas", reason="pandas is not installed")
    frame = pd.DataFrame({"n": X[:, 0], "m": X[:, 1], "word": np.where(X[:, 2] > 0.5, "u", "v")})
    encoder = dl.TableEncoder().set_output(transform="pandas")
    out = encoder.fit_transform(frame)
    assert list(out.columns) == list(encoder.get_feature_names_out()) and len(out) == 240
    ours = make_pipeline(encoder, dl.HoeffdingTreeClassifier()).set_output(transform="pandas")
    assert ours.fit(frame, Y).score(frame, Y) > 0.6
    columns = make_column_transformer((OneHotEncoder(), ["word"]), remainder="passthrough")
    theirs = make_pipeline(columns, dl.DTELClassifier(random_state=0))
    assert cross_val_score(theirs, frame, Y, cv=3).mean() > 0.6
    inside = dl.make_pipeline(Frozen(clone(columns), 50), dl.GaussianNBClassifier())
    assert inside.partial_fit(frame, Y).score(frame, Y) > 0.8


@each
def test_scorers(model):
    model = clone(model).fit(X, Y)
    for name in ("accuracy", "balanced_accuracy", "f1_macro", "roc_auc", "neg_log_loss"):
        assert np.isfinite(get_scorer(name)(model, X, Y)), name
