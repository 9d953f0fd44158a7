"""Shared parts of the tests of boosted ensembles: streams, base learners, comparable states."""

import pickle

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin

from driftlearn import IBoostClassifier
from driftlearn.bench.papers.s3.iboost_variants import IBoostVariant
from driftlearn.ensemble.boosting.iboost import FIXED


def iboost(*args, **options):
    """Return IBoost with the paper's settings, as a variant if an option is not public."""
    kind = IBoostVariant if FIXED.keys() & options.keys() else IBoostClassifier
    return kind.as_published(*args, **options)


def bands(seed, n, n_classes=2, noise=0.0, drift=0.4):
    """Return two features and classes by bands of their sum, which move in the middle; with
    weights.
    """
    rng = np.random.default_rng(seed)
    X = rng.random((n, 2))
    total = X.sum(axis=1) + drift * (np.arange(n) >= n // 2)
    y = np.minimum((total * n_classes / 2).astype(int), n_classes - 1)
    flip = rng.random(n) < noise
    y[flip] = rng.integers(0, n_classes, flip.sum())
    return X, y, rng.uniform(0.5, 1.5, n)


def with_late_class(n=240, n_classes=3):
    """Return string labels; the class that sorts first does not occur before row 100."""
    X, y, w = bands(5, n, n_classes, noise=0.1)
    y[:100][y[:100] == n_classes - 1] = 0
    return X, np.array(["middle", "more", "late"])[y], w


class Nearest(ClassifierMixin, BaseEstimator):
    """Nearest class mean: accepts no weights, and fails on demand.

    `fit` raises if a row has `poison` as its first feature.
    """

    def __init__(self, poison=None):
        self.poison = poison

    def fit(self, X, y):
        if self.poison is not None and (X[:, 0] == self.poison).any():
            raise ArithmeticError("poisoned")
        self.classes_ = np.unique(y)
        self.means_ = np.array([X[y == c].mean(axis=0) for c in self.classes_])
        return self

    def predict(self, X):
        distance = ((X[:, None] - self.means_) ** 2).sum(axis=2)
        return self.classes_[distance.argmin(axis=1)]


def state(thing):
    """Return the state of a model as comparable plain values."""
    if hasattr(thing, "get_state"):
        return [type(thing).__name__, state(thing.get_state())]
    if isinstance(thing, np.random.Generator):
        return state(thing.bit_generator.state)
    if isinstance(thing, dict):
        return {key: state(value) for key, value in thing.items()}
    if isinstance(thing, list | tuple):
        return [state(value) for value in thing]
    if isinstance(thing, np.ndarray):
        return thing.tolist()
    if isinstance(thing, np.generic):
        return state(thing.item())
    inside = {} if isinstance(thing, int | float | str | None) else thing.__getstate__()
    if not inside:
        return repr(thing)
    return [type(thing).__name__, state({k: v for k, v in inside.items() if k != "_packed"})]


def same(a, b):
    assert repr(state(a)) == repr(state(b))


def check_slicing(make, X, y, w):
    """One call with n rows equals n calls with one row, including the state."""
    whole = make().partial_fit(X, y, sample_weight=w)
    for step in (1, 7, 230):
        parts = make()
        for k in range(0, len(y), step):
            part = slice(k, k + step)
            parts.partial_fit(X[part], y[part], sample_weight=w[part])
        same(parts, whole)
    return whole


def check_pickle(make, X, y, w, stop):
    """A model pickled in mid-stream continues as if it had not been pickled."""
    model = make().partial_fit(X[:stop], y[:stop], sample_weight=w[:stop])
    copy = pickle.loads(pickle.dumps(model))
    same(model, copy)
    for one in (model, copy):
        one.partial_fit(X[stop:], y[stop:], sample_weight=w[stop:])
    same(model, copy)
    return model


def check_failure(make, X, y, failing, poison):
    """Check that earlier rows are learned, the failing row is named and the model is usable.

    `make(poison)` returns a model whose base learner fails on windows with the poisoned row. It
    is the first of its kind to be trained on.
    """
    bad = X.copy()
    bad[failing, 0] = poison
    w = np.ones(len(y))
    w[:3] = 0.0
    broken, healthy = make(poison), make(poison)
    with pytest.raises(RuntimeError, match=f"row {failing} .*ArithmeticError: poisoned"):
        broken.partial_fit(bad, y, sample_weight=w, classes=np.unique(y))
    healthy.partial_fit(bad[:failing], y[:failing], sample_weight=w[:failing], classes=np.unique(y))
    same(broken, healthy)
    np.testing.assert_array_equal(broken.predict_proba(X), healthy.predict_proba(X))
    rest = slice(failing + 1, None)
    np.testing.assert_array_equal(
        broken.partial_fit(X[rest], y[rest]).predict_proba(X),
        healthy.partial_fit(X[rest], y[rest]).predict_proba(X),
    )
