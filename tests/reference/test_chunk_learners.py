"""Reference implementations of chunk learners against numbers worked out by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

from tests.reference import cart
from tests.reference.adwin import AdwinReference
from tests.reference.aue2 import AUE2Reference
from tests.reference.awe import AWEReference
from tests.reference.bases import cart_base, naive_bayes_base
from tests.reference.common import folds, mse_random
from tests.reference.dic import DICReference
from tests.reference.dtel import DTELReference, least_diverse, q_statistic
from tests.reference.hoeffding import HoeffdingReference, Node, Numeric, info_gain
from tests.reference.naive_bayes import NaiveBayesReference
from tests.reference.nse import NSEReference, time_weights
from tests.reference.sea import SEAReference, street_quality
from tests.reference.stump import fit_stump, predict_stump
from tests.reference.tix import TIXReference

GROW = {"min_samples_split": 2}


class Rule:
    """A model that predicts rule(x) with probability `sure`; other classes share the rest."""

    def __init__(self, rule, sure=1.0):
        self.rule, self.sure = rule, sure

    def predict(self, X):
        return np.array([self.rule(x) for x in X])

    def proba(self, X, classes):
        table = np.full((len(X), len(classes)), (1 - self.sure) / max(1, len(classes) - 1))
        for i, label in enumerate(self.predict(X)):
            table[i, classes.index(label)] = self.sure
        return table


def always(label, sure=1.0):
    return Rule(lambda x: label, sure)


def script(*models):
    """Return a train() that returns these models one after the other."""
    queue = list(models)
    return lambda X, y, w, seed: queue.pop(0)


def column(*values):
    return np.array(values, dtype=float).reshape(-1, 1)


# CART, stump, naive Bayes


def test_cart_splits_halfway_and_stops_when_pure():
    tree = cart.grow(column(0, 1, 2, 3), np.array([0, 0, 1, 1]), None, 2, **GROW)
    flat = cart.flatten(tree)
    assert flat["feature"].tolist() == [0, -1, -1]
    assert flat["threshold"].tolist() == [1.5, 0.0, 0.0]
    assert flat["left"].tolist() == [1, -1, -1]
    assert flat["right"].tolist() == [2, -1, -1]
    assert flat["value"].tolist() == [[2, 2], [2, 0], [0, 2]]
    assert cart.predict_counts(tree, column(1.5, 1.6)).tolist() == [[2, 0], [0, 2]]


def test_cart_needs_gain_rows_and_depth():
    X, y = column(0, 1, 2, 3), np.array([0, 1, 0, 1])
    assert cart.grow(X, y, None, 2, min_samples_split=5).feature == -1
    assert cart.grow(X, y, None, 2, min_samples_split=2, max_depth=0).feature == -1
    assert cart.grow(X, y, None, 2, min_samples_split=2, min_samples_leaf=3).feature == -1
    without_gain = cart.grow(X, y, None, 2, min_samples_split=2, min_samples_leaf=2)
    assert without_gain.feature == -1
    assert cart.grow(X, y, None, 2, min_samples_split=2).threshold == 0.5


def test_cart_first_feature_wins_ties_and_weight_zero_is_absence():
    X = np.array([[0.0, 0.0], [1.0, 1.0], [9.0, 0.5]])
    tree = cart.grow(X, np.array([0, 1, 0]), np.array([1.0, 1.0, 0.0]), 2, **GROW)
    assert (tree.feature, tree.threshold, tree.value) == (0, 0.5, [1, 1])


def test_threshold_lies_below_the_next_value():
    for a in (1.0, np.nextafter(1.0, 2), -1e308, 1.7e308, 5e-324):
        b = np.nextafter(a, math.inf)
        assert cart.midpoint(a, b) == a


@pytest.mark.parametrize("rule", [2, 10, 25])
def test_cart_agrees_with_another_implementation(rule):
    rng = np.random.default_rng(rule)
    X = rng.permutation(200).reshape(-1, 1).astype(float)
    y = (rng.random(200) < 0.2 + 0.6 * (np.abs(X[:, 0] - 90) < 45)).astype(int)
    w = rng.integers(1, 4, 200).astype(float)
    tree = cart.grow(X, y, w, 2, min_samples_split=rule, min_samples_leaf=3)
    other = DecisionTreeClassifier(min_samples_split=rule, min_samples_leaf=3).fit(X, y, w)
    counts = cart.predict_counts(tree, X)
    assert counts[:, 1] / counts.sum(axis=1) == pytest.approx(other.predict_proba(X)[:, 1])
    assert len(cart.flatten(tree)["feature"]) == other.tree_.node_count


def test_transfer_relabels_and_grows_reached_leaves_of_a_copy():
    tree = cart.grow(column(0, 1, 2, 3), np.array([0, 0, 1, 1]), None, 2, **GROW)
    relabelled = cart.transfer(tree, column(0, 1), np.array([1, 1]), None, 2, **GROW)
    assert cart.flatten(relabelled)["value"].tolist() == [[0, 2], [0, 2], [0, 2]]
    grown = cart.transfer(tree, column(0, 1, 1), np.array([0, 2, 2]), None, 3, **GROW)
    flat = cart.flatten(grown)
    assert flat["feature"].tolist() == [0, 0, -1, -1, -1]
    assert flat["threshold"].tolist() == [1.5, 0.5, 0, 0, 0]
    assert flat["value"].tolist() == [[1, 0, 2], [1, 0, 2], [1, 0, 0], [0, 0, 2], [0, 2, 0]]
    shallow = cart.transfer(tree, column(0, 1), np.array([0, 1]), None, 2, max_depth=1, **GROW)
    assert cart.flatten(shallow)["value"].tolist() == [[1, 1], [1, 1], [0, 2]]
    assert cart.flatten(tree)["value"].tolist() == [[2, 2], [2, 0], [0, 2]]


def test_stump_by_hand():
    X, y = column(0, 1, 2, 3), np.array([0, 1, 1, 0])
    feature, threshold, left, right, _ = fit_stump(X, y, None, 2)
    assert (feature, threshold) == (0, 0.5)
    assert (left.tolist(), right.tolist()) == ([1, 0], [1, 2])
    heavy_end = fit_stump(X, y, [1, 1, 1, 3], 2)
    assert heavy_end[:2] == (0, 2.5)
    assert predict_stump(heavy_end, column(2, 3)).tolist() == [1, 0]


def test_stump_that_gains_nothing_is_no_split():
    feature, _, left, right, side = fit_stump(column(0, 1, 2), np.array([0, 0, 0]), None, 2)
    assert feature == -1
    assert left.tolist() == right.tolist() == [3, 0]
    assert predict_stump((feature, 0.0, left, right, side), column(7)).tolist() == [0]


def test_naive_bayes_agrees_with_another_implementation():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 60)
    X, w = rng.normal(size=(60, 2)) + y[:, None], rng.integers(0, 4, 60).astype(float)
    reference = NaiveBayesReference(2)
    for x, label, weight in zip(X, y, w):
        reference.learn_one(x, label, weight)
    other = GaussianNB().fit(X, y, w)
    ours = np.array([reference.scores(x) for x in X])
    assert ours == pytest.approx(other.predict_proba(X), rel=1e-6, abs=1e-9)
    assert [reference.predict_one(x) for x in X] == other.predict(X).tolist()


def test_naive_bayes_scores_of_unseen_classes_are_zero():
    reference = NaiveBayesReference(1)
    assert reference.scores([0.0]) == []
    reference.learn_one([1.0], 2)
    assert reference.scores([5.0]) == [0.0, 0.0, 1.0]


# ADWIN


def test_adwin_shrinks_after_a_flip():
    rng, adwin, seen, alarms = np.random.default_rng(0), AdwinReference(), [], []
    for t in range(1200):
        error = float(rng.random() < (0.1 if t < 600 else 0.9))
        seen.append(error)
        if adwin.update(error):
            alarms.append(t)
        window = seen[-adwin.width :]
        assert adwin.estimate == pytest.approx(np.mean(window))
        assert adwin.variance == pytest.approx(np.var(window), abs=1e-12)
    assert alarms
    assert 600 <= alarms[0] < 664
    assert adwin.estimate > 0.8


def test_adwin_merges_the_two_oldest_buckets_of_a_full_row():
    adwin = AdwinReference(max_buckets=2)
    for error in (0, 1, 1, 0, 1, 1, 1):
        adwin.update(error)
    assert adwin.buckets() == [(4, 2, 1.0), (2, 2, 0.0), (1, 1, 0.0)]


# NSE


@pytest.mark.parametrize("age", [0, 3, 2000])
def test_sliding_weights_by_hand(age):
    om = time_weights("sliding", age, 0.5, 10)
    assert om[-1] == pytest.approx(1 / (1 + math.exp(-5.5)))
    assert om == sorted(om)
    assert sum(v / sum(om) for v in om) == pytest.approx(1)
    assert time_weights("age", age, 0.5, 10)[0] == pytest.approx(1 / (1 + math.exp(5)))


@pytest.mark.parametrize(
    ("weighting", "mean_of_first"),
    [
        ("uniform", (1 / 3 + 1) / 2),
        ("last", 1.0),
        ("sliding", None),
        ("age", None),
    ],
)
def test_nse_two_steps_by_hand(weighting, mean_of_first):
    reference = NSEReference(script(always("a"), always("b")), weighting=weighting)
    X = column(0, 1, 2, 3)
    reference.partial_fit(X, list("aaab"))
    assert reference.weights == pytest.approx([math.log(3)])
    reference.partial_fit(X, list("bbba"))
    assert reference.betas[0] == pytest.approx([1 / 3, 1])
    assert reference.betas[1] == pytest.approx([0.25])
    if mean_of_first is None:
        shift = {"sliding": 10, "age": -10}[weighting]
        early, late = (1 / (1 + math.exp(-0.5 * (s + shift))) for s in (0, 1))
        mean_of_first = (early / 3 + late) / (early + late)
    assert reference.weights == pytest.approx([-math.log(mean_of_first), math.log(4)])
    assert reference.births == [1, 2]
    assert reference.predict(X).tolist() == ["b"] * 4


def test_nse_perfect_member_weighs_log_of_2m_minus_1():
    reference = NSEReference(script(always("a"))).partial_fit(
        column(0, 1, 2), list("aaa"), [1, 2, 1]
    )
    assert reference.weights == pytest.approx([math.log(2 * 4 - 1)])
    reference = NSEReference(script(always("a")), error_floor=0.01).partial_fit(column(0), ["a"])
    assert reference.weights == pytest.approx([math.log(99)])


def test_nse_falls_back_on_the_newest_and_retries_only_what_can_differ():
    X = column(0, 1, 2)
    reference = NSEReference(script(always("b"), always("a"))).partial_fit(X, list("aab"))
    assert reference.weights == [0.0]
    assert reference.n_weak == 1
    assert reference.predict(X).tolist() == ["b"] * 3
    reference = NSEReference(script(always("b"), always("a")), stochastic=True).partial_fit(
        X, list("aab")
    )
    assert reference.weights == pytest.approx([math.log(2)])
    assert reference.n_weak == 0


def test_nse_prunes_the_largest_error_but_never_the_newest():
    X = column(0, 1, 2, 3)
    models = [always("a"), always("b"), always("b")]
    reference = NSEReference(script(*models), prune="error", n_estimators=2)
    for labels in ("aaab", "bbba", "aabb"):
        reference.partial_fit(X, list(labels))
    assert reference.births == [1, 3]
    reference = NSEReference(script(*models), prune="age", n_estimators=1)
    for labels in ("aaab", "bbba", "aabb"):
        reference.partial_fit(X, list(labels))
    assert reference.births == [3]


# SEA


def test_street_quality_by_hand():
    fractions = [0.6, 0.3, 0.1]
    assert street_quality(0, 0, fractions, [0, 1, 2]) == pytest.approx(1 - 0.3)
    assert street_quality(2, 2, fractions, [0, 1, 2]) == pytest.approx(1 - 0.5)
    assert street_quality(1, 2, fractions, [0, 1, 2]) == pytest.approx(-(1 - 0.2))
    assert street_quality(0, 1, fractions, [0, 1, 2]) == pytest.approx(-(1 - 0.3))


def test_street_quality_is_blind_to_a_unanimous_mistake():
    assert street_quality("right", "right", [0.0, 1.0], ["right", "wrong"]) == 0
    assert street_quality("wrong", "right", [0.0, 1.0], ["right", "wrong"]) == 0


def test_sea_admits_a_tree_one_chunk_late():
    X = column(0, 1)
    reference = SEAReference(script(*map(always, "abbb")), n_estimators=2)
    reference.partial_fit(X, ["a", "b"])
    assert (reference.births, reference.predict(X).tolist()) == ([], ["a", "a"])
    reference.partial_fit(X, ["b", "b"])
    assert (reference.births, reference.predict(X).tolist()) == ([1], ["a", "a"])
    reference.partial_fit(X, ["b", "b"])
    assert reference.births == [1, 2]
    reference.partial_fit(X, ["b", "b"])
    assert (reference.births, reference.predict(X).tolist()) == ([2, 3], ["b", "b"])


def test_sea_of_s1_swaps_only_for_more_accuracy():
    X = column(0, 1, 2)
    reference = SEAReference(script(*map(always, "aabb")), n_estimators=2, variant="dtel")
    reference.partial_fit(X, list("aaa")).partial_fit(X, list("aaa"))
    reference.partial_fit(X, list("bbb"))
    assert reference.births == [1, 2]  # the tie between a and b still goes to a
    reference.n_estimators, reference.members, reference.births = (
        3,
        [always(c) for c in "aab"],
        [1, 2, 3],
    )
    reference.partial_fit(X, list("bbb"))
    assert reference.births == [2, 3, 4]


# AWE, AUE2


def test_folds_are_dealt_class_by_class():
    y = np.array([1, 0, 1, 0, 0, 1])
    assert folds(y, 3).tolist() == [0, 0, 1, 1, 2, 2]
    assert folds(y, 10).tolist() == [1, 0, 0, 1, 0, 1]
    assert folds(np.array([0, 0, 1]), 2) is None


def test_mse_of_a_random_guess():
    assert mse_random(np.array(list("aabb")), np.ones(4)) == pytest.approx(0.25)
    assert mse_random(np.array(list("ab")), np.array([3.0, 1.0])) == pytest.approx(
        0.75 / 16 + 0.25 * 9 / 16
    )
    assert mse_random(np.array(list("aaa")), np.array([0.1, 0.2, 0.3])) == 0


def half(sure=1.0):
    return Rule(lambda x: "a" if x[0] < 2 else "b", sure)


def test_awe_weights_by_hand():
    X, y = column(0, 1, 2, 3), list("aabb")
    blind = always("a", 0.5)
    reference = AWEReference(script(half(0.8), half(0.9), half(0.6)), n_stored=1)
    reference.partial_fit(X, y)
    assert reference.weights == pytest.approx([0.25 - (0.01 + 0.16) / 2])
    reference = AWEReference(
        script(blind, blind, blind, half(0.8), half(0.8), half(0.8)), n_stored=1
    )
    reference.partial_fit(X, y)
    assert (reference.weights, reference.voters) == ([0.0], [0])
    reference.partial_fit(X, y)
    assert reference.births == [2]
    assert reference.weights == pytest.approx([0.25 - 0.04])
    assert reference.scores(X)[0] == pytest.approx([0.21 * 0.8, 0.21 * 0.2])


def test_awe_uses_the_newest_if_no_member_beats_guessing():
    """If all weights are 0 and the store is full, the oldest is removed and the newest predicts."""
    X = column(0, 1, 2, 3)
    reference = AWEReference(script(*[half()] * 6, *[always("b")] * 3), n_stored=2, n_folds=2)
    reference.partial_fit(X, list("aabb")).partial_fit(X, list("aabb"))
    assert (reference.births, reference.weights) == ([1, 2], [0.25, 0.25])
    reference.partial_fit(X, list("bbbb"))
    assert (reference.births, reference.weights, reference.voters) == ([2, 3], [0.0, 0.0], [1])
    assert reference.predict(X).tolist() == list("bbbb")


def test_awe_keeps_the_top_weighted_of_old_and_new():
    """A new classifier that is worse than all stored ones is removed."""
    X, y = column(0, 1, 2, 3), list("aabb")
    reference = AWEReference(
        script(*[half(0.9)] * 3, *[half(0.8)] * 3, *[half(0.7)] * 3), 2, 2, n_folds=2
    )
    for _ in range(3):
        reference.partial_fit(X, y)
    assert reference.births == [1, 2]
    assert reference.weights == pytest.approx([0.24, 0.21])


def test_awe_uses_training_error_if_a_class_has_one_row():
    reference = AWEReference(script(half(0.9))).partial_fit(column(0, 1, 2), list("aab"))
    expected = mse_random(np.array(list("aab")), np.ones(3)) - 0.01
    assert reference.weights == pytest.approx([expected])


def test_aue2_weights_by_hand():
    X, y = column(0, 1, 2, 3), list("aabb")
    reference = AUE2Reference(
        script(half(0.8), half(0.6), half(1.0)), lambda model, X, y, w: model, n_estimators=2
    )
    reference.partial_fit(X, y)
    assert reference.weights == pytest.approx([4])
    reference.partial_fit(X, y)
    assert reference.weights == pytest.approx([1 / 0.29, 4])
    reference.partial_fit(X, y)
    assert reference.births == [1, 3]
    assert reference.weights == pytest.approx([1 / 0.29, 4])
    assert reference.scores(X)[0] == pytest.approx([0.8 / 0.29 + 4, 0.2 / 0.29])


# TIX, DIC, DTEL


@pytest.mark.parametrize(("recursive", "widths"), [(False, [1, 1, 2, 1, 7, 1]), (True, [1, 2, 7])])
def test_tix_appends_the_labels_of_older_models(recursive, widths):
    seen = []

    def train(X, y, w, seed):
        seen.append(X)
        return always(y[0])

    reference = TIXReference(train, recursive=recursive)
    for labels in ("ab", "ba", "ca"):
        reference.partial_fit(column(5, 6), list(labels))
    assert [X.shape[1] for X in seen] == widths
    last = seen[-1] if recursive else seen[-2]
    assert last.tolist() == [[5, 1, 0, 0, 0, 1, 0], [6, 1, 0, 0, 0, 1, 0]]
    assert reference.births == [1, 2, 3]
    assert reference.predict(column(0)).tolist() == ["c"]


def dic_reference(**options):
    """Return old members that are right on the left and on the right, and a new wrong one."""
    reference = DICReference(script(always("a"), always("b"), always("c")), **options)
    X = column(0, 1, 2, 10)
    for labels in ("aabc", "aabd", "aabd"):
        reference.partial_fit(X, list(labels))
    return reference


def test_dic_local_accuracies_by_hand():
    reference = dic_reference(n_neighbors=2)
    # the two rows nearest to 2 are itself and 1, a tenth of the range away
    assert reference.local_accuracies([2.0]) == pytest.approx(
        [(1 / 1.1) / (1 + 1 / 1.1), 1 / 2.1 * 1.1, 0]
    )
    assert reference.weights == [0.5, 0.25, 0.0]
    assert reference.local_accuracies([0.0])[0] == 1


ALL_NEAR = 1 + 1 / 1.1 + 1 / 1.2
NEAR_0 = [(1 + 1 / 1.1) / ALL_NEAR, 1 / 1.2 / ALL_NEAR, 0]


@pytest.mark.parametrize(
    ("options", "vote_weights"),
    [
        ({"selection": "ds"}, [1, 0, 0]),
        ({"selection": "dv"}, NEAR_0),
        ({"selection": "dvs"}, [NEAR_0[0], 0, 0]),
        ({"selection": "dvs", "rule": "count"}, NEAR_0),
    ],
)
def test_dic_selection_by_hand(options, vote_weights):
    reference = dic_reference(n_neighbors=3, **options)
    assert reference.vote_weights([0.0]) == pytest.approx(vote_weights)
    assert reference.predict(column(0)).tolist() == ["a"]


def test_dic_without_local_knowledge_takes_the_majority():
    assert dic_reference(n_neighbors=1).vote_weights([10.0]) == [1, 1, 1]


def test_q_statistic_by_hand():
    ones = np.ones(5)
    assert q_statistic([1, 1, 0, 0, 1], [1, 1, 0, 1, 0], ones) == pytest.approx(1 / 3)
    assert q_statistic([1, 0], [0, 1], ones) == -1
    assert q_statistic([1, 1], [1, 1], ones) == 1
    assert q_statistic([1, 1], [1, 0], ones) == 0
    assert q_statistic([1, 1, 0, 0], [1, 1, 0, 0], [2, 1, 1, 1]) == 1


def test_the_older_of_two_equal_models_goes():
    assert least_diverse([[1, 0, 1, 0], [1, 1, 0, 0], [0, 1, 1, 0], [1, 1, 0, 0]], np.ones(4)) == 1


def test_dtel_weights_by_hand():
    X, y = column(0, 1, 2, 3), list("aabb")
    reference = DTELReference(
        script(half(), half()), lambda model, X, y, w: half(0.8), n_estimators=1, vote="soft"
    )
    reference.partial_fit(X, y).partial_fit(X, y)
    assert reference.weights == pytest.approx([1 / 0.29, 1 / 0.25])
    assert reference.births == [1, 2]
    assert reference.archive_births == [2]
    assert reference.scores(X)[0] == pytest.approx([0.8 / 0.29 + 4, 0.2 / 0.29])
    reference.vote = "hard"
    assert reference.scores(X)[0] == pytest.approx([1 / 0.29 + 4, 0])


def test_dtel_one_class_chunk_has_finite_weights():
    train, transfer = cart_base(smoothing=0, **GROW)
    reference = DTELReference(train, transfer)
    reference.partial_fit(column(0, 1), list("ab")).partial_fit(column(0, 1), list("bb"))
    assert reference.weights == pytest.approx([1e10, 1e10])
    assert reference.predict(column(0, 1)).tolist() == ["b", "b"]


# Hoeffding tree


def test_information_gain_by_hand():
    assert info_gain([2, 0], [0, 2]) == pytest.approx(1)
    assert info_gain([1, 1], [1, 1]) == pytest.approx(0)
    assert info_gain([3, 1], [1, 3]) == pytest.approx(1 + 0.75 * math.log2(0.75) - 0.25 * 2)


def test_weight_left_of_a_threshold():
    stat = Numeric()
    for x in (0.0, 1.0, 2.0, 3.0):
        stat.add(x, 1.0)
    assert stat.weight_left(1.5) == pytest.approx(2)
    assert (stat.weight_left(-0.1), stat.weight_left(3.0)) == (0, 4)


def grown(**options):
    """100 rows, alternating classes told apart by the first attribute; the second is noise."""
    tree = HoeffdingReference(2, **options)
    for i in range(100):
        tree.learn_one([i % 2, i % 4 // 2], i % 2)
    return tree


@pytest.mark.parametrize("nominal", [None, [True, False], [True, True]])
def test_hoeffding_splits_on_the_telling_attribute(nominal):
    tree = grown(nominal=nominal)
    assert tree.root.feature == 0
    assert tree.root.threshold == (0 if nominal else pytest.approx(1 / 11))
    reported = [np.argmax(side.class_weights) for side in (tree.root.left, tree.root.right)]
    assert reported == [0, 1]
    assert sum(tree.root.left.class_weights + tree.root.right.class_weights) == pytest.approx(100)
    assert [tree.predict_one([v, 0]) for v in (0, 1)] == [0, 1]


def test_hoeffding_takes_a_new_class_at_a_leaf():
    tree = grown()
    for _ in range(60):
        tree.learn_one([0, 0], 2)
    assert tree.predict_one([0, 0]) == 2
    assert tree.scores([1, 0])[2] == 0


def test_hoeffding_splits_depend_on_grace_depth_and_bound():
    assert grown(grace_period=101).root.feature == -1
    assert grown(max_depth=0).root.feature == -1
    assert grown(delta=1e-300).root.feature == -1
    assert grown(delta=1e-300, tie_threshold=5).root.feature == 0


def test_hoeffding_adaptive_leaf_prefers_the_better_predictor():
    rng = np.random.default_rng(0)
    trees = {
        kind: HoeffdingReference(1, grace_period=1000, leaf_prediction=kind)
        for kind in ("nba", "nb", "majority")
    }
    for _ in range(200):
        y = int(rng.random() < 0.3)
        for tree in trees.values():
            tree.learn_one([3 * y + rng.normal()], y)
    assert trees["nba"].root.nb_right > trees["nba"].root.majority_right
    assert trees["nba"].predict_one([3.0]) == trees["nb"].predict_one([3.0]) == 1
    assert trees["majority"].predict_one([3.0]) == 0
    assert sum(trees["majority"].scores([3.0])) == pytest.approx(1)


def test_hoeffding_max_nodes_prevents_splits_only():
    assert grown(max_nodes=3).root.feature == 0
    full = grown(max_nodes=2).root
    assert (full.feature, full.since_check, full.active) == (-1, 0, True)
    assert sum(stat.n for by_class in full.stats for stat in by_class) == 200


def forked(left, right, nominal=None, **options):
    """Return a tree of two classes with the split x <= 0 and these class weights at its leaves."""
    tree = HoeffdingReference(1, grace_period=10, nominal=nominal, **options)
    tree.widen(2)
    tree.root.feature, tree.root.threshold = 0, 0.0
    tree.root.left, tree.root.right = Node(list(left), 1, 0), Node(list(right), 1, 1)
    return tree, tree.root.left, tree.root.right


@pytest.mark.parametrize(
    ("right", "stays"), [([2.0, 2.0], [True, False]), ([3.0, 3.0], [False, True])]
)
def test_hoeffding_growth_deactivates_the_least_promising(right, stays):
    by_class = forked([5.0, 3.0], right, max_bytes=239)  # 80 bytes a leaf, with 3 classes 120
    by_value = forked([5.0, 3.0], right, [True], max_bytes=239)  # 112 with 2 values, 128 with 3
    by_value[0].n_values = [2]
    for tree, *leaves in (by_class, by_value):
        tree._hold_bound(tree.n_values)
        assert [leaf.active for leaf in leaves] == [True, True]
    by_class[0].widen(3)
    by_value[0].learn_one([2], 1)
    for _, *leaves in (by_class, by_value):
        assert [leaf.active for leaf in leaves] == stays  # on ties the first is deactivated
        assert not any(leaf.stats for leaf in leaves if not leaf.active)


def test_hoeffding_inactive_leaves_are_activated_by_promise():
    how = {"max_bytes": 1, "leaf_prediction": "nb"}  # at least one leaf is active
    tree, left, right = forked([5.0, 3.0], [2.0, 2.0], **how)
    tree._hold_bound([0])
    assert (left.active, right.active) == (True, False)
    right.nb_right = 9.0
    tree.learn_one([1], 0, 9.0)
    tree.learn_one([1], 1, 1.0)
    assert (right.class_weights, right.since_check, right.active) == ([11, 3], 0, False)  # 3 = 3
    assert (right.majority_right, right.nb_right, right.stats) == (9, 9, [])
    assert (tree._uses_nb(left), tree._uses_nb(right)) == (True, False)
    assert tree.scores([1]) == [11 / 14, 3 / 14]
    tree.learn_one([1], 1, 10.0)
    assert (left.active, right.active, right.since_check, right.stats) == (False, True, 0, [])
    assert (right.majority_right, right.nb_right) == (9, 9)
    tree.learn_one([0], 0, 10.0)
    assert (left.class_weights, left.since_check, left.active) == ([15, 3], 0, False)
    tree.learn_one([1], 1, 2.0)
    assert right.stats[1][0].n == 2


def noisy_tree(n_rows=3000, **options):
    rng = np.random.default_rng(5)
    how = {"grace_period": 40, "tie_threshold": 0.2, "nominal": [False, False, True]}
    tree = HoeffdingReference(3, **how, **options)
    for i in range(n_rows):
        x = [rng.random(), rng.random(), rng.integers(2 + i // 1000)]
        y = (x[0] > 0.5) ^ (x[1] > 0.3) if rng.random() < 0.9 else rng.integers(1 + i // 1000)
        tree.learn_one(x, int(y), rng.random() + 0.5)
        yield tree


def test_hoeffding_bounds_hold_after_every_row():
    swapped, was = False, {}
    for tree in noisy_tree(max_bytes=2000, max_nodes=31):
        leaves = tree.root.leaves()
        leaf_bytes = 8 * tree.n_classes * (1 + 4 * 3 + tree.n_values[2])
        assert sum(leaf.active for leaf in leaves) == min(len(leaves), 2000 // leaf_bytes)
        assert sorted(leaf.number for leaf in leaves) == list(range(len(leaves)))
        swapped |= any(leaf.active and was.get(id(leaf)) is False for leaf in leaves)
        was = {id(leaf): leaf.active for leaf in leaves}
    assert swapped
    assert len(leaves) == 16


def test_hoeffding_bounds_out_of_reach_change_nothing():
    *_, free = noisy_tree()
    *_, held = noisy_tree(max_nodes=10**6, max_bytes=10**9)
    assert len(free.root.leaves()) > 16
    rows = np.random.default_rng(6).random((50, 3))
    assert [free.scores(x) for x in rows] == [held.scores(x) for x in rows]


# all ensembles together

CART = cart_base(min_samples_split=4)
BAYES = naive_bayes_base()
ENSEMBLES = {
    "nse": lambda base: NSEReference(base[0], weighting="sliding"),
    "nse-resample": lambda base: NSEReference(base[0], use_distribution="resample"),
    "nse-weight": lambda base: NSEReference(base[0], use_distribution="sample_weight"),
    "sea": lambda base: SEAReference(base[0], n_estimators=2),
    "sea-accuracy": lambda base: SEAReference(base[0], n_estimators=2, quality="accuracy"),
    "sea-dtel": lambda base: SEAReference(base[0], n_estimators=2, variant="dtel"),
    "awe": lambda base: AWEReference(base[0], n_stored=3, n_folds=3),
    "aue2": lambda base: AUE2Reference(*BAYES, n_estimators=3),
    "tix": lambda base: TIXReference(base[0]),
    "tix-recursive": lambda base: TIXReference(base[0], n_estimators=2, recursive=True),
    "dic-ds": lambda base: DICReference(base[0], selection="ds"),
    "dic-dvs": lambda base: DICReference(base[0], n_estimators=3),
    "dtel": lambda base: DTELReference(*CART, n_estimators=2),
    "dtel-soft": lambda base: DTELReference(*CART, n_estimators=2, vote="soft"),
}


def stream(n_chunks=6, rows=40):
    """Yield two classes that swap places halfway, and a third that appears with the swap."""
    rng = np.random.default_rng(3)
    for t in range(n_chunks):
        code = rng.integers(0, 2 if t < n_chunks // 2 else 3, rows)
        place = code if t < n_chunks // 2 else np.array([1, 0, 2])[code]
        yield rng.normal(size=(rows, 2)) * 0.5 + 3 * place[:, None], np.array(list("xyz"))[code]


@pytest.mark.parametrize("name", ENSEMBLES)
def test_ensemble_learns_a_late_class_and_recovers_from_a_flip(name):
    reference = ENSEMBLES[name](CART)
    for X, y in stream():
        reference.partial_fit(X, y)
    recovered = np.mean(reference.predict(X) == y) > 0.9
    assert recovered == (name != "sea")  # "street" cannot recover, see above
    assert reference.scores(X).shape == (40, 3)
    assert len(reference.weights) == len(reference.births) > 0


@pytest.mark.parametrize("name", ENSEMBLES)
def test_rows_of_weight_zero_are_absent(name):
    reference, padded = ENSEMBLES[name](CART), ENSEMBLES[name](CART)
    for X, y in stream():
        reference.partial_fit(X, y)
        noise = np.vstack([X, X + 1])
        padded.partial_fit(noise, np.concatenate([y, y[::-1]]), np.repeat([1.0, 0.0], len(y)))
        padded.partial_fit(X, y, np.zeros(len(y)))
    assert np.array_equal(reference.scores(X), padded.scores(X))
    assert list(reference.weights) == list(padded.weights)


@pytest.mark.parametrize("name", ["nse", "nse-weight", "sea", "sea-dtel", "aue2"])
def test_a_row_of_weight_two_is_two_rows(name):
    weighted, repeated = ENSEMBLES[name](BAYES), ENSEMBLES[name](BAYES)
    for t, (X, y) in enumerate(stream()):
        twice = np.random.default_rng(t).integers(1, 3, len(y))
        weighted.partial_fit(X, y, twice.astype(float))
        repeated.partial_fit(np.repeat(X, twice, axis=0), np.repeat(y, twice))
    assert weighted.births == repeated.births
    assert weighted.weights == pytest.approx(repeated.weights)
    assert weighted.scores(X) == pytest.approx(repeated.scores(X), abs=1e-6)
