"""Streams of a user's own data: arrays, data frames and files."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from driftlearn.streams._files import CSVStream, ParquetStream
from driftlearn.streams._recorded import ArrayStream, as_labels
from driftlearn.tables.frames import feature_columns, frame_values


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
    return CSVStream(str(path), target, drop, drifts, chunk_size, name, sep, na_values, limits)


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
    return ParquetStream(str(path), target, drop, drifts, chunk_size, name)
