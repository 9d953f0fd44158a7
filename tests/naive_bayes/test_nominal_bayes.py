"""Naive Bayes and logistic regression with nominal features, and their references."""

import numpy as np
import pytest

from driftlearn import GaussianNBClassifier, LogisticClassifier, SEAClassifier, io
from driftlearn.forest.streaming_random_patches import StreamingRandomPatchesClassifier
from tests.reference.logistic import LogisticReference
from tests.reference.naive_bayes import NaiveBayesReference

CASES = [
    (GaussianNBClassifier, NaiveBayesReference, {}),
    (GaussianNBClassifier, NaiveBayesReference, {"constant": "density"}),
    (LogisticClassifier, LogisticReference, {"rates": (0.1, 0.3)}),
]


def rows(n=400, n_codes=90):
    """Return rows (code, number, code) with missing values, classes and weights."""
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.integers(0, n_codes, n), rng.normal(size=n), rng.integers(0, 3, n)])
    chance = rng.random(n_codes)[X[:, 0].astype(int)]
    y = np.minimum((chance + 0.2 * X[:, 1] > 0.5) + 2 * (X[:, 2] == 2), np.arange(n) // 50)
    X[rng.random(X.shape) < 0.1] = np.nan
    return X.astype(float), y, rng.integers(1, 4, n).astype(float)


@pytest.mark.parametrize(("kind", "reference", "params"), CASES)
@pytest.mark.parametrize("nominal", [[0, 2], [0, 1, 2]])
def test_reference(kind, reference, params, nominal):
    X, y, w = rows()
    if len(nominal) == 3:
        X[:, 1] = np.floor(np.abs(X[:, 1]))
    model = kind(**params, nominal_features=nominal)
    slow = reference(3, **params, nominal=nominal)
    for start in range(0, 400, 100):
        part = slice(start, start + 100)
        if start:
            expected = [slow.scores(x) for x in X[part]]
            np.testing.assert_allclose(
                model.predict_proba(X[part]), expected, rtol=1e-9, atol=1e-12
            )
        model.partial_fit(X[part], y[part], sample_weight=w[part])
        for i in range(start, start + 100):
            slow.learn_one(X[i], y[i], w[i])


@pytest.mark.parametrize("kind", [GaussianNBClassifier, LogisticClassifier])
def test_slicing_copies_and_files(kind):
    X, y, _ = rows()
    whole = kind(nominal_features=[0, 2]).partial_fit(X, y)
    sliced = kind(nominal_features=[0, 2])
    for i in range(len(y)):
        sliced.partial_fit(X[i : i + 1], y[i : i + 1])
        if i == 200:
            sliced = io.loads(io.dumps(sliced))
    assert np.array_equal(whole.predict_proba(X), sliced.predict_proba(X))
    assert io.dumps(whole) == io.dumps(sliced)
    before = whole.predict_proba(X)
    whole._copied().partial_fit(X[::-1], y[::-1])
    assert np.array_equal(whole.predict_proba(X), before)
    tested = kind(nominal_features=[0, 2]).test_then_train(X, y, proba=True)
    assert np.array_equal(
        tested[-1],
        kind(nominal_features=[0, 2]).partial_fit(X[:-1], y[:-1]).predict_proba(X[-1:])[0],
    )
    with pytest.raises(ValueError, match="integer codes"):
        whole.partial_fit(X - 1, y)


@pytest.mark.parametrize("kind", [GaussianNBClassifier, LogisticClassifier])
def test_codes_beyond_those_seen(kind):
    X, y, _ = rows()
    model = kind(nominal_features=[0]).partial_fit(X, y)
    strange = X[:3].copy()
    strange[:, 0] = 60_000, -5, 1e60
    missing = X[:3].copy()
    missing[:, 0] = np.nan
    found = model.predict_proba(strange)
    rows_compared = slice(None) if kind is GaussianNBClassifier else slice(3, None)
    np.testing.assert_array_equal(found[rows_compared], model.predict_proba(missing)[rows_compared])
    assert np.isfinite(found).all()


@pytest.mark.parametrize("kind", [GaussianNBClassifier, LogisticClassifier])
def test_better_than_ordered_codes_also_in_ensembles(kind):
    rng = np.random.default_rng(1)
    X = np.column_stack([rng.integers(0, 60, 4_000), rng.normal(size=4_000)])
    y = rng.random(60)[X[:, 0].astype(int)] > rng.random(4_000)
    learners = kind, lambda **nominal: SEAClassifier(kind(), chunk_size=500, **nominal)
    learners += (
        lambda **nominal: StreamingRandomPatchesClassifier(
            kind(), 3, subspace=None, random_state=0, **nominal
        ),
    )
    for make in learners:
        declared, ordered = (
            make(nominal_features=columns).fit(X[:3_000], y[:3_000]).score(X[3_000:], y[3_000:])
            for columns in ([0], None)
        )
        assert declared > ordered + 0.05
