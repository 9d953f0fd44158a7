import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer

from driftlearn import StumpClassifier
from tests.reference.stump import fit_stump, predict_stump


@pytest.mark.parametrize("seed", range(5))
def test_reference(seed):
    X, y = load_breast_cancer(return_X_y=True)
    rng = np.random.default_rng(seed)
    w = rng.random(len(y)) * (rng.random(len(y)) < 0.2)
    columns = rng.choice(X.shape[1], size=4, replace=False)
    model = StumpClassifier().fit(X[:, columns], y, sample_weight=w)
    reference = fit_stump(X[:, columns], y, w, 2)
    assert (model.feature_, model.threshold_) == reference[:2]
    assert np.array_equal(model.predict(X[:, columns]), predict_stump(reference, X[:, columns]))


def test_probabilities_are_the_shares_of_each_side():
    X, y = [[0], [1], [2], [3], [4]], ["b", "b", "a", "c", "c"]
    model = StumpClassifier().fit(X, y, sample_weight=[1, 1, 1, 2, 2])
    assert (model.feature_, model.threshold_) == (0, 1.5)
    np.testing.assert_allclose(model.predict_proba([[0], [9]]), [[0, 1, 0], [0.2, 0, 0.8]])


def test_no_split():
    model = StumpClassifier().fit([[1], [1], [1]], [5, 7, 7])
    assert model.feature_ == -1
    assert model.predict([[0], [9]]).tolist() == [7, 7]
    np.testing.assert_allclose(model.predict_proba([[3]]), [[1 / 3, 2 / 3]])


def test_rounding_gives_no_negative_probability():
    rng = np.random.default_rng(0)
    for _ in range(100):
        X, y, w = rng.random((30, 1)), rng.integers(0, 3, 30), rng.random(30)
        y[X[:, 0] > 0.5] = 0
        assert StumpClassifier().fit(X, y, sample_weight=w).predict_proba(X).min() >= 0


def test_is_not_incremental():
    assert not hasattr(StumpClassifier(), "partial_fit")
