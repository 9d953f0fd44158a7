"""Missing values: learners that accept or reject them, and ensembles of both."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.utils import get_tags

import driftlearn as dl
from driftlearn import io as persist
from tests.chunk_streams import chunks
from tests.reference import rows as online_rows
from tests.reference.adwin_bagging import ADWINBaggingReference
from tests.reference.aue2 import AUE2Reference
from tests.reference.awe import AWEReference
from tests.reference.bagging import OnlineBaggingReference
from tests.reference.bases import cart_base, hoeffding_base
from tests.reference.dtel import DTELReference
from tests.reference.dwm import DWMReference
from tests.reference.forest import AdaptiveRandomForestReference, StreamingRandomPatchesReference
from tests.reference.hat import AdaptiveTreeReference
from tests.reference.nse import NSEReference
from tests.reference.oaue import OAUEReference
from tests.reference.online_bases import (
    OnlineHoeffding,
    hoeffding_maker,
    logistic_maker,
    naive_bayes_maker,
)
from tests.reference.online_boost import OnlineBoostReference
from tests.reference.sea import SEAReference
from tests.reference.tix import TIXReference

RULES = {"min_samples_split": 6, "min_samples_leaf": 1, "max_depth": None}
CART = dl.CARTClassifier(**RULES)
TRAIN, TRANSFER = cart_base(**RULES)
TREE = {"grace_period": 25, "delta": 0.2, "tie_threshold": 0.3}
BAYES = {
    "leaf_prediction": "nb"
}  # the reference knows classes in another order, which decides ties
LEARNERS = {name: getattr(dl, name)() for name in dl.__all__ if name.endswith("Classifier")}
REFUSING = {
    f"{name}Classifier"
    for name in (
        "DIC", "DYNSE", "RCD", "SMOTE", "FuzzyARTMAP", "MLPGoal",
        "Winnow", "FLORA2", "FLORA3", "STAGGER",
    )
}  # fmt: skip


def with_gaps(X, seed=0, share=0.15):
    """Return the rows with missing values, most of them in one column."""
    gaps = np.random.default_rng([seed, *X.shape]).random(X.shape)
    return np.where(gaps < share * np.array([1, 1, 3])[: X.shape[1]], np.nan, X)


def problem(n=400, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    y = np.where(X[:, 0] + 0.3 * X[:, 1] > 0, "yes", "no")
    return with_gaps(X, seed), y


def agree(product, reference, weighted):
    """Predictions, probabilities and weights agree after every chunk with missing values."""
    probe = with_gaps(np.random.default_rng(5).uniform(size=(60, 3)).round(3))
    for k, (X, y, w) in enumerate(chunks(weighted=weighted)):
        X = X if k == 1 else with_gaps(X, k)
        product.partial_fit(X, y, sample_weight=w)
        reference.partial_fit(X, y, w)
        scores = reference.scores(probe)
        np.testing.assert_array_equal(product.predict(probe), reference.predict(probe))
        expected = scores / scores.sum(axis=1, keepdims=True)
        np.testing.assert_allclose(product.predict_proba(probe), expected, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("weighted", [False, True], ids=["plain", "weighted"])
@pytest.mark.parametrize(
    ("product", "reference"),
    [
        (dl.LearnPPNSEClassifier(CART, random_state=0), lambda: NSEReference(TRAIN)),
        (dl.SEAClassifier.as_published(CART, 3, random_state=0), lambda: SEAReference(TRAIN, 3)),
        (dl.AWEClassifier(CART, random_state=0), lambda: AWEReference(TRAIN)),
        (dl.TIXClassifier(CART, 3, random_state=0), lambda: TIXReference(TRAIN, 3)),
        (dl.DTELClassifier(CART, 3, random_state=0), lambda: DTELReference(TRAIN, TRANSFER, 3)),
        (
            dl.AUE2Classifier(dl.HoeffdingTreeClassifier(**TREE, **BAYES), 3, random_state=0),
            lambda: AUE2Reference(*hoeffding_base(**TREE, **BAYES), 3),
        ),
    ],
    ids=lambda each: type(each).__name__ if hasattr(each, "fit") else "",
)
def test_chunk_learners_and_references(product, reference, weighted):
    agree(clone(product), reference(), weighted)


def adaptive_maker(seed):
    return OnlineHoeffding(lambda d: AdaptiveTreeReference(d, min_width=20, **TREE), "acd")


BASES = {
    "naive Bayes": (dl.GaussianNBClassifier(), naive_bayes_maker("acd")),
    "logistic": (dl.LogisticClassifier(), logistic_maker("acd")),
    "Hoeffding": (dl.HoeffdingTreeClassifier(**TREE), hoeffding_maker("acd", **TREE)),
    "adaptive": (dl.HoeffdingAdaptiveTreeClassifier(min_width=20, **TREE), adaptive_maker),
}
ONLINE = {
    "bagging": (dl.OnlineBaggingClassifier, OnlineBaggingReference),
    "adwin bagging": (dl.ADWINBaggingClassifier, ADWINBaggingReference),
    "forest": (dl.AdaptiveRandomForestClassifier, AdaptiveRandomForestReference),
    "patches": (dl.StreamingRandomPatchesClassifier, StreamingRandomPatchesReference),
    "oaue": (dl.OAUEClassifier, OAUEReference),
    "dwm": (dl.DWMClassifier, DWMReference),
    "onlineboost": (dl.OnlineBoostClassifier, OnlineBoostReference),
}
FEW = {"dwm": {}, "oaue": {"n_estimators": 3, "window_size": 60, "weighting": "linear"}}


@pytest.mark.parametrize("weighted", [False, True], ids=["plain", "weighted"])
@pytest.mark.parametrize("base", BASES)
@pytest.mark.parametrize("name", ONLINE)
def test_online_learners_and_references(name, base, weighted):
    (product, reference), (estimator, make) = ONLINE[name], BASES[base]
    few = FEW.get(name, {"n_estimators": 3})
    X, y, w = online_rows.rows(0, 3, weighted, n=300)
    data = np.concatenate([X[:40], with_gaps(X[40:])]), y, w
    online_rows.agree(
        product.as_published(estimator, **few, random_state=0),
        reference(make, **few, random_state=0),
        data,
        rtol=1e-7,
    )


@pytest.mark.parametrize("name", LEARNERS)
def test_missing_values_are_accepted_or_rejected(name):
    learner, (X, y) = clone(LEARNERS[name]), problem()
    takes = name not in REFUSING
    assert get_tags(learner).input_tags.allow_nan == takes
    if takes:
        probas = learner.fit(X, y).predict_proba(X)
        assert np.isfinite(probas).all()
        np.testing.assert_allclose(probas.sum(axis=1), 1.0)
        blind = get_tags(learner).classifier_tags.poor_score
        assert blind or learner.score(X, y) > 0.7
        frame = pd.DataFrame(X, columns=["a", "b", "c"]).astype("Float64")
        assert np.array_equal(clone(learner).fit(frame, y).classes_, ["no", "yes"])
    else:
        with pytest.raises(ValueError, match=f"column 0 of X contains NaN.*{name}.*Fill or encode"):
            learner.fit(X, y)
        whole = np.nan_to_num(X)
        learner.fit(whole, y)
        whole[3, 1] = np.nan
        with pytest.raises(ValueError, match="column 1 of X contains NaN"):
            learner.predict(whole)
        with pytest.raises(ValueError, match="column 'b' of X contains NaN"):
            clone(learner).fit(pd.DataFrame(whole, columns=["a", "b", "c"]), y)


@pytest.mark.parametrize("name", sorted(set(LEARNERS) - REFUSING))
def test_infinities_are_refused(name):
    X, y = problem(60)
    learner = clone(LEARNERS[name]).fit(X, y)
    for value in (np.inf, -np.inf, 1e80):
        X[2, 1] = value
        with pytest.raises(ValueError, match=r"inf|contains"):
            learner.predict(X)
        with pytest.raises(ValueError, match=r"inf|contains"):
            clone(learner).fit(X, y)


@pytest.mark.parametrize(
    "learner",
    [
        dl.LearnPPNSEClassifier(dl.MLPGoalClassifier()),
        dl.OnlineBaggingClassifier(GaussianNB()),
        dl.IBoostClassifier(LogisticRegression()),
        dl.FLBClassifier(stump_proba="distance"),
        dl.LearnPPUDNCClassifier(oversample="smote"),
        dl.AutoClassifier({"a": dl.NoChangeClassifier(), "b": dl.FuzzyARTMAPClassifier()}),
        dl.BoostingClassifier(GaussianNB()),
        dl.ACEClassifier(LogisticRegression()),
        dl.WeightedMajorityClassifier([("a", dl.NoChangeClassifier()), ("b", GaussianNB())]),
    ],
    ids=str,
)
def test_ensembles_reject_what_their_base_learner_rejects(learner):
    X, y = problem(60)
    assert not get_tags(learner).input_tags.allow_nan
    with pytest.raises(ValueError, match=r"column 0 of X contains NaN.*Fill or encode"):
        learner.fit(X, y)


@pytest.mark.parametrize(
    "kind", [dl.LearnPPNSEClassifier, dl.SEAClassifier, dl.AWEClassifier, dl.RefitClassifier]
)
def test_external_base_learner_with_missing_values(kind):
    X, y = problem(600)
    learner = kind(HistGradientBoostingClassifier(max_iter=20), random_state=0)
    for k in range(0, 600, 150):
        learner.partial_fit(X[k : k + 150], y[k : k + 150])
    assert learner.score(X, y) > 0.8


@pytest.mark.parametrize("name", sorted(set(LEARNERS) - REFUSING))
def test_slices_files_and_protocol(name):
    """Results are bit-identical after saving and loading; online learners ignore the slicing."""
    learner = clone(LEARNERS[name])
    if not hasattr(learner, "partial_fit"):
        pytest.skip("learns one data set")
    if "random_state" in learner.get_params():
        learner.set_params(random_state=0)
    X, y = problem(240)
    y[:2] = "no", "yes"
    whole = clone(learner).partial_fit(X[:120], y[:120]).partial_fit(X[120:], y[120:])
    stored = persist.dumps(clone(learner).partial_fit(X[:120], y[:120]))
    loaded = persist.loads(stored)
    assert persist.dumps(loaded) == stored
    loaded.partial_fit(X[120:], y[120:])
    assert np.array_equal(whole.predict_proba(X), loaded.predict_proba(X))
    if learner._by_row:
        rows = clone(learner).partial_fit(X[:2], y[:2])
        for k in range(2, 240):
            rows.partial_fit(X[k : k + 1], y[k : k + 1])
        assert np.array_equal(whole.predict_proba(X), rows.predict_proba(X))


def test_old_trees_send_missing_values_to_the_heavier_child():
    X, y = problem()
    model = dl.CARTClassifier(max_depth=2).fit(np.nan_to_num(X), y)
    state = {name: value for name, value in model.__getstate__().items() if "missing" not in name}
    old = dl.CARTClassifier()
    old.__setstate__(state)
    assert np.array_equal(old.missing_left_, model.missing_left_)
    assert np.array_equal(old.predict(X), model.predict(X))


def test_old_hoeffding_trees_send_missing_values_left():
    rng = np.random.default_rng(0)
    X = rng.random((500, 1))
    model = dl.HoeffdingTreeClassifier(grace_period=50).fit(X, (X[:, 0] > 0.2).astype(int)).model_
    state = model.get_state()
    del state["missing_left"]
    old = model.copy()
    old.set_state(state)
    gap = np.array([[np.nan]])
    assert (model.predict_one(gap, 0), old.predict_one(gap, 0)) == (1, 0)


def test_gain_is_weighted_by_the_share_of_present_values():
    """The gain of an attribute is weighted by the share of the rows that have it."""
    rng = np.random.default_rng(0)
    X = rng.random((1000, 2))
    y = (X[:, 0] > 0.5).astype(int)
    X[:, 1] = np.where(rng.random(1000) < 0.05, y, np.nan)
    flips = rng.random(1000) < 0.15
    model = dl.HoeffdingTreeClassifier(delta=1e-3).fit(X, np.where(flips, 1 - y, y)).model_
    assert model.get_state()["feature"][0] == 0


def test_fixed_members_of_ace_do_not_change():
    X, y = problem(150)
    model = dl.ACEClassifier(chunk_size=60, window_size=10).partial_fit(X, y)
    first, fixed = dl.CARTClassifier().fit(X[:60], y[:60]), model.estimators_[1]
    probas = np.empty((150, 2))
    fixed.scores_many(X, probas)
    assert np.array_equal(probas, first.predict_proba(X))
    assert [model.classes_[fixed.predict_one(X, i)] for i in range(150)] == first.predict(
        X
    ).tolist()
    again = persist.loads(persist.dumps(model))
    assert np.array_equal(model.predict_proba(X), again.predict_proba(X))
