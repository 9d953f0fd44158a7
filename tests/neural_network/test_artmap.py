import importlib.util
import pickle
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_iris

from driftlearn.base.base_learners import trained, updated
from driftlearn.base.chunk import Chunk
from driftlearn.checks import check_stream_classifier
from driftlearn.io import dumps, loads
from driftlearn.neural_network import _artmap_categories as artmap_categories
from driftlearn.neural_network.fuzzy_artmap import FuzzyARTMAPClassifier
from tests.reference.artmap import ArtmapReference

OPTIONS = [
    {},
    {"vigilance": 0.0},
    {"vigilance": 1.0},
    {"vigilance": 0.95, "choice": 10.0},
    {"learning_rate": 0.3},
    {"learning_rate": 0.5, "vigilance": 0.2, "epochs": 3},
    {"match_increment": 0.0, "vigilance": 0.4},
    {"match_increment": -0.05, "vigilance": 0.4},
    {"shuffle": False, "epochs": 2},
    {"bounds": (-1.0, [2.0, 3.0, 1.0])},
    {"max_categories": 1},
    {"max_categories": 9},
    {"max_categories": 20, "vigilance": 0.95, "epochs": 2, "learning_rate": 0.4},
    {"max_categories": 12, "shuffle": False, "match_increment": -0.05},
    {"max_categories": None, "vigilance": 0.95},
    {"smoothing": 1.0},
]
REFERENCE_NAMES = {
    "choice": "alpha",
    "learning_rate": "beta",
    "vigilance": "rho",
    "match_increment": "match_eps",
}


def reference_of(options, random_state):
    renamed = {REFERENCE_NAMES.get(name, name): value for name, value in options.items()}
    return ArtmapReference(**renamed, random_state=random_state)


def stream(seed, grid=None, d=3):
    """Return three data sets; the second has a new class, and values leave the first bounds."""
    rng = np.random.default_rng(seed)
    for k, n in enumerate((60, 1, 45)):
        y = rng.integers(2 + (k > 0), size=n)
        X = rng.normal(size=(n, d)) + y[:, None] * 0.8 + 0.3 * k
        yield (X if grid is None else np.round(X * grid) / grid), np.array(["b", "c", "a"])[y]


def assert_same(model, reference, X):
    np.testing.assert_array_equal(model.weights_, np.array(reference.weights))
    assert model.category_labels_.tolist() == reference.labels
    assert model.n_categories_ == model.size_ == len(reference.labels)
    assert model.last_learned_.tolist() == [
        reference.learned[j] for j in range(len(reference.labels))
    ]
    assert model.n_presented_ == reference.n_presented
    np.testing.assert_array_equal(model.predict(X), reference.predict(X))
    np.testing.assert_array_equal(model.predict_proba(X), reference.scores(X))


@pytest.mark.parametrize("options", OPTIONS, ids=str)
@pytest.mark.parametrize("grid", [None, 2])
def test_agrees_with_the_reference_to_the_last_bit(options, grid):
    model, reference = (
        FuzzyARTMAPClassifier.as_published(**options, random_state=5),
        reference_of(options, 5),
    )
    for X, y in stream(1, grid):
        model.partial_fit(X, y)
        reference.partial_fit(X, y)
        assert_same(model, reference, X)


@settings(max_examples=60)
@given(
    rows=st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3), st.integers(0, 2)), min_size=1),
    vigilance=st.sampled_from([0.0, 0.5, 0.75, 5 / 6, 1.0]),
    increment=st.sampled_from([1e-3, 0.0, -0.2, 0.25]),
    most=st.sampled_from([None, 1, 2, 5]),
)
def test_agrees_on_ties_and_contradictions(rows, vigilance, increment, most):
    *columns, y = map(np.array, zip(*rows))
    X = np.column_stack(columns) / 3
    options = {"vigilance": vigilance, "match_increment": increment, "bounds": (0, 1)}
    options["max_categories"] = most
    model = FuzzyARTMAPClassifier.as_published(**options, random_state=0).partial_fit(X, y)
    assert_same(model, reference_of(options, 0).partial_fit(X, y), X)


def test_compiled_and_uncompiled_are_the_same():
    path = Path(artmap_categories.__file__).with_name("_artmap_categories.py")
    spec = importlib.util.spec_from_file_location("uncompiled_artmap", path)
    source = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(source)
    rng = np.random.default_rng(0)
    unit = np.round(rng.random((80, 3)), 1)
    codes, y = np.hstack([unit, 1 - unit]), rng.integers(3, size=80)
    state = np.empty((0, 6)), np.empty(0, dtype=np.intp), np.empty(0, dtype=np.int64)
    call = (codes, y, rng.permutation(80), 1e-3, 0.7, 0.6, 1e-3)
    for bound in ((7, 9), ()):
        ours = artmap_categories.learn(*state, *call, *bound)
        theirs = source.learn(*state, *call, *bound)
        for mine, other in zip(ours, theirs, strict=True):
            np.testing.assert_array_equal(mine, other)
        assert len(ours[0]) == 9 if bound else len(ours[0]) > 9
    np.testing.assert_array_equal(
        artmap_categories.choose(ours[0], codes, 1e-3), source.choose(ours[0], codes, 1e-3)
    )


def test_boxes_hold_their_rows_and_stay_small():
    X, y = load_iris(return_X_y=True)
    model = FuzzyARTMAPClassifier.as_published(vigilance=0.8, random_state=0).fit(X, y)
    assert (model.weights_.sum(axis=1) >= 0.8 * 4 - 1e-12).all()
    unit = (X - X.min(axis=0)) / np.ptp(X, axis=0)
    lower, upper = model.weights_[:, :4], 1 - model.weights_[:, 4:]
    inside = ((unit[:, None] >= lower - 1e-12) & (unit[:, None] <= upper + 1e-12)).all(axis=2)
    assert (inside & (model.category_labels_ == y[:, None])).any(axis=1).all()


def test_classes_do_not_affect_each_other():
    X, y = load_iris(return_X_y=True)
    model = FuzzyARTMAPClassifier.as_published(bounds=(0, 10), random_state=0).fit(X[:100], y[:100])
    before = model.weights_.copy()
    model.partial_fit(X[100:], y[100:])
    np.testing.assert_array_equal(model.weights_[: len(before)], before)
    assert set(model.category_labels_[len(before) :]) == {2}


def test_labels_follow_when_the_class_list_grows():
    model = FuzzyARTMAPClassifier.as_published(bounds=(0, 1)).partial_fit(
        [[0.1], [0.9]], ["m", "z"]
    )
    model.partial_fit([[0.5]], ["a"])
    assert sorted(model.category_labels_) == ["a", "m", "z"]
    assert model.predict([[0.1], [0.5], [0.9]]).tolist() == ["m", "a", "z"]


def test_bounds_are_those_of_the_first_data_set_and_values_beyond_are_clipped():
    model = FuzzyARTMAPClassifier.as_published(shuffle=False).partial_fit(
        [[2.0, 7.0], [4.0, 7.0]], [0, 1]
    )
    model.partial_fit([[9.0, 6.0]], [0])
    np.testing.assert_array_equal(model.bounds_, [[2, 7], [4, 7]])
    np.testing.assert_array_equal(model.weights_, [[0, 0, 1, 1], [1, 0, 0, 1], [1, 0, 0, 1]])


@pytest.mark.parametrize(
    ("bounds", "problem"),
    [
        ((0, 1, 2), "two numbers"),
        (([0, 0], [1, 1]), "two lists of 3 numbers"),
        (("low", "high"), "two numbers"),
        ((0, np.inf), "finite"),
        ((1, 0), "low <= high"),
    ],
)
def test_bad_bounds_are_named(bounds, problem):
    with pytest.raises(ValueError, match=problem):
        FuzzyARTMAPClassifier.as_published(bounds=bounds).fit(np.zeros((2, 3)), [0, 1])


def test_equal_weights_change_nothing():
    X, y = load_iris(return_X_y=True)
    plain = FuzzyARTMAPClassifier.as_published(random_state=3).fit(X, y)
    heavy = FuzzyARTMAPClassifier.as_published(random_state=3).fit(
        X, y, sample_weight=np.full(len(y), 0.1)
    )
    np.testing.assert_array_equal(plain.weights_, heavy.weights_)


def test_rows_are_drawn_by_their_weights():
    rng = np.random.default_rng(0)
    X = rng.random((400, 2))
    y = rng.integers(2, size=400)
    right = y == (X[:, 0] > 0.5)
    model = FuzzyARTMAPClassifier.as_published(random_state=0)
    model.fit(X, y, sample_weight=np.where(right, 1.0, 1e-6))
    assert model.score(X[right], y[right]) > 0.95
    assert (
        FuzzyARTMAPClassifier.as_published(random_state=0).fit(X, y).score(X[right], y[right])
        < 0.95
    )
    rare = np.where(np.arange(400) < 399, 1.0, 1e-9)
    assert 7 in model.fit(X, np.append(y[:399], 7), sample_weight=rare).category_labels_


def test_as_a_member():
    """An ensemble trains it on validated chunks; the old model is unchanged."""
    X, y = load_iris(return_X_y=True)
    names = np.array(["a", "b", "c"])
    first = Chunk(X[:100], y[:100], np.ones(100), names)
    then = Chunk(X[100:], y[100:], np.ones(50), names)
    base = FuzzyARTMAPClassifier.as_published()
    model = trained(base, first, seed=4)
    assert model.classes_.tolist() == ["a", "b"]
    before = pickle.dumps(model)
    later = updated(base, model, 4, then)
    assert pickle.dumps(model) == before
    assert later.classes_.tolist() == ["a", "b", "c"]
    alone = FuzzyARTMAPClassifier.as_published(random_state=int(model.random_state))
    alone.partial_fit(X[:100], names[y[:100]]).partial_fit(X[100:], names[y[100:]])
    np.testing.assert_array_equal(later.weights_, alone.weights_)


def test_threads_do_not_matter():
    X, y = load_iris(return_X_y=True)
    with ThreadPoolExecutor(4) as pool:
        seeds = range(8)
        fits = pool.map(
            lambda s: FuzzyARTMAPClassifier.as_published(random_state=s).fit(X, y), seeds
        )
        for seed, model in zip(seeds, fits):
            alone = FuzzyARTMAPClassifier.as_published(random_state=seed).fit(X, y)
            np.testing.assert_array_equal(model.weights_, alone.weights_)


@pytest.mark.parametrize("options", [{}, {"learning_rate": 0.5}, {"vigilance": 1.0}], ids=str)
def test_stream_checks(options):
    keeps_the_past = "vigilance" in options
    reason = "every row is a box, and those of before the flip win where they are nearer"
    expected = {"no_class_is_impossible": "with these settings, probabilities are 0 or 1"}
    if keeps_the_past:
        expected["recovers_from_a_flip"] = reason
    outcome = check_stream_classifier(FuzzyARTMAPClassifier.as_published(**options), expected)
    assert outcome["predict_is_pure"] == "passed"


def test_the_box_that_rested_longest_goes():
    rows = [[0.0], [0.3], [0.6], [0.0], [1.0], [0.3]]
    model = FuzzyARTMAPClassifier.as_published(
        vigilance=1.0, bounds=(0, 1), shuffle=False, max_categories=3
    ).partial_fit(rows[:4], ["a", "b", "c", "a"])
    assert model.last_learned_.tolist() == [4, 2, 3]
    model.partial_fit(rows[4:], ["d", "b"])
    assert model.category_labels_.tolist() == ["a", "d", "b"]
    assert model.weights_[:, 0].tolist() == [0.0, 1.0, 0.3]
    assert model.last_learned_.tolist() == [4, 5, 6]
    assert model.classes_.tolist() == ["a", "b", "c", "d"]
    assert model.predict_proba([[0.6]])[0, 2] == 0.0


def test_growth_stops_but_training_continues():
    """With noise an unbounded model keeps growing; a bounded one adapts better to a flip."""
    rng = np.random.default_rng(0)
    X = rng.random((3000, 2))
    y = (X[:, 0] > 0.5) ^ (np.arange(3000) >= 1500) ^ (rng.random(3000) < 0.1)
    bounded = FuzzyARTMAPClassifier.as_published(bounds=(0, 1), max_categories=60, random_state=0)
    free = FuzzyARTMAPClassifier.as_published(bounds=(0, 1), max_categories=None, random_state=0)
    for k in range(0, 3000, 300):
        for model in (bounded, free):
            model.partial_fit(X[k : k + 300], y[k : k + 300])
    assert bounded.n_categories_ == 60 < free.n_categories_ / 2
    truth = X[:, 0] <= 0.5
    assert bounded.score(X, truth) > 0.65
    assert bounded.score(X, truth) > free.score(X, truth)


def test_the_bound_is_restored():
    first, _, last = stream(3)
    model = FuzzyARTMAPClassifier.as_published(max_categories=7, random_state=1).partial_fit(*first)
    copy = loads(dumps(model))
    for one in (model, copy):
        one.partial_fit(*last)
    assert model.n_categories_ == 7
    assert dumps(model) == dumps(copy)


def test_files_of_before_there_was_a_bound():
    """Boxes of old files are numbered by their order."""
    first, _, last = stream(3)
    model = FuzzyARTMAPClassifier.as_published(random_state=1).partial_fit(*first)
    old = FuzzyARTMAPClassifier.__new__(FuzzyARTMAPClassifier)
    new = {"max_categories", "last_learned_", "n_presented_"}
    old.__setstate__(
        {k: v for k, v in pickle.loads(pickle.dumps(model)).__dict__.items() if k not in new}
    )
    assert old.max_categories is None
    n = old.n_categories_
    old.set_params(max_categories=n)
    for one in (model, old):
        one.partial_fit(*last)
    assert model.n_categories_ > n == old.n_categories_
    assert old.n_presented_ == n + len(last[1])


@pytest.mark.parametrize("bad", [0, -1, 1.5, "many", float("inf")])
def test_bad_bounds_on_boxes(bad):
    with pytest.raises(ValueError, match="max_categories"):
        FuzzyARTMAPClassifier.as_published(max_categories=bad).fit([[0.0], [1.0]], [0, 1])
