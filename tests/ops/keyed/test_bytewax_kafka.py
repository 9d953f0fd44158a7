"""Kafka on Bytewax, with the connector of Bytewax and with that of driftlearn."""

import json
from datetime import timedelta

import pytest

from tests.servers import MockBroker, rows_of

pytest.importorskip("bytewax", reason="bytewax is not installed")
pytest.importorskip("confluent_kafka", reason="confluent-kafka is not installed")

import bytewax.operators as op
from bytewax.connectors.files import CSVSource
from bytewax.connectors.kafka import KafkaSource
from bytewax.dataflow import Dataflow
from bytewax.recovery import RecoveryConfig, init_db_dir
from bytewax.testing import TestingSink, run_main

from driftlearn.ops.checkpoint.saved_model import STORE
from driftlearn.ops.keyed import KeyedLearner, KeyStore
from driftlearn.ops.keyed.bytewax import Final, groups, operator
from driftlearn.ops.keyed.bytewax_run import BytewaxRun
from driftlearn.ops.keyed.settings import Request, run
from driftlearn.ops.sources.log_source import LogSource

KINDS = {"x": "number", "size": "number", "colour": "category"}
KEYS = 7
GIVEN = {"target": "label", "key": "device", "learner": "naive-bayes"}
ROWS = [{**row, "device": f"d{i % KEYS}", "size": row["size"] or None}
        for i, row in enumerate(rows_of(900))]  # fmt: skip


@pytest.fixture
def broker():
    with MockBroker() as running:
        yield running


def fill(broker, rows):
    contents = [row if isinstance(row, str) else json.dumps(row) for row in rows]
    broker.add("t", contents, partition=lambda i: i % KEYS % 4)  # one partition for each key


def expected(learner, rows):
    found = {}
    for key in sorted({row["device"] for row in rows}):
        mine = [row for row in rows if row["device"] == key]
        state = learner.new_state()
        table = {name: [row[name] for row in mine] for name in KINDS}
        learner.learn(state, table, [row["label"] for row in mine])
        found[key] = learner.dumps(state)
    return found


def finals(predicted):
    return {each.summary.key: each.content for _, each in predicted if isinstance(each, Final)}


def test_the_connector_of_the_engine_and_a_crash(broker, tmp_path):
    learner = KeyedLearner("naive-bayes", kinds=KINDS)
    fill(broker, [*ROWS, "{", json.dumps({**ROWS[0], "x": "high"})])
    predicted, quarantined, crash = [], [], [True]
    seen = []

    def fall(message):
        seen.append((message.partition, message.offset))
        if crash and len(seen) == 500:
            raise RuntimeError("a crash")
        return message

    flow = Dataflow("shops")
    source = KafkaSource([broker.host], ["t"], tail=False, batch_size=20)
    messages = op.map("fall", op.input("messages", flow, source), fall)
    rows = groups("rows", messages, learner, key="device", label="label")
    op.output("predictions", operator("learn", rows.good, learner), TestingSink(predicted))
    op.output("quarantined", rows.quarantined, TestingSink(quarantined))
    init_db_dir(tmp_path, 1)
    every = {"epoch_interval": timedelta(0), "recovery_config": RecoveryConfig(tmp_path)}
    with pytest.raises(RuntimeError):
        run_main(flow, **every)
    crash.clear()
    predicted.clear()
    before = len(seen)
    run_main(flow, **every)
    assert len(seen) - before < len(ROWS)  # it did not start from the beginning
    assert finals(predicted) == expected(learner, ROWS)
    poison, broken = sorted(quarantined, key=lambda each: each.key is None)
    assert poison.key == "d0" and poison.reason == "column 'x' holds 'high', which is not a number"
    assert broken.file == f"t#{900 % KEYS % 4}" and "it is not JSON" in broken.reason


def test_rows_of_a_file_through_the_connector_of_the_engine(tmp_path):
    learner = KeyedLearner("naive-bayes", kinds=KINDS)
    file = tmp_path / "rows.csv"
    lines = [",".join(str(value or "") for value in row.values()) for row in ROWS]
    file.write_text("\n".join([",".join(ROWS[0]), *lines]) + "\n")
    predicted, quarantined = [], []
    flow = Dataflow("shops")
    rows = groups("rows", op.input("file", flow, CSVSource(file)), learner, key="device",
                  label="label")  # fmt: skip
    op.output("predictions", operator("learn", rows.good, learner), TestingSink(predicted))
    op.output("quarantined", rows.quarantined, TestingSink(quarantined))
    run_main(flow)
    assert finals(predicted) == expected(learner, ROWS) and not quarantined


def test_a_topic_is_learned_as_in_one_process(broker, tmp_path, monkeypatch):
    from confluent_kafka import Consumer, TopicPartition

    fill(broker, ROWS)
    reported = []

    def settled(self, position):
        store = KeyStore(tmp_path / "there" / STORE, read_only=True)
        reported.append(store.positions() == position and len(store) == KEYS)
        store.close()
        plain(self, position)

    plain = LogSource.settled
    here = run(Request(tmp_path / "here", [broker.url("t")], GIVEN))
    monkeypatch.setattr(LogSource, "settled", settled)
    there = run(Request(tmp_path / "there", [broker.url("t")], GIVEN, on="bytewax:2"))
    assert reported == [True]  # offsets are committed only after all data are durable
    assert there.counts == here.counts and there.counts["learned"] == len(ROWS)
    assert there.store.positions() == here.store.positions()
    for key in (f"d{k}" for k in range(KEYS)):
        assert there.store.state(key) == here.store.state(key)
    client = Consumer({"bootstrap.servers": broker.host, "group.id": "driftlearn", "log_level": 0})
    known = client.committed([TopicPartition("t", k) for k in range(4)], timeout=10)
    assert [each.offset for each in known] == [at["id"] + 1 for _, at in
                                              sorted(there.store.positions().items())]  # fmt: skip
    client.close()
    for models in (here, there):
        models.store.close()


def test_a_password_is_not_written_down(broker, tmp_path, monkeypatch):
    fill(broker, ROWS[:100])
    found = []

    def stop(self, here, about):
        found.extend(path.read_bytes() for path in here.rglob("*") if path.is_file())
        raise ValueError("stopped")

    monkeypatch.setattr(BytewaxRun, "_run_engine", stop)
    with pytest.raises(ValueError, match="stopped"):
        url = f"{broker.url('t')}?ssl.key.password=secret"
        run(Request(tmp_path / "state", [url], GIVEN, on="bytewax:1"))
    assert found and not any(b"secret" in content for content in found)
