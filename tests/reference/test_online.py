"""Online references against numbers worked out by hand and against known theory."""

from __future__ import annotations

import math

import numpy as np
import pytest

from tests.reference.adwin import AdwinReference
from tests.reference.adwin_bagging import ADWINBaggingReference
from tests.reference.bases import cart_base, naive_bayes_base
from tests.reference.dwm import DWMReference
from tests.reference.flb import FLBReference
from tests.reference.iboost import (
    LEAST,
    BinaryIBoostReference,
    IBoostReference,
    Row,
    implicit_step,
    lambert,
)
from tests.reference.ocb import OCBLearningReference, OCBReference, factors
from tests.reference.online_bases import hoeffding_maker, naive_bayes_maker, poisson, stump_base
from tests.reference.online_boost import (
    DeviationDetector,
    FLCReference,
    NSOnlineBoostReference,
    OnlineBoostReference,
)
from tests.reference.windowed_adaboost import WindowedAdaBoostReference, adaboost

HALF_LN_3 = 0.5 * math.log(3)


class Rule:
    """A batch model that predicts rule(x)."""

    def __init__(self, rule):
        self.rule = rule

    def predict(self, X):
        return np.array([self.rule(x[0]) for x in X])

    def proba(self, X, classes):
        return np.array([[float(self.rule(x[0]) == c) for c in classes] for x in X])


def always(label):
    return Rule(lambda x: label)


class Script:
    """A train() that returns these models one after the other and records the weights."""

    def __init__(self, *models):
        self.models, self.weights = list(models), []

    def __call__(self, X, y, w, seed):
        self.weights.append(np.asarray(w).tolist())
        return self.models.pop(0)


class Echo:
    """An online model that predicts rule(x) after its first row and records the weights."""

    def __init__(self, rule):
        self.rule, self.weights = rule, []

    def learn_one(self, x, y, w):
        self.weights.append(w)

    def predict_one(self, x):
        return self.rule(x[0]) if self.weights else None

    def proba_one(self, x, classes):
        return [float(self.predict_one(x) == c) for c in classes]


def echoes(*rules):
    """Return a make() of models with these rules, one after the other."""
    queue = [Echo(rule if callable(rule) else lambda x, rule=rule: rule) for rule in rules]
    return lambda seed: queue.pop(0)


def stream(seed, n, n_classes=2, noise=0.0, drift=0.4):
    """Return rows of two features with classes by their sum; the bands move in the middle."""
    rng = np.random.default_rng(seed)
    X = rng.random((n, 2))
    total = X.sum(axis=1) + drift * (np.arange(n) >= n // 2)
    y = np.minimum((total * n_classes / 2).astype(int), n_classes - 1)
    flip = rng.random(n) < noise
    y[flip] = rng.integers(0, n_classes, flip.sum())
    return X, y, rng.uniform(0.5, 1.5, n)


# IBoost


@pytest.mark.parametrize("a", [-900.0, -36.0, -35.9, -5.0, 0.0, 0.99, 1.0, 1.01, 3.0, 50.0, 2000.0])
def test_lambert_solves_its_equation(a):
    s = lambert(a)
    if a > -700:
        assert s + math.log(s) == pytest.approx(a, rel=1e-14, abs=1e-14)
    else:
        assert s == 0


def test_implicit_step_solves_its_equation():
    rng = np.random.default_rng(0)
    for spread in (0.1, 1, 10, 100):
        for _ in range(50):
            z = (rng.normal(size=4) * spread).tolist()
            a = (rng.integers(1, 21, 4) / 20).tolist()
            s = implicit_step(0.03, z, a)
            total = sum(math.exp(max(-700, -(z_c + s * a_c))) for z_c, a_c in zip(z, a))
            assert s == pytest.approx(0.03 * total, rel=1e-11)
    assert implicit_step(0.03, [1.5], [1.0]) == lambert(math.log(0.03) - 1.5)
    assert implicit_step(0.03, [1.5, 1.5], [1.0, 1.0]) == pytest.approx(
        lambert(math.log(0.06) - 1.5)
    )


@pytest.mark.parametrize("Reference", [IBoostReference, BinaryIBoostReference])
def test_iboost_first_rows_by_hand(Reference):
    base = Script(always("a"), Rule(lambda x: "b" if x > 2 else "a"))
    reference = Reference(base, n_updates=1)
    assert reference.predict_one([0]) is None
    reference.learn_one([1], "a")
    assert reference.alphas == [pytest.approx(HALF_LN_3)]
    reference.learn_one([2], "a")
    first = HALF_LN_3 + lambert(math.log(0.03) - HALF_LN_3)
    assert reference.alphas == [pytest.approx(first)]
    assert reference.predict_one([3]) == "a"
    reference.learn_one([3], "b")
    first -= lambert(math.log(0.03) + first)
    assert base.weights == [[1], pytest.approx([math.exp(-2 * first)] * 2 + [1])]
    assert reference.alphas == pytest.approx([first, 0.5 * math.log(5)])
    assert reference.predict([[3], [1]]).tolist() == ["b", "a"]


def test_iboost_weak_newcomer_is_not_admitted_except_as_the_first():
    reference = IBoostReference(Script(always("b")), n_updates=0)
    reference.classes = ["a", "b"]
    reference.learn_one([0], "a")
    assert reference.alphas == [LEAST]
    reference = IBoostReference(
        Script(always("a"), always("a")), n_updates=0, remove_negative=False
    )
    reference.partial_fit([[0], [0]], ["a", "b"])
    assert reference.alphas == [pytest.approx(HALF_LN_3)]


@pytest.mark.parametrize("Reference", [IBoostReference, BinaryIBoostReference])
def test_the_member_before_is_not_admitted_again(Reference):
    rng = np.random.default_rng(0)
    X, y = rng.random((30, 1)), rng.integers(0, 2, 30).tolist()
    rule = Rule(lambda x: int(x > 0.3))
    right = [int(x > 0.3) == label for x, label in zip(X[:, 0], y)]
    y = [label if ok or i % 3 else 1 - label for i, (label, ok) in enumerate(zip(y, right))]
    for weights in rng.random((20, 30)):
        _, alphas = adaboost(lambda *a: rule, X, y, weights, 5, lambda: 0)
        assert len(alphas) == 1
        reference = Reference(lambda *a: rule, update_when="never", add="never")
        reference.classes = [0, 1]
        reference.partial_fit(X, y, weights)
        reference._remove([0])
        reference._grow()
        assert len(reference.members) == 1
        reference._grow()
        assert len(reference.members) == 1


def test_iboost_same_constant_is_not_added_again():
    base = Script(always("a"), Rule(lambda x: "b" if x > 2 else "a"))
    reference = IBoostReference(base, add="always", update_when="never")
    reference.partial_fit([[0], [1], [2]], ["a", "a", "a"])
    assert len(reference.members) == 1
    reference.learn_one([3], "b")
    assert len(reference.members) == 2


@pytest.mark.parametrize(
    ("add", "period", "sizes"),
    [
        ("always", 1, [1, 2, 3, 4, 5]),
        ("always", 2, [1, 2, 2, 3, 3]),
        ("never", 1, [1, 1, 1, 1, 1]),
        ("on_error", 1, [1, 2, 3, 3, 3]),  # the third row has a tie, which goes to a
        ("on_error", 4, [1, 1, 1, 2, 2]),
    ],
)
def test_iboost_when_a_member_is_added(add, period, sizes):
    models = [always("a"), *(Rule(lambda x: "b" if x > 2 else "a") for _ in range(4))]
    reference = IBoostReference(Script(*models), add=add, period=period, update_when="never")
    seen = []
    for x, y in [([0], "a"), ([3], "b"), ([4], "b"), ([5], "b"), ([0], "a")]:
        reference.learn_one(x, y)
        seen.append(len(reference.members))
    assert seen == sizes


def test_iboost_full_loses_the_smallest_alpha_the_oldest_among_equals():
    newest = always("a")
    reference = IBoostReference(Script(newest), n_estimators=3, update_when="never")
    first, _, third = reference.members = [always("b"), always("b"), always("b")]
    reference.alphas, reference.only_class = [2.0, 0.5, 0.5], ["b", None, None]
    reference.classes, reference.window = ["b"], [Row(np.zeros(1), "b", 1.0, ["b"] * 3)]
    reference.learn_one([0], "a")
    assert reference.members == [first, third, newest]
    assert reference.alphas == pytest.approx([2, 0.5, HALF_LN_3])
    assert reference.window[0].votes == ["b", "b", "a"]


def test_iboost_negative_alphas_leave_but_never_the_last():
    reference = IBoostReference(None, n_updates=0)
    reference.members, reference.alphas = [always("a"), always("b"), always("a")], [-0.1, 0.3, -0.2]
    reference.only_class, reference.classes = [None] * 3, ["a", "b"]
    reference.window = [Row(None, "a", 1.0, ["a", "b", "a"])]
    reference._remove_negatives()
    assert reference.alphas == [0.3]
    first = always("a")
    reference.members, reference.alphas, reference.only_class = (
        [always("b"), first],
        [-0.3, -0.2],
        [None] * 2,
    )
    reference.window[0].votes = ["b", "a"]
    reference._remove_negatives()
    assert reference.alphas == [LEAST]
    assert reference.members == [first]


def test_iboost_outdated_members_go_after_a_flip():
    rng = np.random.default_rng(0)
    X = rng.random((160, 1))
    y = np.where((X[:, 0] > 0.5) == (np.arange(160) < 80), 1, 0)
    kept = {}
    for remove in (True, False):
        reference = IBoostReference(stump_base(), window_size=20, step=0.5, remove_negative=remove)
        reference.partial_fit(X, y)
        kept[remove] = reference.alphas
    assert min(kept[True]) > 0 > min(kept[False])
    assert len(kept[True]) < len(kept[False])


@pytest.mark.parametrize("loss", ["exponential", "logistic"])
@pytest.mark.parametrize("n_classes", [2, 4])
def test_iboost_batch_update_never_raises_the_window_loss(loss, n_classes):
    X, y, w = stream(n_classes, 120, n_classes, noise=0.2)
    reference = IBoostReference(stump_base(), 15, 30, 1, 1, "batch", loss, step=1.0, add="always")
    before = []

    def watched():
        before.append(reference.log_loss())
        IBoostReference.update(reference)
        assert reference.log_loss() <= before[-1] + 1e-12
        before[-1] -= reference.log_loss()

    reference.update = watched
    reference.partial_fit(X, y, w)
    assert len(before) >= 120
    assert max(before) > 0.01


@pytest.mark.parametrize("loss", ["exponential", "logistic"])
@pytest.mark.parametrize("n_classes", [2, 4])
def test_iboost_admission_never_raises_the_window_loss(loss, n_classes):
    X, y, w = stream(5, 80, n_classes, noise=0.2)
    reference = IBoostReference(stump_base(), None, 30, update_when="never", loss=loss)
    drops = []

    def watched():
        before = reference.log_loss()
        IBoostReference._grow(reference)
        drops.append(before - reference.log_loss())

    reference._grow = watched
    reference.partial_fit(X, y, w)
    assert len(drops) > 10
    assert min(drops) >= -1e-12
    assert max(drops) > 0.01


def test_iboost_three_ways_to_the_example_weights_agree():
    X, y, _ = stream(1, 60)
    reference = BinaryIBoostReference(stump_base(), None, 30).partial_fit(X, y)
    by_9 = []
    for row in reference.window:
        F = sum(a if v == 1 else -a for a, v in zip(reference.alphas, row.votes))
        by_9.append(math.exp(-(1 if row.y == 1 else -1) * F))
    ours = np.array([weights[0] for weights in reference.weights()])
    assert ours / ours.max() == pytest.approx(np.array(by_9) / max(by_9))
    by_15 = []  # member by member, as (15) and (4) with exp(-alpha y f)
    for row in reference.window:
        w = 1.0
        for alpha, vote in zip(reference.alphas, row.votes):
            w *= math.exp(-alpha if vote == row.y else alpha)
        by_15.append(w)
    assert by_15 == pytest.approx(by_9)
    by_16 = []  # the removal of member 3 cancels out
    for w, row in zip(by_9, reference.window):
        by_16.append(
            w * math.exp(reference.alphas[3] if row.votes[3] == row.y else -reference.alphas[3])
        )
    reference._remove([3])
    ours = np.array([weights[0] for weights in reference.weights()])
    assert ours / ours.max() == pytest.approx(np.array(by_16) / max(by_16))


OPTIONS = [
    {},
    {"loss": "logistic"},
    {"update": "batch"},
    {"update": "batch", "loss": "logistic"},
    {"rule": "printed"},
    {"rule": "printed", "update": "batch", "loss": "logistic", "margin_clip": 1.0},
    {"weight_clip": 2.0, "period": 3},
    {"weight_clip": 1.0, "loss": "logistic"},
    {"update_when": "before_add"},
    {"update_when": "never"},
    {"add": "always", "period": 4, "remove_negative": False, "step": 0.3},
    {"add": "never"},
]


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_iboost_pairwise_is_the_binary_method_for_two_classes(options):
    X, y, w = stream(7, 120, noise=0.1)
    both = [
        Reference(stump_base(), 8, 25, **options)
        for Reference in (IBoostReference, BinaryIBoostReference)
    ]
    for x, label, weight in zip(X, y.tolist(), w):
        guesses = [reference.learn_one(x, label, weight).predict_one(1 - x) for reference in both]
        assert guesses[0] == guesses[1]
        assert both[0].alphas == pytest.approx(both[1].alphas, rel=1e-9, abs=1e-12)
    if options.get("add") != "never":
        assert len(both[0].members) > 2
    V, F = (reference.scores(X) for reference in both)
    assert V[:, 1] - V[:, 0] == pytest.approx(F[:, 1], abs=1e-9)


@pytest.mark.parametrize("update", ["stochastic", "batch"])
@pytest.mark.parametrize("loss", ["exponential", "logistic"])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_iboost_printed_step_is_the_gradient(update, loss, n_classes):
    X, y, w = stream(3, 40, n_classes, noise=0.2)
    options = {"rule": "printed", "update": update, "loss": loss, "margin_clip": None}
    reference = IBoostReference(stump_base(), 6, 20, **options, step=1e-3).partial_fit(X, y, w)
    if update == "stochastic":
        window, reference.window = reference.window, reference.window[-1:]
    alphas, gradient = list(reference.alphas), []
    for j in range(len(alphas)):
        E = []
        for h in (1e-5, -1e-5):
            reference.alphas = [a + h * (i == j) for i, a in enumerate(alphas)]
            E.append(math.exp(reference.log_loss()))
        gradient.append((E[0] - E[1]) / 2e-5)
    if update == "stochastic":
        reference.window = window
    reference.alphas, reference.n_updates = list(alphas), 1
    reference.update()
    moved = np.subtract(reference.alphas, alphas)
    assert moved == pytest.approx(-1e-3 * np.array(gradient), rel=1e-5, abs=1e-9)


@pytest.mark.parametrize("loss", ["exponential", "logistic"])
def test_iboost_stochastic_step_of_three_classes_by_hand(loss):
    reference = IBoostReference(None, loss=loss, step=0.2, n_updates=1)
    reference.classes = ["a", "b", "c"]
    reference.members, reference.alphas = [always(c) for c in "aabc"], [0.5, 0.25, 1.0, 0.1]
    reference.window = [Row(None, "a", 2.0, list("aabc"))]
    z_b, z_c = 0.75 - 1.0, 0.75 - 0.1
    if loss == "logistic":
        w_b, w_c = 1 / (1 + math.exp(z_b)), 1 / (1 + math.exp(z_c))
        s = 0.4 * (w_b + w_c)
    else:
        w_b, w_c = math.exp(-z_b), math.exp(-z_c)
    q_b, q_c = w_b / (w_b + w_c), w_c / (w_b + w_c)
    reference.update()
    step = 4 * (reference.alphas[0] - 0.5)
    if loss == "logistic":
        assert step == pytest.approx(s)
    else:  # the implicit equation holds at the point reached
        V = reference.alphas[0] + reference.alphas[1]
        there = math.exp(-(V - reference.alphas[2])) + math.exp(-(V - reference.alphas[3]))
        assert step == pytest.approx(0.4 * there)
        assert step < 0.4 * (w_b + w_c)
    expected = [0.5 + step / 4, 0.25 + step / 4, 1 - step * q_b / 4, 0.1 - step * q_c / 4]
    assert reference.alphas == pytest.approx(expected)


@pytest.mark.parametrize("loss", ["exponential", "logistic"])
def test_iboost_set_of_stochastic_updates_is_so_many_updates(loss):
    X, y, w = stream(11, 50, 4, noise=0.2)
    reference = IBoostReference(stump_base(), 9, 30, loss=loss, step=0.5).partial_fit(X, y, w)
    start = list(reference.alphas)
    reference.n_updates = 3
    reference.update()
    at_once, reference.alphas, reference.n_updates = reference.alphas, start, 1
    for _ in range(3):
        reference.update()
    assert at_once == pytest.approx(reference.alphas)


@pytest.mark.parametrize("loss", ["exponential", "logistic"])
def test_iboost_row_weights_multiply_the_window_weights(loss):
    X, y, w = stream(12, 40)
    reference = IBoostReference(stump_base(), 9, 20, loss=loss).partial_fit(X, y)
    plain = np.ravel(reference.weights())
    for row, weight in zip(reference.window, w):
        row.w = weight
    assert np.ravel(reference.weights()) == pytest.approx(plain * w[:20])


def test_iboost_weight_clip_bounds_what_the_base_is_handed():
    X, y, _ = stream(2, 80, noise=0.3)
    ratios = {}
    for clip in (None, 0.5):
        handed, train = [], stump_base()

        def noting(X, y, w, seed, train=train, handed=handed):
            handed.append(max(w) / min(w))
            return train(X, y, w, seed)

        IBoostReference(noting, 30, 40, weight_clip=clip).partial_fit(X, y)
        ratios[clip] = max(handed)
    assert ratios[0.5] == pytest.approx(math.e)
    assert ratios[None] > 10


def test_iboost_learns_three_classes_and_a_late_one():
    X, y, _ = stream(4, 300, 3)
    reference = IBoostReference(stump_base(), 30, 60, update="batch", loss="logistic", n_updates=2)
    reference.partial_fit(X[:150][y[:150] != 1], y[:150][y[:150] != 1])
    assert reference.classes == [0, 2]
    reference.partial_fit(X[150:], y[150:])
    assert reference.classes == [0, 1, 2]
    assert np.mean(reference.predict(X[240:]) == y[240:]) > 0.85
    with pytest.raises(ValueError, match="two classes"):
        BinaryIBoostReference(stump_base()).partial_fit(X[:9], [0, 1, 2] * 3)


# AdaBoost on a window


def test_adaboost_previous_member_is_at_one_half_under_the_new_weights():
    X, y, w = stream(0, 60, noise=0.2)
    base, handed = stump_base(), []

    def noting(X, y, w, seed):
        handed.append(w)
        return base(X, y, w, seed)

    members, alphas = adaboost(noting, X, y.tolist(), w, 6, lambda: 0)
    assert len(members) == len(alphas) == 6
    for model, weights in zip(members, handed[1:]):
        assert weights[model.predict(X) != y].sum() / weights.sum() == pytest.approx(0.5)


def test_adaboost_stops():
    X, y = np.zeros((4, 1)), ["a", "b", "b", "b"]
    never = Script(always("b"), always("c"))
    assert adaboost(never, X, y, [1] * 4, 5, lambda: 0)[1] == [pytest.approx(HALF_LN_3)]
    assert never.weights[1] == pytest.approx([1, 1 / 3, 1 / 3, 1 / 3])
    assert adaboost(Script(always("c")), X, y, [1] * 4, 5, lambda: 0)[1] == [LEAST]
    perfect = Script(always("b"))
    assert adaboost(perfect, X, ["b"] * 4, [1] * 4, 5, lambda: 0)[1] == [0.5 * math.log(7)]


def test_adaboost_of_three_classes_accepts_what_beats_a_guess():
    X, y = np.array([[0.0], [1.0], [2.0]]), ["a", "b", "c"]
    base = Script(always("a"), always("c"), Rule(lambda x: "b" if x else "a"))
    assert adaboost(base, X, y, [1, 1, 1], 2, lambda: 0)[1] == [LEAST]  # e = 2/3 is a guess
    _, alphas = adaboost(base, X, y, [1, 1, 1.5], 2, lambda: 0)
    # e = 2/3.5, odds 3/4; then weights 1, 1, 1.5 / (3/4 * 2) = 1 and e = 1/3
    assert alphas == pytest.approx([0.5 * math.log(1.5), 0.5 * math.log(4)])


def test_windowed_adaboost_retrains_on_error_when_due():
    first, second = always("a"), Rule(lambda x: "b" if x > 2 else "a")
    reference = WindowedAdaBoostReference(Script(first, second), window_size=3, period=2)
    reference.partial_fit([[0], [1], [3]], ["a", "a", "b"])
    assert reference.members == [first]
    reference.learn_one([4], "b")
    assert reference.members == [second]
    assert reference.alphas == [pytest.approx(0.5 * math.log(5))]
    assert [row[0][0] for row in reference.window] == [1, 3, 4]


# OnlineBoost and its descendants


def test_poisson_by_inversion():
    p = math.exp(-2)
    below = math.nextafter
    assert [poisson(u, 2.0) for u in (0, below(p, 0), p, below(3 * p, 0), 3 * p)] == [0, 0, 1, 1, 2]
    draws = [poisson(u, 6.5) for u in np.random.default_rng(0).random(4000)]
    assert np.mean(draws) == pytest.approx(6.5, abs=0.15)
    assert np.var(draws) == pytest.approx(6.5, abs=0.5)
    assert 100 < poisson(1 - 1e-16, 100.0) < 1000


def test_online_boost_chain_by_hand():
    reference = OnlineBoostReference(echoes("a", "b", "a"), 3)
    reference.classes, reference.members = ["a", "b"], [reference.fresh() for _ in range(3)]
    for member in reference.members:
        member.model.learn_one([0], "a", 1.0)
    for label in ("a", "a", "b"):
        reference.boost(np.zeros(1), label, 1.0, [0.0, 0.0, 0.0])
    # a: 1 right, lam 1/2; b wrong, e = 1, lam 1/4; a right. Likewise the second row.
    # b: the first wrong, e = 1/3, lam 3/2; b right, e = 1/(1 + 3/2) = .4, lam 3/2 / 1.2 = 1.25.
    sums = np.array([(member.sc, member.sw) for member in reference.members])
    assert sums == pytest.approx(np.array([(2, 1), (1.5, 1), (0.5, 1.25)]))
    weights = [member.vote_weight() for member in reference.members]
    assert weights == pytest.approx([math.log(2), math.log(1.5), 0])
    assert reference.score_one([0]) == pytest.approx([math.log(2), math.log(1.5)])


def test_online_boost_draws_and_weights():
    X, y, w = stream(0, 30)
    models = []

    def make(seed):
        models.append(Echo(lambda x: 1))
        models[-1].seed = seed
        return models[-1]

    reference = OnlineBoostReference(make, 2, random_state=5)
    reference.classes = [0, 1]
    reference.partial_fit(X, y, w)
    rng = np.random.default_rng(5)
    assert [m.seed for m in models] == [int(rng.integers(2**31 - 1)) for _ in range(2)]
    sums, knows, handed = [[0.0, 0.0], [0.0, 0.0]], [False, False], [[], []]
    for label, weight in zip(y, w):
        u, lam = rng.random(2), 1.0
        for j in range(2):
            k = sum(u[j] >= c for c in np.cumsum([poisson_pmf(lam, i) for i in range(50)]))
            if k:
                handed[j].append(k * weight)
                knows[j] = True
            if knows[j]:
                sums[j][int(label != 1)] += lam * weight
                e = sums[j][1] / sum(sums[j])
                lam = min(100, lam / (2 * (1 - e)) if label == 1 else lam / (2 * e))
    for j in range(2):
        assert models[j].weights == pytest.approx(handed[j])
        assert (reference.members[j].sc, reference.members[j].sw) == pytest.approx(tuple(sums[j]))


def poisson_pmf(lam, k):
    return math.exp(-lam) * lam**k / math.factorial(k)


def test_untrained_members_neither_count_nor_vote():
    reference = OnlineBoostReference(echoes("b", "a"), 2)
    reference.classes, reference.members = ["a", "b"], [reference.fresh(), reference.fresh()]
    reference.boost(np.zeros(1), "a", 3.0, [0.0, 0.5])
    assert [(m.sc, m.sw, m.n_trained) for m in reference.members] == [(0, 0, 0), (3, 0, 1)]
    assert reference.members[1].model.weights == [3.0]
    assert reference.score_one([0]) == [pytest.approx(math.log(5)), 0]


def test_online_boost_caps_lambda():
    reference = OnlineBoostReference(echoes("b", "a"), 2)
    reference.classes, reference.members = ["a", "b"], [reference.fresh(), reference.fresh()]
    for member in reference.members:
        member.model.weights = [1.0]
    reference.members[0].sc = 999.0
    reference.boost(np.zeros(1), "a", 1.0, [0.0, 0.5])
    assert reference.members[1].sc == 100  # not 500
    assert 80 < reference.members[1].model.weights[-1] < 120


def test_nso_replaces_the_member_that_lowers_accuracy():
    reference = NSOnlineBoostReference(
        echoes("b", "a", lambda x: "b" if x else "a", "a"), 3, 4, 5, 2
    )
    reference.classes, reference.members = ["a", "b"], [reference.fresh() for _ in range(3)]
    bad, fair, young = reference.members
    for member, sc in zip(reference.members, (4.0, 2.0, 100.0)):
        member.model.learn_one([0], "a", 1.0)
        member.sc, member.sw, member.n_trained = sc, 1.0, 2
    young.n_trained = 1
    assert reference.voters() == [bad, fair]
    assert reference.predict_one([0]) == "b"
    reference.window = [([0], "a", 1.0), ([1], "b", 0.5)]
    assert reference.window_error([bad, fair]) == 1.0
    reference.renew()
    assert reference.members[:2] == [fair, young]
    newest = reference.members[2]
    assert (newest.sc, newest.sw, newest.n_trained) == (0, 0, 0)
    before = list(reference.members)
    reference.renew()
    assert reference.members == before  # a single mature member is not tested
    young.n_trained = 2
    young.model.rule = fair.model.rule
    reference.renew()
    assert reference.members == before  # without either the error is the same
    fair.n_trained = young.n_trained = 0
    assert reference.voters() == before


def test_nso_keeps_a_window_and_its_period():
    X, y, _ = stream(0, 23)
    reference, calls = NSOnlineBoostReference(naive_bayes_maker(), 3, 5, 10, 4), []
    reference.renew = lambda: calls.append(reference.n_rows)
    reference.partial_fit(X, y)
    assert calls == [10, 20]
    assert [row[1] for row in reference.window] == y[-5:].tolist()


def test_deviation_detector_cuts_at_the_jump():
    errors = [0.0] * 20 + [1.0] * 20
    detector = DeviationDetector(k_sd=6, min_sub=5)  # at the jump the statistic is sqrt(n)
    assert [n for n, e in enumerate(errors, 1) if detector.update(e)] == [37]
    assert detector.errors == [1.0] * 20
    hasty = DeviationDetector(min_sub=5)  # 3 of 5 after 0 of 18: .6 / (.3368 * .5055) = 3.52
    assert not any(hasty.update(e) for e in errors[:22])
    assert hasty.update(1.0)
    assert hasty.errors == [0, 0, 1, 1, 1]
    assert not any(DeviationDetector(min_sub=5).update(0.0) for _ in range(50))
    short = DeviationDetector(window_size=8)
    assert not any(short.update(e) for e in errors)
    assert short.errors == [1.0] * 8


def test_flc_change_gives_every_member_its_own_weight():
    reference = FLCReference(
        echoes("a", "b", "a", "a"), 3, detector="sd", replace_worst_on_change=True
    )
    reference.classes, reference.members = ["a", "b"], [reference.fresh() for _ in range(3)]
    first, second, third = reference.members
    (first.sc, first.sw), (second.sc, second.sw) = (3.0, 1.0), (999.0, 1.0)
    reference.detector = type("D", (), {"update": lambda self, error: True})()
    reference.step(np.zeros(1), "a", 2.0, "b", [0.0] * 3)
    assert [m.model.weights for m in (first, second, third)] == [[6], [99 * 2], [2]]
    assert (first.sc, first.sw) == (9, 1)
    assert (second.sc, second.sw) == (999, pytest.approx(199))
    assert reference.members[:2] == [first, third]
    assert reference.members[2].error() is None
    assert reference.n_changes == 1


def test_flc_without_change_is_online_boost():
    X, y, w = stream(3, 80)
    flc = FLCReference(naive_bayes_maker(), 4).partial_fit(X, y, w)
    plain = OnlineBoostReference(naive_bayes_maker(), 4).partial_fit(X, y, w)
    assert flc.n_changes == 0
    assert flc.detector.n_updates == 79
    assert np.array_equal(flc.scores(X), plain.scores(X))


def restarting(Reference, before, after, **options):
    """Return a reference that predicts "a", trained on the rows before the first cut."""
    made = []

    def make(seed):
        made.append(seed)
        return Echo(lambda x: "a")

    reference = Reference(make, 2, random_state=4, **options)
    reference.classes = ["a", "b"]
    plain = AdwinReference(0.002)
    for label in [before] * 101 + [after] * 200:
        tested = reference.n_rows > 0 or Reference is FLCReference  # its classes are announced
        if tested and plain.update(label != "a"):
            return reference, made, plain, label
        reference.learn_one([0], label)
    raise AssertionError("no cut")


@pytest.mark.parametrize(
    ("Reference", "options"),
    [(OnlineBoostReference, {"restart_delta": 0.002}), (FLCReference, {"restart_on_change": True})],
)
def test_restart_where_the_error_rose(Reference, options):
    reference, made, _, label = restarting(Reference, "a", "b", **options)
    old, rows = list(reference.members), reference.n_rows
    assert reference.n_restarts == 0
    reference.learn_one([0], label, 3.0)
    assert reference.n_restarts == 1
    assert not set(old) & set(reference.members)
    rng = np.random.default_rng(4)
    seeds = [int(rng.integers(2**31 - 1)) for _ in range(2)]
    for _ in range(rows):
        rng.random(2)
    u = rng.random(2)
    assert made == seeds + [int(rng.integers(2**31 - 1)) for _ in range(2)]
    lam = 1.0
    for member, number in zip(reference.members, u):  # they predict "a", which is wrong: e = 1
        k = poisson(number, lam)
        assert member.model.weights == ([3.0 * k] if k else [])
        assert (member.sc, member.sw) == (0, 3 * lam if k else 0)
        lam *= 0.5 if k else 1
    watch = reference.adwin if Reference is OnlineBoostReference else reference.detector
    assert watch.n_updates == 0


def test_no_restart_where_the_error_fell():
    reference, made, plain, label = restarting(OnlineBoostReference, "b", "a", restart_delta=0.002)
    reference.learn_one([0], label)
    assert (reference.n_restarts, len(made), reference.adwin.width) == (0, 2, plain.width)
    reference, made, plain, label = restarting(FLCReference, "b", "a", restart_on_change=True)
    trained = [member.n_trained for member in reference.members]
    reference.learn_one([0], label, 2.0)
    assert (reference.n_restarts, reference.n_changes, reference.detector.width) == (
        0,
        1,
        plain.width,
    )
    assert [member.n_trained for member in reference.members] == [n + 1 for n in trained]


@pytest.mark.parametrize(("errors", "rose"), [([0, 1], True), ([1, 0], False)])
def test_deviation_detector_distinguishes_directions(errors, rose):
    detector = DeviationDetector(min_sub=5)
    cut = [detector.rose for e in errors for _ in range(20) if detector.update(e)]
    assert cut[0] is rose


def test_restarting_boost_ignores_untrained_predictions():
    reference = OnlineBoostReference(naive_bayes_maker(), 2, restart_delta=0.002)
    reference.classes, reference.members = ["a", "b"], [reference.fresh(), reference.fresh()]
    reference.step(np.zeros(1), "b", 1.0, "a", [0.0, 0.0])
    assert reference.adwin.n_updates == 0
    reference.step(np.zeros(1), "b", 1.0, "a", [0.0, 0.5])
    assert reference.adwin.n_updates == 0
    reference.step(np.zeros(1), "b", 1.0, "a", [0.0, 0.0])
    assert (reference.adwin.n_updates, reference.adwin.total) == (1, 1)


# ADWIN bagging


class FakeAdwin:
    def __init__(self, before, after, cut):
        self.estimate, self.after, self.cut, self.errors = before, after, cut, []

    def update(self, error):
        self.estimate = self.after
        self.errors.append(error)
        return self.cut


@pytest.mark.parametrize(("replace", "replaced"), [("worst", [1]), ("fired", [0, 3])])
def test_adwin_bagging_replaces_members_with_increased_error(replace, replaced):
    made = []
    reference = ADWINBaggingReference(
        lambda seed: made.append(seed) or Echo(None), 4, replace=replace
    )
    old = [Echo(lambda x, c=c: c) for c in "abaa"]
    for f in old:
        f.learn_one([0], "a", 1.0)
    watch = [(0.1, 0.3, True), (0.5, 0.9, False), (0.2, 0.1, True), (0.1, 0.4, True)]
    detectors = [FakeAdwin(*w) for w in watch]
    reference.members, reference.detectors, reference.classes = (
        list(old),
        list(detectors),
        ["a", "b"],
    )
    reference.learn_one([0], "b")
    assert [d.errors for d in detectors] == [[True], [False], [True], [True]]
    assert [j for j in range(4) if reference.members[j] is not old[j]] == replaced
    assert [j for j in range(4) if reference.detectors[j].estimate == 0] == replaced
    rng = np.random.default_rng(0)
    u = rng.random(4)
    assert made == [int(u[j] * (2**31 - 1)) for j in replaced]
    assert sum(reference.score_one([0])) == 4 - len(replaced)


def test_adwin_bagging_without_alarms_replaces_no_member():
    reference = ADWINBaggingReference(echoes("a", "a"), 2)
    reference.members = [reference.make(0), reference.make(0)]
    reference.members[0].weights = [1.0]
    reference.detectors = [FakeAdwin(0.2, 0.1, True), FakeAdwin(0.1, 0.3, False)]
    reference.classes = ["a", "b"]
    reference.learn_one([0], "b")
    assert reference.n_replaced == 0
    assert reference.detectors[1].errors == [True]  # untrained when it predicted


def test_adwin_bagging_votes():
    def soft(p):
        return type("Soft", (), {"predict_one": lambda self, x: "a" if p > 0.5 else "b",
                                 "proba_one": lambda self, x, classes: [p, 1 - p]})()  # fmt: skip

    reference = ADWINBaggingReference(None, 3)
    reference.classes, reference.members = ["a", "b"], [soft(0.6), soft(0.6), soft(0.0), Echo(None)]
    assert reference.score_one([0]) == [2, 1]
    reference.vote = "soft"
    assert reference.score_one([0]) == pytest.approx([1.2, 1.8])


def test_adwin_bagging_draws_poisson_one():
    models = []

    def make(seed):
        models.append(Echo(lambda x: 0))
        return models[-1]

    ADWINBaggingReference(make, 3, random_state=9).partial_fit(
        np.zeros((40, 1)), [0] * 40, [2.0] * 40
    )
    rng = np.random.default_rng(9)
    for _ in range(3):
        rng.integers(2**31 - 1)
    k = np.array([[poisson(u, 1.0) for u in rng.random(3)] for _ in range(40)])
    for j in range(3):
        assert models[j].weights == [2.0 * n for n in k[:, j] if n]


# DWM


def test_dwm_original_by_hand():
    reference = DWMReference(echoes("a", "b", "c"), 2, theta=0.2, period=2)
    reference.learn_one([0], "a")
    assert reference.weights == [1]
    reference.learn_one([0], "b")  # due and wrong: 1/2, scaled to 1, a second expert
    assert reference.weights == [1, 1]
    assert [len(f.weights) for f in reference.experts] == [2, 1]
    reference.learn_one([0], "b")  # not due
    assert reference.weights == [1, 1]
    reference.learn_one([0], "b")  # due: (1/2, 1), the vote is right
    assert reference.weights == [0.5, 1]
    reference.partial_fit([[0]] * 2, ["b"] * 2)
    assert reference.weights == [0.25, 1]
    old = reference.experts[0]
    reference.partial_fit([[0]] * 2, ["c"] * 2)  # both wrong, and full: the lightest is removed
    assert reference.weights == [1, 1]
    assert old not in reference.experts
    reference.partial_fit([[0]] * 4, ["c"] * 4)
    assert reference.weights == [0.25, 1]
    reference.partial_fit([[0]] * 2, ["c"] * 2)  # 0.125 < theta
    assert reference.weights == [1]


@pytest.mark.parametrize("online_update", [True, False])
def test_dwm_windowed_by_hand(online_update):
    make = echoes("a", "b")
    reference = DWMReference(
        make, 2, period=3, variant="windowed", window_size=2, online_update=online_update
    )
    reference.learn_one([0], "a")
    reference.learn_one([0], "b", 2.0)  # penalized, and scaled back to 1 because it is the only one
    assert reference.weights == [1]
    reference.learn_one([0], "b", 3.0)
    assert reference.weights == [0.5, 1]
    assert reference.experts[1].weights == [2, 3]
    assert reference.experts[0].weights == ([1, 2, 3] if online_update else [1])
    reference.learn_one([0], "b")
    assert reference.weights == [0.25, 1]
    assert reference.score_one([0]) == [0.25, 1]


def test_dwm_original_scales_before_it_drops():
    reference = DWMReference(echoes("a", "b", "c"), 3, theta=0.4, period=1)
    reference.experts, reference.weights = [reference.make(0), reference.make(0)], [1.0, 0.5]
    for f in reference.experts:
        f.weights = [1.0]
    reference.classes = ["a", "b", "c"]
    reference.learn_one([0], "c")
    assert reference.weights == [1, 0.5, 1]


def test_dwm_windowed_votes_after_the_penalty():
    reference = DWMReference(echoes("a", "b"), 3, period=1, variant="windowed")
    reference.experts, reference.weights = [reference.make(0), reference.make(0)], [1.0, 0.75]
    for f in reference.experts:
        f.weights = [1.0]
    reference.classes = ["a", "b"]
    reference.learn_one([0], "b")
    assert reference.weights == [pytest.approx(2 / 3), 1]  # b wins by 0.75 : 0.5


def test_dwm_keeps_the_last_expert():
    reference = DWMReference(echoes("a"), 2, theta=2.0, period=1, variant="windowed")
    reference.partial_fit([[0]] * 3, ["a"] * 3)
    assert reference.weights == [1]


# FLB


def test_flb_weights_and_budget_by_hand():
    good = Rule(lambda x: "b" if x > 2 else "a")
    base = Script(always("a"), good, always("a"), always("b"))
    reference = FLBReference(base, n_estimators=2, block_size=4, n_per_block=2)
    X, y = [[0], [1], [2], [3]], ["a", "a", "a", "b"]
    reference.partial_fit(X[:3], y[:3])
    assert (reference.members, reference.predict_one([3])) == ([], "a")
    reference.learn_one(X[3], y[3])
    assert base.weights == [[1, 1, 1, 1], [1, 1, 1, 3]]  # e = 1/4 weighs the mistake by 3
    assert reference.scores([[0], [3]]).tolist() == [[1, 0], [0.5, 0.5]]
    reference.partial_fit(X, y, [1, 1, 1, 2])  # a tie at 3 goes to a: e = 2/5
    assert reference.accuracies == [pytest.approx(3 / 5)]
    assert base.weights[2] == pytest.approx([1, 1, 1, 3])
    assert base.weights[3] == pytest.approx([1, 1, 1, 3])
    assert [model is good for model in reference.members] == [False, False]


@pytest.mark.parametrize("detect", [True, False])
def test_flb_change_test(detect):
    reference = FLBReference(lambda X, y, w, seed: always(y[-1]), None, 20, 1, detect)
    for wrong in (0, 1, 0, 1, 0, 1):  # the first block only trains
        reference.partial_fit([[0]] * 20, ["b"] * wrong + ["a"] * (20 - wrong))
    assert reference.accuracies == pytest.approx([0.95, 1, 0.95, 1, 0.95])
    # s = sqrt(.97 * .03 / 20) = .0381 exceeds s0 = .0274: a change below .97 - .0887 = .8813
    reference.partial_fit([[0]] * 20, ["b"] * 2 + ["a"] * 18)
    assert reference.n_changes == 0
    reference.partial_fit([[0]] * 20, ["b"] * 5 + ["a"] * 15)
    assert reference.n_changes == detect
    assert len(reference.members) == (1 if detect else 8)
    assert len(reference.accuracies) == (0 if detect else 7)


def test_flb_change_beyond_2326_standard_deviations():
    reference = FLBReference(None)
    reference.accuracies = [0.5, 0.7, 0.5, 0.7, 0.6]  # mean .6, sd .1
    assert not reference._changed(0.6 - 0.2325, 10**6)
    assert reference._changed(0.6 - 0.2327, 10**6)
    del reference.accuracies[0]
    assert not reference._changed(0.0, 10**6)


def test_flb_perfect_blocks_do_not_make_one_mistake_a_change():
    reference = FLBReference(lambda X, y, w, seed: always("a"), None, 100, 1)
    reference.partial_fit([[0]] * 600, ["a"] * 600)
    assert reference.accuracies == [1.0] * 5
    reference.partial_fit([[0]] * 100, ["b"] + ["a"] * 99)
    assert reference.n_changes == 0
    reference.partial_fit([[0]] * 100, ["b"] * 6 + ["a"] * 94)
    assert reference.n_changes == 1


# OCB


def test_ocb_factors_are_exact_for_one_earlier_member():
    rng = np.random.default_rng(0)
    m = rng.choice([-1, 1], size=(50, 2), p=[0.3, 0.7])
    for da in (0.4, -0.7):
        d = rng.random(50)
        right, wrong = m[:, 1] == 1, m[:, 1] == -1
        Wp = [None, [d[right & (m[:, 0] == 1)].sum(), d[right].sum()]]
        Wn = [None, [d[wrong & (m[:, 0] == -1)].sum(), d[wrong].sum()]]
        pi_p, pi_n = factors(Wp, Wn, [da], 1, [0])
        moved = d * np.exp(-da * m[:, 0])
        assert pi_p * d[right].sum() == pytest.approx(moved[right].sum())
        assert pi_n * d[wrong].sum() == pytest.approx(moved[wrong].sum())
        r = Wn[1][0] / Wn[1][1]
        other_sign = r * math.exp(-da) + (1 - r) * math.exp(da)
        assert abs(other_sign - pi_n) > 0.05


def test_ocb_by_hand():
    base = Script(Rule(lambda x: "b" if x > 1 else "a"), always("b"))
    reference = OCBReference(base, n_estimators=2, init_size=4, order=1)
    X, y = [[0], [1], [2], [3]], ["a", "b", "b", "b"]
    reference.partial_fit(X[:3], y[:3])
    assert reference.predict_one([0]) == "b"  # the class with the larger weight
    reference.learn_one(X[3], y[3])
    assert len(reference.members) == 2
    first = 0.5 * math.log(3.5 / 1.5)
    right, wrong = math.exp(-first), math.exp(first)
    second = 0.5 * math.log((0.5 + wrong + 2 * right) / (0.5 + right))
    assert reference.alphas == pytest.approx([first, second])
    assert reference.Wp[1] == pytest.approx([0.5 + 2 * right, 0.5 + wrong + 2 * right])
    assert reference.Wn[1] == pytest.approx([0.5, 0.5 + right])
    Wp, Wn = [list(row) for row in reference.Wp], [list(row) for row in reference.Wn]
    reference.learn_one([3], "a", 2.0)  # both members are wrong
    new = 0.5 * math.log(3.5 / 3.5)
    da = new - first
    assert reference.alphas[0] == pytest.approx(new)
    pi_p, pi_n = factors(Wp, Wn, [da], 1, [0])
    d = 2 * math.exp(new)
    assert reference.Wp[1] == pytest.approx([Wp[1][0] * pi_p, Wp[1][1] * pi_p])
    assert reference.Wn[1] == pytest.approx([Wn[1][0] * pi_n + d, Wn[1][1] * pi_n + d])
    assert reference.alphas[1] == pytest.approx(
        0.5 * math.log(reference.Wp[1][1] / reference.Wn[1][1])
    )
    assert reference.scores([[0]])[0, 1] == pytest.approx(reference.alphas[1] - reference.alphas[0])
    weights = list(reference.alphas)
    reference.learn_one([0], "c")  # no member can predict it
    assert reference.alphas[0] < weights[0] and reference.alphas[1] < weights[1]
    assert reference.scores([[0]])[0].tolist() == [
        reference.alphas[0],
        reference.alphas[1],
        -math.inf,
    ]


def test_ocb_with_three_classes_by_hand():
    base = Script(Rule(lambda x: "abc"[int(x)]), always("b"))
    reference = OCBReference(base, n_estimators=2, init_size=4, order=1)
    reference.partial_fit([[0], [1], [2], [0]], ["a", "b", "c", "b"])
    first = 0.5 * (math.log(3.5 / 1.5) + math.log(2))
    right, wrong = math.exp(-first), math.exp(first)
    second = 0.5 * math.log(2 * (0.5 + right + wrong) / (0.5 + 2 * right))
    assert reference.alphas == pytest.approx([first, second])
    assert reference.scores([[2]])[0] == pytest.approx([0, second, first])


def test_ocb_with_learning_members_by_hand():
    class Member:
        def __init__(self, prediction):
            self.prediction, self.learned = prediction, []

        def learn_one(self, x, y, w):
            self.learned.append((y, w))

        def predict_one(self, x):
            return self.prediction if self.learned else None

        def proba_one(self, x, classes):
            return [float(c == self.prediction) for c in classes]

    members = [Member("a"), Member("b")]
    rest = iter(members)
    reference = OCBLearningReference(lambda seed: next(rest), 2)
    reference.learn_one([0], "a", 2.0)  # untrained members do not vote: they predict after training
    first = 0.5 * math.log(2.5 / 0.5)
    assert reference.alphas[0] == pytest.approx(first)
    # both sums of member 1 were equal: only its own update changes them
    pi_p, pi_n = factors([None, [0.5, 0.5]], [None, [0.5, 0.5]], [first], 1, [0])
    d = 2 * math.exp(-first)
    second = 0.5 * math.log(0.5 * pi_p / (0.5 * pi_n + d))
    assert reference.alphas[1] == pytest.approx(max(second, -1))
    assert members[0].learned == [("a", 2.0)]
    assert members[1].learned == [("a", pytest.approx(d))]
    assert reference.scores([[0]]).tolist() == [[reference.alphas[0]]]  # only alphas above 0 vote


def test_ocb_order_majority_and_caps():
    reference = OCBReference(None, order=2)
    assert [list(reference._earlier(j)) for j in (0, 1, 5)] == [[], [0], [3, 4]]
    reference.partial_fit([[0]] * 3, ["a", "a", "b"], [1, 1, 3])
    assert reference.predict_one([0]) == "b"
    reference.members, reference.alphas, reference.da = [None, None], [30.0, 0.0], [0.0, 0.0]
    reference.Wp, reference.Wn = [[1.0, 1.0], [1.0, 1.0]], [[1.0, 1.0], [1.0, 1.0]]
    reference._row([-1, -1], 1.0)
    assert reference.alphas == [29, -1]  # by at most 1
    assert reference.Wn[1][1] == pytest.approx(1e6)  # d = 1e12, not exp(29); then all times 1e-6


def test_ocb_follows_a_flip_and_stays_finite():
    X, y, w = stream(6, 300, drift=0.0)
    reference = OCBReference(stump_base(), 10, 100, 3).partial_fit(X[:100], y[:100], w[:100])
    members = list(reference.members)
    assert np.mean(reference.predict(X) == y) > 0.8
    reference.partial_fit(X[100:], 1 - y[100:], w[100:] * 1e11)
    assert np.isfinite(reference.alphas).all()
    assert max(map(max, reference.Wp + reference.Wn)) <= 1e12
    assert np.mean(reference.predict(X) == 1 - y) > 0.8
    assert reference.members == members


# all of them

NB = naive_bayes_maker()
ALL = {
    "iboost": lambda: IBoostReference(stump_base(), 10, 30, n_updates=2),
    "adaboost": lambda: WindowedAdaBoostReference(stump_base(), 5, 30),
    "onlineboost": lambda: OnlineBoostReference(NB, 5),
    "nso": lambda: NSOnlineBoostReference(NB, 5, 40, 10, 20),
    "flc": lambda: FLCReference(NB, 5, detector="sd", k_sd=2.5),
    "bagging": lambda: ADWINBaggingReference(NB, 5),
    "bagging of trees": lambda: ADWINBaggingReference(hoeffding_maker(grace_period=30), 5),
    "dwm": lambda: DWMReference(NB, 5, period=10),
    "dwm windowed": lambda: DWMReference(NB, 5, period=10, variant="windowed", window_size=30),
    "flb": lambda: FLBReference(cart_base(max_depth=3)[0], 20, 25, 3),
    "ocb": lambda: OCBReference(stump_base(), 8, 60, 3),
    "ocb learning": lambda: OCBLearningReference(NB, 5, 3),
}


@pytest.mark.parametrize("name", ALL)
def test_learns_whatever_the_slicing_and_ignores_weight_zero(name):
    X, y, w = stream(8, 200)
    y = np.array(["no", "yes"])[y]
    whole, parts = ALL[name](), ALL[name]()
    right = []
    for x, label, weight in zip(X, y.tolist(), w):
        right.append(parts.predict_one(x) == label)
        parts.learn_one([9, 9], "maybe", 0.0)
        parts.learn_one(x, label, weight)
    whole.partial_fit(X, y, w)
    assert whole.classes == parts.classes == ["no", "yes"]
    assert np.array_equal(whole.scores(X), parts.scores(X))
    assert np.mean(right[60:100]) > 0.75
    assert np.mean(right[160:]) > 0.75


@pytest.mark.parametrize("name", [name for name in ALL if name != "ocb"])  # fixed members
def test_three_classes_one_of_them_late(name):
    X, y, w = stream(9, 240, 3, drift=0.0)
    early = (np.arange(240) >= 60) | (y != 2)
    reference = ALL[name]().partial_fit(X[early], y[early], w[early])
    assert reference.classes == [0, 1, 2]
    assert reference.scores(X).shape == (240, 3)
    assert np.mean(reference.predict(X[160:]) == y[160:]) > 0.7
    assert (reference.predict(X[160:]) == 2).any()


def test_online_base_learners_predict_labels():
    X, y, w = stream(0, 60, 3)
    labels = np.array(["z", "m", "a"])[y]
    train, _ = naive_bayes_base()
    batch, online = train(X, labels, w, 0), naive_bayes_maker()(0)
    tree = hoeffding_maker(["a", "m", "z"], grace_period=20)(0)
    assert online.predict_one(X[0]) is tree.predict_one(X[0]) is None
    assert online.proba_one(X[0], ["a"]) == [0]
    for x, label, weight in zip(X, labels.tolist(), w):
        online.learn_one(x, label, weight)
        tree.learn_one(x, label, weight)
    classes = ["a", "b", "m", "z"]
    assert [online.predict_one(x) for x in X] == batch.predict(X).tolist()
    found = np.array([online.proba_one(x, classes) for x in X])
    assert found == pytest.approx(batch.proba(X, classes))
    assert np.mean([tree.predict_one(x) for x in X] == labels) > 0.7


def test_stump_base_probabilities():
    X, y = [[0], [1], [2], [3]], ["a", "a", "b", "a"]
    model = stump_base()(X, y, [1, 1, 3, 1], 0)
    assert model.predict([[1], [2]]).tolist() == ["a", "b"]
    assert model.proba(np.array([[1.0], [2.0]]), ["a", "b", "c"]).tolist() == [
        [2.5 / 3, 0.5 / 3, 0],
        [1.5 / 5, 3.5 / 5, 0],
    ]
    assert stump_base(0.0)(X, y, [1, 1, 3, 1], 0).proba(np.array([[9.0]]), ["a"]) == 0.25
