import importlib.util
import pickle
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

import driftlearn
from driftlearn.base import _presort as sorting
from driftlearn.tree import _grow_tree as kernel
from driftlearn.tree import _packed_trees as forests_of
from driftlearn.tree._fixed_tree import FixedTree
from tests.reference import cart as reference

ROOT = Path(driftlearn.__file__).parents[1]
NAMES = ("feature", "threshold", "left", "right", "value", "missing_left")
WEIGHTS = {
    "ones": lambda rng, n: np.ones(n),
    "whole": lambda rng, n: rng.integers(1, 5, n).astype(float),
    "quarters": lambda rng, n: rng.integers(1, 20, n) / 4,
}


def labels_of(forest, X):
    return forests_of.forest_labels(forest, forests_of.forest_leaves(forest, X))


def probas_of(forest, X, n_classes, module=forests_of):
    return module.forest_probas(forest, module.forest_leaves(forest, X), n_classes)


def columns(rng, n, d):
    """Return columns: constant, few values, many values, negative, both zeros, missing values.

    A missing value has any sign.
    """
    makers = (
        lambda: np.full(n, 3.0),
        lambda: (rng.random(n) < rng.choice([0.1, 0.5, 0.9])) * 1.0,
        lambda: rng.integers(-2, 3, n) / 2 * rng.choice([-1.0, 1.0]),
        lambda: rng.normal(size=n),
        lambda: np.where(rng.random(n) < 0.5, 0.0, -0.0),
    )
    picks = rng.choice(len(makers), d, p=[0.1, 0.3, 0.25, 0.3, 0.05])
    X = np.stack([makers[pick]() for pick in picks], axis=1)
    gaps = rng.random((n, d)) < rng.choice([0.0, 0.0, 0.2, 0.6], d)
    X[gaps] = np.where(rng.random(gaps.sum()) < 0.5, np.nan, -np.nan)
    return X


def problem(seed, n, d, n_classes, weights="ones"):
    rng = np.random.default_rng(seed)
    X = columns(rng, n, d)
    y = rng.integers(0, n_classes, n)
    y[np.nansum(X, axis=1) > 1] = 0
    return X, y, WEIGHTS[weights](rng, n)


def grow(X, y, w, n_classes, split=2, leaf=1, depth=-1):
    return kernel.grow(X, sorting.presort(X), y, w, n_classes, split, leaf, depth)


def transfer(tree, X, y, w, n_classes, split=2, leaf=1, depth=-1):
    order = sorting.presort(X)
    return kernel.transfer_all([tree], X, order, y, w, n_classes, split, leaf, depth)[0]


def preorder(tree):
    """Return the same tree with its nodes renumbered in depth-first order."""
    feature, threshold, left, right, value, missing_left = tree
    nodes, stack = [], [0]
    while stack:
        nodes.append(stack.pop())
        if feature[nodes[-1]] >= 0:
            stack += [right[nodes[-1]], left[nodes[-1]]]
    place = np.full(len(feature) + 1, -1)
    place[nodes] = np.arange(len(nodes))
    return (
        feature[nodes],
        threshold[nodes],
        place[left[nodes]],
        place[right[nodes]],
        value[nodes],
        missing_left[nodes],
    )


def assert_same(tree, other):
    for name, part, expected in zip(NAMES, tree, other, strict=True):
        assert_array_equal(part, expected, err_msg=name)


def as_arrays(reference_tree):
    flat = reference.flatten(reference_tree)
    return tuple(flat[name] for name in NAMES)


problems = {
    "seed": st.integers(0, 2**32 - 1),
    "n": st.integers(1, 40),
    "d": st.integers(1, 5),
    "n_classes": st.integers(1, 4),
    "weights": st.sampled_from(sorted(WEIGHTS)),
}
limits = {
    "split": st.integers(2, 12),
    "leaf": st.integers(1, 6),
    "depth": st.sampled_from([-1, 0, 1, 3]),
}


@given(seed=problems["seed"], n=st.integers(1, 300), d=problems["d"])
def test_presort_is_a_stable_argsort(seed, n, d):
    X = columns(np.random.default_rng(seed), n, d)
    order = sorting.presort(X)
    assert order.dtype == np.int32
    assert_array_equal(order, np.argsort(X, axis=0, kind="stable").T)
    assert_array_equal(sorting.presort(X, 1), order[1:])


def test_presort_orders_extreme_values():
    tiny, huge = 5e-324, np.finfo(float).max
    values = np.array([0.0, -tiny, huge, -huge, tiny, -0.0, 1.0, np.nextafter(1.0, 2.0), -1.0])
    order = sorting.presort(values[:, np.newaxis])
    assert_array_equal(order[0], [3, 8, 1, 0, 5, 4, 6, 7, 2])
    assert sorting.presort(np.empty((0, 2))).shape == (2, 0)


@given(**problems, **limits)
def test_grow_is_its_reference(seed, n, d, n_classes, weights, split, leaf, depth):
    X, y, w = problem(seed, n, d, n_classes, weights)
    tree = grow(X, y, w, n_classes, split, leaf, depth)
    assert_same(tree, as_arrays(reference.grow(X, y, w, n_classes, split, leaf, depth)))


@given(**problems, **limits, later=st.integers(0, 40))
def test_transfer_is_its_reference(seed, n, d, n_classes, weights, split, leaf, depth, later):
    X, y, w = problem(seed, n + later, d, n_classes, weights)
    old = grow(X[:n], y[:n], w[:n], n_classes, split, leaf, 2)
    new = transfer(old, X[n:], y[n:], w[n:], n_classes, split, leaf, depth)
    expected = reference.grow(X[:n], y[:n], w[:n], n_classes, split, leaf, 2)
    expected = reference.transfer(expected, X[n:], y[n:], w[n:], n_classes, split, leaf, depth)
    assert_same(preorder(new), as_arrays(expected))


@given(
    seed=problems["seed"], n=st.integers(2, 40), n_classes=st.integers(2, 4), kind=st.integers(0, 2)
)
def test_grow_is_its_reference_for_weights_that_round(seed, n, n_classes, kind):
    X, y, _ = problem(seed, n, 3, n_classes)
    X = np.hstack([X, -X])
    rng = np.random.default_rng(seed)
    kinds = (0.1 + rng.random(n), 10.0 ** rng.integers(-20, 1, n), 2.0**50 + rng.integers(0, 99, n))
    w = kinds[kind]
    assert_same(grow(X, y, w, n_classes), as_arrays(reference.grow(X, y, w, n_classes, 2)))


@given(**{**problems, "weights": st.sampled_from(["ones", "whole"])}, **limits)
def test_both_ways_of_scanning_agree(seed, n, d, n_classes, weights, split, leaf, depth):
    X, y, w = problem(seed, n, d, n_classes, weights)
    whole = grow(X, y, w, n_classes, split, leaf, depth)
    eighths = grow(X, y, w / 8, n_classes, split, leaf, depth)
    assert_same(whole, (*eighths[:4], eighths[4] * 8, eighths[5]))


@given(seed=problems["seed"], n=st.integers(1, 40), n_classes=st.integers(2, 4))
def test_a_weight_is_a_repetition(seed, n, n_classes):
    X, y, w = problem(seed, n, 4, n_classes, "whole")
    repeats = w.astype(int)
    X2, y2 = np.repeat(X, repeats, axis=0), np.repeat(y, repeats)
    assert_same(grow(X, y, w, n_classes), grow(X2, y2, np.ones(len(y2)), n_classes))


@given(seed=problems["seed"], n=st.integers(1, 120), **limits)
def test_shape_of_a_tree(seed, n, split, leaf, depth):
    X, y, w = problem(seed, n, 4, 3, "whole")
    tree = grow(X, y, w, 3, split, leaf, depth)
    feature, _, left, right, value, _ = tree
    inner = np.flatnonzero(feature >= 0)
    assert [part.dtype.char for part in tree] == ["i", "d", "i", "i", "d", "B"]
    assert_array_equal(left[inner], inner + 1)
    assert np.all(right[inner] > left[inner])
    assert_array_equal(value[inner], value[left[inner]] + value[right[inner]])
    assert np.all(left[feature < 0] == -1) and np.all(right[feature < 0] == -1)
    depths = np.zeros(len(feature), dtype=int)
    for node in inner:
        depths[[left[node], right[node]]] = depths[node] + 1
    assert depth < 0 or depths.max() <= depth
    reached = forests_of.apply(tree, X)
    rows = np.bincount(reached, minlength=len(feature))
    assert np.all(rows[inner] == 0)
    assert len(inner) == 0 or rows[feature < 0].min() >= leaf
    assert_array_equal(
        value[reached[0]], np.bincount(y[reached == reached[0]], w[reached == reached[0]], 3)
    )


@pytest.mark.parametrize(
    ("values", "labels", "weights", "threshold", "missing_left", "left"),
    [
        ([0, 1, np.nan, 2, 3], [0, 0, 1, 1, 1], [1, 1, 1, 1, 1], 1.5, 0, [2, 0]),
        ([0, 1, np.nan, 2, 3], [0, 0, 0, 1, 1], [1, 1, 1, 1, 1], 1.5, 1, [3, 0]),
        ([0, 0, np.nan, 0, np.nan], [0, 0, 1, 0, 1], [1, 1, 1, 1, 1], np.inf, 0, [3, 0]),
        ([0, 1, np.nan, np.nan], [0, 1, 0, 1], [1, 1, 1, 1], 0.5, 1, [2, 1]),
        ([0, 1, 1, np.nan], [0, 1, 2, 3], [1, 1, 1, 1], 0.5, 0, [1, 0, 0, 0]),
        ([0, 1, 2], [0, 1, 1], [1, 1, 1], 0.5, 0, [1, 0]),
        ([0, 1, 2], [0, 1, 1], [2, 1, 1], 0.5, 1, [2, 0]),
    ],
    ids=["right", "left", "only the missing", "tie", "heavier", "none missing", "equal"],
)
def test_where_missing_values_go(values, labels, weights, threshold, missing_left, left):
    """By hand: the side of greater gain, on ties the heavier one, then the left."""
    X, w = np.array(values, dtype=float)[:, None], np.array(weights, dtype=float)
    tree = grow(X, np.array(labels), w, 1 + max(labels), depth=1)
    assert (tree[1][0], tree[5][0], tree[4][1].tolist()) == (threshold, missing_left, left)
    assert forests_of.apply(tree, np.array([[np.nan]]))[0] == (1 if missing_left else 2)


def test_a_weight_may_vanish_beside_the_others():
    X = np.arange(3.0)[:, np.newaxis]
    w = np.array([1.0, 1.0, 1e-20])
    tree = grow(X, np.array([0, 1, 0]), w, 2)
    assert_array_equal(tree[1], [0.5, 0.0, 0.0])
    assert_array_equal(tree[4], [[1, 1], [1, 0], [1e-20, 1]])


def test_first_of_equal_splits_wins():
    x = np.array([0.0, 1.0, 2.0, 3.0])
    y = np.array([0, 1, 1, 0])
    tree = grow(np.stack([np.zeros(4), x, x], axis=1), y, np.ones(4), 2, depth=1)
    assert (tree[0][0], tree[1][0]) == (1, 0.5)
    binary = np.array([0.0, 1.0, 1.0, 1.0])
    for X, first in (([binary, x], 0.5), ([x, binary], 0.5)):
        tree = grow(np.stack(X, axis=1), y, np.ones(4), 2, depth=1)
        assert (tree[0][0], tree[1][0]) == (0, first)


def test_no_split_without_gain():
    X = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
    tree = grow(X, np.array([0, 1, 1, 0]), np.ones(4), 2)
    assert_array_equal(tree[0], [-1])
    X = np.repeat([[0.0], [1.0]], 8, axis=0)
    tree = grow(X, np.arange(16) % 2, np.full(16, 0.1), 2)
    assert_array_equal(tree[0], [-1], "what rounding gains is no gain")


@pytest.mark.parametrize(
    ("a", "b"),
    [
        (1.0, np.nextafter(1.0, 2.0)),
        (np.nextafter(1.0, 0.0), 1.0),
        (1.6e308, 1.7e308),
        (-1.7e308, -1.6e308),
        (-5e-324, 0.0),
    ],
)
@pytest.mark.parametrize("filler", [[], [-1.75e308]])
def test_threshold_separates_neighbouring_floats(a, b, filler):
    values = np.array([*filler, a, b])
    y = np.array([0] * len(filler) + [0, 1])
    tree = grow(values[:, np.newaxis], y, np.ones(len(y)), 2)
    assert a <= tree[1][0] < b
    assert_array_equal(tree[4][forests_of.apply(tree, values[:, np.newaxis])].argmax(axis=1), y)


def test_transfer_keeps_what_no_row_reaches_and_its_input():
    X = np.arange(8.0)[:, np.newaxis]
    y = np.array([0, 0, 1, 1, 0, 0, 1, 1])
    old = grow(X, y, np.ones(8), 3)
    before = pickle.dumps(old)
    new = transfer(old, X[4:], np.array([2, 2, 2, 0]), np.full(4, 2.0), 3)
    assert pickle.dumps(old) == before
    reached = forests_of.apply(old, X)
    assert_array_equal(new[4][reached[:4]], old[4][reached[:4]])
    assert_array_equal(new[4][0], [2, 0, 6])
    assert_array_equal(new[4][forests_of.apply(new, X)].argmax(axis=1), [0, 0, 1, 1, 2, 2, 2, 0])
    inner = np.flatnonzero(new[0] >= 0)
    assert np.all(new[2][inner] > inner) and np.all(new[3][inner] > inner)
    assert_array_equal(new[0][: len(old[0])][old[0] >= 0], old[0][old[0] >= 0])
    assert_same(transfer(old, X[:0], y[:0], np.ones(0), 3), old)


def test_depth_of_a_transferred_tree_counts_from_its_root():
    X = np.arange(16.0)[:, np.newaxis]
    old = grow(X, (np.arange(16) > 7) * 1, np.ones(16), 2)
    y = np.arange(16) % 2
    assert len(old[0]) == 3
    assert len(transfer(old, X, y, np.ones(16), 2, depth=1)[0]) == 3
    assert len(transfer(old, X, y, np.ones(16), 2, depth=2)[0]) == 7


def test_nothing_can_be_grown_on_no_rows():
    with pytest.raises(ValueError, match="0 rows"):
        grow(np.empty((0, 2)), np.empty(0, dtype=int), np.empty(0), 2)


def test_read_only_files_are_read(tmp_path):
    X, y, w = problem(3, 60, 5, 3)
    np.save(tmp_path / "X.npy", X)
    mapped = np.load(tmp_path / "X.npy", mmap_mode="r")
    order = sorting.presort(mapped)
    tree = kernel.grow(X, order, y, w, 3)
    for array in (order, y, w, *tree):
        array.setflags(write=False)
    assert_same(kernel.grow(mapped, order, y, w, 3), tree)
    kernel.transfer_all([tree], mapped, order, y, w, 3)
    forest = pickle.loads(pickle.dumps(forests_of.Forest([tree], [np.arange(3)])))
    leaf = forests_of.apply(tree, mapped)
    assert_array_equal(labels_of(forest, mapped)[0], tree[4][leaf].argmax(axis=1))
    assert probas_of(forest, mapped, 3).shape == (1, 60, 3)


@pytest.mark.parametrize("weights", sorted(WEIGHTS))
def test_several_trees_are_transferred_as_each_would_be(weights):
    X, y, w = problem(5, 200, 6, 3, weights)
    order = sorting.presort(X)
    old = [kernel.grow(X, order, np.roll(y, k), w, 3, max_depth=k) for k in (3, 0, 6, 1)]
    adapted = kernel.transfer_all(old, X, order, y, w, 3, 4, 2)
    for tree, before in zip(adapted, old, strict=True):
        assert_same(tree, kernel.transfer_all([before], X, order, y, w, 3, 4, 2)[0])
    assert kernel.transfer_all([], X, order, y, w, 3) == []


def test_threads_share_a_chunk():
    X, y, w = problem(4, 400, 6, 3)
    order = sorting.presort(X)
    old = kernel.grow(X, order, np.roll(y, 7), w, 3, max_depth=3)
    labels = [np.roll(y, shift) for shift in range(6)]

    def adapt(y):
        return kernel.transfer_all([old], X, order, y, w, 3)[0]

    with ThreadPoolExecutor(4) as pool:
        for tree, expected in zip(pool.map(adapt, labels), map(adapt, labels), strict=True):
            assert_same(tree, expected)


@pytest.fixture
def uncompiled(monkeypatch):
    """Load the source of a compiled module; modules loaded after it import that source."""

    def load(name):
        name = f"driftlearn.{name}"
        path = ROOT.joinpath(*name.split(".")).with_suffix(".py")
        spec = importlib.util.spec_from_file_location(name, path)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        monkeypatch.setitem(sys.modules, spec.name, module)
        return module

    return load


@pytest.mark.parametrize("weights", sorted(WEIGHTS))
def test_compiled_and_uncompiled_are_the_same(weights, uncompiled):
    modules = ("_sorted_columns", "_fit_stump", "_gini_search", "_packed_trees", "_grow_tree")
    names = ["base._presort", *(f"tree.{name}" for name in modules)]
    sorting_source, *_, forest_source, source = map(uncompiled, names)
    X, y, w = problem(5, 150, 6, 3, weights)
    w = w * np.pi if weights == "quarters" else w
    order = sorting.presort(X)
    assert_array_equal(order, sorting_source.presort(X))
    old = kernel.grow(X, order, y, w, 3, 5, 2, 4)
    assert_same(old, source.grow(X, order, y, w, 3, 5, 2, 4))
    late = (X, order, np.roll(y, 20), w, 3)
    [adapted] = kernel.transfer_all([old], *late)
    assert_same(adapted, source.transfer_all([old], *late)[0])
    forests = [
        module.Forest([old] * 2, [[0, 1, 3], [1, 2, 4]]) for module in (forests_of, forest_source)
    ]
    probas = probas_of(forests[0], X, 5)
    assert_array_equal(probas, probas_of(forests[1], X, 5, forest_source))
    X, y, w = nominal_problem(8, 150, 3, "whole")
    late = (X, sorting.presort(X), np.roll(y, 20), w, 3, 5, 2, 4, NOMINAL)
    old = kernel.grow(X, sorting.presort(X), y, w, 3, 5, 2, 2, NOMINAL)
    assert len(old[7]) > 0
    [adapted], [other] = (module.transfer_all([old], *late) for module in (kernel, source))
    for part, expected in zip(adapted, other, strict=True):
        assert_array_equal(part, expected)
    assert_array_equal(forests_of.apply(adapted, X), forest_source.apply(other, X))


@pytest.fixture
def members():
    """Return five trees of different classes, their codes, and rows to vote on."""
    X, y, w = problem(6, 90, 4, 4)
    codes = [np.array(code) for code in ([0, 2], [1, 2, 4], [3], [0, 1, 2, 3], [2, 4])]
    trees = [grow(X, (y + k) % len(code), w, len(code), 8) for k, code in enumerate(codes)]
    return trees, codes, X


def expected_probas(trees, codes, X, n_classes=5):
    probas = np.zeros((len(trees), len(X), n_classes))
    for k, (tree, code) in enumerate(zip(trees, codes, strict=True)):
        value = tree[4][forests_of.apply(tree, X)]
        probas[k][:, code] = value / value.sum(axis=1, keepdims=True)
    return probas


@pytest.mark.parametrize("n", [0, 1, 16, 90])
def test_forest_votes_like_its_trees(members, n):
    trees, codes, X = members
    forest = forests_of.Forest(trees, codes)
    probas = expected_probas(trees, codes, X[:n])
    assert len(forest) == 5
    assert_array_equal(probas_of(forest, X[:n], 5), probas)
    assert_array_equal(labels_of(forest, X[:n]), probas.argmax(axis=2))


def test_labels_of_a_tie_are_the_lowest():
    tree = grow(np.zeros((4, 1)), np.array([2, 1, 2, 1]), np.ones(4), 3)
    labels = labels_of(forests_of.Forest([tree], [[1, 5, 6]]), np.zeros((2, 1)))
    assert_array_equal(labels, [[5, 5]])


@pytest.mark.parametrize("index", [[3, 0], [], [False, True, True, False, True], slice(1, None)])
def test_forest_selects_and_appends_members(members, index):
    trees, codes, X = members
    forest = forests_of.Forest(trees, codes)
    forest.select(index)
    left = np.arange(5)[index]
    kept = [trees[k] for k in left] + [trees[1]]
    forest.append(trees[1], codes[1])
    expected = expected_probas(kept, [codes[k] for k in left] + [codes[1]], X)
    assert_array_equal(probas_of(forest, X, 5), expected)


def test_pickled_forest_is_the_same_and_not_larger(members):
    trees, codes, X = members
    forest = forests_of.Forest(trees, codes)
    copy = pickle.loads(pickle.dumps(forest))
    assert pickle.dumps(copy) == pickle.dumps(forest)
    assert len(copy.parts["feature"]) == sum(len(tree[0]) for tree in trees)
    for each in (forest, copy):
        each.append(trees[0], codes[0])
    assert_array_equal(labels_of(copy, X), labels_of(forest, X))


def test_forest_grows_by_doubling(members):
    trees, codes, _ = members
    forest = forests_of.Forest()
    seen = []
    for _ in range(64):
        forest.append(trees[0], codes[0])
        seen.append(forest.parts["feature"])
    assert len({id(array) for array in seen}) <= 8


def test_forest_refuses_wrong_codes(members):
    trees, codes, X = members
    with pytest.raises(ValueError, match="Got 1 class codes for a tree with 2 classes"):
        forests_of.Forest(trees[:1], [[0]])
    with pytest.raises(ValueError, match="class code 4, but n_classes is 4"):
        probas_of(forests_of.Forest(trees, codes), X, 4)


def test_an_empty_forest_predicts_nothing():
    X = np.zeros((3, 2))
    assert labels_of(forests_of.Forest([], []), X).shape == (0, 3)
    assert probas_of(forests_of.Forest([], []), X, 2).shape == (0, 3, 2)


def nominal_problem(seed, n, n_classes, weights):
    """Return rows with two nominal features and a numeric one, some with missing values."""
    rng = np.random.default_rng(seed)
    X, y, w = problem(seed, n, 3, n_classes, weights)
    X[:, 0] = rng.integers(0, rng.integers(1, 12), n)
    X[:, 2] = rng.integers(0, 2, n) * 7
    X[rng.random(X.shape) < rng.choice([0, 0.2])] = np.nan
    return X, y, w


NOMINAL = np.array([True, False, True])


def groups_of(tree):
    """Return the codes on the left and on the right of each node in depth-first order."""
    return [
        (-1,)
        if row < 0
        else tuple(np.flatnonzero(tree[7][row] == side).tolist() for side in (1, 2))
        for row in tree[6]
    ]


def groups_of_reference(node):
    here = (-1,) if node.groups is None else tuple(sorted(map(int, each)) for each in node.groups)
    below = (node.left, node.right) if node.feature >= 0 else ()
    return [here, *(each for child in below for each in groups_of_reference(child))]


@given(
    **{name: problems[name] for name in ("seed", "n", "n_classes", "weights")}, **limits,
    later=st.integers(0, 40),
)  # fmt: skip
def test_nominal_features(seed, n, n_classes, weights, split, leaf, depth, later):
    X, y, w = nominal_problem(seed, n + later, n_classes, weights)
    first, rest = slice(n), slice(n, None)
    how, nominal = (n_classes, split, leaf), {0, 2}
    order = sorting.presort(X[first])
    old = kernel.grow(X[first], order, y[first], w[first], *how, 2, NOMINAL)
    expected = reference.grow(X[first], y[first], w[first], *how, 2, nominal)
    assert_same(old[:6], as_arrays(expected))
    assert groups_of(old) == groups_of_reference(expected)
    [new] = kernel.transfer_all(
        [old], X[rest], sorting.presort(X[rest]), y[rest], w[rest], *how, depth, NOMINAL
    )
    expected = reference.transfer(expected, X[rest], y[rest], w[rest], *how, depth, nominal)
    queries = np.vstack([X, X + 100, np.column_stack([-X[:, 0], X[:, 1], X[:, 2] + 0.5])])
    queries[len(X) :: 3, 2] = np.nan
    codes = np.arange(n_classes)
    plain = grow(X[first], y[first], w[first], *how, 2)
    members = forests_of.Forest([new, plain, old], [codes] * 3)
    found = probas_of(members, queries, n_classes)
    for tree, shares in ((new, found[0]), (old, found[2])):
        counts = tree[4][forests_of.apply(tree, queries)]
        np.testing.assert_array_equal(counts / counts.sum(axis=1, keepdims=True), shares)
        fixed = FixedTree(3, n_classes, tree, codes)
        out = np.empty((len(queries), n_classes))
        fixed.scores_many(queries, out)
        np.testing.assert_array_equal(out, shares)
    np.testing.assert_array_equal(
        new[4][forests_of.apply(new, queries)], reference.predict_counts(expected, queries)
    )
