"""The benchmark of prediction sets at a small scale."""

from pathlib import Path

import numpy as np
import pytest

from driftlearn.specs.grammar import read

FOLDER = Path(__file__).parents[2] / "benchmarks"


@pytest.fixture
def sets(monkeypatch):
    monkeypatch.syspath_prepend(str(FOLDER))
    import prediction_sets

    return prediction_sets


def test_coverage_row_by_row_is_within_a_point_and_a_half(sets):
    stream = read("sea:noise=0.1,n_rows=4000", "stream").make(0)
    row = sets.row_of("sea", "rows", stream, 4_000)
    low, high = row[4:6]
    assert -1.5 <= low <= high <= 1.5
    assert row[6] == pytest.approx(row[9], abs=0.2)  # as large as split conformal sets
    text = sets.table_of([row, ["sea", "chunks of 100", *row[2:]]])
    assert "rows, adaptive: within 1.5 points on 1 of 1 streams" in text


def test_rows_after_a_drift_are_left_out(sets):
    right = np.arange(5_000) % 10 > 0  # a coverage of 90 %
    right[2_000:2_500] = False
    assert sets.worst(right, [2_000]) == pytest.approx((0, 0))
    assert sets.worst(right, [])[0] < -20


def test_split_sets_use_a_quantile_of_the_scores(sets):
    probas = np.array([[0.7, 0.3], [0.2, 0.8]])
    assert sets.split_sets(np.zeros(0), probas).all()
    scores = np.linspace(0, 0.5, 99)
    assert sets.split_sets(scores, probas).tolist() == [[True, False], [False, True]]
