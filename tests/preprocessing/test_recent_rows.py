"""The sample of recent rows."""

import numpy as np
import pytest

from driftlearn.preprocessing.recent_rows import HORIZON, SIZE, RecentRows


def test_the_sample_does_not_depend_on_how_rows_are_split():
    X = np.arange(3000.0)[:, None] * [1.0, -1.0]
    whole = RecentRows().with_rows(X)
    rng, parts, k = np.random.default_rng(0), RecentRows(), 0
    while k < len(X):
        n = int(rng.integers(0, 90))
        parts, k = parts.with_rows(X[k : k + n]), k + n
    assert parts.n_rows == whole.n_rows == 3000 and len(whole.rows) == SIZE
    np.testing.assert_array_equal(parts.rows, whole.rows)
    np.testing.assert_array_equal(whole.rows[:, 0], -whole.rows[:, 1])
    assert len(np.unique(whole.rows[:, 0])) == SIZE


def test_the_sample_is_uniform_until_the_horizon_and_recent_after_it():
    sample, ages = RecentRows(), []
    for k in range(30):
        sample = sample.with_rows(np.arange(HORIZON * k, HORIZON * (k + 1.0))[:, None])
        if not k:  # means of 64 uniform numbers, with a standard error of 361
            assert sample.rows.mean() == pytest.approx(HORIZON / 2, abs=4 * 361)
        elif k > 5:
            ages.append(HORIZON * (k + 1) - sample.rows.mean())
    assert np.mean(ages) == pytest.approx(HORIZON, rel=0.15)  # exponential


def test_earlier_samples_do_not_change_and_few_rows_are_all_stored():
    first = RecentRows().with_rows(np.zeros((SIZE - 1, 1)))
    second = first.with_rows(np.ones((500, 1)))
    assert len(first.rows) == SIZE - 1 and not first.rows.any() and second.rows.any()
    assert first.with_rows([["text"]]) is first
