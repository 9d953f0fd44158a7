"""Locks: who works on what, so that several processes can share a store.

The system holds a lock on a file for a process and takes it back when the process ends, however
it ends: there is nothing to clean up after a kill.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import IO


class Locks:
    """The cells that this process works on.

    Parameters
    ----------
    folder : Path, optional
        Where the locks are; None if nobody else can be there.
    """

    def __init__(self, folder: Path | None):
        self.folder = folder
        self._held: dict[str, IO[str]] = {}
        if folder is not None:
            folder.mkdir(parents=True, exist_ok=True)

    def take(self, key: str) -> bool:
        """Lock a cell; False if another process has it."""
        if self.folder is None:
            return True
        path = self.folder / f"{key}.lock"
        file = open(path, "a+")  # noqa: SIM115
        if not (_lock(file) and _is_at(file, path)):
            file.close()
            return False
        file.seek(0)
        file.truncate()
        file.write(str(os.getpid()))
        file.flush()
        self._held[key] = file
        return True

    def owner(self, key: str) -> str:
        """Return the number of the process that has, or last had, a cell."""
        assert self.folder is not None
        return (self.folder / f"{key}.lock").read_text() or "?"

    def drop(self, key: str) -> None:
        """Give a cell back."""
        if self.folder is not None:
            (self.folder / f"{key}.lock").unlink(missing_ok=True)
            self._held.pop(key).close()

    def __enter__(self) -> Locks:
        return self

    def __exit__(self, *error: object) -> None:
        for key in list(self._held):
            self.drop(key)


def is_held(folder: Path, key: str) -> bool:
    """Say whether a living process has a lock."""
    try:
        with open(folder / f"{key}.lock") as file:
            return not _lock(file)
    except OSError:
        return False


def _is_at(file: IO[str], path: Path) -> bool:
    """Say whether a file is still the one of that name: who had it may have removed it."""
    try:
        return os.path.samestat(os.fstat(file.fileno()), path.stat())
    except FileNotFoundError:
        return False


def _lock(file: IO[str]) -> bool:
    """Lock a file for this process; False if it is another's."""
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
