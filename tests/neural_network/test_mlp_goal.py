import pickle
from concurrent.futures import ThreadPoolExecutor
from itertools import product

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_digits, load_iris, load_wine
from sklearn.utils.estimator_checks import parametrize_with_checks
from threadpoolctl import threadpool_limits

from driftlearn.base.base_learners import codes, trained, updated
from driftlearn.base.chunk import Chunk
from driftlearn.neural_network.mlp_goal import MLPGoalClassifier
from tests.reference.mlp_goal import NETWORK_A, NETWORK_B, train_mlp

REFERENCE_NAMES = {
    "hidden_layer_size": "n_hidden",
    "activation": "hidden",
    "learning_rate": "rate",
}


def reference_of(model, X, y, w):
    """Return the reference implementation trained with the parameters of the model."""
    options = {REFERENCE_NAMES.get(name, name): v for name, v in model.get_params().items()}
    assert options.pop("scaling") is None
    options["init"] = options["init"].replace("-", "_")
    if options["solver"] == "scg":
        del options["rate"], options["momentum"]
    return train_mlp(X, y, w, options.pop("random_state"), **options)


def assert_close(model, reference, **tolerance):
    W, b, V, c = reference.net.parts(reference.point)
    for mine, theirs in zip((*model.coefs_, *model.intercepts_), (W, V, b, c)):
        np.testing.assert_allclose(mine, theirs, **tolerance)
    assert model.n_iter_ == reference.n_iter
    assert model.loss_ == pytest.approx(reference.loss, rel=1e-9)


def problem(n=90, d=4):
    """Return overlapping classes with repeated rows, and weights of which some are zero."""
    rng = np.random.default_rng(1)
    y = np.arange(n) % 3
    X = np.round(rng.normal(size=(n, d)) + 1.5 * np.eye(3, d)[y], 1)
    X[n // 2 :: 5], y[n // 2 :: 5] = X[3], y[3]
    return X, y, rng.integers(0, 4, n) / 2


ALL = list(product(("logistic", "tanh"), ("logistic", "linear"), ("normal", "nguyen-widrow")))


@pytest.mark.parametrize("solver", ["gdx", "scg"])
@pytest.mark.parametrize(("activation", "output", "init"), ALL)
def test_agrees_with_the_reference(solver, activation, output, init):
    X, y, w = problem()
    model = MLPGoalClassifier(
        7, activation, output, solver, init, max_iter=12, scaling=None, random_state=3
    )
    assert_close(model.fit(X, y, w), reference_of(model, X, y, w), rtol=1e-7, atol=1e-9)
    model.set_params(goal=0.06, max_iter=200).fit(X, y, w)
    reference = reference_of(model, X, y, w)
    assert model.n_iter_ == reference.n_iter
    np.testing.assert_array_equal(model.predict(X), reference.predict(X))
    np.testing.assert_allclose(model.predict_proba(X), reference.proba(X, [0, 1, 2]), atol=1e-6)


@pytest.mark.parametrize("options", [{"learning_rate": 20.0}, {"momentum": 0.0}, {"goal": 0.5}])
def test_agrees_on_rejected_steps_no_momentum_and_a_goal_met_at_once(options):
    X, y, w = problem()
    model = MLPGoalClassifier.network_a(**options, max_iter=40, random_state=0).fit(X, y, w)
    assert_close(model, reference_of(model, X, y, w), rtol=1e-7, atol=1e-9)
    assert (model.n_iter_ == 0) == ("goal" in options)


@pytest.mark.parametrize(
    ("network", "reference"),
    [(MLPGoalClassifier.network_a, NETWORK_A), (MLPGoalClassifier.network_b, NETWORK_B)],
)
def test_named_networks_are_those_of_the_calibration(network, reference):
    X, y = load_wine(return_X_y=True)
    X = (X - X.min(axis=0)) / np.ptp(X, axis=0)
    model = network(random_state=2).fit(X, y)
    assert_close(model, train_mlp(X, y, np.ones(len(y)), 2, **reference), rtol=1e-6, atol=1e-8)
    assert model.converged_ and model.size_ == sum(a.size for a in model.coefs_) + len(
        model.intercepts_[0]
    ) + len(model.intercepts_[1])
    assert network(max_iter=7).max_iter == 7


@pytest.mark.parametrize("solver", ["gdx", "scg"])
def test_stops_at_the_first_point_that_meets_the_goal(solver):
    X, y = load_iris(return_X_y=True)
    model = MLPGoalClassifier(solver=solver, random_state=0).fit(X, y)
    assert model.converged_ and model.loss_ <= 0.05
    short = clone(model).set_params(max_iter=model.n_iter_ - 1).fit(X, y)
    assert not short.converged_ and short.loss_ > 0.05 and short.n_iter_ == model.n_iter_ - 1


def test_a_smaller_goal_makes_a_stronger_network():
    X, y = load_digits(return_X_y=True)
    scores = [
        MLPGoalClassifier(goal=goal, random_state=0).fit(X[::2], y[::2]).score(X[1::2], y[1::2])
        for goal in (0.08, 0.05, 0.01)
    ]
    assert scores == sorted(scores) and scores[-1] > 0.9


@pytest.mark.parametrize("network", [MLPGoalClassifier, MLPGoalClassifier.network_b])
def test_repeats_are_weights_and_order_does_not_matter(network):
    X, y, _ = problem()
    times = np.random.default_rng(2).integers(0, 4, len(y))
    weighted = network(random_state=0).fit(X, y, sample_weight=times)
    rows = np.random.default_rng(3).permutation(np.repeat(np.arange(len(y)), times))
    repeated = network(random_state=0).fit(X[rows], y[rows])
    np.testing.assert_array_equal(weighted.predict_proba(X), repeated.predict_proba(X))
    halved = network(random_state=0).fit(X, y, sample_weight=times / 2)
    np.testing.assert_array_equal(weighted.coefs_[0], halved.coefs_[0])


def test_scaling_makes_units_irrelevant():
    X, y = load_wine(return_X_y=True)
    X = np.column_stack([X, np.full(len(y), 5.0)])
    model = MLPGoalClassifier(random_state=0).fit(X, y)
    other = MLPGoalClassifier(random_state=0).fit(X * 1024.0, y)
    np.testing.assert_array_equal(model.predict_proba(X), other.predict_proba(X * 1024.0))
    unit = (X - X.min(axis=0)) / np.append(np.ptp(X[:, :-1], axis=0), 1.0)
    plain = MLPGoalClassifier.network_a(random_state=0).fit(unit, y)
    np.testing.assert_array_equal(model.predict_proba(X), plain.predict_proba(unit))
    assert model.score(X, y) > 0.95


def test_a_single_class_is_a_constant():
    model = MLPGoalClassifier().fit([[1.0], [2.0]], ["a", "a"])
    assert model.predict([[9.0]]).tolist() == ["a"]
    assert (model.coefs_, model.n_iter_, model.loss_, model.converged_) == ([], 0, 0.0, True)
    model.fit([[1.0], [2.0]], ["a", "b"], sample_weight=[0, 1])
    np.testing.assert_array_equal(model.predict_proba([[1.0]]), [[0.0, 1.0]])


def test_only_classes_that_are_present_get_an_output():
    X, y, _ = problem()
    w = np.where(y == 1, 0.0, 1.0)
    model = MLPGoalClassifier(random_state=0).fit(X, y, w)
    assert model.coefs_[1].shape == (25, 2)
    assert model.predict_proba(X).shape == (len(y), 3)
    assert not model.predict_proba(X)[:, 1].any()
    without = MLPGoalClassifier(random_state=0).fit(X[y != 1], y[y != 1])
    np.testing.assert_array_equal(model.predict(X), without.predict(X))


@pytest.mark.parametrize(
    ("output", "biases", "label", "proba"),
    [
        ("logistic", [50.0, 60.0, 40.0], 1, [1 / 3, 1 / 3, 1 / 3]),
        ("logistic", [-900.0, -800.0, -900.0], 1, [0, 1, 0]),
        ("linear", [-3.0, -2.0, -1.0], 2, [0, 0, 1]),
        ("linear", [-3.0, 2.0, 6.0], 2, [0, 0.25, 0.75]),
    ],
)
def test_the_label_is_the_largest_output_before_rounding(output, biases, label, proba):
    X, y, _ = problem()
    model = MLPGoalClassifier(output=output, max_iter=1).fit(X, y)
    model.coefs_[1][:] = 0.0
    model.intercepts_[1][:] = biases
    assert (model.predict(X) == label).all()
    assert (codes(model, X, np.arange(3)) == label).all()
    np.testing.assert_allclose(model.predict_proba(X)[:1], [proba], rtol=1e-12)


@pytest.mark.parametrize("d", [1, 2, 13])
def test_a_row_does_not_depend_on_its_neighbours(d):
    X, y = load_wine(return_X_y=True)
    X = X[:, :d]
    model = MLPGoalClassifier(max_iter=30, random_state=0).fit(X, y)
    rows = np.vstack([model.predict_proba(row[None]) for row in X])
    np.testing.assert_array_equal(model.predict_proba(X), rows)


@pytest.mark.parametrize("solver", ["gdx", "scg"])
def test_bits_do_not_depend_on_threads(solver):
    X, y = load_digits(return_X_y=True)

    def coefs(_=None):
        model = MLPGoalClassifier(solver=solver, max_iter=10, random_state=0)
        return model.fit(X, y).coefs_[0]

    with threadpool_limits(1, user_api="blas"):
        found = [coefs()]
    with threadpool_limits(2, user_api="blas"), ThreadPoolExecutor(3) as pool:
        found += [coefs(), *pool.map(coefs, range(4))]
    for other in found[1:]:
        np.testing.assert_array_equal(other, found[0])


@pytest.mark.parametrize("n_features", [1, 700])
def test_blocks_do_not_matter(n_features):
    """Few rows, and rows so wide that blocks are at their smallest."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(50, n_features)), np.arange(50) % 3
    model = MLPGoalClassifier.network_a(max_iter=5, goal=0.0, random_state=0).fit(X, y)
    assert_close(model, reference_of(model, X, y, np.ones(50)), rtol=1e-7, atol=1e-9)


@pytest.mark.parametrize("solver", ["gdx", "scg"])
@pytest.mark.parametrize("output", ["logistic", "linear"])
def test_large_numbers_and_rates_do_no_harm(solver, output):
    X, y, w = problem()
    model = MLPGoalClassifier(
        solver=solver, output=output, scaling=None, learning_rate=1e9, max_iter=100, random_state=0
    )
    model.fit(X * 1e8, y, w)
    assert np.isfinite(model.loss_)
    assert np.isfinite(model.predict_proba(X * 1e8)).all()


def test_conjugate_gradients_end_where_the_slope_does():
    X, y = np.zeros((40, 1)), np.arange(40) % 2
    model = MLPGoalClassifier.network_b(random_state=0).fit(X, y)
    assert model.loss_ == pytest.approx(0.25)
    assert model.n_iter_ < 400 and not model.converged_


def test_as_a_member():
    X, y = load_iris(return_X_y=True)
    chunk = Chunk(X, y, np.ones(len(y)), np.array(["a", "b", "c", "d"]))
    base = MLPGoalClassifier()
    model = trained(base, chunk, seed=1)
    assert model.classes_.tolist() == ["a", "b", "c"]
    again = updated(base, pickle.loads(pickle.dumps(model)), 1, chunk)
    np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))
    assert not hasattr(base, "partial_fit")


@parametrize_with_checks(
    [MLPGoalClassifier.network_b()],
    expected_failed_checks=lambda _: {
        "check_class_weight_classifiers": "it is trained until its error meets the goal"
    },
)
def test_scikit_learn(estimator, check):
    check(estimator)
