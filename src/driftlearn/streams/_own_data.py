"""A user's own data as a stream: from memory, from a table, from a file."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from driftlearn.streams._csv import CSVStream
from driftlearn.streams._files import ParquetStream
from driftlearn.streams._recorded import ArrayStream, as_labels
from driftlearn.tables.frame_columns import feature_columns, frame_values


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
    """Make a stream of rows in memory.

    Parameters
    ----------
    X : array-like of shape (n, n_features)
        The rows, in the order of their arrival. They are not copied, and missing values (NaN) are
        left to the learner.
    y : array-like of shape (n,)
        The labels: numbers or strings.
    feature_names : sequence of str, default=None
        Names of the columns; None numbers them.
    drifts : sequence of int, default=()
        Rows at which something is known to change.
    holdout : int or float, default=0
        Rows, as a number or a share, that are removed from the stream at random and serve as test
        set.
    chunk_size : int, default=1_000
        Rows in a chunk where the reader does not say.
    name : str, default="arrays"
        Name for tables and plots.
    random_state : int, default=0
        Seed of the choice of the held out rows.

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
    """Make a stream of the rows of a pandas or polars frame or a pyarrow table.

    Parameters
    ----------
    frame : DataFrame
        The rows, in the order of their arrival; all columns but the target must hold numbers.
    target : str
        The column of the labels.
    drop : sequence of str, default=()
        Columns to leave out.
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
            f"from_frame takes a frame of pandas or polars or a table of pyarrow, got "
            f"{type(frame).__name__}: from_arrays takes arrays, and from_csv and from_parquet files"
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
    r"""Make a stream of the rows of a CSV file, which may be larger than the memory.

    It is read piece by piece; what it takes of memory does not depend on its length. The labels are
    read once before the first row is given, to know them.

    Parameters
    ----------
    path : str or Path
        The file; its first line names the columns. Compressed files (``.gz``, ``.bz2``, ``.xz``,
        ``.zip``) are recognised by their name.
    target : str
        The column of the labels. They are whole numbers, or numbers, if every one of them is
        written as Python would write it, and text otherwise: ``00`` and ``nan`` are text.
    drop : sequence of str, default=()
        Columns to leave out; all others must hold numbers.
    drifts : sequence of int, default=()
        Rows at which something is known to change.
    chunk_size : int, default=1_000
        Rows in a chunk where the reader does not say.
    name : str, default=None
        Name for tables and plots; None takes the file's.
    sep : str, default=","
        What separates the columns.
    na_values : sequence of str, default=()
        Further spellings of a missing number, such as ``"?"``.
    limits : bool, default=True
        Whether to refuse a row of more than 64 MB, and a compressed file with more than 64 MB that
        unpacks to more than 300 times its size. False reads them, with the memory that takes.

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
    return CSVStream(path, target, drop, drifts, chunk_size, name, sep, na_values, limits)


def from_parquet(
    path: str | Path,
    target: str,
    drop: Sequence[str] = (),
    drifts: Sequence[int] = (),
    chunk_size: int = 1_000,
    name: str | None = None,
) -> ParquetStream:
    """Make a stream of the rows of a Parquet file, which may be larger than the memory.

    Parameters
    ----------
    path : str or Path
        The file.
    target : str
        The column of the labels.
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
    return ParquetStream(path, target, drop, drifts, chunk_size, name)
