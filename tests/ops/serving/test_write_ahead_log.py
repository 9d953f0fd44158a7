"""Write-ahead log: complete frames are read, truncated ones dropped, damaged ones reported."""

import errno
import os
import sys
from contextlib import closing

import pytest

from driftlearn.ops.serving import write_ahead_log as module
from driftlearn.ops.serving.write_ahead_log import Entry, WriteAheadLog

REQUESTS = [("a", b"first"), ("", b"second"), ("ü", b"")]


def opened(path, after=0):
    log = WriteAheadLog(path, after)
    return log, [*log.entries()]


def filled(path):
    log = WriteAheadLog(path)
    ends = []
    for request in REQUESTS:
        log.append([request])
        ends.append(log.size)
    log.append(REQUESTS)
    log.close()
    return [*ends, log.size]


def test_what_was_appended_is_there(tmp_path):
    filled(tmp_path / "log")
    log, found = opened(tmp_path / "log")
    assert found == [Entry(k + 1, *REQUESTS[k % 3]) for k in range(6)]
    assert log.sequence == 6 and log.append([("", b"x")]) == 7
    log.close()


def test_numbering_continues_after_truncation(tmp_path):
    filled(tmp_path / "log")
    log, _ = opened(tmp_path / "log")
    log.clear()
    assert log.size == 0 and log.append([("", b"x")]) == 7
    log.close()
    log, found = opened(tmp_path / "log", after=6)
    assert found == [Entry(7, "", b"x")]
    log.clear()
    log.close()
    log, found = opened(tmp_path / "log", after=7)
    assert found == [] and log.append([("", b"y")]) == 8
    log.close()


def test_every_cut_leaves_the_whole_frames(tmp_path):
    """A crash that truncates the file at any byte loses only the incomplete frame."""
    ends = filled(tmp_path / "log")
    content = (tmp_path / "log").read_bytes()
    for at in range(len(content)):
        path = tmp_path / "cut"
        path.write_bytes(content[:at])
        log, found = opened(path)
        whole = sum(end <= at for end in ends)
        assert len(found) == whole and log.dropped == at - ([0, *ends][whole])
        assert path.stat().st_size == log.size
        log.close()


@pytest.mark.parametrize("tail", [b"\0" * 100, b"\0DL1" + b"\xff" * 40, b"garbage"])
def test_a_tail_that_is_no_frame_is_dropped(tmp_path, tail):
    ends = filled(tmp_path / "log")
    with open(tmp_path / "log", "ab") as file:
        file.write(tail)
    log, found = opened(tmp_path / "log")
    assert len(found) == 6 and log.size == ends[-1] and log.dropped == len(tail)
    log.close()


def test_damage_in_the_middle_is_reported(tmp_path):
    ends = filled(tmp_path / "log")
    content = (tmp_path / "log").read_bytes()
    for at in range(ends[-2]):
        damaged = bytearray(content)
        damaged[at] ^= 0x41
        (tmp_path / "log").write_bytes(damaged)
        with pytest.raises(ValueError, match=r"log is damaged at byte .* acknowledged"):
            WriteAheadLog(tmp_path / "log")
        assert (tmp_path / "log").read_bytes() == damaged


def test_a_damaged_last_frame_is_dropped(tmp_path):
    """A damaged last frame looks like one truncated by a crash."""
    ends = filled(tmp_path / "log")
    content = bytearray((tmp_path / "log").read_bytes())
    content[-1] ^= 1
    (tmp_path / "log").write_bytes(content)
    log, found = opened(tmp_path / "log")
    assert len(found) == 3 and log.size == ends[-2]
    log.close()


@pytest.mark.parametrize("function", ["write", "fsync"])
def test_a_full_disk_leaves_nothing_behind(tmp_path, monkeypatch, function):
    log = WriteAheadLog(tmp_path / "log")
    log.append([("", b"before")])
    real_write, size = os.write, log.size

    def full(*arguments):
        if function == "write" and os.fstat(arguments[0]).st_size == size:
            return real_write(arguments[0], arguments[1][:10])
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(module.os, function, full)
        with pytest.raises(OSError, match="No space"):
            log.append([("", b"lost")])
    assert (tmp_path / "log").stat().st_size == size
    assert log.append([("", b"after")]) == 2
    log.close()
    log, found = opened(tmp_path / "log")
    assert [entry.body for entry in found] == [b"before", b"after"]
    log.close()


@pytest.mark.skipif(sys.platform == "win32", reason="open files cannot be moved there")
def test_a_log_that_was_removed(tmp_path):
    """Entries written to a removed file would be lost with the process."""
    folder = tmp_path / "state"
    folder.mkdir()
    with closing(WriteAheadLog(folder / "log")) as log:
        folder.rename(tmp_path / "away")
        for _ in range(2):
            with pytest.raises(OSError, match="it was removed or replaced"):
                log.append([("a", b"lost")])
            folder.mkdir(exist_ok=True)  # an empty mount point
        folder.rmdir()
        (tmp_path / "away").rename(folder)
        assert log.append([("a", b"first")]) == 1
