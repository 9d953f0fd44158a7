"""Real data sets: descriptions in ``data_sets.json``, readers of their files, and streams.

Data sets are verified by checksums: of the files in a user's folder, and of the values in the
verified rows of downloads.
"""

import csv
import json
import os
from importlib.resources import files
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from driftlearn.streams._download import Source, cache_folder, cached, sha256_of
from driftlearn.streams._recorded import Recording, as_labels
from driftlearn.utils.arguments import check_integer, choose
from driftlearn.utils.optional import needed
from driftlearn.utils.typing import Labels

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
        Source of the download, if there is one.
    drop : tuple of str
        Columns of the file that are not features.
    group : str or None
        Column, not a feature, whose changes are known drifts.
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
    name: _described(entry)
    for name, entry in json.loads((files(__package__) / "data_sets.json").read_text()).items()
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
        return _read_wine()
    tried = []
    if folder := os.environ.get("DRIFTLEARN_DATA"):
        path = Path(folder) / entry.file
        if path.is_file():
            if verify and sha256_of(path) != entry.sha256:
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


def _read_wine() -> Recording:
    from sklearn.datasets import load_wine

    bunch = load_wine()
    return Recording(bunch.data, bunch.target, list(bunch.feature_names))
