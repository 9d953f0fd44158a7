"""Adapters for MOA: its classifiers as members, and our learners in its tools."""

from copy import deepcopy

import numpy as np
import pytest
from sklearn.base import clone

import driftlearn as dl
from driftlearn.compat.capymoa import MOAClassifier, to_capymoa
from driftlearn.io import NotAllowed, dumps

X = np.random.default_rng(0).random((160, 3))
Y = np.where(X[:, 0] + X[:, 1] > 1, "b", "a")
LATE = np.where((X[:, 2] > 0.6) & (np.arange(160) > 60), "c", Y)


@pytest.fixture
def stream():
    pytest.importorskip("capymoa", reason="capymoa, or Java, is not installed")
    from capymoa.stream import NumpyStream

    return NumpyStream(X, np.searchsorted(["a", "b", "c"], LATE), target_type="categorical")


@pytest.mark.parametrize(
    "ensemble",
    [
        dl.OnlineBaggingClassifier(MOAClassifier("trees.HoeffdingTree"), 2, random_state=0),
        dl.SEAClassifier(MOAClassifier("bayes.NaiveBayes"), random_state=0),
        dl.AUE2Classifier(MOAClassifier("bayes.NaiveBayes"), random_state=0),
        dl.AutoClassifier(
            candidates={"moa": MOAClassifier("NaiveBayes"), "ours": dl.GaussianNBClassifier()}
        ),
    ],
    ids=lambda model: type(model).__name__,
)
def test_a_member(stream, ensemble):
    """It is trained, and a class appears late."""
    model = clone(ensemble)
    for k in range(0, 160, 40):
        model.partial_fit(X[k : k + 40], LATE[k : k + 40])
    assert model.classes_.tolist() == ["a", "b", "c"]
    assert model.score(X, LATE) > 0.5


def test_copies_are_independent(stream):
    model = MOAClassifier("LeveragingBagging", ensemble_size=2, random_state=3).fit(X[:80], Y[:80])
    before = model.predict_proba(X)
    deepcopy(model).partial_fit(X[:80], np.where(Y[:80] == "a", "b", "a"))
    np.testing.assert_array_equal(model.predict_proba(X), before)


def test_a_model_of_two_classes_before_the_second_has_come(stream):
    model = MOAClassifier("meta.OCBoost", ensemble_size=2)
    model.partial_fit(X[:20], np.full(20, "a"))
    assert (model.predict(X[20:30]) == "a").all()
    model.partial_fit(X, Y)
    assert set(model.predict(X)) <= {"a", "b"}


def test_what_moa_does_not_have(stream):
    for name in ("trees.HoeffdingTre", "LeveragingBaging"):
        with pytest.raises(ValueError, match=f"has no .*{name}"):
            MOAClassifier(name).fit(X, Y)
    model = dl.OnlineBaggingClassifier(MOAClassifier("bayes.NaiveBayes"), 2).fit(X, Y)
    with pytest.raises(NotAllowed, match="MOAClassifier"):
        dumps(model)


def test_among_moas_own(stream):
    """Instance by instance equals `partial_fit` row by row."""
    model = to_capymoa(dl.GaussianNBClassifier(), stream.get_schema())
    assert str(model) == "GaussianNBClassifier"
    reference = dl.GaussianNBClassifier()
    labels = np.array([str(each) for each in stream.get_schema().get_label_values()])
    while stream.has_more_instances():
        instance = stream.next_instance()
        predicted = model.predict_proba(instance)
        assert (predicted is None) == (not reference.__sklearn_is_fitted__())
        if predicted is not None:
            own = reference.predict_proba(instance.x[None, :])[0]
            np.testing.assert_array_equal(
                predicted[np.searchsorted(labels, reference.classes_)], own
            )
        model.train(instance)
        reference.partial_fit(instance.x[None, :], labels[[instance.y_index]])
    assert model.model.classes_.tolist() == labels.tolist()


def test_without_capymoa(monkeypatch):
    """A missing package is reported with the command; it is not needed before."""
    import sys

    for name in ("capymoa.stream", "capymoa.base"):
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(ImportError, match="MOAClassifier needs capymoa: pip install capymoa"):
        MOAClassifier("bayes.NaiveBayes").fit(X, Y)
    with pytest.raises(TypeError, match="no partial_fit"):
        to_capymoa(dl.CARTClassifier(), None)
