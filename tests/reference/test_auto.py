"""AutoClassifier against its reference: scripted candidates for the rules, then learners."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import SGDClassifier

from driftlearn import (
    AUE2Classifier,
    AutoClassifier,
    GaussianNBClassifier,
    HoeffdingTreeClassifier,
    OnlineBaggingClassifier,
)
from tests.reference.auto import AutoReference
from tests.reference.rows import LABELS, TREE, agree, rows

pytestmark = pytest.mark.filterwarnings("ignore:.* was dropped")


class Scripted(ClassifierMixin, BaseEstimator):
    """Predict the label at the index given in a column; x.5 makes both adjacent labels equal.

    The first `silent_rows` rows raise NotFittedError. Training fails after `fails_after` rows, and
    prediction fails if a row has the value `bad` in the column.
    """

    def __init__(self, column=0, silent_rows=0, fails_after=None, bad=None):
        self.column, self.silent_rows = column, silent_rows
        self.fails_after, self.bad = fails_after, bad

    def partial_fit(self, X, y, classes=None, sample_weight=None):
        self.n_learned_ = getattr(self, "n_learned_", 0)
        if self.n_learned_ == self.fails_after:
            raise ValueError(f"column {self.column} failed")
        self.n_learned_ += len(y)
        self.classes_ = np.unique([*getattr(self, "classes_", []), *y])
        return self

    def predict_proba(self, X):
        if self.n_learned_ < self.silent_rows:
            raise NotFittedError
        predicted = np.asarray(X)[:, self.column]
        if self.bad in predicted:
            raise OverflowError("bad row")
        near = np.abs(predicted[:, None] - np.searchsorted(LABELS_SORTED, self.classes_))
        return np.where(near < 0.7, 0.7, 0.1) / (self.column + 1)

    def predict(self, X):
        return self.classes_[np.argmax(self.predict_proba(X), axis=1)]


class Last(ClassifierMixin, BaseEstimator):
    """Predict the previous label; without probabilities and weights."""

    def partial_fit(self, X, y, classes=None):
        self.classes_, self.last_ = np.array(classes), y[-1]
        return self

    def predict(self, X):
        return np.full(len(X), self.last_)


LABELS_SORTED = np.sort(LABELS)
# accuracy of the columns in four parts of the stream; a fifth column repeats the first one
# and, in the second half, the second one
RATES = np.array(
    [
        [0.8, 0.6, 0.6, 0.4],
        [0.6, 0.8, 0.5, 0.5],
        [0.3, 0.9, 0.9, 0.7],
        [0.7, 0.2, 0.3, 0.9],
    ]
)


def script(seed, n=96, weighted=True):
    """Return rows with scripted predictions in their columns; class a occurs late."""
    rng = np.random.default_rng(seed)
    part = np.arange(n) * 4 // n
    y = np.where(part == 0, rng.integers(1, 4, n), rng.integers(0, 4, n))
    right = rng.random((n, 4)) < RATES[part]
    X = np.where(right, y[:, None], rng.integers(0, 7, (n, 4)) / 2)
    w = np.ones(n)
    if weighted:
        w = np.where(rng.random(n) < 0.15, 0.0, rng.integers(1, 12, n) / 4)
        w[np.unique(y, return_index=True)[1]] = 1.5
    return np.column_stack([X, X[np.arange(n), part // 2]]), LABELS_SORTED[y], w


def same(product, reference):
    candidates, table = reference.candidates, product.members_
    assert (np.diff(table["weight"]) <= 0).all()  # the largest weight first
    table = table.sort("id")
    assert table["id"].tolist() == [candidate.number for candidate in candidates]
    assert list(table["name"]) == [candidate.name for candidate in candidates]
    np.testing.assert_allclose(table["accuracy"], [p.accuracy for p in candidates], 1e-12)
    np.testing.assert_allclose(table["weight"], [p.voting_weight for p in candidates], 1e-12)
    assert list(zip(product.leaders_["row"], product.leaders_["leader"])) == reference.leaders
    assert set(product.dropped_) == set(reference.dropped)
    for name, why in reference.dropped.items():
        assert why in product.dropped_[name] or why == "drop_threshold"
    if reference.leader in candidates:
        assert product.best_candidate_ == reference.leader.name
        assert [p is reference.leader for p in candidates] == list(table["best"])
    elif not reference.leaders:
        assert product.best_candidate_ == candidates[0].name
    assert product.n_rows_ == reference.n_rows


def selection(learners, data, announced=None, **how):
    """Compare predictions row by row, and the final state after training in slices."""
    how = {"random_state": 0, **how}
    how = {"combine": "vote", **how}
    product, reference = AutoClassifier(learners, **how), AutoReference(learners, **how)
    agree(product, reference, data, same, announced=announced)
    X, y, w = data
    pieces, start = clone(product), 0
    for end in [1, 2, 30, 31, 77, len(y)]:
        if w[start:end].any():
            pieces.partial_fit(X[start:end], y[start:end], announced, w[start:end])
            start = end
    same(pieces, reference)
    assert np.array_equal(pieces.predict_proba(X), product.predict_proba(X))
    return reference


@pytest.mark.parametrize("combine", ["vote", "best"])
@pytest.mark.parametrize(("chunk_size", "window"), [(2, 10), (8, 24), (8, 60), (15, 5)])
def test_chunks(combine, chunk_size, window):
    """Calls need not be chunks; the last call leaves no incomplete chunk."""
    X, y, w = script(9)
    how = {"chunk_size": chunk_size, "window": window, "tolerance": 0.1, "combine": combine}
    fails = {"fails": Scripted(1, fails_after=3 * chunk_size)}
    product, reference = (
        kind(scripted() | fails, **how) for kind in (AutoClassifier, AutoReference)
    )
    for part in np.split(np.arange(len(y)), [3, 4, 31, 60, 61, 88]):
        product.partial_fit(X[part], y[part], sample_weight=w[part])
        reference.partial_fit(X[part], y[part], w[part])
        if reference.n_rows:
            same(product, reference)
    product.flush().flush()
    reference.flush()
    same(product, reference)
    assert product.n_rows_ == np.count_nonzero(w)
    assert {"fails"} < {*reference.dropped}
    assert reference.leaders
    requested = product.predict_proba(X)
    for x, probas in zip(X, requested):
        votes = np.array(reference.score_one(x))
        np.testing.assert_allclose(probas, votes / votes.sum(), 1e-9)


@pytest.mark.parametrize("combine", ["vote", "best"])
def test_chunks_of_learners(combine):
    data = rows(5, 3, True, 170)
    candidates = {
        "bayes": GaussianNBClassifier(), "bagging": OnlineBaggingClassifier(TREE, 3),
        "aue2": AUE2Classifier(GaussianNBClassifier(), 3, chunk_size=20),
    }  # fmt: skip
    how = {"chunk_size": 20, "combine": combine, "random_state": 0}
    product, reference = AutoClassifier(candidates, **how), AutoReference(candidates, **how)
    for start in range(0, 170, 17):
        part = slice(start, start + 17)
        product.partial_fit(data[0][part], data[1][part], sample_weight=data[2][part])
        reference.partial_fit(data[0][part], data[1][part], data[2][part])
        if reference.n_rows:
            same(product, reference)
    tested = AutoClassifier(candidates, **how)
    tested.test_then_train(*data[:2], sample_weight=data[2])
    assert np.array_equal(tested.predict_proba(data[0]), product.predict_proba(data[0]))


def scripted(silent_rows=(0, 0, 0, 0, 0), **more):
    return {f"scripted {k}": Scripted(k, q) for k, q in enumerate(silent_rows)} | more


@pytest.mark.parametrize("combine", ["vote", "best"])
@pytest.mark.parametrize(
    ("window", "eval_interval", "tolerance", "drop_threshold", "leaves"),
    [
        (8, 8, 0.125, 0.5, False),  # counts are whole: many are exactly at the bounds
        (8, 8, 0.125, 0.125, True),
        (16, 16, 0.25, 0.375, True),
        (16, 20, 0.05, 0.1, True),
        (40, 10, 0.01, None, False),
        (30, 7, 0.3, 0.1, True),  # the best candidate itself may be dropped
        (1000, 50, 0.01, 0.15, False),
        (5, 1, 0.02, 0.5, False),
    ],
)
def test_scripted_candidates(combine, window, eval_interval, tolerance, drop_threshold, leaves):
    how = {"window": window, "eval_interval": eval_interval, "tolerance": tolerance}
    data = script(9, weighted=eval_interval not in (1, 8))
    reference = selection(scripted(), data, combine=combine, drop_threshold=drop_threshold, **how)
    assert len(reference.leaders) > 1 or window == 1000
    assert bool(reference.dropped) == leaves


@pytest.mark.parametrize("silent_rows", [(9, 9, 9, 9, 9), (0, 0, 0, 8, 8), (0, 3, 30, 9, 60)])
@pytest.mark.parametrize("combine", ["vote", "best"])
def test_abstaining_candidates(combine, silent_rows):
    how = {"window": 16, "eval_interval": 8, "tolerance": 0.1, "drop_threshold": 0.05}
    reference = selection(
        scripted(silent_rows), script(sum(silent_rows), weighted=False), combine=combine, **how
    )
    assert reference.dropped


@pytest.mark.parametrize("combine", ["vote", "best"])
def test_candidates_that_fail(combine):
    fails = {f"fails {n}": Scripted(0, fails_after=n) for n in (0, 1, 24, 29)}
    fails["leads"] = Scripted(1, fails_after=40)
    how = {"window": 40, "eval_interval": 8, "drop_threshold": None}
    reference = selection(fails | scripted(), script(3), combine=combine, **how)
    assert {*reference.dropped} == {*fails}
    assert "leads" in [name for _, name in reference.leaders]


def test_candidates_that_fail_in_predict():
    X, y, w = script(4)
    X[[40, 50], [1, 0]] = 9
    w[[40, 50]] = 1
    candidates = scripted(queried=Scripted(1, bad=9), led=Scripted(0, bad=9))
    for size in (1, 7, 200):
        product, reference = (
            AutoClassifier(candidates, combine="vote", eval_interval=8),
            AutoReference(candidates, eval_interval=8),
        )
        for start in range(0, len(y), size):
            part = slice(start, start + size)
            if w[part].any():
                product.partial_fit(X[part], y[part], sample_weight=w[part])
                reference.partial_fit(X[part], y[part], w[part])
                same(product, reference)
        assert reference.dropped == dict.fromkeys(["queried", "led"], "OverflowError: bad row")


def test_all_fail():
    X, y, _ = script(5)
    candidates = {"a": Scripted(0, fails_after=9), "b": Scripted(1, fails_after=9)}
    product = AutoClassifier(candidates, combine="vote")
    reference = AutoReference(candidates)
    for learner in (product, reference):
        learner.partial_fit(X[:9], y[:9])
        with pytest.raises(ValueError, match="column 1 failed"):
            learner.partial_fit(X[9:10], y[9:10])


def test_the_warning():
    X, y, _ = script(6)
    product = AutoClassifier(scripted(it=Scripted(2, fails_after=5)), combine="vote")
    message = "^Candidate 'it' raised ValueError: column 2 failed and was dropped.$"
    with pytest.warns(UserWarning, match=message):
        product.partial_fit(X, y)


LEARNERS = {
    "bayes": GaussianNBClassifier(),
    "chunks": AUE2Classifier(chunk_size=20),
    "bag": OnlineBaggingClassifier(HoeffdingTreeClassifier(**TREE), 2),
    "seeded": OnlineBaggingClassifier(GaussianNBClassifier(), 2, random_state=5),
    "sgd": SGDClassifier(loss="log_loss", learning_rate="constant", eta0=0.5),
    "last": Last(),
}


@pytest.mark.parametrize(
    ("combine", "weighted", "announced"), [("vote", True, list("abcd")), ("best", False, None)]
)
def test_learners(combine, weighted, announced):
    how = {"window": 30, "eval_interval": 6, "tolerance": 0.03, "random_state": 7}
    data = rows(1, 4, weighted, n=72)
    reference = selection(LEARNERS, data, announced, combine=combine, drop_threshold=0.5, **how)
    assert len(reference.leaders) > 1
    failed = {name for name, why in reference.dropped.items() if why != "drop_threshold"}
    assert failed == ({"sgd"} if announced is None else set())
