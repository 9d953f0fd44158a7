"""Real data sets: descriptions in ``data_sets.json``, readers of their files, and streams.

Data sets are verified by checksums: of the files in a user's folder, and of the values in the
verified rows of downloads.
"""

import csv
import gzip
import hashlib
import os
import socket
import time
import urllib.request
import zipfile
from http.client import HTTPException
from io import BytesIO
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from driftlearn.streams._recorded import Recording, as_labels
from driftlearn.streams._stream import read_json
from driftlearn.tables.files import UNREADABLE, digest_of
from driftlearn.utils.arguments import Labels, Rows, Values, check_integer, choose
from driftlearn.utils.atomic_files import atomic_write
from driftlearn.utils.optional import needed
from driftlearn.utils.safe_text import printable

TIMEOUT = 30  # seconds without data after which a connection fails
LONGEST = 3600  # maximum seconds per file, however slow the connection
# maximum bytes of a file, compressed or not: several times the largest known file
LARGEST = 500_000_000


class Source(NamedTuple):
    """Download location and expected checksum of a data set.

    Attributes
    ----------
    n_rows : int
        Number of rows.
    names : sequence of str
        Names of the feature columns.
    verified : sequence of (int, int)
        Ranges of rows, usually all, whose values have the checksum `values_sha256`. The checksum
        does not depend on how the files are packed.
    url, members : str, sequence of str
        Zip archive of CSV files with the class in the last column.
    openml_id : int
        ID of the data set on openml.org, if it is not an archive.
    drifts : sequence of int
        Rows of known drifts.
    """

    n_rows: int
    names: tuple[str, ...]
    verified: tuple[tuple[int, int], ...]
    values_sha256: str
    url: str = ""
    members: tuple[str, ...] = ()
    openml_id: int | None = None
    drifts: tuple[int, ...] = ()

    def download(self) -> Recording:
        """Download the table; raise OSError if its shape or its checksum is wrong."""
        where = self.url or f"OpenML data set {self.openml_id}"
        X, y = _archived(self.url, self.members) if self.url else self._from_openml(where)
        shape = (self.n_rows, len(self.names))
        if X.shape != shape:
            raise OSError(f"{where} has shape {X.shape}; expected {shape}")
        if digest(X, y, self.verified) != self.values_sha256:
            raise OSError(f"{where} does not have the expected checksum of its values")
        return Recording(narrow(X), y, list(self.names), tuple(self.drifts))

    def _from_openml(self, where: str) -> Rows:
        from sklearn.datasets import fetch_openml

        needed("pandas")
        usual = socket.getdefaulttimeout()
        socket.setdefaulttimeout(TIMEOUT)  # scikit-learn sets no timeout itself
        try:
            bunch = fetch_openml(data_id=self.openml_id, cache=False, n_retries=1, parser="auto")
        except (ValueError, OSError, HTTPException) as error:
            raise OSError(f"{where}: {error}") from error
        finally:
            socket.setdefaulttimeout(usual)
        columns = [bunch.data[name].astype(str).to_numpy() for name in bunch.data]
        y = np.asarray(bunch.target.astype(str), dtype=str)
        y = y.astype(np.int64) if np.char.isdigit(y).all() else y
        return np.column_stack([column.astype(np.float64) for column in columns]), y


def _archived(url: str, members: tuple[str, ...]) -> Rows:
    """Return the rows of a zip archive of CSV files."""
    read_csv = needed("pandas").read_csv
    content = fetch(url)
    try:
        with zipfile.ZipFile(BytesIO(content)) as archive:
            files = [_member(archive, member) for member in members]
        values = np.concatenate([read_csv(BytesIO(part), header=None) for part in files])
    except (*UNREADABLE, KeyError) as error:
        raise OSError(f"{url} cannot be read: {error}") from error
    return values[:, :-1].astype(float), values[:, -1].astype(np.int64)


def _member(archive: zipfile.ZipFile, name: str) -> bytes:
    """Return the content of a file in an archive, gunzipped if necessary, up to the size limit."""
    with archive.open(name) as file:
        unpacked = gzip.GzipFile(fileobj=file) if name.endswith(".gz") else file
        content = unpacked.read(LARGEST + 1)
    _check_size(len(content))
    return content


def fetch(url: str) -> bytes:
    """Return the content of a file, downloaded with a progress bar.

    Raises
    ------
    OSError
        If the connection fails, breaks or takes too long, or if the file is too large.
    """
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TransferSpeedColumn

    from driftlearn.utils.terminal import Screen

    title = TextColumn("{task.description}", markup=False)
    columns = (title, BarColumn(), DownloadColumn(), TransferSpeedColumn())
    try:
        with urllib.request.urlopen(url, timeout=TIMEOUT) as response:
            size = int(response.headers.get("Content-Length") or 0)
            content, begun = bytearray(), time.monotonic()
            with Progress(*columns, console=Screen(stderr=True), transient=True) as progress:
                task = progress.add_task(printable(url.rpartition("/")[2]), total=size or None)
                while block := response.read1(1 << 16):
                    content += block
                    progress.advance(task, len(block))
                    _check_size(max(len(content), size))
                    if time.monotonic() - begun > LONGEST:
                        raise OSError(
                            f"the download is not complete after {LONGEST:,} seconds "
                            f"({len(content):,} bytes)"
                        )
            if len(content) < size:
                raise OSError(f"the connection broke after {len(content):,} of {size:,} bytes")
    except (OSError, HTTPException) as error:
        raise OSError(f"{url}: {error}") from error
    return bytes(content)


def _check_size(size: int) -> None:
    if size > LARGEST:
        raise OSError(f"the file exceeds the maximum size of {LARGEST:,} bytes")


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


def cache_folder() -> Path:
    """Return the folder for downloaded data: DRIFTLEARN_CACHE, or the user's cache folder."""
    if own := os.environ.get("DRIFTLEARN_CACHE"):
        return Path(own)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "driftlearn"


def cached(name: str, source: Source) -> Recording:
    """Return a data set from the cache, downloading it first if necessary."""
    path = cache_folder() / f"{name}.npz"
    mark = path.with_suffix(".sha256")  # written last: marks the table as complete
    if not mark.is_file() or not path.is_file():
        table = source.download()
        arrays: dict[str, Any] = {name: np.asarray(part) for name, part in table._asdict().items()}
        content = BytesIO()
        np.savez_compressed(content, **arrays)
        path.parent.mkdir(parents=True, exist_ok=True)
        atomic_write(path, content.getvalue())
        atomic_write(mark, digest_of(path).encode())
        return table
    if mark.read_text() != digest_of(path):
        raise OSError(f"{path} was modified or damaged after the download; delete it")
    with np.load(path) as file:
        names = [str(name) for name in file["feature_names"]]
        return Recording(file["X"], file["y"], names, tuple(file["drifts"].tolist()))


#: Number of words used from the spam data set, and number of first mails whose word frequencies
#: select them. These mails are available before the stream starts, so nothing leaks.
N_WORDS = 500
FIRST_MAILS = 1_000


class DataSet(NamedTuple):
    """Description of a real data set.

    Attributes
    ----------
    about : str
        One-line description.
    file : str
        Name of the file in a user's folder.
    sha256 : str
        Checksum of that file.
    source : Source or None
        Download source; None if the data set cannot be downloaded.
    drop : tuple of str
        Columns of the file that are not features.
    group : str or None
        Column whose changes mark known drifts; it is not used as a feature.
    """

    about: str
    file: str
    sha256: str
    source: Source | None = None
    drop: tuple[str, ...] = ()
    group: str | None = None


def _described(entry: dict[str, Any]) -> DataSet:
    if source := entry.pop("source", None):
        entry["source"] = Source(**{**source, "names": tuple(source["names"].split())})
    return DataSet(**entry)


DATA_SETS: dict[str, DataSet] = {
    name: _described(entry) for name, entry in read_json("data_sets").items()
}


def read_data_set(name: str, verify: bool = False, n_features: int | None = None) -> Recording:
    """Return a real data set from the user's folder, the cache or the network, in this order.

    Parameters
    ----------
    name : str
        Name of the data set.
    verify : bool, default=False
        Whether to compare the checksums of files in the user's folder with the known ones.
    n_features : int, default=None
        Number of words to use, for the spam data set only.

    Raises
    ------
    FileNotFoundError
        If the data set was not found; the message lists the locations that were tried.
    """
    entry = choose("the name of a data set", name, DATA_SETS)
    if n_features is not None and name != "spam":
        raise ValueError(
            "The 'n_features' parameter is only supported for the spam data set. "
            f"Got name={name!r}, which has fixed columns."
        )
    if name == "wine":
        from sklearn.datasets import load_wine

        bunch = load_wine()
        return Recording(bunch.data, bunch.target, list(bunch.feature_names))
    tried = []
    if folder := os.environ.get("DRIFTLEARN_DATA"):
        path = Path(folder) / entry.file
        if path.is_file():
            if verify and digest_of(path) != entry.sha256:
                raise ValueError(f"{path} does not have the expected SHA-256 {entry.sha256}")
            return _read(path, entry, N_WORDS if n_features is None else n_features)
        tried.append(f"there is no {entry.file} in the folder DRIFTLEARN_DATA={folder}")
    else:
        tried.append("DRIFTLEARN_DATA is not set")
    if entry.source is None:
        tried.append("it cannot be downloaded")
    else:
        try:
            return cached(name, entry.source)
        except OSError as error:
            tried.append(f"download to the cache {cache_folder()} failed ({error})")
    raise FileNotFoundError(
        f"The data set {name!r} was not found: {'; '.join(tried)}. Put {entry.file} into a folder "
        "and set the environment variable DRIFTLEARN_DATA to that folder."
    )


def _read(path: Path, entry: DataSet, n_words: int) -> Recording:
    if path.suffix == ".csv":
        with open(path, newline="") as file:
            header, *lines = csv.reader(file)
        columns = dict(zip(header, (np.array(column) for column in zip(*lines))))
    else:
        table = needed("pyarrow.parquet").read_table(path)
        columns = {name: table[name] for name in table.column_names}
    if "indices" in columns:
        return _read_words(path, columns, n_words)
    group = np.asarray(columns[entry.group]) if entry.group else np.empty(0)
    names = [name for name in columns if name not in ("class", entry.group, *entry.drop)]
    X = np.column_stack([np.asarray(columns[name]) for name in names])
    X = X.astype(np.float64) if X.dtype.kind == "U" else X
    y = _labels(columns.get("class", X[:, 0]), path)
    changes = np.flatnonzero(group[1:] != group[:-1]) + 1
    return Recording(X, y, names, tuple(int(row) for row in changes))


def _read_words(path: Path, columns: dict[str, Any], n_words: int) -> Recording:
    """Return 0/1 columns of the most frequent words of the first 1,000 mails."""
    lists = columns["indices"].combine_chunks()
    words, ends = lists.values.to_numpy(), lists.offsets.to_numpy()
    mail = np.repeat(np.arange(len(ends) - 1), np.diff(ends))
    frequency = np.bincount(words[mail < FIRST_MAILS], minlength=int(words.max()) + 1)
    n_words = check_integer("n_features", n_words, 1, len(frequency))
    kept = np.sort(np.argsort(-frequency, kind="stable")[:n_words])
    column = np.full(len(frequency), -1)
    column[kept] = np.arange(n_words)
    X = np.zeros((len(ends) - 1, n_words), dtype=np.uint8)
    chosen = column[words] >= 0
    X[mail[chosen], column[words[chosen]]] = 1
    return Recording(X, _labels(columns["class"], path), [f"word{word}" for word in kept])


def _labels(column: Any, path: Path) -> Labels:
    y = as_labels(column, f"column 'class' of {path}")
    return y.astype(np.int64) if y.dtype.kind == "u" else y
