"""The probabilities of TIX."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from driftlearn import TIXClassifier
from driftlearn.evaluate import metrics
from driftlearn.io import dumps, loads


def chunks(noise, n=12, seed=0):
    """Return two classes with label noise."""
    rng = np.random.default_rng(seed)
    for _ in range(n):
        X = rng.random((120, 3))
        y = (X[:, 0] > 0.5).astype(int)
        redrawn = rng.random(120) < noise
        y[redrawn] = rng.integers(2, size=redrawn.sum())
        yield X, y


@pytest.mark.parametrize("recursive", [False, True])
def test_labels_are_those_of_the_model_and_probabilities_no_worse_than_a_guess(recursive):
    model, scores = TIXClassifier(recursive=recursive, random_state=0), []
    for X, y in chunks(noise=1.0):
        if hasattr(model, "classes_"):
            plain = model.final_.predict_proba(model._augmented(X))
            np.testing.assert_array_equal(model.predict(X), plain.argmax(axis=1))
            scores.append(metrics.brier_score(y, model.predict_proba(X), [0, 1]))
        model.partial_fit(X, y)
    assert model.smoothing_ > 0.8
    assert scores[0] > 0.34  # d is 0 for the first model
    assert np.mean(scores[1:]) < 0.275  # half and half is 0.25


def test_accurate_models_are_smoothed_little():
    model = TIXClassifier(random_state=0)
    for X, y in chunks(noise=0.0):
        model.partial_fit(X, y)
    assert model.smoothing_ < 0.1
    assert model.fit(X, y).smoothing_ == 0.0


def test_old_files_have_no_smoothing():
    model = TIXClassifier(LogisticRegression(), random_state=0)
    for X, y in chunks(noise=0.5, n=3):
        model.partial_fit(X, y)
    doubtful = model.predict_proba(X)
    del model.smoothing_
    loaded = loads(dumps(model))
    np.testing.assert_array_equal(loaded.predict(X), doubtful.argmax(axis=1))
    assert (loaded.predict_proba(X).max(axis=1) >= doubtful.max(axis=1)).all()
