import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from driftlearn.linear_model._logistic_model import LogisticModel
from tests.reference.logistic import LogisticReference

SHAPES = st.tuples(st.integers(1, 60), st.integers(1, 5), st.integers(1, 4))
RATES = st.sampled_from([(0.01,), (0.003, 0.01, 0.03, 0.1, 0.3), (10.0, 0.1), (1000.0,)])


def stream(n, d, n_classes, seed, gaps=0.1):
    rng = np.random.default_rng(seed)
    y = rng.integers(n_classes, size=n)
    X = rng.normal(size=(n, d)) * rng.choice([1e-3, 1.0, 1e4], size=d) + y[:, None]
    X[rng.random((n, d)) < gaps] = np.nan
    w = rng.choice([0.0, 0.25, 0.5, 1.0, 2.0, 100.0], size=n)
    return X, y, w


def scores(learner, X):
    out = np.empty((len(X), learner.n_classes))
    learner.scores_many(X, out)
    return out


@given(shape=SHAPES, seed=st.integers(0, 1000), rates=RATES)
def test_reference(shape, seed, rates):
    n, d, n_classes = shape
    X, y, w = stream(n, d, n_classes, seed)
    learner, reference = LogisticModel(d, n_classes, rates), LogisticReference(d, n_classes, rates)
    out = np.empty(n_classes)
    for i in range(n):
        learner.scores_one(X, i, out)
        np.testing.assert_allclose(out, reference.scores(X[i]), rtol=1e-8, atol=1e-12)
        learner.learn_one(X, i, y[i], w[i])
        reference.learn_one(X[i], y[i], w[i])
    state = learner.get_state()
    np.testing.assert_allclose(state["mistakes"], reference.mistakes, rtol=1e-12)
    for k, known in enumerate(reference.weights):
        for c, weights in known.items():
            np.testing.assert_allclose(state["coef"][c, k], weights, rtol=1e-7, atol=1e-10)
    assert learner.weight_seen == reference.moments.n
    expected = np.array([reference.scores(x) for x in X])
    np.testing.assert_allclose(scores(learner, X), expected, rtol=1e-8, atol=1e-12)


def test_predictions_are_the_best_scores():
    X, y, w = stream(300, 3, 3, seed=1)
    learner = LogisticModel(3, 3)
    assert learner.predict_one(X, 0) == -1 and not scores(learner, X).any()
    for i in range(len(y)):
        learner.learn_one(X, i, y[i], w[i])
        predicted = [learner.predict_one(X, j) for j in range(5)]
        assert predicted == scores(learner, X[:5]).argmax(axis=1).tolist()


def test_values_far_away_and_heavy_rows_do_no_lasting_harm():
    """Steps never overshoot, even for outliers and large weights."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(2000, 2))
    y = (X[:, 0] > 0).astype(np.intp)
    learner = LogisticModel(2, 2)
    learner.learn_many(X[:1000], y[:1000], np.ones(1000))
    bad = np.array([[-1e75, 1e75], [0.0, -1e75]])
    learner.learn_many(bad, np.array([1, 0]), np.array([1e100, 1e-100]))
    out = scores(learner, X)
    assert np.isfinite(out).all()
    np.testing.assert_allclose(out.sum(axis=1), 1.0)

    learner = LogisticModel(2, 2)
    learner.learn_many(X[:1000], y[:1000], np.ones(1000))
    before = scores(learner, X[1000:])
    learner.learn_many(np.array([[-50.0, 0.0]]), np.array([1]), np.ones(1))
    predicted = scores(learner, X[1000:]).argmax(axis=1)
    assert (predicted == before.argmax(axis=1)).mean() > 0.95


def test_constant_features_have_no_effect():
    X, y = np.full((60, 1), 0.1), np.array([0, 1, 1] * 20)
    learner = LogisticModel(1, 2)
    learner.learn_many(X, y, np.random.default_rng(0).random(60))
    assert not learner.get_state()["coef"][:, :, 1].any()
    assert np.array_equal(scores(learner, X + 5.0), scores(learner, X))


def test_recently_accurate_rates_dominate():
    """If one of two rates fails, the predictions are nearly those of the other."""
    rng = np.random.default_rng(2)
    X = rng.normal(size=(3000, 2))
    y = (X[:, 0] > 0).astype(np.intp)
    both, good = LogisticModel(2, 2, (1e-9, 0.1)), LogisticModel(2, 2, (0.1,))
    for learner in (both, good):
        learner.learn_many(X[:2000], 1 - y[:2000], np.ones(2000))
        learner.learn_many(X[2000:], y[2000:], np.ones(1000))
    mistakes = both.get_state()["mistakes"]
    assert mistakes[0] > mistakes[1] + 20
    np.testing.assert_allclose(scores(both, X), scores(good, X), atol=1e-8)


def test_a_row_of_weight_zero_is_absent():
    X, y, _ = stream(20, 2, 2, seed=0)
    one, other = LogisticModel(2, 3), LogisticModel(2, 3)
    one.learn_many(X, y, np.ones(20))
    other.learn_many(np.r_[X, X], np.r_[y, np.full(20, 2)], np.r_[np.ones(20), np.zeros(20)])
    assert np.array_equal(scores(one, X), scores(other, X))
    assert scores(other, X)[:, 2].max() == 0


def test_widen_moves_the_statistics():
    X, y, w = stream(80, 3, 2, seed=3)
    known = np.array([0, 2])
    wide, late = LogisticModel(3, 4), LogisticModel(3, 2)
    wide.learn_many(X[:50], known[y[:50]], w[:50])
    late.learn_many(X[:50], y[:50], w[:50])
    late.widen(known, 4)
    assert np.array_equal(scores(wide, X), scores(late, X))
    for learner in (wide, late):
        learner.learn_many(X[50:], np.arange(30) % 4, w[50:])
    assert np.array_equal(scores(wide, X), scores(late, X))


def test_copies_pickles_and_states_continue_identically():
    X, y, w = stream(60, 2, 3, seed=4)
    learner = LogisticModel(2, 3, (0.5, 0.05))
    learner.learn_many(X[:30], y[:30], w[:30])
    restored = LogisticModel(2, 3)
    restored.set_state(learner.get_state())
    others = [learner.copy(), pickle.loads(pickle.dumps(learner)), restored]
    before = scores(learner, X)
    learner.learn_many(X[30:], y[30:], w[30:])
    for other in others:
        assert np.array_equal(scores(other, X), before)
        other.learn_many(X[30:], y[30:], w[30:])
        assert np.array_equal(scores(other, X), scores(learner, X))


@pytest.mark.parametrize(
    "bad", [(), 0.1, (0.0,), (-1.0, 0.1), (float("nan"),), (1001,), ("a",), ((0.1,),), None]
)
def test_rates_must_be_rates(bad):
    with pytest.raises(ValueError, match=r"'rates' parameter .* one or more numbers in the range"):
        LogisticModel(1, 1, bad)
