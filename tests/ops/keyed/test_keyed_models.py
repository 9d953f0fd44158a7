"""Many keys in one process: slices, memory limit and loading do not change the bytes."""

import numpy as np
import pytest

from driftlearn.base.one_model import OneModelClassifier
from driftlearn.ops.keyed import KeyedLearner, KeyedModels, KeyStore, SharedModels
from tests.keyed_streams import KINDS, content, part, run, stream


@pytest.mark.parametrize("learner", ["naive-bayes", "hoeffding:grace_period=20"])
def test_same_bytes_whatever_slices_and_memory(learner):
    whole, predicted = run([3_000], learner)
    for sizes, how in (
        ([1_000], {"commit": 1}),
        ([7, 130, 1], {"memory": 1}),
        ([999], {"memory": 200_000, "commit": 2}),
    ):
        other, again = run(sizes, learner, **how)
        assert again == predicted
        assert content(other.store) == content(whole.store)
    assert whole.counts["right"] / whole.counts["tested"] > 0.7
    assert len(whole) == 17


@pytest.mark.parametrize(
    ("learner", "chunk"),
    [
        ("leveraging-bagging:n_estimators=2", None),
        ("awe:n_estimators=3", 25),
        ("logistic", None),
        pytest.param("auto", None, marks=pytest.mark.compiled),
    ],
)
def test_other_learners_have_the_same_bytes_too(learner, chunk):
    data = stream(600, n_keys=4)
    whole, predicted = run([600], learner, data=data, chunk=chunk)
    other, again = run([37, 1, 210], learner, data=data, chunk=chunk, memory=1, commit=2)
    assert again == predicted and content(other.store) == content(whole.store)


def test_memory_is_bounded_and_states_are_bit_identical():
    data = stream(4_000, n_keys=200)
    whole, predicted = run([500], "naive-bayes", data=data)
    mean = whole.mean
    bound = int(20 * mean)
    models = KeyedModels(
        KeyedLearner("naive-bayes", kinds=KINDS), memory=bound, refresh_interval=700
    )
    answers, most = [], 0
    for begin in range(0, 4_000, 500):
        answers += models.learn(*part(*data, begin, begin + 500)).labels
        most = max(most, len(models.states))
    assert 15 <= most <= 25 and len(models) == 200
    models.commit({"here": {"rows": 4_000}})
    assert answers == predicted and content(models.store) == content(whole.store)


def test_a_commit_is_all_or_nothing(tmp_path):
    data = stream(900)
    models = KeyedModels(KeyedLearner("naive-bayes", kinds=KINDS), tmp_path / "k.sqlite", memory=1)
    models.learn(*part(*data, 0, 300))
    models.commit({"here": {"rows": 300}})
    models.learn(*part(*data, 300, 900))  # evicted states are written, but not committed
    reader = KeyStore(tmp_path / "k.sqlite", read_only=True)
    assert sum(each.rows for each in reader.keys("key")) == 300
    models.store.close()
    again = KeyedModels(store=tmp_path / "k.sqlite")
    assert again.store.positions() == {"here": {"rows": 300}} and again.counts["rows"] == 300
    again.learn(*part(*data, 300, 900))
    again.commit({"here": {"rows": 900}})
    undisturbed = KeyedModels(KeyedLearner("naive-bayes", kinds=KINDS))
    undisturbed.learn(*part(*data, 0, 900))
    undisturbed.commit({"here": {"rows": 900}})
    assert content(again.store) == content(undisturbed.store)


def test_a_state_is_the_same_by_a_pure_step_and_in_one_process():
    keys, table, labels = stream(400, n_keys=3)
    models = KeyedModels(KeyedLearner("naive-bayes", kinds=KINDS, shared=SharedModels()))
    models.learn(keys, table, labels)
    models.commit()
    learner = KeyedLearner("naive-bayes", kinds=KINDS, shared=SharedModels())
    for key in ("k0", "k1", "k2"):
        mine = [i for i, each in enumerate(keys) if each == key]
        content = learner.dumps(learner.new_state())
        for some in (mine[:7], mine[7:8], mine[8:]):
            state = learner.loads(content)
            rows = {name: values[some] for name, values in table.items()}
            learner.learn(state, rows, labels[some].tolist())
            content = learner.dumps(state)
        assert content == models.store.state(key)


def worded(n=2_000, n_keys=8, n_words=12):
    """Return rows whose labels depend on words alone, in every key in the same way."""
    rng = np.random.default_rng(0)
    code = rng.integers(n_words, size=n)
    keys = [f"k{k}" for k in rng.integers(n_keys, size=n)]
    labels = np.where(rng.permutation(n_words)[code] % 2 == 0, "yes", "no")
    return keys, {"word": np.array([f"w{k:02}" for k in code], dtype=object)}, labels.astype(object)


@pytest.mark.parametrize("learner", ["naive-bayes", "hoeffding:grace_period=20", "logistic", "dwm",
                                     "adwin-bagging:n_estimators=3"])  # fmt: skip
def test_words_are_categories_for_all_learners(learner):
    keys, table, labels = worded()
    models = KeyedModels(learner)
    answers = models.learn(keys, table, labels).labels
    late = slice(1_000, None)
    assert np.mean(np.array(answers[late]) == labels[late]) > 0.95
    accuracy = models.comparison()
    assert accuracy["model"] == models.record.accuracy()["predictions"]
    assert accuracy["own"] > 0.8 > 0.7 > max(accuracy["majority"], accuracy["no change"])


def test_comparison_adds_up_the_records_of_keys():
    models, _ = run([100, 33], commit=2)
    records = [models.state(f"k{k}").record for k in range(17)]
    n = sum(each.n_tested for each in records)
    found = models.comparison()
    for name in ("own", "no_change", "majority"):
        assert found[name.replace("_", " ")] == sum(getattr(each, name) for each in records) / n
    assert KeyedModels(store=models.store).comparison() == found
    models.baselines.clear()  # as in stores of earlier versions
    assert [*models.comparison()] == ["model", "global"]


def test_probabilities_of_keys():
    models, _ = run([3_000])
    keys, table, _ = stream(200, n_keys=19, seed=1)
    found = models.predict([*keys[:-1], None], table)
    values = np.array([*found.probabilities.values()])
    assert {*found.probabilities} == {"no", "yes"} and found.labels[-1] is None
    assert np.isnan(values[:, -1]).all()
    np.testing.assert_allclose(values[:, :-1].sum(axis=0), 1.0)
    best = np.array([*found.probabilities])[values[:, :-1].argmax(axis=0)]
    assert np.mean(best == found.labels[:-1]) > 0.9


@pytest.mark.parametrize("learner", ["naive-bayes", "hoeffding:grace_period=20", "hat", "logistic"])
def test_training_without_checks_is_the_same(learner, monkeypatch):
    data = stream(800, n_keys=9)
    found, answers = run([100, 1], learner, data=data)
    monkeypatch.setattr(OneModelClassifier, "test_then_train_known", lambda *_: None)
    expected, slow_answers = run([100, 1], learner, data=data)
    assert answers == slow_answers and content(found.store) == content(expected.store)


@pytest.mark.parametrize("learner", ["naive-bayes", "hoeffding:grace_period=20", "logistic",
                                     "adwin-bagging:n_estimators=3"])  # fmt: skip
def test_snapshots_do_not_change(learner):
    models, _ = run([600], learner, data=stream(600, n_keys=3))
    before = models.states["k1"]
    content = models.learner.dumps(before)
    shot = before.snapshot()
    keys, table, labels = stream(600, n_keys=3, seed=1)
    models.learn(keys, table, np.where(labels == "yes", "no", "yes"))
    assert before.record.n_rows > shot.record.n_rows
    rows = {name: values[:200] for name, values in table.items()}
    one, other = (models.learner.predict(each, rows) for each in
                  (shot, models.learner.loads(content)))  # fmt: skip
    assert one[:2] == other[:2]
    for label, p in other.probabilities.items():
        np.testing.assert_array_equal(one.probabilities[label], p)
