"""The writer learns each request in the log exactly once; a request that fails changes nothing."""

import errno
import json
import shutil

import pytest

from driftlearn import io as persist
from driftlearn.ops.checkpoint import SavedModel
from driftlearn.ops.checkpoint import saved_model as saved_model_module
from driftlearn.ops.checkpoint.learn_run import LearnRun
from driftlearn.ops.checkpoint.versions import promote, rollback
from driftlearn.ops.serving import served_model
from driftlearn.ops.serving import writer as writer_module
from driftlearn.ops.serving.challenged_model import open_model
from driftlearn.ops.serving.request_rows import RequestError, parse_rows
from driftlearn.ops.serving.single_model import SingleModel
from driftlearn.ops.serving.write_ahead_log import NAME, WriteAheadLog
from driftlearn.ops.serving.writer import Ticket, Writer
from tests.services import make_state, some_rows

FAILING_X = 13.0  # with this value of x, training fails after a part of a request


class Fragile(SingleModel):
    """Model that raises an error after it has learned a part of a request."""

    def learn(self, requests):
        found = super().learn(requests)
        if any(FAILING_X in each.columns["x"].tolist() for each in requests):
            raise RuntimeError("x is 13")
        return found


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    return make_state(tmp_path_factory.mktemp("made") / "model", n=60)


@pytest.fixture
def folder(made, tmp_path):
    return shutil.copytree(made, tmp_path / "model")


def writer_of(folder, model=SingleModel):
    return Writer(folder, lambda: model(folder), save_seconds=1_000)


def ticket(rows, key=""):
    body = json.dumps(rows).encode()
    return Ticket(parse_rows(body), key, body)


def known(folder):
    """Return the content of the saved model, without its position."""
    kept = SavedModel.open(folder)
    kept.position = {}
    return persist.dumps(kept)


def failing_rows():
    return [*some_rows(2, seed=7), {**some_rows(1)[0], "x": FAILING_X}]


def test_a_failed_request_changes_nothing(folder, made, tmp_path):
    """Requests of the same batch are learned although one of them fails."""
    good = [ticket(some_rows(3, seed)) for seed in range(4)]
    bad = ticket(failing_rows(), "k")
    writer = writer_of(folder, Fragile)
    writer._commit([good[0]])
    writer._commit([good[1], bad, good[2]])
    writer._commit([good[3]])
    with pytest.raises(
        RequestError, match="could not be learned, and none of them was: x is 13"
    ) as refused:
        bad.answer.result(0)
    assert refused.value.status == 422
    assert [each.answer.result(0)["sequence"] for each in good] == [1, 2, 4, 5]
    again = ticket(failing_rows(), "k")
    writer._commit([again])
    assert isinstance(again.answer.exception(0), RequestError)  # it is not recognized as learned
    writer.start()
    writer.stop()
    copy = writer_of(shutil.copytree(made, tmp_path / "copy"))
    for seed in range(4):
        copy._commit([ticket(some_rows(3, seed))])
    copy.start()
    copy.stop()
    assert known(folder) == known(tmp_path / "copy")


def test_requests_that_fail_at_replay_are_rejected(folder):
    writer = writer_of(folder)
    writer._commit([ticket(some_rows(3)), ticket(failing_rows()), ticket(some_rows(3, 1))])
    writer.log.close()  # as if killed
    again = writer_of(folder, Fragile)
    assert again.replayed == 2 and again.reader.n_rows == 66
    again._commit([ticket(some_rows(1))])
    assert again._model.position.sequence == 4
    again.log.close()


def test_a_modified_model_is_never_saved(folder, monkeypatch):
    """A writer that cannot reload its model stops; the log has all acknowledged requests."""
    before = (folder / "model.npz").read_bytes()
    writer = writer_of(folder, Fragile)
    writer._commit([ticket(some_rows(3))])

    def gone():
        raise OSError(errno.EIO, "Input/output error")

    writer._opened = gone
    with pytest.raises(OSError, match="Input/output"):
        writer._commit([ticket(failing_rows())])
    monkeypatch.setattr(Writer, "_run", lambda self: None)
    writer.start()
    with pytest.raises(OSError, match=r"Input/output error.* All rows are in"):
        writer.stop()
    assert (folder / "model.npz").read_bytes() == before
    again = writer_of(folder, Fragile)
    assert again.replayed == 1
    again.log.close()


def test_equal_rows_that_wait_together_are_learned_once(folder):
    writer = writer_of(folder)
    first, copy, other = (ticket(some_rows(n), "a") for n in (3, 3, 2))
    writer._commit([first, copy, other])
    assert first.answer.result(0)["repeated"] is False
    assert copy.answer.result(0) == {"sequence": 1, "rows": 3, "repeated": True}
    with pytest.raises(RequestError, match="a different request"):
        other.answer.result(0)
    assert writer._model.saved.record.n_rows == 63
    writer.log.close()


def test_one_sync_for_requests_that_wait_together(folder, monkeypatch):
    writer = writer_of(folder)
    synced = []
    monkeypatch.setattr(writer.log, "append", lambda group: synced.append(len(group)) or 1)
    writer._commit([ticket(some_rows(1, seed)) for seed in range(20)])
    assert synced == [20]
    writer.log.close()


def test_what_was_cancelled_is_not_learned(folder):
    writer = writer_of(folder)
    gone = ticket(some_rows(3))
    assert gone.answer.cancel()
    writer._commit([gone])
    assert writer.log.size == 0 and writer._model.saved.record.n_rows == 60
    writer.log.close()


def test_full_queues_reject_requests(folder, monkeypatch):
    monkeypatch.setattr(writer_module, "MAX_WAITING", 1)
    monkeypatch.setattr(Writer, "_next_group", lambda self: [])
    writer = writer_of(folder)
    writer.start()
    rows = some_rows(1)
    body = json.dumps(rows).encode()
    waits = writer.submit(parse_rows(body), "", body)
    with pytest.raises(RequestError, match="1 requests are waiting"):
        writer.submit(parse_rows(body), "", body)
    waits.cancel()
    monkeypatch.undo()
    writer.stop()
    with pytest.raises(RequestError, match="shutting down"):
        writer.submit(parse_rows(body), "", body)


def test_a_model_that_cannot_be_saved(folder, monkeypatch):
    """If saving fails, the log is kept, the error is reported, and saving is repeated."""

    def full(*arguments, **more):
        raise OSError(errno.ENOSPC, "No space left on device")

    writer = writer_of(folder)
    writer._commit([ticket(some_rows(3))])
    with monkeypatch.context() as patch:
        patch.setattr(saved_model_module.persist, "save", full)
        writer._save()
        assert "No space left" in writer.trouble and writer.log.size > 0
        writer._commit([ticket(some_rows(3, 1))])
    writer.start()
    writer.stop()
    assert writer.trouble == "" and SavedModel.open(folder).record.n_rows == 66
    assert (folder / "write-ahead.log").stat().st_size == 0


def test_failed_final_saves_are_reported(folder, monkeypatch):
    def full(*arguments, **more):
        raise OSError(errno.ENOSPC, "No space left on device")

    writer = writer_of(folder)
    writer._commit([ticket(some_rows(3))])
    monkeypatch.setattr(saved_model_module.persist, "save", full)
    writer.start()
    with pytest.raises(OSError, match=r"All rows are in .*write-ahead.log"):
        writer.stop()
    monkeypatch.undo()
    again = writer_of(folder)
    assert again.replayed == 1
    again.log.close()


def test_full_logs_are_reported(folder, monkeypatch):
    def full(group):
        raise OSError(errno.ENOSPC, "No space left on device")

    writer = writer_of(folder)
    monkeypatch.setattr(writer.log, "append", full)
    each = ticket(some_rows(3))
    writer._commit([each])
    assert each.answer.exception(0).status == 507
    assert writer._model.saved.record.n_rows == 60
    writer.log.close()


def test_a_reader_does_not_change(folder):
    writer = writer_of(folder)
    rows = parse_rows(json.dumps(some_rows(20, labels=False)).encode())
    reader = writer.reader
    before = reader.predict(rows)
    writer._commit([ticket(some_rows(200, seed)) for seed in range(3)])
    assert reader.predict(rows) == before and reader.n_rows == 60
    writer._copy()
    assert writer.reader.n_rows == 660 and writer.reader.predict(rows) != before
    writer.log.close()


def test_idle_keys_expire_at_the_end(folder, monkeypatch):
    monkeypatch.setattr(served_model, "MAX_KEYS", 2)
    writer = writer_of(folder)
    for key in "abc":
        writer._commit([ticket(some_rows(1), key)])
    again = [ticket(some_rows(1), key) for key in "cba"]
    writer._commit(again)
    assert [each.answer.result(0)["repeated"] for each in again] == [True, True, False]
    writer.log.close()


def test_files_may_come_between(folder, tmp_path):
    """`driftlearn learn` continues with the same model; afterwards the service continues too."""
    writer = writer_of(folder)
    writer._commit([ticket(some_rows(3), "a")])
    writer.start()
    writer.stop()
    rows = some_rows(5, seed=8)
    lines = [",".join(rows[0]), *(",".join(str(value) for value in row.values()) for row in rows)]
    (tmp_path / "more.csv").write_text("\n".join(lines).replace("None", "") + "\n")
    LearnRun(folder, [str(tmp_path / "more.csv")], {}).run()
    writer = writer_of(folder)
    again, new = ticket(some_rows(3), "a"), ticket(some_rows(2), "b")
    writer._commit([again, new])
    assert again.answer.result(0)["repeated"] and new.answer.result(0)["sequence"] == 2
    assert writer._model.saved.record.n_rows == 70
    writer.log.close()


@pytest.mark.parametrize("damage", [{"sequence": -1}, {"rows": "3"}, {"keys": {"a": [1, 2]}}])
def test_damaged_positions_are_reported(folder, damage):
    kept = SavedModel.open(folder)
    kept.position["served"] = damage
    kept.save(folder)
    with pytest.raises(ValueError, match="position of the service in the state folder is dam"):
        SingleModel(folder)


def test_rows_are_buffered_until_a_chunk_is_complete(tmp_path):
    """Rows of any requests are buffered in the state folder, and responses report their number."""
    make_state(tmp_path / "a", n=60, learner="awe", chunk=20)
    shutil.copytree(tmp_path / "a", tmp_path / "b")
    rows = some_rows(70, seed=4)
    writer = writer_of(tmp_path / "a")
    each = ticket(rows)
    writer._commit([each])
    found = each.answer.result(0)
    assert (found["rows"], found["learned"], found["waiting"]) == (70, 60, 10)
    assert found["tested"] == 70 and len(found["predictions"]) == 70
    writer.start()
    writer.stop()
    for begin in range(0, 70, 7):
        writer = writer_of(tmp_path / "b")
        writer._commit([ticket(rows[begin : begin + 7])])
        writer.start()
        writer.stop()
    assert known(tmp_path / "a") == known(tmp_path / "b")
    kept = SavedModel.open(tmp_path / "a")
    assert len(kept.waiting) == 10 and kept.record.n_rows == 120 and kept.record.n_chunks == 6


def test_a_request_is_a_chunk(tmp_path):
    make_state(tmp_path / "a", n=60, learner="awe", chunk="file")
    writer = writer_of(tmp_path / "a")
    each = ticket(some_rows(250))
    writer._commit([each])
    assert each.answer.result(0)["learned"] == 250
    assert writer._model.saved.record.n_chunks == 2
    writer.log.close()


@pytest.mark.parametrize("way", [{"every": "1d", "time": "day"}, {"delay": 5}])
def test_ways_that_need_files_only_predict(tmp_path, way):
    make_state(tmp_path / "a", n=60, learner="naive-bayes", **way)
    writer = writer_of(tmp_path / "a")
    rows = parse_rows(json.dumps(some_rows(2)).encode())
    assert len(writer.reader.predict(rows)) == 2
    with pytest.raises(RequestError, match="can only predict") as refused:
        writer.reader.check(rows)
    assert refused.value.status == 409
    writer.log.close()


def test_a_log_written_by_0_1_0_is_learned(folder):
    """Request bodies of 0.1.0 may have the field ``voters``, which is now ``votes``."""
    log = WriteAheadLog(folder / NAME, SingleModel(folder).position.sequence)
    log.append([("", json.dumps({"rows": some_rows(2), "voters": True}).encode())])
    log.close()
    assert writer_of(folder).replayed == 1
    with pytest.raises(RequestError, match="Unknown field 'voters'"):
        parse_rows(b'{"rows": {"x": 1}, "voters": true}')


def test_a_challenger_learns_the_same_requests(tmp_path):
    """It is the model that a service without the first one would have; then it is promoted."""
    folder = make_state(tmp_path / "m", chunk="file", learner="majority", challenger="naive-bayes")
    alone = shutil.copytree(folder / "challenger", tmp_path / "alone")
    requests = [some_rows(20, seed=k) for k in range(12)]
    for place in (folder, alone):
        writer = Writer(place, lambda place=place: open_model(place), save_seconds=1_000)
        for k in range(0, 12, 2):
            writer._commit([ticket(requests[i], f"key{i}") for i in (k, k + 1)])
            if k == 4:
                writer._save()
        if place == folder:
            writer._copy()
            shares = writer.reader.facts().accuracy
            assert shares["challenger", "all"] > shares["model", "all"]
            with pytest.MonkeyPatch.context() as patch:  # the service ends between the saves
                patch.setattr(writer._model.challenger, "save", lambda: 1 / 0)
                with pytest.raises(ZeroDivisionError):
                    writer._save_model()
            with pytest.raises(ValueError, match=r"has learned 12 requests .* the challenger 6"):
                promote(folder)
            writer = Writer(place, lambda: open_model(folder), save_seconds=1_000)
        writer._save()
        writer.log.close()
    assert bits_of(folder / "challenger") == bits_of(alone)
    assert promote(folder) == (1, 2) and known(folder) != known(alone)  # another version
    with pytest.raises(ValueError, match="a new challenger 0 of them"):
        LearnRun(folder, [str(folder.with_suffix(".csv"))], {}, challenger="dwm").run()
    assert rollback(folder) == 1


def test_a_challenger_that_fails_or_lacks_requests(tmp_path):
    """Its errors do not concern the model and the clients."""
    folder = make_state(tmp_path / "m", chunk="file", learner="majority", challenger="naive-bayes")
    writer = Writer(folder, lambda: open_model(folder), save_seconds=1_000)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(writer._model.challenger, "learn", lambda requests: 1 / 0)
        some = ticket(some_rows(5))
        writer._commit([some])
    assert some.answer.result()["rows"] == 5
    writer._save()
    writer.log.close()
    assert open_model(folder).challenger is None  # the log has been cleared
    assert "challenger stopped" in (folder / "log.jsonl").read_text()


def bits_of(folder):
    return (folder / "model.npz").read_bytes()
