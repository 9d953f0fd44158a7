"""Batch boosting: the reference implementation checked by hand, and the learner against it."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

import driftlearn
from driftlearn import CARTClassifier, GaussianNBClassifier, StumpClassifier
from tests.reference.bases import cart_base, naive_bayes_base
from tests.reference.boosting import BoostingReference
from tests.reference.nse import NSEReference
from tests.reference.online_bases import stump_base

METHODS = ["m1", "m2", "arc-x4"]
BASES = {
    "cart": (cart_base(min_samples_split=10, max_depth=3)[0], lambda: CARTClassifier(max_depth=3)),
    "stump": (stump_base(laplace=0), StumpClassifier),
    "bayes": (naive_bayes_base()[0], GaussianNBClassifier),
}


def table(seed, n_classes, weighted, n=90, noise=0.15):
    """Return training rows, with bands of a sum as classes, and test rows."""
    rng = np.random.default_rng(seed)
    X = rng.random((n + 40, 3))
    y = np.minimum((X[:, :2].sum(axis=1) * n_classes / 2).astype(int), n_classes - 1)
    astray = rng.random(len(y)) < noise
    y[astray] = rng.integers(0, n_classes, astray.sum())
    w = rng.integers(0, 5, n) / 2 if weighted else np.ones(n)
    return X[:n], np.array(list("abc"))[y[:n]], w, X[n:]


class FixedProbabilities:
    """A model with these probabilities of the classes "a", "b" and "c" for rows 0, 1, ..."""

    def __init__(self, *rows):
        self.rows = np.array(rows, dtype=float)

    def proba(self, X, classes):
        return self.rows[[int(x[0]) for x in X]][:, ["abc".index(c) for c in classes]]

    def predict(self, X):
        return np.array([list("abc")[i] for i in np.argmax(self.proba(X, "abc"), axis=1)])


def prediction(labels):
    return FixedProbabilities(*np.eye(3)[["abc".index(label) for label in labels]])


class Script:
    """A train() that returns these models one after the other and records the weights."""

    def __init__(self, *models):
        self.models, self.weights = list(models), []

    def __call__(self, X, y, w, seed):
        self.weights.append(np.asarray(w).tolist())
        return self.models.pop(0)


FOUR = np.arange(4.0).reshape(-1, 1)


def test_m1_by_hand():
    base = Script(prediction("aabb"), prediction("abbc"), prediction("cccc"))
    reference = BoostingReference(base).fit(FOUR, list("aabc"))
    # errors 1/4, then 1/6 of the weights 1/6, 1/6, 1/6, 1/2, then one of 1/2 or more
    assert reference.weights == pytest.approx([math.log(3), math.log(5)])
    assert np.array(base.weights) == pytest.approx(
        np.array([[1] * 4, [2 / 3, 2 / 3, 2 / 3, 2], [0.4, 2, 0.4, 1.2]])
    )
    assert reference.scores(FOUR)[1] == pytest.approx([math.log(3), math.log(5), 0])


@pytest.mark.parametrize("method", ["m1", "m2"])
def test_boosting_ends_by_hand(method):
    reference = BoostingReference(Script(prediction("bccb")), method=method).fit(FOUR, list("aabc"))
    assert reference.weights == [1.0]
    perfect = BoostingReference(Script(prediction("aabc")), method=method).fit(FOUR, list("aabc"))
    assert perfect.weights == pytest.approx([math.log(7)])
    again = Script(prediction("aabb"), prediction("aabb"))  # the previous member has error 1/2
    assert len(BoostingReference(again, method="m1").fit(FOUR, list("aabc")).weights) == 1


def test_m2_by_hand():
    first = FixedProbabilities([0.5, 0.5, 0], [1, 0, 0], [0.25, 0.5, 0.25])
    base = Script(first, prediction("aaa"))
    reference = BoostingReference(base, n_estimators=2, method="m2").fit(
        FOUR[:3], list("aab"), [1, 2, 1]
    )
    # two classes: one wrong label a row, D = w / 4; pseudo-loss (1 + 2 * 0 + 0.75) / 8
    e = 1.75 / 8
    assert reference.weights[0] == pytest.approx(math.log((1 - e) / e))
    beta = e / (1 - e)
    D = np.array([beta**0.5, 2 * beta, beta**0.625])
    assert base.weights[1] == pytest.approx(3 * D / D.sum())
    e = (D / D.sum())[2]
    assert reference.weights[1:] == pytest.approx([math.log((1 - e) / e)])
    assert reference.scores(FOUR[:1])[0] == pytest.approx(
        [reference.weights[0] / 2 + reference.weights[1], reference.weights[0] / 2]
    )


def test_m2_shares_a_row_among_its_wrong_labels():
    first = FixedProbabilities([0.6, 0.4, 0], [0, 1, 0], [0, 0, 1])
    base = Script(first, prediction("bbc"))
    BoostingReference(base, n_estimators=2, method="m2").fit(FOUR[:3], list("abc"))
    # D = 1/6 everywhere, pseudo-loss (0.4 + 0.4 + 0.4) / 12, floored at 1/6
    beta = 1 / 5
    row = [beta ** (1.2 / 2) + beta ** (1.6 / 2), 2 * beta, 2 * beta]
    assert base.weights[1] == pytest.approx(3 * np.array(row) / sum(row))


def test_arc_x4_by_hand():
    base = Script(prediction("bbbc"), prediction("bcbc"), prediction("aabc"))
    reference = BoostingReference(base, n_estimators=3, method="arc-x4").fit(
        FOUR, list("aabc"), [1, 2, 1, 1]
    )
    first, second, third = np.array([1, 2, 1, 1]), np.array([2, 4, 1, 1]), np.array([17, 34, 1, 1])
    by_hand = [4 * p / p.sum() for p in (first, second, third)]
    assert np.array(base.weights) == pytest.approx(np.array(by_hand))
    assert reference.weights == [1, 1, 1]
    assert reference.scores(FOUR)[1].tolist() == [1, 1, 1]
    assert reference.predict(FOUR).tolist() == list("babc")


@pytest.mark.parametrize("method", METHODS)
def test_one_class_is_one_answer(method):
    reference = BoostingReference(stump_base(), 3, method).fit(FOUR, list("bbbb"))
    assert reference.predict(FOUR).tolist() == list("bbbb")
    assert len(reference.members) == (3 if method == "arc-x4" else 1)


@pytest.mark.parametrize("base", BASES)
def test_readings_differ(base):
    answers = []
    for method, resample in itertools.product(METHODS, [False, True]):
        answers.append([])
        for seed, n_classes in itertools.product([0, 1], [2, 3]):
            X, y, w, requested = table(seed, n_classes, True)
            reference = BoostingReference(BASES[base][0], method=method, resample=resample).fit(
                X, y, w
            )
            answers[-1].extend(reference.predict(requested).tolist())
    assert all(a != b for a, b in itertools.combinations(answers, 2))


@pytest.mark.parametrize("resample", [False, True])
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("base", BASES)
@pytest.mark.parametrize(
    ("seed", "n_classes", "weighted"), list(itertools.product([0, 1], [2, 3], [False, True]))
)
def test_boosting(seed, n_classes, weighted, base, method, resample):
    X, y, w, requested = table(seed, n_classes, weighted)
    train, estimator = BASES[base]
    options = {"method": method, "resample": resample, "random_state": seed}
    for n in (1, 2, 3, 5, 10):
        reference = BoostingReference(train, n, **options).fit(X, y, w)
        model = driftlearn.BoostingClassifier(estimator(), n, **options).fit(X, y, sample_weight=w)
        assert model.predict(requested).tolist() == reference.predict(requested).tolist(), n
        scores = reference.scores(requested)
        proba = scores / scores.sum(axis=1, keepdims=True)
        assert model.predict_proba(requested) == pytest.approx(proba, rel=1e-7, abs=1e-9), n
        assert len(model.estimators_) == len(reference.members), n


def test_boosting_by_default():
    X, y, w, requested = table(3, 3, True)
    reference = BoostingReference(BASES["cart"][0]).fit(X, y, w)
    model = driftlearn.BoostingClassifier(random_state=0).fit(X, y, sample_weight=w)
    assert model.predict(requested).tolist() == reference.predict(requested).tolist()


@pytest.mark.parametrize("vote", ["soft", "hard"])
@pytest.mark.parametrize("resample", [False, True])
@pytest.mark.parametrize("method", METHODS)
def test_boosting_as_the_base_of_a_chunk_ensemble(method, resample, vote):
    def train(X, y, w, seed):
        own = int(np.random.default_rng(seed).integers(2**31 - 1))  # as any base's random_state
        return BoostingReference(stump_base(laplace=0), 4, method, resample, own).fit(X, y, w)

    base = driftlearn.BoostingClassifier(StumpClassifier(), 4, method=method, resample=resample)
    model, reference = (
        driftlearn.LearnPPNSEClassifier(base, vote=vote, random_state=0),
        NSEReference(train, stochastic=True, vote=vote),
    )
    for seed in range(6):
        X, y, w, _ = table(seed, 2, True)
        if seed:
            assert model.predict(X).tolist() == reference.predict(X).tolist(), seed
        model.partial_fit(X, y, sample_weight=w)
        reference.partial_fit(X, y, w)
        assert model.members_["weight"] == pytest.approx(reference.weights), seed
