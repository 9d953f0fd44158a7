"""The benchmark of expected performance at a small scale, without NannyML."""

from pathlib import Path

import numpy as np
import pytest

from driftlearn.specs.grammar import read

FOLDER = Path(__file__).parents[2] / "benchmarks"


@pytest.fixture
def performance(monkeypatch):
    monkeypatch.syspath_prepend(str(FOLDER))
    import expected_performance

    return expected_performance


def test_row_and_table(performance):
    row = performance.row_of("sea", read("sea:noise=0.1", "stream").make(0), None, n_rows=9_000)
    accuracy, raw, cbpe, inside = row[1:5]
    assert 0 < accuracy < 8 and 0 < raw < 8 and np.isnan(cbpe) and 0.5 <= inside <= 1
    text = performance.table_of([row])
    assert text.splitlines()[0].split()[:4] == ["stream", "accuracy:", "ours", "raw"]
    assert "mean" in text
