"""The write-ahead log: what was taken on is on disk before anybody is told so.

The file is a row of frames. A frame is what was written and synced at once: a head (mark, length
and checksum of what follows, the number of its first entry), then entries, each an idempotency key
and the body of a request. A frame is whole or it is not there: one that a crash cut short is the
last, nobody was told of it, and it is dropped. A damaged one with whole ones behind it was told
of, and that is said.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from struct import Struct
from typing import NamedTuple
from zlib import crc32

from driftlearn.utils.atomic_files import _sync_folder

MARK = b"\x00DL1"  # no text of JSON has a zero byte, so no body can look like a frame
HEAD = Struct("<4sIIQ")  # mark, length, checksum, number of the first entry
LENGTHS = Struct("<II")  # of key and body
NAME = "write-ahead.log"


class Entry(NamedTuple):
    """A request that was taken on.

    Attributes
    ----------
    sequence : int
        Its number; one more than that of the entry before.
    key : str
        Its idempotency key; empty if it has none.
    body : bytes
        Its body, as it came.
    """

    sequence: int
    key: str
    body: bytes


class WriteAheadLog:
    """A file of entries, each of them on disk before `append` returns.

    Parameters
    ----------
    path : Path
        The file; it is made if it is not there. What a crash cut short at its end is dropped.
    after : int
        The number of the last entry that is not needed any more: new ones are numbered from there
        on, unless later ones are in the file.

    Attributes
    ----------
    size : int
        Bytes of the file.
    sequence : int
        The number of the last entry.
    dropped : int
        Bytes that a crash left at the end and that were no entry.
    """

    def __init__(self, path: Path, after: int = 0):
        self.path = path
        self._file = os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_BINARY", 0), 0o600)
        try:
            self.size, last = _sound(path)
            self.sequence = max(after, last)
            self.dropped = os.fstat(self._file).st_size - self.size
            self._to_size()
            os.fsync(self._file)
            _sync_folder(path.parent)
        except BaseException:
            self.close()
            raise

    def entries(self) -> Iterator[Entry]:
        """Yield what is in the file, oldest first."""
        for first, payload, _ in _frames(self.path):
            for k, (key, body) in enumerate(_unpacked(payload)):
                yield Entry(first + k, key, body)

    def append(self, requests: Sequence[tuple[str, bytes]]) -> int:
        """Write keys and bodies as one frame, and sync it; return the number of the first.

        Raises
        ------
        OSError
            If that cannot be done; then nothing of it is in the file.
        """
        first = self.sequence + 1
        parts = []
        for key, body in requests:
            name = key.encode("utf-8")
            parts += [LENGTHS.pack(len(name), len(body)), name, body]
        payload = b"".join(parts)
        frame = HEAD.pack(MARK, len(payload), _checksum(first, payload), first) + payload
        try:
            self._to_size()
            view = memoryview(frame)
            while view:
                view = view[os.write(self._file, view) :]
            os.fsync(self._file)
        except OSError:
            with suppress(OSError):  # or else the next one does it, or the next start
                self._to_size()
            raise
        self.size += len(frame)
        self.sequence += len(requests)
        return first

    def cut(self) -> None:
        """Forget all entries: what they brought is kept elsewhere by now."""
        self.size = 0
        self._to_size()
        os.fsync(self._file)

    def close(self) -> None:
        """Close the file."""
        os.close(self._file)

    def _to_size(self) -> None:
        """Cut the file where its last whole frame ends, and go there."""
        if os.fstat(self._file).st_size != self.size:
            os.ftruncate(self._file, self.size)
        os.lseek(self._file, self.size, os.SEEK_SET)


def _checksum(first: int, payload: bytes) -> int:
    return crc32(payload, crc32(first.to_bytes(8, "little")))


def _frames(path: Path) -> Iterator[tuple[int, bytes, int]]:
    """Yield number of the first entry, payload and end of each whole frame from the start on."""
    with open(path, "rb") as file:
        end = 0
        while True:
            head = file.read(HEAD.size)
            found = _frame(head, file.read) if len(head) == HEAD.size else None
            if found is None:
                return
            end += HEAD.size + len(found[1])
            yield *found, end


def _frame(head: bytes, read: object) -> tuple[int, bytes] | None:
    mark, length, checksum, first = HEAD.unpack(head)
    payload = read(length) if mark == MARK else b""  # type: ignore[operator]
    whole = mark == MARK and len(payload) == length and checksum == _checksum(first, payload)
    return (first, payload) if whole else None


def _unpacked(payload: bytes) -> Iterator[tuple[str, bytes]]:
    at = 0
    while at < len(payload):
        n_key, n_body = LENGTHS.unpack_from(payload, at)
        at += LENGTHS.size
        yield payload[at : at + n_key].decode("utf-8"), payload[at + n_key : at + n_key + n_body]
        at += n_key + n_body


def _sound(path: Path) -> tuple[int, int]:
    """Return where the last whole frame ends, and the number of the last entry.

    Raises
    ------
    ValueError
        If whole frames come after one that is damaged.
    """
    end = last = 0
    for first, payload, at in _frames(path):
        end, last = at, first + sum(1 for _ in _unpacked(payload)) - 1
    content = path.read_bytes()[end:]
    at = content.find(MARK, 1)
    while at >= 0:
        head = content[at : at + HEAD.size]
        begin = at + HEAD.size
        if len(head) == HEAD.size:
            found = _frame(head, lambda n, begin=begin: content[begin : begin + n])
            if found is not None and found[0] > last:
                raise ValueError(
                    f"{path} is damaged at byte {end:,}, before entry {found[0]:,}, which is "
                    "whole: rows that were acknowledged cannot be read any more. Bring the file "
                    "back from a copy, or move it away to go on with what was saved, without it"
                )
        at = content.find(MARK, at + 1)
    return end, last
