"""Online coordinate boosting compared with its reference implementation."""

import numpy as np
import pytest
from sklearn.linear_model import SGDClassifier

from driftlearn import CARTClassifier, GaussianNBClassifier, HoeffdingTreeClassifier
from driftlearn.ensemble.boosting.ocb import OCBClassifier
from driftlearn.io import dumps, loads
from driftlearn.io.schema import check
from tests.ensemble.boosting.boosted_cases import (
    Nearest,
    bands,
    check_failure,
    check_pickle,
    check_slicing,
    same,
    with_late_class,
)
from tests.ensemble.test_online_ensembles import Centroids
from tests.reference.bases import naive_bayes_base
from tests.reference.ocb import OCBLearningReference, OCBReference
from tests.reference.online_bases import hoeffding_maker, naive_bayes_maker, stump_base


def model_of(base=None, n=10, init_size=60, order=3, **others):
    others = {"members": "fixed", "init_size": init_size, "order": order, **others}
    return OCBClassifier(base, n, random_state=0, **others)


def learning_of(base=None, n=5, **others):
    return OCBClassifier(base, n, **{"order": 3, "random_state": 0, **others})


@pytest.mark.parametrize("scale", [1.0, 1e11], ids=["plain", "heavy"])
@pytest.mark.parametrize("noise", [0.0, 0.2])
@pytest.mark.parametrize("order", [0, 1, 3, 50])
def test_reference(order, noise, scale):
    """Bit-identical, also when sums are bounded and scaled down."""
    X, y, w = bands(1, 300, noise=noise)
    y[200:] = 1 - y[200:]
    w = w * scale
    model = model_of(order=order).partial_fit(X, y, sample_weight=w)
    reference = OCBReference(stump_base(), 10, 60, order).partial_fit(X, y, w)
    assert model.members_["weight"].tolist() == reference.alphas
    assert model.predict(X).tolist() == reference.predict(X).tolist()
    last = [(reference.Wp[j][j], reference.Wn[j][j]) for j in range(len(reference.members))]
    assert model.members_["error"] == pytest.approx([n / (p + n) for p, n in last])


def test_naive_bayes_and_the_reference():
    X, y, w = bands(2, 200, noise=0.1)
    model = model_of(GaussianNBClassifier(), 4).partial_fit(X, y, sample_weight=w)
    reference = OCBReference(naive_bayes_base()[0], 4, 60, 3).partial_fit(X, y, w)
    assert model.members_["weight"] == pytest.approx(reference.alphas, rel=1e-9)
    assert model.predict(X).tolist() == reference.predict(X).tolist()


def test_the_heavier_class_before_there_are_members():
    X, y, w = bands(0, 40)
    model, reference = model_of(), OCBReference(stump_base(), 10, 60, 3)
    for k in range(40):
        model.partial_fit(X[[k]], y[[k]], sample_weight=w[[k]])
        reference.learn_one(X[k], int(y[k]), w[k])
        assert model.predict(X[:1]) == reference.predict_one(X[0])
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
    assert (model.members_["created_at"] == 60).all()
    assert (model.members_["weight"] != weights).all()
    assert model.score(X[:60], 1 - y[:60]) > 0.5


@pytest.mark.parametrize("n_classes", [3, 6])
def test_many_classes_and_the_reference(n_classes):
    X, y, w = bands(4, 400, n_classes, noise=0.1)
    model = model_of(init_size=100).partial_fit(X, y, sample_weight=w)
    reference = OCBReference(stump_base(), 10, 100, 3).partial_fit(X, y, w)
    assert model.members_["weight"].tolist() == reference.alphas
    assert model.predict(X).tolist() == reference.predict(X).tolist()
    assert model.__sklearn_tags__().classifier_tags.multi_class


def test_fixed_members_never_name_a_late_class():
    X, labels, w = with_late_class()
    model = model_of().partial_fit(X, labels, sample_weight=w)
    reference = OCBReference(stump_base(), 10, 60, 3).partial_fit(X, labels, w)
    assert model.members_["weight"].tolist() == reference.alphas
    assert model.predict(X).tolist() == reference.predict(X).tolist()
    assert "late" in model.classes_ and "late" not in model.predict(X)
    check_slicing(model_of, X, labels, w)


def test_second_class_comes_late():
    """Class codes move when the class that sorts first appears second."""
    X, y, w = bands(0, 200)
    y[:30] = 1
    labels = np.array(["b", "z"])[y]
    model = model_of().partial_fit(X, labels, sample_weight=w)
    reference = OCBReference(stump_base(), 10, 60, 3).partial_fit(X, labels.tolist(), w)
    assert model.predict(X).tolist() == reference.predict(X).tolist()
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
def test_pickled_models_continue(base, stop):
    check_pickle(lambda: model_of(base, 4), *bands(3, 120, noise=0.1), stop)


def test_base_learner_fails():
    X, y, _ = bands(1, 120)
    check_failure(lambda poison: model_of(Nearest(poison), 3, init_size=50), X, y, 52, 7.25)


def test_inputs_and_labels():
    """The checks of driftlearn.checks for fixed members, which the default does not use."""
    X, y, w = bands(0, 120)
    for array in (X, y, w):
        array.setflags(write=False)
    plain = model_of().partial_fit(X, y, sample_weight=w)
    odd = model_of().partial_fit(X, np.array([-7, 40])[y], sample_weight=w)
    np.testing.assert_array_equal(plain.predict_proba(X), odd.predict_proba(X))
    again = model_of().partial_fit(X, 1 - y).fit(X, y, sample_weight=w)
    same(again.engine_, plain.engine_)


# members that are trained online

TREE = {"grace_period": 15.0, "delta": 0.1}
LEARNING = {
    "naive-bayes": (GaussianNBClassifier(), naive_bayes_maker),
    "hoeffding": (
        HoeffdingTreeClassifier(**TREE), lambda classes: hoeffding_maker(classes, **TREE)
    ),
}  # fmt: skip
EACH_LEARNING = pytest.mark.parametrize("kind", LEARNING)


@pytest.mark.parametrize("scale", [1.0, 1e11], ids=["plain", "heavy"])
@pytest.mark.parametrize("order", [0, 2, 50])
@pytest.mark.parametrize("n_classes", [2, 4])
@EACH_LEARNING
def test_learning_reference(kind, n_classes, order, scale):
    X, y, w = bands(1, 200, n_classes, noise=0.1)
    base, maker = LEARNING[kind]
    model = learning_of(base, order=order, smoothing=0.7)
    reference = OCBLearningReference(maker(range(n_classes)), 5, order, 0.7)
    for k in range(0, 200, 40):
        part = slice(k, k + 40)
        model.partial_fit(X[part], y[part], range(n_classes), sample_weight=w[part] * scale)
        reference.partial_fit(X[part], y[part], w[part] * scale)
        assert model.members_["weight"] == pytest.approx(reference.alphas, rel=1e-9)
    ours = model.engine_.scores(X)[:, reference.classes]
    assert ours == pytest.approx(reference.scores(X), rel=1e-9, abs=1e-12)
    wrong = [reference.Wn[j][j] / (reference.Wp[j][j] + reference.Wn[j][j]) for j in range(5)]
    assert model.members_["error"] == pytest.approx(wrong)
    assert (model.members_["created_at"] == 1).all() and len(model.estimators_) == 5


@EACH_LEARNING
def test_learning_members_name_a_late_class(kind):
    X, labels, w = with_late_class(400)
    base, maker = LEARNING[kind]
    model = check_slicing(lambda: learning_of(base), X, labels, w)
    reference = OCBLearningReference(maker(("late", "middle", "more")), 5, 3).partial_fit(
        X, labels, w
    )
    assert model.members_["weight"] == pytest.approx(reference.alphas, rel=1e-9)
    assert "late" in model.predict(X)
    announced = learning_of(base).partial_fit(X, labels, ["late", "middle", "more"], w)
    np.testing.assert_array_equal(announced.predict_proba(X), model.predict_proba(X))


@pytest.mark.parametrize("base", [None, GaussianNBClassifier(), SGDClassifier(loss="log_loss")])
@pytest.mark.parametrize("stop", [1, 90])
def test_learning_members_in_files(base, stop):
    X, y, w = bands(3, 240, 3, noise=0.1)
    announce = {} if base is None else {"classes": [0, 1, 2]}
    model = learning_of(base, 3).partial_fit(X[:stop], y[:stop], sample_weight=w[:stop], **announce)
    again = loads(dumps(model))
    for one in (model, again):
        one.partial_fit(X[stop:], y[stop:], sample_weight=w[stop:])
    np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))


def test_learning_members_follow_a_flip():
    X, y, _ = bands(0, 1500, drift=0.0)
    y[700:] = 1 - y[700:]
    model = learning_of().partial_fit(X, y)
    assert model.score(X[700:], y[700:]) > 0.8


def test_the_kinds_of_members():
    X, y, _ = bands(0, 120)
    with pytest.raises(ValueError, match="method partial_fit, which CARTClassifier does not have"):
        learning_of(CARTClassifier()).partial_fit(X, y)
    with pytest.raises(ValueError, match="method fit, which Centroids does not have"):
        model_of(Centroids()).partial_fit(X, y)
    with pytest.raises(ValueError, match="'members' parameter"):
        learning_of(members="some").partial_fit(X, y)
    fixed, learning = model_of().partial_fit(X, y), learning_of().partial_fit(X, y)
    assert hasattr(fixed, "watch") and not hasattr(learning, "watch")
    before = fixed.predict_proba(X)
    np.testing.assert_array_equal(before, fixed.set_params(members="learning").predict_proba(X))
    assert len(fixed.fit(X, y).estimators_) == 10 and not hasattr(fixed, "watch")
    printed = OCBClassifier.as_published()
    assert (printed.members, printed.n_estimators, printed.estimator) == ("fixed", 200, None)
    assert printed.order == 5


def test_files_from_before_members_could_learn():
    X, y, _ = bands(0, 200)
    model = model_of().partial_fit(X, y)
    before = model.predict_proba(X)
    del model.__dict__["members"], model.engine_.options["members"]
    old = loads(dumps(model))
    assert old.members == "fixed" and old.get_params()["n_estimators"] == 10
    np.testing.assert_array_equal(old.predict_proba(X), before)
    twice = model_of().partial_fit([*X, *X], [*y, *y])
    np.testing.assert_array_equal(old.partial_fit(X, y).predict_proba(X), twice.predict_proba(X))


@pytest.mark.parametrize("rows, columns", [(4, 4), (6, 4), (5, 0), (5, 6)])
def test_sums_that_do_not_fit_are_refused(rows, columns):
    X, y, _ = bands(0, 50)
    engine = learning_of().partial_fit(X, y).engine_
    sums = {"right": np.ones((rows, columns)), "wrong": np.ones((rows, columns))}
    with pytest.raises(ValueError, match=r"do not match its 5 members|length 5"):
        check(type(engine), {**engine.get_state(), **sums})


@pytest.mark.parametrize("members", ["learning", "fixed"])
def test_smoothing_whose_logarithms_are_finite(members):
    X = np.random.default_rng(0).random((100, 2))
    y = (X[:, 0] > 0.5).astype(int)
    options = {"members": members, "init_size": 50, "n_estimators": 3}
    for smoothing in (1e-300, 1e300):
        with pytest.raises(ValueError, match="'smoothing' parameter"):
            OCBClassifier(smoothing=smoothing, **options).partial_fit(X, y)
    for smoothing in (1e-12, 1e12):
        model = OCBClassifier(smoothing=smoothing, **options).partial_fit(X, y)
        assert np.isfinite(model.predict_proba(X)).all()
