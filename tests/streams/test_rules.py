"""Generators with constant rules: labels recomputed row by row from the definitions."""

import math

import numpy as np
import pytest

from driftlearn.streams import (
    Agrawal,
    AssetNegotiation,
    Hyperplane,
    Mixed,
    RandomTree,
    Sine,
    Waveform,
)


def agrawal_group(function, salary, commission, age, elevel, hvalue, hyears, loan):
    """Return whether a person is in group A, by the paper's conditions."""
    third = 0 if age < 40 else 1 if age < 60 else 2
    total = salary + commission
    salaries = [(50_000, 100_000), (75_000, 125_000), (25_000, 75_000)]
    levels = [(0, 1), (1, 3), (2, 4)]
    if function == 1:
        return third != 1
    if function in (2, 6):
        low, high = salaries[third]
        return low <= (salary if function == 2 else total) <= high
    if function == 3:
        return levels[third][0] <= elevel <= levels[third][1]
    if function == 4:
        inside = levels[third][0] <= elevel <= levels[third][1]
        low, high = [
            [(50_000, 100_000), (25_000, 75_000)],
            [(75_000, 125_000), (50_000, 100_000)],
            [(25_000, 75_000), (50_000, 100_000)],
        ][third][inside]
        return low <= salary <= high
    if function == 5:
        inside = salaries[third][0] <= salary <= salaries[third][1]
        low, high = [
            [(200_000, 400_000), (100_000, 300_000)],
            [(300_000, 500_000), (200_000, 400_000)],
            [(100_000, 300_000), (300_000, 500_000)],
        ][third][inside]
        return low <= loan <= high
    disposable = 0.67 * total
    if function == 7:
        return disposable - 0.2 * loan - 20_000 > 0
    disposable -= 5_000 * elevel
    if function == 8:
        return disposable - 20_000 > 0
    if function == 9:
        return disposable - 0.2 * loan - 10_000 > 0
    equity = 0.1 * hvalue * (hyears - 20) if hyears >= 20 else 0
    return disposable + 0.2 * equity - 10_000 > 0


@pytest.mark.parametrize("function", range(1, 11))
def test_agrawal_functions(function):
    X, y = Agrawal(function, random_state=function).take(2_000)
    for row, label in zip(X.tolist(), y):
        salary, commission, age, elevel, _, _, hvalue, hyears, loan = row
        args = (salary, commission, age, elevel, hvalue, hyears, loan)
        assert label == (0 if agrawal_group(function, *args) else 1)
    assert 0 < y.mean() < 1


def test_agrawal_features():
    X, _ = Agrawal(random_state=0).take(50_000)
    salary, commission, age, elevel, car, zipcode, hvalue, hyears, loan = X.T
    assert salary.min() >= 20_000 and salary.max() <= 150_000 and abs(salary.mean() - 85e3) < 500
    assert not commission[salary >= 75_000].any()
    paid = commission[salary < 75_000]
    assert paid.min() >= 10_000 and paid.max() <= 75_000 and abs(paid.mean() - 42_500) < 500
    whole = ((age, 20, 80), (elevel, 0, 4), (car, 1, 20), (zipcode, 0, 8), (hyears, 1, 30))
    for column, low, high in whole:
        values, counts = np.unique(column, return_counts=True)
        assert values.tolist() == list(range(low, high + 1))
        assert np.ptp(counts) < 0.5 * counts.mean()
    share = hvalue / (100_000 * (zipcode + 1))
    assert share.min() >= 0.5 and share.max() <= 1.5 and abs(share.mean() - 1) < 0.01
    assert loan.min() >= 0 and loan.max() <= 500_000 and abs(loan.mean() - 250e3) < 2_500


def test_agrawal_perturbation_does_not_change_labels():
    still, moved = (Agrawal(2, p, random_state=3).take(1_024) for p in (0, 0.2))
    np.testing.assert_array_equal(still[1], moved[1])
    shift = moved[0] - still[0]
    assert not shift[:, [3, 4, 5]].any()
    unit = 100_000 * (still[0][:, 5] + 1)
    spans = {0: 130_000, 1: 65_000, 2: 60, 6: unit, 7: 29, 8: 500_000}
    for column, span in spans.items():
        share = shift[:, column] / span
        assert np.abs(share).max() <= 0.1 + 1e-12
        assert (share.min() < -0.09) and (share.max() > 0.09)
    assert not shift[still[0][:, 1] == 0, 1].any()


@pytest.mark.parametrize("function", range(1, 5))
def test_sine_rules(function):
    X, y = Sine(function, random_state=0).take(2_000)
    for (x1, x2), label in zip(X.tolist(), y):
        curve = math.sin(x1) if function < 3 else 0.5 + 0.3 * math.sin(3 * math.pi * x1)
        below = x2 < curve
        assert label == (below if function in (1, 3) else not below)
    assert X.min() >= 0 and X.max() <= 1


@pytest.mark.parametrize("function", [1, 2])
def test_mixed_rules(function):
    X, y = Mixed(function, random_state=0).take(2_000)
    for (v, w, x, z), label in zip(X.tolist(), y):
        held = (v == 1) + (w == 1) + (z < 0.5 + 0.3 * math.sin(3 * math.pi * x))
        assert label == ((held >= 2) if function == 1 else (held < 2))
    assert set(X[:, 0]) == set(X[:, 1]) == {0, 1}
    assert np.all(np.abs(X.mean(axis=0) - 0.5) < 0.05)


@pytest.mark.parametrize("function", range(1, 6))
def test_asset_negotiation_rules(function):
    stream = AssetNegotiation(function, random_state=0)
    X, y = stream.take(20_000)
    for row, label in zip(X.astype(int), y):
        names = (stream.VALUES[name][code] for name, code in zip(stream.feature_names, row))
        colour, price, payment, amount, delay = names
        rule = {
            1: (price == "normal" and amount == "high")
            or (colour == "brown" and price == "very low" and delay == "high"),
            2: price == "high" and amount == "very high" and delay == "high",
            3: (price == "very low" and payment == 0 and amount == "high")
            or (colour == "red" and price == "low" and payment == 30),
            4: (colour == "black" and payment == 90 and delay == "very low")
            or (colour == "magenta" and price == "high" and delay == "very low"),
            5: (colour == "blue" and payment == 60 and amount == "low" and delay == "normal")
            or (colour == "cyan" and amount == "low" and delay == "normal"),
        }
        assert label == rule[function]
    assert 0 < y.mean() < 0.03
    assert X.max(axis=0).tolist() == [7, 7, 8, 7, 4]


def test_hyperplane_weights_move_and_turn_round():
    stream = Hyperplane(4, n_moving=3, magnitude=0.01, segment=50, sigma=0.5, n_rows=2_000,
                        random_state=0)  # fmt: skip
    weights = np.array([stream.concept_at(row) for row in range(2_000)])
    steps = np.diff(weights, axis=0)
    np.testing.assert_allclose(np.abs(steps), [[0.01, 0.01, 0.01, 0]] * 1_999, atol=1e-12)
    turned = np.sign(steps[1:, :3]) != np.sign(steps[:-1, :3])
    assert set(np.flatnonzero(turned.any(axis=1)) % 50) == {49}
    assert 0.3 < turned[49::50].mean() < 0.7
    X, y = stream.take(2_000)
    for row, w, label in zip(X, weights, y):
        score = sum(wi * xi for wi, xi in zip(w, row)) - sum(w) / 2
        assert abs(score) < 1e-9 or label == (score > 0)
    assert stream.drift_spans == [(0, 2_000)] and stream.drifts == []


def test_hyperplane_never_turns_without_sigma_and_may_stand_still():
    stream = Hyperplane(3, sigma=0, n_rows=5_000, random_state=1)
    moved = stream.concept_at(4_999) - stream.concept_at(0)
    np.testing.assert_allclose(np.abs(moved), 4.999)
    still = Hyperplane(3, magnitude=0, weights=(1, 2, 3), n_rows=5_000, random_state=1)
    assert still.drift_spans == [] and still.concept_at(4_999).tolist() == [1, 2, 3]
    assert Hyperplane(3, n_moving=0).drift_spans == []
    assert abs(still.take(5_000)[1].mean() - 0.5) < 0.03


def follow(tree, row):
    """Follow a tree of (feature, point, first child, class) to a leaf; return leaf and level."""
    feature, point, child, label = tree
    node, level = 0, 0
    while child[node]:
        value = row[feature[node]]
        node = child[node] + int(value if math.isnan(point[node]) else value >= point[node])
        level += 1
    return node, level, label[node]


@pytest.mark.parametrize("kinds", [(5, 5), (0, 6), (3, 0)])
def test_random_tree_labels(kinds):
    stream = RandomTree(3, *kinds, n_values=3, leaf_share=0.3, random_state=2)
    X, y = stream.take(3_000)
    levels = set()
    for row, label in zip(X.tolist(), y):
        _, level, found = follow(stream._tree, row)
        levels.add(level)
        assert found == label
    assert levels == {3, 4, 5} and set(y) == {0, 1, 2}
    assert set(X[:, kinds[0] :].ravel()) <= {0, 1, 2}


def test_random_tree_tests_nominal_features_once():
    """A path has a nominal feature once; numeric cuts lie in the remaining range."""
    stream = RandomTree(n_values=2, max_depth=7, first_leaf=7, random_state=0)
    feature, point, child, _ = stream._tree

    def go(node, low, high, used):
        if not child[node]:
            return 1
        f = feature[node]
        if math.isnan(point[node]):
            assert f >= 5 and f not in used
            return sum(go(child[node] + k, low, high, used | {f}) for k in range(2))
        assert f < 5 and low[f] < point[node] < high[f]
        below, above = high.copy(), low.copy()
        below[f] = above[f] = point[node]
        return go(child[node], low, below, used) + go(child[node] + 1, above, high, used)

    assert go(0, np.zeros(5), np.ones(5), set()) == 2**7


def test_waveform():
    stream = Waveform(irrelevant=True, random_state=0)
    X, y = stream.take(60_000)
    assert X.shape[1] == 40 and Waveform().n_features == 21
    h = [[max(6 - abs(i - top), 0) for i in range(1, 22)] for top in (11, 15, 7)]
    for label, (a, b) in enumerate([(0, 1), (0, 2), (1, 2)]):
        rows = X[y == label]
        assert abs(len(rows) / 60_000 - 1 / 3) < 0.01
        mean = (np.array(h[a]) + h[b]) / 2
        np.testing.assert_allclose(rows[:, :21].mean(axis=0), mean, atol=0.06)
        spread = 1 + (np.array(h[a]) - h[b]) ** 2 / 12  # of the noise, and of u ~ U[0, 1]
        np.testing.assert_allclose(rows[:, :21].var(axis=0), spread, rtol=0.06)
    np.testing.assert_allclose(X[:, 21:].mean(axis=0), 0, atol=0.03)
    np.testing.assert_allclose(X[:, 21:].var(axis=0), 1, rtol=0.04)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Agrawal(0), r"function must be an int in the range \[1, 10\]. Got 0"),
        (
            lambda: Agrawal(perturbation=1.5),
            "'perturbation' parameter must be a float.* Got 1.5",
        ),
        (lambda: Sine(5), r"function must be an int in the range \[1, 4\]. Got 5"),
        (lambda: Sine(True), r"function must be an int in the range \[1, 4\]. Got True"),
        (lambda: Mixed("1"), r"function must be an int in the range \[1, 2\]. Got '1'"),
        (lambda: AssetNegotiation(6), r"function must be an int in the range \[1, 5\]. Got 6"),
        (lambda: Hyperplane(3, n_moving=4), "n_moving must be an int.* Got 4"),
        (lambda: Hyperplane(magnitude=-1), "'magnitude' parameter must be a float.* Got -1"),
        (lambda: Hyperplane(sigma=2), "'sigma' parameter must be a float.* Got 2"),
        (
            lambda: Hyperplane(3, weights=(1, 2)),
            r"'weights' parameter must be 3 numbers. Got \(1, 2\)",
        ),
        (lambda: Hyperplane(n_rows=None), "n_rows must be an int in the range .1, inf.. Got None"),
        (lambda: RandomTree(2, 0, 4), "at least max_depth=5. Got n_nominal=4"),
        (
            lambda: RandomTree(n_nominal=-1),
            "n_nominal must be an int in the range .1, inf.. Got -1",
        ),
        (lambda: RandomTree(leaf_share=1.5), "'leaf_share' parameter must be a float.* Got 1.5"),
        (lambda: Waveform(n_rows=0), "n_rows must be an int in the range .1, inf.. Got 0"),
    ],
)
def test_bad_parameters_are_named(make, message):
    with pytest.raises(ValueError, match=message):
        make()
