"""The ensembles of online learners against their references, for every value of every option.

The reference has its own base learner too, so that nothing is shared but the specification.
"""

import itertools

import numpy as np
import pytest

from driftlearn import (
    ADWINBaggingClassifier,
    DWMClassifier,
    FLCClassifier,
    GaussianNBClassifier,
    HoeffdingTreeClassifier,
    NSOnlineBoostClassifier,
    OnlineBoostClassifier,
)
from tests.reference.adwin_bagging import ADWINBaggingReference
from tests.reference.dwm import DWMReference
from tests.reference.hoeffding import HoeffdingReference
from tests.reference.online_bases import OnlineHoeffding, hoeffding_maker, naive_bayes_maker
from tests.reference.online_boost import FLCReference, NSOnlineBoostReference, OnlineBoostReference

TREE = {"grace_period": 25, "delta": 0.2, "tie_threshold": 0.3}
BASES = {
    "naive-bayes": (GaussianNBClassifier(), naive_bayes_maker("abc")),
    "hoeffding": (HoeffdingTreeClassifier(**TREE), hoeffding_maker("abc", **TREE)),
}
BOUNDED = {"grace_period": 5, "delta": 0.5, "max_bytes": 3 * 8 * 3 * 13, "max_nodes": 17}


def bounded(seed):
    """Reference implementation that knows all three classes from the beginning."""

    def start(n_features):
        tree = HoeffdingReference(n_features, **BOUNDED)
        tree.widen(3)
        return tree

    return OnlineHoeffding(start, "abc")


def rows(n=420, seed=0):
    """Return two classes, a third between them from row 140 on; two swap at row 280."""
    rng = np.random.default_rng(seed)
    X = rng.integers(1024, size=(n, 3)) / 1024
    y = np.digitize(X[:, 0] + 0.3 * X[:, 1], [0.5, 0.8])
    noise = rng.random(n) < 0.05
    y[noise] = rng.integers(3, size=noise.sum())
    y[: n // 3][y[: n // 3] == 1] = 2
    y[-n // 3 :] = np.array([2, 1, 0])[y[-n // 3 :]]
    w = np.where(rng.random(n) < 0.1, 0.0, rng.integers(1, 12, size=n) / 4)
    w[np.unique(y, return_index=True)[1]] = 1.0
    return X, np.array(["a", "b", "c"])[y], w


def agree(product, reference, weighted=False, n=420, at_once=False):
    """Predictions, scores, members and the generator agree, wherever the calls are cut.

    With `at_once` there are rows of all classes in the first call.
    """
    X, y, w = rows(n)
    if at_once:
        y[:3] = "a", "b", "c"
    probe = np.random.default_rng(5).uniform(size=(40, 3)).round(3)
    for part in np.split(np.arange(n), [4 if at_once else 2, 5, 100, 200, 300]):
        product.partial_fit(X[part], y[part], sample_weight=w[part] if weighted else None)
        reference.partial_fit(X[part], y[part], w[part] if weighted else None)
        np.testing.assert_array_equal(product.classes_, reference.classes)
        np.testing.assert_array_equal(product.predict(probe), reference.predict(probe))
        scores = reference.scores(probe)
        voted = scores.any(axis=1)
        scores /= np.where(voted, scores.sum(axis=1), 1.0)[:, None]
        scores[~voted] = 1 / len(reference.classes)
        np.testing.assert_allclose(product.predict_proba(probe), scores, rtol=1e-9, atol=1e-12)
    assert product.n_rows_ == reference.n_rows
    assert product.rng_.random() == reference.rng.random()


def options(**choices):
    """Return every combination of options as keyword dicts with readable ids."""
    chosen = [dict(zip(choices, values)) for values in itertools.product(*choices.values())]
    return [pytest.param(c, id="-".join(f"{k}={v}" for k, v in c.items())) for c in chosen]


WEIGHTED = pytest.mark.parametrize("weighted", [False, True], ids=["plain", "weighted"])
BASE = pytest.mark.parametrize("base", list(BASES))
VOTES = ["majority", "soft"]
DETECTOR = pytest.mark.parametrize(
    "detector",
    [
        {"detector": "adwin", "delta": 0.5},
        {"detector": "sd", "window_size": 60, "k_sd": 2.0, "min_sub": 10},
        {"detector": "sd", "window_size": 8, "k_sd": 1.2, "min_sub": 4},
    ],
    ids=["adwin", "sd", "sd-short"],
)


def boosted(product, reference, weighted=False):
    """Check agreement, also of the sums of each member of a chain."""
    agree(product, reference, weighted)
    table = product.members_
    weights = [member.vote_weight() for member in reference.members]
    voting = table["weight"] > 0
    np.testing.assert_allclose(table["weight"][voting], np.array(weights)[voting], rtol=1e-12)
    errors = [np.nan if m.error() is None else m.error() for m in reference.members]
    np.testing.assert_allclose(table["error"], errors, rtol=1e-12)


@WEIGHTED
@BASE
@pytest.mark.parametrize("how", options(n_estimators=[1, 7], vote=VOTES))
def test_online_boost(base, how, weighted):
    estimator, make = BASES[base]
    product = OnlineBoostClassifier.as_published(estimator, random_state=3, **how)
    boosted(product, OnlineBoostReference(make, random_state=3, **how), weighted)


def restarted(product, reference, weighted):
    """Check agreement of a chain that restarts at least once."""
    boosted(product, reference, weighted)
    assert product.n_restarts_ == reference.n_restarts > 0
    assert product.committee_.n_admitted >= product.n_members_ * (1 + product.n_restarts_)
    assert product.members_["created_at"].min() > 1


@WEIGHTED
@BASE
@pytest.mark.parametrize("how", options(n_estimators=[1, 7], restart_delta=[0.2, 0.5], vote=VOTES))
def test_online_boost_restarts(base, how, weighted):
    estimator, make = BASES[base]
    product = OnlineBoostClassifier.as_published(estimator, random_state=3, **how)
    restarted(product, OnlineBoostReference(make, random_state=3, **how), weighted)


@WEIGHTED
@BASE
@pytest.mark.parametrize(
    "how", options(window_size=[5, 50], period=[15], maturity=[1, 70], vote=VOTES)
)
def test_nsonline_boost(base, how, weighted):
    estimator, make = BASES[base]
    product = NSOnlineBoostClassifier.as_published(estimator, 5, random_state=3, **how)
    reference = NSOnlineBoostReference(make, 5, random_state=3, **how)
    boosted(product, reference, weighted)
    assert product.members_["id"].max() > 5


@WEIGHTED
@DETECTOR
@pytest.mark.parametrize(
    "how", options(replace_worst_on_change=[False, True], n_estimators=[1, 6], vote=VOTES)
)
def test_flc(detector, how, weighted):
    estimator, make = BASES["naive-bayes"]
    product = FLCClassifier.as_published(estimator, random_state=3, **detector, **how)
    reference = FLCReference(make, random_state=3, **detector, **how)
    boosted(product, reference, weighted)
    assert product.n_changes_ == reference.n_changes > 0
    assert product.n_restarts_ == 0


@WEIGHTED
@DETECTOR
@pytest.mark.parametrize(
    "how", options(replace_worst_on_change=[False, True], n_estimators=[1, 6], vote=VOTES)
)
def test_flc_restarts(detector, how, weighted):
    how = {**detector, **how, "restart_on_change": True}
    estimator, make = BASES["naive-bayes"]
    product = FLCClassifier.as_published(estimator, random_state=3, **how)
    reference = FLCReference(make, random_state=3, **how)
    restarted(product, reference, weighted)
    assert product.n_changes_ == reference.n_changes


@pytest.mark.parametrize(
    "how", options(delta=[0.002, 0.5], restart_on_change=[False, True], vote=VOTES)
)
def test_flc_over_trees(how):
    estimator, make = BASES["hoeffding"]
    product = FLCClassifier.as_published(estimator, 4, random_state=1, **how)
    reference = FLCReference(make, 4, random_state=1, **how)
    boosted(product, reference)
    assert (product.n_changes_, product.n_restarts_) == (reference.n_changes, reference.n_restarts)


@WEIGHTED
@BASE
@pytest.mark.parametrize("how", options(replace=["worst", "fired"], vote=VOTES))
def test_adwin_bagging(base, how, weighted):
    estimator, make = BASES[base]
    product = ADWINBaggingClassifier.as_published(estimator, 6, delta=0.4, random_state=3, **how)
    reference = ADWINBaggingReference(make, 6, delta=0.4, random_state=3, **how)
    agree(product, reference, weighted)
    assert product.n_replaced_ == reference.n_replaced > 0
    estimates = [detector.estimate for detector in reference.detectors]
    np.testing.assert_array_equal(product.members_["error"], estimates)


def dwm(base, weighted, **how):
    estimator, make = BASES[base]
    product = DWMClassifier.as_published(estimator, random_state=3, **how)
    reference = DWMReference(make, random_state=3, **how)
    agree(product, reference, weighted)
    np.testing.assert_array_equal(product.members_["weight"], reference.weights)
    assert product.members_["id"].max() > 1


@WEIGHTED
@BASE
@pytest.mark.parametrize("vote", VOTES)
@pytest.mark.parametrize(
    "how",
    [
        {"period": 1, "n_estimators": 4, "beta": 0.7, "theta": 0.3},
        {"period": 7, "n_estimators": None, "beta": 0.3, "theta": 0.0},
        {"period": 7, "n_estimators": 1},
    ],
    ids=["four", "all", "one"],
)
def test_dwm(base, how, vote, weighted):
    dwm(base, weighted, vote=vote, **how)


@WEIGHTED
@pytest.mark.parametrize("vote", VOTES)
@pytest.mark.parametrize(
    "how",
    options(period=[1, 7], n_estimators=[1, 4], window_size=[1, 50], online_update=[True, False]),
)
def test_dwm_windowed(how, vote, weighted):
    dwm("naive-bayes", weighted, variant="windowed", vote=vote, **how)


@pytest.mark.parametrize("vote", VOTES)
def test_dwm_windowed_over_trees(vote):
    dwm("hoeffding", True, variant="windowed", period=5, n_estimators=None, vote=vote)


@WEIGHTED
@pytest.mark.parametrize("ensemble", ["dwm", "adwin-bagging"])
def test_bounded_trees(ensemble, weighted):
    estimator = HoeffdingTreeClassifier(**BOUNDED)
    if ensemble == "dwm":
        product = DWMClassifier.as_published(estimator, n_estimators=3, period=20, random_state=3)
        reference = DWMReference(bounded, n_estimators=3, period=20, random_state=3)
    else:
        product = ADWINBaggingClassifier.as_published(estimator, 4, delta=0.4, random_state=3)
        reference = ADWINBaggingReference(bounded, 4, delta=0.4, random_state=3)
    agree(product, reference, weighted, at_once=True)
    trees = product.estimators_
    assert max(tree.n_active for tree in trees) == 3 < max(tree.leaves.n_leaves for tree in trees)
