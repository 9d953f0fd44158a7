"""Limits of a Hoeffding tree: number of nodes, and bytes of statistics."""

import pickle

import numpy as np
import pytest

from driftlearn.io import schema as _schema
from driftlearn.tree._hoeffding_model import HoeffdingTreeModel
from tests.reference.hoeffding import HoeffdingReference

EAGER = {"grace_period": 10, "delta": 0.5, "tie_threshold": 0.2}
STATISTICS = "weight", "mean", "m2", "low", "high", "counts"


def stream(n, seed):
    """Return two numeric attributes and two nominal ones, the last with ever new values."""
    rng = np.random.default_rng(seed)
    late = np.arange(n) * 30 // n
    X = np.column_stack(
        [rng.random(n), rng.normal(size=n), rng.integers(0, 5, n), rng.integers(0, 2 + late)]
    )
    y = np.where(X[:, 2] == 3, 2, X[:, 0] + 0.2 * X[:, 1] > 0.5).astype(np.intp)
    y = np.where(rng.random(n) < 0.1, rng.integers(0, 3, n), y)
    return X, y, rng.choice([0.0, 0.5, 1.0, 2.0], size=n)


def scores(tree, X):
    out = np.empty((len(X), tree.n_classes))
    tree.scores_many(X, out)
    return out


def same_state(one, other):
    assert one.keys() == other.keys()
    for name in one:
        np.testing.assert_array_equal(one[name], other[name], name)


def assert_same_leaves(tree, reference):
    """Assert the same splits, the same active leaves and the same numbers at each."""
    state = tree.get_state()

    def compare(k, node):
        assert (state["feature"][k], state["threshold"][k]) == (node.feature, node.threshold)
        leaf = state["child"][k]
        if node.feature >= 0:
            compare(leaf, node.left)
            compare(leaf + 1, node.right)
            return
        assert (leaf, state["slot"][leaf] >= 0) == (node.number, node.active)
        weights = node.class_weights + [0.0] * (tree.n_classes - len(node.class_weights))
        assert state["class_weight"][leaf].tolist() == weights
        assert state["since_check"][leaf] == node.since_check
        if tree.leaf_prediction == "nba":
            assert state["majority_right"][leaf] == node.majority_right
            assert state["bayes_right"][leaf] == node.nb_right

    compare(0, reference.root)


@pytest.mark.parametrize(
    "leaf_prediction, max_depth", [("nba", None), ("nba", 4), ("nb", None), ("majority", 4)]
)
@pytest.mark.parametrize(
    "bounds",
    [
        {"max_bytes": 1},
        {"max_bytes": 3000},
        {"max_bytes": 8000},
        {"max_bytes": None, "max_nodes": 1},
        {"max_bytes": None, "max_nodes": 12},
        {"max_bytes": 5000, "max_nodes": 13},
        {"max_bytes": 2**70, "max_nodes": 2**70},
    ],
    ids=str,
)
@pytest.mark.parametrize("nominal", [[0, 0, 1, 1], [0, 0, 0, 0]], ids=["nominal", "numeric"])
def test_reference(bounds, leaf_prediction, max_depth, nominal):
    n, n_classes = 1200, 3
    X, y, w = stream(n, seed=len(str(bounds)))
    how = {"leaf_prediction": leaf_prediction, "nominal": nominal, **EAGER, **bounds}
    tree = HoeffdingTreeModel(4, n_classes, max_depth=-1 if max_depth is None else max_depth, **how)
    reference = HoeffdingReference(4, max_depth=max_depth, **how)
    reference.widen(n_classes)
    for i in range(n):
        if i in (500, 800):  # a class without rows
            n_classes += 2
            tree.widen(np.arange(n_classes - 2), n_classes)
            reference.widen(n_classes)
        tree.learn_one(X, i, y[i], w[i])
        reference.learn_one(X[i], y[i], w[i])
        if i % 90 == 0:
            assert_same_leaves(tree, reference)
            expected = [reference.scores(x) for x in X[:30]]
            np.testing.assert_allclose(scores(tree, X[:30]), expected, rtol=1e-5, atol=1e-9)
    assert_same_leaves(tree, reference)


@pytest.mark.parametrize("max_bytes", [1, 5000, 20_000, 60_000])
def test_statistics_never_take_more(max_bytes):
    """The limit holds after every row, while classes and nominal values are added."""
    X, y, w = stream(3000, seed=1)
    tree = HoeffdingTreeModel(4, 3, nominal=[0, 0, 1, 1], max_bytes=max_bytes, **EAGER)
    poor = 0
    for i in range(len(X)):
        if i % 1000 == 999:
            tree.widen(np.arange(tree.n_classes), tree.n_classes + 1)
        tree.learn_one(X, i, y[i], w[i])
        leaves, n_values = tree.leaves, tree.get_state()["n_values"].sum()
        leaf_bytes = 8 * tree.n_classes * (1 + 4 * 4 + n_values)
        most = max(1, max_bytes // leaf_bytes)
        assert leaves.n_active == min(most, leaves.n_leaves)
        held = sum(array.nbytes for array in leaves.arrays(STATISTICS).values())
        assert held <= max(max_bytes, leaf_bytes)
        assert tree.n_bytes > held
        poor += leaves.n_active < leaves.n_leaves
    assert poor > 500


def test_seven_active_leaves():
    """The tree keeps growing, and leaves become active where errors are frequent."""
    rng = np.random.default_rng(0)
    X = rng.random((30_000, 2))
    y = (np.floor(4 * X[:, 0]) + np.floor(4 * X[:, 1])).astype(np.intp) % 2
    how = {"leaf_prediction": "majority", "grace_period": 50, "delta": 0.1, "tie_threshold": 0.1}
    tree = HoeffdingTreeModel(2, 2, max_bytes=7 * 8 * 2 * 9, **how)
    free = HoeffdingTreeModel(2, 2, max_bytes=None, **how)
    for one in (tree, free):
        one.learn_many(X, y, np.ones(len(X)))
    assert (tree.n_active, free.n_active) == (7, free.leaves.n_leaves)
    assert 15 < tree.leaves.n_leaves <= free.leaves.n_leaves
    right = [(scores(one, X).argmax(axis=1) == y).mean() for one in (tree, free)]
    assert right[0] > 0.5 + 0.8 * (right[1] - 0.5)
    state = tree.get_state()
    inside = state["slot"] >= 0
    promise = state["class_weight"].sum(axis=1) - state["class_weight"].max(axis=1)
    assert promise[inside].mean() > promise[~inside].mean()


@pytest.mark.parametrize("max_nodes", [1, 2, 3, 10, 11])
def test_growth_stops(max_nodes):
    X, y, w = stream(3000, seed=2)
    tree = HoeffdingTreeModel(4, 3, max_nodes=max_nodes, **EAGER)
    tree.learn_many(X, y, w)
    assert tree.n_nodes == max_nodes - (max_nodes % 2 == 0)
    assert tree.get_state()["class_weight"].sum() < w.sum() + 1e-6
    assert tree.n_active == (tree.n_nodes + 1) // 2


def test_out_of_reach_changes_nothing():
    X, y, w = stream(3000, seed=3)
    how = {"nominal": [0, 0, 1, 1], **EAGER}
    free = HoeffdingTreeModel(4, 3, max_nodes=None, max_bytes=None, **how)
    held = HoeffdingTreeModel(4, 3, max_nodes=1000, max_bytes=10**7, **how)
    for tree in (free, held):
        tree.learn_many(X, y, w)
    assert free.n_nodes > 15
    bounds = {"max_nodes": 0, "max_bytes": 0}
    same_state({**free.get_state(), **bounds}, {**held.get_state(), **bounds})


def test_slicing_and_coming_back_do_not_matter():
    X, y, w = stream(2500, seed=4)
    how = {"nominal": [0, 0, 1, 1], "max_bytes": 8000, "max_nodes": 61, **EAGER}
    whole, sliced = HoeffdingTreeModel(4, 3, **how), HoeffdingTreeModel(4, 3, **how)
    whole.learn_many(X, y, w)
    asleep = 0
    for start in range(0, len(X), 37):
        part = slice(start, start + 37)
        sliced.learn_many(X[part], y[part], w[part])
        asleep += sliced.n_active < sliced.leaves.n_leaves
        state = sliced.get_state()
        _schema.check(HoeffdingTreeModel, state)
        sliced = sliced.copy()
        same_state(state, sliced.get_state())
    assert asleep > 30
    same_state(whole.get_state(), sliced.get_state())


def test_states_without_limits():
    """States without limits load with all leaves active; the default limits apply afterwards."""
    X, y, w = stream(1500, seed=5)
    tree = HoeffdingTreeModel(4, 3, nominal=[0, 0, 1, 1], **EAGER)
    tree.learn_many(X[:900], y[:900], w[:900])
    old = tree.get_state()
    for name in ("slot", "max_nodes", "max_bytes"):
        del old[name]
    _schema.check(HoeffdingTreeModel, old)
    restored = HoeffdingTreeModel(4, 3)
    restored.set_state(old)
    for one in (tree, restored):
        one.learn_many(X[900:], y[900:], w[900:])
    assert tree.n_nodes > 5
    same_state(tree.get_state(), restored.get_state())


def test_more_active_leaves_than_allowed():
    """A state with too many active leaves loads; new classes deactivate leaves."""
    X, y, w = stream(3000, seed=6)
    tree = HoeffdingTreeModel(4, 3, **EAGER)
    tree.learn_many(X[:1500], y[:1500], w[:1500])
    before = tree.n_active
    assert before > 5
    tree.set_state({**tree.get_state(), "max_bytes": 3 * 8 * 4 * 17})
    tree.learn_many(X[1500:], y[1500:], w[1500:])
    assert (tree.n_active, tree.leaves.n_leaves > before) == (before, True)
    tree.widen(np.arange(3), 4)
    assert tree.n_active == 3


class Full:
    """Memory that runs out at the k-th array."""

    def __init__(self, monkeypatch, k):
        self.left = k
        for name in ("zeros", "ones", "resize"):
            monkeypatch.setattr(np, name, self.guarded(getattr(np, name)))

    def guarded(self, make):
        def made(*args, **kwargs):
            self.left -= 1
            if self.left < 0:
                raise MemoryError
            return make(*args, **kwargs)

        return made


def test_no_memory_for_a_split(monkeypatch):
    """The row is learned without a split; the next check splits the leaf."""
    X, y, w = stream(1500, seed=7)
    how = {"nominal": [0, 0, 1, 1], **EAGER}
    failed = 0
    for k in range(12):
        tree = HoeffdingTreeModel(4, 3, n_values=[0, 0, 40, 40], **how)
        tree.learn_many(X[:300], y[:300], w[:300])
        tree = pickle.loads(pickle.dumps(tree))  # which is full
        before = tree.get_state()
        with monkeypatch.context() as patch:
            Full(patch, k)
            done = 300
            while tree.n_nodes == len(before["feature"]) and done < 1400:
                try:
                    tree.learn_one(X, done, y[done], w[done])
                except MemoryError:
                    failed += 1
                    break
                finally:
                    done += 1
        after = tree.get_state()
        _schema.check(HoeffdingTreeModel, after)
        if tree.n_nodes == len(before["feature"]):
            for name in ("feature", "threshold", "child", "depth", "slot"):
                np.testing.assert_array_equal(before[name], after[name])
        assert after["weight_seen"] == pytest.approx(w[:done].sum())
        tree.learn_many(X[done:], y[done:], w[done:])
        _schema.check(HoeffdingTreeModel, tree.get_state())
        assert tree.n_nodes > len(before["feature"])
    assert failed > 5


def test_no_memory_for_a_class_or_a_value(monkeypatch):
    X, y, w = stream(1500, seed=8)
    tree = HoeffdingTreeModel(4, 3, nominal=[0, 0, 1, 1], max_bytes=9000, **EAGER)
    tree.learn_many(X, y, w)
    before = tree.get_state()
    larger = np.array([[0.5, 0.0, 9.0, 0.0]])
    for change in (lambda: tree.widen(np.arange(3), 5), lambda: tree.learn_one(larger, 0, 1, 1.0)):
        for k in range(5):
            with monkeypatch.context() as patch:
                Full(patch, k)
                with pytest.raises(MemoryError):
                    change()
            same_state(before, tree.get_state())
            np.testing.assert_array_equal(scores(tree.copy(), X), scores(tree, X))
    tree.widen(np.arange(3), 5)
    assert scores(tree, X).shape == (1500, 5)
