"""Prediction sets of models: coverage under drift, late labels, new labels, files, coverages."""

import numpy as np
import pytest

import driftlearn as dl
from driftlearn.io import dumps, loads
from driftlearn.io.schema import InvalidStateError
from driftlearn.model_selection import PredictionSets

MODELS = {"bayes": dl.GaussianNBClassifier(), "majority": dl.MajorityClassifier()}


def rows(n_rows, seed=0, swapped_at=None):
    """Return rows of three overlapping classes; two exchange their places at a row."""
    rng = np.random.default_rng(seed)
    y = rng.integers(3, size=n_rows)
    place = y.copy()
    if swapped_at is not None:
        place[swapped_at:] = np.array([1, 0, 2])[y[swapped_at:]]
    return rng.normal(place[:, None] * [1.2, -1.2], 1.0), np.array(["a", "b", "c"])[y]


def covered(model, X, y, size, **how):
    """Return whether the sets contain the labels, which are learned afterwards, and the sizes."""
    right, sizes = [], []
    for begin in range(0, len(y), size):
        some = slice(begin, begin + size)
        if begin:
            found = model.predict_set(X[some], allow_empty=True, **how)
            places = np.searchsorted(model.classes_, y[some])
            right += found[np.arange(len(places)), places].tolist()
            sizes += found.sum(axis=1).tolist()
        model.partial_fit(X[some], y[some])
    return np.array(right), np.array(sizes)


@pytest.mark.parametrize("coverage", [0.7, 0.9])
def test_coverage_row_by_row_with_drift(coverage):
    X, y = rows(3_400, swapped_at=700)
    model = dl.AutoClassifier({"bayes": dl.GaussianNBClassifier()}, random_state=0)
    model.partial_fit(X[:1], y[:1])
    model.partial_fit(X[1:900], y[1:900])
    right, sizes = covered(model, X[900:], y[900:], 1, coverage=coverage)
    within = np.convolve(right, np.full(2_000, 1 / 2_000), "valid")
    assert np.abs(within - coverage).max() <= 0.015
    assert sizes.mean() < 3


@pytest.mark.parametrize("delay", [0, 2])
def test_coverage_with_tables_and_late_labels(delay):
    X, y = rows(9_000, swapped_at=4_000)
    model = dl.OnlineStackingClassifier(MODELS, delay=delay)
    right, _ = covered(model, X, y, 100, coverage=0.8)
    assert right[1_000:].mean() == pytest.approx(0.8, abs=0.02)
    assert right[-3_000:].mean() == pytest.approx(0.8, abs=0.03)
    assert model.sets_.n_rows == 100 * (90 - delay - 1)
    assert (model.sets_.end - model.sets_.known == 100 * (delay + 1)).mean() > 0.9


def test_labels_have_their_coverage_each():
    X, y = rows(6_000)
    some = (y != "c") | (np.arange(6_000) % 5 == 0)  # a rare label
    X, y = X[some], y[some]
    model = dl.OnlineStackingClassifier(MODELS)
    right, _ = covered(model, X, y, 100, coverage=0.85, by_label=True)
    for label in "abc":
        assert right[y[100:] == label][-500:].mean() == pytest.approx(0.85, abs=0.05)


def test_rows_in_any_split_give_the_same_sets():
    X, y = rows(1_200)
    models = [dl.AutoClassifier(MODELS, combine="vote", random_state=0) for _ in range(2)]
    models[0].partial_fit(X, y)
    for begin in range(0, 1_200, 37):
        models[1].partial_fit(X[begin : begin + 37], y[begin : begin + 37])
    scores = [model.sets_ for model in models]
    assert np.array_equal(scores[0].p_values, scores[1].p_values, equal_nan=True)
    found = [model.predict_set(X[:50], 0.8) for model in models]
    assert np.array_equal(*found)


@pytest.mark.parametrize("chunk_size", [None, 1, 100])
def test_saved_models_give_the_same_sets(chunk_size):
    X, y = rows(2_150)
    model = dl.AutoClassifier(MODELS, chunk_size=chunk_size, combine="vote", random_state=0)
    for begin in range(0, 2_150, 50):
        model.partial_fit(X[begin : begin + 50], y[begin : begin + 50])
        if begin % 300 == 100:
            model.predict_set(X[:2], 0.8)  # answered by a replay that goes on
    restored = loads(dumps(model))
    for each in (model, restored):
        each.partial_fit(X[:50], y[:50])
    for coverage in (0.8, 0.95):
        for by_label in (False, True):
            found = [each.predict_set(X, coverage, by_label=by_label) for each in (model, restored)]
            assert np.array_equal(*found)
    assert len(model.sets_.y) <= 3_000


def test_stacking_shares_its_sets_with_auto():
    X, y = rows(600)
    model = dl.AutoClassifier(MODELS)
    for begin in range(0, 600, 100):
        model.partial_fit(X[begin : begin + 100], y[begin : begin + 100])
    assert model.sets_ is model.stacking_.sets_ and model.sets_.n_rows == 500
    restored = loads(dumps(model))
    assert restored.sets_ is restored.stacking_.sets_


def test_new_labels():
    X, y = rows(600)
    model = dl.OnlineStackingClassifier(MODELS)
    known = y != "b"
    model.partial_fit(X[known][:100], y[known][:100])
    model.partial_fit(X[known][100:200], y[known][100:200])
    model.partial_fit(X[:100], y[:100])
    assert model.predict_set(X[:5]).shape == (5, 3)
    new = model.sets_.scores[100:][y[:100] == "b"]
    assert (new > 0.9).all() and model.sets_.y.max() == 2


def test_sets_contain_the_most_probable_label_unless_they_may_be_empty():
    rng = np.random.default_rng(0)
    y = rng.integers(2, size=1_000)
    probas = np.eye(2)[y] * 0.8 + 0.1 + rng.uniform(-0.05, 0.05, (1_000, 1)) * [1, -1]
    sets = PredictionSets(2)
    sets.update(probas, y)
    assert sets.predict(probas, 0.5).sum(axis=1).tolist() == [1] * 1_000
    assert 300 < sets.predict(probas, 0.5, allow_empty=True).sum() < 700


def test_untrained_sets_contain_all_labels_and_coverage_is_checked():
    assert PredictionSets(2).predict(np.array([[0.9, 0.1]])).all()
    for coverage in (0, 1, 90):
        with pytest.raises(ValueError, match=r"between 0 and 1\. Got"):
            PredictionSets(2).predict(np.array([[0.9, 0.1]]), coverage)


def test_inconsistent_states_are_rejected():
    sets = PredictionSets(2)
    sets.update(np.full((3, 2), 0.5), np.array([0, 1, 0]))
    for name, value in (("n_rows", 2), ("known", np.full(3, 3)), ("end", np.array([3, 2, 1]))):
        with pytest.raises(InvalidStateError):
            PredictionSets.check_state({**sets.__getstate__(), name: value})
