"""Importances of columns over time."""

import numpy as np
import pytest

from driftlearn.inspection.importance_record import (
    MOST_COLUMNS,
    MOST_ENTRIES,
    ROWS,
    SPARING,
    ImportanceRecord,
    measured,
)
from driftlearn.io import dumps, loads


def test_importances_are_mean_changes_of_probabilities():
    rng = np.random.default_rng(0)
    rows = rng.random((64, 3))
    calls = []

    def function(X):
        calls.append(len(X))
        p = 0.6 * (X[:, 0] > 0.5) + 0.2 * X[:, 2]
        return np.column_stack([p, 1 - p])

    found = measured(function, rows, np.array([0, 1, 1]))
    places = np.linspace(0, 63, ROWS).astype(int)
    own, other = rows[places], rows[(places + 32) % 64]
    steps = 0.6 * np.abs((own[:, 0] > 0.5) * 1.0 - (other[:, 0] > 0.5))
    assert found == pytest.approx([steps.mean(), 0.2 * np.abs(own - other)[:, 2].mean()])
    assert calls == [3 * ROWS]


def test_measurements_are_rare_and_their_number_is_bounded():
    record, n = ImportanceRecord(), 0
    while n < 1_000_000:
        n += 400
        if record.is_due(n, 3):
            assert n - (record.after[-1] if record.after else 0) >= SPARING * ROWS * 4
            record.add(["a", "b", "c"], np.array([n, 1.0, 0.0]), n, f"{n}.csv", None)
    assert MOST_ENTRIES / 2 - 1 <= len(record.after) < MOST_ENTRIES
    assert record.values[:, 0].tolist() == record.after and len(record.places) == len(record.after)
    gaps = np.diff(record.after)
    assert gaps.max() <= 2 * gaps.min()
    assert not record.is_due(10**9, MOST_COLUMNS + 1)
    assert loads(dumps(record)).to_dict() == record.to_dict()


def test_the_table_has_stretches_of_time():
    record = ImportanceRecord()
    for k in range(12):
        time = f"2026-01-{k + 1:02}"
        record.add(["a", "b"], np.array([1.0 - k / 20, k / 10]), 1000 * k, f"{k}.csv", time)
    table = record.table()
    assert table.columns[1:] == [f"until 2026-01-{k:02}" for k in range(2, 13, 2)]
    record.places = [[f"{k}.csv", "2026-01-01T00:00"] for k in range(12)]
    assert record.table().columns[-1] == "until 11.csv"
    record.places = [["all.csv", ""]] * 12
    assert record.table().columns[1:3] == ["until row 1,000", "until row 3,000"]
    record.places = [["", f"2026-01-{k + 1:02}"] for k in range(12)]
    assert table["feature"].tolist() == ["b", "a"]
    assert table["until 2026-01-02"][1] == pytest.approx(0.975)
    assert [*record.lines(1)] == ["b"]
    assert "1 other columns" in record.text(1)
