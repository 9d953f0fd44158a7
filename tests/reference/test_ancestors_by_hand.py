"""Reference implementations of Winnow, weighted majority, FLORA2/3 and STAGGER checked by hand."""

from __future__ import annotations

import numpy as np
import pytest

from tests.reference.ancestor_rows import stagger_rows
from tests.reference.flora import FLORA2Reference, FLORA3Reference, conditions
from tests.reference.stagger import STAGGERReference
from tests.reference.weighted_majority import WeightedMajorityReference
from tests.reference.winnow import WinnowReference


def test_winnow_by_hand():
    reference = WinnowReference(complements=False, threshold=1.5)
    reference.learn_one([1, 1, -1], "a")  # the unseen class fires, 2 > 1.5: demoted; a fires
    assert (reference.unseen.plus, reference.vectors["a"].plus) == ([0.5, 0.5, 1], [1, 1, 1])
    reference.learn_one([1, 0, 1], "b")  # from 1/2, 1/2, 1; 1.5 is not more than 1.5: promoted
    assert reference.weights() == [[0.5, 1, 0.5], [1, 0.5, 2]]
    assert reference.unseen.plus == [0.5, 0.5, 1]
    assert reference.score_one([1, 1, 0]) == [1.0, 1.5 / 1.5]
    assert reference.predict_one([1, 1, 0]) == "a"
    assert reference.predict_one([0, 0, 1]) == "b"
    reference.learn_one([0, 0, 0], "c", 7.0)
    assert reference.score_one([0, 0, 1]) == [0.5 / 1.5, 2 / 1.5, 1 / 1.5]
    assert reference.weights()[2] == [0.5, 0.5, 1]


def test_winnow_variants_by_hand():
    one = WinnowReference("winnow1", complements=False, threshold=0.5)
    one.partial_fit([[1, 0], [1, 1], [0, 1]], "abb")
    assert (one.unseen.plus, one.weights()) == ([0, 0], [[0, 0], [0, 1]])
    both = WinnowReference("balanced", complements=False, threshold=1.5, promotion=4.0)
    both.partial_fit([[1, 1, 0], [1, 0, 0]], "ab")
    unseen, b = both.unseen, both.vectors["b"]
    assert (unseen.plus, unseen.minus) == ([0.5, 0.5, 2], [4, 4, 1])
    assert (b.plus, b.minus) == ([2, 0.5, 2], [1, 4, 1])
    assert both.score_one([1, 1, 1]) == [1.0, 4.5 / 7.5]


@pytest.mark.parametrize("variant", ["winnow2", "winnow1", "balanced"])
def test_winnow_makes_few_mistakes_among_many_attributes(variant):
    """The errors stay within the order of Littlestone's bound, k log n for k of n attributes."""
    rng = np.random.default_rng(3)
    X = np.where(rng.random((1500, 200)) < 0.05, 1.0, -1.0)
    y = (X[:, [3, 70, 150]] > 0).any(axis=1).astype(int)
    reference = WinnowReference(variant, complements=False)
    wrong = 0
    for x, label in zip(X, y.tolist()):
        wrong += reference.predict_one(x) != label
        reference.learn_one(x, label)
    assert wrong < 2 + 3 * 3 * (np.log2(200) + 1)
    assert (reference.predict(X[-300:]) == y[-300:]).all()


class Fixed:
    """Expert that always predicts the same label, or None."""

    def __init__(self, prediction):
        self.prediction = prediction

    def learn_one(self, x, y, w):
        pass

    def predict_one(self, x):
        return self.prediction


def pool(labels):
    return [lambda seed, prediction=prediction: Fixed(prediction) for prediction in labels]


def test_weighted_majority_by_hand():
    reference = WeightedMajorityReference(pool(["a", "b", "b", None]), vote="majority")
    reference.learn_one([0], "a")
    assert reference.weights == [1, 0.5, 0.5, 1]
    reference.classes = ["a", "b"]  # b is announced
    assert reference.score_one([0]) == [1.0, 1.0]
    reference.learn_one([0], "b", 5.0)
    assert reference.weights == [0.5, 0.5, 0.5, 1]
    spared = WeightedMajorityReference(pool(["a", "b"]), "wml", floor=0.5, vote="majority")
    for _ in range(4):
        spared.learn_one([0], "a")
        spared.classes = ["a", "b"]
    # 1 > 2/4: 1/2; 1/2 > 1.5/4: 1/4; 1/4 < 1.25/4
    assert spared.weights == [1, 0.25]
    assert spared.n_spared == 2


def test_randomised_majority_follows_experts_by_weight():
    reference = WeightedMajorityReference(pool(["a", "b"]), "wmr", random_state=5)
    rng = np.random.default_rng(5)
    rng.integers(2**31 - 1), rng.integers(2**31 - 1)
    for t in range(20):
        reference.learn_one([0], "a" if t < 2 else "ab"[t % 2])
        reference.classes = ["a", "b"]
        share = reference.weights[0] / sum(reference.weights)
        assert reference.predict_one([0]) == ("a" if rng.random() < share else "b")


def named(items):
    return [dict(item) for item in items]


def test_flora_moves_items_between_the_sets():
    reference = FLORA2Reference(min_window=3, max_window=3)
    reference.partial_fit([[0, 0], [0, 1]], ["yes", "yes"])
    assert named(reference.items) == [{0: 0}]
    reference.learn_one([1, 1], "no")
    assert (named(reference.ades()), named(reference.ndes()), reference.pdes()) == (
        [{0: 0}],
        [{0: 1, 1: 1}],
        [],
    )
    assert reference.predict_one([0, 7]) == "yes"
    reference.learn_one(
        [0, 2], "no"
    )  # {0: 0} matches both now; {0: 1, 1: 1} has no condition in common
    assert named(reference.pdes()) == [{0: 0}]
    assert [reference.counts(item) for item in reference.pdes()] == [
        (1, 1)
    ]  # the oldest row was dropped
    assert named(reference.ndes()) == [{0: 1, 1: 1}, {0: 0, 1: 2}]
    assert reference.predict_one([0, 7]) == "no"
    reference.learn_one([1, 0], "no")  # the last positive row is dropped; items of PDES become NDES
    assert named(reference.ndes()) == [{0: 0}, {0: 0, 1: 2}, {0: 1}]


def test_flora_drops_as_little_as_it_can_and_covers_no_other_row():
    reference = FLORA2Reference()
    reference.partial_fit([[0, 0, 0], [1, 1, 1], [1, 0, 9]], ["no", "no", "yes"])
    assert named(reference.ndes()) == [{0: 0, 1: 0, 2: 0}, {0: 1, 1: 1, 2: 1}]
    reference.learn_one([0, 1, 1], "no")  # the second loses one condition, the first two
    assert named(reference.ndes()) == [{0: 0, 1: 0, 2: 0}, {1: 1, 2: 1}]
    reference.learn_one([2, 0, 8], "no")  # {1: 0} would cover the positive row
    assert named(reference.ndes())[-1] == {0: 2, 1: 0, 2: 8}


def accuracy(reference, data, n_segments, after):
    """Return the prequential accuracy in each segment, without its first `after` rows."""
    X, y, _ = data
    right = []
    for x, label in zip(X, y.tolist()):
        right.append(reference.predict_one(x) == label)
        reference.learn_one(x, label)
    return np.reshape(right, (n_segments, -1))[:, after:].mean(axis=1)


@pytest.mark.parametrize("Reference", [FLORA2Reference, FLORA3Reference, STAGGERReference])
def test_references_learn_the_stagger_concepts_and_their_return(Reference):
    shares = [accuracy(Reference(), stagger_rows(seed, 200, 6), 6, 100) for seed in range(3)]
    assert np.mean(shares, axis=0).min() > 0.95
    assert np.min(shares) > 0.9


def test_flora3_brings_a_concept_back_with_the_counts_of_now():
    reference = FLORA3Reference(min_window=4)
    reference.come, reference.items = {"no", "yes"}, [conditions([0, 5])]
    reference.window = [
        (conditions(x), y) for x, y in [([0, 5], "yes"), ([0, 6], "yes"), ([1, 5], "no")]
    ]
    old, wrong = frozenset([(0, 0.0)]), frozenset([(1, 5.0)])
    reference.store = [([old], [frozenset([(0, 9.0)]), old]), ([wrong], [wrong])]
    reference.compare()
    assert named(reference.items) == [{0: 0}, {0: 1, 1: 5}]
    assert [reference.counts(item) for item in reference.items] == [(2, 0), (0, 1)]
    assert (reference.n_returns, [ades for ades, _ in reference.store]) == (1, [[wrong], [old]])
    reference.compare()  # it is the present one already
    assert reference.n_returns == 1


def test_stagger_by_hand():
    reference = STAGGERReference(fading=0.5, trial=2)
    reference.partial_fit([[0], [1], [0]], ["no", "yes", "yes"])  # totals: 0.25, 0.5 + 1
    zero, one = reference.atoms()
    assert (zero.matched, zero.unmatched) == ({"no": 0.25, "yes": 1}, {"no": 0, "yes": 0.5})
    roles = ("yes", "no")
    assert zero.LS(roles) == (1.5 / 2.5) / (0.75 / 1.25)
    assert zero.LN(roles) == (1.0 / 2.5) / (0.5 / 1.25)
    assert (one.LS(roles), one.LN(roles)) == (zero.LN(roles), zero.LS(roles))
    # both errors were omissions: at the second row of the atom of 1, which LS favours, or that of 0
    assert [e.text() for e in reference.composites()] == ["(x0=1.0 or x0=0.0)"]
    reference.learn_one([1], "no")
    assert reference.odds([1]) == round(
        np.log((0.75 + 0.5) / (1.125 + 0.5)) + np.log(one.LS(roles)) + np.log(zero.LN(roles)), 9
    )
