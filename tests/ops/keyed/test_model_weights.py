"""The cold-start rule: voting weights of shared models and own model."""

from math import log

import numpy as np
import pytest

from driftlearn import io as persist
from driftlearn.ops.keyed.model_weights import (
    GLOBAL,
    OWN,
    RULE,
    ModelWeights,
    Rule,
    SharedPredictions,
    priors,
)
from tests.reference import keyed_weights as reference

RULES = [
    RULE,
    Rule(own_prior=0.1, global_prior=0.8),
    Rule(0.25, 0.25, 0.5, 0.25),
    Rule(beta=0.9, share=0.0),
]
POOLS = [(GLOBAL,), (GLOBAL, "from a"), (GLOBAL, "from a", "from b", "from c"), (), ("from a",),
           (GLOBAL, "from c", "from a"), (GLOBAL, "from d", "from e")]  # fmt: skip


def stream(seed, n=25, classes=3, abstaining=0.2, refresh=8):
    """Return rows with the predictions of models; the pool of models changes now and then."""
    rng = np.random.default_rng(seed)
    rows = []
    for i in range(n):
        if i % refresh == 0:
            names = [*POOLS[rng.integers(len(POOLS))], OWN]
        labels = [None if rng.random() < abstaining else f"c{rng.integers(classes)}" for _ in names]
        rows.append({"labels": dict(zip(names, labels)), "truth": f"c{rng.integers(classes)}"})
    return rows


def split(rows):
    """Return the rows of one model pool as `ModelWeights.vote` expects them."""
    names = [name for name in rows[0]["labels"] if name != OWN]
    labels = np.empty((len(names), len(rows)), dtype=object)
    for j, name in enumerate(names):
        labels[j] = [row["labels"][name] for row in rows]
    return (
        SharedPredictions(names, labels),
        [row["labels"][OWN] for row in rows],
        [row["truth"] for row in rows],
    )


def voted(weights, rows, rule=RULE, cuts=()):
    """Predict and evaluate rows in calls that end at cuts and where the pool changes."""
    names = [[*row["labels"]] for row in rows]
    ends = {*cuts, len(rows), *(i for i in range(1, len(rows)) if names[i] != names[i - 1])}
    found, start = [], 0
    for end in sorted(ends):
        answers, who = weights.vote(*split(rows[start:end]), rule)
        found += zip(answers, who)
        start = end
    return found


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("seed", range(6))
def test_the_rule_is_that_of_the_reference(rule, seed):
    rows = stream(seed, classes=2 + seed % 3, abstaining=0.15 * (seed % 3))
    weights = ModelWeights()
    assert voted(weights, rows, rule) == reference.answers(rows, rule._asdict())
    last = {"labels": rows[-1]["labels"], "truth": None}
    expected = reference.weights_before([*rows, last], len(rows), rule._asdict())
    assert weights.names == [*expected]
    np.testing.assert_allclose(weights.weights, [*map(float, expected.values())], rtol=1e-9)


@pytest.mark.parametrize("seed", range(5))
def test_calls_may_be_cut_anywhere(seed):
    rows = stream(seed, n=100)
    whole, cut, single = ModelWeights(), ModelWeights(), ModelWeights()
    expected = voted(whole, rows)
    cuts = np.random.default_rng(seed).integers(1, 100, 9).tolist()
    assert voted(cut, rows, cuts=cuts) == voted(single, rows, cuts=range(1, 100)) == expected
    assert persist.dumps(cut) == persist.dumps(single) == persist.dumps(whole)


def test_weights_change_only_with_labels():
    rows = stream(1, n=30, refresh=30)
    weights = ModelWeights()
    voted(weights, rows[:20])
    before = persist.dumps(weights)
    shared, own, truth = split(rows[20:])
    answers, _ = weights.vote(shared, own)
    assert persist.dumps(weights) == before
    assert answers[0] == weights.vote(shared, own, truth)[0][0]
    other = SharedPredictions([GLOBAL, "from z"], np.full((2, 10), "c0", dtype=object))
    voices_before = persist.dumps(weights)
    weights.vote(other, own)
    assert persist.dumps(weights) == voices_before


def test_no_rows_change_nothing():
    weights = ModelWeights()
    assert weights.vote(SharedPredictions([GLOBAL], np.empty((1, 0), dtype=object)), [], []) == (
        [],
        [],
    )
    assert persist.dumps(weights) == persist.dumps(ModelWeights())


def test_no_label_is_predicted_where_all_models_abstain():
    shared = SharedPredictions([GLOBAL], np.full((1, 2), None))
    assert ModelWeights().vote(shared, None, ["a", "a"]) == ([None, None], [None, None])
    assert ModelWeights().vote(SharedPredictions([], np.empty((0, 1), dtype=object)), ["b"]) == (
        ["b"],
        [OWN],
    )


def test_the_global_model_predicts_first_then_the_key_model():
    shared = SharedPredictions([GLOBAL], np.full((1, 50), "no"))
    _, who = ModelWeights().vote(shared, ["yes"] * 50, ["yes"] * 50)
    turn = who.index(OWN)
    assert who[0] == GLOBAL and 0 < turn < 5
    assert who[turn:] == [OWN] * (50 - turn)


def test_weights_recover_within_few_rows():
    truth = ["a"] * 300 + ["b"] * 20
    shared = SharedPredictions(
        [GLOBAL, "from x"], np.array([["a"] * 320, ["b"] * 320], dtype=object)
    )
    answers, _ = ModelWeights().vote(shared, None, truth)
    assert answers[:300] == ["a"] * 300
    assert answers[308:] == ["b"] * 12


@pytest.mark.parametrize("seed", range(20))
def test_mistakes_stay_below_the_bound(seed):
    rng = np.random.default_rng(seed)
    n, names = 200, [GLOBAL, "from a", "from b", OWN]
    turn = n // 2 if seed % 2 else n
    truth = rng.integers(3, size=n)
    right = rng.random((4, n)) < 0.4
    first, second = rng.permutation(4)[:2]
    right[first, :turn] = rng.random(turn) < 0.95
    right[second, turn:] = rng.random(n - turn) < 0.95
    labels = np.where(right, truth, (truth + 1) % 3).astype(object)
    answers, _ = ModelWeights().vote(
        SharedPredictions(names[:3], labels[:3]), labels[3].tolist(), truth.tolist()
    )
    mistakes = sum(one != label for one, label in zip(answers, truth.tolist()))
    prior = priors(True, 2)
    losses = (~right[first, :turn]).sum() + (~right[second, turn:]).sum()
    switches = int(turn < n)
    top = losses * log(1 / RULE.beta) - log(prior[first])
    top -= switches * log(RULE.share * prior[second]) + (n - 1 - switches) * log(1 - RULE.share)
    assert mistakes <= top / log(2 / (1 + RULE.beta))


def test_weights_sum_to_one_after_many_rows():
    rng = np.random.default_rng(0)
    shared = SharedPredictions([GLOBAL, "from a"], rng.integers(2, size=(2, 20_000)).astype(object))
    weights = ModelWeights()
    weights.vote(
        shared, rng.integers(2, size=20_000).tolist(), rng.integers(2, size=20_000).tolist()
    )
    assert sum(weights.weights) == pytest.approx(1.0, abs=1e-12)


def test_probabilities_are_means_by_weight_of_the_models_that_predict():
    labels = np.array([["a"], [None], ["b"]], dtype=object)
    probas = [{"a": np.array([0.9]), "b": np.array([0.1])}, {}, {"b": np.array([1.0])}]
    shared = SharedPredictions([GLOBAL, "from x", "from y"], labels, probas)
    found = ModelWeights().mix(shared, {"a": np.array([0.5]), "c": np.array([0.5])})
    weight = dict(zip(("global", "x", "y", "own"), priors(True, 2)))
    total = weight["global"] + weight["y"] + weight["own"]
    expected = {
        "a": 0.9 * weight["global"] + 0.5 * weight["own"],
        "b": 0.1 * weight["global"] + weight["y"], "c": 0.5 * weight["own"],
    }  # fmt: skip
    assert {label: float(p[0]) for label, p in found.items()} == pytest.approx(
        {label: p / total for label, p in expected.items()}
    )
    assert ModelWeights().mix(SharedPredictions([GLOBAL], labels[1:2], [{}]), {}) == {}


def test_rows_of_shared_predictions():
    shared = SharedPredictions([GLOBAL], np.array([["a", "b", "c"]], dtype=object))
    assert shared.rows([2, 0]).labels.tolist() == [["c", "a"]]
    assert len(shared.rows(slice(1, 3))) == 2


def test_state_is_small_and_restored():
    weights = ModelWeights()
    shared = SharedPredictions(
        [GLOBAL, *(f"from device{j:06}" for j in range(4))], np.full((5, 3), "a")
    )
    empty = len(persist.dumps(weights, compress=True))
    weights.vote(
        SharedPredictions(shared.names, shared.labels.astype(object)), None, ["a", "b", "a"]
    )
    assert len(persist.dumps(weights, compress=True)) < empty + 250
    assert persist.loads(persist.dumps(weights)).__dict__ == weights.__dict__


@pytest.mark.parametrize(
    "state",
    [
        {"names": ["own", "own"], "weights": [0.5, 0.5]},
        {"names": ["own"], "weights": [0.5, 0.5]},
        {"names": ["own"], "weights": [0.4]},
        {"names": ["own", "x"], "weights": [0.0, 1.0]},
        {"names": ["own"], "weights": [float("nan")]},
        {"names": [3], "weights": [1.0]},
        {"names": ["own"]},
    ],
)
def test_states_that_cannot_be_are_refused(state):
    weights = ModelWeights()
    weights.__dict__ = state
    content = persist.dumps(weights)
    with pytest.raises(ValueError, match=r"ModelWeights|weights"):
        persist.loads(content)
