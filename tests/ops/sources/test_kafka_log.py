"""Topics of Kafka on the mock broker of librdkafka."""

import json
import sys

import pytest

from driftlearn.ops.checkpoint import SavedModel
from driftlearn.ops.checkpoint.learn_run import LearnRun
from driftlearn.ops.sources import BrokenLine, ChangedFile, kafka_log, log_source, source, source_of
from tests.servers import MockBroker, rows_of

pytest.importorskip("confluent_kafka")


@pytest.fixture
def broker():
    with MockBroker() as running:
        yield running


def numbered(n, first=0):
    return [json.dumps({"x": i, "label": "ab"[i % 2]}) for i in range(first, first + n)]


def all_of(source, position):
    found = []
    for piece in source.pieces(position):
        found += piece.table["x"].tolist() if piece.n_rows else []
        position[piece.path] = piece.after(piece.n_rows)
    source.close()
    return found


def kept_by(folder, names, **given):
    settings = {"target": "label", "learner": "naive-bayes"}
    return LearnRun(folder, names, settings, save_seconds=0, **given).run()


def messages(n, seed=0):
    return [json.dumps(row) for row in rows_of(n, seed)]


def test_only_what_is_new(broker, monkeypatch):
    monkeypatch.setattr(log_source, "SLICE", 7)
    broker.add("t", numbered(40))
    position = {}
    assert all_of(source_of([broker.url("t")]), position) == [*range(40)]
    assert all_of(source_of([broker.url("t")]), position) == []
    broker.add("t", numbered(5, 40), first=40)
    position = json.loads(json.dumps(position))
    assert all_of(source_of([broker.url("t")]), position) == [*range(40, 45)]


def test_the_order_of_partitions_is_the_same_wherever_a_run_is_cut(broker, monkeypatch):
    monkeypatch.setattr(log_source, "SLICE", 4)
    broker.add("t", numbered(25), partition=lambda i: i // 2 % 3)
    url = broker.url("t")
    whole = all_of(source_of([url]), {})
    assert sorted(whole) == [*range(25)] != whole
    for kept in ([x for x in whole if x // 2 % 3 == number] for number in range(3)):
        assert kept == sorted(kept)  # within a partition
    for cut in range(0, 25, 3):
        position, found = {}, []
        source = source_of([url])
        for piece in source.pieces(position):
            k = min(cut - len(found), piece.n_rows)
            found += piece.table["x"][:k].tolist() if piece.n_rows else []
            if k or not piece.n_rows:
                position[piece.path] = piece.after(k)
            if len(found) == cut:
                break
        source.close()
        assert found + all_of(source_of([url]), position) == whole


def test_what_comes_while_it_is_read_comes_the_next_time(broker):
    broker.add("t", numbered(10))
    source = source_of([broker.url("t")])
    log = source.logs()[f"{broker.url('t')}#0"]
    log.open(None)
    at, ids = None, []
    for more in range(10, 40, 5):
        broker.add("t", numbered(5, more))
        while found := log.fetch(at, 4):
            ids += [message.id for message in found]
            at = {"id": found[-1].id}
        assert ids == [*range(more)]
        log.open(None)
    source.close()


def test_a_message_that_is_no_row(broker):
    broker.add("t", [*numbered(2), "1", None, *numbered(1, 2)])
    pieces = source_of([broker.url("t")]).pieces({})
    assert next(pieces).n_rows == 2
    with pytest.raises(BrokenLine, match=r"message 2 of kafka://.*/t#0 is broken: it is not a row"):
        next(pieces)
    piece = next(source_of([broker.url("t")], skip=True).pieces({}))
    assert piece.table["x"].tolist() == [0, 1, 2]
    assert [k for k, _ in piece.broken] == [2, 2]


def test_saved_models_continue_and_update_the_group(broker, tmp_path):
    from confluent_kafka import Consumer, TopicPartition

    broker.add("t", messages(300), partition=lambda i: i % 2)
    assert kept_by(tmp_path / "model", [broker.url("t")]).record.n_rows == 300
    broker.add("t", messages(20, 1))
    kept = kept_by(tmp_path / "model", [broker.url("t")])
    assert kept.record.n_rows == 320
    client = Consumer({"bootstrap.servers": broker.host, "group.id": "driftlearn", "log_level": 0})
    known = client.committed([TopicPartition("t", number) for number in (0, 1)], timeout=10)
    assert [each.offset for each in known] == [170, 150]
    client.close()


def test_a_topic_that_is_not_what_it_was(broker, tmp_path, monkeypatch):
    broker.add("t", messages(50))
    url = broker.url("t")
    kept_by(tmp_path / "model", [url])
    with MockBroker() as other:
        other.add("t", messages(60, 1))
        found = source_of([other.url("t")])
        (at,) = SavedModel.open(tmp_path / "model").position["files"].values()
        assert found.moved({f"{url}#0": at}) == {}
        with pytest.raises(
            ChangedFile, match=r"offset 49 is a different message.*--reprocess kafka"
        ):
            found.check({f"{other.url('t')}#0": at})
        with pytest.raises(ChangedFile, match="ends with offset 59, but 70 has already been read"):
            found.check({f"{other.url('t')}#0": {**at, "id": 70}})
        found.close()
        other.add("u", messages(50))
        found = source_of([other.url("u")])
        assert found.moved({f"{url}#0": at}, renamed=True) == {f"{other.url('u')}#0": f"{url}#0"}
        found.close()
    source = source_of([url])
    log = source.logs()[f"{url}#0"]

    class Trimmed:
        """Client of a partition whose first rows were deleted."""

        def __getattr__(self, name):
            return getattr(client, name)

        def get_watermark_offsets(self, *requested, **more):
            return 60, 100

    client, log._client = log._client, Trimmed()
    with pytest.raises(ChangedFile, match="lost its oldest messages: 10 messages after offset 49"):
        log.open(at)
    client.close()


def test_what_cannot_be_read(broker, monkeypatch):
    monkeypatch.setattr(kafka_log, "SECONDS", 2.0)
    for name, problem in (
        (broker.url("nothing"), "there is no topic 'nothing' at kafka://.*--list"),
        (f"{broker.url('t')}?no.such=1", 'No such configuration property: "no.such"'),
        ("kafka://127.0.0.1/", "has no topic: use kafka://HOST:9092/TOPIC"),
        ("kafka://127.0.0.1:1/t", "does not respond: .*Start it, or correct"),
        (broker.url("t").replace("//", "//me:secret@"), "kafka://127[^@]* does not respond"),
    ):
        with pytest.raises((ValueError, ConnectionError), match=problem) as reported:
            source_of([name]).check({})
        assert "secret" not in str(reported.value)
    monkeypatch.setitem(sys.modules, "confluent_kafka", None)
    with pytest.raises(ImportError, match="pip install confluent-kafka"):
        source_of([broker.url("t")]).check({})


def test_a_password_that_is_refused():
    """The mock broker has no passwords, so the error of a real broker is simulated."""
    from confluent_kafka import KafkaError

    requested = kafka_log.KafkaServer(source.parse_address("kafkas://me:secret@127.0.0.1/t"), print)
    settings = requested.settings()
    assert settings["security.protocol"] == "SASL_SSL"
    assert (settings["sasl.username"], settings["sasl.password"]) == ("me", "secret")
    requested._report(KafkaError(KafkaError._AUTHENTICATION))
    with pytest.raises(ValueError, match=r"rejects the password.*DRIFTLEARN_KAFKA_PASSWORD"):
        requested.check(None)


def test_brokers_that_go_away_for_good(tmp_path, monkeypatch):
    monkeypatch.setattr(kafka_log, "SECONDS", 2.0)
    monkeypatch.setattr(log_source, "WAITS", (0.01, 0.01))
    monkeypatch.setattr(log_source, "SLICE", 50)
    monkeypatch.setattr(kafka_log, "QUEUE", 1)  # so that the partition is read in several batches
    reported = []
    with MockBroker() as broker:
        broker.add("t", [json.dumps({**row, "long": "x" * 3000}) for row in rows_of(2000)])
        source = source_of([broker.url("t")])
        source.notify = reported.append
        pieces = source.pieces({})
        assert next(pieces).n_rows == 50
        broker.__exit__()
        with pytest.raises(ConnectionError, match="after 3 attempts"):
            while next(pieces):
                pass
        source.close()
    assert len(reported) == 2
