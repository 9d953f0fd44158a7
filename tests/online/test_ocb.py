"""Online coordinate boosting against its twin and its promises."""

import numpy as np
import pytest
from online.boosted_cases import Nearest, bands, check_failure, check_pickle, check_slicing, same
from twins.bases import naive_bayes_base
from twins.ocb import OCBTwin
from twins.online_bases import stump_base

from driftlearn import CARTClassifier, GaussianNBClassifier, HoeffdingTreeClassifier
from driftlearn.online.ocb import OCBClassifier


def model_of(base=None, n=10, init_size=60, order=3, **others):
    return OCBClassifier(base, n, init_size=init_size, order=order, random_state=0, **others)


@pytest.mark.parametrize("scale", [1.0, 1e11], ids=["plain", "heavy"])
@pytest.mark.parametrize("noise", [0.0, 0.2])
@pytest.mark.parametrize("order", [0, 1, 3, 50])
def test_twin(order, noise, scale):
    """Bit for bit, also where sums are capped and scaled down."""
    X, y, w = bands(1, 300, noise=noise)
    y[200:] = 1 - y[200:]
    w = w * scale
    model = model_of(order=order).partial_fit(X, y, sample_weight=w)
    twin = OCBTwin(stump_base(), 10, 60, order).partial_fit(X, y, w)
    assert model.members_["weight"].tolist() == twin.alphas
    assert model.predict(X).tolist() == twin.predict(X).tolist()
    last = [(twin.Wp[j][j], twin.Wn[j][j]) for j in range(len(twin.members))]
    assert model.members_["error"] == pytest.approx([n / (p + n) for p, n in last])


def test_naive_bayes_and_the_twin():
    X, y, w = bands(2, 200, noise=0.1)
    model = model_of(GaussianNBClassifier(), 4).partial_fit(X, y, sample_weight=w)
    twin = OCBTwin(naive_bayes_base()[0], 4, 60, 3).partial_fit(X, y, w)
    assert model.members_["weight"] == pytest.approx(twin.alphas, rel=1e-9)
    assert model.predict(X).tolist() == twin.predict(X).tolist()


def test_the_heavier_class_before_there_are_members():
    X, y, w = bands(0, 40)
    model, twin = model_of(), OCBTwin(stump_base(), 10, 60, 3)
    for k in range(40):
        model.partial_fit(X[[k]], y[[k]], sample_weight=w[[k]])
        twin.learn_one(X[k], int(y[k]), w[k])
        assert model.predict(X[:1]) == twin.predict_one(X[0])
    assert len(model.members_) == 0
    assert model.predict_proba(X)[0] == pytest.approx(np.bincount(y, w) / w.sum())


def test_fit_makes_do_with_fewer_rows():
    X, y, w = bands(0, 40)
    model = model_of().fit(X, y, sample_weight=w)
    assert len(model.members_) > 1
    other = model_of(init_size=40).partial_fit(X, y, sample_weight=w)
    mine, its = model.engine_.get_state(), other.engine_.get_state()
    same({**mine, "options": None}, {**its, "options": None})


def test_members_never_change():
    X, y, _ = bands(0, 300)
    model = model_of().partial_fit(X[:60], y[:60])
    before = [(m.feature_, m.threshold_) for m in model.estimators_]
    weights = model.members_["weight"]
    model.partial_fit(X[60:], 1 - y[60:])
    assert [(m.feature_, m.threshold_) for m in model.estimators_] == before
    assert (model.members_["born"] == 60).all()
    assert (model.members_["weight"] != weights).all()
    assert model.score(X[:60], 1 - y[:60]) > 0.5


def test_a_third_class_is_refused_and_changes_nothing():
    X, y, _ = bands(0, 100)
    model, untouched = model_of().partial_fit(X, y), model_of().partial_fit(X, y)
    with pytest.raises(ValueError, match=r"Only binary classification .*\[0, 1, 2\]"):
        model.partial_fit(X[:3], [0, 1, 2])
    with pytest.raises(ValueError, match="Only binary"):
        model.partial_fit(X[:2], [0, 1], classes=[0, 1, 5])
    with pytest.raises(ValueError, match="Only binary"):
        model_of().fit(X[:3], ["a", "b", "c"])
    same(model, untouched)
    assert not model.__sklearn_tags__().classifier_tags.multi_class


def test_second_class_comes_late():
    """Codes move when the class that sorts first comes second."""
    X, y, w = bands(0, 200)
    y[:30] = 1
    labels = np.array(["b", "z"])[y]
    model = model_of().partial_fit(X, labels, sample_weight=w)
    twin = OCBTwin(stump_base(), 10, 60, 3).partial_fit(X, labels.tolist(), w)
    assert model.predict(X).tolist() == twin.predict(X).tolist()
    parts = model_of()
    for k in range(0, 200, 9):
        part = slice(k, k + 9)
        parts.partial_fit(X[part], labels[part], sample_weight=w[part])
    same(parts, model)


def test_one_class_only():
    X, y, _ = bands(0, 300)
    model = model_of().partial_fit(np.random.default_rng(0).random((2000, 2)), np.full(2000, 1))
    assert (model.predict(X) == 1).all()
    model.partial_fit(X, y)
    assert np.isfinite(model.predict_proba(X)).all()


BASES = {
    "stump": None,
    "naive-bayes": GaussianNBClassifier(),
    "hoeffding": HoeffdingTreeClassifier(grace_period=15.0),
    "cart": CARTClassifier(max_depth=1),
    "no-weights": Nearest(),
}
EACH_BASE = pytest.mark.parametrize("base", BASES.values(), ids=list(BASES))


@EACH_BASE
def test_slicing_does_not_matter(base):
    check_slicing(lambda: model_of(base, 4), *bands(3, 240, noise=0.1))


@EACH_BASE
@pytest.mark.parametrize("stop", [30, 90])
def test_pickle_goes_on(base, stop):
    check_pickle(lambda: model_of(base, 4), *bands(3, 120, noise=0.1), stop)


def test_base_learner_fails():
    X, y, _ = bands(1, 120)
    check_failure(lambda poison: model_of(Nearest(poison), 3, init_size=50), X, y, 52, 7.25)


def test_inputs_and_labels():
    """What driftlearn.checks asks with three classes, asked with two."""
    X, y, w = bands(0, 120)
    for array in (X, y, w):
        array.setflags(write=False)
    plain = model_of().partial_fit(X, y, sample_weight=w)
    odd = model_of().partial_fit(X, np.array([-7, 40])[y], sample_weight=w)
    np.testing.assert_array_equal(plain.predict_proba(X), odd.predict_proba(X))
    again = model_of().partial_fit(X, 1 - y).fit(X, y, sample_weight=w)
    same(again.engine_, plain.engine_)
