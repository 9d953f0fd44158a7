"""Columns out of whatever holds rows: frames, tables, dicts of columns, arrays.

pandas, polars and pyarrow are told by what their objects can do, so none of them is imported here:
what is needed of a column is its values as an array, which each of them gives in a line or two. A
library between us and them would be one more thing to install for these lines.
"""

from collections import Counter
from typing import Any, NamedTuple

import numpy as np
from sklearn.utils import check_array

from driftlearn.tables.passthrough import as_column, check_table, is_dict, package_of, unmasked

#: How the names of types begin, in polars and pyarrow, that are not read.
UNREAD = (
    "array", "binary", "fixed_size", "large_binary", "large_list", "list", "map", "struct",
    "time32", "time64",
)  # fmt: skip
#: Those of pyarrow whose arrays have a value for "missing".
NULLABLE = ("date", "double", "duration", "float", "halffloat", "int", "timestamp", "uint")
LIBRARIES = ("pandas", "polars", "pyarrow")
READ = "read are numbers, booleans, text, categories and dates"


class Raw(NamedTuple):
    """The values of a column as they came.

    Attributes
    ----------
    values : ndarray
        One axis; text and mixed values as objects, in which what is missing is None or no number.
    is_category : bool
        Whether its type says that it holds categories.
    """

    values: np.ndarray
    is_category: bool = False


class Frame(NamedTuple):
    """Rows as columns.

    Attributes
    ----------
    names : list of str or None
        The names of the columns; None where they have none.
    columns : list of Raw
        The columns.
    n_rows : int
        How many rows there are.
    """

    names: list[str] | None
    columns: list[Raw]
    n_rows: int


def frame_of(X: Any) -> Frame:
    """Return rows as columns, whatever they come in.

    Examples
    --------
    >>> frame = frame_of({"colour": ["red", "blue"], "size": [1, 2]})
    >>> frame.names, frame.n_rows, frame.columns[1].values
    (['colour', 'size'], 2, array([1, 2]))
    """
    if isinstance(X, Frame):
        return X
    check_table(X)
    if is_dict(X):
        names, given = list(X), list(X.values())
    elif hasattr(X, "column_names"):  # pyarrow
        names, given = X.column_names, list(X.columns)
    elif hasattr(X, "columns") and hasattr(X, "dtypes"):  # pandas, polars
        names = list(X.columns)
        given = [X[name] for name in names] if len({*names}) == len(names) else []
    else:
        values = _array(X)
        return Frame(None, [Raw(column) for column in values.T], len(values))
    texts = [str(name) for name in names]
    if len({*texts}) < len(texts):
        twice = next(name for name, n in Counter(texts).items() if n > 1)
        raise ValueError(f"two columns are called {twice!r}: each needs a name of its own")
    columns = [_raw(column, name) for column, name in zip(given, texts)]
    lengths = {name: len(column.values) for name, column in zip(texts, columns)}
    if len({*lengths.values()}) > 1:
        raise ValueError(f"the columns must be equally long, got {str(lengths)[1:-1]:.200}")
    n_rows = next(iter(lengths.values()), 0)
    for n, what in ((len(columns), "feature"), (n_rows, "sample")):
        if not n:
            raise ValueError(
                f"Found array with 0 {what}(s) (shape=({n_rows}, {len(columns)})) while a minimum "
                "of 1 is required."
            )
    return Frame(texts, columns, n_rows)


def numbered(n: int) -> list[str]:
    """Return the names of columns that have none."""
    return [f"x{j}" for j in range(n)]


def held(X: Any) -> Any:
    """Return what holds rows as it is if columns have names, else as an array; raise if neither."""
    check_table(X)
    named = is_dict(X) or hasattr(X, "column_names")
    return X if named or (hasattr(X, "columns") and hasattr(X, "dtypes")) else _array(X)


def width_of(X: Any) -> int:
    """Return the number of columns."""
    return len(X) if is_dict(X) else int(X.shape[1])


def n_rows_of(X: Any) -> int:
    """Return the number of rows."""
    if is_dict(X):
        return len(next(iter(X.values()), ()))
    return int(X.num_rows) if hasattr(X, "num_rows") else len(X)


def _array(X: Any) -> np.ndarray:
    """Return rows as an array of two axes; text beside numbers leaves the numbers what they are."""
    X = unmasked(X)
    if type(X) is np.ndarray and X.dtype == np.float64 and X.ndim == 2 and X.size:
        return X
    checked: np.ndarray = check_array(X, dtype=None, ensure_all_finite=False)
    if checked.dtype.kind in "US" and not hasattr(X, "dtype"):
        checked = check_array(X, dtype=object, ensure_all_finite=False)
    return checked


def _raw(column: Any, name: str) -> Raw:
    """Return a column of one of the libraries, or a list, as an array."""
    package = package_of(column)
    if package not in LIBRARIES:
        return _of_list(column, name)
    kind = str(getattr(column, "type" if package == "pyarrow" else "dtype", "")).lower()
    if package == "pandas":
        return _of_pandas(column, kind)
    if package == "polars":
        if kind.startswith("decimal"):
            column = column.cast(float)
        if kind.startswith(UNREAD) or kind == "time":
            raise _unread(name, kind)
        values = column.to_numpy()
        if kind == "boolean" and values.dtype != bool:  # nan where there is none
            values = np.array(column.to_list(), dtype=object)
        return Raw(values, kind.startswith(("categorical", "enum")))
    if kind.startswith(UNREAD):
        raise _unread(name, kind)
    if kind.startswith("dictionary"):
        return Raw(np.array(column.to_pylist(), dtype=object), True)
    whole = column.null_count or kind.startswith(("decimal", "null"))
    if whole and not kind.startswith(NULLABLE):
        return Raw(np.array(column.to_pylist(), dtype=object))
    chunked = hasattr(column, "num_chunks")
    return Raw(column.to_numpy() if chunked else column.to_numpy(zero_copy_only=False))


def _of_list(column: Any, name: str) -> Raw:
    values = None if isinstance(column, str) else np.asarray(as_column(column))
    if values is None or (values.ndim != 1 and values.size < 2):
        raise ValueError(f"column {name!r} must be a list of values, got {column!r:.50}")
    if values.ndim != 1:
        raise ValueError(f"column {name!r} must have one axis, got {values.ndim}")
    return Raw(values)


def _of_pandas(column: Any, kind: str) -> Raw:
    dtype = column.dtype
    if kind == "category":
        return Raw(column.astype(object).to_numpy(), True)
    if kind.startswith(("period", "interval")):
        raise _unread(str(column.name), kind)
    if isinstance(dtype, np.dtype):
        return Raw(column.to_numpy())
    if getattr(dtype, "tz", None) is not None:
        return Raw(column.dt.tz_convert("UTC").dt.tz_localize(None).to_numpy())
    if getattr(dtype, "kind", "O") in "iuf":
        return Raw(column.to_numpy(dtype=np.float64, na_value=np.nan))
    if getattr(dtype, "kind", "O") in "bM" and not column.isna().any():
        return Raw(column.to_numpy(dtype=bool if dtype.kind == "b" else "datetime64[us]"))
    return Raw(column.to_numpy(dtype=object))


def _unread(name: str, kind: str) -> ValueError:
    return ValueError(
        f"column {name!r} is of type {kind}: {READ}. Turn it into these, or leave it out with "
        f"kinds={{{name!r}: 'drop'}}"
    )
