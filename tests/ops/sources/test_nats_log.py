"""Streams of NATS JetStream on a real server."""

import asyncio
import json
import sys

import pytest

from driftlearn.ops.checkpoint import SavedModel
from driftlearn.ops.checkpoint.learn_run import LearnRun
from driftlearn.ops.sources import ChangedFile, log_source, source_of
from tests.servers import PASSWORD, NatsServer, rows_of

pytest.importorskip("nats")
pytestmark = pytest.mark.skipif(
    not NatsServer.is_installed() or sys.platform == "win32", reason="needs nats-server"
)


@pytest.fixture
def running(tmp_path):
    with NatsServer(tmp_path) as started:
        yield started


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


def managed(running, name, *requested, **more):
    """Call a function of the server's management API."""
    import nats

    async def call():
        client = await nats.connect(f"nats://127.0.0.1:{running.port}")
        await getattr(client.jetstream(), name)(*requested, **more)
        await client.close()

    asyncio.run(call())


def test_only_what_is_new_from_any_row(running, monkeypatch):
    monkeypatch.setattr(log_source, "ROWS", 9)
    monkeypatch.setattr(log_source, "SLICE", 4)
    running.add(numbered(30))
    url = running.url("s")
    source = source_of([url])
    pieces = [*source.pieces({})]
    source.close()
    assert [piece.n_rows for piece in pieces] == [9, 9, 9, 3, 0]
    for piece, k in ((pieces[0], 5), (pieces[1], 0), (pieces[3], 3)):
        at = {piece.path: json.loads(json.dumps(piece.after(k)))}
        assert all_of(source_of([url]), at) == [*range(piece.row + k, 30)]
    running.add(numbered(2, 30))
    for number in (5, 31, 32):
        managed(running, "delete_msg", "s", number)
    assert all_of(source_of([url]), {}) == [i for i in range(30) if i != 4]


def test_a_stream_that_is_not_what_it_was(running, tmp_path):
    running.add([json.dumps(row) for row in rows_of(50)])
    url = running.url("s")
    assert kept_by(tmp_path / "m", [url]).record.n_rows == 50
    managed(running, "purge_stream", "s")  # all of it was read
    running.add([json.dumps(row) for row in rows_of(10, 1)])
    assert kept_by(tmp_path / "m", [url]).record.n_rows == 60
    running.add([json.dumps(row) for row in rows_of(10, 2)])
    managed(running, "purge_stream", "s", seq=65)
    with pytest.raises(ChangedFile, match="lost its oldest messages: 4 messages after 60"):
        kept_by(tmp_path / "m", [url])
    assert kept_by(tmp_path / "m", [url], reprocess=(url,)).record.n_rows == 66
    managed(running, "delete_stream", "s")
    with pytest.raises(ValueError, match="there is no stream 's' at nats://"):
        kept_by(tmp_path / "m", [url])
    running.add(numbered(80))
    with pytest.raises(ChangedFile, match="70 is a different message"):
        kept_by(tmp_path / "m", [url])


def test_a_server_that_goes_away(running, tmp_path, monkeypatch):
    monkeypatch.setattr(log_source, "WAITS", (0.05,) * 3)
    monkeypatch.setattr(log_source, "ROWS", 50)
    monkeypatch.setattr(log_source, "SLICE", 50)
    running.add([json.dumps(row) for row in rows_of(200)])
    pieces = (source := source_of([running.url("s")])).pieces({})
    assert next(pieces).n_rows == 50
    running.kill()
    running.start()
    assert sum(piece.n_rows for piece in pieces) == 150  # requested again
    source.close()
    running.kill()
    with pytest.raises(ConnectionError, match=r"does not respond: .*Start it, or correct"):
        kept_by(tmp_path / "m", [running.url("s")])
    running.start()
    assert kept_by(tmp_path / "m", [running.url("s")]).record.n_rows == 200
    assert SavedModel.open(tmp_path / "m").record.n_rows == 200


def test_a_password(tmp_path):
    with NatsServer(tmp_path, "--user", "me", "--pass", PASSWORD) as started:
        started.add(numbered(20), user="me", password=PASSWORD)
        plain = started.url("s")
        for name in (plain, plain.replace("//", "//me:wrong@")):
            with pytest.raises(ValueError, match="rejects the password") as reported:
                source_of([name]).check({})
            assert "wrong" not in str(reported.value)
        assert len(all_of(source_of([plain.replace("//", "//me:open%20sesame@")]), {})) == 20


def test_what_cannot_be_read(running, monkeypatch):
    with pytest.raises(ValueError, match="unknown option 'group'"):
        source_of([f"{running.url('s')}?group=us"]).check({})
    monkeypatch.setitem(sys.modules, "nats", None)
    with pytest.raises(ImportError, match="pip install nats-py"):
        source_of([running.url("s")]).check({})
