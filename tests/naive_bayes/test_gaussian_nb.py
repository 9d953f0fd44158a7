import numpy as np
import pytest
from sklearn.datasets import load_digits, load_iris, load_wine
from sklearn.naive_bayes import GaussianNB

from driftlearn import GaussianNBClassifier


@pytest.mark.parametrize("load", [load_iris, load_wine, load_digits])
@pytest.mark.parametrize("var_smoothing", [1e-9, 1e-2])
def test_agrees_with_scikit_learn(load, var_smoothing):
    X, y = load(return_X_y=True)
    w = np.random.default_rng(0).random(len(y))
    mine = GaussianNBClassifier(var_smoothing, constant="density").fit(X, y, sample_weight=w)
    theirs = GaussianNB(var_smoothing=0.0).fit(X, y, sample_weight=w)
    mean = np.average(X, axis=0, weights=w)
    largest = np.average((X - mean) ** 2, axis=0, weights=w).max()
    theirs.var_ += var_smoothing * largest
    np.testing.assert_allclose(mine.predict_proba(X), theirs.predict_proba(X), rtol=1e-6, atol=1e-9)


def test_slicing_does_not_matter():
    X, y = load_iris(return_X_y=True)
    names = np.array(["a", "b", "c"])[y]
    whole = GaussianNBClassifier().fit(X, names)
    sliced = GaussianNBClassifier()
    for i in range(len(y)):
        sliced.partial_fit(X[i : i + 1], names[i : i + 1])
    assert np.array_equal(whole.predict_proba(X), sliced.predict_proba(X))


def test_smoothing_must_be_positive():
    with pytest.raises(ValueError, match="var_smoothing"):
        GaussianNBClassifier(var_smoothing=0.0).fit([[0.0], [1.0]], [0, 1])
