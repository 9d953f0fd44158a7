"""The baselines compared with scikit-learn's and with simple loops."""

import numpy as np
import pytest
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeClassifier

from driftlearn import MajorityClassifier, NoChangeClassifier, RefitClassifier
from driftlearn.io.schema import check
from driftlearn.streams import SEA

rng = np.random.default_rng(0)
X = rng.normal(size=(300, 2))
Y = np.array(["b", "c", "a"])[np.minimum(rng.geometric(0.6, 300) - 1, 2)]


def test_no_change_predicts_the_previous_label():
    model, predicted = NoChangeClassifier(), []
    for row, label in zip(X, Y):
        if predicted or hasattr(model, "classes_"):
            predicted.append(model.predict(row[None])[0])
        model.partial_fit(row[None], [label])
    assert predicted == Y[:-1].tolist()
    assert (model.predict(X) == Y[-1]).all()


@pytest.mark.parametrize("size", [1, 7, 300])
def test_no_change_counts_repetitions(size):
    """The first label has none before it; Laplace smoothing adds one row of each kind."""
    model = NoChangeClassifier()
    for start in range(0, 300, size):
        model.partial_fit(X[start : start + size], Y[start : start + size])
    p = (1 + (Y[1:] == Y[:-1]).sum()) / 301
    expected = np.where(model.classes_ == Y[-1], p, (1 - p) / 2)
    np.testing.assert_allclose(model.predict_proba(X[:1])[0], expected)


def test_no_change_predicts_the_last_label_of_alternating_ones():
    model = NoChangeClassifier().partial_fit(X[:40], ["b", "a"] * 20)
    assert model.predict(X[:1]) == ["a"]
    model.partial_fit(X[:1], ["b"])
    assert model.predict(X[:1]) == ["b"]
    np.testing.assert_allclose(model.predict_proba(X[:1]), [[0.5, 0.5]], atol=1e-5)


def test_no_change_keeps_its_label_when_classes_come_in():
    model = NoChangeClassifier().partial_fit(X[:2], ["b", "m"])
    model.partial_fit(X[:1], ["z"], classes=["a", "m", "z"])
    assert model.predict(X[:1]).tolist() == ["z"]
    model.partial_fit(X[:2], ["m", "a"], sample_weight=[1, 0])
    assert model.predict(X[:1]).tolist() == ["m"]


@pytest.mark.parametrize("weighted", [False, True])
def test_majority_is_the_prior_of_scikit_learn(weighted):
    w = rng.random(300) if weighted else None
    # one more row, shared by the classes
    rows, labels = np.concatenate([X, X[:3]]), [*Y, "a", "b", "c"]
    weights = [*(np.ones(300) if w is None else w), *np.full(3, 1 / 3)]
    prior = DummyClassifier(strategy="prior").fit(rows, labels, sample_weight=weights)
    model = MajorityClassifier()
    for part in np.array_split(np.arange(300), 7):
        model.partial_fit(X[part], Y[part], sample_weight=None if w is None else w[part])
    np.testing.assert_array_equal(model.predict(X), prior.predict(X))
    np.testing.assert_allclose(model.predict_proba(X), prior.predict_proba(X))


def test_majority_of_a_window_ignores_older_rows():
    model = MajorityClassifier(window=40)
    for end in range(7, 301, 7):
        model.partial_fit(X[end - 7 : end], Y[end - 7 : end])
        recent = Y[max(0, end - 40) : end]
        counts = [np.count_nonzero(recent == label) for label in model.classes_]
        shares = np.add(counts, 1 / len(counts)) / (len(recent) + 1)
        np.testing.assert_allclose(model.predict_proba(X[:1])[0], shares)
    model.partial_fit(X[:40], np.full(40, "A"))
    assert model.predict(X[:1]).tolist() == ["A"]
    assert model.counts_.tolist() == [40.0, 0.0, 0.0, 0.0]


@pytest.mark.parametrize("n_chunks", [1, 2, 3])
def test_refit_is_a_fit_on_the_last_chunks(n_chunks):
    chunks = list(SEA(n_rows=700, noise=0.1, random_state=0).chunks(100))
    model = RefitClassifier(LogisticRegression(), n_chunks=n_chunks)
    for k, batch in enumerate(chunks):
        model.partial_fit(batch.X, batch.y)
        window = chunks[max(0, k + 1 - n_chunks) : k + 1]
        direct = LogisticRegression().fit(
            np.concatenate([b.X for b in window]), np.concatenate([b.y for b in window])
        )
        np.testing.assert_array_equal(model.predict_proba(batch.X), direct.predict_proba(batch.X))
        assert len(model.buffer_) == min(k + 1, n_chunks - 1)


@pytest.mark.parametrize(("n_chunks", "class_rows"), [(1, 30), (2, 60), (3, 500)])
def test_refit_keeps_the_newest_rows_of_classes_that_come_in_runs(n_chunks, class_rows):
    rng = np.random.default_rng(0)
    runs = np.repeat([0, 1, 0, 2, 1, 1, 0, 2, 2, 1], 100)
    labels = np.where(rng.random(1000) < 0.9, runs, rng.integers(0, 3, 1000))
    rows = rng.normal(size=(1000, 2)) + labels[:, None]
    model = RefitClassifier(LogisticRegression(), n_chunks, class_rows=class_rows)
    for end in range(100, 1001, 100):
        model.partial_fit(rows[end - 100 : end], labels[end - 100 : end])
        newer_of_class = [(labels[i + 1 : end] == labels[i]).sum() for i in range(end)]
        wanted = [
            i for i in range(end) if i >= end - 100 * n_chunks or newer_of_class[i] < class_rows
        ]
        direct = LogisticRegression().fit(rows[wanted], labels[wanted]).predict_proba(rows)
        np.testing.assert_allclose(model.predict_proba(rows), direct, rtol=1e-12)


def test_refit_keeps_its_rows_when_the_caller_reuses_the_array():
    same, fresh = (RefitClassifier(DecisionTreeClassifier(), 3, random_state=0) for _ in range(2))
    room = np.empty((100, 3))
    for batch in SEA(n_rows=500, random_state=0).chunks(100):
        room[:] = batch.X
        same.partial_fit(room, batch.y)
        fresh.partial_fit(batch.X.copy(), batch.y)
    np.testing.assert_array_equal(same.predict_proba(room), fresh.predict_proba(room))


def test_refit_accepts_late_classes_and_single_classes():
    model = RefitClassifier(LogisticRegression(), n_chunks=2)
    for labels in (["b"], ["b", "c"], ["a", "b"]):
        model.partial_fit(X[:40], np.resize(labels, 40))
    assert model.classes_.tolist() == ["a", "b", "c"]
    assert model.predict_proba(X).shape == (300, 3)


@pytest.mark.parametrize("bad", [0, -3, 2.5, "all"])
def test_bad_windows_are_refused(bad):
    with pytest.raises(ValueError, match="'window'"):
        MajorityClassifier(window=bad).partial_fit(X, Y)
    with pytest.raises(ValueError, match="'n_chunks'"):
        RefitClassifier(n_chunks=bad).partial_fit(X, Y)


@pytest.mark.parametrize(
    ("make", "spoil", "words"),
    [
        (
            NoChangeClassifier,
            lambda s: s.update(classes_=s["classes_"][:0]),
            "'last_' of NoChangeClassifier must be an int",
        ),
        (
            MajorityClassifier,
            lambda s: s.pop("recent_"),
            "'recent_' of MajorityClassifier is missing",
        ),
    ],
)
def test_a_state_that_cannot_be_is_refused(make, spoil, words):
    state = make().fit([[0.0], [1.0]], ["a", "b"]).__getstate__()
    check(make, state)
    spoil(state)
    with pytest.raises(ValueError, match=words):
        check(make, state)
