import pickle

import numpy as np
import pytest

from driftlearn.tree._hoeffding_model import HoeffdingTreeModel
from tests.reference.hoeffding import HoeffdingReference

PREDICTIONS = ["nba", "nb", "majority"]


def stream(n, seed, n_classes=3):
    """Return two numeric and two nominal attributes; the last gets new values halfway."""
    rng = np.random.default_rng(seed)
    late = np.arange(n) > n // 2
    X = np.column_stack(
        [rng.random(n), rng.normal(size=n), rng.integers(0, 5, n), rng.integers(0, 2 + 9 * late)]
    )
    y = np.where(X[:, 2] == 3, 2, X[:, 0] + 0.2 * X[:, 1] > 0.5).astype(np.intp)
    y = np.where(rng.random(n) < 0.1, rng.integers(0, n_classes, n), y)
    w = rng.choice([0.0, 0.5, 1.0, 2.0], size=n)
    return X, y, w


def scores(tree, X):
    out = np.empty((len(X), tree.n_classes))
    tree.scores_many(X, out)
    return out


def assert_same_tree(tree, reference):
    """Assert that nodes, thresholds and the leaves' class weights have the same bits."""
    state = tree.get_state()

    def compare(k, node):
        assert (state["feature"][k], state["threshold"][k]) == (node.feature, node.threshold)
        child = state["child"][k]
        if node.feature >= 0:
            return compare(child, node.left) + compare(child + 1, node.right)
        known = len(node.class_weights)
        assert state["class_weight"][child, :known].tolist() == node.class_weights
        assert not state["class_weight"][child, known:].any()
        assert state["depth"][child] == node.depth
        return 1

    assert compare(0, reference.root) == tree.leaves.n_leaves
    return tree.leaves.n_leaves


@pytest.mark.parametrize("leaf_prediction", PREDICTIONS)
@pytest.mark.parametrize(
    "how",
    [
        {"grace_period": 50, "delta": 0.05, "tie_threshold": 0.1},
        {"grace_period": 50, "delta": 0.05, "tie_threshold": 0.1, "max_depth": 2},
        {"grace_period": 10, "delta": 0.5, "n_split_points": 3, "n_values": [0, 0, 7, 1]},
        {"grace_period": 200, "delta": 1e-7, "tie_threshold": 0.0},
    ],
    ids=["plain", "depth", "eager", "slow"],
)
def test_reference(leaf_prediction, how):
    n, n_classes = 2500, 3
    X, y, w = stream(n, seed=4)
    nominal = np.array([0, 0, 1, 1], dtype=np.uint8)
    how = {"leaf_prediction": leaf_prediction, "nominal": nominal, **how}
    tree, reference = HoeffdingTreeModel(4, n_classes, **how), HoeffdingReference(4, **how)
    out = np.empty(n_classes)
    for i in range(n):
        if i % 7 == 0 and i > 20:
            tree.scores_one(X, i, out)
            expected = reference.scores(X[i])
            np.testing.assert_allclose(out[: len(expected)], expected, rtol=1e-8, atol=1e-12)
            assert tree.predict_one(X, i) == reference.predict_one(X[i])
        tree.learn_one(X, i, y[i], w[i])
        reference.learn_one(X[i], y[i], w[i])
    assert assert_same_tree(tree, reference) > 2


@pytest.mark.parametrize("seed", range(4))
def test_reference_on_numbers_alone(seed):
    rng = np.random.default_rng(seed)
    X = np.round(rng.random((2000, 3)), 2)
    y = (X[:, 0] > X[:, 1]).astype(np.intp) + (X[:, 2] > 0.8)
    tree, reference = (
        HoeffdingTreeModel(3, 3, grace_period=40),
        HoeffdingReference(3, grace_period=40),
    )
    tree.learn_many(X, y, np.ones(2000))
    for x, c in zip(X, y):
        reference.learn_one(x, c)
    assert assert_same_tree(tree, reference) > 3
    expected = np.array([reference.scores(x) for x in X[:200]])
    np.testing.assert_allclose(scores(tree, X[:200]), expected, rtol=1e-8, atol=1e-12)


@pytest.mark.parametrize("seed", range(3))
def test_reference_on_a_grid(seed):
    """Thresholds coincide with values, among them the lowest and highest of a class."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 3, 1500)
    X = np.clip(rng.integers(0, 12, (1500, 2)), 2 * y[:, None], 5 + 3 * y[:, None]).astype(float)
    X[:2] = [[0, 0], [11, 11]]
    how = {"grace_period": 30, "tie_threshold": 0.3}
    tree, reference = HoeffdingTreeModel(2, 3, **how), HoeffdingReference(2, **how)
    tree.learn_many(X, y, np.ones(1500))
    for x, c in zip(X, y):
        reference.learn_one(x, c)
    assert assert_same_tree(tree, reference) > 3


def test_constant_attributes_get_no_variance_by_rounding():
    rng = np.random.default_rng(0)
    X, y = np.tile(rng.normal(size=300), (20, 1)), rng.integers(0, 2, 20)
    tree = HoeffdingTreeModel(300, 2)
    tree.learn_many(X, y, rng.random(20))
    assert not tree.get_state()["m2"].any()


def test_reference_with_any_weights():
    X, y, _ = stream(1500, seed=8)
    w = np.random.default_rng(8).random(1500) * 2
    how = {"nominal": [0, 0, 1, 1], "grace_period": 30, "delta": 0.3}
    tree, reference = HoeffdingTreeModel(4, 3, **how), HoeffdingReference(4, **how)
    tree.learn_many(X, y, w)
    for row in zip(X, y, w):
        reference.learn_one(*row)
    assert tree.n_nodes > 3
    expected = np.array([reference.scores(x) for x in X])
    np.testing.assert_allclose(scores(tree, X), expected, rtol=1e-7, atol=1e-12)


def test_a_pure_stream_never_splits():
    tree = HoeffdingTreeModel(2, 2)
    X = np.random.default_rng(0).random((3000, 2))
    tree.learn_many(X, np.ones(3000, dtype=np.intp), np.ones(3000))
    assert tree.n_nodes == 1
    assert scores(tree, X[:1]).tolist() == [[0.0, 1.0]]


def test_useless_attributes_do_not_split_before_the_tie_threshold():
    rng = np.random.default_rng(0)
    X, y = rng.random((800, 2)), rng.integers(0, 2, 800)
    tree = HoeffdingTreeModel(2, 2, tie_threshold=0.0, delta=1e-7)
    tree.learn_many(X, y, np.ones(800))
    assert tree.n_nodes == 1
    constant = HoeffdingTreeModel(2, 2, delta=0.5, tie_threshold=1.0)
    constant.learn_many(np.ones((800, 2)), y, np.ones(800))
    assert constant.n_nodes == 1


def test_depth_is_limited():
    X, y, w = stream(4000, seed=1)
    for max_depth in (0, 1, 3):
        tree = HoeffdingTreeModel(4, 3, grace_period=20, delta=0.5, max_depth=max_depth)
        tree.learn_many(X, y, w)
        assert tree.get_state()["depth"].max() == max_depth


def test_nominal_values():
    """A split separates one value from the others; an unknown value is scored, not an error."""
    rng = np.random.default_rng(0)
    X = rng.integers(0, 6, (2000, 1)).astype(float)
    y = (X[:, 0] == 4).astype(np.intp)
    tree = HoeffdingTreeModel(1, 2, nominal=[1], leaf_prediction="majority")
    tree.learn_many(X, y, np.ones(2000))
    state = tree.get_state()
    assert (state["feature"][0], state["threshold"][0]) == (0, 4.0)
    probe = np.array([[4.0], [3.0], [77.0], [-1.0], [4.5]])
    assert [tree.predict_one(probe, i) for i in range(5)] == [1, 0, 0, 0, 0]
    bayes = HoeffdingTreeModel(1, 2, nominal=[1], leaf_prediction="nb", max_depth=0)
    bayes.learn_many(X, y, np.ones(2000))
    n = np.array([2000 - y.sum(), y.sum()])
    expected = n / (n + 6)
    np.testing.assert_allclose(scores(bayes, probe)[2], expected / expected.sum())


def test_nominal_values_keep_their_counts_when_others_grow():
    X = np.array([[1, 0], [0, 1], [5, 3], [2, 40], [9, 2]], dtype=float)
    y = np.array([0, 1, 0, 1, 1])
    tree = HoeffdingTreeModel(2, 2, nominal=[1, 1], leaf_prediction="nb")
    roomy = HoeffdingTreeModel(2, 2, nominal=[1, 1], n_values=[10, 41], leaf_prediction="nb")
    for learner in (tree, roomy):
        learner.learn_many(X, y, np.ones(5))
    assert tree.get_state()["n_values"].tolist() == [10, 41]
    assert np.array_equal(scores(tree, X), scores(roomy, X))


@pytest.mark.parametrize("bad", [-1.0, 0.5, 65536.0, float("inf")])
def test_bad_nominal_codes_change_nothing(bad):
    tree = HoeffdingTreeModel(2, 2, nominal=[0, 1])
    X, y = np.array([[0.1, 1.0], [0.2, bad]]), np.array([0, 1])
    with pytest.raises(ValueError, match=r"integer codes in the range \[0, 65535\]"):
        tree.learn_many(X, y, np.ones(2))
    with pytest.raises(ValueError, match="Nominal features must be integer codes"):
        tree.learn_one(X, 1, 1, 1.0)
    assert tree.weight_seen == 0
    assert tree.predict_one(X, 0) == -1


def test_widen_moves_the_statistics():
    X, y, w = stream(2000, seed=2)
    positions = np.array([1, 2, 4])
    how = {"nominal": [0, 0, 1, 1], "grace_period": 30}
    wide, late = HoeffdingTreeModel(4, 5, **how), HoeffdingTreeModel(4, 3, **how)
    wide.learn_many(X[:1000], positions[y[:1000]], w[:1000])
    late.learn_many(X[:1000], y[:1000], w[:1000])
    late.widen(positions, 5)
    assert late.n_nodes == wide.n_nodes > 3
    assert np.array_equal(scores(wide, X), scores(late, X))
    for tree in (wide, late):
        tree.learn_many(X[1000:], np.arange(1000) % 5, w[1000:])
    assert np.array_equal(scores(wide, X), scores(late, X))


@pytest.mark.parametrize("leaf_prediction", PREDICTIONS)
def test_copies_pickles_and_states_continue_identically(leaf_prediction):
    X, y, w = stream(3000, seed=3)
    how = {"nominal": [0, 0, 1, 1], "grace_period": 20, "leaf_prediction": leaf_prediction}
    tree = HoeffdingTreeModel(4, 3, delta=0.5, **how)
    tree.learn_many(X[:1400], y[:1400], w[:1400])
    restored = HoeffdingTreeModel(4, 3)
    restored.set_state(tree.get_state())
    others = [tree.copy(), pickle.loads(pickle.dumps(tree)), restored]
    before, size = scores(tree, X), tree.n_nodes
    tree.learn_many(X[1400:], y[1400:], w[1400:])
    assert tree.n_nodes > size > 3
    for other in others:
        assert np.array_equal(scores(other, X), before)
        other.learn_many(X[1400:], y[1400:], w[1400:])
        assert np.array_equal(scores(other, X), scores(tree, X))


def test_slicing_does_not_matter():
    X, y, w = stream(2000, seed=6)
    how = {"nominal": [0, 0, 1, 1], "grace_period": 30}
    whole, sliced = HoeffdingTreeModel(4, 3, **how), HoeffdingTreeModel(4, 3, **how)
    whole.learn_many(X, y, w)
    for start in range(0, 2000, 37):
        part = slice(start, start + 37)
        sliced.learn_many(X[part], y[part], w[part])
    assert np.array_equal(scores(whole, X), scores(sliced, X))


def test_leaf_prediction_is_one_of_three():
    with pytest.raises(ValueError, match="must be one of 'nba', 'nb', 'majority'"):
        HoeffdingTreeModel(1, 2, leaf_prediction="best")


def test_naive_bayes_omits_classes_unseen_in_the_leaf():
    """A class of which a leaf has only inherited weight has no density, which would count as 1."""
    rng = np.random.default_rng(0)
    X = rng.random((400, 1)) * 1e4  # densities far below 1
    y = (X[:, 0] > 5e3).astype(np.intp)
    tree = HoeffdingTreeModel(1, 3, leaf_prediction="nb", tie_threshold=1.0)
    tree.learn_many(X[:100], y[:100], np.ones(100))
    assert tree.n_nodes == 3
    probe = np.array([[2e3], [8e3]])
    heaviest = tree.get_state()["class_weight"][:2]
    fresh = scores(tree, probe)
    np.testing.assert_allclose(fresh, heaviest / heaviest.sum(axis=1, keepdims=True))
    assert [tree.predict_one(probe, i) for i in (0, 1)] == [0, 1]
    tree.learn_many(X[100:], np.where(y[100:], 2, 0), np.ones(300))  # no rows of class 1
    predicted = scores(tree, probe)
    assert tree.predict_one(probe, 1) == 2 and predicted[1, 2] == 1.0


def test_an_attribute_that_does_not_vary_counts_as_one():
    """Otherwise a class would be more probable the more attributes have not varied in it yet."""
    rng = np.random.default_rng(1)
    X = np.column_stack([rng.normal(size=300), np.zeros(300)])
    y = np.repeat([0, 1], 150)
    X[:150, 1] = rng.random(150) < 0.5  # it varies in class 0 only
    X[150:, 0] += 3
    tree = HoeffdingTreeModel(2, 2, grace_period=1e9, leaf_prediction="nb")
    tree.learn_many(X, y, np.ones(300))
    probe = np.array([[0.0, 0.0], [3.0, 0.0], [3.0, 1.0]])
    assert [tree.predict_one(probe, i) for i in range(3)] == [0, 1, 0]
