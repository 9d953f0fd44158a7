"""Streams of Redis on a real server: each row once, in order; lost rows are reported."""

import json
import re
import shutil
import subprocess
import sys

import numpy as np
import pytest

from driftlearn.ops.checkpoint import SavedModel
from driftlearn.ops.checkpoint.learn_run import LearnRun
from driftlearn.ops.sources import BrokenLine, ChangedFile, log_source, redis_log, source_of
from tests.servers import PASSWORD, RedisServer, fill, free_port, rows_of

pytest.importorskip("redis")

pytestmark = pytest.mark.skipif(
    not RedisServer.is_installed() or sys.platform == "win32", reason="needs redis-server"
)


@pytest.fixture(scope="module")
def running(tmp_path_factory):
    with RedisServer(tmp_path_factory.mktemp("redis")) as server:
        yield server


@pytest.fixture
def redis(running):
    with running.client() as client:
        client.flushall()
        running.add = lambda rows, stream="s", first=0: fill(client, stream, rows, first)
        running.now = client
        yield running


def numbered(n, first=0):
    return [{"x": i, "label": "ab"[i % 2]} for i in range(first, first + n)]


def all_of(source, position):
    """Return the values of x by slices, and advance the position."""
    found = []
    for piece in source.pieces(position):
        found += piece.table["x"].tolist() if piece.n_rows else []
        position[piece.path] = piece.after(piece.n_rows)
    source.close()
    return [int(x) for x in found]


def test_only_what_is_new(redis, monkeypatch):
    monkeypatch.setattr(log_source, "SLICE", 7)
    redis.add(numbered(40))
    position = {}
    assert all_of(source_of([redis.url("s")]), position) == [*range(40)]
    assert all_of(source_of([redis.url("s")]), position) == []
    redis.add(numbered(5, 40), first=40)
    position = json.loads(json.dumps(position))
    assert all_of(source_of([redis.url("s")]), position) == [*range(40, 45)]


def test_from_any_row_of_any_piece(redis, monkeypatch):
    monkeypatch.setattr(log_source, "ROWS", 9)
    monkeypatch.setattr(log_source, "SLICE", 4)
    redis.add(numbered(30))
    pieces = [*source_of([redis.url("s")]).pieces({})]
    assert [piece.n_rows for piece in pieces] == [9, 9, 9, 3, 0] and pieces[-1].is_last
    for piece in pieces:
        for k in range(piece.n_rows + 1):
            at = {piece.path: json.loads(json.dumps(piece.after(k)))}
            rest = all_of(source_of([redis.url("s")]), at)
            assert rest == [*range(piece.row + k, 30)]


def test_the_order_of_several_streams_is_the_same_wherever_a_run_is_cut(redis, monkeypatch):
    monkeypatch.setattr(log_source, "SLICE", 4)
    redis.add(numbered(9), "a", first=3)
    redis.add(numbered(13, 100), "b")
    redis.add(numbered(2, 200), "c", first=8)
    names = [redis.url(name) for name in "abc"]
    whole = all_of(source_of(names), {})
    assert sorted(whole) == [*range(9), *range(100, 113), 200, 201]
    assert whole[:5] == [100, 101, 102, 103, 0] and whole != sorted(whole)
    for cut in range(len(whole)):
        position, found = {}, []
        for piece in source_of(names).pieces(position):
            k = min(cut - len(found), piece.n_rows)
            found += [int(x) for x in piece.table["x"][:k]] if piece.n_rows else []
            if k or not piece.n_rows:
                position[piece.path] = piece.after(k)
            if len(found) == cut:
                break
        assert found + all_of(source_of(names), position) == whole


def test_rows_are_fields_or_json(redis):
    client = redis.now
    client.xadd("s", {"x": "1.5", "word": "NA", "label": "a"}, id="1-0")
    client.xadd("s", {"row": json.dumps({"x": 2, "word": "NA", "label": True, "w": None})})
    client.xadd("s", {"row": json.dumps({"x": "?", "label": "a"})})
    piece = next(source_of([redis.url("s")], missing=["?"]).pieces({}))
    columns = {name: values.tolist() for name, values in piece.table.items()}
    assert columns == {
        "x": ["1.5", 2, None], "word": [None, "NA", None], "label": ["a", True, "a"],
        "w": [None, None, None],
    }  # fmt: skip


@pytest.mark.parametrize(
    ("content", "why"),
    [
        ({"row": "{1: 2}"}, "it is not JSON"),
        ({"row": '{"x": [1]}'}, "'x' is a list"),
        ({"row": "{}"}, "it is not a row"),
        ({"row": "{" * 100_000}, "it is not JSON"),
        ({"row": b'{"x": "\xff"}'}, "it is not UTF-8"),
        ({"x": b"\xff", "label": "a"}, "it is not UTF-8"),
    ],
)
def test_a_message_that_is_no_row(redis, content, why):
    redis.add(numbered(3))
    name = redis.now.xadd("s", content).decode()
    redis.now.xadd("s", {"x": 3, "label": "a"})
    source = source_of([redis.url("s")])
    pieces = source.pieces({})
    first = next(pieces)
    assert first.n_rows == 3
    with pytest.raises(BrokenLine, match=f"message {name} of .*{re.escape(why)}.*--on-error skip"):
        next(pieces)
    source = source_of([redis.url("s")], skip=True)
    piece = next(source.pieces({}))
    assert piece.table["x"].tolist() == [*"0123"] and piece.skipped(3, 4)[0].count(why) == 1
    assert all_of(source_of([redis.url("s")], skip=True), {piece.path: piece.after(3)}) == [3]


def test_late_fields_are_reported_and_omitted(redis, monkeypatch):
    monkeypatch.setattr(log_source, "ROWS", 3)
    redis.add([*numbered(3), {"x": 3, "more": 1}, {"label": "b", "more": 2}])
    source, reported = source_of([redis.url("s")]), []
    source.notify = reported.append
    first, second, _ = source.pieces({})
    assert [*second.table] == [*first.table] == ["x", "label"]
    assert second.table["label"].tolist() == [None, "b"]
    assert len(reported) == 1 and "'more'" in reported[0]


def kept_by(folder, names, **given):
    settings = {"target": "label", "learner": "naive-bayes"}
    return LearnRun(folder, names, settings, save_seconds=0, **given).run()


def test_a_kept_model_is_that_of_the_same_rows_in_a_file(redis, tmp_path):
    rows = rows_of(500)
    redis.add(rows)
    lines = [",".join(rows[0]), *(",".join(row.values()) for row in rows)]
    (tmp_path / "s").mkdir()
    (tmp_path / "s" / "s.csv").write_text("\n".join(lines) + "\n")
    one = kept_by(tmp_path / "one", [redis.url("s")])
    other = kept_by(tmp_path / "other", [str(tmp_path / "s")])
    assert one.record.accuracy() == other.record.accuracy() and one.record.n_rows == 500
    more = rows_of(3, 1)
    table = {name: [row[name] for row in more] for name in ("x", "size", "colour")}
    np.testing.assert_array_equal(one.model.predict_proba(table), other.model.predict_proba(table))


def test_positions_are_acknowledged_after_saving(redis, tmp_path, monkeypatch):
    redis.add(rows_of(100))
    save, seen = SavedModel.save, []

    def watched(kept, folder):
        groups = redis.now.xinfo_groups("s")
        seen.append(groups[0]["entries-read"] if groups else 0)
        saved = (folder / "model.npz").exists()
        assert seen[-1] == (SavedModel.open(folder).record.n_rows if saved else 0)
        save(kept, folder)

    monkeypatch.setattr(SavedModel, "save", watched)
    kept_by(tmp_path / "model", [f"{redis.url('s')}?group=us"])
    monkeypatch.undo()
    (group,) = redis.now.xinfo_groups("s")
    assert len({*seen}) > 2
    assert (group["name"], group["pending"], group["lag"]) == (b"us", 0, 0)


def test_a_stream_that_is_not_what_it_was(redis, tmp_path):
    redis.add(rows_of(100))
    url, client = redis.url("s"), redis.now
    kept_by(tmp_path / "model", [url])
    client.xtrim("s", maxlen=0)  # all of it was read
    redis.add(rows_of(10), first=100)
    assert kept_by(tmp_path / "model", [url]).record.n_rows == 110
    redis.add(rows_of(10), first=110)
    client.xtrim("s", maxlen=6, approximate=False)
    with pytest.raises(ChangedFile, match=r"was trimmed: 4 messages after 1700000000109-0.*forget"):
        kept_by(tmp_path / "model", [url])
    assert kept_by(tmp_path / "model", [url], reprocess=(url,)).record.n_rows == 116
    client.delete("s")
    with pytest.raises(ValueError, match="there is no stream 's' at redis://127"):
        kept_by(tmp_path / "model", [url])
    redis.add(rows_of(10))
    with pytest.raises(ChangedFile, match="is a different stream, or its newest"):
        kept_by(tmp_path / "model", [url])
    redis.add(rows_of(200, 1), first=10)
    with pytest.raises(ChangedFile, match="1700000000119-0 is a different message"):
        kept_by(tmp_path / "model", [url])
    assert SavedModel.open(tmp_path / "model").record.n_rows == 116


def test_a_stream_that_another_server_holds_now(redis, tmp_path):
    redis.add(rows_of(100))
    kept_by(tmp_path / "model", [redis.url("s")])
    redis.add(rows_of(5), first=100)
    elsewhere = redis.url("s").replace("127.0.0.1", "localhost")
    kept = kept_by(tmp_path / "model", [elsewhere])
    assert kept.record.n_rows == 105 and [*kept.position["files"]] == [elsewhere]


def test_what_cannot_be_read(redis, tmp_path, monkeypatch):
    monkeypatch.setattr(redis_log, "SECONDS", 1.0)
    redis.now.set("text", "a")
    host = redis.url("")
    for name, problem in (
        (f"{host}text", "'text' at redis://.* is not a stream"),
        (f"{host}nothing", "no stream 'nothing' at .*--scan --type stream"),
        (f"{host}s?database=1", "unknown option 'database'; the options are db, group, ca"),
        (f"{host}s?db=one", "db must be the number"),
        (host, "has no stream: use redis://HOST:6379/STREAM"),
        ("redis:///s", "has no host"),
        ("redis://127.0.0.1:x/s", "not a valid number"),
        ("amqp://127.0.0.1/s", "expected redis://"),
        ("redis://127.0.0.1:1/s", "does not respond: .*Start it, or correct"),
        (f"{host}s".replace("redis:", "rediss:"), "does not respond"),
    ):
        with pytest.raises((ValueError, ConnectionError), match=problem):
            source_of([name]).check({})
    with pytest.raises(ValueError, match="unknown encoding 'utf-9'"):
        source_of([f"{host}s"], encoding="utf-9")
    with pytest.raises(ValueError, match="files and redis:// cannot be read in one run"):
        source_of([f"{host}s", "a.csv"])
    monkeypatch.setitem(sys.modules, "redis", None)
    with pytest.raises(ImportError, match="needs redis: pip install redis"):
        source_of([f"{host}s"]).check({})


def test_a_password(tmp_path, monkeypatch):
    with RedisServer(tmp_path, "--requirepass", PASSWORD) as server:
        with server.client(password=PASSWORD) as client:
            fill(client, "s", rows_of(20))
        plain = server.url("s")
        for name in (plain, plain.replace("//", "//:wrong@")):
            with pytest.raises(ValueError, match="rejects the password") as reported:
                kept_by(tmp_path / "model", [name])
            assert "wrong" not in str(reported.value)
        given = plain.replace("//", "//:open%20sesame@")
        assert kept_by(tmp_path / "model", [given]).record.n_rows == 20
        monkeypatch.setenv("DRIFTLEARN_REDIS_PASSWORD", PASSWORD)
        assert kept_by(tmp_path / "model", [plain]).record.n_rows == 20
        for path in (tmp_path / "model").iterdir():
            assert not re.search(rb"sesame|wrong", path.read_bytes()), path


@pytest.mark.skipif(not shutil.which("openssl"), reason="needs openssl")
def test_a_server_that_is_spoken_to_by_tls(tmp_path):
    key, certificate = str(tmp_path / "key.pem"), str(tmp_path / "ca.pem")
    made = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj",
            "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1",
            "-keyout", key, "-out", certificate]  # fmt: skip
    subprocess.run(made, check=True, capture_output=True)
    safe = free_port()
    words = ["--tls-port", str(safe), "--tls-cert-file", certificate, "--tls-key-file", key,
             "--tls-ca-cert-file", certificate, "--tls-auth-clients", "no"]  # fmt: skip
    with RedisServer(tmp_path, *words) as server:
        with server.client() as client:
            fill(client, "s", rows_of(20))
        name = f"rediss://localhost:{safe}/s"
        assert kept_by(tmp_path / "m", [f"{name}?ca={certificate}"]).record.n_rows == 20
        with pytest.raises(ConnectionError, match=r"does not respond: .*certificate"):
            source_of([name]).check({})


def test_a_server_that_goes_away_for_good(tmp_path, monkeypatch):
    monkeypatch.setattr(log_source, "WAITS", (0.01, 0.01))
    monkeypatch.setattr(log_source, "ROWS", 50)
    with RedisServer(tmp_path) as running:
        with running.client() as client:
            fill(client, "s", rows_of(200))
        reported = []

        class Watching:
            """Stops the server after the first rows were learned."""

            def __enter__(self):
                return self

            def __exit__(self, *error):
                pass

            def rows(self, kept, file):
                running.kill()

            def note(self, text):
                reported.append(text)

        with pytest.raises(
            ConnectionError, match=r"after 3 attempts.*Start it, and run the same command"
        ):
            kept_by(tmp_path / "model", [running.url("s")], progress=Watching())
        assert len(reported) == 2 and "next attempt in 0.01 s" in reported[0]
        assert SavedModel.open(tmp_path / "model").record.n_rows == 50
        running.start()
        assert kept_by(tmp_path / "model", [running.url("s")]).record.n_rows == 200


def test_follow_waits_for_more(redis, monkeypatch):
    monkeypatch.setattr("driftlearn.ops.sources.source.WAIT", 0.01)
    redis.add(numbered(3))
    source = source_of([redis.url("s")], follow=True)
    found = []
    for piece in source.pieces({}):
        found += piece.table["x"].tolist() if piece.n_rows else []
        if not piece.path and len(found) == 3:
            redis.add(numbered(2, 3), first=3)
        if len(found) == 5:
            break
    assert found == [*"01234"]


def test_labels_in_a_stream_of_their_own(redis, tmp_path):
    rows = rows_of(60)
    redis.add([{"id": i, "x": row["x"]} for i, row in enumerate(rows)])
    redis.add([{"id": i, "label": row["label"]} for i, row in enumerate(rows[:40])], "labels")
    given = {"target": "label", "learner": "naive-bayes", "by": "id"}
    for learned in (40, 60):
        resumed = LearnRun(tmp_path / "m", [redis.url("s")], given, labels=redis.url("labels"))
        kept = resumed.run()
        assert (kept.record.n_rows, len(kept.waiting)) == (learned, 60 - learned)
        more = [{"id": i, "label": row["label"]} for i, row in enumerate(rows)]
        redis.add(more[learned:60], "labels", first=learned)
    assert redis.now.xinfo_groups("labels")[0]["lag"] == 0
