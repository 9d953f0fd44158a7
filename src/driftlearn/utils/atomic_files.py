"""Files that are replaced as a whole: written to a temporary file, synced, renamed."""

from __future__ import annotations

import os
import re
import secrets
import socket
import time
from contextlib import suppress
from errno import EISDIR
from functools import cache
from hashlib import sha256
from pathlib import Path

A_DAY = 24 * 3600.0

_in_flight: set[str] = set()


def atomic_write(path: str | os.PathLike[str], content: bytes) -> None:
    """Write a file at one stroke: readers see the old content or the new, never a part.

    The content goes to a temporary file in the same folder, reaches the disk, and takes the
    place of the file. If that fails, or the process is killed, the file is as it was.

    Parameters
    ----------
    path : path
        The file; a link is followed, and the permissions of a file that is replaced are kept.
    content : bytes
        What it shall contain.

    Raises
    ------
    OSError
        Naming the file, if it cannot be written.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     atomic_write(f"{folder}/a.txt", b"one")
    ...     atomic_write(f"{folder}/a.txt", b"two")
    ...     print(os.listdir(folder), Path(folder, "a.txt").read_text())
    ['a.txt'] two
    """
    target = Path(os.path.realpath(path))
    part = _part_of(target)
    _in_flight.add(part.name)
    try:
        mode = target.stat().st_mode & 0o777 if target.exists() else None
        with open(part, "xb") as out:
            if mode is not None:
                os.chmod(part, mode)
            out.write(content)
            out.flush()
            os.fsync(out.fileno())
        os.replace(part, target)
    except BaseException as problem:
        with suppress(OSError):
            part.unlink()
        if isinstance(problem, OSError):
            raise OSError(problem.errno, problem.strerror or str(problem), str(path)) from problem
        raise
    finally:
        _in_flight.discard(part.name)
    _sync_folder(target.parent)


def check_writable(path: str | os.PathLike[str]) -> None:
    """Raise OSError, naming the file, unless `atomic_write` could write it; make its folder.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     check_writable(f"{folder}/new/a.txt")
    ...     print(os.listdir(folder), os.listdir(f"{folder}/new"))
    ['new'] []
    """
    target = Path(os.path.realpath(path))
    part = _part_of(target)
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        if target.is_dir():
            raise IsADirectoryError(EISDIR, os.strerror(EISDIR))
        with open(part, "xb"):
            pass
        part.unlink()
    except OSError as problem:
        raise OSError(problem.errno, problem.strerror or str(problem), str(path)) from problem


def _part_of(target: Path) -> Path:
    """Return where a file is written before it takes its place."""
    return target.with_name(f".{target.name}.{_host()}-{os.getpid()}-{secrets.token_hex(4)}.part")


def _sync_folder(folder: Path) -> None:
    """Let the new entry of a folder reach the disk, on systems that can be asked to."""
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def sweep(folder: str | os.PathLike[str]) -> list[Path]:
    """Remove what interrupted writes left in a folder; leave the files of living writers alone.

    A writer on another machine that shares the folder cannot be asked whether it lives: its
    files are removed when they are a day old.

    Returns
    -------
    list of Path
        The files that were removed.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     left = Path(folder, f".a.txt.{_host()}-{os.getpid()}-0123abcd.part")
    ...     left.touch()
    ...     print(sweep(folder) == [left], os.listdir(folder))
    True []
    """
    removed = []
    for part in sorted(Path(folder).glob(".*.part")):
        found = re.search(r"\.([0-9a-f]{8})-(\d+)-[0-9a-f]{8}\.part$", part.name)
        if found is None or part.name in _in_flight:
            continue
        with suppress(FileNotFoundError, PermissionError):
            if found[1] == _host():
                dead = not _lives(int(found[2]))
            else:
                dead = time.time() - part.stat().st_mtime > A_DAY
            if dead:
                part.unlink()
                removed.append(part)
    return removed


def _lives(pid: int) -> bool:
    """Tell whether another process has this number; on Windows an open file guards itself."""
    if pid == os.getpid() or os.name == "nt":
        return False
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


@cache
def _host() -> str:
    return sha256(socket.gethostname().encode()).hexdigest()[:8]
