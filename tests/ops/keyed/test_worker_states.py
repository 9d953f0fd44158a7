"""Recoverable states of keys: an older state plus the rows since then equals the state."""

import pickle

import numpy as np
import pytest

from driftlearn.ops.keyed import KeyedLearner, KeyStore
from driftlearn.ops.keyed.key_cache import MAX_REPLAYED, RecoverableStates, WorkerStates
from driftlearn.ops.keyed.reader import Batch
from driftlearn.ops.keyed.shared_models import SharedModels
from driftlearn.ops.keyed.training import grouped

KINDS = {"size": "number", "colour": "category", "day": "date"}
KEYS = 5


def batches(learner, n, seed):
    """Yield slices of various lengths with rows of keys; keys are absent in turns."""
    rng = np.random.default_rng(seed)
    begin = 0
    while begin < n:
        k = int(rng.choice([3, 20, 150]))
        keys = rng.integers(begin // 400 % 2, KEYS, size=k)
        size = rng.normal(size=k)
        table = {"size": size, "colour": rng.choice(["red", "blue", None], size=k),
                 "day": np.datetime64("2024-01-01") + rng.integers(100, size=k)}  # fmt: skip
        labels = np.where((size > 0) ^ (keys % 2 == 1), "high", "low")
        rows = learner.read(table, keys, labels)
        yield Batch(
            rows, np.arange(begin, begin + k) - 300, begin, [("f", i) for i in range(k)], []
        )
        begin += k


@pytest.mark.parametrize("idle", [None, 300])
@pytest.mark.parametrize("name", ["naive-bayes", "hoeffding:grace_period=20"])
def test_resumed_states_are_equal(name, idle):
    learner = KeyedLearner(name, kinds=KINDS)
    known = KeyStore()
    before = WorkerStates(learner)  # one key has a history
    for batch in batches(learner, 100, 9):
        for group in grouped(batch):
            before.train(group)
    summary, content = before.final("3")
    known.put_state(content, summary._replace(seen=None))
    shared = SharedModels(learner.new_model())
    rng = np.random.default_rng(1)
    plain = WorkerStates(learner, known, idle=idle)
    saved, kept = RecoverableStates(learner, known, idle=idle, memory=30_000), {}
    lengths, expired = set(), 0
    for batch in batches(learner, 3_000, 0):
        for group in grouped(batch, shared):
            one, other = plain.train(group), saved.train(pickle.loads(pickle.dumps(group)))
            assert (one.labels, one.votes) == (
                other.labels,
                other.votes,
            ) and one.counts == other.counts
            expired += sum(one.counts.expired.values())
            kept[group.key] = pickle.loads(pickle.dumps(saved.saved(group.key)))
            lengths.add((kept[group.key].content is None, len(kept[group.key].since)))
        if rng.random() < 0.3:  # a kill
            saved = RecoverableStates(learner, known, idle=idle, memory=30_000)
            for each in kept.values():
                saved.resume(each)
    assert {(True, 1), (False, 0), (False, 2)} <= lengths and bool(expired) == bool(idle)
    for key in kept:
        assert saved.final(key) == plain.final(key)


def test_many_rows_at_a_time_are_not_kept():
    learner = KeyedLearner("naive-bayes", kinds=KINDS)
    workers = RecoverableStates(learner)
    group = next(group for batch in batches(learner, 2_000, 0) for group in grouped(batch)
                 if len(group.rows) < MAX_REPLAYED)  # fmt: skip
    n = len(group.rows)
    for k in range(1, 200):
        workers.train(group)
        found = workers.saved(group.key)
        assert len(found.since) * n < MAX_REPLAYED
        if found.content is not None:
            assert not found.since and found.content == workers.content(group.key)
            assert (k - 1) * n < MAX_REPLAYED <= k * n
            break
    else:
        pytest.fail("the state was never saved")
