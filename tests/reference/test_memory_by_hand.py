"""DDD, ACE, RCD and DYNSE: the reference implementations checked by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest

from driftlearn.streams import SEA
from tests.reference.ace import ACEReference, Place
from tests.reference.bagging import OnlineBaggingReference
from tests.reference.bases import cart_base
from tests.reference.ddd import DDDReference, Ensemble
from tests.reference.dynse import DYNSEReference
from tests.reference.online_bases import naive_bayes_maker
from tests.reference.rcd import Pair, RCDReference, deviations, neighbours, together
from tests.reference.rows import returning

CART = cart_base(min_samples_split=10)[0]


def sea():
    batch = next(iter(SEA(n_rows=2400, noise=0.0, random_state=0).chunks(600)))
    return batch.X, batch.y, max(np.mean(batch.y == label) for label in np.unique(batch.y))


REFERENCES = {
    "ddd": lambda: DDDReference(naive_bayes_maker(), 4, detector="ddm"),
    "ace": lambda: ACEReference(CART, naive_bayes_maker(), chunk_size=100),
    "rcd": lambda: RCDReference(naive_bayes_maker(), buffer_size=60),
}


@pytest.mark.parametrize("name", REFERENCES)
def test_online_references_learn_sea(name):
    X, y, majority = sea()
    reference = REFERENCES[name]().partial_fit(X[:500], y[:500])
    assert np.mean(reference.predict(X[500:]) == y[500:]) > majority + 0.1


@pytest.mark.parametrize("selection", ["knora-e", "knora-u", "ola", "lca"])
def test_dynse_reference_learns_sea(selection):
    X, y, majority = sea()
    reference = DYNSEReference(CART, selection=selection)
    for part in np.split(np.arange(500), 5):
        reference.partial_fit(X[part], y[part])
    assert np.mean(reference.predict(X[500:]) == y[500:]) > majority + 0.1


@pytest.mark.parametrize("name", REFERENCES)
def test_online_references_turn_round(name):
    X, y, _ = returning(2, 2, False)
    reference = REFERENCES[name]().partial_fit(X[:150], y[:150])
    before = reference.n_drifts
    reference.partial_fit(X[150:260], y[150:260])
    assert reference.n_drifts > before
    assert np.mean(reference.predict(X[260:300]) == y[260:300]) > 0.7
    bagging = OnlineBaggingReference(naive_bayes_maker(), 4).partial_fit(X[:260], y[:260])
    assert np.mean(bagging.predict(X[260:300]) == y[260:300]) < 0.5


class Recorder:
    """Predict the last label learned; record labels and weights."""

    def __init__(self, seed):
        self.seed, self.seen = seed, []

    def learn_one(self, x, y, w):
        self.seen.append((y, w))

    def predict_one(self, x):
        return self.seen[-1][0] if self.seen else None

    def proba_one(self, x, classes):
        return [float(c == self.predict_one(x)) for c in classes]


def ensemble(right, seen, prediction="a"):
    made = Ensemble([Recorder(0)], 1)
    made.models[0].learn_one(None, prediction, 1.0)
    made.right, made.seen = right, seen
    return made


def after_a_drift(nl, ol, oh, **how):
    reference = DDDReference(Recorder, 1, **how)
    reference.classes, reference.mode = ["a", "b"], "after"
    reference.at = {"nl": nl, "nh": ensemble(0, 0), "ol": ol, "oh": oh}
    return reference


def test_ddd_weights_by_hand():
    reference = after_a_drift(ensemble(1, 2), ensemble(1, 4, "b"), ensemble(0, 0), multiplier=2.0)
    assert reference.weights() == {"nh": 0, "nl": 0.5, "ol": 0.5, "oh": 0}
    assert reference.score_one(np.zeros(1)) == [0.5, 0.5]
    for old in ("nl", "ol"):
        reference.at[old].right = 0
    assert reference.weights() == {"nh": 0, "nl": 0.25, "ol": 0.5, "oh": 0.25}


def test_ddd_comparisons_by_hand():
    nl, ol, oh = ensemble(9, 10), ensemble(8, 10), ensemble(8, 10)
    reference = after_a_drift(nl, ol, oh)
    reference.compare()
    assert (reference.mode, reference.at["nl"], "ol" in reference.at) == ("before", nl, False)
    reference = after_a_drift(ensemble(8, 10), ol, oh)
    reference.compare()
    assert reference.mode == "after"
    sure = ensemble(100, 100)
    reference = after_a_drift(ensemble(5, 10), ensemble(50, 100), sure)
    reference.compare()
    assert (reference.mode, reference.at["nl"], "oh" in reference.at) == ("before", sure, False)


@pytest.mark.parametrize(("right", "kept"), [(5, "nl"), (4, "oh"), (3, "oh")])
def test_ddd_keeps_the_better_one_at_a_second_drift(right, kept):
    reference = after_a_drift(ensemble(right, 10), ensemble(9, 10), ensemble(4, 10))
    better, diverse = reference.at[kept], reference.at["nh"]
    reference.change()
    assert (reference.at["ol"], reference.at["oh"]) == (better, diverse)
    assert better.seen == 0


def test_ddd_draws():
    """The models of a slot learn as often as the slot's own numbers determine."""
    reference = DDDReference(Recorder, 2, low=1.5, high=0.4, random_state=3)
    reference.partial_fit(np.zeros((20, 1)), ["a"] * 20, np.full(20, 0.5))
    rng = np.random.default_rng(3)
    seeds = [int(rng.integers(2**31 - 1)) for _ in range(4)]
    u = rng.random((20, 8))
    models = reference.at["nl"].models + reference.at["nh"].models
    assert [model.seed for model in models] == seeds
    for j, (model, least) in enumerate(zip(models, [math.exp(-1.5)] * 2 + [math.exp(-0.4)] * 2)):
        assert len(model.seen) == sum(u[:, j] >= least)


def ace_place(*outcomes):
    place = Place(None, 1, None, None)
    place.outcomes = list(outcomes)
    return place


def test_ace_weights_by_hand():
    reference = ACEReference(None, None, window_size=4, power=2.0)
    assert reference.weight(ace_place()) == 4
    assert reference.weight(ace_place(0, 0, 1, 1, 1, 0)) == 16
    assert reference.weight(ace_place(1)) == 64
    assert reference.weight(ace_place(0, 1)) == 4


def test_ace_wilson_interval_by_hand():
    # Wilson's interval of 95 % around 8 of 10 begins at 0.4902
    assert ACEReference(None, None, window_size=10, alpha=0.05).lower(0.8) == pytest.approx(
        0.49016, abs=1e-5
    )


def test_ace_detects_drift_by_the_formerly_best_model():
    reference = ACEReference(None, None, window_size=10, alpha=0.05)
    worse, fallen = ace_place(*[0] * 20), ace_place(*[1] * 10, *[0] * 10)
    steady, young = ace_place(*[1] * 20), ace_place(*[1] * 10, *[0] * 9)
    for online, batch, found in [
        (worse, [fallen], True),
        (fallen, [steady], True),
        (steady, [fallen], False),  # equal accuracy: the online model comes first
        (worse, [young], False),
    ]:
        reference.online, reference.batch = online, batch
        assert reference.drifts() is found


def test_ace_drops_the_least_accurate_member_first():
    reference = ACEReference(CART, Recorder, 2, chunk_size=2, window_size=2)
    rows = np.arange(8.0)[:, None]
    reference.partial_fit(rows[:4], list("abab"))
    first, second = reference.batch
    first.outcomes, second.outcomes = [1, 1], [1, 0]
    reference.learn_one(rows[4], "a")
    first.outcomes, second.outcomes = [1], [0]
    reference.learn_one(rows[5], "b")
    assert reference.batch[0] is first
    assert reference.batch[1].born == 6
    assert reference.n_pruned == 1


def test_rcd_test_by_hand():
    rows = [(np.array([v, 7.0]), y) for v, y in [(0, "a"), (1, "b"), (4, "a"), (5, "a"), (9, "b")]]
    assert deviations([[0.0, 7.0], [2.0, 7.0]]) == [1.0, 1.0]
    assert neighbours(rows, 1, False) == [[1], [0], [3], [2], [3]]
    # rows of another class are farther by the square root of 2 standard deviations
    assert neighbours(rows, 1, True) == [[2], [0], [3], [2], [3]]
    assert together([[1], [0], [3], [2], [3]], [0, 1]) == 5
    assert together([[1], [0], [3], [2], [3]], [0, 2]) == 1


def test_rcd_distinguishes_labels_only_if_compared():
    rng = np.random.default_rng(0)
    X = rng.random((90, 2))
    labels = (X[:, 0] > 0.5).tolist()
    a, b, turned = (
        [(X[i], labels[i] != flip) for i in range(start, start + 30)]
        for start, flip in [(0, False), (30, False), (60, True)]
    )
    for compare, apart in [("labelled", True), ("rows", False)]:
        reference = RCDReference(None, compare=compare)
        assert reference.match(a, b)
        assert reference.match(a, turned) is not apart
        far = [(x + 2.0, y) for x, y in b]
        assert not reference.match(a, far)
    assert not RCDReference(None).match(a[:4], a)


def test_rcd_returns_to_the_oldest_that_is_alike():
    rng = np.random.default_rng(1)
    reference = RCDReference(Recorder, 3, min_rows=5)
    sample = [(x, "a") for x in rng.random((40, 2))]
    far = [(x + 5.0, y) for x, y in sample]
    reference.stored = [Pair(Recorder(i), 200) for i in range(3)]
    for pair, rows in zip(reference.stored, [far, sample[:20], sample[20:]]):
        pair.buffer = rows
    reference.current, reference.new = reference.stored[2], Pair(Recorder(3), 200)
    reference.new.buffer = [(x, "a") for x in rng.random((20, 2))]
    old = list(reference.stored)
    reference.change()
    assert (reference.current, reference.stored, reference.n_returns) == (old[1], old, 1)
    reference.new = Pair(Recorder(4), 200)
    reference.new.buffer = [(x - 5.0, y) for x, y in sample]
    newest = reference.new
    reference.change()
    assert (reference.current, reference.stored, reference.n_returns) == (
        newest,
        [*old[1:], newest],
        1,
    )


class Rule:
    def __init__(self, rule):
        self.rule = rule

    def predict(self, X):
        return np.array([self.rule(x[0]) for x in X])


def dynse(**how):
    """Return members that are right on the left (a), on the right (b), and only at 3."""
    rules = [lambda v: "a", lambda v: "b", lambda v: "b" if v > 2 else "c"]
    how = {"n_window": 1, "slack": 0, **how}
    reference = DYNSEReference(lambda X, y, w, seed: Rule(rules.pop(0)), **how)
    for _ in range(3):
        reference.partial_fit([[0.0], [1.0], [2.0], [3.0]], list("aabb"), [1, 2, 1, 4])
    return reference


@pytest.mark.parametrize(
    ("how", "x", "vote_weights"),
    [
        ({"n_neighbors": 2}, 0.4, [1, 0, 0]),
        ({"n_neighbors": 4}, 1.4, [1, 0, 0]),  # 4, 3: no member; 2 and 1 are the nearest two
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
def test_dynse_weights_by_hand(how, x, vote_weights):
    reference = dynse(**how)
    labels = [h.predict([[x]])[0] for h in reference.members]
    assert reference.vote_weights([x], labels) == vote_weights


def test_dynse_all_members_vote_if_none_was_right():
    for selection in ("knora-e", "knora-u", "ola", "lca"):
        how = {"selection": selection, "slack": 0, "n_window": 2}
        reference = DYNSEReference(lambda X, y, w, seed: Rule(lambda v: "z"), **how)
        reference.partial_fit([[0.0], [1.0]], ["a", "z"]).partial_fit([[0.0]], ["a"])
        reference.n_neighbors = 1
        assert reference.vote_weights([0.0], ["z", "z"]) == [1, 1]


def test_dynse_prunes():
    assert dynse(n_estimators=2).births == [2, 3]
    kept = dynse(n_estimators=2, prune="accuracy")
    assert kept.births == [2, 3]  # 3/8, 5/8, 4/8
    assert kept.weights == [0.625, 0.5]
