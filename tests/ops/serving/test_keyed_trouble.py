"""Service with a model for each key while the disk is full."""

import shutil

import pytest

from driftlearn.ops.keyed import KeyStore
from tests.keyed_services import learned, n_rows, ticket, writing
from tests.services import keyed_rows, make_keyed_state, stored

N = 300  # rows learned by the state folder of these tests


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    return make_keyed_state(tmp_path_factory.mktemp("made") / "models", N, learner="naive-bayes")


@pytest.fixture
def folder(made, tmp_path):
    return shutil.copytree(made, tmp_path / "models")


class Full:
    """A disk on which every write of a state fails while `is_full`."""

    def __init__(self, monkeypatch):
        self.is_full, plain = False, KeyStore.put_state

        def put_state(store, *arguments):
            if self.is_full:
                store.rollback()  # SQLite may roll back by itself
                raise OSError("keyed.sqlite cannot be written (database or disk is full)")
            plain(store, *arguments)

        monkeypatch.setattr(KeyStore, "put_state", put_state)


@pytest.fixture
def disk(monkeypatch):
    return Full(monkeypatch)


def test_a_full_disk_when_it_is_saved(folder, disk, tmp_path):
    """No row is lost: rows of the rolled-back transaction are learned again from the log."""
    copy = shutil.copytree(folder, tmp_path / "copy")
    with writing(folder, memory=1) as writer:
        learned(writer, keyed_rows(30, 1))
        disk.is_full = True
        writer._save()
        assert "disk is full" in writer.trouble and writer.log.size > 0
        refused = ticket(keyed_rows(30, 2))
        writer._commit([refused])
        assert "cannot be read again" in refused.answer.exception(0).message
        writer._save()
        disk.is_full = False
        learned(writer, keyed_rows(30, 3))
        writer._save()
        assert writer.trouble == "" and writer.log.size == 0
        writer._copy()
        assert writer.reader.n_rows == N + 60
    with writing(copy) as writer:
        learned(writer, keyed_rows(30, 1), keyed_rows(30, 3))
        writer._save()
    assert stored(folder) == stored(copy)


def test_a_full_disk_while_rows_are_learned(folder, disk):
    """A request in the log is not learned twice if it is sent again."""
    with writing(folder, memory=1) as writer:
        learned(writer, keyed_rows(30, 1))
        disk.is_full = True
        each = ticket(keyed_rows(30, 2), "a")
        writer._commit([each])
        refused = each.answer.exception(0)
        assert refused.status == 503 and "The rows are in the log" in refused.message
        writer._copy()
        assert writer.reader.n_rows == N
        disk.is_full = False
        again = ticket(keyed_rows(30, 2), "a")
        writer._commit([again])
        assert again.answer.result(0)["repeated"]
        writer._copy()
        assert writer.reader.n_rows == N + 60
        writer._save()
    assert n_rows(folder) == N + 60


def test_a_full_disk_at_the_start(folder, disk):
    with writing(folder) as writer:
        learned(writer, keyed_rows(30, 1))
    disk.is_full = True
    with pytest.raises(OSError, match="disk is full"), writing(folder):
        pass
    disk.is_full = False
    with writing(folder) as writer:
        assert writer.replayed == 1 and writer.reader.n_rows == N + 30


def test_a_full_disk_at_the_end(folder, disk):
    with writing(folder) as writer:
        learned(writer, keyed_rows(30, 1))
        disk.is_full = True
        writer.start()
        with pytest.raises(OSError, match=r"disk is full.* All rows are in .*write-ahead.log"):
            writer.stop()
    disk.is_full = False
    with writing(folder) as writer:
        assert writer.reader.n_rows == N + 30
