"""Data frames and sparse matrices that are passed to external models unchanged."""

from __future__ import annotations

import os
from collections.abc import Mapping
from importlib import import_module
from typing import Any, ClassVar

import numpy as np
from scipy.sparse import issparse, vstack
from sklearn.utils import column_or_1d, get_tags
from sklearn.utils.validation import assert_all_finite, check_consistent_length, validate_data

from driftlearn.io.schema import Field, InvalidStateError, anything
from driftlearn.utils.table import objects

CATEGORIES = ("category", "categorical", "enum")  # prefixes of categorical type names
CELLS = 1 << 20  # cells of the index array of a batch of sparse rows: 8 MB
SELECTING = "steps", "transformers"  # attributes of learners that may select columns by name


class PassthroughRows:
    """Data frame or sparse matrix in place of an array, with selection of rows.

    The values are read only by the base learner, which receives ``rows``.

    Examples
    --------
    >>> from scipy.sparse import csr_array
    >>> given = PassthroughRows(csr_array([[0.0, 1.0], [2.0, 0.0], [0.0, 3.0]]))
    >>> given.shape, given[np.array([True, False, True])].rows.toarray().tolist()
    ((3, 2), [[0.0, 1.0], [0.0, 3.0]])
    """

    STATE: ClassVar[dict[str, Field]] = {"rows": anything()}

    def __init__(self, rows: Any):
        self.rows = rows

    @staticmethod
    def check_state(state: dict[str, Any]) -> None:
        """Raise ValueError unless the rows have two axes."""
        if len(getattr(state.get("rows"), "shape", ())) != 2:
            raise InvalidStateError("the rows must form a table")

    @property
    def shape(self) -> tuple[int, int]:
        """Number of rows and columns."""
        n, d = self.rows.shape
        return int(n), int(d)

    def __len__(self) -> int:
        return self.shape[0]

    def __getitem__(self, rows: slice | np.ndarray) -> PassthroughRows:
        return PassthroughRows(taken(self.rows, rows))

    def copy(self) -> PassthroughRows:
        """Return a copy, since the caller may modify the rows."""
        rows = self.rows
        return PassthroughRows(rows.clone() if hasattr(rows, "clone") else rows.copy())


def passthrough(learner: Any, base: Any, X: Any, *y: Any, reset: bool) -> Any:
    """Convert rows, and labels if given, to what an external base learner accepts.

    Returns None if the base learner should receive an array. Frames are passed to pipelines, which
    may select columns by name, and to all learners if a column is categorical; sparse matrices are
    passed to learners that accept them. The base learner validates the values.
    """
    if not wanted(base, X):
        return None
    if issparse(X):
        rows = validate_data(
            learner, X, reset=reset, accept_sparse="csr", dtype=np.float64, ensure_all_finite=False
        )
    else:
        validate_data(learner, X, reset=reset, skip_check_array=True)
        rows = X
    if not len(PassthroughRows(rows)):
        raise ValueError(f"Found array with 0 sample(s) (shape={rows.shape}): there is no row.")
    if not y:
        return PassthroughRows(rows)
    labels = column_or_1d(y[0], warn=True)
    if labels.dtype.kind == "f":
        assert_all_finite(labels, input_name="y")
    check_consistent_length(rows, labels)
    return PassthroughRows(rows), labels


def wanted(base: Any, X: Any) -> bool:
    """Return whether an external learner accepts these rows without conversion."""
    return takes_sparse(base) if issparse(X) else is_frame(X) and _wants_frame(base, X)


def is_frame(X: Any) -> bool:
    """Return whether rows are a data frame of pandas or polars."""
    return hasattr(X, "columns") and hasattr(X, "dtypes")


def selects_by_name(base: Any) -> bool:
    """Return whether a learner selects columns by name, which arrays do not have."""
    parts = [base, *base.get_params().values()] if hasattr(base, "get_params") else [base]
    picked = [item[-1] for part in parts for item in getattr(part, "transformers", ())]
    names = [name for each in picked for name in (each if isinstance(each, list) else [each])]
    return any(isinstance(name, str) for name in names)


def takes_sparse(base: Any) -> bool:
    """Return whether an external learner accepts sparse matrices."""
    known = hasattr(base, "__sklearn_tags__") and not isinstance(base, type)
    return known and bool(get_tags(base).input_tags.sparse)


def unwrap(X: Any) -> Any:
    """Return rows for an external model."""
    return X.rows if isinstance(X, PassthroughRows) else X


def _wants_frame(base: Any, X: Any) -> bool:
    parts = [base, *base.get_params().values()]
    if any(hasattr(part, name) for part in parts for name in SELECTING):
        return True
    return any(str(kind).lower().startswith(CATEGORIES) for kind in X.dtypes)


def check_table(X: Any) -> None:
    """Raise ValueError if an object does not contain rows."""
    if is_dict(X):
        for name, column in X.items():
            if not hasattr(column, "__len__") or getattr(column, "shape", None) == ():
                raise ValueError(
                    f"column {str(name)!r} must be a list of values. Got {column!r:.50} instead. "
                    f"Pass a single row as {{{str(name)!r}: [{column!r:.50}], ...}}."
                )
        return
    if isinstance(X, list | tuple) and X and isinstance(X[0], Mapping):
        raise ValueError(
            "X is a list of dicts. Convert it to columns, for example with pandas.DataFrame(X), "
            "for a learner such as make_pipeline(TableEncoder(), HoeffdingTreeClassifier())."
        )
    if isinstance(X, str | bytes | os.PathLike):
        raise ValueError(
            f"X is a string, {str(X)!r:.60}, not a table. Read the file first, for example with "
            "pandas.read_csv, or use the command driftlearn learn."
        )
    if hasattr(X, "collect") and not hasattr(X, "__array__"):
        text = f"X is a {type(X).__name__}, whose rows are not loaded yet: pass X.collect()"
        raise ValueError(text)


def check_axes(X: Any, *y: Any) -> None:
    """Raise ValueError unless rows have two axes; `y` tells whether the arguments are swapped."""
    shape = getattr(X, "shape", None) or np.asarray(X).shape
    if len(shape) > 1:
        return
    problem = f"X must have rows and columns. Got an array of shape {shape}"
    if shape == (0,):
        raise ValueError("X is empty: pass at least one row.")
    if y and np.ndim(y[0]) == 2:
        raise ValueError(f"{problem}, and y of shape {np.shape(y[0])}: pass X before y.")
    raise ValueError(
        f"{problem}. Reshape your data: X.reshape(1, -1) for a single row, X.reshape(-1, 1) for a "
        "single column."
    )


def column_names(X: Any, n: int) -> list[Any]:
    """Return the names of the columns; columns without names are numbered."""
    if hasattr(X, "column_names"):  # pyarrow
        return list(X.column_names)
    return list(getattr(X, "columns", range(n)))


def is_dict(X: Any) -> bool:
    """Return whether rows are a dict of columns, and not a scipy DOK array (also a dict)."""
    return type(X) is dict or (isinstance(X, Mapping) and not hasattr(X, "shape"))


def package_of(thing: Any) -> str:
    """Return the name of the package that defines the type of a frame, table or column."""
    return type(thing).__module__.partition(".")[0]


def taken(X: Any, rows: slice | np.ndarray) -> Any:
    """Return the rows selected by a slice, a mask or an array of row numbers."""
    if is_dict(X):
        return {name: taken(as_column(column), rows) for name, column in X.items()}
    if hasattr(X, "iloc"):
        return X.iloc[rows]
    package = package_of(X)
    if package == "pyarrow":
        return X.take(np.arange(len(X))[rows])
    if package == "polars" and not isinstance(rows, slice):
        return X[np.arange(len(X))[rows]]
    return X[rows]


def joined(pieces: list[Any]) -> Any:
    """Concatenate frames, tables or arrays of one kind."""
    first = pieces[0]
    if len(pieces) == 1:
        return first
    package = package_of(first)
    kinds = {f"{package_of(each)}.{type(each).__name__}" for each in pieces}
    if len(kinds) > 1 and package != "pyarrow":
        raise ValueError(f"rows of one batch have different types: {' and '.join(sorted(kinds))}")
    if isinstance(first, PassthroughRows):
        return PassthroughRows(joined([piece.rows for piece in pieces]))
    if issparse(first):
        return vstack(pieces, format="csr")
    if package in ("pandas", "polars"):
        how = {"ignore_index": True} if package == "pandas" else {}
        return import_module(package).concat(pieces, **how)
    if package == "pyarrow":
        import pyarrow

        if not hasattr(first, "schema"):
            chunks = [chunk for piece in pieces for chunk in getattr(piece, "chunks", [piece])]
            return pyarrow.chunked_array(chunks)
        return pyarrow.concat_tables([pyarrow.table(piece) for piece in pieces])
    if is_dict(first):
        return {name: joined([as_column(each[name]) for each in pieces]) for name in first}
    return np.concatenate([np.asarray(piece) for piece in pieces])


def copied(X: Any) -> Any:
    """Return a copy of rows; immutable rows are returned unchanged."""
    if is_dict(X):
        return {name: copied(column) for name, column in X.items()}
    return X.copy() if hasattr(X, "copy") else X


def unmasked(X: Any) -> Any:
    """Return a masked array as a plain array with missing values."""
    if not isinstance(X, np.ma.MaskedArray):
        return X
    mask = np.ma.getmaskarray(X)
    values = X.data.astype(object if mask.any() and X.dtype.kind != "f" else X.dtype)
    if mask.any():
        values[mask] = None if values.dtype == object else np.nan
    return values


def as_column(column: Any) -> Any:
    """Return a list of values as an array; numbers beside strings remain numbers."""
    if hasattr(column, "dtype") or package_of(column) == "pyarrow":
        return unmasked(column)
    values = np.asarray(column)
    return objects(column) if values.dtype.kind in "US" and values.ndim == 1 else values


def rows_at_once(X: Any, most: int) -> int:
    """Return the number of rows to process at once, which is small for wide sparse matrices."""
    return min(most, max(1, CELLS // X.shape[1])) if isinstance(X, PassthroughRows) else most
