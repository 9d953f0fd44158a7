"""AdaBoost on a sliding window compared with its reference implementation."""

import numpy as np
import pytest
from sklearn.ensemble import AdaBoostClassifier
from sklearn.tree import DecisionTreeClassifier

from driftlearn import CARTClassifier, GaussianNBClassifier, HoeffdingTreeClassifier
from driftlearn.ensemble.boosting.windowed_adaboost import WindowedAdaBoostClassifier
from driftlearn.streams import SEA
from tests.ensemble.boosting.boosted_cases import (
    Nearest,
    bands,
    check_failure,
    check_pickle,
    check_slicing,
    with_late_class,
)
from tests.reference.bases import naive_bayes_base
from tests.reference.online_bases import stump_base
from tests.reference.windowed_adaboost import WindowedAdaBoostReference


def model_of(base=None, n=12, window_size=40, period=1):
    return WindowedAdaBoostClassifier(
        base, n, window_size=window_size, period=period, random_state=0
    )


@pytest.mark.parametrize("noise", [0.0, 0.2])
@pytest.mark.parametrize("n_classes", [2, 4])
@pytest.mark.parametrize("shape", [(12, 40, 1), (5, 25, 4), (1, 30, 1), (4, 1, 1)])
def test_reference(shape, n_classes, noise):
    """Bit-identical."""
    X, y, w = bands(n_classes, 250, n_classes, noise)
    model = model_of(None, *shape).partial_fit(X, y, sample_weight=w)
    reference = WindowedAdaBoostReference(stump_base(), *shape).partial_fit(X, y, w)
    assert model.members_["weight"].tolist() == reference.alphas
    assert model.committee_.scores(X).tolist() == reference.scores(X).tolist()


def test_naive_bayes_and_the_reference():
    X, y, w = bands(1, 150, 3, noise=0.1)
    model = model_of(GaussianNBClassifier(), 4).partial_fit(X, y, sample_weight=w)
    reference = WindowedAdaBoostReference(naive_bayes_base()[0], 4, 40).partial_fit(X, y, w)
    assert model.members_["weight"] == pytest.approx(reference.alphas, rel=1e-9)
    assert model.predict(X).tolist() == reference.predict(X).tolist()


def test_late_class_and_the_reference():
    X, y, w = with_late_class()
    model = model_of().partial_fit(X, y, sample_weight=w)
    reference = WindowedAdaBoostReference(stump_base(), 12, 40).partial_fit(X, y.tolist(), w)
    assert model.predict(X).tolist() == reference.predict(X).tolist()
    assert (model.predict(X) == "late").any()


def test_it_is_adaboost():
    """On one window, scikit-learn's AdaBoost with the same stumps predicts the same."""
    X, y, _ = bands(0, 100, noise=0.1)
    model = model_of(None, 20, 100, period=100).partial_fit(X[:99], y[:99])
    y[99] = 1 - model.predict(X[99:])[0]
    model.partial_fit(X[99:], y[99:])
    assert model.members_["created_at"].tolist() == [100] * 20
    theirs = AdaBoostClassifier(DecisionTreeClassifier(max_depth=1), n_estimators=20).fit(X, y)
    assert np.mean(theirs.predict(X) == model.predict(X)) > 0.9
    assert model.members_["weight"][0] == pytest.approx(theirs.estimator_weights_[0] / 2)


BASES = {
    "stump": (None, 12),
    "naive-bayes": (GaussianNBClassifier(), 4),
    "hoeffding": (HoeffdingTreeClassifier(grace_period=15.0), 3),
    "cart": (CARTClassifier(max_depth=1), 3),
    "no-weights": (Nearest(), 2),
}
EACH_BASE = pytest.mark.parametrize(("base", "n"), BASES.values(), ids=list(BASES))


@EACH_BASE
def test_slicing_does_not_matter(base, n):
    X, y, w = with_late_class()
    model = check_slicing(lambda: model_of(base, n, period=3), X, y, w)
    assert list(model.classes_) == ["late", "middle", "more"]


@EACH_BASE
def test_pickled_models_continue(base, n):
    check_pickle(lambda: model_of(base, n, period=3), *with_late_class(150), 90)


def test_base_learner_fails():
    """Also if it fails after some rounds: the row and its random numbers are undone."""
    X, y, _ = bands(1, 120)
    y = y.copy()
    y[66] = 1 - y[66]
    first_model = model_of(Nearest(), 3).partial_fit(X[3:66], y[3:66])
    y[66] = 1 - first_model.predict(X[66:67])[0]
    check_failure(lambda poison: model_of(Nearest(poison), 3), X, y, 66, X[66, 0])


def test_a_stream_that_starts_with_one_class():
    X, y, _ = bands(0, 300, drift=0.0)
    model = model_of().partial_fit(np.random.default_rng(0).random((2000, 2)), np.full(2000, 7))
    assert len(model.members_) == 1
    assert model.partial_fit(X, y).score(X, y) > 0.85


def test_members_are_all_new_at_a_mistake():
    X, y, _ = bands(0, 60)
    model, births = model_of(), set()
    for k in range(60):
        guess = model.predict(X[[k]])[0] if k else None
        before = births
        births = set(model.partial_fit(X[[k]], y[[k]]).members_["created_at"].tolist())
        assert births == ({k + 1} if guess != y[k] else before)
    assert model.members_["error"].shape == model.members_["weight"].shape


@pytest.mark.compiled
def test_sea():
    """The paper prints 94.9 % for this setting."""
    stream, model, scores = SEA.iboost(random_state=0), WindowedAdaBoostClassifier(), []
    for batch in stream.chunks(1000):
        model.partial_fit(batch.X, batch.y)
        scores.append(model.score(*stream.test_set(1000 * len(scores), 1000, random_state=1)))
        if len(scores) == 25:
            break
    assert 0.935 < np.mean(scores) < 0.965
