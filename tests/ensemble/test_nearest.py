"""Nearest rows compared with a full sort, and pairs with a direct count."""

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from driftlearn.ensemble._nearest import nearest, pairs_together


@pytest.mark.parametrize("k", [1, 4, 20])
def test_nearest_is_a_stable_sort(k):
    """Integers, so that many rows are equally near."""
    rng = np.random.default_rng(k)
    X, rows = rng.integers(4, size=(15, 3)) * 1.0, rng.integers(4, size=(20, 3)) * 1.0
    expected = np.argsort(cdist(X, rows, "sqeuclidean"), axis=1, kind="stable")[:, :k]
    assert nearest(X, rows, k).tolist() == expected.tolist()


def test_names_are_equal_or_not():
    rng = np.random.default_rng(0)
    rows = np.column_stack([rng.random((30, 2)), rng.integers(3, size=(30, 2))])
    square = cdist(rows[:, :2], rows[:, :2], "sqeuclidean")
    square += 0.5 * (rows[:, None, 2:] != rows[None, :, 2:]).sum(axis=2)
    np.fill_diagonal(square, np.inf)
    expected = np.argsort(square, axis=1, kind="stable")[:, :5]
    assert nearest(rows, rows, 5, 2, 0.5, others=True).tolist() == expected.tolist()


@pytest.mark.parametrize(
    ("k", "shape", "others"), [(0, (3, 2), False), (4, (3, 2), False), (3, (3, 2), True),
                               (1, (3, 1), False), (1, (4, 2), True)],
)  # fmt: skip
def test_what_cannot_be_found_is_refused(k, shape, others):
    with pytest.raises(ValueError, match="neighbors of rows of shape"):
        nearest(np.zeros((3, 2)), np.zeros(shape), k, others=others)


def test_pairs_together():
    rng = np.random.default_rng(0)
    near, inside = rng.integers(12, size=(12, 3)), rng.integers(2, size=(5, 12), dtype=np.uint8)
    expected = (inside[:, near] == inside[:, :, None]).sum(axis=(1, 2))
    assert pairs_together(near, inside).tolist() == expected.tolist()
    with pytest.raises(ValueError, match="samples have 11 rows"):
        pairs_together(near, inside[:, :11].copy())
