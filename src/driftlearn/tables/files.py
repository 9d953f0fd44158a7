"""Pieces of rows with positions, and the errors of readers."""

import csv
import lzma
import os
import re
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

_EXCEL = "an Excel workbook", "Save the sheet as CSV"
_NAME = "Rename it so that its name ends with {}"
_ARRAYS = "Save its table as CSV or Parquet"
#: Formats that are recognized by their first bytes: a pattern, the name, and what to do.
FORMATS = tuple(
    (re.compile(pattern, re.DOTALL | re.IGNORECASE), name, remedy)
    for pattern, name, remedy in (
        (rb"PK\x03\x04.{26}(\[Content_Types\]|_rels/|docProps/|xl/)", *_EXCEL),
        (rb"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", *_EXCEL),
        (rb"PK\x03\x04.{26}mimetypeapplication/vnd.oasis", "an OpenDocument file", _EXCEL[1]),
        (rb"PK\x03\x04.{26}[^/]*\.npy", "a NumPy archive", _ARRAYS),
        (rb"PK\x03\x04", "a zip archive", _NAME.format(".csv.zip")),
        (rb"\x1f\x8b\x08", "compressed with gzip", _NAME.format(".csv.gz")),
        (rb"BZh[1-9]1AY&SY", "compressed with bzip2", _NAME.format(".csv.bz2")),
        (rb"\xfd7zXZ\0", "compressed with xz", _NAME.format(".csv.xz")),
        (rb"\x28\xb5\x2f\xfd", "compressed with Zstandard", "Unpack it with unzstd"),
        (rb"PAR1", "a Parquet file", _NAME.format(".parquet")),
        (rb"ARROW1|FEA1|\xff{4}", "an Arrow file", "Save the table as Parquet"),
        (rb"SQLite format 3\0", "an SQLite database", "Export the table as CSV"),
        (rb"%PDF-", "a PDF document", "Export its table as CSV"),
        (rb"\x93NUMPY", "a NumPy array", _ARRAYS),
        (rb"\x89HDF", "an HDF5 file", _ARRAYS),
        (rb"\x80[\2-\5]", "a pickle", _ARRAYS),
        (rb"\x89PNG|\xff\xd8\xff|GIF8", "an image", "Choose another file"),
        (rb"\s*(<!doctype html|<html)", "an HTML page", "Download the table itself as CSV"),
        (rb"\s*<\?xml", "an XML file", "Convert it to CSV"),
        (rb"\s*\{[^\n]*\}\s*\{\s*\"", "a file of JSON lines",
         "Convert it to CSV, e.g. with pandas.read_json(..., lines=True)"),
        (rb"\s*(\[\s*)?\{\s*(\"|\}|$)", "a JSON file",
         "Convert it to CSV, e.g. with pandas.read_json"),
        (rb"\s*(%[^\n]*\n\s*)*@relation\s", "an ARFF file",
         "Convert it to CSV, e.g. with scipy.io.arff.loadarff"),
    )
)  # fmt: skip
CLOUD = ("s3", "s3a", "gs", "gcs", "abfs", "abfss", "az", "hdfs")

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


class OtherFormat(ValueError):
    """Error for a file that is not a table in a supported format."""


def check_format(path: str, start: bytes) -> None:
    """Raise OtherFormat if a file begins like a file of another format."""
    for pattern, name, remedy in FORMATS:
        if pattern.match(start):
            contrast = "" if "Rename" in remedy else ", but driftlearn reads CSV and Parquet"
            raise OtherFormat(f"{path} is {name}{contrast}. {remedy}.")


def check_local(name: str) -> None:
    """Raise ValueError for the address of a file on a web server or in a cloud store."""
    scheme, _, rest = name.partition("://")
    if rest and scheme in ("http", "https", "ftp", *CLOUD):
        raise ValueError(
            f"{scheme}:// addresses are not supported: "
            f"{'copy' if scheme in CLOUD else 'download'} the file to this machine first, "
            "and pass its path."
        )
    if rest and scheme == "file":
        raise ValueError(f"{name} is an address: pass the path, {rest}.")


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
    except (BrokenLine, OtherFormat, FileNotFoundError, PermissionError, IsADirectoryError):
        raise
    except UNREADABLE as error:
        if path in str(error):
            raise
        raise ValueError(f"{path} cannot be read as {kind}: {str(error).strip()}") from error
