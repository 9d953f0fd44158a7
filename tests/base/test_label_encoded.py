"""Base learners that accept only labels 0, 1, ...: their members predict the user's labels."""

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.linear_model import LinearRegression
from sklearn.tree import DecisionTreeClassifier

import driftlearn as dl
from driftlearn.base.base_learners import LabelEncodedModel
from driftlearn.io import dumps, loads
from tests.chunk_streams import chunks


class WantsCodes(ClassifierMixin, BaseEstimator):
    """Tree that rejects labels other than 0, 1, ..., as XGBoost does."""

    def __init__(self, random_state=0):
        self.random_state = random_state

    def fit(self, X, y, sample_weight=None):
        self.classes_, self.n_features_in_ = np.unique(y), X.shape[1]
        if not np.array_equal(self.classes_, np.arange(len(self.classes_))):
            raise ValueError(f"Invalid classes inferred from unique values of `y`: {self.classes_}")
        tree = DecisionTreeClassifier(max_depth=3, random_state=self.random_state)
        self.tree_ = tree.fit(X, y, sample_weight)
        return self

    def predict(self, X):
        return self.tree_.predict(X)

    def predict_proba(self, X):
        return self.tree_.predict_proba(X)


TREE = DecisionTreeClassifier(max_depth=3, random_state=0)
KINDS = [dl.SEAClassifier, dl.AWEClassifier, dl.LearnPPNSEClassifier, dl.IBoostClassifier]


@pytest.mark.parametrize("kind", KINDS)
def test_same_results_as_with_labels(kind):
    """String labels, a late class, and chunks without one of the classes."""
    small = {"random_state": 0, **({"n_estimators": 5} if kind is dl.IBoostClassifier else {})}
    one, other = kind(WantsCodes(), **small), kind(TREE, **small)
    for X, y, _ in chunks(6, rows=40):
        for model in (one, other):
            model.partial_fit(X, y)
        np.testing.assert_array_equal(one.predict_proba(X), other.predict_proba(X))
    here = {"allow": WantsCodes.__module__}
    copy = loads(dumps(one, **here), **here)
    np.testing.assert_array_equal(copy.predict(X), one.predict(X))


def test_only_codes_with_gaps_are_encoded():
    rng = np.random.default_rng(0)
    X = rng.random((60, 2))
    y = (X[:, 0] > 0.5).astype(int)
    model = dl.SEAClassifier(WantsCodes()).partial_fit(X, y).partial_fit(X, 2 * y)
    first, second = model.committee_.models
    assert isinstance(first, WantsCodes) and isinstance(second, LabelEncodedModel)
    assert second.classes_.tolist() == [0, 2]


class Broken(WantsCodes):
    def fit(self, X, y, sample_weight=None):
        raise ValueError("the first refusal" if y.dtype.kind == "U" else "the second")


def test_the_first_error_is_raised():
    X, y, _ = next(iter(chunks(1)))
    with pytest.raises(ValueError, match="the first refusal"):
        dl.SEAClassifier(Broken()).partial_fit(X, y)


def test_regressors_are_not_label_encoded():
    X, y, _ = next(iter(chunks(1)))
    with pytest.raises(Exception, match=r"(?i)could not convert|regress|classif"):
        dl.SEAClassifier(LinearRegression()).partial_fit(X, y)


def test_invalid_codes_are_rejected():
    class Numbers:
        def predict(self, X):
            return np.full(len(X), 0.5)

    with pytest.raises(ValueError, match="must return class codes"):
        LabelEncodedModel(Numbers(), np.array(["a", "b"])).predict(np.zeros((2, 1)))
