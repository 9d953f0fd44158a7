"""Topics of a real Kafka broker: restarts, retention, and a version without transactions."""

import json
import os
import signal
import subprocess
import sys
import time

import pytest

from driftlearn.ops.checkpoint import SavedModel
from driftlearn.ops.checkpoint.learn_run import LearnRun
from driftlearn.ops.checkpoint.saved_model import MODEL
from driftlearn.ops.sources import ChangedFile, source_of
from tests.servers import KafkaBroker, rows_of

pytest.importorskip("confluent_kafka")
pytestmark = pytest.mark.skipif(
    not KafkaBroker.is_installed(), reason="needs Java, and DRIFTLEARN_KAFKA (see tests/servers.py)"
)
TOPIC, OUT = "rows-of-the-stream", "predictions-of-the-stream"
SETTINGS = {"target": "label", "learner": "naive-bayes"}
SECONDS = 90  # for a restart and all attempts to reconnect


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "broker").mkdir()
    return tmp_path / "broker"


def messages(n, seed=0):
    return [json.dumps(row) for row in rows_of(n, seed)]


def learned(state):
    return SavedModel.open(state).record.n_rows if (state / MODEL).exists() else 0


def wait_for(state, n, process):
    end = time.monotonic() + SECONDS
    while learned(state) < n:
        assert process.poll() is None, process.stderr.read()
        assert time.monotonic() < end
        time.sleep(0.2)


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGKILL])
def test_following_a_broker_that_starts_again(folder, tmp_path, how):
    with KafkaBroker(folder) as broker:
        broker.add(TOPIC, messages(300))
        words = [sys.executable, "-m", "driftlearn", "learn", broker.url(TOPIC), "--follow",
                 "--target", "label", "--learner", "naive-bayes", "--state",
                 str(tmp_path / "model")]  # fmt: skip
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
        pipes = {"stdout": subprocess.DEVNULL, "stderr": subprocess.PIPE}
        with subprocess.Popen(words, text=True, env=environment, **pipes) as process:
            try:
                for k in range(1, 3):
                    wait_for(tmp_path / "model", 300 * k, process)
                    broker.stop(how)
                    broker.start()
                    broker.add(TOPIC, messages(300, k))
                wait_for(tmp_path / "model", 900, process)
                process.send_signal(signal.SIGINT)
                process.wait(SECONDS)
            finally:
                process.kill()
        LearnRun(tmp_path / "other", [broker.url(TOPIC)], {**SETTINGS}).run()
    models = [SavedModel.open(tmp_path / name) for name in ("model", "other")]
    one, other = ((each.record.accuracy(), each.position["files"]) for each in models)
    assert one == other


def test_messages_removed_by_retention(folder, tmp_path):
    limits = {"log.segment.bytes": 20_000, "log.retention.bytes": 20_000,
              "log.retention.check.interval.ms": 200}  # fmt: skip
    with KafkaBroker(folder, **limits) as broker:
        broker.add(TOPIC, messages(50))
        LearnRun(tmp_path / "model", [broker.url(TOPIC)], {**SETTINGS}).run()
        for seed in range(20):  # a call must fit into a segment
            broker.add(TOPIC, messages(100, seed))
        source = source_of([broker.url(TOPIC)])
        (log,) = source.logs().values()
        end = time.monotonic() + SECONDS
        while log.first <= 50:  # the first check of a broker is after 30 seconds
            assert time.monotonic() < end
            time.sleep(0.5)
            log.open(None)
        source.close()
        missing = f"lost its oldest messages: {log.first - 50:,} messages after offset 49"
        with pytest.raises(ChangedFile, match=missing):
            LearnRun(tmp_path / "model", [broker.url(TOPIC)], {**SETTINGS}).run()


def test_a_broker_without_transactions(folder, tmp_path):
    with KafkaBroker(folder) as broker:
        broker.add(TOPIC, messages(50))
        broker.add(OUT, ["1"])
        with pytest.raises(ValueError, match=r"is too old: Transactions not supported"):
            LearnRun(
                tmp_path / "model", [broker.url(TOPIC)], {**SETTINGS}, out=broker.url(OUT)
            ).run()
