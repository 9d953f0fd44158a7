"""Fast and light boosting compared with its reference implementation."""

import numpy as np
import pytest
from sklearn.tree import DecisionTreeClassifier

from driftlearn import CARTClassifier, GaussianNBClassifier, StumpClassifier, io
from driftlearn.ensemble.boosting._probability_stumps import DistanceStump, RatioStump
from driftlearn.ensemble.boosting.flb import FLBClassifier, WaitingRows
from driftlearn.streams import SEA
from tests.ensemble.boosting.boosted_cases import (
    Nearest,
    bands,
    check_failure,
    check_pickle,
    check_slicing,
    with_late_class,
)
from tests.reference.bases import cart_base, naive_bayes_base
from tests.reference.flb import FLBReference
from tests.reference.online_bases import stump_base


def model_of(base=None, n=12, block_size=40, n_per_block=3, **others):
    others = {"random_state": 0, **others}
    return FLBClassifier(base, n, block_size=block_size, n_per_block=n_per_block, **others)


@pytest.mark.parametrize("level", [0.01, None])
@pytest.mark.parametrize("n_classes", [2, 4])
@pytest.mark.parametrize("shape", [(12, 40, 3), (None, 25, 1), (2, 30, 4)])
def test_reference(shape, n_classes, level):
    X, y, w = bands(1, 500, n_classes, noise=0.1)
    model = model_of(None, *shape, change_level=level).partial_fit(X, y, sample_weight=w)
    reference = FLBReference(stump_base(), *shape, detect=level is not None).partial_fit(X, y, w)
    assert model.predict_proba(X) == pytest.approx(reference.scores(X), abs=1e-12)
    assert model.predict(X).tolist() == reference.predict(X).tolist()
    assert model.n_changes_ == reference.n_changes
    assert len(model.members_) == len(reference.members)


@pytest.mark.parametrize(
    ("base", "train"),
    [
        (GaussianNBClassifier(), naive_bayes_base()[0]),
        (CARTClassifier(max_depth=2), cart_base(max_depth=2)[0]),
    ],
    ids=["naive-bayes", "tree"],
)
def test_other_base_learners_and_the_reference(base, train):
    X, y, w = bands(2, 300, 3, noise=0.1)
    model = model_of(base).partial_fit(X, y, sample_weight=w)
    reference = FLBReference(train, 12, 40, 3).partial_fit(X, y, w)
    assert model.predict_proba(X) == pytest.approx(reference.scores(X), abs=1e-9)


def test_before_the_first_block():
    """The first class seen is predicted, not the first class announced."""
    X, y, _ = bands(0, 39)
    model = model_of().partial_fit(X, y + 1, classes=[0, 1, 2])
    assert model.predict_proba(X).tolist() == [[0.0, 1.0, 0.0]] * 39
    assert len(model.members_) == 0


def test_fit_learns_what_is_left_over():
    X, y, _ = bands(0, 95)
    assert model_of().partial_fit(X, y).members_["created_at"].tolist() == [40] * 3 + [80] * 3
    assert model_of().fit(X, y).members_["created_at"].tolist() == [40] * 3 + [80] * 3 + [95] * 3


def test_a_change_throws_the_ensemble_away():
    rng = np.random.default_rng(0)
    X = rng.random((800, 1))
    y = np.where((X[:, 0] > 0.5) == (np.arange(800) < 400), 1, 0)
    with_test = model_of().partial_fit(X, y)
    without = model_of(n=None, change_level=None).partial_fit(X, y)
    assert with_test.n_changes_ >= 1
    assert with_test.members_["created_at"].min() > 400
    assert without.n_changes_ == 0
    assert without.members_["created_at"].min() == 40
    assert with_test.score(X[400:], y[400:]) > without.score(X[400:], y[400:])


def test_ratio_stump():
    model = RatioStump().fit([[0], [1], [2], [3]], ["a", "a", "b", "a"], sample_weight=[1, 1, 3, 1])
    assert model.predict_proba([[1], [2]]).tolist() == [[2.5 / 3, 0.5 / 3], [1.5 / 5, 3.5 / 5]]


def test_distance_stump():
    X, y = np.array([[0.0], [1.0], [2.0], [3.0]]), np.array(["b", "b", "a", "a"])
    model = DistanceStump(slope=3.0).fit(X, y)
    P = model.predict_proba([[1.5], [1.5 + X.std()], [1.5 - X.std()], [99.0]])
    far = 1 / (1 + np.exp(-3.0))
    assert P[:, 0] == pytest.approx([0.5, far, 1 - far, 1.0])
    assert P.sum(axis=1) == pytest.approx(1.0)
    assert DistanceStump().fit([[1.0], [1.0]], [4, 4]).predict_proba([[5.0]]).tolist() == [[1.0]]


def test_which_stump():
    X, y, _ = bands(0, 80)
    for base in (None, StumpClassifier()):
        assert type(model_of(base).fit(X, y).estimators_[0]) is RatioStump
    distance = model_of(stump_proba="distance", slope=1.5).fit(X, y).estimators_[0]
    assert (type(distance), distance.slope) == (DistanceStump, 1.5)


BASES = {
    "ratio": (None, {}),
    "distance": (None, {"stump_proba": "distance"}),
    "naive-bayes": (GaussianNBClassifier(), {}),
    "random-tree": (DecisionTreeClassifier(max_depth=2, splitter="random"), {}),
    "no-weights": (Nearest(), {}),
}
EACH_BASE = pytest.mark.parametrize(("base", "options"), BASES.values(), ids=list(BASES))


@EACH_BASE
def test_slicing_does_not_matter(base, options):
    model = check_slicing(lambda: model_of(base, **options), *with_late_class())
    assert model.history_.steps == [200]
    assert model.members_["classes"][-1] == ["late", "middle", "more"]


@EACH_BASE
def test_pickled_models_continue(base, options):
    check_pickle(lambda: model_of(base, **options), *with_late_class(150), 90)


def test_base_learner_fails():
    """The row that completes the block is the one that is not learned."""
    X, y, _ = bands(1, 120)
    check_failure(lambda poison: model_of(Nearest(poison), block_size=20), X, y, 62, 7.25)


def test_a_stream_that_starts_with_one_class():
    X, y, _ = bands(0, 400, drift=0.0)
    model = model_of().partial_fit(np.random.default_rng(0).random((2000, 2)), np.full(2000, 7))
    assert (model.predict(X) == 7).all()
    assert model.partial_fit(X, y).score(X, y) > 0.8


@pytest.mark.compiled
def test_sea():
    """Ratios reproduce the paper's 94.4 %; distances are far better on this concept."""
    found = {}
    for proba in ("ratio", "distance"):
        stream, scores = SEA.iboost(random_state=0), []
        model = FLBClassifier(stump_proba=proba)
        for batch in stream.chunks(1000):
            model.partial_fit(batch.X, batch.y)
            scores.append(model.score(*stream.test_set(1000 * len(scores), 500, random_state=1)))
        found[proba] = np.mean(scores)
    assert found["ratio"] > 0.93
    assert found["distance"] > found["ratio"] + 0.01


def test_another_block_size_in_a_file(monkeypatch):
    """The size of the buffer counts; otherwise no row would ever complete a block."""
    X, y = SEA(n_rows=600, random_state=0).take(600)
    model = FLBClassifier(block_size=200).partial_fit(X[:100], y[:100]).set_params(block_size=50)
    model = io.loads(io.dumps(model))
    calls, take = [], WaitingRows.take

    def counted(self, *rows):
        calls.append(len(rows[0]))
        assert len(calls) < 100, "endless loop"
        return take(self, *rows)

    monkeypatch.setattr(WaitingRows, "take", counted)
    model.partial_fit(X[100:], y[100:])
    assert model.n_rows_ == 600 and model.n_members_ == 3 * model.n_per_block
