"""File locks that allow several processes to share a store.

The operating system releases the locks of a process when it ends or is killed.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import IO


class Locks:
    """Locks held by this process, by key.

    Parameters
    ----------
    folder : Path, optional
        Folder of the lock files; None if no other process can use the store.
    """

    def __init__(self, folder: Path | None):
        self.folder = folder
        self._held: dict[str, IO[str]] = {}
        if folder is not None:
            folder.mkdir(parents=True, exist_ok=True)

    def take(self, key: str) -> bool:
        """Acquire the lock of a key; return False if another process holds it."""
        if self.folder is None:
            return True
        path = self.folder / f"{key}.lock"
        file = open(path, "a+")  # noqa: SIM115
        if not (_lock(file) and is_at(file.fileno(), path)):
            file.close()
            return False
        file.seek(0)
        file.truncate()
        file.write(str(os.getpid()))
        file.flush()
        self._held[key] = file
        return True

    def owner(self, key: str) -> str:
        """Return the id of the current or last process that held the lock of a key."""
        assert self.folder is not None
        return (self.folder / f"{key}.lock").read_text() or "?"

    def drop(self, key: str) -> None:
        """Release the lock of a key."""
        if self.folder is not None:
            (self.folder / f"{key}.lock").unlink(missing_ok=True)
            self._held.pop(key).close()

    def __enter__(self) -> Locks:
        return self

    def __exit__(self, *error: object) -> None:
        for key in list(self._held):
            self.drop(key)


def is_held(folder: Path, key: str) -> bool:
    """Return whether a running process holds the lock of a key."""
    try:
        with open(folder / f"{key}.lock") as file:
            return not _lock(file)
    except OSError:
        return False


def is_at(file: int, path: Path) -> bool:
    """Return whether a path still refers to an open file, which may have been removed."""
    try:
        return os.path.samestat(os.fstat(file), path.stat())
    except FileNotFoundError:
        return False


def _lock(file: IO[str]) -> bool:
    """Lock a file for this process; return False if another process holds the lock."""
    try:
        if os.name == "nt":
            import msvcrt

            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined]
        else:
            import fcntl

            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True
