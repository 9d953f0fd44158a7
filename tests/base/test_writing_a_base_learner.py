"""The worked example of the documentation: a base learner from public names only."""

import subprocess
import sys
from importlib import import_module

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.estimator_checks import check_estimator

from driftlearn import (
    AUE2Classifier,
    AWEClassifier,
    DWMClassifier,
    IBoostClassifier,
    LearnPPNSEClassifier,
    OnlineBoostClassifier,
)
from driftlearn.checks import check_stream_classifier
from driftlearn.streams import SEA
from tests.doc_code import code_of


@pytest.fixture
def learner(tmp_path, monkeypatch):
    (tmp_path / "means.py").write_text(code_of("writing-a-base-learner.rst"), "utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "means", raising=False)
    return import_module("means").NearestMeanClassifier


def test_it_passes_the_checks(learner):
    found = check_estimator(learner(), on_fail=None, on_skip=None)
    assert [each["check_name"] for each in found if each["status"] == "failed"] == []
    check_stream_classifier(learner())


@pytest.mark.parametrize("ensemble", [LearnPPNSEClassifier, AUE2Classifier, DWMClassifier])
def test_ensembles_of_it_pass_the_checks(learner, ensemble):
    check_stream_classifier(ensemble(learner()))


def test_it_runs_on_the_command_line(learner, tmp_path):
    found = subprocess.run(
        [
            sys.executable, "-m", "driftlearn", "run", "--stream", "sea:n_rows=1000",
            "--learner", "mine=dwm:estimator=means:NearestMeanClassifier(width=2)",
            "--store", "runs.sqlite",
        ],
        cwd=tmp_path, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert found.returncode == 0, found.stderr
    assert "mine" in found.stdout


class Least(ClassifierMixin, BaseEstimator):
    """Minimal external classifier: two classes, a threshold between the means."""

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        assert len(self.classes_) == 2, "a chunk of one class gives a constant"
        means = [X[y == label].sum(axis=1).mean() for label in self.classes_]
        self.middle_, self.rises_ = np.mean(means), means[1] > means[0]
        return self

    def predict(self, X):
        return self.classes_[((X.sum(axis=1) > self.middle_) == self.rises_).astype(int)]


class LeastByRows(ClassifierMixin, BaseEstimator):
    """The same for online learning: predicts the last label."""

    def partial_fit(self, X, y, classes=None):
        if classes is not None:
            self.classes_ = np.unique(classes)
        self.last_ = y[-1]
        return self

    def predict(self, X):
        return np.full(len(X), self.last_)


@pytest.mark.parametrize(
    "ensemble, base",
    [
        (LearnPPNSEClassifier, Least()),
        (AWEClassifier, Least()),
        (IBoostClassifier, Least()),
        (DWMClassifier, LeastByRows()),
        (OnlineBoostClassifier, LeastByRows()),
    ],
)
def test_minimal_interface_is_sufficient(ensemble, base):
    X, y = SEA(n_rows=600, random_state=0).take(600)
    model = ensemble(base, random_state=0)
    for rows in (slice(0, 200), np.flatnonzero(y == y[0])[:50], slice(200, 600)):
        model.partial_fit(X[rows], y[rows], sample_weight=np.linspace(0.5, 2, len(y[rows])))
    assert set(model.predict(X)) <= set(y)
    np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 1)
