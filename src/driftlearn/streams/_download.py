"""Downloads of data sets, verified by checksums and written atomically."""

from __future__ import annotations

import gzip
import hashlib
import os
import socket
import tempfile
import time
import urllib.request
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.client import HTTPException
from io import BytesIO
from pathlib import Path
from typing import IO, Any, NamedTuple

import numpy as np

from driftlearn.streams._recorded import Recording
from driftlearn.tables.files import UNREADABLE
from driftlearn.utils.optional import needed
from driftlearn.utils.safe_text import printable
from driftlearn.utils.typing import Labels, Values

TIMEOUT = 30  # seconds without data after which a connection fails
LONGEST = 3600  # maximum seconds for a file, however slow the connection
LARGEST = 500_000_000  # maximum bytes of a file, packed or unpacked: several times the known ones


def cache_folder() -> Path:
    """Return the folder for downloaded data: DRIFTLEARN_CACHE, or the user's cache folder."""
    if own := os.environ.get("DRIFTLEARN_CACHE"):
        return Path(own)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "driftlearn"


@contextmanager
def atomic(path: Path) -> Iterator[IO[bytes]]:
    """Open a temporary file that replaces `path` on success and is deleted on errors."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, part = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with open(handle, "wb") as file:
            yield file
            file.flush()
            os.fsync(handle)
        os.replace(part, path)
    except BaseException:
        os.unlink(part)
        raise


def sha256_of(path: Path) -> str:
    """Return the SHA-256 of a file, in hexadecimal."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def fetch(url: str, path: Path, sha256: str | None = None) -> Path:
    """Download a file with a progress bar, unless it already exists; return its path.

    Raises
    ------
    OSError
        If the connection fails, breaks or takes too long, or if the file does not have the given
        checksum. Nothing is left at `path` in this case.
    """
    if path.is_file() and sha256_of(path) == sha256:
        return path
    try:
        with urllib.request.urlopen(url, timeout=TIMEOUT) as response, atomic(path) as file:
            size = int(response.headers.get("Content-Length") or 0)
            digest, received, begun = hashlib.sha256(), 0, time.monotonic()
            with _progress(path.name, size) as advance:
                while block := response.read1(1 << 16):
                    file.write(block)
                    digest.update(block)
                    received += len(block)
                    advance(len(block))
                    _check_size(max(received, size))
                    if time.monotonic() - begun > LONGEST:
                        raise OSError(
                            f"the download is not complete after {LONGEST:,} seconds "
                            f"({received:,} bytes)"
                        )
            if received < size:
                raise OSError(f"the connection broke after {received:,} of {size:,} bytes")
            if sha256 is not None and digest.hexdigest() != sha256:
                raise OSError(f"the file has SHA-256 {digest.hexdigest()}, not {sha256}")
    except (OSError, HTTPException) as error:
        raise OSError(f"{url}: {error}") from error
    return path


def _check_size(size: int) -> None:
    if size > LARGEST:
        raise OSError(f"the file exceeds the maximum size of {LARGEST:,} bytes")


def _member(archive: zipfile.ZipFile, name: str) -> bytes:
    """Return the content of a file in an archive, gunzipped if necessary, up to the size limit."""
    with archive.open(name) as file:
        unpacked = gzip.GzipFile(fileobj=file) if name.endswith(".gz") else file
        content = unpacked.read(LARGEST + 1)
    _check_size(len(content))
    return content


@contextmanager
def _progress(name: str, size: int) -> Iterator[Callable[[int], None]]:
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TransferSpeedColumn

    from driftlearn.utils.terminal import Screen

    title = TextColumn("{task.description}", markup=False)
    columns = (title, BarColumn(), DownloadColumn(), TransferSpeedColumn())
    with Progress(*columns, console=Screen(stderr=True), transient=True) as progress:
        task = progress.add_task(printable(name), total=size or None)
        yield lambda n: progress.advance(task, n)


class Archive(NamedTuple):
    """Data set of the UCI repository: a zip archive of CSV files with the class in the last column.

    `known` are the ranges of rows, usually all, whose values have the checksum `sha256`. The
    checksum of values does not depend on how the files are packed.
    """

    url: str
    members: tuple[str, ...]
    n_rows: int
    names: tuple[str, ...]
    known: tuple[tuple[int, int], ...]
    sha256: str
    drifts: tuple[int, ...] = ()

    def download(self, folder: Path) -> Recording:
        """Download the zip archive, read the table and verify it."""
        read_csv = needed("pandas").read_csv
        path = fetch(self.url, folder / self.url.rpartition("/")[2])
        try:
            with zipfile.ZipFile(path) as archive:
                files = [_member(archive, member) for member in self.members]
            values = np.concatenate([read_csv(BytesIO(part), header=None) for part in files])
        except (*UNREADABLE, KeyError) as error:
            raise OSError(f"{self.url} cannot be read: {error}") from error
        finally:
            path.unlink()
        return checked(self.url, values[:, :-1].astype(float), values[:, -1].astype(np.int64), self)


class OpenML(NamedTuple):
    """Data set of openml.org; the rows in the ranges `known` have the checksum `sha256`."""

    data_id: int
    n_rows: int
    rows: slice
    names: tuple[str, ...]
    known: tuple[tuple[int, int], ...]
    sha256: str
    drifts: tuple[int, ...] = ()

    def download(self, folder: Path) -> Recording:
        """Download the table, select its rows and verify them."""
        from sklearn.datasets import fetch_openml

        needed("pandas")
        where = f"OpenML data set {self.data_id}"
        patience = socket.getdefaulttimeout()
        socket.setdefaulttimeout(TIMEOUT)  # scikit-learn sets no timeout itself
        try:
            bunch = fetch_openml(data_id=self.data_id, cache=False, n_retries=1, parser="auto")
        except (ValueError, OSError, HTTPException) as error:
            raise OSError(f"{where}: {error}") from error
        finally:
            socket.setdefaulttimeout(patience)
        columns = [bunch.data[name].astype(str).to_numpy() for name in bunch.data]
        X = np.column_stack([column.astype(np.float64) for column in columns])[self.rows]
        y = np.asarray(bunch.target.astype(str), dtype=str)[self.rows]
        y = y.astype(np.int64) if np.char.isdigit(y).all() else y
        return checked(where, X, y, self)


def checked(where: str, X: Values, y: Labels, source: Archive | OpenML) -> Recording:
    """Return downloaded values as a table; raise OSError if shape or checksum is wrong."""
    shape = (source.n_rows, len(source.names))
    if X.shape != shape:
        raise OSError(f"{where} has shape {X.shape}; expected {shape}")
    if digest(X, y, source.known) != source.sha256:
        raise OSError(f"{where} does not have the expected checksum of its values")
    return Recording(narrow(X), y, list(source.names), source.drifts)


def digest(X: Values, y: Labels, ranges: tuple[tuple[int, int], ...]) -> str:
    """Return the SHA-256 of the values in ranges of rows, independent of their types."""
    total = hashlib.sha256()
    for start, stop in ranges:
        total.update(np.ascontiguousarray(X[start:stop], dtype="<f8").tobytes())
        total.update("\n".join(map(str, y[start:stop].tolist())).encode())
    return total.hexdigest()


def narrow(X: Values) -> Values:
    """Return X in the smallest integer type that represents it exactly, or unchanged."""
    for kind in (np.uint8, np.int16, np.int32):
        if X.min() >= np.iinfo(kind).min and X.max() <= np.iinfo(kind).max:
            small = X.astype(kind)
            if np.array_equal(small, X):
                return small
    return X


def store(path: Path, table: Recording) -> None:
    """Write a table and then its checksum, which marks the table as complete."""
    arrays: dict[str, Any] = {name: np.asarray(part) for name, part in table._asdict().items()}
    with atomic(path) as file:
        np.savez_compressed(file, **arrays)
    with atomic(path.with_suffix(".sha256")) as file:
        file.write(sha256_of(path).encode())


def restore(path: Path) -> Recording | None:
    """Return a table written by `store`, or None if it does not exist or is incomplete."""
    mark = path.with_suffix(".sha256")
    if not mark.is_file() or not path.is_file():
        return None
    if mark.read_text() != sha256_of(path):
        raise OSError(f"{path} was modified or damaged after the download; delete it")
    with np.load(path) as file:
        return Recording(
            file["X"],
            file["y"],
            [str(name) for name in file["feature_names"]],
            tuple(int(row) for row in file["drifts"]),
        )
