"""A watch has the predictions of its learner, bit-identically, after any change."""

import pickle
from copy import deepcopy

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

import driftlearn
from driftlearn import (
    CARTClassifier,
    FLBClassifier,
    GaussianNBClassifier,
    HoeffdingTreeClassifier,
    IBoostClassifier,
    OCBClassifier,
    WindowedAdaBoostClassifier,
)
from driftlearn.base.base_learners import codes, columns_of, proba
from driftlearn.bench.papers.s3.iboost_variants import IBoostVariant
from driftlearn.ensemble import _votes as votes
from driftlearn.ensemble.boosting._probability_stumps import PackedRatioStumps, RatioStump
from driftlearn.ensemble.boosting.iboost import FIXED
from driftlearn.ensemble.committee import Committee
from tests.ensemble.boosting.boosted_cases import Nearest, bands, same, with_late_class


def iboost(base=None, n=12, **others):
    kind = IBoostVariant if FIXED.keys() & others.keys() else IBoostClassifier
    return kind(base, n, **{"window_size": 30, "random_state": 0, **others})


def adaboost(base=None, n=4, **others):
    return WindowedAdaBoostClassifier(base, n, window_size=30, random_state=0, **others)


def ocb(base=None, n=12, **others):
    return OCBClassifier(base, n, members="fixed", init_size=40, random_state=0, **others)


def flb(base=None, n=12, **others):
    others = {"block_size": 25, "n_per_block": 3, "random_state": 0, **others}
    return FLBClassifier(base, n, **others)


TREE = DecisionTreeClassifier(max_depth=2, splitter="random")
BASES = {
    "stump": None,
    "naive-bayes": GaussianNBClassifier(),
    "hoeffding": HoeffdingTreeClassifier(),
    "cart": CARTClassifier(max_depth=2),
    "random-tree": TREE,
    "no-weights": Nearest(),
}
CASES = {
    **{f"iboost {name}": (iboost(base, n=5), 2) for name, base in BASES.items()},
    **{f"iboost {name}, 4 classes": (iboost(base), 4) for name, base in BASES.items()},
    "iboost batch": (iboost(update="batch"), 2),
    "iboost batch, 3 classes": (iboost(update="batch"), 3),
    "iboost logistic": (iboost(loss="logistic"), 2),
    "iboost logistic, 3 classes": (iboost(loss="logistic", update="batch"), 3),
    "iboost printed": (iboost(rule="printed"), 2),
    "iboost printed batch": (iboost(rule="printed", update="batch"), 3),
    "iboost weight clip": (iboost(GaussianNBClassifier(), weight_clip=2.0), 2),
    "iboost period": (iboost(period=7), 2),
    "iboost adwin": (iboost(window_size="adwin", min_window=10, max_window=60), 2),
    "iboost keeps all": (iboost(n=None, remove_negative=False), 2),
    "iboost adds always": (iboost(add="always", update_when="before_add"), 3),
    "iboost one member": (iboost(add="never"), 2),
    "iboost never updates": (iboost(update_when="never"), 2),
    **{f"adaboost {name}": (adaboost(base, n=3), 3) for name, base in BASES.items()},
    "adaboost period": (adaboost(period=5), 2),
    **{f"ocb {name}": (ocb(base), 2) for name, base in BASES.items()},
    "ocb order 0": (ocb(order=0), 2),
    "ocb 4 classes": (ocb(), 4),
    **{f"flb {name}": (flb(base), 3) for name, base in BASES.items()},
    "flb distance": (flb(stump_proba="distance"), 3),
    "flb 12 classes": (flb(), 12),
    "flb keeps all": (flb(n=None, change_level=None), 2),
    "flb changes often": (flb(change_level=0.4), 2),
}


def agree(watch, model, X):
    """The watch agrees with the model, twice, since the second call uses the cache."""
    shares, labels = model.predict_proba(X), model.predict(X)
    for _ in range(2):
        for ours, theirs in (watch.predict_proba(), shares), (watch.predict(), labels):
            assert ours.dtype == theirs.dtype
            np.testing.assert_array_equal(ours, theirs)


def pieces(n, singly=60, step=17):
    """Yield slices of n rows: one at a time, then some, then many."""
    yield from (slice(k, k + 1) for k in range(singly))
    yield from (slice(k, min(k + step, n)) for k in range(singly, n, step))


@pytest.mark.parametrize(("model", "n_classes"), CASES.values(), ids=list(CASES))
def test_predictions_equal_those_of_the_learner(model, n_classes):
    """Over a stream, with a watch from the first row and one created in the middle."""
    X, y, w = bands(3, 160, n_classes, noise=0.1)
    probe = np.random.default_rng(0).random((40, 2))
    model, alone, watches = deepcopy(model), deepcopy(model), []
    for part in pieces(len(y)):
        model.partial_fit(X[part], y[part], sample_weight=w[part])
        alone.partial_fit(X[part], y[part], sample_weight=w[part])
        if part.start in (0, 94):
            watches.append(model.watch(probe))
        for watch in watches:
            agree(watch, model, probe)
    assert len(watches) == 2 and model.n_members_ > 0
    same(model, alone)


@pytest.mark.parametrize("base", BASES.values(), ids=list(BASES))
@pytest.mark.parametrize("make", [iboost, adaboost, flb])
def test_a_late_class_that_sorts_first(make, base):
    X, y, w = with_late_class()
    model = make(base).partial_fit(X[:60], y[:60], sample_weight=w[:60])
    watch = model.watch(X)
    for k in range(60, len(y), 20):
        model.partial_fit(X[k : k + 20], y[k : k + 20], sample_weight=w[k : k + 20])
        agree(watch, model, X)
    assert "late" in watch.predict()


def test_a_class_that_is_only_announced():
    """Predictions are possible from the first row on, which changes probabilities at once."""
    X, y, _ = bands(0, 60)
    model = iboost(add="never").partial_fit(X, y, classes=[0, 1, 2])
    watch = model.watch(X)
    agree(watch, model, X)
    before = watch.predict_proba()
    agree(watch, model.partial_fit(X[:1], [2]), X)
    assert (before[:, 2] == 0).all() and (watch.predict_proba()[:, 2] > 0).all()


def test_many_classes():
    """Codes beyond 127 do not fit into a byte."""
    rng = np.random.default_rng(0)
    X, y = rng.random((300, 1)), rng.integers(100, 150, 300)
    model = iboost(add="always", n=30).partial_fit(X[:150], y[:150], classes=np.arange(150))
    watch = model.watch(X)
    agree(watch, model, X)
    agree(watch, model.partial_fit(X[150:], y[150:]), X)
    assert watch.predict().max() > 127


@pytest.mark.parametrize("make", [iboost, adaboost, ocb, flb])
@pytest.mark.parametrize("base", [None, GaussianNBClassifier(), TREE], ids=["stump", "nb", "tree"])
def test_after_fit_anew(make, base):
    """Ids of members start again; classes and features may differ."""
    X, y, _ = bands(0, 120)
    model = make(base).fit(X, y)
    watch = model.watch(X)
    agree(watch, model, X)
    for labels in (1 - y, y, np.array(["no", "yes"])[y]):
        agree(watch, model.fit(X, labels), X)


@pytest.mark.parametrize("make", [iboost, adaboost, ocb, flb])
@pytest.mark.parametrize("base", [None, GaussianNBClassifier(), TREE], ids=["stump", "nb", "tree"])
def test_after_going_back_in_time(make, base):
    """A restored state reuses ids for other members."""
    X, y, _ = bands(0, 200, noise=0.1)
    model = make(base).partial_fit(X[:60], y[:60])
    watch, early = model.watch(X), pickle.dumps(model)
    agree(watch, model.partial_fit(X[60:], y[60:]), X)
    model.__dict__ = pickle.loads(early).__dict__
    agree(watch, model, X)
    agree(watch, model.partial_fit(X[60:], 1 - y[60:]), X)


@pytest.mark.parametrize("base", [None, GaussianNBClassifier(), TREE], ids=["stump", "nb", "tree"])
def test_the_same_committee_with_other_members(base):
    X, y, _ = bands(0, 200, noise=0.1)
    model, other = iboost(base).partial_fit(X, y), iboost(base).partial_fit(X, 1 - y)
    watch = model.watch(X)
    agree(watch, model, X)
    before = watch.predict_proba()
    model.committee_.set_state(deepcopy(other.committee_).get_state())
    agree(watch, model, X)
    assert (watch.predict_proba() != before).any()


def test_parameters_changed_in_mid_stream():
    """Mixed trees and stumps are evaluated one by one, which can change the last bit."""
    X, y, w = bands(1, 400, 3, noise=0.3)
    model = flb(change_level=None).partial_fit(X[:75], y[:75])
    watch = model.watch(X)
    for estimator in (CARTClassifier(), None, GaussianNB()):
        model.set_params(estimator=estimator)
        for k in range(0, 400, 25):
            part = slice(k, k + 25)
            agree(watch, model.partial_fit(X[part], y[part], sample_weight=w[part]), X)
    boosted = iboost().partial_fit(X, y)
    watch = boosted.watch(X)
    agree(watch, boosted, X)
    agree(watch, boosted.set_params(loss="logistic"), X)


class Counted(GaussianNB):
    """Naive Bayes that counts the rows it predicted, and fails on demand."""

    requested, fails = 0, False

    def predict_proba(self, X):
        if Counted.fails:
            raise ArithmeticError("out of order")
        Counted.requested += len(X)
        return super().predict_proba(X)

    def predict(self, X):
        return self.classes_[self.predict_proba(X).argmax(axis=1)]


@pytest.mark.parametrize("make", [iboost, adaboost, ocb, flb])
def test_members_predict_each_row_once(make):
    X, y, _ = bands(0, 160, noise=0.2)
    model = make(Counted()).partial_fit(X[:100], y[:100])
    watch, known = model.watch(X), set()
    for k in range(100, 160):
        Counted.requested, members = 0, set(map(id, model.estimators_))
        watch.predict()
        watch.predict_proba()
        assert Counted.requested == len(X) * len(members - known)
        known = members
        model.partial_fit(X[k : k + 1], y[k : k + 1])


@pytest.mark.parametrize("make", [iboost, flb])
def test_a_member_that_fails_to_predict(make):
    """The watch is not affected."""
    X, y, _ = bands(0, 160, noise=0.2)
    model = make(Counted()).partial_fit(X[:80], y[:80])
    watch = model.watch(X)
    agree(watch, model, X)
    model.partial_fit(X[80:], y[80:])
    Counted.fails = True
    try:
        with pytest.raises(ArithmeticError, match="out of order"):
            watch.predict()
    finally:
        Counted.fails = False
    agree(watch, model, X)


@pytest.mark.parametrize(
    ("make", "each"),
    [(iboost, 1), (adaboost, 1), (ocb, 1), (flb, 2 * 8)],
    ids=["iboost", "adaboost", "ocb", "flb"],
)
def test_memory_is_that_of_the_members(make, each):
    X, y, _ = bands(0, 400, noise=0.3)
    model = make(GaussianNBClassifier()).partial_fit(X[:50], y[:50])
    watch, most = model.watch(X), 0
    for k in range(50, 400, 5):
        model.partial_fit(X[k : k + 5], y[k : k + 5])
        watch.predict()
        assert watch.nbytes >= model.n_members_ * len(X) * each
        most = max(most, watch.nbytes)
    assert most <= (2 * model.n_estimators + 8) * len(X) * each
    assert len(watch._cache.rows) == len(watch._keys) == model.n_members_


def test_memory_is_released():
    """After a change none of the former hundred members remains."""
    rng = np.random.default_rng(0)
    X = rng.random((800, 1))
    y = np.where((X[:, 0] > 0.5) == (np.arange(800) < 700), 1, 0)
    model = flb(n=None, block_size=20, n_per_block=4).partial_fit(X[:700], y[:700])
    watch = model.watch(X)
    agree(watch, model, X)
    large, n_large = watch.nbytes, model.n_members_
    agree(watch, model.partial_fit(X[700:740], y[700:740]), X)
    assert model.n_changes_ and model.n_members_ < n_large / 8
    assert watch.nbytes < large / 4


def test_the_rows_and_the_answers_are_copies():
    X, y, _ = bands(0, 100)
    model, rows = iboost().partial_fit(X, y), X.copy()
    watch = model.watch(rows)
    rows[:] = 0.5
    watch.predict_proba()[:] = 0.0
    watch.predict()[:] = 7
    agree(watch, model, X)


def test_pickled_watch():
    """It follows the learner that was pickled with it."""
    X, y, _ = bands(0, 120)
    model = iboost(TREE).partial_fit(X[:60], y[:60])
    watch = model.watch(X)
    agree(watch, model, X)
    for copy in (pickle.loads(pickle.dumps(watch)), deepcopy(watch)):
        assert copy.learner is not model and copy.nbytes == 0
        agree(copy, copy.learner, X)
        agree(copy, copy.learner.partial_fit(X[60:], y[60:]), X)
    agree(watch, model, X)


def test_frames():
    pd = pytest.importorskip("pandas")
    X, y, _ = bands(0, 80)
    frame = pd.DataFrame(X, columns=["a", "b"])
    model = iboost().partial_fit(frame, y)
    watch = model.watch(frame)
    agree(watch, model.partial_fit(frame, 1 - y), frame)
    with pytest.raises(ValueError, match="feature names"):
        model.watch(frame[["b", "a"]])


@pytest.mark.parametrize("make", [iboost, adaboost, ocb, flb])
def test_bad_rows(make):
    X, y, _ = bands(0, 80)
    with pytest.raises(NotFittedError, match="is not fitted yet"):
        make().watch(X)
    model = make().partial_fit(X, y)
    with pytest.raises(ValueError, match="3 features"):
        model.watch(np.zeros((5, 3)))
    with pytest.raises(ValueError, match="contains inf"):
        model.watch(np.full((5, 2), np.inf))
    watch = model.watch(X)
    model.fit(np.c_[X, X], y)
    with pytest.raises(ValueError, match=r"2 features.* expecting 4"):
        watch.predict()
    agree(watch, model.fit(X, y), X)


@pytest.mark.parametrize("n_classes", [1, 2, 3, 9, 20])
def test_packed_stumps(n_classes):
    """Predictions of all members at once equal single ones, also with few known classes."""
    rng = np.random.default_rng(n_classes)
    classes = np.arange(n_classes) * 3
    committee = Committee(classes)
    for k in range(12):
        known = rng.choice(classes, rng.integers(1, n_classes + 1), replace=False)
        X, w = rng.random((40, 2)), rng.uniform(0.1, 3.0, 40)
        stump = RatioStump().fit(X if k % 5 else X * 0, rng.choice(known, 40), sample_weight=w)
        committee.add(stump)
        if k == 6:
            assert isinstance(committee.pack(), PackedRatioStumps)
    X = rng.random((50, 2))
    probas, labels = np.zeros((12, 50, n_classes)), np.empty((12, 50), dtype=np.int32)
    for k, model in enumerate(committee):
        columns = columns_of(model, classes)
        probas[k][:, columns] = proba(model, X)
        labels[k] = codes(model, X, columns)
    for one in (committee, committee.draft()):
        np.testing.assert_array_equal(one.probas(X), probas)
        np.testing.assert_array_equal(one.labels(X), labels)
        total = one.pack().total(X, n_classes)
        np.testing.assert_array_equal(total, votes.blend(probas, np.ones(12)))


@pytest.mark.parametrize("kind", [np.int8, np.int16])
def test_counting_from_a_file(kind):
    rng = np.random.default_rng(0)
    predicted, where = rng.integers(0, 4, (9, 30)).astype(kind), np.array([3, 8, 0, 3, 5])
    weights, shares = rng.normal(size=5), rng.random((9, 30, 4))
    chosen = predicted[where].astype(np.int32)
    np.testing.assert_array_equal(
        votes.tally_cached(predicted, where, weights, 4), votes.tally(chosen, weights, 4)
    )
    np.testing.assert_array_equal(
        votes.blend_cached(shares, where), votes.blend(shares[where], np.ones(5))
    )


# one learns one data set, the others have no members
WITHOUT = {
    "BoostingClassifier",
    *(f"{name}Classifier" for name in ("FLORA2", "FLORA3", "STAGGER", "Winnow")),
}
ENSEMBLES = [
    name
    for name in driftlearn.__all__
    if hasattr(getattr(driftlearn, name), "members_") and name not in WITHOUT
]


@pytest.mark.parametrize("name", ENSEMBLES)
def test_number_of_members(name):
    rng = np.random.default_rng(0)
    X, y = rng.random((400, 2)), rng.integers(0, 2, 400)
    model = getattr(driftlearn, name)()
    with pytest.raises(NotFittedError):
        print(model.n_members_)
    seen = set()
    for k in range(0, 400, 100):
        model.partial_fit(X[k : k + 100], y[k : k + 100])
        assert type(model.n_members_) is int
        assert model.n_members_ == len(model.members_)
        seen.add(model.n_members_)
    assert max(seen) > 0


def test_which_learners_have_members():
    assert {"AutoClassifier", "DTELClassifier", "DWMClassifier"} < {*ENSEMBLES}
    can_be_watched = {name for name in ENSEMBLES if hasattr(getattr(driftlearn, name), "watch")}
    assert can_be_watched >= {
        "FLBClassifier", "IBoostClassifier", "OCBClassifier", "WindowedAdaBoostClassifier",
    }  # fmt: skip
    assert "DWMClassifier" not in can_be_watched
