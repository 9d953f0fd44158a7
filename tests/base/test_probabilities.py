import numpy as np
import pytest

from driftlearn.base._presort import presort, thinned
from driftlearn.base._probabilities import normalize_rows


@pytest.mark.parametrize("n_classes", [1, 2, 7, 8, 9, 150])
@pytest.mark.parametrize("order", ["C", "F"])
def test_bits_are_those_of_numpy(n_classes, order):
    scores = np.asarray(np.random.default_rng(0).random((50, n_classes)), order=order)
    shares, complete = normalize_rows(scores)
    np.testing.assert_array_equal(shares, scores / scores.sum(axis=1, keepdims=True))
    assert complete


@pytest.mark.parametrize("n_classes", [2, 9])
def test_rows_without_scores_are_reported(n_classes):
    scores = np.ones((3, n_classes))
    scores[1], scores[2, 0] = 0.0, np.nan
    shares, complete = normalize_rows(scores)
    assert not complete and shares[0].sum() == pytest.approx(1.0) and not shares[1:].any()


def test_a_thinned_order_is_that_of_the_rows_left():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 5, size=(60, 3)).astype(float)
    X[rng.random(X.shape) < 0.1] = np.nan
    rows = rng.random(60) < 0.8
    np.testing.assert_array_equal(thinned(presort(X), rows), presort(X[rows]))
