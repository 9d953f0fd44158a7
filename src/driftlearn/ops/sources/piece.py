"""Rows on their way from a file, with the position after each of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any

#: How far a file was read, as JSON knows values.
Position = dict[str, Any]


@dataclass(frozen=True)
class Piece:
    """Some rows of a file.

    Attributes
    ----------
    table : dict of str to ndarray, or pyarrow Table
        The columns by name.
    n_rows : int
        How many rows there are; a piece may have none, and only tell that a file ends.
    path : str
        What the position of its file goes by; ``"-"`` for standard input.
    file : str
        The name of the file, for messages.
    row : int
        The number of the first row in its file; the first one of a file is 0.
    after : callable
        ``after(k)`` is the position of the file when `k` of these rows are done with.
    is_last : bool
        Whether the file ends with it, as far as it is there now.
    broken : list of (int, str)
        For each line that was passed over, how many rows of the piece come before it, and a
        sentence.
    """

    table: Any
    n_rows: int
    path: str
    file: str
    row: int
    after: Callable[[int], Position]
    is_last: bool = False
    broken: list[tuple[int, str]] = field(default_factory=list)

    def passed(self, begin: int, end: int) -> list[str]:
        """Return the sentences of lines that are passed over on the way from row to row."""
        whole = end == self.n_rows
        return [said for k, said in self.broken if begin <= k < end or (whole and k >= begin)]


class BrokenLine(ValueError):
    """A line that is no row; the message says where it is and what to do."""


class ChangedFile(ValueError):
    """A file of which a part that was read is gone, or is another now."""


def changed(path: str, what: str) -> ChangedFile:
    """Return the error that tells of a file that is not what it was."""
    return ChangedFile(
        f"{path} {what} since it was read: nothing of it was learned now. Put the old file back, "
        f"give the new rows another name, or say --forget {path} to read all of it as new"
    )


def digest_of(path: str) -> str:
    """Return the SHA-256 of a file."""
    seen = sha256()
    with open(path, "rb") as file:
        while content := file.read(1 << 20):
            seen.update(content)
    return seen.hexdigest()
