"""Spans of arrived rows end where files or days end; seasons and late labels are handled."""

import itertools

import numpy as np
import pytest

from driftlearn import io as persist
from driftlearn.inspection.drift_record import DriftRecord, date_in
from driftlearn.io.schema import InvalidStateError, check

MONDAY = np.datetime64("2024-01-01")


def days(n_days, change=None, shift=1.0, weekend=0.0, seed=0, rows=(310, 530)):
    """Yield name, times and values of daily files; the mean is `weekend` higher on weekends."""
    rng = np.random.default_rng(seed)
    for day in range(n_days):
        n = int(rng.integers(*rows))
        date = MONDAY + day
        minutes = np.sort(rng.integers(0, 1440, n)).astype("timedelta64[m]")
        mean = weekend * (day % 7 > 4) + (shift if change is not None and day >= change else 0.0)
        yield f"{date}.csv", date + minutes, rng.normal(mean, 1, n)


def record_of(files, has_times=False, **kwargs):
    record = DriftRecord(has_times)
    for name, times, values in files:
        record.update({"x": values}, file=name, row=0, times=times if has_times else None)
    return record


def errors(record, files, rate):
    """Score all rows, with the error rate of the day."""
    rng = np.random.default_rng(1)
    for day, (name, _, values) in enumerate(files):
        n = len(values)
        y = rng.integers(0, 2, n)
        predicted = np.where(rng.random(n) < rate(day), 1 - y, y)
        record.score([[name, i, ""] for i in range(n)], y, predicted, np.full(n, 0.7))


@pytest.mark.parametrize("has_times", [False, True])
def test_changes_are_dated_to_the_file_with_their_true_size(has_times):
    record = record_of(days(50, change=31), has_times)
    (row,) = record.drift()
    assert row["changes"] == 1
    assert record.where(row["since"])["file"] == "2024-02-01.csv"
    assert record.where(row["since"])["time"] == "2024-02-01"
    assert row["low"] < 0.383 < row["high"] < row["low"] + 0.06  # 2 Phi(1/2) - 1
    assert record.resolution == ("12 hours" if has_times else "1 file")


def test_typical_values_are_medians():
    record = DriftRecord()
    rng = np.random.default_rng(0)
    for k in range(30):
        values = np.round(rng.normal(40 if k < 20 else 61, 3, 1333))
        record.update({"price": values}, file=f"{k}.csv")
    (row,) = record.drift()
    assert (row["before"], row["after"]) == ("median 40", "median 61")


def test_spans_end_where_files_end():
    files = [(f"{k}.csv", None, np.arange(n)) for k, n in enumerate([30, 80, 2050, 50, 150])]
    record = record_of(files)
    # short files are combined; the rest of a long file belongs to its last span
    assert record.rows.tolist() == [110, 1000, 1050, 200]
    assert [file for _, file, *_ in record.starts] == ["0.csv", "2.csv", "2.csv", "3.csv"]


def test_weekends_are_no_change():
    for n_days in (12, 25, 110):
        record = record_of(days(n_days, weekend=2.0))
        assert record.drift()["since"].tolist() == [None]
    record = record_of(days(60, change=40, weekend=0.5))
    (row,) = record.drift()
    assert record.where(row["since"])["time"] == str(MONDAY + 40)
    assert row["low"] < 0.383 < row["high"] + 0.02


def test_errors_of_weekends_are_no_change():
    files = [*days(60)]
    record = record_of(files)
    errors(record, files, lambda day: 0.25 if day % 7 > 4 else 0.1)
    assert record.error_changes() == []
    record = record_of(files)
    errors(record, files, lambda day: (0.25 if day % 7 > 4 else 0.1) + 0.1 * (day >= 45))
    (change,) = record.error_changes()
    assert record.where(change["after"])["time"] == str(MONDAY + 45)
    assert change["low"] < 0.1 < change["high"]


@pytest.mark.parametrize("n_days", [11, 14, 17, 22, 30])
def test_changes_stay_found_while_history_grows(n_days):
    files = [*days(n_days, change=9, weekend=0.5)]
    record = record_of(files)
    errors(record, files, lambda day: 0.1 + 0.2 * (day >= 9) + 0.1 * (day % 7 > 4))
    (row,) = record.drift()
    assert record.where(row["since"])["file"] == "2024-01-10.csv"
    (change,) = record.error_changes()
    assert record.where(change["after"])["file"] == "2024-01-10.csv"


def test_dates_in_the_far_future_do_not_end_days():
    files = [*days(30, change=20)]
    for k, (_, times, _) in enumerate(files):
        times[[k, k + 1, 200]] = np.datetime64("9999-12-31")
    files[0][1][0] = MONDAY
    (row,) = (record := record_of(files, has_times=True)).drift()
    assert record.where(row["since"])["time"] == "2024-01-21" and len(record) >= 30
    later = [(f"later-{name}", times + np.timedelta64(9 * 366 * 1440, "m"), x)
             for name, times, x in days(30, seed=1)]  # fmt: skip
    for name, times, values in later:
        record.update({"x": values}, file=name, times=times)
    # hours may have been combined; the first 99 rows after the jump belong to the day before it
    assert record.starts[-1][3].startswith("2033-0")


def test_late_labels_belong_to_the_span_of_their_rows():
    files = [*days(12)]
    record = record_of(files)
    name, _, values = files[4]
    rows = [[name, i, ""] for i in range(len(values))]
    record.score(rows, np.ones(len(rows), int), np.full(len(rows), -1), np.zeros(len(rows)))
    assert record.labels[4].tolist()[:2] == [0, len(rows)] and record.labels.sum() == len(rows)
    assert record.outcomes.sum() == 0
    record.score([["other.csv", 0, ""]], np.array([0]), np.array([0]), np.ones(1))
    assert record.labels.sum() == len(rows)


@pytest.mark.parametrize("has_times", [False, True])
@pytest.mark.parametrize("rows", [(310, 530), (2, 60), (2500, 3000)])
def test_same_bits_for_any_slicing(has_times, rows, tmp_path):
    files = [*days(140 if rows[1] < 1000 else 70, rows=rows)]
    whole, pieces = record_of(files, has_times), DriftRecord(has_times)
    rng = np.random.default_rng(3)
    for name, times, values in files:
        cuts = [0, *np.sort(rng.choice(len(values) + 1, 2)).tolist(), len(values)]
        for a, b in itertools.pairwise(cuts):
            if a < b:
                part = times[a:b] if has_times else None
                pieces.update({"x": values[a:b]}, file=name, row=a, times=part)
    assert persist.dumps(whole) == persist.dumps(pieces)
    assert len(whole) <= 128 and whole.counts.sum() == whole.rows.sum() == whole.n_rows
    assert persist.dumps(persist.loads(persist.dumps(whole))) == persist.dumps(whole)


def test_weeks_of_the_older_half_are_combined():
    record = record_of(days(200, change=170, weekend=2.0))
    assert len(record) <= 128
    (row,) = record.drift()
    assert record.where(row["since"])["time"] == str(MONDAY + 170)
    assert {*record.phases.tolist()} == {1440 * k for k in range(7)}


def test_states_that_do_not_fit_are_refused():
    state = dict(record_of(days(5)).__dict__)
    check(DriftRecord, state)
    for wrong in (
        {"n_rows": 7},
        {"minutes": 7},
        {"starts": [1, 2, 3, 4, 5]},
        {"marks": [["a", 0, 9]]},
        {"edges": []},
    ):
        with pytest.raises(InvalidStateError):
            check(DriftRecord, {**state, **wrong})


def test_dates_in_file_names():
    assert date_in("a-2024-02-30-2024_02_11.csv") == "2024-02-11"
    assert date_in("12345678.csv") == date_in("orders.csv") == ""


@pytest.mark.parametrize(("back", "expected"), [(0.0, True), (1.0, False)])
def test_values_that_return_after_a_temporary_change(back, expected):
    """Weekdays are compared with weekdays, as in all comparisons of days."""
    files = [*days(32, weekend=1.5)]
    files[28:30] = [(name, times, values + 4.0) for name, times, values in files[28:30]]
    files[30:] = [(name, times, values + back) for name, times, values in files[30:]]
    record = record_of(files)
    before, since = (sum(len(each[2]) for each in files[:day]) for day in (28, 30))
    assert record.has_returned("feature x", before, since) == expected
    assert not record.has_returned("feature x", before, before)
    assert not record.has_returned("error", before, since)
