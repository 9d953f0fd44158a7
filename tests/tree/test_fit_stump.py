import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from driftlearn.tree._fit_stump import fit_stump
from tests.reference import stump as reference


def sorted_rows(X):
    return np.ascontiguousarray(np.argsort(X, axis=0, kind="stable").T.astype(np.int32))


@st.composite
def problems(draw):
    n, d, n_classes = draw(st.integers(1, 40)), draw(st.integers(1, 4)), draw(st.integers(1, 4))
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    X = rng.integers(0, draw(st.integers(1, 12)), size=(n, d)) / 7
    X[rng.random((n, d)) < draw(st.sampled_from([0.0, 0.2, 0.6]))] = np.nan
    y = rng.integers(n_classes, size=n)
    w = rng.choice([np.ones(n), rng.random(n), rng.integers(0, 3, n).astype(float)])
    return X, y, w, n_classes


@given(problems())
def test_reference(problem):
    X, y, w, n_classes = problem
    if not w.any():
        w = np.ones(len(w))
    feature, threshold, left, right, missing_left = fit_stump(X, sorted_rows(X), y, w, n_classes)
    expected = reference.fit_stump(X, y, w, n_classes)
    assert (feature, threshold) == expected[:2]
    assert np.array_equal(left, expected[2])
    if feature >= 0:
        assert np.array_equal(right, expected[3])
        assert missing_left == expected[4]
    else:
        assert not right.any()


def fit(X, y, w=None, n_classes=2):
    X, y = np.array(X, dtype=float), np.array(y, dtype=np.intp)
    w = np.ones(len(y)) if w is None else np.array(w)
    return fit_stump(X, sorted_rows(X), y, w, n_classes)


def test_no_split_wins_a_tie():
    feature, threshold, left, right, _ = fit([[0], [1], [2]], [0, 1, 0])
    assert (feature, threshold) == (-1, 0.0)
    assert (left.tolist(), right.tolist()) == ([2, 1], [0, 0])


def test_lowest_feature_and_threshold_win_a_tie():
    y = [0, 1, 1, 0, 0]
    assert fit([[0, 0], [1, 1], [2, 2], [3, 3], [4, 4]], y)[:2] == (0, 2.5)
    assert fit([[9, 0], [9, 1], [9, 2], [9, 3], [9, 4]], y)[:2] == (1, 2.5)
    assert fit([[0], [1], [2], [3]], [1, 0, 0, 1])[:2] == (0, 0.5)


def test_weights_move_the_threshold():
    X, y = [[0], [1], [2], [3]], [0, 1, 0, 1]
    assert fit(X, y, [1.0, 5.0, 1.0, 1.0])[:2] == (0, 0.5)
    assert fit(X, y, [1.0, 1.0, 5.0, 1.0])[:2] == (0, 2.5)


def test_neighbouring_floats_can_be_split():
    """Their midpoint rounds to one of them; it must be the lower one."""
    low = 1.0
    for _ in range(2):
        high = np.nextafter(low, 2)
        feature, threshold, left, right, _ = fit([[low], [high]], [0, 1])
        assert (feature, threshold) == (0, low)
        assert (left.tolist(), right.tolist()) == ([1, 0], [0, 1])
        low = high


def test_rows_of_weight_zero_are_absent():
    assert fit([[0], [1], [2]], [0, 1, 1], [1.0, 0.0, 1.0])[:2] == (0, 1.0)
