"""DDD, ACE, RCD and DYNSE: the twins by themselves."""

from __future__ import annotations

import math

import numpy as np
import pytest

from driftlearn.streams import SEA
from tests.reference.ace import ACETwin, Place
from tests.reference.bagging import OnlineBaggingTwin
from tests.reference.bases import cart_base
from tests.reference.ddd import DDDTwin, Ensemble
from tests.reference.dynse import DYNSETwin
from tests.reference.online_bases import naive_bayes_maker
from tests.reference.rcd import Pair, RCDTwin, deviations, neighbours, together
from tests.reference.rows import returning

CART = cart_base(min_samples_split=10)[0]


def sea():
    batch = next(iter(SEA(n_rows=2400, noise=0.0, random_state=0).chunks(600)))
    return batch.X, batch.y, max(np.mean(batch.y == label) for label in np.unique(batch.y))


TWINS = {
    "ddd": lambda: DDDTwin(naive_bayes_maker(), 4, detector="ddm"),
    "ace": lambda: ACETwin(CART, naive_bayes_maker(), chunk_size=100),
    "rcd": lambda: RCDTwin(naive_bayes_maker(), buffer_size=60),
}


@pytest.mark.parametrize("name", TWINS)
def test_online_twins_learn_sea(name):
    X, y, majority = sea()
    twin = TWINS[name]().partial_fit(X[:500], y[:500])
    assert np.mean(twin.predict(X[500:]) == y[500:]) > majority + 0.1


@pytest.mark.parametrize("selection", ["knora-e", "knora-u", "ola", "lca"])
def test_dynse_twin_learns_sea(selection):
    X, y, majority = sea()
    twin = DYNSETwin(CART, selection=selection)
    for part in np.split(np.arange(500), 5):
        twin.partial_fit(X[part], y[part])
    assert np.mean(twin.predict(X[500:]) == y[500:]) > majority + 0.1


@pytest.mark.parametrize("name", TWINS)
def test_online_twins_turn_round(name):
    X, y, _ = returning(2, 2, False)
    twin = TWINS[name]().partial_fit(X[:150], y[:150])
    before = twin.n_drifts
    twin.partial_fit(X[150:260], y[150:260])
    assert twin.n_drifts > before
    assert np.mean(twin.predict(X[260:300]) == y[260:300]) > 0.7
    bagging = OnlineBaggingTwin(naive_bayes_maker(), 4).partial_fit(X[:260], y[:260])
    assert np.mean(bagging.predict(X[260:300]) == y[260:300]) < 0.5


class Noting:
    """Says the last label learned, and notes what it was handed."""

    def __init__(self, seed):
        self.seed, self.seen = seed, []

    def learn_one(self, x, y, w):
        self.seen.append((y, w))

    def predict_one(self, x):
        return self.seen[-1][0] if self.seen else None

    def proba_one(self, x, classes):
        return [float(c == self.predict_one(x)) for c in classes]


def ensemble(right, seen, says="a"):
    made = Ensemble([Noting(0)], 1)
    made.models[0].learn_one(None, says, 1.0)
    made.right, made.seen = right, seen
    return made


def after_a_drift(nl, ol, oh, **how):
    twin = DDDTwin(Noting, 1, **how)
    twin.classes, twin.mode = ["a", "b"], "after"
    twin.at = {"nl": nl, "nh": ensemble(0, 0), "ol": ol, "oh": oh}
    return twin


def test_ddd_weights_by_hand():
    twin = after_a_drift(ensemble(1, 2), ensemble(1, 4, "b"), ensemble(0, 0), multiplier=2.0)
    assert twin.weights() == {"nh": 0, "nl": 0.5, "ol": 0.5, "oh": 0}
    assert twin.score_one(np.zeros(1)) == [0.5, 0.5]
    for old in ("nl", "ol"):
        twin.at[old].right = 0
    assert twin.weights() == {"nh": 0, "nl": 0.25, "ol": 0.5, "oh": 0.25}


def test_ddd_comparisons_by_hand():
    nl, ol, oh = ensemble(9, 10), ensemble(8, 10), ensemble(8, 10)
    twin = after_a_drift(nl, ol, oh)
    twin.compare()
    assert (twin.mode, twin.at["nl"], "ol" in twin.at) == ("before", nl, False)
    twin = after_a_drift(ensemble(8, 10), ol, oh)
    twin.compare()
    assert twin.mode == "after"
    sure = ensemble(100, 100)
    twin = after_a_drift(ensemble(5, 10), ensemble(50, 100), sure)
    twin.compare()
    assert (twin.mode, twin.at["nl"], "oh" in twin.at) == ("before", sure, False)


@pytest.mark.parametrize(("right", "kept"), [(5, "nl"), (4, "oh"), (3, "oh")])
def test_ddd_keeps_the_better_one_at_a_second_drift(right, kept):
    twin = after_a_drift(ensemble(right, 10), ensemble(9, 10), ensemble(4, 10))
    better, diverse = twin.at[kept], twin.at["nh"]
    twin.change()
    assert (twin.at["ol"], twin.at["oh"]) == (better, diverse)
    assert better.seen == 0


def test_ddd_draws():
    """The models of a slot learn as often as its own numbers say."""
    twin = DDDTwin(Noting, 2, low=1.5, high=0.4, random_state=3)
    twin.partial_fit(np.zeros((20, 1)), ["a"] * 20, np.full(20, 0.5))
    rng = np.random.default_rng(3)
    seeds = [int(rng.integers(2**31 - 1)) for _ in range(4)]
    u = rng.random((20, 8))
    models = twin.at["nl"].models + twin.at["nh"].models
    assert [model.seed for model in models] == seeds
    for j, (model, least) in enumerate(zip(models, [math.exp(-1.5)] * 2 + [math.exp(-0.4)] * 2)):
        assert len(model.seen) == sum(u[:, j] >= least)


def ace_place(*outcomes):
    place = Place(None, 1, None, None)
    place.outcomes = list(outcomes)
    return place


def test_ace_weights_by_hand():
    twin = ACETwin(None, None, window_size=4, power=2.0)
    assert twin.weight(ace_place()) == 4
    assert twin.weight(ace_place(0, 0, 1, 1, 1, 0)) == 16
    assert twin.weight(ace_place(1)) == 64
    assert twin.weight(ace_place(0, 1)) == 4


def test_ace_wilson_interval_by_hand():
    # Wilson's interval of 95 % around 8 of 10 begins at 0.4902
    assert ACETwin(None, None, window_size=10, alpha=0.05).lower(0.8) == pytest.approx(
        0.49016, abs=1e-5
    )


def test_ace_asks_the_one_who_was_best():
    twin = ACETwin(None, None, window_size=10, alpha=0.05)
    worse, fallen = ace_place(*[0] * 20), ace_place(*[1] * 10, *[0] * 10)
    steady, young = ace_place(*[1] * 20), ace_place(*[1] * 10, *[0] * 9)
    for online, batch, found in [
        (worse, [fallen], True),
        (fallen, [steady], True),
        (steady, [fallen], False),  # as good once, and the online model comes first
        (worse, [young], False),
    ]:
        twin.online, twin.batch = online, batch
        assert twin.drifts() is found


def test_ace_lets_the_least_accurate_go_before_the_next_joins():
    twin = ACETwin(CART, Noting, 2, chunk_size=2, window_size=2)
    rows = np.arange(8.0)[:, None]
    twin.partial_fit(rows[:4], list("abab"))
    first, second = twin.batch
    first.outcomes, second.outcomes = [1, 1], [1, 0]
    twin.learn_one(rows[4], "a")
    first.outcomes, second.outcomes = [1], [0]
    twin.learn_one(rows[5], "b")
    assert twin.batch[0] is first
    assert twin.batch[1].born == 6
    assert twin.n_pruned == 1


def test_rcd_test_by_hand():
    rows = [(np.array([v, 7.0]), y) for v, y in [(0, "a"), (1, "b"), (4, "a"), (5, "a"), (9, "b")]]
    assert deviations([[0.0, 7.0], [2.0, 7.0]]) == [1.0, 1.0]
    assert neighbours(rows, 1, False) == [[1], [0], [3], [2], [3]]
    # rows of another class are farther by the square root of 2 standard deviations
    assert neighbours(rows, 1, True) == [[2], [0], [3], [2], [3]]
    assert together([[1], [0], [3], [2], [3]], [0, 1]) == 5
    assert together([[1], [0], [3], [2], [3]], [0, 2]) == 1


def test_rcd_tells_turned_labels_apart_only_where_they_count():
    rng = np.random.default_rng(0)
    X = rng.random((90, 2))
    labels = (X[:, 0] > 0.5).tolist()
    a, b, turned = (
        [(X[i], labels[i] != flip) for i in range(start, start + 30)]
        for start, flip in [(0, False), (30, False), (60, True)]
    )
    for compare, apart in [("labelled", True), ("rows", False)]:
        twin = RCDTwin(None, compare=compare)
        assert twin.match(a, b)
        assert twin.match(a, turned) is not apart
        far = [(x + 2.0, y) for x, y in b]
        assert not twin.match(a, far)
    assert not RCDTwin(None).match(a[:4], a)


def test_rcd_returns_to_the_oldest_that_is_alike():
    rng = np.random.default_rng(1)
    twin = RCDTwin(Noting, 3, min_rows=5)
    sample = [(x, "a") for x in rng.random((40, 2))]
    far = [(x + 5.0, y) for x, y in sample]
    twin.stored = [Pair(Noting(i), 200) for i in range(3)]
    for pair, rows in zip(twin.stored, [far, sample[:20], sample[20:]]):
        pair.buffer = rows
    twin.current, twin.new = twin.stored[2], Pair(Noting(3), 200)
    twin.new.buffer = [(x, "a") for x in rng.random((20, 2))]
    old = list(twin.stored)
    twin.change()
    assert (twin.current, twin.stored, twin.n_returns) == (old[1], old, 1)
    twin.new = Pair(Noting(4), 200)
    twin.new.buffer = [(x - 5.0, y) for x, y in sample]
    newest = twin.new
    twin.change()
    assert (twin.current, twin.stored, twin.n_returns) == (newest, [*old[1:], newest], 1)


class Says:
    def __init__(self, rule):
        self.rule = rule

    def predict(self, X):
        return np.array([self.rule(x[0]) for x in X])


def dynse(**how):
    """Members for the left (a), for the right (b), and one that is wrong but at 3."""
    rules = [lambda v: "a", lambda v: "b", lambda v: "b" if v > 2 else "c"]
    how = {"n_window": 1, "slack": 0, **how}
    twin = DYNSETwin(lambda X, y, w, seed: Says(rules.pop(0)), **how)
    for _ in range(3):
        twin.partial_fit([[0.0], [1.0], [2.0], [3.0]], list("aabb"), [1, 2, 1, 4])
    return twin


@pytest.mark.parametrize(
    ("how", "x", "voices"),
    [
        ({"n_neighbors": 2}, 0.4, [1, 0, 0]),
        ({"n_neighbors": 4}, 1.4, [1, 0, 0]),  # 4, 3: nobody; 2 and 1 are the nearest two
        ({"n_neighbors": 4}, 1.5, [0, 1, 0]),  # of 1 and 2 the newer is the nearer
        ({"n_neighbors": 4, "slack": 2}, 1.4, [1, 1, 0]),
        ({"n_neighbors": 3, "slack": 1}, 2.5, [0, 1, 0]),
        ({"n_neighbors": 9, "slack": 9}, 2.5, [1, 1, 1]),
        ({"n_neighbors": 3, "selection": "knora-u"}, 2.5, [2, 5, 4]),
        ({"n_neighbors": 2, "selection": "ola"}, 2.6, [0, 1, 0]),
        ({"n_neighbors": 1, "selection": "ola"}, 3.0, [0, 1, 1]),
        ({"n_neighbors": 3, "selection": "lca"}, 2.5, [1, 1, 0]),
        ({"n_neighbors": 3, "selection": "lca"}, 1.5, [1, 1, 0]),
        ({"n_neighbors": 1, "selection": "lca"}, 2.5, [0, 1, 1]),
    ],
)
def test_dynse_voices_by_hand(how, x, voices):
    twin = dynse(**how)
    labels = [h.predict([[x]])[0] for h in twin.members]
    assert twin.voices([x], labels) == voices


def test_dynse_all_vote_where_nobody_was_right():
    for selection in ("knora-e", "knora-u", "ola", "lca"):
        how = {"selection": selection, "slack": 0, "n_window": 2}
        twin = DYNSETwin(lambda X, y, w, seed: Says(lambda v: "z"), **how)
        twin.partial_fit([[0.0], [1.0]], ["a", "z"]).partial_fit([[0.0]], ["a"])
        twin.n_neighbors = 1
        assert twin.voices([0.0], ["z", "z"]) == [1, 1]


def test_dynse_prunes():
    assert dynse(n_estimators=2).births == [2, 3]
    kept = dynse(n_estimators=2, prune="accuracy")
    assert kept.births == [2, 3]  # 3/8, 5/8, 4/8
    assert kept.weights == [0.625, 0.5]
