"""Streams of a user's own data: arrays, data frames, and files, read in constant memory."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from driftlearn.streams._recorded import ArrayStream, RecordedStream, as_labels
from driftlearn.tables.csv_file import RATIO, CSVFile, typed_labels
from driftlearn.tables.csv_parser import LARGEST, TOO_LARGE
from driftlearn.tables.files import Piece, check_local
from driftlearn.tables.frames import feature_columns, frame_values
from driftlearn.tables.parquet_file import ParquetFile
from driftlearn.tables.values import booleans, numbers
from driftlearn.utils.arguments import Labels, Rows, Values, check_positive, check_rows

#: Number of bytes read from a CSV file at a time; parsing takes about ten times as much memory.
BLOCK = 1 << 17
#: Maximum number of distinct labels, which are held in memory; a class column has fewer.
MOST_LABELS = 1_000_000
#: Maximum number of characters of a label; in memory, each row takes as many as the longest label.
LONGEST_LABEL = 1_000


@dataclass(repr=False, eq=False)
class FileStream(RecordedStream):
    """Base class for streams of files that are read lazily and never held in memory.

    The number of rows and the classes are determined by one pass over the labels when they are
    first needed.
    """

    path: str
    target: str
    drop: Sequence[str] = ()
    drifts: Sequence[int] = ()  # type: ignore[assignment]  # the property of Stream otherwise
    chunk_size: int = 1_000
    name: str | None = None  # type: ignore[assignment]

    def __post_init__(self) -> None:
        check_local(self.path)
        if not Path(self.path).is_file():
            raise FileNotFoundError(f"File not found: {self.path}")
        self.name = Path(self.path).stem if self.name is None else self.name
        self.path = str(self.path)
        self.drop = tuple(self.drop)
        self._drifts = check_rows("drifts", self.drifts)
        self.drifts = list(self._drifts)
        self.chunk_size = check_positive("chunk_size", self.chunk_size)
        self.feature_names = feature_columns(self._columns(), self.target, self.drop, self.path)
        self.n_features = len(self.feature_names)

    def _columns(self) -> list[str]:
        """Return the names of the columns."""
        raise NotImplementedError

    def _labels(self) -> Iterator[Labels]:
        """Yield the labels in blocks."""
        raise NotImplementedError

    @cached_property
    def _scan(self) -> tuple[int, list[Any]]:
        """Number of rows and distinct labels, from one pass over all labels."""
        n = 0
        classes: set[Any] = set()
        for y in self._labels():
            n += len(y)
            classes.update(np.unique(y).tolist())
            if len(classes) > MOST_LABELS:
                raise ValueError(
                    f"{self.path}: column {self.target!r} has more than {MOST_LABELS:,} distinct "
                    "labels; choose a class column as target"
                )
        return n, sorted(classes)

    @cached_property
    def n_rows(self) -> int:  # type: ignore[override]
        """Number of rows."""
        return self._scan[0]

    @cached_property
    def classes(self) -> Labels:  # type: ignore[override]
        """All labels that occur, sorted."""
        return np.array(self._scan[1])


@dataclass(repr=False, eq=False)
class CSVStream(FileStream):
    """Stream of a CSV file, as returned by `from_csv`, which documents the parameters."""

    sep: str = ","
    na_values: Sequence[str] = ()
    limits: bool = True

    def __post_init__(self) -> None:
        self.na_values = tuple(self.na_values)
        super().__post_init__()

    def _file(self) -> CSVFile:
        largest, ratio = (LARGEST, RATIO) if self.limits else (float("inf"), None)
        return CSVFile(
            self.path, self.sep, missing=tuple(self.na_values),
            keep_text=True, largest=largest, ratio=ratio,
        )  # fmt: skip

    def _columns(self) -> list[str]:
        names = self._file().columns()
        if not names:
            raise ValueError(f"{self.path} cannot be read as CSV: it has no header line")
        return names

    def _texts(self, numeric: Sequence[str]) -> Iterator[tuple[Piece, Labels]]:
        """Yield blocks of rows with their labels as strings."""
        for piece in self._file().pieces(None, lambda: numeric, skip=True, size=BLOCK):
            if piece.broken:
                problem = piece.broken[0][1]
                hint = ". To read such rows, set limits=False" * (TOO_LARGE in problem)
                raise ValueError(f"{self.path} cannot be read as CSV: {problem}{hint}")
            if piece.n_rows:
                yield piece, self._checked(np.asarray(piece.table[self.target]), piece.row)

    def _checked(self, texts: Labels, row: int) -> Labels:
        for k, label in enumerate(texts):
            if not label:
                raise ValueError(f"the label in row {row + k} of column {self.target!r} is empty")
            if len(label) > LONGEST_LABEL:
                raise ValueError(
                    f"the label in row {row + k} of column {self.target!r} has {len(label):,} "
                    f"characters; the maximum is {LONGEST_LABEL:,}"
                )
        return texts.astype(str)

    def _labels(self) -> Iterator[Labels]:
        return (texts for _, texts in self._texts([]))

    @cached_property
    def _label_of(self) -> dict[str, Any]:
        """Mapping from each label's string in the file to the label."""
        return typed_labels(self._scan[1])

    @cached_property
    def classes(self) -> Labels:  # type: ignore[override]
        """All labels that occur, sorted."""
        return np.array(sorted(self._label_of.values()))

    def _pieces(self, start: int) -> Iterator[Rows]:
        known = self._label_of
        for piece, texts in self._texts(self.feature_names):
            skip = max(start - piece.row, 0)
            if skip >= piece.n_rows:
                continue
            table = {name: _as_numbers(np.asarray(piece.table[name]))
                     for name in self.feature_names}  # fmt: skip
            X = frame_values(table, self.feature_names, self.path, piece.row)
            labels, codes = np.unique(texts, return_inverse=True)
            try:
                y = np.array([known[label] for label in labels.tolist()])[codes]
            except KeyError as label:
                raise ValueError(
                    f"{self.path} was modified while it was read: label {label} is new"
                ) from None
            yield X[skip:], y[skip:]


def _as_numbers(values: Values) -> Values:
    """Return strings as numbers if all of them are numbers, or all are booleans."""
    if values.dtype != object:
        return values
    for read in (numbers, booleans):
        found, bad = read(values)
        if not bad:
            return found
    return values


class ParquetStream(FileStream):
    """Stream of a Parquet file, as returned by `from_parquet`, which documents the parameters."""

    def _columns(self) -> list[str]:
        return ParquetFile(self.path).columns()

    def _labels(self) -> Iterator[Labels]:
        return (y for _, _, y in self._batches([], 0))

    def _batches(self, names: list[str], start: int) -> Iterator[tuple[int, Any, Labels]]:
        where = f"column {self.target!r} of {self.path}"
        for row, batch in ParquetFile(self.path).batches(start, [*names, self.target]):
            labels = batch[self.target].to_numpy(zero_copy_only=False)
            yield row, batch, as_labels(labels, where)

    def _pieces(self, start: int) -> Iterator[Rows]:
        for row, batch, y in self._batches(self.feature_names, start):
            yield frame_values(batch, self.feature_names, self.path, row), y


def from_arrays(
    X: Any,
    y: Any,
    feature_names: Sequence[str] | None = None,
    drifts: Sequence[int] = (),
    holdout: int | float = 0,
    chunk_size: int = 1_000,
    name: str = "arrays",
    random_state: int | None = 0,
) -> ArrayStream:
    """Return a stream of rows in memory.

    Parameters
    ----------
    X : array-like of shape (n, n_features)
        The rows in their order of arrival. They are not copied. Missing values (NaN) are passed to
        the learner.
    y : array-like of shape (n,)
        The labels: numbers or strings.
    feature_names : sequence of str, default=None
        Names of the columns; None uses numbered names.
    drifts : sequence of int, default=()
        Rows at which known drifts occur.
    holdout : int or float, default=0
        Number or share of rows that are removed from the stream at random and used as test set.
    chunk_size : int, default=1_000
        Default number of rows of a chunk.
    name : str, default="arrays"
        Name in tables and plots.
    random_state : int, default=0
        Seed for the choice of the held-out rows.

    Returns
    -------
    ArrayStream

    Examples
    --------
    >>> from driftlearn.streams import from_arrays
    >>> stream = from_arrays([[0.0], [1.0], [2.0]], ["no", "yes", "yes"], chunk_size=2)
    >>> [batch.y.tolist() for batch in stream]
    [['no', 'yes'], ['yes']]
    """
    return ArrayStream(X, y, feature_names, drifts, holdout, chunk_size, name, random_state)


def from_frame(
    frame: Any,
    target: Any,
    drop: Sequence[Any] = (),
    drifts: Sequence[int] = (),
    holdout: int | float = 0,
    chunk_size: int = 1_000,
    name: str = "frame",
    random_state: int | None = 0,
) -> ArrayStream:
    """Return a stream of the rows of a pandas or polars DataFrame or a pyarrow Table.

    Parameters
    ----------
    frame : DataFrame
        The rows in their order of arrival; all columns but the target must be numeric.
    target : str
        Name of the label column.
    drop : sequence of str, default=()
        Columns to omit.
    drifts, holdout, chunk_size, name, random_state
        As in `from_arrays`.

    Returns
    -------
    ArrayStream

    Examples
    --------
    >>> import pandas as pd
    >>> from driftlearn.streams import from_frame
    >>> frame = pd.DataFrame({"price": [1.5, 2.5], "demand": [3, 4], "class": ["UP", "DOWN"]})
    >>> stream = from_frame(frame, target="class")
    >>> stream.feature_names, stream.classes.tolist()
    (['price', 'demand'], ['DOWN', 'UP'])
    """
    if not hasattr(frame, "column_names") and not hasattr(frame, "columns"):
        raise ValueError(
            "'frame' must be a pandas or polars DataFrame or a pyarrow Table. Got "
            f"{type(frame).__name__} instead. Use from_arrays for arrays, from_csv or from_parquet "
            "for files."
        )
    columns = list(frame.column_names if hasattr(frame, "column_names") else frame.columns)
    features = feature_columns(columns, target, drop, "the frame")
    X = frame_values(frame, features, "the frame")
    y = as_labels(np.asarray(frame[target]), f"column {target!r}")
    names = [str(feature) for feature in features]
    return ArrayStream(X, y, names, drifts, holdout, chunk_size, name, random_state)


def from_csv(
    path: str | Path,
    target: str,
    drop: Sequence[str] = (),
    drifts: Sequence[int] = (),
    chunk_size: int = 1_000,
    name: str | None = None,
    sep: str = ",",
    na_values: Sequence[str] = (),
    limits: bool = True,
) -> CSVStream:
    r"""Return a stream of the rows of a CSV file, which may be larger than memory.

    The file is read in blocks, in constant memory. All labels are read once before the first
    row is returned, to determine the classes.

    Parameters
    ----------
    path : str or Path
        CSV file whose first line contains the column names. Compressed files (``.gz``, ``.bz2``,
        ``.xz``, ``.zip``) are recognized by their suffix.
    target : str
        Name of the label column. Labels are converted to int or float if all of them are written as
        Python prints such numbers. Otherwise they remain strings, for example ``00`` and ``nan``.
    drop : sequence of str, default=()
        Columns to omit; all others must be numeric.
    drifts : sequence of int, default=()
        Rows at which known drifts occur.
    chunk_size : int, default=1_000
        Default number of rows of a chunk.
    name : str, default=None
        Name in tables and plots; None uses the name of the file.
    sep : str, default=","
        Column separator.
    na_values : sequence of str, default=()
        Additional spellings of a missing number, for example ``"?"``.
    limits : bool, default=True
        Whether to reject rows of more than 64 MB, and compressed files that unpack to more than
        64 MB and more than 300 times their size. False accepts them, at the cost of memory.

    Returns
    -------
    CSVStream

    Examples
    --------
    >>> import os, tempfile
    >>> from driftlearn.streams import from_csv
    >>> path = os.path.join(tempfile.mkdtemp(), "mails.csv")
    >>> with open(path, "w") as file:
    ...     _ = file.write("length,links,class\n120,0,ham\n80,7,spam\n")
    >>> stream = from_csv(path, target="class")
    >>> stream.n_rows, stream.classes.tolist()
    (2, ['ham', 'spam'])
    """
    path = _as_path(path)
    return CSVStream(path, target, drop, drifts, chunk_size, name, sep, na_values, limits)


def from_parquet(
    path: str | Path,
    target: str,
    drop: Sequence[str] = (),
    drifts: Sequence[int] = (),
    chunk_size: int = 1_000,
    name: str | None = None,
) -> ParquetStream:
    """Return a stream of the rows of a Parquet file, which may be larger than memory.

    Parameters
    ----------
    path : str or Path
        The file.
    target : str
        Name of the label column.
    drop, drifts, chunk_size, name
        As in `from_csv`.

    Returns
    -------
    ParquetStream

    Examples
    --------
    >>> import os, tempfile
    >>> import pandas as pd
    >>> from driftlearn.streams import from_parquet
    >>> path = os.path.join(tempfile.mkdtemp(), "mails.parquet")
    >>> pd.DataFrame({"length": [120, 80], "class": ["ham", "spam"]}).to_parquet(path)
    >>> X, y = from_parquet(path, target="class").take(2)
    >>> X.ravel().tolist()
    [120.0, 80.0]
    """
    return ParquetStream(_as_path(path), target, drop, drifts, chunk_size, name)


def _as_path(path: Any) -> str:
    if not isinstance(path, str | PathLike):
        hint = " Use from_frame for data frames." * hasattr(path, "columns")
        kind = type(path).__name__
        raise ValueError(f"'path' must be the path of a file. Got {kind} instead.{hint}")
    return str(path)
