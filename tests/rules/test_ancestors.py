"""Winnow, weighted majority, FLORA2/3 and STAGGER: results of the papers, and invalid input."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.linear_model import SGDClassifier

from driftlearn import (
    CARTClassifier,
    FLORA2Classifier,
    FLORA3Classifier,
    GaussianNBClassifier,
    HoeffdingTreeClassifier,
    MajorityClassifier,
    NoChangeClassifier,
    STAGGERClassifier,
    WeightedMajorityClassifier,
    WinnowClassifier,
)
from driftlearn.io import CorruptFile, dumps, loads
from driftlearn.streams import SEA, STA

NOMINAL = [FLORA2Classifier(), FLORA3Classifier(), STAGGERClassifier()]
EACH = pytest.mark.parametrize("learner", NOMINAL, ids=lambda each: type(each).__name__)
POOL = [("bayes", GaussianNBClassifier()), ("last", NoChangeClassifier())]


def sta(n=900, **how):
    return STA(n_rows=n, segment=150, noise=0.0, random_state=0, **how).take(n)


@EACH
def test_they_follow_the_concepts_of_stagger(learner):
    X, y = sta()
    right = clone(learner).test_then_train(X, y) == y
    assert min(right[k + 75 : k + 150].mean() for k in range(0, 900, 150)) > 0.9


@EACH
def test_which_class_comes_first_does_not_matter(learner):
    """A class that occurs late and sorts first gives the same model as one known from the start."""
    X, y = sta(300)
    first = int(y.argmax())
    X, y = X[first:], y[first:]
    assert y[0] == 1 and (y == 0).any()
    known, unknown = clone(learner), clone(learner)
    known.partial_fit(X[:1], y[:1], classes=[0, 1])
    known.partial_fit(X[1:], y[1:])
    for i in range(len(y)):
        unknown.partial_fit(X[i : i + 1], y[i : i + 1])
    np.testing.assert_array_equal(known.predict_proba(X), unknown.predict_proba(X))
    for shown in ("ades_", "pdes_", "ndes_", "n_drifts_", "elements_", "n_made_"):
        assert getattr(known, shown, None) == getattr(unknown, shown, None)


@EACH
def test_a_third_class_is_refused_before_anything_is_learned(learner):
    X, y = sta(60)
    model = clone(learner).partial_fit(X, y)
    before = dumps(model)
    with pytest.raises(ValueError, match=r"Only binary .* 3 classes.*Classifier supports only two"):
        model.partial_fit(X[:2], [0, 2])
    assert dumps(model) == before


@pytest.mark.parametrize(
    "learner", [*NOMINAL, WinnowClassifier(), WeightedMajorityClassifier()], ids=repr
)
def test_rows_that_count_for_nothing_come_first(learner):
    """Rows of weight 0 before the first row leave the model untrained."""
    X, y = sta(20)
    w = np.r_[np.zeros(5), np.ones(15)]
    predicted = clone(learner).test_then_train(X, y, [0, 1], w, proba=True)
    assert (predicted[1:6] == 0.5).all()
    model = clone(learner).partial_fit(X, y, sample_weight=w)
    assert model.n_rows_ == 15


@EACH
def test_minus_zero_is_zero(learner):
    X, y = sta(200)
    other = np.where(X == 0.0, -0.0, X)
    one, two = clone(learner).partial_fit(X, y), clone(learner).partial_fit(other, y)
    assert dumps(one) == dumps(two)
    np.testing.assert_array_equal(one.predict_proba(other), two.predict_proba(X))


def test_what_flora_shows():
    X = [[0, 1], [0, 2], [3, 1], [0, 1]]
    model = FLORA2Classifier(min_window=3, max_window=3)
    model.partial_fit(X[:1], ["yes"])
    assert model.ades_ == model.pdes_ == [] and model.ndes_ == [(((0, 0.0), (1, 1.0)), (0, 1))]
    model.partial_fit(X[1:3], ["yes", "no"])
    assert model.ades_ == [(((0, 0.0),), (2, 0))]
    assert model.ndes_ == [(((0, 3.0), (1, 1.0)), (0, 1))]
    model.partial_fit(X[3:], ["no"])
    assert model.window_size_ == 3 and model.n_rows_ == 4
    assert model.pdes_ == [(((0, 0.0),), (1, 1))]
    assert model.ndes_ == [(((0, 3.0), (1, 1.0)), (0, 1)), (((0, 0.0), (1, 1.0)), (0, 1))]


def test_flora_is_bounded():
    rng = np.random.default_rng(0)
    X, y = rng.random((400, 3)), rng.integers(2, size=400)
    model = FLORA3Classifier(max_window=50, max_items=7, max_concepts=2)
    model.partial_fit(X, y)
    assert len(model.ades_ + model.pdes_ + model.ndes_) <= 7
    assert 20 <= model.window_size_ <= 50
    X, y = sta(1_200)
    model.partial_fit(X, y)
    assert model.n_concepts_ <= 2 and model.n_returns_ > 0
    assert model.n_returns_ <= model.n_drifts_


def test_stagger_is_bounded_and_counts_what_it_made():
    X, y = STA(n_rows=2_000, segment=200, noise=0.2, random_state=1).take(2_000)
    model = STAGGERClassifier(max_atoms=8, max_elements=5, max_size=2).partial_fit(X, y)
    assert model.n_atoms_ == 8 and model.n_composites_ <= 5
    assert model.n_made_ == model.n_dropped_ + model.n_composites_ > 5
    texts = [text for text, *_ in model.elements_]
    assert len(texts) == len(set(texts)) == model.n_atoms_ + model.n_composites_
    assert max(text.count("=") for text in texts) <= 2
    assert not STAGGERClassifier(max_elements=0).partial_fit(X, y).n_made_


def test_elements_without_evidence_have_no_effect():
    model = STAGGERClassifier().partial_fit([[1.0, 2.0]], ["a"])
    assert [each[:3] for each in model.elements_] == [
        ("x0=1.0", True, True), ("x1=2.0", True, True),
    ]  # fmt: skip
    assert np.isnan([each[3:] for each in model.elements_]).all()
    assert model.predict_proba([[5.0, 5.0]]).tolist() == [[1.0]]


@pytest.mark.parametrize("variant", ["winnow1", "winnow2"])
def test_winnow_makes_few_mistakes_among_many_attributes(variant):
    """The bound of a disjunction of k of n attributes: 2 + 3 k (1 + log2 n) for winnow2."""
    rng = np.random.default_rng(0)
    X = rng.integers(2, size=(3_000, 200))
    y = X[:, 3] | X[:, 7] | X[:, 11]
    model = WinnowClassifier(variant, complements=False)
    predicted = model.test_then_train(X, y)
    assert (predicted != y).sum() < 2 + 3 * 3 * (1 + np.log2(200))


def test_a_late_class_of_winnow_is_as_if_known():
    X, y = SEA(n_rows=400, noise=0.0, random_state=0).take(400)
    y = np.array(["m", "z"])[y - 1]
    y[300::3] = "a"
    for variant in ("winnow1", "winnow2", "balanced"):
        known = WinnowClassifier(variant).partial_fit(X[:1], y[:1], classes=["a", "m", "z"])
        known.partial_fit(X[1:], y[1:])
        unknown = WinnowClassifier(variant).partial_fit(X[:200], y[:200])
        unknown.partial_fit(X[200:], y[200:])
        np.testing.assert_array_equal(known.weights_, unknown.weights_)
        np.testing.assert_array_equal(known.predict_proba(X), unknown.predict_proba(X))


def test_weights_of_winnow_stay_finite():
    X, y = np.ones((3_000, 2)), np.arange(3_000) // 1_500
    for variant in ("winnow2", "balanced"):
        model = WinnowClassifier(variant, threshold=1e75, promotion=1e70)
        assert np.isfinite(model.partial_fit(X, y).weights_).all()
        assert np.isfinite(model.partial_fit(X, 2 - y).predict_proba(X[:1])).all()


def test_the_best_expert_of_a_pool_wins():
    X, y = SEA(n_rows=600, noise=0.0, random_state=0).take(600)
    model = WeightedMajorityClassifier(POOL, random_state=0).partial_fit(X, y)
    assert list(model.members_["name"]) == ["bayes", "last"]
    assert model.members_["weight"][0] == 1.0 > model.members_["weight"][1]
    assert model.members_["error"][0] < model.members_["error"][1]
    bayes = GaussianNBClassifier().partial_fit(X, y)
    np.testing.assert_array_equal(model.predict(X), bayes.predict(X))
    lower = WeightedMajorityClassifier(POOL, variant="wml", floor=0.1).partial_fit(X, y)
    assert lower.members_["weight"].min() > 0.02


def test_a_drawn_expert_is_followed():
    """The draw belongs to the last row learned: predicting twice gives the same result."""
    X, y = SEA(n_rows=300, random_state=0).take(300)
    pool = [("majority", MajorityClassifier()), ("last", NoChangeClassifier())]
    model = WeightedMajorityClassifier(pool, variant="wmr", beta=0.99, random_state=0)
    followed = set()
    for i in range(300):
        model.partial_fit(X[i : i + 1], y[i : i + 1])
        predicted = model.predict_proba(X)
        assert (predicted == predicted[0]).all() and sorted(predicted[0]) in ([1.0], [0.0, 1.0])
        followed |= {model.predict(X[:1])[0] == y[i]}
    assert followed == {True, False}


@pytest.mark.parametrize(
    ("estimators", "words"),
    [
        ([], "must be a list with at least one pair"),
        ([GaussianNBClassifier()], "pairs"),
        ([(1, GaussianNBClassifier())], "pairs"),
        ([("a", GaussianNBClassifier)], "'a' .* must be a classifier with partial_fit"),
        ([("a", CARTClassifier())], "'a' .* must be a classifier with partial_fit"),
        ([POOL[0], POOL[0]], "must be a list with distinct names. Got 'bayes'"),
        ([("tree", HoeffdingTreeClassifier(grace_period=0))], "grace_period"),
    ],
)
def test_pools_that_are_refused(estimators, words):
    with pytest.raises(ValueError, match=words):
        WeightedMajorityClassifier(estimators).partial_fit([[1.0]], [0])


def test_a_pool_with_an_expert_for_two_classes():
    X, y = SEA(n_rows=60, random_state=0).take(60)
    model = WeightedMajorityClassifier([*POOL, ("stagger", STAGGERClassifier())]).partial_fit(X, y)
    before = dumps(model)
    with pytest.raises(ValueError, match="3 classes"):
        model.partial_fit(X[:1], [7])
    assert dumps(model) == before


def test_an_external_expert_that_fails_names_the_row():
    class Failing(SGDClassifier):
        def partial_fit(self, X, y, classes=None, sample_weight=None):
            if X[0, 0] > 9.9:
                raise ValueError("no more")
            return super().partial_fit(X, y, classes, sample_weight)

    X, y = np.c_[np.arange(20) / 2.0], np.arange(20) % 2
    X[15] = 10.0
    model = WeightedMajorityClassifier([*POOL, ("failing", Failing())], random_state=0)
    with pytest.raises(RuntimeError, match=r"row 15 .*no more"):
        model.partial_fit(X, y, classes=[0, 1])
    assert model.n_rows_ == 15


@pytest.mark.parametrize("kind", [FLORA2Classifier, FLORA3Classifier])
@pytest.mark.parametrize(
    ("bad", "words"),
    [
        (
            {"low_coverage": 5.0},
            "'low_coverage' parameter must be at most high_coverage=4.0. Got 5.0",
        ),
        ({"min_window": 600}, "'min_window' parameter must be at most max_window=500. Got 600"),
    ],
)
def test_bounds_in_the_wrong_order(kind, bad, words):
    with pytest.raises(ValueError, match=words):
        kind(**bad).fit([[1.0]], [0])


@pytest.mark.parametrize(
    ("learner", "name", "spoil"),
    [
        (FLORA2Classifier(), "description_", lambda d: d.items.clear() or d.items.update(NONE)),
        (FLORA2Classifier(), "n_drifts_", -1),
        (STAGGERClassifier(), "n_made_", 0),
        (STAGGERClassifier(), "pool_", lambda pool: pool.reverse()),
        (WinnowClassifier(), "plus_", np.ones((2, 6))),
        (WeightedMajorityClassifier(POOL), "names_", ["one"]),
    ],
)
def test_files_that_cannot_be(learner, name, spoil):
    X, y = sta(300)
    model = clone(learner).partial_fit(X, y)
    assert dumps(loads(dumps(model))) == dumps(model)
    if callable(spoil):
        spoil(getattr(model, name))
    else:
        setattr(model, name, spoil)
    with pytest.raises(CorruptFile):
        loads(dumps(model))


NONE = {frozenset({(0, 77.0)}): 1}  # an item that matches no row
