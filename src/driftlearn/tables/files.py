"""Pieces of rows with positions, and the errors of readers."""

import csv
import lzma
import os
import zipfile
import zlib
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from hashlib import sha256
from typing import Any

#: Errors that readers raise if a file is damaged or has another format.
UNREADABLE = (
    ValueError, OSError, EOFError, OverflowError, csv.Error, zlib.error, lzma.LZMAError,
    zipfile.BadZipFile,
)  # fmt: skip

#: Position up to which a file was read, as JSON values.
Position = dict[str, Any]
#: Function that returns the columns to be read as numbers.
Numbers = Callable[[], Collection[str]]


@dataclass(frozen=True)
class Piece:
    """Consecutive rows of a source.

    Attributes
    ----------
    table : dict of str to ndarray or pyarrow ChunkedArray
        The columns by name.
    n_rows : int
        Number of rows; a piece without rows only reports the end of a file.
    path : str
        Key of the file in a position; ``"-"`` for standard input.
    file : str
        Name of the file in messages.
    row : int
        Number of the first row in its file, counted from 0.
    after : callable
        ``after(k)`` is the position of the file after the first `k` rows of the piece.
    is_last : bool
        Whether the file ends with this piece, as far as it has been written.
    broken : list of (int, str)
        For each skipped line, the number of rows before it in the piece, and a description.
    """

    table: dict[str, Any]
    n_rows: int
    path: str
    file: str
    row: int
    after: Callable[[int], Position]
    is_last: bool = False
    broken: list[tuple[int, str]] = field(default_factory=list)

    def skipped(self, begin: int, end: int) -> list[str]:
        """Return the descriptions of the lines skipped between two rows."""
        whole = end == self.n_rows
        return [line for k, line in self.broken if begin <= k < end or (whole and k >= begin)]

    def split(self, k: int) -> tuple["Piece", "Piece"]:
        """Return the first `k` rows, fewer than all, and the rest."""
        columns = self.table.items()
        return replace(
            self, table={name: values[:k] for name, values in columns}, n_rows=k, is_last=False,
            broken=[(i, line) for i, line in self.broken if i < k],
        ), replace(
            self, table={name: values[k:] for name, values in columns}, n_rows=self.n_rows - k,
            row=self.row + k, after=lambda i: self.after(k + i),
            broken=[(i - k, line) for i, line in self.broken if i >= k],
        )  # fmt: skip


class BrokenLine(ValueError):
    """Error for a line that is not a row; the message states the location and what to do."""


class ChangedFile(ValueError):
    """Error for a file that was modified in a part that had already been read."""


def changed(path: str, what: str) -> ChangedFile:
    """Return the error for a file that was modified after it was read."""
    return ChangedFile(
        f"{path} {what} since it was read: none of its rows were learned in this run. Restore the "
        f"old file, save the new rows under another name, or use --reprocess {path} to read all of "
        "it as new"
    )


def digest_of(path: str | os.PathLike[str]) -> str:
    """Return the SHA-256 of a file."""
    digest = sha256()
    with open(path, "rb") as file:
        while content := file.read(1 << 20):
            digest.update(content)
    return digest.hexdigest()


@contextmanager
def explained(path: str, kind: str) -> Iterator[None]:
    """Add the file and the expected format to errors about an unreadable file."""
    try:
        yield
    except (BrokenLine, FileNotFoundError, PermissionError, IsADirectoryError):
        raise
    except UNREADABLE as error:
        if path in str(error):
            raise
        raise ValueError(f"{path} cannot be read as {kind}: {str(error).strip()}") from error
