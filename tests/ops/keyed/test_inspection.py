"""Inspection of all keys and of one key agrees with counts from the store."""

import numpy as np
import pytest

from driftlearn.ops.keyed import KeyedLearner, KeyedModels
from driftlearn.ops.keyed.inspection import _changes, inspect_key, inspect_keys
from driftlearn.ops.keyed.key_record import KeyRecord
from driftlearn.ops.keyed.key_store import KeyStore, QuarantinedRow, Summary
from tests.keyed_streams import KINDS, run


@pytest.fixture(scope="module")
def models():
    return run([1000])[0]


@pytest.fixture
def store():
    store = KeyStore()
    rows = [
        # key, seen, rows, tested, right, recent tested, recent right, changes, changed
        ("fell", None, 500, 499, 400, 60, 20, 2, 400),
        ("rose", None, 500, 499, 300, 60, 55, 1, 244),
        ("long ago", None, 500, 499, 300, 60, 30, 1, 243),
        ("never", None, 40, 39, 13, 39, 13, 0, None),
        ("new", None, 2, 1, 0, 1, 0, 0, None),
    ]
    for k, row in enumerate(rows):
        store.put_state(bytes(1000 * (k + 1)), Summary(*row, 0))
    return store


def opened(store):
    models = KeyedModels(KeyedLearner("naive-bayes", kinds=KINDS), store)
    models.counts |= {"learned": 1542, "tested": 1537, "right": 1013, "quarantined": 3}
    return models


def test_keys_that_got_worse_or_better_and_least_accurate_keys(store):
    found = inspect_keys(opened(store))
    assert found.tables["worse"]["key"].tolist() == ["fell"]
    assert found.tables["better"]["key"].tolist() == ["rose"]
    assert found.facts["drifting"] == {"worse": 1, "better": 1, "within": 256}
    assert found.tables["worse"][0] == {
        "key": "fell", "rows": 500, "before": 380 / 439, "recent": 20 / 60, "changes": 2,
        "rows since": 100, "bytes": 1000,
    }  # fmt: skip
    assert found.tables["worst"]["key"].tolist() == ["fell", "never", "long ago", "rose"]
    assert np.isnan(found.tables["worst"][1]["before"])
    assert store.keys("worst", 1)[0].key == "new"


def test_keys_are_searched_and_paged(store):
    found = [store.keys("rows", 2, search="E", begin=begin) for begin in (0, 2, 4)]
    assert [[each.key for each in page] for page in found] == [
        ["fell", "rose"],
        ["never", "new"],
        [],
    ]
    assert store.n_keys("rows", search="E") == 4 and store.n_keys("worse", search="E") == 1
    assert store.n_keys(search="%") == store.n_keys(search="_") == store.n_keys(search="!") == 0


def test_histograms_count_every_key_once(store):
    found = inspect_keys(opened(store))
    tables, facts = found.tables, found.facts
    for name, n in (("sizes", 5), ("rows", 5), ("accuracies", 4)):
        assert tables[name]["keys"].sum() == n
    sizes = [1000, 2000, 3000, 4000, 5000]
    for low, high, n in zip(*(tables["sizes"][name] for name in ("from", "to", "keys"))):
        assert n == sum(low <= size <= high for size in sizes)
    assert tables["rows"].to_dicts()[0] == {"from": 2, "to": 3, "keys": 1}
    assert tables["rows"].to_dicts()[-1] == {"from": 256, "to": 511, "keys": 3}
    shares = [400 / 499, 300 / 499, 300 / 499, 13 / 39]
    for low, high, n in zip(*(tables["accuracies"][name] for name in ("from", "to", "keys"))):
        assert n == sum(low <= share < high for share in shares)
    assert facts["accuracy of keys"] == {"keys": 4, "least": 16, "median": 0.601,
                                         "worst tenth": 0.333}  # fmt: skip
    assert facts["bytes"] == {"all": 15_000, "mean": 3000.0, "largest": 5000}


def test_everything_right_is_in_the_last_bin(store):
    store.put_state(b"x", Summary("best", None, 20, 20, 20, 20, 20, 0, None, 0))
    assert inspect_keys(opened(store)).tables["accuracies"]["keys"][-1] == 1


def test_of_a_stream_that_was_learned(models):
    found = inspect_keys(models)
    assert found.facts["keys"] == 17 and sum(found.facts["predictions"].values()) == pytest.approx(
        1
    )
    assert (
        found.facts["accuracy"]["predictions"] == models.counts["right"] / models.counts["tested"]
    )
    assert 0.4 < found.facts["accuracy"]["global"] < found.facts["accuracy"]["predictions"]
    assert found.tables["ages"]["rows"].sum() == 3000
    shelf = found.tables["pool"]
    assert ["from " + key for key in shelf["key"]] == models.learner.shared.names
    assert shelf["predictions"].sum() <= found.tables["predictions"]["rows"][2]
    assert {*found.tables["importances"]["feature"]} == {"x", "colour"}
    assert found.tables["accuracy"]["new keys"].tolist() == [17, 0, 0]
    assert "17 keys have learned 3,000 rows." in found.sentences


def test_quarantined_rows_and_expired_keys(store):
    rows = [
        (5, "a.csv", 5, "k", "bad"),
        (7, None, None, None, "worse"),
        (9, "a.csv", 9, "k", "bad"),
    ]
    store.quarantine([QuarantinedRow(*row) for row in rows])
    for at in range(250):
        store.add_expired({at * 100_000: 2})
    found = inspect_keys(opened(store))
    assert found.tables["quarantined"]["at"].tolist() == [5, 7, 9]
    assert found.tables["reasons"].to_dicts() == [
        {"reason": "bad", "rows": 2, "last at": 9}, {"reason": "worse", "rows": 1, "last at": 7}
    ]  # fmt: skip
    expired = found.tables["expired"]
    assert len(expired) <= 100 and expired["keys"].sum() == 500
    assert expired["last row from"][1] == 300_000
    assert "3 rows were quarantined." in found.sentences


def test_where_nothing_was_learned():
    found = inspect_keys(KeyedModels(KeyedLearner("naive-bayes", kinds=KINDS)))
    assert found.facts["keys"] == 0 and "accuracy" not in found.tables
    assert found.facts["accuracy of keys"]["median"] is None
    assert found.to_dict()["tables"]["worst"] == []


def test_one_key(models):
    state = models.state("k3")
    found = inspect_key(models, "k3")
    accuracy = found.tables["accuracy"]
    assert (accuracy["accuracy"] * accuracy["tested"]).sum() == pytest.approx(state.record.right)
    assert (accuracy["own"] * accuracy["tested"]).sum() == pytest.approx(state.record.own)
    vote_weights = found.tables["weights"]
    assert vote_weights["weight"].sum() == pytest.approx(1) and vote_weights["source"][0] == max(
        zip(state.weights.weights, state.weights.names)
    )[1]  # fmt: skip
    assert found.facts["key"] == "k3" and "rows of k3: predictions 0." in found.sentences[0]
    with pytest.raises(ValueError, match=r"no key .k33. .did you mean"):
        inspect_key(models, "k33")


def test_errors_between_the_changes_of_a_key():
    record = KeyRecord()
    predicted = ["a"] * 40 + ["b"] * 24 + ["a"] * 16  # of spans of 16 rows
    record.update(["a"] * 80, predicted, predicted)
    record.note_changes([41, 66])
    assert _changes(record).to_dicts() == [
        {"after": 41, "before": 1 - 40 / 48, "since": 1.0},
        {"after": 66, "before": 1.0, "since": 0.0},
    ]
