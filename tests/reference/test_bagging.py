"""Bagging, leveraging bagging, OOB, UOB and OAUE: references checked by hand, then the learners."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

import driftlearn
from driftlearn import GaussianNBClassifier, HoeffdingTreeClassifier
from tests.reference.adwin_bagging import ADWINBaggingReference
from tests.reference.bagging import OnlineBaggingReference
from tests.reference.leveraging import CodedModel, LeveragingBaggingReference
from tests.reference.oaue import OAUEReference
from tests.reference.online_bases import hoeffding_maker, naive_bayes_maker, poisson
from tests.reference.oob import OOBReference, UOBReference
from tests.reference.rows import TREE, agree, rows

# label sets are those of `rows`, sorted
BAYES = GaussianNBClassifier(), naive_bayes_maker
TREES = (
    HoeffdingTreeClassifier(**TREE),
    lambda classes: hoeffding_maker(classes, **TREE),
)
BASES = {"bayes": BAYES, "tree": TREES}
SAMPLED = {"OOBClassifier": OOBReference, "UOBClassifier": UOBReference}


# reference implementations alone


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


def test_leveraging_at_rate_one_is_adwin_bagging():
    X, y, w = rows(0, 4, True)
    how = {"delta": 0.4, "vote": "soft", "random_state": 2}
    both = [
        LeveragingBaggingReference(naive_bayes_maker(), 4, rate=1.0, **how),
        ADWINBaggingReference(naive_bayes_maker(), 4, **how),
    ]
    for reference in both:
        reference.partial_fit(X, y, w)
    assert both[0].n_replaced == both[1].n_replaced > 0
    assert np.array_equal(both[0].scores(X), both[1].scores(X))


@pytest.mark.parametrize(
    ("draws", "handed"),
    [
        ("leveraging", lambda u: poisson(u, 6.0)),
        ("half", lambda u: int(u < 0.5)),
        ("wt", lambda u: 1 + poisson(u, 1.0)),
        ("subag", lambda u: int(u >= math.exp(-1))),
        ("me", lambda u: 1),
    ],
)
def test_leveraging_draws(draws, handed):
    """With errors counted, a member that is wrong or untrained learns every row."""
    reference = LeveragingBaggingReference(Recorder, 2, draws=draws, random_state=9)
    reference.partial_fit(np.zeros((30, 1)), [0, 1] * 15, np.full(30, 0.5))
    rng = np.random.default_rng(9)
    seeds = [int(rng.integers(2**31 - 1)) for _ in range(2)]
    u = rng.random((30, 2))
    for j, member in enumerate(reference.members):
        assert member.seed == seeds[j]
        ks = [handed(number) for number in u[:, j]]
        assert member.seen == [(i % 2, 0.5 * k) for i, k in enumerate(ks) if k]


def test_me_learns_right_rows_as_often_as_the_odds_of_an_error():
    reference = LeveragingBaggingReference(Recorder, draws="me")
    assert [reference.times(u, False, 0.2) for u in (0.0, 0.2499, 0.2501)] == [1, 1, 0]
    assert (reference.times(0.0, False, 0.0), reference.times(0.9, False, 0.5)) == (0, 1)


def test_codes_halve_the_classes_in_the_order_they_come():
    u = np.random.default_rng(7).random(2)
    model = CodedModel(Recorder(7), 7)
    for label in "cabdca":
        model.learn_one([0], label, 1.0)
    c, b = (u < 0.5).astype(int).tolist()
    assert model.side == {"c": c, "a": 1 - c, "b": b, "d": 1 - b}
    assert model.model.seen[-2:] == [(c, 1.0), (1 - c, 1.0)]
    assert model.proba_one([0], "abe") == [1.0, float(b == 1 - c), 0.0]


def test_sizes_and_rates_by_hand():
    over, under = OOBReference(Recorder, theta=0.5), UOBReference(Recorder, theta=0.5)
    # a: .5; b: .25, .5; b: .125, .75; a: .5625, .375
    assert [over.rate(y) for y in "abba"] == [1, 1, 1, 1]
    assert [under.rate(y) for y in "abba"] == [1, 0.5, 0.125 / 0.75, 0.375 / 0.5625]
    assert over.sizes == under.sizes == {"a": 0.5625, "b": 0.375}
    over.theta, over.sizes = 0.75, {"a": 0.0, "b": 0.75}
    assert over.rate("a") == 0.5625 / 0.25


@pytest.mark.parametrize("Reference", SAMPLED.values())
def test_rare_classes_are_found_where_resampled(Reference):
    rng = np.random.default_rng(0)
    y = (rng.random(1200) < 0.05).astype(int)
    X = rng.normal(1.5 * y)[:, None]
    recall = []
    for reference in (
        Reference(naive_bayes_maker(), 5),
        OnlineBaggingReference(naive_bayes_maker(), 5),
    ):
        reference.partial_fit(X[:600], y[:600])
        recall.append(np.mean(reference.predict(X[600:])[y[600:] == 1]))
    assert recall[0] > recall[1] + 0.3


def test_oaue_by_hand():
    made = []
    reference = OAUEReference(
        lambda seed: made.append(Recorder(seed)) or made[-1], 2, 3, random_state=4
    )
    for label in "aab":  # the third row: the candidate joins
        reference.learn_one([0], label)
    assert reference.members[0].model is made[0]
    assert made[0].seen == [("a", 1.0), ("a", 1.0), ("b", 1.0)]
    assert made[1].seen == []
    random = 2 / 3 * (1 / 3) ** 2 + 1 / 3 * (2 / 3) ** 2
    assert reference.weights == [pytest.approx(1 / random)]
    for label in "bab":  # right, wrong, wrong
        reference.learn_one([0], label, 2.0)
    assert reference.members[0].errors == [0, 1, 1]
    random = 1 / 3 * (2 / 3) ** 2 + 2 / 3 * (1 / 3) ** 2
    assert reference.weights == pytest.approx([1 / (random + 2 / 3), 1 / random])
    assert made[1].seen == [("b", 2.0), ("a", 2.0), ("b", 2.0)]
    reference.partial_fit([[0], [0]], ["b", "b"])
    reference.members[1].errors = [1, 1]
    reference.learn_one([0], "b")
    assert [member.model for member in reference.members] == [made[0], made[2]]
    reference.partial_fit([[0]] * 3, "bbb")  # no errors: the first leaves
    assert [member.model for member in reference.members] == [made[2], made[3]]
    rng = np.random.default_rng(4)
    assert [model.seed for model in made] == [int(rng.integers(2**31 - 1)) for _ in range(5)]


MAKERS = {
    "bagging": OnlineBaggingReference,
    "leveraging": LeveragingBaggingReference,
    "codes": lambda make, m: LeveragingBaggingReference(make, m, codes=True),
    "oob": OOBReference,
    "uob": UOBReference,
    "oaue": lambda make, m: OAUEReference(make, m, window_size=50),
}


@pytest.mark.parametrize("name", MAKERS)
def test_references_learn_a_band(name):
    X, y, _ = rows(3, 2, False, 500)
    reference = MAKERS[name](naive_bayes_maker(), 4).partial_fit(X[:220], y[:220])
    assert np.mean(reference.predict(X[220:250]) == y[220:250]) > 0.8
    reference.partial_fit(X[250:370], y[250:370])
    if name in ("leveraging", "codes"):
        assert reference.n_replaced > 0
        assert np.mean(reference.predict(X[370:400]) == y[370:400]) > 0.7


# learners against the reference implementations


def pair(name, Reference, base, n_classes, m, binary=False, **how):
    estimator, maker = BASES[base]
    classes = (0, 1) if binary else sorted("bcda"[-n_classes:])
    product = getattr(driftlearn, name)(estimator, m, **how)
    return product, Reference(maker(classes), m, **how)


@pytest.mark.parametrize(
    ("base", "n_classes", "m", "vote", "weighted"),
    [
        ("bayes", 4, 5, "soft", True),
        ("bayes", 2, 2, "majority", False),
        ("tree", 4, 3, "majority", True),
        ("tree", 2, 1, "soft", False),
    ],
)
def test_online_bagging(base, n_classes, m, vote, weighted):
    how = {"vote": vote, "random_state": m}
    product, reference = pair(
        "OnlineBaggingClassifier", OnlineBaggingReference, base, n_classes, m, **how
    )
    agree(product, reference, rows(m, n_classes, weighted))
    assert np.isnan(product.members_["error"]).all()


OPTIONS = {
    "draws": ["leveraging", "me", "half", "wt", "subag"],
    "codes": [False, True],
    "vote": ["soft", "majority"],
    "error": ["before", "after"],
    "replace": ["worst", "fired"],
}
# every fifth of all 80 has all pairs of values; bases, classes and weights alternate
CHOICES = [dict(zip(OPTIONS, chosen)) for chosen in itertools.product(*OPTIONS.values())][::5]


def watched(product, reference):
    assert product.n_replaced_ == reference.n_replaced
    estimates = [detector.estimate for detector in reference.detectors]
    assert product.members_["error"].tolist() == estimates


@pytest.mark.parametrize("turn", range(len(CHOICES)), ids=lambda i: str(CHOICES[i]))
def test_leveraging_bagging(turn):
    base, n_classes, weighted = list(itertools.product(BASES, [2, 4], [False, True]))[turn % 7]
    how = {**CHOICES[turn], "delta": 0.8, "random_state": 100 + turn, "rate": [6.0, 2.5][turn % 2]}
    product, reference = pair(
        "LeveragingBaggingClassifier",
        LeveragingBaggingReference,
        base,
        n_classes,
        4,
        how["codes"],
        **how,
    )
    agree(product, reference, rows(turn, n_classes, weighted), watched)
    assert reference.n_replaced > 0 or how["draws"] == "me"  # the errors of this member fall


@pytest.mark.parametrize("theta", [0.3, 0.9])
@pytest.mark.parametrize("name", SAMPLED)
@pytest.mark.parametrize(
    ("base", "vote", "weighted", "shares", "announced"),
    [
        ("bayes", "soft", True, [0.8, 0.1, 0.07, 0.03], None),
        ("bayes", "majority", False, [0.0, 0.1, 0.85, 0.05], list("abcd")),
        ("tree", "majority", False, [0.9, 0.1], None),
    ],
    ids=["four", "announced", "two"],
)
def test_sampled_bagging(base, vote, weighted, shares, announced, name, theta):
    how = {"theta": theta, "vote": vote, "random_state": 5}
    product, reference = pair(name, SAMPLED[name], base, len(shares), 4, **how)

    def sizes(product, reference):
        assert product.class_sizes_.tolist() == [
            reference.sizes.get(c, 0.0) for c in reference.classes
        ]

    data = rows(2, len(shares), weighted, shares=shares)
    agree(product, reference, data, sizes, announced=announced)


@pytest.mark.parametrize("weighting", ["nonlinear", "linear"])
@pytest.mark.parametrize(
    ("base", "n_classes", "weighted", "m", "window_size"),
    [
        ("bayes", 4, True, 3, 20),
        ("bayes", 2, False, 1, 7),
        ("bayes", 2, False, 5, 1),
        ("tree", 4, False, 4, 33),
        ("tree", 2, True, 10, 500),
    ],
)
def test_oaue(base, n_classes, weighted, m, window_size, weighting):
    how = {"window_size": window_size, "weighting": weighting, "random_state": 8}
    product, reference = pair("OAUEClassifier", OAUEReference, base, n_classes, m, **how)

    def members(product, reference):
        table = product.members_
        errors = [member.mse() if member.errors else np.nan for member in reference.members]
        np.testing.assert_allclose(table["error"], [*errors, np.nan], 1e-9, 1e-12)
        weights = [*reference.weights, 0.0 if reference.members else 1.0]
        np.testing.assert_allclose(table["weight"], weights, 1e-9, 1e-12)

    agree(product, reference, rows(m, n_classes, weighted), members, 1e-9)
