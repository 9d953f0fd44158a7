"""Winnow, weighted majority, FLORA2/3 and STAGGER compared with their reference implementations."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin, clone

import driftlearn
from driftlearn import GaussianNBClassifier, HoeffdingTreeClassifier, NoChangeClassifier
from tests.reference.ancestor_rows import rule_rows, stagger_rows
from tests.reference.flora import FLORA2Reference, FLORA3Reference
from tests.reference.hat import AdaptiveTreeReference
from tests.reference.online_bases import OnlineHoeffding, hoeffding_maker, naive_bayes_maker
from tests.reference.rows import TREE, agree, rows
from tests.reference.stagger import STAGGERReference
from tests.reference.weighted_majority import WeightedMajorityReference
from tests.reference.winnow import WinnowReference

REFERENCES = {
    "WinnowClassifier": WinnowReference,
    "FLORA2Classifier": FLORA2Reference,
    "FLORA3Classifier": FLORA3Reference,
    "STAGGERClassifier": STAGGERReference,
}


def alike(name, reference, data, also, announced=None, **how):
    """Assert that learner and reference agree row by row, and in slices of any size."""
    product = getattr(driftlearn, name)(**how)
    agree(product, reference, data, also, announced=announced)
    X, y, w = data
    sliced = clone(product)
    for start in range(0, len(y), 37):
        part = slice(start, start + 37)
        sliced.partial_fit(X[part], y[part], announced, w[part])
    also(sliced, reference)
    return product


WINNOWS = list(
    itertools.product(
        ["winnow2", "winnow1", "balanced"], [True, False], [2.0, 1.3], [None, 2.2], [2, 3]
    )
)


@pytest.mark.parametrize("turn", range(len(WINNOWS)), ids=lambda i: str(WINNOWS[i]))
def test_winnow(turn):
    variant, complements, promotion, threshold, n_classes = WINNOWS[turn]
    how = {"promotion": promotion, "threshold": threshold, "complements": complements}
    announced = [None, list("abcd")][turn // 2 % 2]
    reference = WinnowReference(variant, **how)

    def also(product, reference):
        assert product.weights_.tolist() == reference.weights()
        assert product.threshold_ == reference.theta

    data = rule_rows(turn, 200, 4, n_classes, weighted=turn % 3 == 0, alone=turn % 5)
    alike("WinnowClassifier", reference, data, also, announced, variant=variant, **how)
    assert {None, "promoted", "demoted"} <= {*reference.happened}


class LastLabel(ClassifierMixin, BaseEstimator):
    """An external expert that does not accept weights."""

    def partial_fit(self, X, y, classes=None):
        if classes is not None:
            self.classes_ = np.asarray(classes)
        self.label_ = y[-1]
        return self

    def predict(self, X):
        return np.array([self.label_] * len(X))


class LastLabelReference:
    """Expert that learns when the accumulated weight reaches a whole row; untrained until then."""

    def __init__(self, weighs):
        self.weighs, self.saved, self.prediction = weighs, 0.0, None

    def learn_one(self, x, y, w):
        self.saved += w
        if self.weighs or self.saved >= 1:
            self.prediction = y
        self.saved %= 1

    def predict_one(self, x):
        return self.prediction


POOLS = {
    "several": [
        ("last", NoChangeClassifier(), lambda labels: lambda seed: LastLabelReference(True)),
        ("bayes", GaussianNBClassifier(), naive_bayes_maker),
        ("tree", HoeffdingTreeClassifier(**TREE), lambda labels: hoeffding_maker(labels, **TREE)),
    ],
    "two unweighted": [
        ("unweighted", LastLabel(), lambda labels: lambda seed: LastLabelReference(False)),
        ("bayes", GaussianNBClassifier(), naive_bayes_maker),
        ("other", LastLabel(), lambda labels: lambda seed: LastLabelReference(False)),
    ],
    "unweighted": [
        ("unweighted", LastLabel(), lambda labels: lambda seed: LastLabelReference(False))
    ],
    "one": [("bayes", GaussianNBClassifier(), naive_bayes_maker)],
}
MAJORITIES = list(
    itertools.product(["wm", "wml", "wmr"], [0.5, 0.83], [0.01, 0.6], POOLS, [False, True])
)[::3]  # all pairs


def weights_of(product, reference):
    assert product.members_["weight"].tolist() == reference.weights


@pytest.mark.parametrize("turn", range(len(MAJORITIES)), ids=lambda i: str(MAJORITIES[i]))
def test_weighted_majority(turn):
    variant, beta, floor, pool, weighted = MAJORITIES[turn]
    how = {"variant": variant, "beta": beta, "floor": floor, "random_state": turn}
    how["vote"] = "majority"  # last labels have no probabilities
    n_classes = [2, 4][turn % 2]
    names, learners, makers = zip(*POOLS[pool])
    labels = sorted("bcda"[-n_classes:])
    reference = WeightedMajorityReference([maker(labels) for maker in makers], **how)
    data = rows(turn, n_classes, weighted, 160)
    if weighted:
        data[2][:3] = 0.25
    estimators = list(zip(names, learners))
    product = alike("WeightedMajorityClassifier", reference, data, weights_of, None,
                    estimators=estimators, **how)  # fmt: skip
    assert list(product.members_["name"]) == list(names)
    assert len(names) == 1 or min(reference.weights) < 1
    if variant != "wml":
        assert reference.n_spared == 0
    elif floor == 0.6 and len(names) > 1:
        assert reference.n_spared > 0


def test_weighted_majority_of_the_default_pool():
    labels = list("abcd")

    def adaptive(seed):
        return OnlineHoeffding(AdaptiveTreeReference, labels)

    fast = hoeffding_maker(labels, grace_period=50, delta=0.01)
    makers = [naive_bayes_maker(labels), hoeffding_maker(labels), fast, adaptive]
    reference = WeightedMajorityReference(makers, random_state=3)
    data = rows(0, 4, True, 400)
    product = alike("WeightedMajorityClassifier", reference, data, weights_of, random_state=3)
    assert list(product.members_["name"]) == ["bayes", "tree", "fast_tree", "adaptive_tree"]


def shown(reference, items):
    return [(tuple(sorted(item)), reference.counts(item)) for item in items]


def window_and_items(product, reference):
    assert product.window_size_ == len(reference.window)
    assert product.n_drifts_ == reference.n_drifts
    assert product.ades_ == shown(reference, reference.ades())
    assert product.pdes_ == shown(reference, reference.pdes())
    assert product.ndes_ == shown(reference, reference.ndes())
    if isinstance(reference, FLORA3Reference):
        assert (product.n_concepts_, product.n_returns_) == (
            len(reference.store),
            reference.n_returns,
        )


FLORAS = {
    "default": {},
    "coverage": {"low_coverage": 0.5, "high_coverage": 0.8},
    "accuracy": {"accuracy": 0.9, "accuracy_window": 7},
    "forget": {"forget": 0.55, "min_window": 5},
    "small": {"min_window": 1, "max_window": 30, "max_items": 6, "forget": 0.05},
    "one": {"min_window": 1, "max_window": 1, "max_items": 1},
}
TWO_CLASSES = {
    "stagger": lambda: stagger_rows(1, 90),
    "stagger, turned, with weights": lambda: stagger_rows(2, 90, 4, 0.0, ("yes", "no"), True),
    "noise": lambda: stagger_rows(3, 80, 3, 0.1),
    "rules": lambda: rule_rows(4, 240),
    "rules, one class first": lambda: rule_rows(5, 200, 4, weighted=True, alone=30),
    "numbers": lambda: rows(6, 2, False, 90),
}


def pairs(settings):
    """Return the default on every stream, every setting on the first one and two of the others."""
    first, *others = TWO_CLASSES
    chosen = [("default", stream) for stream in TWO_CLASSES]
    for i, setting in enumerate([*settings][1:]):
        chosen += [(setting, first), (setting, others[i % 5]), (setting, others[(i + 2) % 5])]
    return pytest.mark.parametrize(("setting", "stream"), chosen)


@pairs(FLORAS)
@pytest.mark.parametrize(("name", "Reference"), list(REFERENCES.items())[1:3])
def test_flora(name, Reference, setting, stream):
    how = dict(FLORAS[setting])
    if Reference is FLORA3Reference and setting in ("coverage", "small"):
        how["max_concepts"] = 2
    reference, data = Reference(**how), TWO_CLASSES[stream]()
    announced = [None, sorted({*data[1]})][len(setting) % 2]
    alike(name, reference, data, window_and_items, announced, **how)
    if stream == "stagger" and setting != "one":
        expected = {"grow", "keep", "drift"} | ({"shrink"} if setting == "coverage" else set())
        assert reference.branches >= expected
        assert reference.n_bounded > 0 or setting != "small"
        if Reference is FLORA3Reference:
            assert len(reference.store) > 1
            assert reference.n_returns > 0


def elements_of(product, reference):
    roles, voting = reference.roles(), reference.voting()
    theirs = []
    for e in reference.elements:
        measures = (e.LS(roles), e.LN(roles)) if roles else (np.nan, np.nan)
        theirs.append((e.text(), e.established, e in voting, *measures))
    assert repr(product.elements_) == repr(theirs)  # nan is nan
    counts = product.n_atoms_, product.n_composites_, product.n_made_, product.n_dropped_
    assert counts == (
        len(reference.atoms()),
        len(reference.composites()),
        reference.n_made,
        reference.n_dropped,
    )


STAGGERS = {
    "default": {},
    "never": {"fading": 1.0},
    "hasty": {"fading": 0.9, "trial": 1, "max_size": 7},
    "small": {"trial": 6, "max_atoms": 4, "max_elements": 3, "max_size": 2},
    "single": {"trial": 3, "max_size": 1, "max_elements": 1},
    "atoms": {"max_elements": 0},
}


@pairs(STAGGERS)
def test_stagger(setting, stream):
    how, data = STAGGERS[setting], TWO_CLASSES[stream]()
    reference = STAGGERReference(**how)
    announced = [None, sorted({*data[1]})][len(setting) % 2]
    alike("STAGGERClassifier", reference, data, elements_of, announced, **how)
    if stream == "stagger":
        made = {"made and", "made or", "made not", "failed", "pruned", "established or"}
        assert setting in ("single", "atoms") or reference.happened >= made
        assert (reference.n_pushed > 0) == (setting in ("small", "single"))


@pytest.mark.parametrize("name", list(REFERENCES)[1:])
def test_a_third_class_is_refused(name):
    X, y, _ = stagger_rows(0, 30, 1)
    product = getattr(driftlearn, name)().partial_fit(X, y)
    before = product.predict_proba(X)
    with pytest.raises(ValueError, match="Only binary classification"):
        product.partial_fit(X[:2], ["yes", "maybe"])
    assert product.n_rows_ == 30
    assert np.array_equal(product.predict_proba(X), before)
    reference = REFERENCES[name]().partial_fit(X, y)
    with pytest.raises(ValueError, match="two classes"):
        reference.learn_one(X[0], "maybe")
