"""Online stacking, RefitClassifier and OneHotLogisticClassifier compared with their references."""

from __future__ import annotations

import copy
import math
import warnings

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import SGDClassifier

from driftlearn import (
    AUE2Classifier,
    GaussianNBClassifier,
    OneHotLogisticClassifier,
    OnlineStackingClassifier,
    RefitClassifier,
)
from tests.reference.rows import LABELS
from tests.reference.stacking import (
    Frequencies,
    OneHotLogisticReference,
    RefitReference,
    StackingReference,
    softmax,
    some_rows,
)


class Bins(ClassifierMixin, BaseEstimator):
    """Class frequencies in bins of a column; nan and errors on demand.

    Parameters
    ----------
    column : int
        Index of the column.
    confidence : float
        Power of the frequencies.
    abstains_above : float
        Rows with a larger value in the last column get nan.
    fails_at, cannot_predict_at : int
        Call of `partial_fit` that raises; number of calls after which `predict_proba` raises.
    """

    def __init__(
        self, column=0, confidence=1.0, abstains_above=2.0, fails_at=0, cannot_predict_at=0
    ):
        self.column, self.confidence, self.abstains_above = column, confidence, abstains_above
        self.fails_at, self.cannot_predict_at = fails_at, cannot_predict_at

    def partial_fit(self, X, y, classes=None, sample_weight=None):
        w = np.ones(len(y)) if sample_weight is None else sample_weight
        self.n_calls_ = getattr(self, "n_calls_", 0) + 1
        if self.n_calls_ == self.fails_at:
            raise ValueError("as requested")
        old = getattr(self, "counts_", {})
        self.counts_ = {c: old.get(c, np.ones(4)) for c in sorted({*old, *y.tolist()})}
        for x, label, weight in zip(X, y.tolist(), w):
            self.counts_[label] = self.counts_[label].copy()
            self.counts_[label][self.bin(x)] += weight
        self.classes_ = np.array([*self.counts_])
        return self

    def bin(self, x):
        return min(max(int(x[self.column] * 4), 0), 3)

    def predict_proba(self, X):
        if self.n_calls_ == self.cannot_predict_at:
            raise ValueError("not now")
        rows = []
        for x in X:
            powers = [counts[self.bin(x)] ** self.confidence for counts in self.counts_.values()]
            row = np.array(powers) / sum(powers)
            rows.append(row * (math.nan if x[-1] > self.abstains_above else 1.0))
        return np.array(rows)


class Unweighted(Bins):
    """Bins without row weights."""

    def partial_fit(self, X, y, classes=None):
        return super().partial_fit(X, y)


CANDIDATES = {
    "first": Bins(),
    "second": Unweighted(1, confidence=3.0),
    "gaps": Bins(1, 0.5, abstains_above=0.6),
    "bayes": GaussianNBClassifier(),
}


def chunks(n_chunks=14, n_classes=2, weighted=False, late=0, seed=0):
    """Return bands of a sum that change their classes in the middle; the last class is `late`.

    The last class sorts first. There are 7 to 30 rows in a chunk.
    """
    rng = np.random.default_rng([seed, n_classes, n_chunks])
    for k in range(n_chunks):
        n = int(rng.integers(7, 31))
        X = rng.integers(1024, size=(n, 3)) / 1024
        y = np.minimum((X[:, 0] + 0.5 * X[:, 1]) / 1.5 * n_classes, n_classes - 1).astype(int)
        y = (y + (k >= n_chunks // 2)) % n_classes
        wrong = rng.random(n) < 0.1
        y[wrong] = rng.integers(n_classes, size=wrong.sum())
        if k < late:
            y[y == n_classes - 1] = 0
        w = rng.integers(0, 12, size=n) / 4 if weighted else np.ones(n)
        yield X, LABELS[-n_classes:][y], w


def as_arrays(reference):
    """Return a reference's stored chunks as the learner stores them: (rows, members, classes)."""
    for z, labels, w in reference.stored:
        members = reference.members()
        yield np.array([[z[m][c] for c in reference.seen] for m in members]), labels, w


def agree_now(product, reference, X, fitted_now=True):
    """Assert equal states; fitted weights are compared within the learner's tolerance."""
    combination, members = product.combination_, reference.members()
    assert [*product.candidates_] == members
    assert [*product.dropped_] == reference.dropped
    assert product.classes_.tolist() == reference.classes
    assert product.classes_[product.seen_].tolist() == reference.seen
    np.testing.assert_allclose(combination.shares, [*reference.share.values()], 1e-9)
    assert len(combination.chunks) == len(reference.stored)
    for ours, (z, labels, w) in zip(combination.chunks, as_arrays(reference)):
        np.testing.assert_allclose(ours.z, z.transpose(2, 0, 1), 1e-9)
        assert np.array(reference.seen)[ours.y].tolist() == labels
        np.testing.assert_allclose(ours.w, w, 1e-9)
    same_weights = copy.copy(reference)
    same_weights.fitted = []
    for k, (decay, theta) in enumerate(zip(reference.decays, combination.stacked)):
        weights = dict(zip(members, theta))
        biases = dict(zip(reference.seen, theta[len(members) :]))
        same_weights.fitted.append((weights, biases))
        if reference.fitted[k] is None:
            np.testing.assert_allclose(theta[: len(members)], 1 / len(members), 1e-12)
            assert not theta[len(members) :].any()
        elif fitted_now:
            ours = reference.objective(decay, weights, biases)[0]
            best = reference.objective(decay, *reference.fitted[k])[0]
            assert best - 1e-9 <= ours <= best + 1e-4 * (1 + best), decay
    found = product.predict_proba(X)
    np.testing.assert_allclose(found, same_weights.predict_proba(X), 1e-9)
    np.testing.assert_allclose(found, reference.predict_proba(X), atol=5e-3)
    assert product.predict(X).tolist() == same_weights.predict(X)
    np.testing.assert_allclose(product.weights_, [*same_weights.combination()[0].values()], 1e-9)


def agree(data, candidates=None, announced=(), **params):
    """Assert equal states before every chunk and after the last."""
    candidates = CANDIDATES if candidates is None else candidates
    product = OnlineStackingClassifier(candidates, **params)
    reference = StackingReference(candidates.items(), **params)
    for X, y, w in data:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message="Candidate .* raised")
            n_dropped = len(reference.dropped)
            product.partial_fit(X, y, announced or None, w)
            reference.partial_fit(X, y, w, announced)
            if reference.step:
                agree_now(product, reference, X[:8], n_dropped == len(reference.dropped))
    return product, reference


# by hand


def test_class_frequencies_by_hand():
    frequencies = Frequencies(2)
    assert frequencies.proba(["a", "b"]) == [0.5, 0.5]
    for labels, w in (("aab", [1, 2, 1]), ("bb", [1, 0.5]), ("cb", [2, 1])):
        frequencies.learn(np.array(list(labels)), w)
    assert frequencies.proba(["a", "b", "c", "d"]) == pytest.approx(
        [1 / 7.5, 3.5 / 7.5, 3 / 7.5, 0]
    )


def test_fixed_share_by_hand():
    reference = StackingReference([("a", Bins())])
    z = {
        "a": {"x": np.log([0.5, 0.001]), "y": np.log([0.5, 0.999])},
        "class frequencies": {"x": np.log([0.8, 0.8]), "y": np.log([0.2, 0.2])},
    }
    reference.update_share(z, ["x", "x"], [3, 1])
    losses = [(3 * math.log(2) + math.log(100)) / 4, -math.log(0.8)]
    first, second = (math.exp(0.9 * math.log(0.5) - 8 * loss) for loss in losses)
    shares = [0.98 * v / (first + second) + 0.01 for v in (first, second)]
    assert [*reference.share.values()] == pytest.approx(shares)


def test_some_rows_by_hand():
    at, w = some_rows(np.zeros(9), [1] * 8 + [3], 3)
    assert at == [0, 4, 8]
    assert w == pytest.approx([2.2, 2.2, 6.6])


def test_the_gradient_of_the_objective():
    reference = StackingReference(CANDIDATES.items())
    for X, y, w in chunks(11, 3, weighted=True):
        reference.partial_fit(X, y, w)
    weights, biases = reference.combination()
    _, by_member, by_label = reference.objective(0.9, weights, biases)
    for of, by in ((weights, by_member), (biases, by_label)):
        for key in of:
            of[key] += 1e-6
            above = reference.objective(0.9, weights, biases)[0]
            of[key] -= 2e-6
            below = reference.objective(0.9, weights, biases)[0]
            of[key] += 1e-6
            assert (above - below) / 2e-6 == pytest.approx(by[key], abs=1e-4)


# OnlineStackingClassifier


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("n_classes", [2, 3, 4])
def test_stacking(n_classes, weighted):
    agree(chunks(16, n_classes, weighted))


@pytest.mark.parametrize("delay", [1, 3, 9])
def test_late_labels(delay):
    agree(chunks(14, 3, weighted=True, late=12), delay=delay)


@pytest.mark.parametrize("late", [1, 5, 9, 12])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_new_classes(n_classes, late):
    agree(chunks(14, n_classes, late=late), delay=1)


@pytest.mark.parametrize("late", [0, 11])
def test_announced_classes(late):
    agree(chunks(14, 3, late=late), announced=["0", "a", "b", "c", "d", "z"])


@pytest.mark.parametrize("window", [3, 4, 6])
def test_windows(window):
    agree(chunks(15, 3, weighted=True, late=9), window=window)


@pytest.mark.parametrize("decays", [(1.0,), (0.5,), (0.9, 0.3, 0.97)])
def test_decays(decays):
    agree(chunks(14), decays=decays)


@pytest.mark.parametrize("class_weight", ["balanced", {"c": 4.0}, {"a": 0.1, "d": 3.0}])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_class_weights(n_classes, class_weight):
    data = chunks(14, n_classes, weighted=True)
    if n_classes == 2 and isinstance(class_weight, dict):
        class_weight = {label: v for label, v in class_weight.items() if label in "da"}
    agree(data, class_weight=class_weight)


@pytest.mark.parametrize("chunk_size", [1, 13, 40])
def test_chunk_size(chunk_size):
    agree(chunks(min(chunk_size, 16), 3), chunk_size=chunk_size)


@pytest.mark.parametrize("delay", [0, 2])
@pytest.mark.parametrize("fails_at", [1, 5, 9, 12])
def test_dropped_candidates(fails_at, delay):
    candidates = {**CANDIDATES, "second": Bins(fails_at=fails_at), "last": Bins(fails_at=13)}
    _, reference = agree(chunks(16, 3), candidates, delay=delay)
    assert reference.dropped == ["second", "last"]


def test_a_candidate_that_needs_its_classes_in_advance():
    """SGDClassifier is dropped at a class that was not announced."""
    candidates = {**CANDIDATES, "sgd": SGDClassifier(loss="log_loss", random_state=0)}
    _, reference = agree(chunks(14, 3, late=11), candidates)
    assert reference.dropped == ["sgd"]
    _, reference = agree(chunks(14, 3, late=11), candidates, announced=list("bcda"))
    assert reference.dropped == []


def test_the_error_of_the_last_candidate_is_raised():
    agree(chunks(10), {"one": Bins(fails_at=11), "other": Bins(fails_at=2)})
    with pytest.raises(ValueError, match="as requested"):
        agree(chunks(13), {"one": Bins(fails_at=11), "other": Bins(fails_at=2)})


@pytest.mark.parametrize("delay", [0, 2])
def test_untrained_and_failing_candidates_abstain(delay):
    candidates = {
        "buffers": AUE2Classifier(GaussianNBClassifier(), chunk_size=90),
        "fails": Bins(cannot_predict_at=11),
        "abstains": Bins(abstains_above=0.0),
    }
    _, reference = agree(chunks(14, 3), candidates, delay=delay)
    assert reference.dropped == []


def test_rows_of_long_chunks():
    """With twenty classes, two hundred rows of a chunk are stored."""
    rng = np.random.default_rng(5)
    data = []
    for _ in range(11):
        X = rng.random((230, 3))
        data.append((X, (20 * X[:, 0] * X[:, 1]).astype(int), rng.integers(1, 5, 230) / 2))
    _, reference = agree(data, {"first": Bins(), "second": Bins(1)})
    assert {len(labels) for _, labels, _ in reference.stored} == {200}


@pytest.mark.parametrize(
    "decision",
    [
        "balanced",
        {"d": 5.0},
        {("d", "c"): 0.0, "a": 2.0},
        {"d": 20.0, ("d", "c"): 0.1},
        {("d", "c"): 0.1, "d": 20.0},
    ],
)
def test_decisions(decision):
    agree(chunks(12, 3), decision=decision, announced=["z"])


def test_softmax_by_hand():
    assert softmax([1000 + math.log(2), 1000 + math.log(6)]) == pytest.approx([0.25, 0.75])


# RefitClassifier


class Recorder(ClassifierMixin, BaseEstimator):
    """Records the rows of `fit`."""

    def fit(self, X, y, sample_weight=None):
        self.classes_ = np.unique(y)
        w = np.ones(len(y)) if sample_weight is None else sample_weight
        self.rows_ = np.array(sorted(zip(X[:, 0], X[:, 1], y == "d", w)))
        return self

    def predict(self, X):
        return np.full(len(X), self.classes_[0])


@pytest.mark.parametrize(
    "params",
    [
        {},
        {"n_chunks": 1},
        {"n_chunks": 3, "every": 4},
        {"n_chunks": None, "every": 7},
        {"n_chunks": None, "every": 6, "growth": 1.25},
        {"n_chunks": None, "every": 28, "growth": 2.0},
        {"n_chunks": None, "every": 3, "until": 8},
        {"class_rows": 4, "until": 1},
        {"max_rows": 0},
        {"max_rows": 20},
        {"max_rows": 50},
        {"max_rows": 0, "class_rows": 6},
        {"n_chunks": None, "max_rows": 120, "every": 2},
        {"n_chunks": 2, "class_rows": 5},
        {"n_chunks": 1, "class_rows": 30, "every": 3},
        {"n_chunks": 4, "class_rows": 40, "max_rows": 25, "growth": 1.5, "every": 4},
    ],
)
@pytest.mark.parametrize("class_weight", [None, "balanced", {"d": 3.0}])
def test_refit(params, class_weight):
    product = RefitClassifier(Recorder(), **params, class_weight=class_weight)
    reference = RefitReference(Recorder(), **params, class_weight=class_weight)
    rng = np.random.default_rng(1)
    for k, (X, y, w) in enumerate(chunks(24, 3, weighted=True)):
        y = y.copy()
        y[(y == "d") & (rng.random(len(y)) < 0.9)] = "c"  # a rare class
        y[:2], w[:2] = ["a", "c"], 1.0  # the estimator is not trained on a single class
        product.partial_fit(X, y, None, w)
        reference.partial_fit(X, y, w)
        ours, theirs = product.committee_.models[0].rows_, reference.model.rows_
        np.testing.assert_allclose(ours, theirs, 1e-12, err_msg=str(k))
        lengths = [len(chunk) for chunk in product.buffer_ if len(chunk)]
        assert lengths == [len(chunk) for chunk in reference.stored if chunk]


# OneHotLogisticClassifier


def table(n=300, n_classes=2, weighted=False, seed=0):
    """Return two numeric columns (one with gaps, one constant) and two nominal ones."""
    rng = np.random.default_rng([seed, n])
    X = rng.normal(5, 3, size=(n, 5))
    X[rng.random(n) < 0.2, 1] = np.nan
    X[:, 2] = 7.25
    X[:, 3] = rng.integers(0, 4, n)
    X[:, 4] = np.minimum(rng.geometric(0.2, n), 30)
    X[rng.random(n) < 0.1, 4] = np.nan
    y = (X[:, 0] + 4 * (X[:, 3] == 1) + rng.normal(size=n)).astype(int) % n_classes
    w = rng.integers(0, 9, size=n) / 4 if weighted else np.ones(n)
    return X, LABELS[-4:][y], w


def same_logistic(data, nominal=(3, 4), rtol=1e-5, **params):
    X, y, w = data
    product = OneHotLogisticClassifier(**params, nominal_features=list(nominal))
    product.fit(X, y, w)
    reference = OneHotLogisticReference(**params, nominal=nominal)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        reference.fit(X, y, w)
    fresh, _, _ = table(60, seed=1)
    fresh[:5, 4] = 77
    fresh[5:9, 3] = np.nan
    fresh[9:12, 0] = 1e4
    fresh[12, 2] = np.nan
    ours, theirs = product.predict_proba(fresh), reference.predict_proba(fresh)
    np.testing.assert_allclose(ours, theirs, rtol, 1e-9)
    assert product.classes_.tolist() == reference.classes
    return product, reference


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("n_classes", [2, 3, 4])
def test_one_hot(n_classes, weighted):
    same_logistic(table(300, n_classes, weighted))


@pytest.mark.parametrize(
    "params",
    [
        {"C": 0.01},
        {"C": 10.0, "max_iter": 200},
        {"max_iter": 1},
        {"max_iter": 5},
        {"min_frequency": 1},
        {"min_frequency": 40},
        {"min_frequency": 1000},
        {"max_categories": 0},
        {"max_categories": 1},
        {"max_categories": 3, "min_frequency": 5},
        {"class_weight": "balanced"},
        {"class_weight": {"b": 5.0}},
    ],
)
def test_options_of_one_hot(params):
    product, reference = same_logistic(table(300, 3, weighted=True), **params)
    for f, values in zip((3, 4), product.categories_):
        assert np.nan_to_num(values, nan=math.inf).tolist() == reference.columns[f]


@pytest.mark.parametrize("nominal", [(), (4,), (0, 1, 2, 3, 4)])
def test_nominal_columns_of_one_hot(nominal):
    same_logistic(table(200), nominal, min_frequency=2)


def test_equally_frequent_values():
    X = np.repeat(np.arange(6.0), 12)[:, None] * np.ones(5)
    y = np.where(np.arange(72) % 5 < 2, "a", "b")
    _, reference = same_logistic((X, y, np.ones(72)), (0, 4), max_categories=3)
    assert reference.columns[0] == [0, 1, 2]


@pytest.mark.parametrize("total", [1.0, 9.99, 10.0])
def test_little_weight(total):
    X, y, _ = table(40, 3)
    _, reference = same_logistic((X, y, np.full(40, total / 40)))
    assert (reference.model is None) == (total < 9.995)


def test_one_class_of_one_hot():
    X, y, w = table(40)
    same_logistic((X, np.full(len(y), "a"), w))
