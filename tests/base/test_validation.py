import numpy as np
import pytest

from driftlearn.base._validation import finite, places, unique_labels, within

LEAST, MOST = np.iinfo(np.int64).min, np.iinfo(np.int64).max
SPREAD = [[0], [3, 3], [-1, 1], [7, -5, 7, 0], [-300, 299], [LEAST, MOST], [MOST], [LEAST, -1]]


@pytest.mark.parametrize("labels", SPREAD)
def test_labels_that_occur_are_those_of_numpy(labels):
    labels = np.array(labels)
    found = unique_labels(labels)
    np.testing.assert_array_equal(found, np.unique(labels))
    assert found.dtype == labels.dtype


@pytest.mark.parametrize("n_known", [1, 2, 3, 5, 64])
def test_places_are_those_of_a_search(n_known):
    rng = np.random.default_rng(n_known)
    known = np.unique(rng.integers(-1_000, 1_000, n_known))
    labels = rng.choice(known, 50)[::2]
    found = places(known, labels)
    np.testing.assert_array_equal(found, np.searchsorted(known, labels))
    assert found.dtype == np.intp


@pytest.mark.parametrize("other", [-1, 1, 4, 9, LEAST, MOST])
def test_unknown_labels_have_no_position(other):
    known = np.array([0, 3, 5])
    assert places(known, np.array([3, other])) is None
    assert places(known[:0], np.array([other])) is None


def test_empty_labels_have_no_positions():
    assert len(places(np.array([1]), np.array([], dtype=np.int64))) == 0


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf, 2.5, -2.5])
def test_one_value_out_of_range_is_enough(bad):
    X = np.full((3, 5), 0.1)
    assert within(X, 2.0)
    for cell in np.ndindex(*X.shape):
        spoilt = X.copy()
        spoilt[cell] = bad
        assert not within(spoilt, 2.0)


@pytest.mark.parametrize("values", [[], [0.0], [1e308, -1e308], [1.0, np.nan], [-np.inf, 1.0]])
def test_finite_agrees_with_numpy(values):
    values = np.array(values)
    assert finite(values) == np.isfinite(values).all()
