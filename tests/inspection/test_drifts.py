"""Sentences about drift join the changes of features, target and error, and the members."""

import numpy as np

from driftlearn.inspection._drifts import drifts_of, when
from driftlearn.inspection.drift_record import DriftRecord
from driftlearn.utils.table import Table

ROWS, DAYS = 301, 40


def table(*rows):
    return Table({name: [row[name] for row in rows] for name in rows[0]}) if rows else Table({})


def record(name="2024-02-{:02d}.csv"):
    found = DriftRecord()
    for day in range(DAYS):
        found.update({"x": np.arange(ROWS)}, file=name.format(day + 1))
    return found


def error(day, before, since, recovered=None, cause="rule"):
    place = {"after": day * ROWS, "before": before, "since": since}
    return {**place, "recovered": recovered, "cause": cause if since > before else None}


def feature(name, day, before="median 40", after="median 61"):
    return {"feature": name, "since": day * ROWS, "before": before, "after": after}


def sentences(tables, created=None, features=None):
    found = drifts_of(features or record(), tables, created)
    return [each["sentence"] for each in found]


def test_changes_of_a_file_are_one_sentence():
    share = {"after": 10 * ROWS, "class": "yes", "before": 0.38, "since": 0.65}
    tables = {
        "features": table(feature("price", 10), {**feature("size", 10), "since": None}),
        "changes": table(error(10, 0.08, 0.14)),
        "target": table(share),
        "members": Table({"weight": [0.7, 0.2, 0.1]}),
    }
    text = (
        "On 11 February 2024 'price' changed (median 40 to 61); the share of 'yes' rose from 38% "
        "to 65%; the error rose from 8.0% to 14.0%, also of rows with the same predictions"
    )
    assert sentences(tables) == [f"{text}."]
    assert sentences(tables, [2, 3, 10]) == [
        f"{text}; the model of 3 February 2024 has 70% of the weight since."
    ]
    assert sentences(tables, [10, 11, 4]) == [
        f"{text}; members created since then have 90% of the weight."
    ]


def test_an_old_model_fits_again():
    changes = table(error(5, 0.1, 0.3, 2 * ROWS), error(7, 0.3, 0.1), error(20, 0.1, 0.3))
    tables = {"changes": changes, "members": Table({"weight": [0.9, 0.1]})}
    first, second = sentences(tables, [2, 21])
    assert first == (
        "On 6 February 2024 the error rose from 10.0% to 30.0%, also of rows with the same "
        "predictions, and recovered within 602 rows."
    )
    assert second.endswith(
        "the model of 3 February 2024 fits again and has 90% of the weight since."
    )


def test_candidates_of_the_newest_chunks_fit_better():
    names = ["trees", "trees, 28 chunks", "trees, 7 chunks", "logistic", "logistic, 56 chunks"]
    members = {"name": names, "accuracy": [0.63, 0.7, 0.76, 0.785, 0.641], "weight": [1.0] * 5}
    tables = {"changes": table(error(20, 0.1, 0.3)), "members": Table(members)}
    (text,) = sentences(tables)
    assert text.endswith(
        "; models of the last 7 chunks fit better ('trees, 7 chunks' 76.0%, 'trees' 63.0%)."
    )
    members["accuracy"] = [0.7] * 5
    assert sentences({**tables, "members": Table(members)})[0].endswith("the same predictions.")


def test_a_rise_after_a_recovery_is_described():
    tables = {"changes": table(error(5, 0.1, 0.3, ROWS), error(20, 0.1, 0.3, cause="rows"))}
    assert sentences(tables)[1] == "On 21 February 2024 the error rose from 10.0% to 30.0%."


def test_the_newest_drifts_are_described_and_many_features_counted():
    rows = [feature(name, 10) for name in "abcde"] + [feature(str(k), 12 + 3 * k) for k in range(4)]
    found = sentences({"features": table(*rows)}, features=record("{}.csv"))
    assert len(found) == 3 and found[-1] == "From 22.csv on, '3' changed (median 40 to 61)."
    (text,) = sentences({"features": table(*rows[:5])})
    assert text.endswith("'c' changed (median 40 to 61); 2 more features changed.")


def test_no_change_no_sentence():
    assert sentences({"features": table(), "changes": None}) == []
    assert when({"time": None, "file": "a.csv"}, "") == "a.csv"
