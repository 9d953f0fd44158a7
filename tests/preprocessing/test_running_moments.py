"""Running moments compared with NumPy's moments of all rows."""

import numpy as np
import pytest

from driftlearn.preprocessing._running_moments import fill, first_beyond, shares


def begun(d):
    return np.zeros(d), np.zeros(d), np.zeros(d)


def test_moments_are_those_of_all_values():
    X = np.random.default_rng(0).normal(3, 2, size=(300, 3))
    X[::7, 1] = np.nan
    count, mean, var = begun(3)
    fill(X.copy(), count, mean, var, np.zeros(3, np.uint8), np.inf, False, True)
    assert count.tolist() == [300, 257, 300]
    np.testing.assert_allclose(mean, np.nanmean(X, axis=0), rtol=1e-13)
    np.testing.assert_allclose(var, np.nanvar(X, axis=0), rtol=1e-12)


def test_rows_are_filled_and_scaled_by_those_before():
    X = np.array([[2.0], [np.nan], [4.0], [np.nan], [9.0]])
    plain, scaled = X.copy(), X.copy()
    fill(plain, *begun(1), np.zeros(1, np.uint8), np.inf, False, True)
    assert plain.ravel().tolist() == [2, 2, 4, 3, 9]
    fill(scaled, *begun(1), np.ones(1, np.uint8), np.inf, False, True)
    assert scaled.ravel().tolist() == [0, 0, 0, 0, 6]


def test_learning_is_optional_and_values_are_clipped():
    moments = np.ones(1), np.zeros(1), np.full(1, 1e-300)
    X = np.array([[1e9], [np.nan]])
    fill(X, *moments, np.ones(1, np.uint8), np.inf, True, False)
    assert X[0, 0] == 1e6 and np.isnan(X[1, 0]) and moments[0] == 1


def test_misfits_are_refused():
    with pytest.raises(ValueError, match="moments have 2 columns, but rows have 1"):
        fill(np.zeros((1, 1)), *begun(2), np.zeros(2, np.uint8), np.inf, False, True)
    with pytest.raises(ValueError, match="code 2 is out of range: there are counts of 2 codes"):
        shares(np.array([2], dtype=np.intp), np.zeros(3), True)


def test_first_beyond():
    assert first_beyond(np.array([[1.0, -2.0], [np.nan, 3.0]]), 2.5) == 3
    assert first_beyond(np.array([[1.0, -2.0], [np.nan, 2.5]]), 2.5) == -1
