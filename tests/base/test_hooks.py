"""Errors for methods that a subclass does not implement, or implements wrongly."""

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin

from driftlearn import CARTClassifier, LearnPPNSEClassifier
from driftlearn.base import StreamClassifier
from driftlearn.ensemble import ChunkClassifier, Committee, OnlineClassifier

X = np.array([[0.0], [1.0], [2.0], [3.0]])
Y = np.array([0, 1, 0, 1])


class Chunky(ChunkClassifier):
    def __init__(self, estimator=None, n_estimators=3, *, chunk_size=None, random_state=None,
                 n_jobs=None):  # fmt: skip
        self.estimator, self.n_estimators = estimator, n_estimators
        self.chunk_size, self.random_state, self.n_jobs = chunk_size, random_state, n_jobs


class Mute(Chunky):
    def _learn(self, chunk):
        pass


class Online(OnlineClassifier):
    def __init__(self, estimator=None, n_estimators=3, random_state=None):
        self.estimator, self.n_estimators, self.random_state = estimator, n_estimators, random_state


@pytest.mark.parametrize(
    "model, sentence",
    [
        (
            StreamClassifier(),
            r"StreamClassifier must implement _learn\(chunk\), to train on the rows",
        ),
        (Chunky(), r"Chunky must implement _learn\(chunk\), to train on the rows"),
        (Mute(), r"Mute must implement _scores\(X\), to return class scores"),
        (Online(), r"Online must implement _learn_one\(X, i, y, w\), to train on row i"),
    ],
    ids=lambda case: type(case).__name__,
)
def test_missing_hooks_are_reported(model, sentence):
    with pytest.raises((NotImplementedError, RuntimeError), match=sentence):
        model.fit(X, Y).predict(X)


class Scores(StreamClassifier):
    """Learner with given scores."""

    _in_place = True

    def __init__(self, predicted=None):
        self.predicted = predicted

    def _learn(self, chunk):
        pass

    def _scores(self, X):
        return self.predicted


@pytest.mark.parametrize("predicted", [np.ones((4, 3)), np.ones(4), np.ones((2, 4)), [1, 2], None])
@pytest.mark.parametrize("ensemble", [lambda model: model, LearnPPNSEClassifier])
def test_scores_of_another_shape(predicted, ensemble):
    model = ensemble(Scores(predicted))
    with pytest.raises(
        ValueError, match=r"_scores of Scores must return an array of shape \(4, 2\)"
    ):
        model.partial_fit(X, Y).partial_fit(X, Y).predict(X)


@pytest.mark.parametrize("bad", [np.nan, -1.0])
def test_invalid_scores(bad):
    with pytest.raises(ValueError, match="Class scores must be nonnegative"):
        Scores(np.array([[1.0, 0.0], [bad, bad], [0.0, 1.0], [0.5, 0.5]])).fit(X, Y).predict(X)


class External(ClassifierMixin, BaseEstimator):
    """External classifier with given predictions."""

    def __init__(self, labels=None, probas=None):
        self.labels, self.probas = labels, probas

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return np.asarray(self.labels)

    def predict_proba(self, X):
        return np.asarray(self.probas)


@pytest.mark.parametrize("labels", [[0, 1, 2, 0], [0, 1, 0], [[0], [1], [0], [1]], [0.5] * 4])
def test_external_models_with_unknown_labels(labels):
    committee = Committee(np.array([0, 1]))
    committee.add(External(labels).fit(X, Y))
    with pytest.raises(ValueError, match="predict of External must return one label per row"):
        committee.labels(X)


@pytest.mark.parametrize("shape", [(4, 1), (4, 3), (4,), (1, 2)])
def test_external_models_with_wrong_probability_shape(shape):
    committee = Committee(np.array([0, 1]))
    committee.add(External([0, 0, 0, 0], np.ones(shape)).fit(X, Y))
    with pytest.raises(ValueError, match=r"predict_proba of External must .* shape \(4, 2\)"):
        committee.probas(X)


@pytest.mark.parametrize("model", [CARTClassifier(), CARTClassifier().fit(X, Y + 1), "a model"])
def test_committees_accept_trained_models_of_their_classes(model):
    committee = Committee(np.array([0, 1]))
    right = CARTClassifier().fit(X, Y)
    committee.add(right, weight=1.0)
    for way in (committee.add, lambda m: committee.extend([m]), lambda m: committee.replace([m])):
        with pytest.raises(ValueError, match=r"A member must be a trained model"):
            way(model)
        assert committee.models == [right] and committee.admitted == 1


def test_votes_of_wrong_shape():
    committee = Committee(np.array([0, 1]))
    for _ in range(2):
        committee.add(CARTClassifier().fit(X, Y), weight=1.0)
    for predicted, sentence in {
        "members": (np.zeros((3, 4), int), r"weights of shape \(2,\) for predictions"),
        "code": (np.full((2, 4), 2), "class code 2 is out of range for 2 classes"),
        "width": (np.ones((2, 4, 3)), "predictions have 3 classes, expected 2"),
        "probas": (np.ones((3, 4, 2)), r"weights of shape \(2,\) for predictions"),
    }.values():
        with pytest.raises(ValueError, match=sentence):
            committee.vote(predicted)
    with pytest.raises(TypeError, match="Cannot cast"):
        committee.vote(np.zeros((2, 4)))
    predicted = np.array([[0, 1, -1], [0, 0, 1]])
    np.testing.assert_array_equal(committee.vote(predicted), [[2, 0], [1, 1], [0, 1]])
