"""Properties of DDD and ACE."""

import pickle
import re

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

from driftlearn import (
    ACEClassifier,
    CARTClassifier,
    DDDClassifier,
    GaussianNBClassifier,
    HoeffdingTreeClassifier,
)
from driftlearn.ensemble.weighted._prediction_window import PredictionWindow, wilson
from driftlearn.io import dumps, loads
from driftlearn.io.schema import InvalidStateError, check
from driftlearn.tree._fixed_tree import FixedTree

BAYES = GaussianNBClassifier()


def turning(n=3_000, every=600, noise=0.0, seed=0):
    """Two alternating concepts, the second the opposite of the first."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    y = (X[:, 0] + X[:, 1] > 0) ^ (np.arange(n) // every % 2 == 1) ^ (rng.random(n) < noise)
    return X, y.astype(int)


# ACE


def small(estimator=None, n_estimators=5, **how):
    how = {"chunk_size": 60, "window_size": 10, "alpha": 0.01, **how}
    return ACEClassifier(estimator, n_estimators, **how)


def test_recurring_concepts_are_recognized():
    """Members trained on the concept dominate after a few rows."""
    X, y = turning()
    model = ACEClassifier(chunk_size=200, window_size=30, alpha=0.01, power=3.0)
    right = model.test_then_train(X, y) == y
    assert right[600:660].mean() < 0.7  # the opposite concept is new
    for come_back in (1_200, 1_800, 2_400):
        assert right[come_back + 30 : come_back + 100].mean() > 0.9
    assert model.n_drifts_ >= 4


def test_members_are_trained_on_the_rows_since_the_last_one():
    X, y = turning(150, every=10**6)
    model = small().partial_fit(X, y)
    assert model.members_["created_at"].tolist() == [1, 60, 120]
    first = CARTClassifier().fit(X[:60], y[:60])
    fixed = model.estimators_[1]
    probas = np.empty((150, 2))
    fixed.scores_many(X, probas)
    np.testing.assert_array_equal(probas, first.predict_proba(X))
    assert [fixed.predict_one(X, i) for i in range(150)] == first.predict(X).tolist()
    assert model.engine_.buffer.n == 30


def test_votes_count_by_the_latest_answers():
    X, y = turning(150, every=10**6)
    model = small(power=2.0).partial_fit(X, y)
    tree = CARTClassifier().fit(X[60:120], y[60:120])
    error = (tree.predict(X[140:]) != y[140:]).mean()
    assert model.members_["error"][2] == pytest.approx(error)
    assert model.members_["weight"][2] == pytest.approx(max(error, 1 / 20) ** -2)
    votes = np.zeros((len(X), 2))
    predicted = np.empty_like(votes)
    for weight, each in zip(model.members_["weight"], model.estimators_):
        each.scores_many(X, predicted)
        votes += weight * predicted
    np.testing.assert_allclose(
        model.predict_proba(X), votes / votes.sum(axis=1, keepdims=True), rtol=1e-12
    )


def test_the_least_accurate_makes_room():
    X, y = turning(2_000, every=300)
    model = small(n_estimators=3).partial_fit(X[:200], y[:200])
    while model.n_rows_ < 2_000:
        before, i = model.members_, model.n_rows_
        admitted = model.committee_.n_admitted
        model.partial_fit(X[i : i + 1], y[i : i + 1])
        gone = set(before["id"][1:]) - set(model.members_["id"][1:])
        assert len(gone) <= 1 <= len(model.members_["id"]) - 1 <= 3
        assert not gone or model.committee_.n_admitted > admitted
    assert model.n_members_ == 4
    unlimited = small(n_estimators=None).partial_fit(X, y)
    assert unlimited.n_members_ > 30


@pytest.mark.parametrize("restart", ["drift", "chunk", "never"])
def test_when_the_online_model_begins_anew(restart):
    X, y = turning(200, every=100)
    model = small(restart=restart)
    born = set()
    for i in range(0, 200, 5):
        model.partial_fit(X[i : i + 5], y[i : i + 5])
        born.add(model.members_["created_at"][0])
    begun = sorted(born - {1})
    if restart == "never":
        assert not begun
    else:
        assert any(100 < row < 130 for row in begun)
        assert (60 in begun) == (restart == "chunk")


@pytest.mark.parametrize(
    "base",
    [DecisionTreeClassifier(), LogisticRegression(), KNeighborsClassifier(3), BAYES,
     HoeffdingTreeClassifier(grace_period=20), CARTClassifier(max_depth=2)],
    ids=lambda base: type(base).__name__,
)  # fmt: skip
@pytest.mark.parametrize("vote", ["soft", "majority"])
def test_any_classifier_can_be_a_member(base, vote):
    """With labels, late classes, single-class chunks, and after loading."""
    X, y = turning(300, every=150)
    y = np.where(X[:, 2] > 1, 2, y)
    y[:70] = 1
    y[70:130][y[70:130] == 0] = 2
    words = np.array(["a", "b", "c"])[y]
    model = small(base, 3, vote=vote, random_state=0)
    predicted = model.test_then_train(X, words)
    rows = small(base, 3, vote=vote, random_state=0)
    for i in range(300):
        rows.partial_fit(X[i : i + 1], words[i : i + 1])
    np.testing.assert_array_equal(model.predict_proba(X), rows.predict_proba(X))
    assert (predicted[200:] == words[200:]).mean() > 0.4
    copy = loads(dumps(model))
    np.testing.assert_array_equal(model.predict_proba(X), copy.predict_proba(X))
    for each in (model, copy):
        each.partial_fit(X, words)
    np.testing.assert_array_equal(model.predict_proba(X), copy.predict_proba(X))


class Picky(LogisticRegression):
    """Rejects training rows with a large first feature."""

    def fit(self, X, y, sample_weight=None):
        if X[:, 0].max() > 50:
            raise ArithmeticError("large")
        return super().fit(X, y, sample_weight)


def test_a_member_that_cannot_be_trained():
    """The row is learned and reported, no random number is used, and training can continue."""
    X, y = turning(400, every=10**6)
    X[100, 0] = 99.0
    model = small(Picky(), alpha=1e-9, random_state=0).partial_fit(X[:119], y[:119])
    before = model.rng_.bit_generator.state
    with pytest.raises(RuntimeError, match=r"all rows of this call are learned, but .*: large"):
        model.partial_fit(X[119:120], y[119:120])
    assert model.n_rows_ == 120 and model.rng_.bit_generator.state == before
    assert model.n_members_ == 2
    for i in range(120, 400):
        try:
            model.partial_fit(X[i : i + 1], y[i : i + 1])
        except RuntimeError:
            assert X[i - 60 : i, 0].max() > 50  # that row remains in the buffer for training
        assert model.n_rows_ == i + 1
    assert model.n_members_ > 4


def test_weights_beyond_all_bounds_are_refused():
    with pytest.raises(ValueError, match="power=60 is too large for window_size=1000"):
        ACEClassifier(window_size=1_000, power=60).fit([[0.0], [1.0]], [0, 1])
    assert ACEClassifier(window_size=5, power=100).fit([[0.0], [1.0]], [0, 1]).n_members_ == 1


def test_sums_of_predictions():
    """The sums of a window are those of its predictions, whatever was dropped."""
    rng = np.random.default_rng(0)
    window, predicted = PredictionWindow(7), []
    assert window.accuracy == 0.5
    for n in range(200):
        right = bool(rng.random() < 0.6)
        window.update(right)
        predicted = [*predicted, right][-14:]
        if n % 23 == 11:
            window.drop_older()
            predicted = predicted[-7:]
        assert (window.n_kept, window.right, window.before) == (
            len(predicted), sum(predicted[-7:]), sum(predicted[:-7]),
        )  # fmt: skip
        assert window.accuracy == sum(predicted[-7:]) / len(predicted[-7:])
        copy = PredictionWindow(1)
        copy.set_state(window.get_state())
        assert (copy.size, copy.right, copy.before) == (7, window.right, window.before)


@pytest.mark.parametrize(
    "change", [{"n_kept": 15}, {"n_predictions": 3}, {"correct": np.zeros(7, int)}]
)
def test_answers_that_cannot_be(change):
    window = PredictionWindow(4)
    for _ in range(9):
        window.update(True)
    with pytest.raises(InvalidStateError, match="two windows"):
        check(PredictionWindow, {**window.get_state(), **change})


def test_wilson():
    """The values of Wilson (1927) for 81 out of 263, at 95 %."""
    low = wilson(263, 0.05)
    assert low[81] == pytest.approx(0.2553, abs=5e-5)
    assert low[0] == pytest.approx(0.0, abs=1e-12) and (np.diff(low) > 0).all()


def test_a_tree_takes_new_classes_and_refuses_nodes_that_cannot_be():
    X, y = turning(60)
    tree = CARTClassifier().fit(X, y)
    model = FixedTree(3, 2, tree._arrays(3), np.array([0, 1]))
    before = [model.predict_one(X, i) for i in range(60)]
    model.widen(np.array([1, 3]), 4)
    assert [model.predict_one(X, i) for i in range(60)] == [[1, 3][c] for c in before]
    state = model.get_state()
    check(FixedTree, state)
    wrong = state["child"].copy()
    wrong[0] = 0
    with pytest.raises(ValueError, match="invalid child"):
        check(FixedTree, {**state, "child": wrong})


class Moody(DecisionTreeClassifier):
    """Classifier that fails on demand."""

    broken = ""  # the method that fails

    def fit(self, X, y, sample_weight=None):
        if Moody.broken == "fit":
            raise MemoryError("no room")
        return super().fit(X, y, sample_weight)

    def predict_proba(self, X):
        if Moody.broken == "predict_proba":
            raise MemoryError("no room")
        return super().predict_proba(X)


@pytest.mark.parametrize("broken", ["fit", "predict_proba"])
def test_an_estimator_that_fails_leaves_rows_whole(broken, monkeypatch):
    """Continuing after the reported row gives every row exactly once."""
    X, y = turning(150, every=10**6)
    calm = small(Moody(max_depth=3), random_state=0).partial_fit(X, y)
    model = small(Moody(max_depth=3), random_state=0).partial_fit(X[:59], y[:59])
    if broken == "predict_proba":
        model.partial_fit(X[59:70], y[59:70])
    done = model.n_rows_
    monkeypatch.setattr(Moody, "broken", broken)
    for _ in range(3):
        with pytest.raises(RuntimeError, match="MemoryError: no room") as reported:
            model.partial_fit(X[done:], y[done:])
        first = int(re.match(r"row (\d+) of this call could not", str(reported.value))[1])
        # the row before was learned completely, except by the failing member
        assert first == (broken == "fit")
        done += first
        assert model.n_rows_ == done
    monkeypatch.setattr(Moody, "broken", "")
    model.partial_fit(X[done:], y[done:])
    online = [each.committee_.models[0].get_state() for each in (model, calm)]
    np.testing.assert_equal(*online)
    if broken == "predict_proba":
        np.testing.assert_array_equal(model.predict_proba(X), calm.predict_proba(X))
        assert str(model.members_) == str(calm.members_)


def test_the_error_after_the_last_row(monkeypatch):
    X, y = turning(60)
    monkeypatch.setattr(Moody, "broken", "fit")
    model = small(Moody(), random_state=0)
    w = np.ones(61)
    w[3] = 0
    with pytest.raises(RuntimeError, match="all rows of this call are learned, but not what"):
        model.partial_fit(np.vstack([X[:1], X]), [y[0], *y], sample_weight=w)
    assert model.n_rows_ == 60 and model.n_members_ == 1


# DDD


def test_ensembles_change_places():
    """New ensembles start at a drift, old ones are dropped when another one is better."""
    X, y = turning(2_400, every=600)
    model, m = DDDClassifier(BAYES, 3, detector="ddm", random_state=0), 3
    modes = []
    for i in range(2_400):
        before, mode = model.members_["id"].tolist() if i else [], model.mode_ if i else "before"
        drifts = model.n_drifts_ if i else 0
        model.partial_fit(X[i : i + 1], y[i : i + 1])
        now = model.members_["id"].tolist()
        modes.append(model.mode_)
        assert len(now) == model.n_members_ == (4 * m if model.mode_ == "after" else 2 * m)
        if i and model.n_drifts_ > drifts:
            assert model.mode_ == "after" and min(now[: 2 * m]) > max(before)
            assert now[3 * m :] == before[m : 2 * m]
            assert now[2 * m : 3 * m] in (before[:m], before[3 * m :])
            assert (model.members_["created_at"][: 2 * m] == i + 1).all()
        elif i and mode == "after" and model.mode_ == "before":
            assert now[m:] == before[m : 2 * m]
            assert now[:m] in (before[:m], before[3 * m :])
        elif i:
            assert now == before
    assert model.n_drifts_ >= 3 and {"before", "after"} == set(modes)
    assert (model.test_then_train(X[-200:], y[-200:]) == y[-200:]).mean() > 0.9


@pytest.mark.parametrize("vote", ["soft", "majority"])
def test_weights_after_a_drift(vote):
    """The new low-diversity ensemble and the old ones vote by their accuracy."""
    X, y = turning(700)
    how = {"low": 9.0, "multiplier": 2.0, "detector": "ddm", "vote": vote}  # all learn each row
    model = DDDClassifier(BAYES, 2, **how, random_state=0).partial_fit(X[:600], y[:600])
    while model.mode_ == "before":
        i = model.n_rows_
        model.partial_fit(X[i : i + 1], y[i : i + 1])
    np.testing.assert_array_equal(model.members_["weight"][::2], [0.25, 0.0, 0.5, 0.25])
    assert np.isnan(model.members_["error"]).all()
    engine = model.engine_
    counts = {"n_correct": np.array([3, 0, 8, 6]), "n_tested": np.array([10, 0, 10, 10])}
    engine.set_state({**engine.get_state(), **counts})
    table, share = model.members_, np.array([0.3, 0.0, 1.6, 0.6]) / 2.5
    np.testing.assert_allclose(table["weight"][::2], share, rtol=1e-12)
    np.testing.assert_allclose(table["error"][::2], [0.7, np.nan, 0.2, 0.4], rtol=1e-12)
    predicted = np.zeros((8, 700, 2))
    for probas, each in zip(predicted, model.estimators_):
        each.scores_many(X, probas)
    if vote == "majority":
        votes = np.eye(2)[predicted.argmax(axis=2)].reshape(4, 2, 700, 2).sum(axis=1)
        ballots = np.eye(2)[votes.argmax(axis=2)]
    else:
        ballots = predicted.reshape(4, 2, 700, 2).mean(axis=1)
    scores = np.einsum("s,src->rc", share, ballots)
    np.testing.assert_allclose(model.predict_proba(X), scores, atol=1e-9)
    row = pickle.loads(pickle.dumps(model)).test_then_train(X[:1], y[:1], proba=True)
    np.testing.assert_array_equal(row, model.predict_proba(X[:1]))


def test_the_diverse_members_learn_less():
    X, y = turning(2_000, every=10**6)
    model = DDDClassifier(BAYES, 5, low=1.0, high=0.1, detector="adwin", random_state=0)
    seen = [each.weight_seen for each in model.fit(X, y).estimators_]
    assert np.mean(seen[:5]) == pytest.approx(2_000, rel=0.05)
    assert np.mean(seen[5:]) == pytest.approx(200, rel=0.2)


def test_a_file_with_ensembles_of_another_size():
    X, y = turning(300)
    engine = DDDClassifier(BAYES, 2).fit(X, y).engine_
    state = engine.get_state()
    check(type(engine), state)
    for change in (
        {"after": True},
        {"n_correct": np.array([9, 0, 0, 0]), "n_tested": np.zeros(4, int)},
    ):
        with pytest.raises(InvalidStateError, match="DDD"):
            check(type(engine), {**state, **change})
