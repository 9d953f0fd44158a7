"""Inspection of learners, pipelines and saved models."""

import json

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError

import driftlearn
from driftlearn import GaussianNBClassifier, SEAClassifier, TableEncoder, make_pipeline
from driftlearn.inspection import Inspection
from driftlearn.inspection._changes import error_changes
from driftlearn.inspection._tables import calibration_of, calibration_table
from driftlearn.ops.checkpoint import SavedModel
from tests import saved_models

RNG = np.random.default_rng(0)
X = RNG.random((400, 3))
Y = np.where(X[:, 0] > 0.5, "high", "low")


@pytest.fixture(scope="module")
def kept(tmp_path_factory):
    return SavedModel.open(saved_models.learn(tmp_path_factory.mktemp("kept")))


def test_inspection_of_an_untracked_learner():
    model = SEAClassifier().partial_fit(X[:200], Y[:200]).partial_fit(X[200:], Y[200:])
    found = driftlearn.inspect(model)
    assert [*found.tables] == ["importances", "members"]
    assert found.table("importances")["feature"][0] == "x0"
    assert len(found.table("members")) == 2
    assert "Most important features: x0." in str(found)
    with pytest.raises(ValueError, match="only a saved model has a record"):
        found.table("accuracy")
    with pytest.raises(ValueError, match="unknown name"):
        found.table("colours")


def test_inspection_with_test_rows():
    model = make_pipeline(TableEncoder(), GaussianNBClassifier()).partial_fit(X, Y)
    assert "importances" not in driftlearn.inspect(model).tables
    found = driftlearn.inspect(model, X, Y)
    assert found.table("importances")["feature"][0] == "x0"
    right = model.predict(X) == Y
    recall = {row["class"]: row["recall"] for row in found.table("recall")}
    for label in ("high", "low"):
        assert recall[label] == pytest.approx(right[label == Y].mean())
    assert found.facts["accuracy"]["model"] == pytest.approx(right.mean())


def test_calibration_by_hand():
    confidence = np.array([0.95, 0.95, 0.6, 0.65])
    counts = calibration_of(confidence, np.array([True, False, True, True]))
    table, ece = calibration_table(counts)
    assert table["rows"].tolist() == [2, 2]
    assert table["mean confidence"].tolist() == pytest.approx([0.625, 0.95])
    assert table["share right"].tolist() == pytest.approx([1.0, 0.5])
    assert ece == pytest.approx((2 * 0.375 + 2 * 0.45) / 4)


def test_inspection_of_a_saved_model_dates_changes(kept):
    found = driftlearn.inspect(kept)
    change = saved_models.CHANGE * saved_models.ROWS
    rises = [row for row in found.table("changes") if row["since"] > row["before"]]
    assert [row["after"] for row in rises] == [change]
    assert rises[0]["file"].endswith("2024-03-08.csv") and rises[0]["time"].startswith("2024-03-08")
    assert 0 < rises[0]["recovered"] <= 1000
    features = {row["feature"]: row for row in found.table("features")}
    assert features["price"]["since"] == change
    assert features["colour"]["since"] is None and features["size"]["since"] is None
    # the rule has two features, one of them the day on which it changes
    assert {*found.table("importances")["feature"][:2]} == {"size", "when_day"}
    (drift,) = found.facts["drifts"]
    assert drift["sentence"] in found.sentences and drift["after"] == change
    assert drift["sentence"] == (
        "On 8 March 2024 'price' changed (median 9.981 to 13.97); the error rose from 0.1% to "
        "100.0%, also of rows with the same predictions, and recovered within 500 rows; members "
        "created since then have 50% of the weight."
    )
    assert "Dates of drifts are precise to 6 hours." in found.sentences


def test_members_of_a_kept_model_have_a_date_and_a_file(kept):
    members = driftlearn.inspect(kept).table("members")
    for row in members:
        place = kept.record.where(row["created_at"])
        assert (row["created in"], row["created at"]) == (place["file"], place["time"])
    # some were replaced when the rule changed
    assert any(each.startswith("2024-03-08") for each in members["created at"])


def test_numbers_of_a_kept_model_are_those_of_its_record(kept):
    found = driftlearn.inspect(kept)
    record = kept.record
    assert found.facts["rows"] == 6000 == record.n_rows
    tested = record.tested > 0  # the rows of the first day were only learned
    assert tested.tolist() == [False] * 5 + [True] * 55
    shares = found.table("accuracy")["accuracy"][tested]
    assert shares == pytest.approx(record.right[tested] / record.tested[tested])
    rows, _, right = record.calibration.sum(axis=0)
    there = rows > 0
    assert found.table("calibration")["share right"] == pytest.approx(right[there] / rows[there])
    recalls = record.class_right.sum(axis=0) / record.class_tested.sum(axis=0)
    assert found.table("recall")["recall"] == pytest.approx(recalls)


def test_inspection_as_json_and_as_text(kept):
    found = driftlearn.inspect(kept)
    content = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert content["rows"] == 6000 and len(content["tables"]["features"]) == 3
    text = str(found)
    assert "(the newest 10 of 60)" in text and "When the error changed" in text


def test_importances_of_another_learner_come_with_rows(kept):
    with pytest.raises(ValueError, match="X and y must be passed together"):
        driftlearn.inspect(kept, X=[[1.0]])


def test_what_cannot_be_inspected():
    with pytest.raises(ValueError, match="expects a learner, a pipeline or a saved model"):
        driftlearn.inspect({})
    with pytest.raises(NotFittedError):
        driftlearn.inspect(SEAClassifier())


def spans(*rates, n=200, seed=0):
    rng = np.random.default_rng(seed)
    tested = np.full(len(rates), n)
    right = rng.binomial(n, 1 - np.array(rates))
    return np.stack([right, tested - right], axis=1), np.arange(len(rates)) * n


def test_a_short_rise_of_the_error_is_found_and_how_long_it_took():
    record = spans(*[0.1] * 20, 0.5, 0.4, 0.3, *[0.1] * 20)
    rises = [each for each in error_changes(*record) if each["since"] > each["before"]]
    assert [each["after"] for each in rises] == [4000]
    assert rises[0]["recovered"] == 600


def test_an_error_that_stays_has_not_recovered():
    (change,) = error_changes(*spans(*[0.1] * 20, *[0.3] * 20))
    assert change["after"] == 4000 and change["recovered"] is None


def test_the_start_of_learning_is_no_change():
    assert error_changes(*spans(0.5, 0.4, 0.3, *[0.1] * 20)) == []
    changes = error_changes(*spans(0.5, 0.4, 0.3, *[0.1] * 20, *[0.3] * 20))
    assert [each["after"] for each in changes] == [23 * 200]
    (change,) = changes
    assert change["low"] < 0.2 < change["high"] and change["high"] - change["low"] < 0.06


def test_an_even_error_never_changes():
    assert sum(len(error_changes(*spans(*[0.2] * 60, seed=seed))) for seed in range(50)) <= 1


def test_models_below_a_baseline_are_reported():
    facts = {"classes": [0, 1], "rows": 5, "recent accuracy": {"model": None}}
    facts["accuracy"] = {"model": 0.5, "no change": 0.75, "majority": 0.25}
    assert "The model does not beat no change." in Inspection("X", facts, {}).sentences
