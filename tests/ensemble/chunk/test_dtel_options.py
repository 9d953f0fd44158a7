"""DTEL's diversity measures by hand and by definition, and its limit on transfers."""

from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB
from sklearn.utils.estimator_checks import parametrize_with_checks

from driftlearn import CARTClassifier, DTELClassifier
from driftlearn.checks import parametrize
from driftlearn.ensemble import (
    disagreement,
    double_fault,
    entropy_without,
    q_statistics,
    smallest_errors,
)
from driftlearn.ensemble.chunk import dtel
from tests.chunk_streams import chunks

MEASURES = ("q", "disagreement", "double_fault", "entropy")
TREE = CARTClassifier(min_samples_split=6)
VARIANTS = [
    *(DTELClassifier(n_estimators=3, diversity=measure) for measure in MEASURES[1:]),
    DTELClassifier(n_estimators=4, n_transfers=2),
]
RIGHT = np.array(
    [
        [1, 1, 1, 0, 0, 0],
        [1, 1, 1, 0, 0, 1],
        [0, 0, 1, 1, 1, 0],
        [1, 0, 1, 0, 1, 0],
    ],
    dtype=bool,
)


@parametrize_with_checks(
    VARIANTS,
    expected_failed_checks=lambda _: {
        "check_sample_weight_equivalence_on_dense_data": "min_samples_split counts rows",
        "check_class_weight_classifiers": "a leaf of one class names it, however light its rows",
    },
)
def test_scikit_learn(estimator, check):
    check(estimator)


@parametrize(VARIANTS)
def test_stream(estimator, check):
    check(estimator)


def test_measures_of_a_table():
    """Six rows, four models, counted by hand; the first two have rows 1, 2, 3 in common."""
    sixths = [[0, 1, 4, 2], [1, 0, 5, 3], [4, 5, 0, 2], [2, 3, 2, 0]]
    np.testing.assert_allclose(disagreement(RIGHT, np.ones(6)), np.array(sixths) / 6)
    sixths = [[3, 2, 1, 2], [2, 2, 0, 1], [1, 0, 3, 2], [2, 1, 2, 3]]
    np.testing.assert_allclose(double_fault(RIGHT, np.ones(6)), np.array(sixths) / 6)
    np.testing.assert_allclose(entropy_without(RIGHT, np.ones(6)), np.array([5, 4, 3, 5]) / 6)
    Q = q_statistics(RIGHT, np.ones(6))
    np.testing.assert_allclose(Q[0], [1, 1, -3 / 5, 3 / 5])  # 1 * 1 - 2 * 2 over the sum of both


def test_measures_count_weights_as_rows():
    w = np.array([1, 2, 1, 3, 1, 2])
    for measure in (disagreement, double_fault, entropy_without):
        once = measure(np.repeat(RIGHT, w, axis=1), np.ones(10))
        np.testing.assert_allclose(measure(RIGHT, w.astype(float)), once)


def similarity(measure, models):
    """Return the similarity of models by definition, as fractions; less is more diverse."""
    n = len(models[0])
    if measure == "entropy":
        L = len(models)
        if L == 1:
            return 0
        split = [min(sum(row), L - sum(row)) for row in zip(*models)]
        return -Fraction(sum(split), n * (L - -(-L // 2)))
    found = []
    for a, b in combinations(models, 2):
        both, neither = sum(map(min, a, b)), n - sum(map(max, a, b))
        only_a, only_b = sum(a) - both, sum(b) - both
        if measure == "disagreement":
            found.append(-Fraction(only_a + only_b, n))
        elif measure == "double_fault":
            found.append(Fraction(neither, n))
        else:
            above, below = both * neither - only_a * only_b, both * neither + only_a * only_b
            found.append(Fraction(above, below) if below else Fraction(a == b))
    return sum(found, Fraction(0)) / max(len(found), 1)


@pytest.mark.parametrize("measure", MEASURES)
def test_the_others_are_most_diverse_without_it(measure):
    rng, gone = np.random.default_rng(0), set()
    for _ in range(300):
        n_models, n_rows = rng.integers(2, 8), rng.integers(1, 13)
        right = rng.random((n_models, n_rows)) < rng.uniform(0.2, 0.9)
        models = right.astype(int).tolist()
        rest = [similarity(measure, models[:i] + models[i + 1 :]) for i in range(n_models)]
        found = dtel.REDUNDANT[measure](right, np.ones(n_rows))
        assert found == rest.index(min(rest))
        gone.add(found)
    assert len(gone) == 7


def test_the_measures_part_ways():
    """Any two measures sometimes drop different models."""
    rng, apart = np.random.default_rng(0), set()
    for _ in range(100):
        right = rng.random((6, 12)) < rng.uniform(0.3, 0.8, size=(6, 1))
        gone = {measure: rule(right, np.ones(12)) for measure, rule in dtel.REDUNDANT.items()}
        apart |= {pair for pair in combinations(MEASURES, 2) if gone[pair[0]] != gone[pair[1]]}
    assert apart == set(combinations(MEASURES, 2))


@pytest.mark.parametrize("measure", MEASURES)
def test_the_archive_loses_the_redundant_model(measure):
    """In the learner: evaluated on the newest chunk, with the models as they were trained."""
    product, archive = DTELClassifier(TREE, n_estimators=3, diversity=measure), {}
    for step, (X, y, _) in enumerate(chunks(9), start=1):
        product.partial_fit(X, y)
        archive[step] = TREE.__class__(**TREE.get_params()).fit(X, y)
        if len(archive) > 3:
            models = [(model.predict(X) == y).astype(int).tolist() for model in archive.values()]
            rest = [similarity(measure, models[:i] + models[i + 1 :]) for i in range(4)]
            del archive[list(archive)[rest.index(min(rest))]]
        assert product.archive_["created_at"].tolist() == list(archive)
        assert product.predict_proba(X).shape == (len(X), len(product.classes_))


def test_an_archive_of_one_keeps_the_newest():
    for measure in MEASURES:
        product = DTELClassifier(TREE, n_estimators=1, diversity=measure)
        for X, y, w in chunks(4):
            product.partial_fit(X, y, sample_weight=w)
        assert product.archive_["created_at"].tolist() == [4]


@pytest.mark.parametrize("n_transfers", [1, 2, 4])
@pytest.mark.parametrize("base", [TREE, GaussianNB()], ids=["tree", "external"])
def test_only_the_fittest_are_transferred(monkeypatch, n_transfers, base):
    """Only the models with the smallest squared error are transferred; the others do not vote."""
    adapted = []

    def counted(base, model, seed, chunk):
        adapted.append(model)
        return transfer(base, model, seed, chunk)

    transfer = dtel.transferred
    monkeypatch.setattr(dtel, "transferred", counted)
    product = DTELClassifier(base, n_estimators=6, n_transfers=n_transfers)
    for step, (X, y, _) in enumerate(chunks(9), start=1):
        models, born = [], np.zeros(0)
        if step > 1:
            models, born = list(product.archive_.models), product.archive_["created_at"]
        adapted.clear()
        product.partial_fit(X, y)
        errors = []
        for model in models:
            truth = np.zeros(len(y))
            for column, label in enumerate(model.classes_):
                truth[y == label] = model.predict_proba(X)[y == label, column]
            errors.append(round(float(((1 - truth) ** 2).mean()), 12))
        fit = sorted(range(len(models)), key=lambda i: (errors[i], -i))[:n_transfers]
        assert [id(model) for model in adapted] == [id(models[i]) for i in sorted(fit)]
        assert product.members_["created_at"].tolist() == [*born[sorted(fit)], step]
        assert len(product.archive_) == min(step, 6)
        kept = {id(model) for model in product.archive_}
        assert len(kept & {id(model) for model in models}) >= len(kept) - 1  # as they were trained


def test_equal_models_the_newer_is_transferred():
    X, y, _ = next(chunks(1))
    product = DTELClassifier(TREE, n_transfers=2)
    for _ in range(5):
        product.partial_fit(X, y)
    assert product.members_["created_at"].tolist() == [3, 4, 5]
    np.testing.assert_array_equal(smallest_errors(np.array([0.3, 0.1 + 0.2, 0.4]), 1), [1])


def test_a_bound_that_is_not_reached_changes_nothing():
    free, bound = DTELClassifier(TREE, 3), DTELClassifier(TREE, 3, n_transfers=3)
    for X, y, w in chunks(9, weighted=True):
        free.partial_fit(X, y, sample_weight=w)
        bound.partial_fit(X, y, sample_weight=w)
        np.testing.assert_array_equal(free.predict_proba(X), bound.predict_proba(X))


@pytest.mark.parametrize("name", ["n_transfers", "diversity"])
@pytest.mark.parametrize("value", [0, -1, 1.5, "all", ["q"]], ids=repr)
def test_bad_options_are_refused(name, value):
    X, y, _ = next(chunks(1))
    with pytest.raises(ValueError, match=f"The '{name}' parameter of DTELClassifier must be"):
        DTELClassifier(**{name: value}).partial_fit(X, y)
