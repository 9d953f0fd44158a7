"""References of the Learn++ family, its networks and baselines against numbers by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest

from tests.reference.artmap import ArtmapReference
from tests.reference.bases import cart_base, naive_bayes_base
from tests.reference.learnpp import (
    LearnPPMTReference,
    LearnPPNCReference,
    LearnPPReference,
    LearnPPUDNCReference,
    LearnPPUDReference,
    dwv,
    ensemble_decision,
)
from tests.reference.mlp_goal import NETWORK_A, NETWORK_B, Net, gdx, mlp_base, scg
from tests.reference.smote import (
    SmoteReference,
    library_draw,
    on_a_segment,
    round_robin,
    smote,
    wanted,
)

FAMILY = [
    LearnPPReference,
    LearnPPMTReference,
    LearnPPNCReference,
    LearnPPUDReference,
    LearnPPUDNCReference,
]


class Table:
    """A model with a fixed label for every value of one feature."""

    def __init__(self, labels):
        self.labels = labels

    def predict(self, X):
        return np.array([self.labels[int(x[0])] for x in X])


def script(*tables):
    """Return a train() that returns these tables one after the other."""
    queue = [Table(labels) for labels in tables]
    return lambda X, y, w, seed: queue.pop(0)


FOUR = np.arange(4.0).reshape(-1, 1), np.array([0, 0, 1, 1])


def tables(*labels, cls=LearnPPReference, **options):
    options = {"n_per_chunk": len(labels), "resampling": False, **options}
    return cls(script(*labels), **options)


# the loop


def test_distributions_and_weights_by_hand():
    reference = tables([1, 0, 1, 1], [0, 0, 1, 0], [0, 0, 1, 1]).partial_fit(*FOUR)
    assert reference.weights == pytest.approx([math.log(3), math.log(5), math.log(7)])
    by_hand = [[1 / 4] * 4, [1 / 2, 1 / 6, 1 / 6, 1 / 6], [0.3, 0.1, 0.1, 0.5]]
    assert np.array(reference.distributions) == pytest.approx(np.array(by_hand))
    assert reference.scores(FOUR[0])[0] == pytest.approx([math.log(35), math.log(3)])


def test_composite_hypotheses_vote_with_their_own_errors():
    rounds = [1, 0, 1, 1], [0, 0, 1, 0]
    reference = tables(*rounds, vote="hypothesis").partial_fit(*FOUR)
    assert reference.weights == pytest.approx([math.log(3), math.log(5)])
    assert reference.predict(FOUR[0]).tolist() == [0, 0, 1, 0]  # the second composite is h2
    assert reference.scores(FOUR[0])[0] == pytest.approx([math.log(5), math.log(3)])


def test_members_get_the_distribution_as_weights_and_a_seed():
    seen = []

    def train(X, y, w, seed):
        seen.append((w, seed))
        return Table([1, 0, 1, 1])

    LearnPPReference(train, n_per_chunk=2, resampling=False).partial_fit(*FOUR)
    assert seen[0][0] == pytest.approx(np.ones(4))
    assert seen[1][0] == pytest.approx([2, 2 / 3, 2 / 3, 2 / 3])
    rng = np.random.default_rng(0)
    assert [seed for _, seed in seen] == [int(rng.integers(2**31 - 1)) for _ in range(2)]


@pytest.mark.parametrize(
    ("initial", "start"), [("evaluate", [1 / 6, 1 / 6, 1 / 6, 1 / 2]), ("uniform", [1 / 4] * 4)]
)
def test_old_ensemble_has_precedence(initial, start):
    reference = tables([0, 0, 1, 1], [0, 0, 1, 2], n_per_chunk=1, initial=initial)
    reference.partial_fit(*FOUR).partial_fit(FOUR[0], [0, 0, 1, 2])
    assert reference.distributions[0] == pytest.approx(start)


@pytest.mark.parametrize(("composite", "share"), [("sub", 1 / 4), ("all", 1 / 2)])
def test_composite_of_this_data_set_or_of_all(composite, share):
    old, new = [0, 0, 1, 1], [0, 0, 1, 2]
    reference = tables(old, old, new, new, n_per_chunk=2, composite=composite, initial="uniform")
    reference.partial_fit(*FOUR).partial_fit(FOUR[0], new)
    assert reference.distributions[1][3] == pytest.approx(share)


def test_perfect_composite_resets_or_stops():
    perfect, flawed = [0, 0, 1, 1], [1, 0, 1, 1]
    going_on = tables(flawed, perfect, perfect).partial_fit(*FOUR)
    assert going_on.distributions[2] == pytest.approx([1 / 4] * 4)
    stopped = tables(flawed, perfect, perfect, early_stop=True).partial_fit(*FOUR)
    assert len(stopped.members) == 2
    again = tables(perfect, perfect, n_per_chunk=1, early_stop=True)
    assert len(again.partial_fit(*FOUR).partial_fit(*FOUR).members) == 2


def test_weak_members_are_clipped_dropped_or_refused():
    weak, good = [1, 1, 0, 1], [1, 0, 1, 1]
    clipped = tables(weak, good).partial_fit(*FOUR)
    assert (clipped.weights[0], clipped.n_weak) == (0, 1)
    assert clipped.distributions[1] == pytest.approx([1 / 4] * 4)
    assert clipped.predict(FOUR[0]).tolist() == good
    dropped = tables(weak, good, on_weak="drop").partial_fit(*FOUR)
    assert (len(dropped.members), dropped.n_weak) == (1, 1)
    assert np.array(dropped.distributions) == pytest.approx(np.full((2, 4), 1 / 4))
    with pytest.raises(ValueError, match=r"0\.75"):
        tables(weak, on_weak="raise").partial_fit(*FOUR)
    alone = tables(weak, n_per_chunk=1).partial_fit(*FOUR)
    assert alone.predict(FOUR[0]).tolist() == weak


def test_retries_keep_the_first_best():
    attempts = [1, 1, 0, 0], [1, 1, 0, 1], [1, 0, 0, 0], [1, 0, 0, 1]
    reference = tables(*attempts[:3], n_per_chunk=1, stochastic=True, max_retries=2)
    reference.partial_fit(*FOUR)
    assert reference.members[0].model.labels == [1, 1, 0, 1]
    enough = tables(*attempts, n_per_chunk=1, stochastic=True).partial_fit(*FOUR)
    assert (enough.members[0].eps, enough.n_weak) == (0.5, 0)


def test_validation_keeps_the_shortest_best_prefix():
    rounds = [1, 0, 1, 1], [0, 0, 1, 0], [0, 0, 1, 1]
    both = (np.array([[0.0], [1.0]]), [0, 0])
    reference = tables(*rounds).partial_fit(*FOUR, validation=both)
    assert [member.model.labels for member in reference.members] == [rounds[0], rounds[1]]
    worst = tables(*rounds).partial_fit(*FOUR, validation=(both[0], [1, 1]))
    assert len(worst.members) == len(worst.hypotheses) == 1


def test_draw_covers_every_class_in_the_stated_order():
    y = np.array([0] * 50 + [1, 2])
    D = np.array([1.0] * 50 + [0.0, 0.0]) / 50
    reference, rng = LearnPPReference(None, sample_size=5, random_state=7), np.random.default_rng(7)
    rows = rng.choice(52, 5, replace=True, p=D)
    position = rng.choice([0, 1, 2, 3, 4])
    rows[position] = rng.choice([50])
    position = rng.choice([i for i in range(5) if i != position])
    rows[position] = rng.choice([51])
    assert np.array_equal(reference._draw(y, D), rows)
    first = LearnPPReference(None, sample_size=2, random_state=7)._draw(y, D)
    assert y[first].tolist().count(1) == 1
    assert 2 not in y[first]


def test_draw_without_replacement_takes_what_there_is():
    y, D = np.array([0, 0, 0, 1]), np.array([0.5, 0.0, 0.25, 0.25])
    reference = LearnPPReference(None, replacement=False)
    assert sorted(reference._draw(y, D).tolist()) == [0, 2, 3]
    assert len(LearnPPReference(None, replacement=False, sample_size=0.3)._draw(y, D)) == 2


# the votes


def test_dynamic_weights_by_hand():
    old, new = [0, 1], [0, 1, 2]
    CTr = [old, old, new, new]
    assert dwv([0, 0, 2, 1], [1, 1, 2, 1], CTr, new) == pytest.approx([2 / 3, 1, 2])
    assert dwv([0, 0, 2, 2], [1, 1, 2, 1], CTr, new) == pytest.approx([0, 0, 3])
    assert dwv([0, 0, 0, 1], [1, 1, 2, 1], CTr, new) == pytest.approx([4, 1, 0])


def test_two_certain_members_with_disjoint_classes():
    CTr, classes = [[0, 1], [2, 3], [4, 5], [4, 5]], range(6)
    labels, W = [0, 2, 4, 5], [1.0, 2.0, 1.0, 1.0]
    assert dwv(labels, W, CTr, classes) == [
        1,
        0,
        2,
        0,
        1,
        1,
    ]  # W, as all adjusted weights are 0
    settled = dwv(labels, W, CTr, classes, conflicts=True)
    assert settled == pytest.approx([0.25, 0, 0.5, 0, 1, 1])
    assert dwv([0, 2], [1.0, 2.0], CTr[:2], range(4), conflicts=True) == [1, 0, 2, 0]


def test_no_conflict_if_a_member_knows_both_classes():
    CTr = [[0, 1], [2, 3], [0, 2]]
    sums = dwv([0, 2, 0], [1.0, 2.0, 1.0], CTr, range(4), conflicts=True)
    assert sums == pytest.approx([1 / 3 + 1, 0, 0, 0])


def test_ensemble_decision_by_hand():
    weights = [{"a": 0.3, "b": 0.2}, {"a": 0.1, "b": 0.2}, {"b": 0.2, "c": 0.5}]
    N = {1: {"a": 10.0, "b": 20.0}, 2: {"b": 20.0, "c": 10.0}}
    predicted = ["a", "b", "b"], weights, [1, 1, 2], N, ["a", "b", "c"]
    assert ensemble_decision(*predicted) == pytest.approx([0.75, 0.125 + 0.5, 0])
    assert ensemble_decision(*predicted, transfer=None) == pytest.approx([0.75, 0.25 + 0.5, 0])
    sub = ensemble_decision(["b"], weights[2:], [2], N, ["a", "b", "c"])
    assert sub == pytest.approx([0, 0.5, 0])


def test_ensemble_decision_falls_back_if_the_power_leaves_nothing():
    weights = [{"a": 0.5, "b": 0.6, "c": 0.6}, {"a": 0.5, "b": 0.4, "c": 0.4}]
    N = {1: {"a": 1.0, "b": 1e6, "c": 1e6}}
    assert ensemble_decision(["b", "c"], weights, [1, 1], N, "abc") == pytest.approx([0, 0.6, 0.4])


def test_class_weights_of_ud_by_hand():
    reference = tables(
        [1, 0, 1, 1], [0, 0, 1, 2], cls=LearnPPUDReference, n_per_chunk=1, initial="uniform"
    )
    reference.partial_fit(*FOUR)
    assert reference.weights == pytest.approx(np.array([[0.5, 0.5]]))
    reference.partial_fit(FOUR[0], [0, 0, 1, 2])
    assert reference.weights == pytest.approx(np.array([[0.25, 1 / 3, 0], [3 / 8, 1 / 4, 3 / 4]]))
    assert reference.scores(FOUR[0])[0] == pytest.approx([3 / 8, 1 / 3, 0])
    assert reference.predict(FOUR[0]).tolist() == [0, 0, 1, 2]


# the family on a small stream


def stream(n_chunks=4, rows=40):
    """Yield data sets; each drops a class and adds one, and the last class is rare."""
    rng = np.random.default_rng(5)
    for t in range(n_chunks):
        code = rng.choice([t, t + 1, t + 2], rows, p=[0.45, 0.45, 0.1])
        yield (
            rng.normal(size=(rows, 2)) * 0.3 + np.c_[code % 3, code // 3],
            np.array(list("abcdef"))[code],
        )


@pytest.mark.parametrize("cls", FAMILY)
def test_rows_of_weight_zero_are_absent(cls):
    train, _ = naive_bayes_base()
    reference, padded = cls(train, n_per_chunk=3), cls(train, n_per_chunk=3)
    for X, y in stream():
        reference.partial_fit(X, y)
        noise = np.vstack([X, X + 1])
        padded.partial_fit(noise, np.concatenate([y, y[::-1]]), np.repeat([1.0, 0.0], len(y)))
        padded.partial_fit(X, y, np.zeros(len(y)))
    assert np.array_equal(reference.scores(X), padded.scores(X))
    assert len(reference.members) == 12


@pytest.mark.parametrize("cls", FAMILY)
def test_a_row_of_weight_two_is_two_rows(cls):
    train, _ = naive_bayes_base()
    weighted, repeated = (cls(train, n_per_chunk=3, resampling=False) for _ in range(2))
    for t, (X, y) in enumerate(stream()):
        twice = np.random.default_rng(t).integers(1, 3, len(y))
        weighted.partial_fit(X, y, twice.astype(float))
        repeated.partial_fit(np.repeat(X, twice, axis=0), np.repeat(y, twice))
    assert np.asarray(weighted.weights) == pytest.approx(np.asarray(repeated.weights))
    assert weighted.scores(X) == pytest.approx(repeated.scores(X), abs=1e-6)


@pytest.mark.parametrize("cls", [LearnPPUDReference, LearnPPUDNCReference])
def test_rescaled_weights_are_those_of_the_present_totals(cls):
    reference = cls(naive_bayes_base()[0], n_per_chunk=3)
    for X, y in stream():
        reference.partial_fit(X, y)
        total = {c: sum(N.get(c, 0) for N in reference.N.values()) for c in reference.classes}
        stored = [
            [member.p * member.counts.get(c, 0) / total[c] for c in reference.classes]
            for member in reference.members
        ]
        assert reference.weights == pytest.approx(np.array(stored))


def test_a_draw_without_replacement_keeps_class_weights_below_one():
    reference = LearnPPUDNCReference(
        cart_base(min_samples_split=2)[0], replacement=False, sample_size=0.67
    )
    for X, y in stream():
        reference.partial_fit(X, y)
        assert 0 < reference.weights.max() <= 1


@pytest.mark.parametrize("cls", FAMILY)
def test_few_new_members_are_outvoted_or_not(cls):
    rng = np.random.default_rng(2)
    places = np.array([[0, 0], [3, 0], [1, 2]])
    first, second = np.arange(60) % 2, np.arange(60) % 3
    reference = cls(naive_bayes_base()[0], n_per_chunk=6)
    reference.partial_fit(rng.normal(size=(60, 2)) / 2 + places[first], first)
    reference.n_per_chunk = 2
    X = rng.normal(size=(60, 2)) / 2 + places[second]
    reference.partial_fit(X, second)
    right = reference.predict(X) == second
    assert np.mean(right[second < 2]) > 0.9
    learned = np.mean(right[second == 2])
    assert learned < 0.5 if cls in (LearnPPReference, LearnPPUDReference) else learned > 0.9


# Fuzzy ARTMAP


def unit(**options):
    return ArtmapReference(rho=0.0, bounds=(0, 1), shuffle=False, **options)


def test_boxes_grow_and_match_tracking_opens_a_new_one():
    reference = unit().partial_fit([[0.2], [0.5], [0.4], [0.45]], list("aaba"))
    assert reference.labels == ["a", "b"]
    assert np.array(reference.weights) == pytest.approx(np.array([[0.2, 0.5], [0.4, 0.6]]))
    assert reference.choice([0.45, 0.55]) == pytest.approx([0.7 / 0.701, 0.95 / 1.001])
    assert reference.predict([[0.45], [0.4]]).tolist() == ["a", "b"]
    assert reference.scores([[0.45], [0.4]]).tolist() == [[1, 0], [0, 1]]


@pytest.mark.parametrize(
    ("box", "after"),
    [([0.1, 0.5], [[0.1, 0.5], [0.4, 0.6]]), ([0.45, 0.55], [[0.4, 0.55]])],
)
def test_tracked_vigilance_holds_for_the_next_box(box, after):
    reference = unit()
    reference.weights, reference.labels = [[0.2, 0.5], box], ["a", "b"]
    reference.learn_one([0.4, 0.6], "b")
    assert np.array(reference.weights[1:]) == pytest.approx(np.array(after))


def test_vigilance_slow_learning_bounds_and_twice_the_same_row():
    assert len(ArtmapReference(rho=0.75).partial_fit([[0.0], [0.2], [1.0]], "aaa").weights) == 2
    slow = unit(beta=0.5).partial_fit([[0.2], [0.6]], "aa")
    assert slow.weights[0] == pytest.approx([0.2, 0.6])
    reference = ArtmapReference(shuffle=False).partial_fit([[0.0, 7.0], [4.0, 7.0]], [0, 1])
    assert reference.code([5.0, 7.5]) == [1, 0.5, 0, 0.5]
    both = unit().partial_fit([[0.3], [0.3]], [1, 0])
    assert (both.labels, both.predict([[0.3]]).tolist()) == ([1, 0], [1])


def test_order_of_presentation_comes_from_the_seed():
    X, y = np.random.default_rng(0).random((30, 2)), np.arange(30) % 3
    order = np.random.default_rng(4).permutation(30)
    shuffled = ArtmapReference(bounds=(0, 1), random_state=4).partial_fit(X, y)
    by_hand = ArtmapReference(bounds=(0, 1), shuffle=False).partial_fit(X[order], y[order])
    assert shuffled.weights == by_hand.weights


def test_full_artmap_replaces_the_category_that_learned_longest_ago():
    rows, labels = [[0.1], [0.9], [0.1], [0.5]], list("abac")
    reference = unit(max_categories=2).partial_fit(rows, labels)  # a learned again
    assert reference.labels == ["a", "c"]
    assert reference.weights[1] == [0.5, 0.5]
    assert reference.learned == {0: 3, 1: 4}
    assert reference.scores([[0.9]]).tolist() == [[0, 0, 1]]
    reference.partial_fit([[0.9]], "b")
    assert (reference.labels, reference.learned) == (["b", "c"], {0: 5, 1: 4})
    alone = unit(max_categories=1, epochs=2).partial_fit(rows, labels)
    assert (alone.labels, alone.learned, alone.classes) == (["c"], {0: 8}, ["a", "b", "c"])


def test_artmap_bound_out_of_reach_changes_nothing():
    X, y = np.random.default_rng(0).random((30, 2)), np.arange(30) % 3
    held = ArtmapReference(max_categories=30).partial_fit(X, y)
    assert 10 < len(held.weights) <= 30
    assert held.weights == ArtmapReference().partial_fit(X, y).weights
    assert len(ArtmapReference(max_categories=9).partial_fit(X, y).weights) == 9


# networks with an error goal


def rows_of_three():
    rng = np.random.default_rng(1)
    y = np.arange(60) % 3
    return rng.normal(size=(60, 4)) + 2 * np.eye(3, 4)[y], y, rng.integers(0, 3, 60).astype(float)


@pytest.mark.parametrize("hidden", ["logistic", "tanh"])
@pytest.mark.parametrize("output", ["logistic", "linear"])
def test_gradient_agrees_with_finite_differences(hidden, output):
    net = Net(*rows_of_three(), 5, hidden, output)
    x = net.start("nguyen_widrow", np.random.default_rng(0))
    slopes = [(net.loss(x + s) - net.loss(x - s)) / 2e-6 for s in 1e-6 * np.eye(len(x))]
    assert net.gradient(x) == pytest.approx(np.array(slopes), abs=1e-8)


def test_loss_is_the_weighted_mean_over_rows_and_outputs():
    net = Net([[0.0], [0.0], [9.0]], [0, 1, 2], [3.0, 1.0, 0.0], 1, "tanh", "linear")
    assert net.shape == (1, 1, 2)
    assert net.loss(np.array([0, 0, 0, 0, 0.5, 0.0])) == pytest.approx(
        (3 * 0.25 + 0.25 + 1) / (4 * 2)
    )


def test_nguyen_widrow_start_fits_the_range_of_the_rows():
    X = np.array([[3.0, 10.0, 5.0], [7.0, 30.0, 5.0], [4.0, 15.0, 5.0]])
    net = Net(X, [0, 1, 0], np.ones(3), 6, "tanh", "linear")
    W, b, V, c = net.parts(net.start("nguyen_widrow", np.random.default_rng(2)))
    rng = np.random.default_rng(2)
    U = rng.uniform(-1, 1, (3, 6))
    U *= 0.7 * 6 ** (1 / 3) / np.linalg.norm(U, axis=0)
    e = 0.7 * 6 ** (1 / 3) * np.linspace(-1, 1, 6) * rng.choice([-1, 1], 6)
    mapped = np.array([[-1, -1, -1], [1, 1, -1], [-0.5, -0.5, -1]])
    assert X @ W + b == pytest.approx(mapped @ U + e)
    assert np.array_equal(V, rng.uniform(-0.7, 0.7, (6, 2)))
    assert np.array_equal(c, rng.uniform(-0.7, 0.7, 2))


@pytest.mark.parametrize("network", [NETWORK_A, NETWORK_B], ids=["A", "B"])
def test_training_stops_at_the_goal(network):
    X, y, w = rows_of_three()
    model = mlp_base(network)(X, y, w, 3)
    assert model.loss <= 0.05
    assert 0 < model.n_iter < 400
    before = mlp_base(network, goal=0.0, max_iter=model.n_iter - 1)(X, y, w, 3)
    assert before.loss > 0.05
    assert np.mean(model.predict(X)[w > 0] == y[w > 0]) > 0.85
    proba = model.proba(X, [-1, 0, 1, 2])
    assert proba.sum(axis=1) == pytest.approx(np.ones(60))
    assert np.array_equal(np.argmax(proba, axis=1) - 1, model.predict(X))
    repeated = mlp_base(network)(
        np.repeat(X, w.astype(int), axis=0), np.repeat(y, w.astype(int)), np.ones(int(w.sum())), 3
    )
    assert repeated.point == pytest.approx(model.point, abs=1e-5)


class Surface:
    """A function and its derivative in place of a network."""

    def __init__(self, loss, gradient):
        self.loss, self.gradient = loss, gradient


def bowl(*curvatures):
    A = np.array(curvatures)
    return Surface(lambda x: float(A @ x**2 / 2), lambda x: A * x)


def test_adaptive_rate_by_hand():
    one = np.ones(1)
    assert gdx(bowl(1.0), one, -1, 2)[0] == pytest.approx([0.95 - 0.045 - 0.049875])
    assert gdx(bowl(1.0), one, -1, 5, rate=100.0)[0] == pytest.approx([1.0])
    assert gdx(bowl(1.0), one, -1, 6, rate=100.0)[0] == pytest.approx([1 - 1.6807])
    assert gdx(bowl(1.0), one, 0.46, 9) == (pytest.approx([0.95]), 1)
    assert gdx(bowl(1.0), one, 0.5, 9)[1] == 0


def test_conjugate_gradients_on_bowls():
    x = np.ones(3)
    first, _ = scg(bowl(1.0, 2.0, 3.0), x, -1, 1)
    assert first == pytest.approx(x - 14 / 36 * np.array([1.0, 2.0, 3.0]), rel=1e-4)
    last, _ = scg(bowl(1.0, 2.0, 3.0), x, -1, 3)
    assert last == pytest.approx(np.zeros(3), abs=1e-4)
    bottom, n_iter = scg(bowl(1.0, 2.0, 3.0), x, -1, 5000)
    assert bottom == pytest.approx(np.zeros(3), abs=1e-12)
    assert n_iter < 5000


def test_conjugate_gradients_where_the_curvature_is_negative():
    double_well = Surface(lambda x: float(x[0] ** 4 / 4 - x[0] ** 2 / 2), lambda x: x**3 - x)
    first, _ = scg(double_well, np.array([0.1]), -1, 1)
    assert first == pytest.approx([0.1 + 0.099 / 0.97], rel=1e-3)
    assert scg(double_well, np.array([0.1]), -1, 100)[0] == pytest.approx([1.0], abs=1e-5)


def test_conjugate_gradients_after_a_step_too_far():
    valley = Surface(lambda x: float(np.log(np.cosh(x[0]))), np.tanh)
    x = np.array([2.0])
    slope, curvature = math.tanh(2), 1 / math.cosh(2) ** 2
    refused, _ = scg(valley, x, -1, 1)
    assert refused == pytest.approx([2.0])
    far = 2 - slope / curvature
    quality = 2 * curvature * (valley.loss(x) - math.log(math.cosh(far))) / slope**2
    assert quality < 0
    second, _ = scg(valley, x, -1, 2)
    assert second == pytest.approx([2 - slope / (curvature * (2 - quality))], rel=1e-3)
    assert scg(valley, x, -1, 50)[0] == pytest.approx([0.0], abs=1e-5)


def test_probe_may_meet_the_goal():
    goal = bowl(1.0).loss(np.array([1 - 4e-5]))
    point, n_iter = scg(bowl(1.0), np.ones(1), goal, 9)
    assert (point, n_iter) == (pytest.approx([1 - 5e-5], abs=1e-12), 0)


# SMOTE


@pytest.mark.parametrize("draw", [round_robin, library_draw])
def test_minorities_are_brought_to_the_largest_class(draw):
    y = np.array(list("aaaaaaaaaabbbbcccccd"))
    assert wanted(y) == {"a": 0, "b": 6, "c": 0, "d": 9}
    X = np.random.default_rng(0).normal(size=(20, 2))
    more, labels = smote(X, y, np.random.default_rng(1), 2, draw)
    assert np.array_equal(more[:20], X)
    assert labels[20:].tolist() == list("bbbbbbddddddddd")
    assert all(on_a_segment(x, X[y == "b"], k=2) for x in more[20:26])
    assert np.array_equal(more[26:], np.repeat(X[-1:], 9, axis=0))


def test_segments_join_near_rows_only():
    rows = np.array([[0.0, 0.0], [1.0, 0.0], [9.0, 0.0], [10.0, 0.0]])
    assert on_a_segment([0.5, 0.0], rows, k=1)
    assert not on_a_segment([5.0, 0.0], rows, k=1)
    assert on_a_segment([5.0, 0.0], rows, k=2)
    assert not on_a_segment([0.5, 0.1], rows, k=3)


def test_smote_baseline_has_no_memory():
    chunks = list(stream())
    reference = SmoteReference(cart_base(min_samples_split=2)[0])
    for X, y in chunks:
        reference.partial_fit(X, y)
    assert reference.classes == list("abcdef")
    assert not reference.scores(chunks[0][0])[:, :3].any()
    assert np.mean(reference.predict(X) == y) == 1
