"""Winnow, weighted majority, FLORA2/3 and STAGGER: the twins by themselves."""

from __future__ import annotations

import numpy as np
import pytest

from tests.reference.ancestor_rows import stagger_rows
from tests.reference.flora import FLORA2Twin, FLORA3Twin, conditions
from tests.reference.stagger import STAGGERTwin
from tests.reference.weighted_majority import WeightedMajorityTwin
from tests.reference.winnow import WinnowTwin


def test_winnow_by_hand():
    twin = WinnowTwin(complements=False, threshold=1.5)
    twin.learn_one([1, 1, -1], "a")  # the stranger fires, 2 > 1.5: demoted; so does a: right
    assert (twin.stranger.plus, twin.vectors["a"].plus) == ([0.5, 0.5, 1], [1, 1, 1])
    twin.learn_one([1, 0, 1], "b")  # from 1/2, 1/2, 1; 1.5 is not more than 1.5: promoted
    assert twin.weights() == [[0.5, 1, 0.5], [1, 0.5, 2]]
    assert twin.stranger.plus == [0.5, 0.5, 1]
    assert twin.score_one([1, 1, 0]) == [1.0, 1.5 / 1.5]
    assert twin.predict_one([1, 1, 0]) == "a"
    assert twin.predict_one([0, 0, 1]) == "b"
    twin.learn_one([0, 0, 0], "c", 7.0)
    assert twin.score_one([0, 0, 1]) == [0.5 / 1.5, 2 / 1.5, 1 / 1.5]
    assert twin.weights()[2] == [0.5, 0.5, 1]


def test_winnow_variants_by_hand():
    one = WinnowTwin("winnow1", complements=False, threshold=0.5)
    one.partial_fit([[1, 0], [1, 1], [0, 1]], "abb")
    assert (one.stranger.plus, one.weights()) == ([0, 0], [[0, 0], [0, 1]])
    both = WinnowTwin("balanced", complements=False, threshold=1.5, promotion=4.0)
    both.partial_fit([[1, 1, 0], [1, 0, 0]], "ab")
    stranger, b = both.stranger, both.vectors["b"]
    assert (stranger.plus, stranger.minus) == ([0.5, 0.5, 2], [4, 4, 1])
    assert (b.plus, b.minus) == ([2, 0.5, 2], [1, 4, 1])
    assert both.score_one([1, 1, 1]) == [1.0, 4.5 / 7.5]


@pytest.mark.parametrize("variant", ["winnow2", "winnow1", "balanced"])
def test_winnow_makes_few_mistakes_among_many_attributes(variant):
    """Littlestone's bound for an "or" of k of n attributes is of the order of k log n."""
    rng = np.random.default_rng(3)
    X = np.where(rng.random((1500, 200)) < 0.05, 1.0, -1.0)
    y = (X[:, [3, 70, 150]] > 0).any(axis=1).astype(int)
    twin = WinnowTwin(variant, complements=False)
    wrong = 0
    for x, label in zip(X, y.tolist()):
        wrong += twin.predict_one(x) != label
        twin.learn_one(x, label)
    assert wrong < 2 + 3 * 3 * (np.log2(200) + 1)
    assert (twin.predict(X[-300:]) == y[-300:]).all()


class Fixed:
    """Always says the same; None says nothing."""

    def __init__(self, says):
        self.says = says

    def learn_one(self, x, y, w):
        pass

    def predict_one(self, x):
        return self.says


def pool(labels):
    return [lambda seed, says=says: Fixed(says) for says in labels]


def test_weighted_majority_by_hand():
    twin = WeightedMajorityTwin(pool(["a", "b", "b", None]))
    twin.learn_one([0], "a")
    assert twin.weights == [1, 0.5, 0.5, 1]
    twin.classes = ["a", "b"]  # b is announced
    assert twin.score_one([0]) == [1.0, 1.0]
    twin.learn_one([0], "b", 5.0)
    assert twin.weights == [0.5, 0.5, 0.5, 1]
    spared = WeightedMajorityTwin(pool(["a", "b"]), "wml", floor=0.5)
    for _ in range(4):
        spared.learn_one([0], "a")
        spared.classes = ["a", "b"]
    # 1 > 2/4: 1/2; 1/2 > 1.5/4: 1/4; 1/4 < 1.25/4
    assert spared.weights == [1, 0.25]
    assert spared.n_spared == 2


def test_randomised_majority_follows_experts_by_weight():
    twin = WeightedMajorityTwin(pool(["a", "b"]), "wmr", random_state=5)
    rng = np.random.default_rng(5)
    rng.integers(2**31 - 1), rng.integers(2**31 - 1)
    for t in range(20):
        twin.learn_one([0], "a" if t < 2 else "ab"[t % 2])
        twin.classes = ["a", "b"]
        share = twin.weights[0] / sum(twin.weights)
        assert twin.predict_one([0]) == ("a" if rng.random() < share else "b")


def named(items):
    return [dict(item) for item in items]


def test_flora_moves_items_between_the_sets():
    twin = FLORA2Twin(min_window=3, max_window=3)
    twin.partial_fit([[0, 0], [0, 1]], ["yes", "yes"])
    assert named(twin.items) == [{0: 0}]
    twin.learn_one([1, 1], "no")
    assert (named(twin.ades()), named(twin.ndes()), twin.pdes()) == ([{0: 0}], [{0: 1, 1: 1}], [])
    assert twin.predict_one([0, 7]) == "yes"
    twin.learn_one([0, 2], "no")  # {0: 0} matches both now; {0: 1, 1: 1} shares nothing with it
    assert named(twin.pdes()) == [{0: 0}]
    assert [twin.counts(item) for item in twin.pdes()] == [(1, 1)]  # the oldest row has left
    assert named(twin.ndes()) == [{0: 1, 1: 1}, {0: 0, 1: 2}]
    assert twin.predict_one([0, 7]) == "no"
    twin.learn_one([1, 0], "no")  # the last positive row leaves; what it kept in PDES is NDES now
    assert named(twin.ndes()) == [{0: 0}, {0: 0, 1: 2}, {0: 1}]


def test_flora_drops_as_little_as_it_can_and_covers_no_other_row():
    twin = FLORA2Twin()
    twin.partial_fit([[0, 0, 0], [1, 1, 1], [1, 0, 9]], ["no", "no", "yes"])
    assert named(twin.ndes()) == [{0: 0, 1: 0, 2: 0}, {0: 1, 1: 1, 2: 1}]
    twin.learn_one([0, 1, 1], "no")  # the second loses one condition, the first two
    assert named(twin.ndes()) == [{0: 0, 1: 0, 2: 0}, {1: 1, 2: 1}]
    twin.learn_one([2, 0, 8], "no")  # {1: 0} would cover the positive row
    assert named(twin.ndes())[-1] == {0: 2, 1: 0, 2: 8}


def accuracy(twin, data, n_segments, after):
    """The share of right answers, given before learning, well after each change."""
    X, y, _ = data
    right = []
    for x, label in zip(X, y.tolist()):
        right.append(twin.predict_one(x) == label)
        twin.learn_one(x, label)
    return np.reshape(right, (n_segments, -1))[:, after:].mean(axis=1)


@pytest.mark.parametrize("Twin", [FLORA2Twin, FLORA3Twin, STAGGERTwin])
def test_twins_learn_the_stagger_concepts_and_their_return(Twin):
    shares = [accuracy(Twin(), stagger_rows(seed, 200, 6), 6, 100) for seed in range(3)]
    assert np.mean(shares, axis=0).min() > 0.95
    assert np.min(shares) > 0.9


def test_flora3_brings_a_concept_back_with_the_counts_of_now():
    twin = FLORA3Twin(min_window=4)
    twin.come, twin.items = {"no", "yes"}, [conditions([0, 5])]
    twin.window = [
        (conditions(x), y) for x, y in [([0, 5], "yes"), ([0, 6], "yes"), ([1, 5], "no")]
    ]
    old, wrong = frozenset([(0, 0.0)]), frozenset([(1, 5.0)])
    twin.store = [([old], [frozenset([(0, 9.0)]), old]), ([wrong], [wrong])]
    twin.compare()
    assert named(twin.items) == [{0: 0}, {0: 1, 1: 5}]
    assert [twin.counts(item) for item in twin.items] == [(2, 0), (0, 1)]
    assert (twin.n_returns, [ades for ades, _ in twin.store]) == (1, [[wrong], [old]])
    twin.compare()  # it is the present one already
    assert twin.n_returns == 1


def test_stagger_by_hand():
    twin = STAGGERTwin(fading=0.5, trial=2)
    twin.partial_fit([[0], [1], [0]], ["no", "yes", "yes"])  # totals: 0.25, 0.5 + 1
    zero, one = twin.atoms()
    assert (zero.matched, zero.unmatched) == ({"no": 0.25, "yes": 1}, {"no": 0, "yes": 0.5})
    roles = ("yes", "no")
    assert zero.LS(roles) == (1.5 / 2.5) / (0.75 / 1.25)
    assert zero.LN(roles) == (1.0 / 2.5) / (0.5 / 1.25)
    assert (one.LS(roles), one.LN(roles)) == (zero.LN(roles), zero.LS(roles))
    # both errors were omissions: at the second row of the atom of 1, which LS favours, or that of 0
    assert [e.text() for e in twin.composites()] == ["(x0=1.0 or x0=0.0)"]
    twin.learn_one([1], "no")
    assert twin.odds([1]) == round(
        np.log((0.75 + 0.5) / (1.125 + 0.5)) + np.log(one.LS(roles)) + np.log(zero.LN(roles)), 9
    )
