"""Ties, bounds and bookkeeping of engines that reference tests rarely reach."""

import pickle
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from driftlearn.base._online_model import OnlineModel
from driftlearn.drift._adwin_window import AdaptiveWindow
from driftlearn.ensemble._online_committee import OnlineCommittee
from driftlearn.ensemble.bagging.adwin_bagging import ADWINBagging
from driftlearn.ensemble.boosting.nsonline_boost import NSOnlineBoost
from driftlearn.ensemble.boosting.online_boost import COLUMNS, BoostChain
from driftlearn.ensemble.weighted.dwm import COLUMNS as DWM_COLUMNS
from driftlearn.ensemble.weighted.dwm import DWM
from driftlearn.naive_bayes._naive_bayes import NaiveBayesModel

BAGGING = {"delta": 0.002, "replace": "worst", "vote": "majority", "error": "before"}


class Column(OnlineModel):
    """Model without training that predicts the value of its column."""

    def __init__(self, column, n_features, n_classes):
        super().__init__(n_features, n_classes)
        self.column = column

    def learn_one(self, X, i, y, w):
        pass

    def predict_one(self, X, i):
        return int(np.asarray(X)[i, self.column])

    def get_state(self):
        return {**super().get_state(), "column": self.column}

    def set_state(self, state):
        super().set_state(state)
        self.column = state["column"]


def numbers(u, new_model=None):
    """Return given random numbers, and a function that creates models."""
    return SimpleNamespace(u=u, new_model=new_model)


def chain(period, right, wrong, rows):
    """Return a chain of `Column` with these sums, all mature, and a window of these rows."""
    M = len(right)
    X = np.array([predicted for predicted, _, _ in rows], dtype=float)
    y = np.array([label for _, label, _ in rows])
    w = np.array([weight for _, _, weight in rows])
    committee = OnlineCommittee(M, 3, COLUMNS)
    for j in range(M):
        committee.add(Column(j, M, 3), right=right[j], wrong=wrong[j], trained=1.0)
    committee.n_rows = len(rows) - 1
    for c in range(3):
        committee.observe_class(c)
    options = {"window_size": len(rows), "period": period, "maturity": 1}
    engine = NSOnlineBoost(BoostChain(committee, False), options)
    for i in range(len(rows) - 1):
        engine.window.append(X, i, y[i], w[i])
    engine.learn(X[-1:], y[-1:], w[-1:], numbers(np.zeros((1, M)), lambda row: Column(0, M, 3)))
    return engine


def votes_wrong(engine, rows, members):
    """Return the window error of the vote of some members, summed directly."""
    weight, wrong = engine.weights(), 0.0
    for predicted, label, w in rows:
        votes = [0.0, 0.0, 0.0]
        for j in members:
            votes[predicted[j]] += weight[j]
        wrong += w if votes.index(max(votes)) != label else 0.0
    return wrong


@given(st.data())
def test_replaced_members_of_the_chain(data):
    """The shortcut of NSOnlineBoost finds the same member as a full recount, including ties."""
    M = data.draw(st.integers(2, 6))
    codes = st.integers(0, 2)
    row = st.tuples(
        st.lists(codes, min_size=M, max_size=M), codes, st.sampled_from([0.5, 1.0, 0.1])
    )
    rows = data.draw(st.lists(row, min_size=1, max_size=12))
    sums = st.lists(st.sampled_from([1.0, 2.0, 3.0, 6.0, 9.0]), min_size=M, max_size=M)
    right, wrong = np.array(data.draw(sums)) * 7, data.draw(sums)
    idle = chain(10**9, right, wrong, rows)
    everybody = list(range(M))
    without = [votes_wrong(idle, rows, [k for k in everybody if k != j]) for j in everybody]
    leaver = None
    if min(without) < votes_wrong(idle, rows, everybody):
        leaver = without.index(min(without)) + 1
    ids = list(chain(len(rows), right, wrong, rows).describe()["id"])
    expected = [j + 1 for j in everybody if j + 1 != leaver] + [M + 1] * (leaver is not None)
    assert ids == expected


def test_draws_follow_poisson():
    """Members are trained on each row once on average, with variance one."""
    committee = OnlineCommittee(1, 1, ())
    for _ in range(4):
        committee.add(NaiveBayesModel(1, 1), detector=AdaptiveWindow())
    engine = ADWINBagging(committee, BAGGING)
    n = 20_000
    u = np.random.default_rng(0).random((n, 4))
    seen = [0.0] * 4
    counts = []
    for i in range(0, n, 100):
        rows = np.zeros((100, 1)), np.zeros(100, dtype=np.intp), np.ones(100)
        engine.learn(*rows, numbers(u[i : i + 100]))
        now = [model.weight_seen for model in committee.models]
        counts += [b - a for a, b in zip(seen, now)]
        seen = now
    assert np.mean(counts) == pytest.approx(100, abs=1.5)
    assert np.var(counts) == pytest.approx(100, rel=0.15)


def test_weight_along_the_chain_is_bounded():
    """A row that all members misclassify has at most 100 times its weight."""
    engine = BoostChain(OnlineCommittee(1, 2, COLUMNS), False)
    for _ in range(12):
        engine.committee.add(Column(0, 1, 2))
    for n, y in ((400, np.zeros(400, dtype=np.intp)), (1, np.ones(1, dtype=np.intp))):
        engine.learn(np.zeros((n, 1)), y, np.ones(n), numbers(np.zeros((n, 12))))
    wrong = engine.committee["wrong"]
    assert wrong[0] == 1.0 and wrong.max() == 100.0


def engines():
    boosting = BoostChain(OnlineCommittee(1, 2, COLUMNS), False)
    judged = NSOnlineBoost(
        BoostChain(OnlineCommittee(1, 2, COLUMNS), False),
        {"window_size": 5, "period": 1, "maturity": 1},
    )
    experts = {"n_estimators": None, "beta": 0.5, "theta": 0.01, "period": 1, "window_size": 5}
    dwm = DWM(
        OnlineCommittee(1, 2, DWM_COLUMNS),
        experts | {"variant": "windowed", "online_update": True, "vote": "soft"},
    )
    return [boosting, judged, ADWINBagging(OnlineCommittee(1, 2, ()), BAGGING), dwm]


@pytest.mark.parametrize("engine", engines(), ids=lambda engine: type(engine).__name__)
def test_numbers_move_with_their_members(engine):
    """After any change of members every number belongs to its member."""
    committee = engine.committee
    for k in range(4):
        committee.add(NaiveBayesModel(1, 2), detector=AdaptiveWindow(), mark=k)
    committee.drop(1)
    committee.replace(0, NaiveBayesModel(1, 2), detector=AdaptiveWindow(), mark=4)
    committee.add(NaiveBayesModel(1, 2), detector=AdaptiveWindow(), mark=5)
    engine = pickle.loads(pickle.dumps(engine))
    committee = engine.committee
    shown = engine.describe()
    assert list(shown["id"]) == [5, 3, 4, 6]
    assert committee["mark"] == [4, 2, 3, 5]
    assert {len(column) for column in shown.values()} == {4}
    engine.widen(np.array([0, 2]), 3)
    assert [model.n_classes for model in committee.models] == [3] * 4
    assert engine.describe()["classes"].shape == (4, 3)
    assert engine.scores(np.zeros((2, 1))).shape == (2, 3)
