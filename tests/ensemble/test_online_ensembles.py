"""Common properties of all online ensembles."""

import pickle

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.linear_model import Perceptron, SGDClassifier
from sklearn.naive_bayes import BernoulliNB, GaussianNB
from sklearn.tree import DecisionTreeClassifier

from driftlearn import (
    ACEClassifier,
    AdaptiveRandomForestClassifier,
    ADWINBaggingClassifier,
    DDDClassifier,
    DWMClassifier,
    FLCClassifier,
    FuzzyARTMAPClassifier,
    GaussianNBClassifier,
    HoeffdingTreeClassifier,
    LeveragingBaggingClassifier,
    NSOnlineBoostClassifier,
    OAUEClassifier,
    OnlineBaggingClassifier,
    OnlineBoostClassifier,
    OOBClassifier,
    RCDClassifier,
    StreamingRandomPatchesClassifier,
    StumpClassifier,
    UOBClassifier,
)
from driftlearn.base.thread_safe import TRANSIENT

TREE = HoeffdingTreeClassifier(grace_period=20.0, delta=0.2, tie_threshold=0.3)
SHORT = {"window_size": 40, "min_sub": 10, "k_sd": 2.0}
ENSEMBLES = {
    "boost": lambda base=None, n=5: OnlineBoostClassifier.as_published(base, n, random_state=0),
    "ns": lambda base=None, n=5: NSOnlineBoostClassifier.as_published(
        base, n, window_size=30, period=5, maturity=20, random_state=0
    ),
    "flc": lambda base=None, n=5: FLCClassifier.as_published(base, n, delta=0.5, random_state=0),
    "flc-sd": lambda base=None, n=5: FLCClassifier.as_published(
        base, n, detector="sd", replace_worst_on_change=True, random_state=0, **SHORT
    ),
    "boost-restart": lambda base=None, n=5: OnlineBoostClassifier.as_published(
        base, n, restart_delta=0.5, random_state=0
    ),
    "flc-restart": lambda base=None, n=5: FLCClassifier.as_published(
        base, n, delta=0.5, restart_on_change=True, random_state=0
    ),
    "flc-sd-restart": lambda base=None, n=5: FLCClassifier.as_published(
        base, n, detector="sd", restart_on_change=True, random_state=0, **SHORT
    ),
    "bag": lambda base=None, n=5: ADWINBaggingClassifier.as_published(
        base, n, delta=0.5, random_state=0
    ),
    "bag-fired": lambda base=None, n=5: ADWINBaggingClassifier.as_published(
        base, n, delta=0.5, replace="fired", vote="soft", error="after", random_state=0
    ),
    "bag-plain": lambda base=None, n=5: OnlineBaggingClassifier(base, n, random_state=0),
    "leveraging": lambda base=None, n=5: LeveragingBaggingClassifier(
        base, n, delta=0.5, random_state=0
    ),
    "leveraging-codes": lambda base=None, n=5: LeveragingBaggingClassifier(
        base, n, codes=True, delta=0.5, error="after", random_state=0
    ),
    "leveraging-labels": lambda base=None, n=5: LeveragingBaggingClassifier(
        base, n, draws="wt", codes=True, delta=0.5, vote="majority", random_state=0
    ),
    "oob": lambda base=None, n=5: OOBClassifier(base, n, random_state=0),
    "uob": lambda base=None, n=5: UOBClassifier(base, n, vote="majority", random_state=0),
    "oaue": lambda base=None, n=5: OAUEClassifier(base, n, window_size=30, random_state=0),
    "oaue-nonlinear": lambda base=None, n=2: OAUEClassifier(
        base, n, window_size=20, weighting="nonlinear", random_state=0
    ),
    "arf": lambda base=None, n=5: AdaptiveRandomForestClassifier(
        base, n, warning_delta=0.6, drift_delta=0.3, random_state=0
    ),
    "srp": lambda base=None, n=5: StreamingRandomPatchesClassifier(
        base, n, subspace=1, warning_delta=0.6, drift_delta=0.3, vote="majority", random_state=0
    ),
    "dwm": lambda base=None, n=5: DWMClassifier.as_published(base, n, period=5, random_state=0),
    "rcd": lambda base=None, n=5: RCDClassifier(
        base, n, buffer_size=30, check_every=50, min_rows=9, alpha=0.3, random_state=0
    ),
    "rcd-eddm": lambda base=None, n=2: RCDClassifier(
        base, n, detector="eddm", buffer_size=20, min_rows=3, compare="rows", random_state=0
    ),
    "ace": lambda base=None, n=5: ACEClassifier(
        n_estimators=n, online=base, chunk_size=40, window_size=8, random_state=0
    ),
    "ace-labels": lambda base=None, n=2: ACEClassifier(
        n_estimators=n,
        online=base,
        chunk_size=40,
        window_size=20,
        restart="chunk",
        vote="majority",
        random_state=0,
    ),
    "ddd": lambda base=None, n=5: DDDClassifier(base, n, detector="ddm", random_state=0),
    "ddd-labels": lambda base=None, n=2: DDDClassifier(
        base, n, low=2.0, high=0.5, detector="adwin", vote="majority", random_state=0
    ),
    "dwm-windowed": lambda base=None, n=5: DWMClassifier.as_published(
        base, n, period=5, variant="windowed", window_size=30, random_state=0
    ),
}
EVERY = pytest.mark.parametrize("make", ENSEMBLES.values(), ids=list(ENSEMBLES))


class Centroids(ClassifierMixin, BaseEstimator):
    """Nearest mean; like scikit-learn's, it needs all classes in the first call."""

    def partial_fit(self, X, y, classes=None, sample_weight=None):
        if not hasattr(self, "classes_"):
            self.classes_ = np.asarray(classes)
            self.sums_ = np.zeros((len(classes), X.shape[1] + 1))
        elif not np.isin(y, self.classes_).all():
            raise ValueError("a class that was not announced")
        w = 1.0 if sample_weight is None else sample_weight[0]
        self.sums_[np.searchsorted(self.classes_, y[0])] += np.r_[X[0], 1.0] * w
        return self

    def predict(self, X):
        means = self.sums_[:, :-1] / (self.sums_[:, -1:] + 1e-9)
        return self.classes_[((X[:, None] - means) ** 2).sum(axis=2).argmin(axis=1)]


def rows(n=450, seed=0):
    """Return string labels; the one that sorts first appears last; two swap at the end."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2))
    y = np.digitize(X[:, 0] + 0.2 * rng.normal(size=n), [-0.5, 0.5])
    y[:150][y[:150] == 0] = 2
    y[300:] = np.array([0, 2, 1])[y[300:]]
    return X, np.array(["late", "middle", "more"])[y]


def state(thing):
    """Return the state of a model as comparable plain values."""
    if hasattr(thing, "get_state"):
        return state(thing.get_state())
    if isinstance(thing, np.random.Generator):
        return state(thing.bit_generator.state)
    if isinstance(thing, BaseEstimator) or hasattr(thing, "record"):
        known = {name: value for name, value in vars(thing).items() if name not in TRANSIENT}
        return {"type": type(thing).__name__, **state(known)}
    if isinstance(thing, dict):
        return {key: state(value) for key, value in thing.items()}
    if isinstance(thing, list | tuple):
        return [state(value) for value in thing]
    if isinstance(thing, np.ndarray):
        return thing.tolist()
    if isinstance(thing, np.generic):
        return thing.item()
    return thing if isinstance(thing, int | float | str | None) else repr(type(thing))


def same(a, b):
    assert repr(state(a)) == repr(state(b))


def sliced(model, X, y, step, w=None):
    for start in range(0, len(y), step):
        part = slice(start, start + step)
        model.partial_fit(X[part], y[part], sample_weight=None if w is None else w[part])
    return model


@EVERY
@pytest.mark.parametrize("base", [GaussianNBClassifier(), TREE], ids=["naive-bayes", "tree"])
def test_slicing_does_not_matter(make, base):
    """One call with n rows equals n calls with one row, including the state."""
    X, y = rows()
    w = np.random.default_rng(1).integers(1, 4, size=len(y)) / 2
    whole = make(base).partial_fit(X, y, sample_weight=w)
    for step in (1, 7, 200):
        same(sliced(make(base), X, y, step, w), whole)
    assert whole.history_.steps == [200, 400]


@EVERY
def test_slicing_does_not_matter_to_external_models(make):
    X, y = rows()
    whole = make(Centroids(), n=3).partial_fit(X, y)
    same(sliced(make(Centroids(), n=3), X, y, 1), whole)
    assert whole.score(X[-50:], y[-50:]) > 0.4  # rows that were learned before


def test_a_stream_classifier_as_an_external_model():
    """An uncompiled learner of this package accepts late classes."""
    X, y = rows(200)
    whole = DWMClassifier.as_published(
        FuzzyARTMAPClassifier.as_published(), 2, random_state=0
    ).partial_fit(X, y)
    same(
        sliced(
            DWMClassifier.as_published(FuzzyARTMAPClassifier.as_published(), 2, random_state=0),
            X,
            y,
            1,
        ),
        whole,
    )
    assert whole.score(X, y) > 0.7
    assert list(whole.estimators_[0].classes_) == ["late", "middle", "more"]


@EVERY
@pytest.mark.parametrize("base", [None, TREE, Centroids()], ids=["naive-bayes", "tree", "guest"])
def test_pickled_models_continue(make, base):
    X, y = rows(300)
    X, y = X[100:], y[100:]
    model = make(base, n=3).partial_fit(X[:120], y[:120])
    copy = pickle.loads(pickle.dumps(model))
    same(model, copy)
    same(model.partial_fit(X[120:], y[120:]), copy.partial_fit(X[120:], y[120:]))


@EVERY
def test_members_table(make):
    X, y = rows()
    model = make(TREE).partial_fit(X, y)
    table = model.members_
    assert table.columns[:6] == ["id", "created_at", "weight", "error", "classes", "size"]
    assert len(table) == len(model.estimators_) == len(model.committee_)
    assert len(set(table["id"])) == len(table)
    assert table["created_at"].min() >= 1 and table["created_at"].max() <= 450
    assert set().union(*table["classes"]) == {"late", "middle", "more"}
    # members created after row 400 have not split yet
    assert max(table["size"]) > 1 or table["created_at"].min() > 400
    steps, ids, weights = model.history_.matrix()
    assert list(steps) == [200, 400] and np.nanmax(weights) > 0
    assert set(ids) <= set(range(1, model.committee_.n_admitted + 1))


@EVERY
def test_one_class_for_long(make):
    X, y = rows(2_500)
    model = make().partial_fit(X, np.where(np.arange(2_500) < 2_000, "more", y))
    assert list(model.classes_) == ["late", "middle", "more"]
    one = make().partial_fit(X[:2_000], np.full(2_000, "more"))
    assert (one.predict(X[:50]) == "more").all()
    same(one.partial_fit(X[2_000:], y[2_000:]), model)
    assert set(model.predict(X)) > {"more"}


@EVERY
def test_classes_known_beforehand_change_nothing(make):
    X, y = rows(250)
    reported = make().partial_fit(X, y, classes=["all", "late", "middle", "more", "never"])
    plain = make().partial_fit(X, y)
    assert np.array_equal(reported.predict(X), plain.predict(X))
    assert (reported.predict_proba(X)[:, [0, 4]] == 0).all()


class Fragile(ClassifierMixin, BaseEstimator):
    """Predicts the last training label; rejects a negative first feature."""

    def partial_fit(self, X, y, classes=None):
        if X[0, 0] < 0:
            raise ArithmeticError("negative")
        if classes is not None:
            self.classes_ = classes
        self.last_ = y[0]
        return self

    def predict(self, X):
        return np.full(len(X), self.last_)


@EVERY
def test_base_learner_that_fails(make):
    """Earlier rows are learned, the message names the row, and training can continue."""
    rng = np.random.default_rng(0)
    X, y = rng.random((60, 2)), rng.integers(2, size=60)
    X[40, 0] = -1.0
    model = make(Fragile()).partial_fit(X[:20], y[:20], classes=[0, 1])
    w = np.ones(40)
    w[[3, 5]] = 0.0
    with pytest.raises(RuntimeError, match=r"row 20 of .* Arith.*: negative") as e:
        model.partial_fit(X[20:], y[20:], sample_weight=w)
    assert isinstance(e.value.__cause__, ArithmeticError)
    assert model.n_rows_ == 38
    kept = np.delete(np.arange(20, 40), [3, 5])
    before = make(Fragile()).partial_fit(X[:20], y[:20], classes=[0, 1])
    before.partial_fit(X[kept], y[kept])
    if not isinstance(model, DWMClassifier):
        same(model.rng_, before.rng_)
    model.partial_fit(X[41:], y[41:])
    assert model.n_rows_ == 57
    assert np.isfinite(model.predict_proba(X)).all()


@pytest.mark.parametrize("step", [1, 40])
def test_failure_is_the_same_in_one_call_or_many(step):
    rng = np.random.default_rng(0)
    X, y = rng.random((40, 2)), rng.integers(2, size=40)
    X[30, 0] = -1.0
    model = OnlineBoostClassifier.as_published(Fragile(), 4, random_state=0)
    model.partial_fit(X[:1], y[:1], classes=[0, 1])
    with pytest.raises(RuntimeError, match=f"row {29 if step > 1 else 0} of this call"):
        sliced(model, X[1:], y[1:], step)
    assert model.n_rows_ == 30
    other = OnlineBoostClassifier.as_published(Fragile(), 4, random_state=0)
    other.partial_fit(X[:1], y[:1], classes=[0, 1]).partial_fit(X[1:30], y[1:30])
    same(model.rng_, other.rng_)


@pytest.mark.parametrize(
    "base", [SGDClassifier(), Perceptron(), GaussianNB(), BernoulliNB()], ids=lambda b: str(b)
)
@pytest.mark.parametrize("make", [ENSEMBLES["boost"], ENSEMBLES["dwm"]], ids=["boost", "dwm"])
def test_scikit_learn_bases(make, base):
    """Any classifier with partial_fit runs in the same loop, with or without weights."""
    X, y = rows(280)
    X, y = X[200:], y[200:]
    model = make(base, n=2).partial_fit(X, y, classes=np.unique(y))
    assert model.score(X, y) > 0.4
    assert type(model.estimators_[0]) is type(base)
    assert not hasattr(base, "classes_")
    np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 1.0)


def test_external_model_is_what_its_own_partial_fit_makes_it():
    """A single expert trained once per row is the classifier itself."""
    X, y = rows(160)
    base = SGDClassifier(random_state=5)
    model = DWMClassifier.as_published(base, period=10**6, random_state=0)
    model.partial_fit(X, y, classes=["late", "middle", "more"])
    plain = SGDClassifier(random_state=model.estimators_[0].random_state)
    for i in range(160):
        plain.partial_fit(X[i : i + 1], y[i : i + 1], classes=["late", "middle", "more"])
    assert np.array_equal(model.estimators_[0].coef_, plain.coef_)
    assert np.array_equal(model.predict(X), plain.predict(X))


def test_external_model_starts_again_with_an_unannounced_class():
    """An external learner restarts at a new class, unless it was announced."""
    X, y = rows(450)
    for classes, first in (None, "late"), (["late", "middle", "more"], None):
        model = DWMClassifier.as_published(GaussianNB(), period=10**6)
        model.partial_fit(X[:150], y[:150], classes=classes)
        model.partial_fit(X[150:], y[150:])
        begin = 0 if first is None else int(np.flatnonzero(y == first)[0])
        assert model.estimators_[0].class_count_.sum() == 450 - begin
    whole = DWMClassifier.as_published(GaussianNB(), period=10**6).fit(X, y)
    assert whole.estimators_[0].class_count_.sum() == 450


def test_external_model_without_weights_learns_rows_as_often_as_they_weigh():
    class Counting(Fragile):
        def partial_fit(self, X, y, classes=None):
            self.count_ = getattr(self, "count_", 0) + 1
            return super().partial_fit(X, y, classes)

    X, w = np.ones((8, 1)), np.array([0.5, 0.25, 0.25, 2.0, 0.75, 0.75, 0.5, 3.0])
    model = DWMClassifier.as_published(Counting(), period=10**6)
    model.partial_fit(X, np.arange(8) % 2, classes=[0, 1], sample_weight=w)
    assert model.estimators_[0].count_ == w.sum()


@pytest.mark.parametrize("base", [DecisionTreeClassifier(), StumpClassifier()], ids=str)
@EVERY
def test_base_learners_must_have_partial_fit(make, base):
    with pytest.raises(ValueError, match="must have partial_fit"):
        make(base).partial_fit([[0.0], [1.0]], [0, 1])


def test_parameters_of_the_base_are_checked():
    with pytest.raises(ValueError, match="leaf_prediction"):
        OnlineBoostClassifier.as_published(HoeffdingTreeClassifier(leaf_prediction="none")).fit(
            [[0]], [0]
        )
    with pytest.raises(ValueError, match="window_size must be at least"):
        FLCClassifier.as_published(detector="sd", window_size=30, min_sub=20).fit([[0.0]], [0])


@EVERY
def test_nominal_codes_are_checked_before_anything_is_learned(make):
    X = np.random.default_rng(0).integers(4, size=(80, 2)).astype(float)
    y = X[:, 0] > 1
    model = make(HoeffdingTreeClassifier(nominal_features=[0])).partial_fit(X, y)
    before = state(model)
    X[50, 0] = 0.5
    with pytest.raises(ValueError, match="Nominal features must be integer codes"):
        model.partial_fit(X, y)
    assert state(model) == before


def flipped(model, n=4_000, flip=3_000):
    """Return the row of the first replacement and the final accuracy for swapped labels."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(n, 3))
    y = (X.sum(axis=1) > 0) != (np.arange(n) >= flip)
    first = None
    for start in range(0, n, 50):
        model.partial_fit(X[start : start + 50], y[start : start + 50])
        if first is None and model.n_replaced_:
            first = int(model.members_["created_at"].max())
    return first, model.score(X[-500:], y[-500:])


def test_bagging_replaces_the_worst_soon_after_a_change():
    """Detectors are updated with errors, not hits: the first replacement follows the change."""
    first, worst = flipped(
        ADWINBaggingClassifier.as_published(GaussianNBClassifier(), random_state=0)
    )
    assert 3_000 < first < 3_100
    first, fired = flipped(
        ADWINBaggingClassifier.as_published(GaussianNBClassifier(), replace="fired", random_state=0)
    )
    assert 3_000 < first < 3_100
    assert fired > 0.95 and worst < 0.6


def test_bagging_error_after():
    """error="after" tests a member on a row it was trained on: its error is lower."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(1_500, 8)), rng.integers(2, size=1_500)
    errors = {}
    for when in ("before", "after"):
        model = ADWINBaggingClassifier.as_published(
            n_estimators=4, delta=1e-6, error=when, random_state=0
        )
        errors[when] = model.fit(X, y).members_["error"].mean()
    assert errors["after"] < errors["before"] - 0.005


def test_boosting_increases_weights_of_misclassified_rows():
    """Training weights of members follow the chain's weights, not Poisson(1)."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(4_000, 2))
    y = X[:, 0] ** 2 + X[:, 1] ** 2 > 1.4
    boost = OnlineBoostClassifier.as_published(n_estimators=3, random_state=0).fit(X, y)
    bag = ADWINBaggingClassifier.as_published(
        GaussianNBClassifier(), 3, delta=1e-9, random_state=0
    ).fit(X, y)
    assert np.array_equal(
        boost.estimators_[0].get_state()["mean"], bag.committee_.models[0].get_state()["mean"]
    )
    assert boost.members_["error"][1] > 1.2 * boost.members_["error"][0]
    assert not np.array_equal(
        boost.estimators_[1].get_state()["mean"], bag.estimators_[1].get_state()["mean"]
    )


def test_memory_is_flat():
    X, y = rows(3_000)
    for make in ENSEMBLES.values():
        model = make(GaussianNBClassifier(), n=3).partial_fit(X, y)
        size = len(pickle.dumps(model.engine_))
        for _ in range(5):
            model.partial_fit(X, y)
        assert len(pickle.dumps(model.engine_)) < 1.2 * size + 2_000
