"""Atomic replacement of files: write a temporary file, sync it, rename it."""

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
    """Write a file atomically: readers see either the old or the new content, never a part.

    The content is written to a temporary file in the same folder and synced to disk; then the
    temporary file is renamed. If this fails, or the process is killed, the file is unchanged.

    Parameters
    ----------
    path : path
        The file. Links are followed; the permissions of an existing file are kept.
    content : bytes
        New content of the file.

    Raises
    ------
    OSError
        If the file cannot be written; the error names it.

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
    """Create the folder of a file; raise OSError if `atomic_write` could not write the file.

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
    """Return a unique path for the temporary file."""
    return target.with_name(f".{target.name}.{_host()}-{os.getpid()}-{secrets.token_hex(4)}.part")


def _sync_folder(folder: Path) -> None:
    """Sync the entries of a folder to disk, if the system supports it."""
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def sweep(folder: str | os.PathLike[str]) -> list[Path]:
    """Remove the temporary files of interrupted writes from a folder.

    Files of running processes are kept. Files of processes on other machines, whose status is
    unknown, are removed when they are a day old.

    Returns
    -------
    list of Path
        Removed files.

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
                dead = not _is_running(int(found[2]))
            else:
                dead = time.time() - part.stat().st_mtime > A_DAY
            if dead:
                part.unlink()
                removed.append(part)
    return removed


def _is_running(pid: int) -> bool:
    """Return whether another process has this id; False on Windows, which protects open files."""
    if pid == os.getpid() or os.name == "nt":
        return False
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:  # the process exists but belongs to another user
        pass
    return True


@cache
def _host() -> str:
    return sha256(socket.gethostname().encode()).hexdigest()[:8]
