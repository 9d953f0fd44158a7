"""Files, streams and topics get each row's prediction exactly once, wherever a run is stopped."""

import csv
import io
import json
import sys

import pytest

from driftlearn.ops.checkpoint import SavedModel
from driftlearn.ops.checkpoint.learn_run import LearnRun
from driftlearn.ops.checkpoint.predict import predict_files
from driftlearn.ops.sinks import server_sinks, sink_of
from driftlearn.ops.sinks.sink import FileSink
from tests.servers import MockBroker, RedisServer, rows_of

KINDS = ["file", "redis", "kafka"]


class Cut(BaseException):
    """Ends a run without any cleanup."""


@pytest.fixture(params=KINDS)
def out(request, tmp_path):
    """Return the address of an output, and a function that reads its predictions."""
    if request.param == "file":
        path = tmp_path / "predictions.csv"
        yield str(path), lambda: lines_of(path)
    elif request.param == "redis":
        pytest.importorskip("redis")
        if not RedisServer.is_installed() or sys.platform == "win32":
            pytest.skip("needs redis-server")
        with RedisServer(tmp_path) as server, server.client(decode_responses=True) as client:
            yield (
                server.url("predictions"),
                lambda: [fields for _, fields in client.xrange("predictions")],
            )
    else:
        pytest.importorskip("confluent_kafka")
        with MockBroker() as broker:
            broker.producer.list_topics("predictions", timeout=10)  # the topic is created now
            yield broker.url("predictions"), lambda: messages(broker, "predictions")


def lines_of(path):
    return [*csv.DictReader(io.StringIO(path.read_text()))]


def messages(broker, topic):
    from confluent_kafka import Consumer, TopicPartition

    settings = {"bootstrap.servers": broker.host, "group.id": "reader", "log_level": 0,
                "enable.partition.eof": True, "auto.offset.reset": "earliest"}  # fmt: skip
    client = Consumer(settings)
    client.assign([TopicPartition(topic, number, 0) for number in range(4)])
    found, ended = [], 0
    while ended < 4:
        for each in client.consume(1000, 0.1):
            if each.error():
                ended += 1
            else:
                found.append(json.loads(each.value()))
    client.close()
    return found


def write_rows(path, n, seed=0, gaps=False):
    rows = rows_of(n, seed)
    lines = [",".join(rows[0])]
    for i, row in enumerate(rows):
        lines.append(
            ",".join({**row, "label": "" if gaps and i % 3 == 1 else row["label"]}.values())
        )
    path.write_text("\n".join(lines) + "\n")
    return str(path)


def resumed(folder, files, out, **more):
    given = {"target": "label", "learner": "naive-bayes", "chunk": 1, **more}
    return LearnRun(folder, files, given, out=out, save_seconds=0)


def numbers(predicted):
    return [(each["source"], int(each["row"])) for each in predicted]


def test_wherever_a_run_is_cut(out, tmp_path, monkeypatch):
    name, predicted = out
    files = [write_rows(tmp_path / f"{k}.csv", 120, k) for k in range(2)]
    resumed(tmp_path / "reference", files, str(tmp_path / "reference.csv")).run()
    reference = lines_of(tmp_path / "reference.csv")
    assert len(reference) == 240 and reference[0]["predicted"] == ""
    save, calls = SavedModel.save, []

    def cut(kept, folder, **how):
        calls.append(kept)
        if len(calls) % 4 != 2:
            save(kept, folder, **how)
        if len(calls) % 2 == 0:
            raise Cut  # written to the output each time, to the state folder only every other time

    monkeypatch.setattr(SavedModel, "save", cut)
    for _ in range(4):
        with pytest.raises(Cut):
            resumed(tmp_path / "cut", files, name).run()
    monkeypatch.setattr(SavedModel, "save", save)
    resumed(tmp_path / "cut", files, name).run()
    found = predicted()
    assert sorted(numbers(found)) == sorted(numbers(reference))
    assert len({*numbers(found)}) == 240
    by_row = {(each["source"], int(each["row"])): each for each in found}
    for each in reference:
        there = by_row[each["source"], int(each["row"])]
        assert (there["predicted"] or "") == each["predicted"]
        assert str(there["p"] or "") == each["p"]
    assert (tmp_path / "cut" / "model.npz").read_bytes() == (
        tmp_path / "reference" / "model.npz"
    ).read_bytes()


def test_predictions_of_what_is_new(out, tmp_path):
    name, predicted = out
    if name.endswith(".csv"):
        pytest.skip("predict writes files at one stroke")
    path = write_rows(tmp_path / "a.csv", 100)
    resumed(tmp_path / "model", [path], None).run()
    assert predict_files(tmp_path / "model", [path], name, passthrough=["colour"]) == 100
    assert predict_files(tmp_path / "model", [path], name, passthrough=["colour"]) == 0
    write_rows(tmp_path / "a.csv", 130)
    assert predict_files(tmp_path / "model", [path], name, passthrough=["colour"]) == 30
    found = predicted()
    assert numbers(found) == [(path, i) for i in range(130)]
    assert found[7]["colour"] == rows_of(130)[7]["colour"]
    assert {"predicted", "p_no", "p_yes", "votes"} <= {*found[7]}


@pytest.mark.parametrize("way", [{}, {"chunk": 30}, {"delay": 20}, {"delay": 20, "chunk": 30}])
def test_rows_without_a_label_are_predicted_too(tmp_path, way):
    path = write_rows(tmp_path / "a.csv", 200, gaps=True)
    one = resumed(tmp_path / "with", [path], str(tmp_path / "predictions.csv"), **way).run()
    resumed(tmp_path / "without", [path], None, **way).run()
    assert (tmp_path / "with" / "model.npz").read_bytes() == (
        tmp_path / "without" / "model.npz"
    ).read_bytes()
    assert one.counts["unlabelled"] == 67
    predicted = lines_of(tmp_path / "predictions.csv")
    assert [int(each["row"]) for each in predicted] == [*range(200)]
    assert all(each["predicted"] for each in predicted[60:])
    truth = [row["label"] for row in rows_of(200)]
    right = [each["predicted"] == label for each, label in zip(predicted, truth)]
    assert sum(right[61::3]) > 0.7 * len(right[61::3])  # predictions of rows without a label


def test_reprocessed_rows_are_written_again(tmp_path):
    path = write_rows(tmp_path / "a.csv", 50)
    predicted = tmp_path / "predictions.csv"
    resumed(tmp_path / "model", [path], str(predicted)).run()
    again = resumed(tmp_path / "model", [path], str(predicted))
    again.reprocess = (path,)
    again.run()
    assert [int(each["row"]) for each in lines_of(predicted)] == [*range(50)] * 2


def test_a_line_that_is_cut_off(tmp_path, monkeypatch):
    monkeypatch.setattr("driftlearn.ops.sinks.sink.BLOCK", 50)
    path = tmp_path / "predictions.csv"
    sink = FileSink(str(path))
    sink.write("/a.csv", 0, {"predicted": ["x\ny", "=1", None] * 10, "p": [0.5] * 30}, None)
    sink.write("/b.csv", 7, {"predicted": ["z"], "p": [0.25]}, None)
    sink.flush()
    sink.close()
    whole = path.read_bytes()
    assert b"\n/a.csv,0,x\\ny,0.5\n/a.csv,1,'=1,0.5\n/a.csv,2,,0.5\n" in whole
    for end in range(len(whole) + 1):
        path.write_bytes(whole[:end])
        sink = FileSink(str(path))
        done = {path: each.rows for path, each in sink.done_until(None).items()}
        sink.close()
        lines = whole[:end].count(b"\n")
        assert done.get("/a.csv", 0) == min(max(lines - 1, 0), 30)
        assert done.get("/b.csv", 0) == (8 if lines == 32 else 0)
        assert path.read_bytes() == whole[: whole[:end].rfind(b"\n") + 1]
    path.write_bytes(whole)
    sink = FileSink(str(path))
    known = {"/a.csv": {"rows": 29}}
    assert sink.done_until(known)["/a.csv"].rows == 30  # and earlier blocks are not read
    sink.close()


def test_the_tail_of_a_topic_is_enough(monkeypatch):
    pytest.importorskip("confluent_kafka")
    monkeypatch.setattr(server_sinks, "LOOK_BACK", 5)
    with MockBroker() as broker:
        broker.producer.list_topics("predictions", timeout=10)
        sink = sink_of(broker.url("predictions"), "me")
        for path in ("a", "b"):
            sink.write(path, 0, {"predicted": ["x"] * 60}, None)
        sink.flush()
        assert {path: each.rows for path, each in sink.done_until(None).items()} == {
            "a": 60, "b": 60,
        }  # fmt: skip
        tail = sink.done_until({"a": {"rows": 57}, "b": {"rows": 20}})
        assert {path: each.rows for path, each in tail.items()} == {"a": 60, "b": 60}
        sink.close()
        broker.add("else", ["1"])
        other = sink_of(broker.url("else"), "me")
        with pytest.raises(ValueError, match="Use a different topic"):
            other.done_until(None)
        other.close()


def test_what_is_no_sink(tmp_path):
    (tmp_path / "a.csv").write_text("x,label\n1,a\n")
    for name, problem in (
        (str(tmp_path / "a.csv"), "not written by this command. Use a different file"),
        ("predictions.parquet", "expected a .csv file, redis://"),
        ("mqtt://me:secret@127.0.0.1/a", "expected a .csv file, redis://"),
        ("redis://127.0.0.1:1/", "has no stream"),
    ):
        with pytest.raises(ValueError, match=problem) as reported:
            sink_of(name, "me")
        assert "secret" not in str(reported.value)
    assert (tmp_path / "a.csv").read_text() == "x,label\n1,a\n"
