"""Whose answer counts for a key."""

from math import log

import numpy as np
import pytest

from driftlearn import io as persist
from driftlearn.ops.keyed.model_weights import GLOBAL, OWN, RULE, Rule, SharedPredictions, ModelWeights, priors
from tests.reference import keyed_weights as twin

RULES = [RULE, Rule(own=0.1, everyone=0.8), Rule(0.25, 0.25, 0.5, 0.25), Rule(beta=0.9, share=0.0)]
SHELVES = [(GLOBAL,), (GLOBAL, "from a"), (GLOBAL, "from a", "from b", "from c"), (), ("from a",),
           (GLOBAL, "from c", "from a"), (GLOBAL, "from d", "from e")]  # fmt: skip


def stream(seed, n=25, classes=3, silent=0.2, refresh_interval=8):
    """Rows with what voices say of them; now and then there are other voices."""
    rng = np.random.default_rng(seed)
    rows = []
    for i in range(n):
        if i % renew == 0:
            names = [*SHELVES[rng.integers(len(SHELVES))], OWN]
        labels = [None if rng.random() < silent else f"c{rng.integers(classes)}" for _ in names]
        rows.append({"labels": dict(zip(names, labels)), "truth": f"c{rng.integers(classes)}"})
    return rows


def said_of(rows):
    """The rows of one shelf as `ModelWeights.answer` takes them."""
    names = [name for name in rows[0]["labels"] if name != OWN]
    labels = np.empty((len(names), len(rows)), dtype=object)
    for j, name in enumerate(names):
        labels[j] = [row["labels"][name] for row in rows]
    return SharedPredictions(names, labels), [row["labels"][OWN] for row in rows], [row["truth"] for row in rows]


def told(voices, rows, rule=RULE, cuts=()):
    """Answer and judge rows in calls that end at cuts, and where the shelf is another one."""
    names = [[*row["labels"]] for row in rows]
    ends = {*cuts, len(rows), *(i for i in range(1, len(rows)) if names[i] != names[i - 1])}
    found, start = [], 0
    for end in sorted(ends):
        answers, who = voices.answer(*said_of(rows[start:end]), rule)
        found += zip(answers, who)
        start = end
    return found


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("seed", range(6))
def test_the_rule_is_the_twins(rule, seed):
    rows = stream(seed, classes=2 + seed % 3, silent=0.15 * (seed % 3))
    voices = ModelWeights()
    assert told(voices, rows, rule) == twin.answers(rows, rule._asdict())
    last = {"labels": rows[-1]["labels"], "truth": None}
    weights = twin.weights_before([*rows, last], len(rows), rule._asdict())
    assert voices.names == [*weights]
    np.testing.assert_allclose(voices.weights, [*map(float, weights.values())], rtol=1e-9)


@pytest.mark.parametrize("seed", range(5))
def test_calls_may_be_cut_anywhere(seed):
    rows = stream(seed, n=100)
    whole, cut, single = ModelWeights(), ModelWeights(), ModelWeights()
    expected = told(whole, rows)
    cuts = np.random.default_rng(seed).integers(1, 100, 9).tolist()
    assert told(cut, rows, cuts=cuts) == told(single, rows, cuts=range(1, 100)) == expected
    assert persist.dumps(cut) == persist.dumps(single) == persist.dumps(whole)


def test_without_the_truth_nothing_is_judged():
    rows = stream(1, n=30, refresh_interval=30)
    voices = ModelWeights()
    told(voices, rows[:20])
    before = persist.dumps(voices)
    said, own, truth = said_of(rows[20:])
    answers, _ = voices.answer(said, own)
    assert persist.dumps(voices) == before
    assert answers[0] == voices.answer(said, own, truth)[0][0]
    other = SharedPredictions([GLOBAL, "from z"], said.labels[:2])
    voices_before = persist.dumps(voices)
    voices.answer(other, own)
    assert persist.dumps(voices) == voices_before


def test_no_rows_change_nothing():
    voices = ModelWeights()
    assert voices.answer(SharedPredictions([GLOBAL], np.empty((1, 0), dtype=object)), [], []) == ([], [])
    assert persist.dumps(voices) == persist.dumps(ModelWeights())


def test_where_all_are_silent_there_is_no_answer():
    said = SharedPredictions([GLOBAL], np.full((1, 2), None))
    assert ModelWeights().answer(said, None, ["a", "a"]) == ([None, None], [None, None])
    assert ModelWeights().answer(SharedPredictions([], np.empty((0, 1), dtype=object)), ["b"]) == (["b"], [OWN])


def test_the_global_model_answers_first_and_the_own_one_when_it_has_earned_it():
    said = SharedPredictions([GLOBAL], np.full((1, 50), "no"))
    _, who = ModelWeights().answer(said, ["yes"] * 50, ["yes"] * 50)
    turn = who.index(OWN)
    assert who[0] == GLOBAL and 0 < turn < 5
    assert who[turn:] == [OWN] * (50 - turn)


def test_a_voice_that_was_wrong_for_long_comes_back_within_few_rows():
    truth = ["a"] * 300 + ["b"] * 20
    said = SharedPredictions([GLOBAL, "from x"], np.array([["a"] * 320, ["b"] * 320], dtype=object))
    answers, _ = ModelWeights().answer(said, None, truth)
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
    answers, _ = ModelWeights().answer(SharedPredictions(names[:3], labels[:3]), labels[3].tolist(), truth.tolist())
    mistakes = sum(one != label for one, label in zip(answers, truth.tolist()))
    prior = priors(True, 2)
    losses = (~right[first, :turn]).sum() + (~right[second, turn:]).sum()
    switches = int(turn < n)
    top = losses * log(1 / RULE.beta) - log(prior[first])
    top -= switches * log(RULE.share * prior[second]) + (n - 1 - switches) * log(1 - RULE.share)
    assert mistakes <= top / log(2 / (1 + RULE.beta))


def test_weights_sum_to_one_after_many_rows():
    rng = np.random.default_rng(0)
    said = SharedPredictions([GLOBAL, "from a"], rng.integers(2, size=(2, 20_000)).astype(object))
    voices = ModelWeights()
    voices.answer(
        said, rng.integers(2, size=20_000).tolist(), rng.integers(2, size=20_000).tolist()
    )
    assert sum(voices.weights) == pytest.approx(1.0, abs=1e-12)


def test_rows_of_what_was_said():
    said = SharedPredictions([GLOBAL], np.array([["a", "b", "c"]], dtype=object))
    assert said.rows([2, 0]).labels.tolist() == [["c", "a"]]
    assert len(said.rows(slice(1, 3))) == 2


def test_state_is_small_and_comes_back():
    voices = ModelWeights()
    said = SharedPredictions([GLOBAL, *(f"from device{j:06}" for j in range(4))], np.full((5, 3), "a"))
    empty = len(persist.dumps(voices, compress=True))
    voices.answer(SharedPredictions(said.names, said.labels.astype(object)), None, ["a", "b", "a"])
    assert len(persist.dumps(voices, compress=True)) < empty + 250
    assert persist.loads(persist.dumps(voices)).__dict__ == voices.__dict__


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
    voices = ModelWeights()
    voices.__dict__ = state
    content = persist.dumps(voices)
    with pytest.raises(ValueError, match=r"ModelWeights|voices"):
        persist.loads(content)
