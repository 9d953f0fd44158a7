"""Feature counts over time: independent of slicing, bounded, and correct about changes."""

import itertools

import numpy as np
import pytest
from scipy import stats

from driftlearn import io as persist
from driftlearn.inspection import FeatureRecord
from driftlearn.inspection._changes import (
    changes_of,
    difference,
    largest_change,
    stability_index,
    statistics,
)
from driftlearn.io.schema import InvalidStateError, check

COLOURS = np.array(["red", "blue", "green", None], dtype=object)


def table(rng, n, shift=0.0, gone=0.02, p=(0.5, 0.3, 0.15, 0.05)):
    size = rng.normal(shift, 1, n)
    size[rng.random(n) < gone] = np.nan
    return {
        "size": size,
        "noise": rng.normal(0, 1, n),
        "colour": rng.choice(COLOURS, n, p=p),
        "flag": rng.random(n) < 0.3,
        "spikes": np.where(rng.random(n) < 0.6, 0.0, rng.exponential(1.0, n)),
    }


def joined(*tables):
    return {name: np.concatenate([each[name] for each in tables]) for name in tables[0]}


def test_statistic_and_p_are_those_of_scipy():
    rng = np.random.default_rng(1)
    counts = rng.multinomial(500, [0.1, 0.2, 0.3, 0.4], size=6)
    sums = np.cumsum(counts, axis=0)[:-1]
    begin, strata = np.arange(1, 6), np.zeros(6, dtype=int)
    stat, dof = statistics(counts, strata, begin, np.full(5, 6))
    for k in range(5):
        pair = np.stack([sums[k], counts.sum(axis=0) - sums[k]])
        expected = stats.chi2_contingency(pair, correction=False)
        assert stat[k] == pytest.approx(expected.statistic, rel=1e-9)
        assert dof == expected.dof
    best = largest_change(counts)
    pair = np.stack([best.before, best.after])
    p = stats.chi2_contingency(pair, correction=False).pvalue
    assert best.p == pytest.approx(min(1.0, 15 * p), rel=1e-9)  # stretches of six spans


def test_effect_sizes_by_hand():
    before, after = np.array([50, 50, 0]), np.array([25, 75, 0])
    rises, effect, error = difference(before[None], after[None])
    variance = (0.5 * 0.5 + 0.25 * 0.75) / 100
    assert rises == pytest.approx([-0.25, 0.25, 0])
    assert effect == pytest.approx(np.sqrt(0.25**2 - variance))
    assert error == pytest.approx(np.sqrt(variance))
    a, b = np.array([50.5, 50.5]) / 101, np.array([25.5, 75.5]) / 101
    assert stability_index(before, after) == pytest.approx(((a - b) * np.log(a / b)).sum())


def test_strata_are_compared_separately():
    before = np.array([[90, 10], [10, 90]])
    after = np.array([[18, 2], [80, 720]])  # the same shares, but mostly of the second stratum
    assert difference(before, after)[0] == pytest.approx([0, 0])
    counts = np.array([[90, 10], [40, 60]] * 6)
    strata = np.arange(12) % 2
    assert changes_of(counts, 0.05, 0.1, strata=strata) == []
    counts[8:, 0] -= 30
    counts[8:, 1] += 30
    (change,) = changes_of(counts, 0.05, 0.1, strata=strata)
    assert change.split == 8 and change.rises == pytest.approx([-0.3, 0.3])
    assert change.low < 0.3 < change.high


def test_spans_that_differ_by_themselves_are_no_change():
    rng = np.random.default_rng(9)
    found = 0
    for _ in range(40):
        p = np.clip(rng.normal(0.5, 0.08, 40), 0, 1)  # days have a common effect
        right = rng.binomial(400, p)
        counts = np.stack([right, 400 - right], axis=1)
        found += bool(changes_of(counts, 0.01, 0.03, fewest=0))
    assert found <= 3


def test_finds_what_changed_and_when_and_nothing_else():
    rng = np.random.default_rng(2)
    before, after = table(rng, 6000), table(rng, 4000, 1.0, p=(0.1, 0.2, 0.65, 0.05))
    rows = {row["feature"]: row for row in FeatureRecord().update(joined(before, after)).drift()}
    assert {name for name, row in rows.items() if row["since"] is not None} == {"size", "colour"}
    for name in ("size", "colour"):
        assert rows[name]["since"] == 6000 and rows[name]["p"] < 1e-6
        assert rows[name]["changes"] == 1
    assert rows["colour"]["before"].startswith("red (5")
    assert rows["colour"]["after"].startswith("green (6")
    # 1 / sd apart: total variation of two normals is 2 Phi(1/2) - 1
    assert rows["size"]["effect"] == pytest.approx(2 * stats.norm.cdf(0.5) - 1, abs=0.04)
    assert rows["noise"]["effect"] < 0.1 and rows["noise"]["p"] > 0.05


def test_temporary_changes_count_twice():
    rng = np.random.default_rng(3)
    parts = [rng.normal(mean, 1, 5000) for mean in (0, 2, 0)]
    (row,) = FeatureRecord().update({"x": np.concatenate(parts)}).drift()
    assert (row["changes"], row["since"]) == (2, 10_000)


@pytest.mark.parametrize("upwards", [1.0, -1.0])
def test_a_constant_that_becomes_another_constant(upwards):
    x = np.repeat([3.0, 3.0 + upwards], 3000)
    (row,) = FeatureRecord().update({"x": x}).drift()
    assert row["since"] == 3000 and row["effect"] == 1.0


def test_missing_values_that_come_are_a_change():
    rng = np.random.default_rng(4)
    record = FeatureRecord().update(joined(table(rng, 3000), table(rng, 3000, gone=0.4)))
    row = record.drift().to_dicts()[0]
    assert (row["feature"], row["since"]) == ("size", 3000)
    assert row["after"].endswith("% missing")


def test_false_alarms_are_rare():
    rng = np.random.default_rng(5)
    wrong = 0
    for _ in range(60):
        record = FeatureRecord(200).update(rng.normal(0, 1, (4000, 5)))
        # without a least effect, so that the tests alone decide
        wrong += any(row["p"] < 0.05 for row in record.drift(least=0.0))
    assert wrong <= 60 * 0.05 + 3 * np.sqrt(60 * 0.05 * 0.95)


def test_same_bits_for_any_slicing():
    rng = np.random.default_rng(6)
    rows = joined(table(rng, 4000), table(rng, 3777, 2.0))
    whole = FeatureRecord(100, 8).update(rows, {"size": "number", "colour": "category"})
    pieces = FeatureRecord(100, 8)
    cuts = [0, *np.sort(rng.choice(7777, 40, replace=False)), 7777]
    for a, b in itertools.pairwise(cuts):
        if a < b:
            kinds = {"size": "number", "colour": "category"}
            pieces.update({name: each[a:b] for name, each in rows.items()}, kinds)
    assert np.array_equal(whole.counts, pieces.counts)
    assert whole.span == pieces.span == 1600 and len(whole) == 5
    assert whole.counts.sum() == 2 * 7777
    assert all(np.array_equal(a, b) for a, b in zip(whole.edges, pieces.edges))
    assert whole.drift().to_dicts() == pieces.drift().to_dicts()


def test_counts_are_those_of_the_values():
    rng = np.random.default_rng(7)
    values = rng.normal(0, 1, 2500)
    record = FeatureRecord(1000).update({"x": values})
    edges = record.edges[0]
    for k in range(3):
        part = values[1000 * k : 1000 * (k + 1)]
        expected = np.histogram(part, [-np.inf, *edges, np.inf])[0]
        assert np.array_equal(record.counts[k, 0, : len(expected)], expected)
    shares = record.shares("x")
    assert sum(shares[name][0] for name in shares.columns[1:]) == pytest.approx(1.0)


def test_columns_that_go_come_and_change_type():
    record = FeatureRecord(100).update({"a": np.arange(100.0), "b": ["x"] * 100})
    record.update({"b": np.arange(100), "c": np.arange(100)})
    assert record.counts[1, 0, -1] == 100  # a is missing
    assert record.counts[1, 1].sum() == 100
    assert [*record.kinds] == ["a", "b"]


def test_dates_are_left_out_and_an_empty_column_is_watched():
    days = np.arange("2024-01-01", "2024-04-10", dtype="datetime64[D]")
    empty = np.full(len(days), np.nan)
    record = FeatureRecord(100).update({"day": days, "e": empty})
    record.update({"day": days, "e": np.ones(len(days))})
    assert record.kinds == {"e": "empty"}
    assert record.drift().to_dicts()[0]["since"] == 100


def test_few_rows_give_no_result():
    record = FeatureRecord().update({"x": np.arange(10.0)})
    assert len(record.drift()) == 0 and len(record) == 0
    record.update({"x": np.arange(1500.0)})
    assert record.drift().to_dicts()[0]["since"] is None


def test_loaded_records_continue_bit_identically(tmp_path):
    rng = np.random.default_rng(8)
    rows = table(rng, 3000)
    whole = FeatureRecord(500, 4).update(rows)
    record = FeatureRecord(500, 4)
    for a, b in ((0, 300), (300, 1300), (1300, 3000)):
        record.update({name: each[a:b] for name, each in rows.items()})
        persist.save(record, tmp_path / "record.npz")
        record = persist.load(tmp_path / "record.npz")
    assert np.array_equal(whole.counts, record.counts) and whole.places == record.places


def test_states_that_do_not_fit_are_refused():
    state = dict(FeatureRecord(100).update({"x": np.arange(150.0)}).__dict__)
    check(FeatureRecord, state)
    for wrong in (
        {"n_rows": 350},
        {"edges": [np.array([1.0, 1.0])]},
        {"edges": []},
        {"counts": np.zeros((2, 2, 21), dtype=np.int64)},
        {"edges": None},
    ):
        with pytest.raises(InvalidStateError):
            check(FeatureRecord, {**state, **wrong})


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"span": 10}, "'span' parameter"),
        ({"most_spans": 3}, "'most_spans' parameter must be an even int"),
    ],
)
def test_bad_values_are_refused(options, words):
    with pytest.raises(ValueError, match=words):
        FeatureRecord(**options)


def test_changes_are_found_in_order():
    counts = np.array([[100, 0]] * 4 + [[0, 100]] * 4 + [[100, 0]] * 4)
    assert [each.split for each in changes_of(counts, 0.01, 0.1)] == [4, 8]


def test_unknown_feature_names_those_there_are():
    with pytest.raises(ValueError, match=r"unknown feature 'y'; expected one of \['x'\]"):
        FeatureRecord().update({"x": [1.0]}).shares("y")
