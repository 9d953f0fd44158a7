import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from driftlearn.naive_bayes._naive_bayes import NaiveBayesModel
from tests.reference.naive_bayes import NaiveBayesReference

SHAPES = st.tuples(st.integers(1, 60), st.integers(1, 5), st.integers(1, 4))


def stream(n, d, n_classes, seed):
    rng = np.random.default_rng(seed)
    y = rng.integers(n_classes, size=n)
    X = rng.normal(size=(n, d)) * rng.choice([1e-3, 1.0, 1e4], size=d) + y[:, None]
    w = rng.choice([0.0, 0.25, 0.5, 1.0, 2.0], size=n)
    return X, y, w


def scores(learner, X):
    out = np.empty((len(X), learner.n_classes))
    learner.scores_many(X, out)
    return out


@given(shape=SHAPES, seed=st.integers(0, 1000), smoothing=st.sampled_from([1e-9, 1e-3, 1.0]))
def test_reference(shape, seed, smoothing):
    n, d, n_classes = shape
    X, y, w = stream(n, d, n_classes, seed)
    learner = NaiveBayesModel(d, n_classes, smoothing)
    reference = NaiveBayesReference(d, n_classes, smoothing)
    for i in range(n):
        learner.learn_one(X, i, y[i], w[i])
        reference.learn_one(X[i], y[i], w[i])
    state = learner.get_state()
    assert state["weight"].tolist() == [c.n for c in reference.by_class]
    assert state["mean"].tolist() == [c.mean for c in reference.by_class]
    assert state["m2"].tolist() == [c.m2 for c in reference.by_class]
    assert state["mean_all"].tolist() == reference.all.mean
    assert state["m2_all"].tolist() == reference.all.m2
    assert learner.weight_seen == reference.all.n
    expected = np.array([reference.scores(x) for x in X])
    np.testing.assert_allclose(scores(learner, X), expected, rtol=1e-8, atol=1e-12)


@pytest.mark.parametrize("gaps", [False, True])
@pytest.mark.parametrize("constant", ["match", "density"])
@pytest.mark.parametrize("smoothing", [1e-9, 0.1])
def test_reference_where_features_are_constant(constant, smoothing, gaps):
    """Features of 0 or 1, most of them constant within a class."""
    rng = np.random.default_rng(5)
    y = rng.integers(3, size=200)
    X = (rng.random((200, 6)) < 0.03 * (y[:, None] == np.arange(6))).astype(float)
    X[:, 5] = rng.normal(size=200)
    X[gaps & (rng.random(X.shape) < 0.1)] = np.nan
    learner = NaiveBayesModel(6, 3, smoothing, constant)
    reference = NaiveBayesReference(6, 3, smoothing, constant)
    for i in range(100):
        learner.learn_one(X, i, y[i], 1.0)
        reference.learn_one(X[i], y[i], 1.0)
    expected = np.array([reference.scores(x) for x in X])
    np.testing.assert_allclose(scores(learner, X), expected, rtol=1e-7, atol=1e-12)
    other = NaiveBayesModel(1, 1)
    other.set_state(learner.get_state())
    assert np.array_equal(scores(other, X), scores(learner, X))
    assert np.array_equal(scores(learner.copy(), X), scores(learner, X))


def test_a_rare_class_is_not_the_likelier_for_being_constant():
    """Two rows of a class have the same zeros; a row of zeros still belongs to the other class."""
    X = np.zeros((102, 20))
    X[:100] = np.random.default_rng(0).random((100, 20)) < 0.05
    X[:, 0] = np.random.default_rng(1).normal(size=102)
    y = np.repeat([0, 1], [100, 2])
    requested = np.zeros((1, 20))
    predicted = {}
    for constant in ("match", "density"):
        learner = NaiveBayesModel(20, 2, constant=constant)
        learner.learn_many(X, y, np.ones(102))
        predicted[constant] = learner.predict_one(requested, 0)
    assert predicted == {"match": 0, "density": 1}
    with pytest.raises(ValueError, match="constant must be one of 'match', 'density'"):
        NaiveBayesModel(1, 2, constant="none")


def test_reference_before_each_row():
    """Cached values are current: scores between any two rows equal the reference's."""
    X, y, w = stream(300, 3, 3, seed=1)
    learner, reference = NaiveBayesModel(3, 3), NaiveBayesReference(3, 3)
    out = np.empty(3)
    for i in range(len(y)):
        learner.scores_one(X, i, out)
        np.testing.assert_allclose(out, reference.scores(X[i]), rtol=1e-9, atol=1e-12)
        if i > 10:
            assert learner.predict_one(X, i) == reference.predict_one(X[i])
        learner.learn_one(X, i, y[i], w[i])
        reference.learn_one(X[i], y[i], w[i])


def test_reference_with_any_weights():
    X, y, _ = stream(200, 4, 3, seed=2)
    w = np.random.default_rng(2).random(200) * 3
    learner, reference = NaiveBayesModel(4, 3), NaiveBayesReference(4, 3)
    learner.learn_many(X, y, w)
    for row in zip(X, y, w):
        reference.learn_one(*row)
    expected = np.array([reference.scores(x) for x in X])
    np.testing.assert_allclose(scores(learner, X), expected, rtol=1e-8, atol=1e-12)


def test_constant_features_leave_the_priors():
    """With any weights, rounding must not give a constant feature a variance."""
    rng = np.random.default_rng(0)
    for _ in range(50):
        X, y, w = np.full((6, 2), rng.normal()), np.array([0, 1, 1, 0, 1, 1]), rng.random(6)
        learner = NaiveBayesModel(2, 2)
        learner.learn_many(X, y, w)
        assert not learner.get_state()["m2"].any()
        shares = np.bincount(y, w) / w.sum()
        np.testing.assert_allclose(scores(learner, X), np.tile(shares, (6, 1)))


def test_rounding_never_makes_a_variance_negative():
    """A heavy row after a light one can move the mean past it by one bit."""
    rng = np.random.default_rng(1)
    negative = 0
    for _ in range(300):
        X = 1e6 * rng.normal(size=(2, 1))
        learner = NaiveBayesModel(1, 1)
        learner.learn_many(X, np.zeros(2, dtype=np.intp), np.array([1e-17, rng.random()]))
        negative += learner.get_state()["m2"].min() < 0
        assert scores(learner, X).tolist() == [[1.0], [1.0]]
        assert learner.predict_one(X, 0) == 0
    assert negative > 0


def test_many_features_neither_overflow_nor_underflow():
    """The product of 2000 variances is far outside the range of floats; its logarithm is not."""
    rng = np.random.default_rng(0)
    for scale in (1e-90, 1e-4, 1e4, 1e90):
        X = rng.normal(size=(40, 2000)) * scale
        y = np.arange(40) % 2
        learner, reference = NaiveBayesModel(2000, 2), NaiveBayesReference(2000, 2)
        learner.learn_many(X, y, np.ones(40))
        for x, c in zip(X, y):
            reference.learn_one(x, c)
        expected = np.array([reference.scores(x) for x in X[:4]])
        np.testing.assert_allclose(scores(learner, X[:4]), expected, rtol=1e-6, atol=1e-12)


def test_a_row_of_weight_zero_is_absent():
    X, y, _ = stream(20, 2, 2, seed=0)
    one, other = NaiveBayesModel(2, 3), NaiveBayesModel(2, 3)
    one.learn_many(X, y, np.ones(20))
    other.learn_many(np.r_[X, X], np.r_[y, np.full(20, 2)], np.r_[np.ones(20), np.zeros(20)])
    assert np.array_equal(scores(one, X), scores(other, X))
    assert scores(other, X)[:, 2].max() == 0


def test_widen_moves_the_statistics():
    X, y, w = stream(80, 3, 2, seed=3)
    known = np.array([0, 2])
    wide, late = NaiveBayesModel(3, 4), NaiveBayesModel(3, 2)
    wide.learn_many(X[:50], known[y[:50]], w[:50])
    late.learn_many(X[:50], y[:50], w[:50])
    scores(late, X)
    late.widen(known, 4)
    assert np.array_equal(scores(wide, X), scores(late, X))
    for learner in (wide, late):
        learner.learn_many(X[50:], np.arange(30) % 4, w[50:])
    assert np.array_equal(scores(wide, X), scores(late, X))


def test_copies_pickles_and_states_continue_identically():
    X, y, w = stream(60, 2, 3, seed=4)
    learner = NaiveBayesModel(2, 3, 1e-3)
    learner.learn_many(X[:30], y[:30], w[:30])
    restored = NaiveBayesModel(2, 3)
    restored.set_state(learner.get_state())
    others = [learner.copy(), pickle.loads(pickle.dumps(learner)), restored]
    before = scores(learner, X)
    learner.learn_many(X[30:], y[30:], w[30:])
    for other in others:
        assert np.array_equal(scores(other, X), before)
        other.learn_many(X[30:], y[30:], w[30:])
        assert np.array_equal(scores(other, X), scores(learner, X))


def test_state_is_not_shared():
    learner = NaiveBayesModel(1, 1)
    learner.learn_many(np.ones((2, 1)), np.zeros(2, dtype=np.intp), np.ones(2))
    learner.get_state()["mean"][:] = 99
    assert learner.get_state()["mean"].tolist() == [[1.0]]


@pytest.mark.parametrize("bad", [0.0, -1.0, float("nan")])
def test_smoothing_must_be_positive(bad):
    with pytest.raises(ValueError, match="'var_smoothing' parameter must be a float"):
        NaiveBayesModel(1, 1, bad)


@pytest.mark.parametrize("weight", [1e-60, 1.0, 1e200])
@pytest.mark.parametrize("scale", [1e-100, 1e-50, 1.0, 1e50])
def test_extreme_features_and_weights_neither_overflow_nor_underflow(scale, weight):
    """The scale of features does not change predictions, whatever the weights."""
    rng = np.random.default_rng(0)
    for n_features in (1, 3, 60):
        y = np.arange(200) % 2
        X = (rng.normal(size=(200, n_features)) + y[:, None]) * scale
        learner = NaiveBayesModel(n_features, 2)
        learner.learn_many(X, y, np.full(200, weight))
        plain = NaiveBayesModel(n_features, 2)
        plain.learn_many(X / scale, y, np.ones(200))
        found = scores(learner, X)
        np.testing.assert_allclose(found.sum(axis=1), 1.0)
        np.testing.assert_allclose(found, scores(plain, X / scale), rtol=1e-6, atol=1e-12)


def test_a_class_that_hardly_weighs_anything_is_no_harm():
    X, y = np.array([[0.0], [1.0], [50.0], [51.0]]), np.array([0, 0, 1, 1])
    learner = NaiveBayesModel(1, 2)
    learner.learn_many(X, y, np.where(y == 1, 1e-250, 1.0))
    found = scores(learner, X)
    np.testing.assert_allclose(found.sum(axis=1), 1.0)
    assert found[0].tolist() == [1.0, 0.0]
    assert found[2, 1] > 0.99  # beyond its prior, far as it is
    assert [learner.predict_one(X, i) for i in range(4)] == [0, 0, 1, 1]


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("gaps", [False, True])
def test_the_label_is_that_of_the_highest_score(n_classes, gaps):
    """With two classes, mostly without computing an exponential."""
    rng = np.random.default_rng(0)
    y = np.minimum(rng.integers(5, size=300), n_classes - 1)
    X = rng.normal(size=(300, 3)) * (1 + y[:, None]) + 0.2 * y[:, None]
    if gaps:
        X[rng.random(X.shape) < 0.1] = np.nan
    learner = NaiveBayesModel(3, n_classes)
    for i in range(300):
        if i:
            prediction, out = learner.predict_one(X, i), np.empty(n_classes)
            assert learner.test_one(X, i, out) == prediction == out.argmax()
        learner.learn_one(X, i, y[i], 1.0)


def test_rows_beyond_all_classes_are_of_the_first():
    """Where squares overflow no class has a score."""
    learner = NaiveBayesModel(1, 3)
    learner.learn_many(np.array([[0.0], [1.0]]), np.array([1, 2]), np.ones(2))
    far = np.array([[1e300]])
    with np.errstate(over="ignore"):
        assert scores(learner, far).tolist() == [[0.0, 0.0, 0.0]]
        assert learner.predict_one(far, 0) == 1
