"""Models shared by the keys of a stream."""

import itertools

import numpy as np
import pytest

from driftlearn import GaussianNBClassifier
from driftlearn import io as persist
from driftlearn.ops.keyed.model_weights import GLOBAL
from driftlearn.ops.keyed.shared_models import MIN_ROWS, PROBE_EVERY, PROBE_ROWS, SharedModels
from driftlearn.preprocessing import TableEncoder, make_pipeline

RULES = {
    "low": lambda x, z: x < 0.5,
    "high": lambda x, z: x > 0.5,
    "other": lambda x, z: z > 0.5,
}


def pipeline():
    return make_pipeline(TableEncoder(), GaussianNBClassifier())


def rows(n, seed=0, rule="low"):
    x, z = np.random.default_rng(seed).random((2, n))
    return {"x": x, "z": z}, np.where(RULES[rule](x, z), "yes", "no")


def model(rule, n=60, seed=1):
    return pipeline().partial_fit(*rows(n, seed, rule))


def population(n=400, **how):
    found = SharedModels(pipeline(), **how)
    found.test_then_train(*rows(n))
    return found


def part(table, labels, rows):
    return {name: column[rows] for name, column in table.items()}, labels[rows]


def test_the_global_model_predicts_before_training():
    table, labels = rows(100)
    alone = pipeline()
    predicted = SharedModels(pipeline()).test_then_train(table, labels)
    assert predicted.names == [GLOBAL]
    assert predicted.labels[0].tolist() == alone.test_then_train(table, labels).tolist()
    assert predicted.labels[0, 0] is None


def test_predictions_change_nothing():
    shared = population()
    shared.refresh_pool([("a", model("high"), (60, 0.9))])
    before = persist.dumps(shared)
    table, _ = rows(50, seed=3)
    predicted = shared.predict(table, 50)
    assert predicted.names == [GLOBAL, "from a"]
    assert predicted.labels[0].tolist() == shared.global_model.predict(table).tolist()
    assert predicted.labels[1].tolist() == shared.model_pool[0].predict(table).tolist()
    assert persist.dumps(shared) == before


def test_calls_may_be_cut_anywhere():
    table, labels = rows(1500, seed=2)
    whole, cut = SharedModels(pipeline()), SharedModels(pipeline())
    predicted = [whole.test_then_train(table, labels)]
    ends = [0, 1, 2, 9, 17, 18, 500, 511, 512, 1499, 1500]
    reported = [
        cut.test_then_train(*part(table, labels, slice(*span))) for span in itertools.pairwise(ends)
    ]
    assert np.hstack([each.labels for each in reported]).tolist() == predicted[0].labels.tolist()
    assert persist.dumps(cut) == persist.dumps(whole)
    assert whole.probe["x"] == table["x"][::PROBE_EVERY][-PROBE_ROWS:].tolist()


def test_the_probe_does_not_depend_on_the_types_of_columns():
    values = [1, 0, 3, 5] * 20
    whole = {"n": np.array(values), "w": np.array(["u", "v"] * 40), "t": np.array(
        ["2020-01-01T10:00"] * 80, dtype="M8[ns]")}  # fmt: skip
    mixed = {"n": np.array([float(v) for v in values], dtype=object), "w": ["u", "v"] * 40,
             "t": np.array(["2020-01-01T10:00"] * 80, dtype="M8[us]")}  # fmt: skip
    shared = [SharedModels() for _ in range(2)]
    for each, table in zip(shared, (whole, mixed)):
        each.test_then_train(table, ["yes"] * 80)
    assert persist.dumps(shared[0]) == persist.dumps(shared[1])
    assert shared[0].probe["n"][:2] == [1.0, 1.0]
    gaps = SharedModels()
    gaps.test_then_train(
        {"n": np.array([np.nan, np.inf, 10**400, None, True, "x" * 2000] * 16)}, "a" * 96
    )
    assert {*map(str, gaps.probe["n"])} <= {"None", "True", "x" * 1000}
    persist.loads(persist.dumps(gaps))


def test_one_model_per_concept_enters_the_pool():
    shared = population(pool_size=3)
    rules = ["high"] * 5 + ["other"] * 2
    keys = [(f"k{j}", model(rule, seed=j), (60, 0.9)) for j, rule in enumerate(rules)]
    shared.refresh_pool(keys)
    chosen = [rules[int(name[-1])] for name in shared.names]
    assert chosen[:2] == ["high", "other"]
    shared.pool_size = 1
    shared.refresh_pool(keys)
    assert len(shared.names) == 1 and rules[int(shared.names[0][-1])] == "high"


def test_pool_models_add_to_the_global_model():
    shared = population(n=2000)
    shared.refresh_pool(
        [("a", model("low", 2000, seed=0), (2000, 0.9)), ("b", model("high"), (60, 0.9))]
    )
    assert shared.names[0] == "from b"
    same = population()
    same.refresh_pool([("a", same.global_model, (400, 0.9))])
    assert same.names == []


def test_the_more_accurate_model_enters_the_pool():
    shared = population(pool_size=1)
    references = [(key, model("high"), (60, right)) for key, right in (("a", 0.7), ("b", 0.9))]
    shared.refresh_pool(references)
    assert shared.names == ["from b"]


def test_the_order_of_candidates_does_not_matter():
    keys = [
        (f"k{j}", model(rule, seed=j), (60 + j % 2, 0.8 + j / 100))
        for j, rule in enumerate(["high", "low", "other"] * 3)
    ]
    found = []
    for order in (keys, keys[::-1], keys[4:] + keys[:4]):
        shared = population()
        shared.refresh_pool(iter(order))
        found.append(persist.dumps(shared))
    assert found[0] == found[1] == found[2]


def test_keys_with_few_rows_do_not_enter_the_pool():
    shared = population()
    shared.refresh_pool([("a", model("high"), (MIN_ROWS, 0.9))])
    assert shared.names == ["from a"]
    shared.refresh_pool([("b", model("other"), (MIN_ROWS - 1, 1.0))])
    assert shared.names == ["from a"]


def test_pool_models_are_not_trained():
    own = model("high")
    shared = population()
    shared.refresh_pool([("a", own, (60, 0.9))])
    before = persist.dumps(shared.model_pool[0])
    own.partial_fit(*rows(500, 5, "low"))
    shared.test_then_train(*rows(500, 6))
    assert persist.dumps(shared.model_pool[0]) == before


def test_global_model_and_pool_are_optional():
    nothing = SharedModels(pool_size=0)
    assert nothing.test_then_train(*rows(20)).labels.shape == (0, 20)
    nothing.refresh_pool([("a", model("high"), (60, 0.9))])
    assert nothing.names == [] and nothing.predict(rows(3)[0], 3).labels.shape == (0, 3)
    lending = SharedModels()
    lending.test_then_train(*rows(80))
    lending.refresh_pool([("a", model("high"), (60, 0.9))])
    assert lending.predict(rows(3)[0], 3).names == ["from a"]
    blank = SharedModels(pipeline()).predict(rows(2)[0], 2)
    assert blank.labels.tolist() == [[None, None]]


@pytest.mark.parametrize(
    "wrong",
    [
        {"names": ["a"]},
        {"names": ["from a", "from a"]},
        {"names": []},
        {"pool_size": 0},
        {"probe": {"x": [1.0] * (PROBE_ROWS + 1)}},
        {"probe": {"x": [1.0], "z": []}},
        {"probe": {"x": [[1.0]]}},
        {"n_rows": -1},
        {"global_model": "none"},
        {"model_pool": [None]},
    ],
)
def test_states_that_cannot_be_are_refused(wrong):
    shared = population()
    shared.refresh_pool([("a", model("high"), (60, 0.9))])
    persist.loads(persist.dumps(shared))
    shared.__dict__.update(wrong)
    with pytest.raises(ValueError, match="SharedModels"):
        persist.loads(persist.dumps(shared))
