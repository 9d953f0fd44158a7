"""Write-ahead log: requests are stored on disk before they are acknowledged.

The file is a sequence of frames. A frame is written and synced as a whole. It consists of a header
(mark, length and checksum of the payload, number of the first entry) and a payload of entries, each
with an idempotency key and a request body. A crash can only damage the last frame, which is
dropped, because its requests were not acknowledged. A damaged frame followed by intact frames was
acknowledged, so it raises an error.
"""

import errno
import os
from collections.abc import Iterator, Sequence
from contextlib import suppress
from io import BytesIO
from itertools import islice
from pathlib import Path
from struct import Struct
from typing import BinaryIO, NamedTuple
from zlib import crc32

from driftlearn.utils.atomic_files import _sync_folder
from driftlearn.utils.locks import is_at

MARK = b"\x00DL1"  # valid JSON contains no zero byte, so a body cannot be mistaken for a frame
HEAD = Struct("<4sIIQ")  # mark, length, checksum, number of the first entry
LENGTHS = Struct("<II")  # lengths of key and body
NAME = "write-ahead.log"


class Entry(NamedTuple):
    """An acknowledged request.

    Attributes
    ----------
    sequence : int
        Sequence number; consecutive entries have consecutive numbers.
    key : str
        Idempotency key, which may be empty.
    body : bytes
        Request body.
    """

    sequence: int
    key: str
    body: bytes


class WriteAheadLog:
    """File of entries; `append` returns only after its entries are on disk.

    Parameters
    ----------
    path : Path
        The file, created if it does not exist. An incomplete frame at the end is dropped.
    after : int
        Number of the last entry that is no longer needed. New entries are numbered after it, or
        after the last entry in the file.

    Attributes
    ----------
    size : int
        Size of the file in bytes.
    sequence : int
        Number of the last entry.
    dropped : int
        Size of the dropped incomplete frame in bytes.
    """

    def __init__(self, path: Path, after: int = 0):
        self.path = path
        self._file = os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_BINARY", 0), 0o600)
        try:
            self.size, last = _intact_end(path)
            self.sequence = max(after, last)
            self.dropped = os.fstat(self._file).st_size - self.size
            self._truncate()
            os.fsync(self._file)
            _sync_folder(path.parent)
        except BaseException:
            self.close()
            raise

    def entries(self) -> Iterator[Entry]:
        """Return the entries of the file, oldest first."""
        return entries_of(self.path)

    def append(self, requests: Sequence[tuple[str, bytes]]) -> int:
        """Write keys and bodies as one synced frame; return the number of the first entry.

        Raises
        ------
        OSError
            If writing fails; the frame is then removed from the file.
        """
        self.check()
        first = self.sequence + 1
        parts = []
        for key, body in requests:
            name = key.encode("utf-8")
            parts += [LENGTHS.pack(len(name), len(body)), name, body]
        payload = b"".join(parts)
        frame = HEAD.pack(MARK, len(payload), _checksum(first, payload), first) + payload
        try:
            self._truncate()
            view = memoryview(frame)
            while view:
                view = view[os.write(self._file, view) :]
            os.fsync(self._file)
        except OSError:
            # if this fails, the next call or the next start truncates the file
            with suppress(OSError):
                self._truncate()
            raise
        self.size += len(frame)
        self.sequence += len(requests)
        return first

    def check(self) -> None:
        """Raise OSError if the file was removed or replaced, e.g. because its disk was unmounted.

        Entries would be written all the same, and be lost with this process.
        """
        if not is_at(self._file, self.path):
            raise OSError(errno.ENOENT, "it was removed or replaced", str(self.path))

    def clear(self) -> None:
        """Remove all entries, after the model trained on them was saved."""
        self.size = 0
        self._truncate()
        os.fsync(self._file)

    def close(self) -> None:
        """Close the file."""
        os.close(self._file)

    def _truncate(self) -> None:
        """Truncate the file after its last intact frame and seek to the end."""
        if os.fstat(self._file).st_size != self.size:
            os.ftruncate(self._file, self.size)
        os.lseek(self._file, self.size, os.SEEK_SET)


def entries_of(path: Path) -> Iterator[Entry]:
    """Yield the entries of a file, oldest first; none if it does not exist."""
    if not path.exists():
        return
    with open(path, "rb") as file:
        for first, payload, _ in _frames(file):
            for k, (key, body) in enumerate(_unpack(payload)):
                yield Entry(first + k, key, body)


def _checksum(first: int, payload: bytes) -> int:
    return crc32(payload, crc32(first.to_bytes(8, "little")))


def _frames(file: BinaryIO) -> Iterator[tuple[int, bytes, int]]:
    """Yield (number of first entry, payload, end) of each frame before the first damaged frame."""
    while len(head := file.read(HEAD.size)) == HEAD.size:
        mark, length, checksum, first = HEAD.unpack(head)
        payload = file.read(length) if mark == MARK else b""
        if mark != MARK or len(payload) < length or checksum != _checksum(first, payload):
            return
        yield first, payload, file.tell()


def _unpack(payload: bytes) -> Iterator[tuple[str, bytes]]:
    at = 0
    while at < len(payload):
        n_key, n_body = LENGTHS.unpack_from(payload, at)
        at += LENGTHS.size
        yield payload[at : at + n_key].decode("utf-8"), payload[at + n_key : at + n_key + n_body]
        at += n_key + n_body


def _intact_end(path: Path) -> tuple[int, int]:
    """Return the end of the last intact frame and the number of the last entry.

    Raises
    ------
    ValueError
        If a damaged frame is followed by intact frames.
    """
    end = last = 0
    with open(path, "rb") as file:
        for first, payload, at in _frames(file):
            end, last = at, first + sum(1 for _ in _unpack(payload)) - 1
        file.seek(end)
        content = file.read()
    rest, at = BytesIO(content), content.find(MARK, 1)
    while at >= 0:
        rest.seek(at)
        for first, _, _ in islice(_frames(rest), 1):
            if first > last:
                raise ValueError(
                    f"{path} is damaged at byte {end:,}, before entry {first:,}, which is intact: "
                    "acknowledged rows are lost. Restore the file from a copy, or remove it to "
                    "continue with the last saved model."
                )
        at = content.find(MARK, at + 1)
    return end, last
