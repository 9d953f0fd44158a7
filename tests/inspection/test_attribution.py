"""Shapley values, compared with their definition."""

from itertools import permutations

import numpy as np
import pytest

from driftlearn.inspection.attribution import MOST_BACKGROUND, MOST_EXACT, shapley_values

RNG = np.random.default_rng(0)


def reference(function, x, background, owner):
    """Return the Shapley values of a row: means over all orders and background rows."""
    k = max(owner) + 1
    total = np.zeros((k, function(x[None]).shape[1]))
    orders = list(permutations(range(k)))
    for start in background:
        for order in orders:
            row = start.copy()
            for column in order:
                before = function(row[None])[0]
                row[owner == column] = x[owner == column]
                total[column] += function(row[None])[0] - before
    return total / len(orders) / len(background)


def tangled(X):
    """Return two outputs with interactions of three and more features."""
    X = np.nan_to_num(X, nan=-1.0)
    return np.column_stack([X[:, 0] * X[:, 1] * X[:, 2] + X[:, 3], np.tanh(X.sum(axis=1))])


def test_few_columns_are_exact():
    owner = np.array([0, 1, 1, 2, 3])
    X, background = RNG.normal(size=(3, 5)), RNG.normal(size=(4, 5))
    X[0, 3] = background[1, 2] = np.nan
    found = shapley_values(tangled, X, background, owner)
    for i, x in enumerate(X):
        np.testing.assert_allclose(found.values[i], reference(tangled, x, background, owner))
    np.testing.assert_allclose(found.base, tangled(background).mean(axis=0))
    assert not found.errors.any()


def test_a_single_column_that_differs_has_the_whole_difference():
    background = np.zeros((3, 4))
    X = np.array([[0.0, 0.0, 0.0, 2.0]])
    found = shapley_values(tangled, X, background, np.arange(4))
    np.testing.assert_allclose(found.values[0, 3], tangled(X)[0] - tangled(background)[0])
    assert not found.values[0, :3].any()


def test_many_columns_are_sampled_with_an_error_that_holds(monkeypatch):
    X, background = RNG.normal(size=(20, 5)), RNG.normal(size=(64, 5))
    exact = shapley_values(tangled, X, background, np.arange(5))
    monkeypatch.setattr("driftlearn.inspection.attribution.MOST_EXACT", 1)
    found = shapley_values(tangled, X, background, np.arange(5))
    off = np.abs(found.values - exact.values)
    assert (off > 0).any() and (found.errors > 0).any()
    assert (off < 2 * found.errors + 1e-12).mean() > 0.9  # 0.95 if normal
    assert (off < 5 * found.errors + 1e-12).all()


@pytest.mark.parametrize("n_columns", [2, MOST_EXACT, MOST_EXACT + 1, 30])
def test_contributions_add_up(n_columns):
    X = RNG.normal(size=(4, n_columns))
    background = RNG.normal(size=(100, n_columns))

    def function(rows):
        return np.sin(rows.sum(axis=1, keepdims=True) * [1.0, 2.0]) * rows[:, :2]

    found = shapley_values(function, X, background, np.arange(n_columns))
    np.testing.assert_allclose(found.base + found.values.sum(axis=1), function(X), atol=1e-12)
    used = background[np.linspace(0, 99, MOST_BACKGROUND).astype(int)]
    np.testing.assert_allclose(found.base, function(used).mean(axis=0))


def test_pairs_of_columns_are_exact_whatever_their_number():
    X, background = RNG.normal(size=(2, 9)), RNG.normal(size=(8, 9))

    def function(rows):
        return (rows + rows * np.roll(rows, 1, axis=1)).sum(axis=1, keepdims=True)

    found = shapley_values(function, X, background, np.arange(9))
    mixed = (X[:, None] - background) * (1 + np.roll(X[:, None] + background, 1, axis=2) / 2)
    left = np.roll(X[:, None] + background, -1, axis=2) / 2 * (X[:, None] - background)
    np.testing.assert_allclose(found.values[..., 0], (mixed + left).mean(axis=1))
    assert not found.errors.any()


def test_rows_do_not_depend_on_each_other_and_equal_columns_contribute_nothing():
    X, background = RNG.normal(size=(5, 9)), RNG.normal(size=(8, 9))
    X[:, 4] = background[:, 4] = np.nan
    found = shapley_values(tangled, X, background, np.arange(9))
    alone = shapley_values(tangled, X[3:4], background, np.arange(9))
    np.testing.assert_array_equal(found.values[3], alone.values[0])
    assert not found.values[:, 4].any()
    nothing = shapley_values(tangled, background[:1], background[:1], np.arange(9))
    assert not nothing.values.any()
