"""AdaBoost.M1, AdaBoost.M2 and arc-x4, by hand and as learners."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier

from driftlearn import (
    BoostingClassifier,
    CARTClassifier,
    IBoostClassifier,
    LearnPPNSEClassifier,
    SEAClassifier,
    StumpClassifier,
)
from driftlearn.base import draw_by_inversion
from driftlearn.base.stream_classifier import MAX_SEED
from driftlearn.io import dumps, loads

IRIS, KIND = load_iris(return_X_y=True)
METHODS = ["m1", "m2", "arc-x4"]
# Five rows that no stump classifies without error. Each round's stump, worked out by hand: at 1.5
# it misses row 3, at 3.5 it misses row 2, and reversed at 2.5 it misses all but rows 2 and 3.
X = np.array([[0.0], [1.0], [2.0], [3.0], [4.0]])
Y = np.array([0, 0, 1, 0, 1])


def stumps(method, n=3, **options):
    return BoostingClassifier(StumpClassifier(), n, method=method, **options)


def thresholds(model):
    return [stump.threshold_ for stump in model.estimators_]


def test_m1_by_hand():
    """D is a fifth each; then 1/8, row 3 1/2; then 1/14, row 2 1/2 and row 3 2/7."""
    model = stumps("m1").fit(X, Y)
    assert thresholds(model) == [1.5, 3.5, 2.5]
    assert model.members_["error"] == pytest.approx([1 / 5, 1 / 8, 3 / 14])
    assert model.members_["weight"] == pytest.approx(np.log([4, 7, 11 / 3]))
    assert model.predict(X).tolist() == [0, 0, 1, 0, 1]
    total = np.log(4 * 7 * 11 / 3)
    found = model.predict_proba(X)[:, 1]
    assert found == pytest.approx(np.log([11 / 3, 11 / 3, 44 / 3, 4, 28]) / total)


def test_arc_x4_by_hand():
    """Rows count 1; row 3 2; rows 2 and 3 2; row 2 2 and row 3 1 + 16."""
    model = stumps("arc-x4", 4).fit(X, Y)
    assert thresholds(model) == [1.5, 3.5, 1.5, 3.5]
    assert model.members_["error"] == pytest.approx([1 / 5, 1 / 6, 2 / 7, 1 / 11])
    assert model.members_["weight"].tolist() == [1, 1, 1, 1]
    assert model.predict_proba(X)[:, 1].tolist() == [0, 0, 0.5, 0.5, 1]


def test_m2_by_hand():
    """Three rows of three classes: the first stump separates the first from the others."""
    model = stumps("m2", 2).fit(X[:3], ["a", "b", "c"])
    assert thresholds(model) == [0.5, 1.5]
    # the first: row a is certain, b and c have a half each; D is 1/6 for each of six mislabels
    assert model.members_["error"][0] == pytest.approx((0.5 + 1 + 0.5 + 1) / 6 / 2)
    assert model.members_["weight"][0] == pytest.approx(np.log(3))
    # (a, b), (a, c) times 1/3; (b, a), (c, a) times 3 ** -3/4; (b, c), (c, b) times 3 ** -1/2
    sure, far, near = 1 / 3, 3**-0.75, 3**-0.5
    whole = 2 * (sure + far + near)
    p = 2 * sure / (2 * sure + far + near)  # of a on the left, where b has the rest
    loss = sure * ((2 - 2 * p) + (1 - p)) + far * 2 * p + near * p
    error = loss / whole / 2
    assert model.members_["error"][1] == pytest.approx(error)
    second = np.log((1 - error) / error)
    assert model.members_["weight"][1] == pytest.approx(second)
    expected = [np.log(3), 0, 0] + second * np.array([p, 1 - p, 0])
    assert model.predict_proba(X[:1])[0] == pytest.approx(expected / expected.sum())


def test_rows_count_by_their_weights():
    """A row of weight three counts as three rows in the errors and weights of all methods."""
    w = np.random.default_rng(0).integers(1, 4, 150)
    rows = np.repeat(np.arange(150), w)
    for method in METHODS:
        once = BoostingClassifier(GaussianNB(), 4, method=method).fit(IRIS, KIND, w)
        often = BoostingClassifier(GaussianNB(), 4, method=method).fit(IRIS[rows], KIND[rows])
        assert once.members_["error"] == pytest.approx(often.members_["error"])
        assert once.predict_proba(IRIS) == pytest.approx(often.predict_proba(IRIS))


@pytest.mark.parametrize("method", ["m1", "m2"])
def test_adaboost_ends_after_a_member_without_error(method):
    """Its error counts as half a row."""
    model = stumps(method).fit(X, Y[[0, 0, 2, 2, 2]])
    assert model.members_["error"].tolist() == [0]
    assert model.members_["weight"] == pytest.approx([np.log(9)])
    assert stumps(method).fit(X, np.ones(5)).members_["weight"] == pytest.approx([np.log(9)])


@pytest.mark.parametrize("method", ["m1", "m2"])
def test_adaboost_ends_before_a_member_at_chance(method):
    """A first member is kept, since otherwise there would be no prediction."""
    guess = DummyClassifier(strategy="constant", constant=1)
    model = BoostingClassifier(guess, method=method).fit(X[:4], [0, 0, 1, 1])
    assert model.members_["error"].tolist() == [0.5]
    assert model.members_["weight"].tolist() == [1]


def test_m1_leaves_out_a_member_at_chance():
    """No stump is better than chance on the exclusive or once the heavier row is balanced."""
    square = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
    model = stumps("m1", 9).fit(square, [0, 1, 1, 0], sample_weight=[2, 1, 1, 1])
    assert 1 <= model.n_members_ < 9
    assert (model.members_["error"] < 0.5).all()


def test_arc_x4_never_ends_early():
    assert stumps("arc-x4", 7).fit(X, Y[[0, 0, 2, 2, 2]]).n_members_ == 7


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(
    "base", [None, StumpClassifier(), GaussianNB(), LogisticRegression(max_iter=1000)]
)
def test_it_learns(base, method):
    for resample in (False, True):
        model = BoostingClassifier(base, method=method, resample=resample, random_state=0)
        assert model.fit(IRIS, KIND).score(IRIS, KIND) > 0.9


def test_a_base_learner_without_weights_is_trained_on_draws():
    base = KNeighborsClassifier(3)
    one, same, other = (
        BoostingClassifier(base, 4, random_state=seed).fit(IRIS, KIND) for seed in (0, 0, 1)
    )
    np.testing.assert_array_equal(one.predict_proba(IRIS), same.predict_proba(IRIS))
    assert not np.array_equal(one.predict_proba(IRIS), other.predict_proba(IRIS))


@pytest.mark.parametrize("method", METHODS)
def test_draws(method):
    """A member's rows come from one call of the generator, its seed from the next."""
    model = stumps(method, resample=True, random_state=5).fit(IRIS, KIND)
    rng, w = np.random.default_rng(5), np.ones(150)
    rows = draw_by_inversion(w, rng)
    first = StumpClassifier().fit(IRIS[rows], KIND[rows])
    np.testing.assert_array_equal(model.estimators_[0].predict(IRIS), first.predict(IRIS))
    assert model.estimators_[0].threshold_ == first.threshold_
    if method == "arc-x4":
        rng.integers(MAX_SEED)
        rows = draw_by_inversion(1.0 + (first.predict(IRIS) != KIND), rng)
        second = StumpClassifier().fit(IRIS[rows], KIND[rows])
        assert model.estimators_[1].threshold_ == second.threshold_


@pytest.mark.parametrize("method", METHODS)
def test_a_draw_may_lack_a_class(method):
    """A class with one row is in few samples; members without it give it no vote."""
    rare = np.array([0] * 9 + [1] * 9 + [2])
    rows = np.arange(19.0)[:, None]
    model = BoostingClassifier(n_estimators=5, method=method, resample=True, random_state=0)
    model.fit(rows, rare)
    assert {len(classes) for classes in model.members_["classes"]} > {2}
    assert model.predict_proba(rows).shape == (19, 3)


@pytest.mark.parametrize("method", METHODS)
def test_slicing_does_not_matter(method):
    model = stumps(method, 6).fit(IRIS, KIND)
    parts = [model.predict_proba(IRIS[k : k + 7]) for k in range(0, 150, 7)]
    np.testing.assert_array_equal(np.concatenate(parts), model.predict_proba(IRIS))


@pytest.mark.parametrize("method", METHODS)
def test_files(method):
    model = BoostingClassifier(
        CARTClassifier(max_depth=1), 4, method=method, resample=True, random_state=0
    ).fit(IRIS, KIND)
    copy = loads(dumps(model))
    assert dumps(copy) == dumps(model)
    np.testing.assert_array_equal(copy.predict_proba(IRIS), model.predict_proba(IRIS))
    assert repr(copy.members_) == repr(model.members_)


def test_files_with_mismatched_members_are_rejected():
    model = stumps("m1").fit(IRIS, KIND)
    model.committee_ = stumps("m1").fit(X, Y).committee_
    with pytest.raises(ValueError, match="members must have 4 features and 3 classes"):
        loads(dumps(model))


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(
    "ensemble", [SEAClassifier(), LearnPPNSEClassifier(), IBoostClassifier(period=50)]
)
def test_a_base_learner_of_ensembles(ensemble, method):
    base = BoostingClassifier(n_estimators=3, method=method, resample=True)
    model = clone(ensemble).set_params(estimator=base, random_state=0)
    order = np.random.default_rng(0).permutation(150)
    for k in range(0, 150, 50):
        model.partial_fit(IRIS[order[k : k + 50]], KIND[order[k : k + 50]])
    assert all(isinstance(each, BoostingClassifier) for each in model.estimators_)
    assert model.score(IRIS, KIND) > 0.85


@pytest.mark.parametrize(
    ("options", "name"),
    [
        ({"method": "m3"}, "method"),
        ({"n_estimators": 0}, "n_estimators"),
        ({"resample": "yes"}, "resample"),
        ({"estimator": 3}, "estimator"),
    ],
)
def test_bad_parameters(options, name):
    with pytest.raises(ValueError, match=f"The '{name}' parameter"):
        BoostingClassifier(**options).fit(IRIS, KIND)
