"""Conversion of data frames, tables, dicts of columns and arrays to columns.

Objects of pandas, polars and pyarrow are recognized by their methods, so these libraries are not
imported here. Only an array of values is needed from each column.
"""

from collections import Counter
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from sklearn.utils import check_array

from driftlearn.tables import passthrough
from driftlearn.utils.arguments import Floats, meant

#: Prefixes of polars and pyarrow types that are not supported.
UNREAD = (
    "array", "binary", "fixed_size", "large_binary", "large_list", "list", "map", "struct",
    "time32", "time64",
)  # fmt: skip
#: Prefixes of pyarrow types whose arrays can represent missing values.
NULLABLE = ("date", "double", "duration", "float", "halffloat", "int", "timestamp", "uint")
LIBRARIES = ("pandas", "polars", "pyarrow")
READ = "supported types are numbers, booleans, text, categories and dates"


class Raw(NamedTuple):
    """Values of a column as passed by the caller.

    Attributes
    ----------
    values : ndarray
        One-dimensional array; strings and mixed values are objects, missing values None or nan.
    is_category : bool
        Whether the column has a categorical type.
    """

    values: np.ndarray
    is_category: bool = False


class Frame(NamedTuple):
    """Rows as columns.

    Attributes
    ----------
    names : list of str or None
        The names of the columns, or None.
    columns : list of Raw
        The columns.
    n_rows : int
        Number of rows.
    """

    names: list[str] | None
    columns: list[Raw]
    n_rows: int


def frame_of(X: Any) -> Frame:
    """Return the columns of rows in any container.

    Examples
    --------
    >>> frame = frame_of({"colour": ["red", "blue"], "size": [1, 2]})
    >>> frame.names, frame.n_rows, frame.columns[1].values
    (['colour', 'size'], 2, array([1, 2]))
    """
    if isinstance(X, Frame):
        return X
    passthrough.check_table(X)
    if passthrough.is_dict(X):
        names, given = list(X), list(X.values())
    elif hasattr(X, "column_names"):  # pyarrow
        names, given = X.column_names, list(X.columns)
    elif passthrough.is_frame(X):  # pandas, polars
        names = list(X.columns)
        given = [X[name] for name in names] if len({*names}) == len(names) else []
    else:
        values = _array(X)
        return Frame(None, [Raw(column) for column in values.T], len(values))
    texts = [str(name) for name in names]
    if len({*texts}) < len(texts):
        twice = next(name for name, n in Counter(texts).items() if n > 1)
        raise ValueError(f"two columns have the name {twice!r}: rename one of them")
    columns = [_raw(column, name) for column, name in zip(given, texts)]
    lengths = {name: len(column.values) for name, column in zip(texts, columns)}
    if len({*lengths.values()}) > 1:
        raise ValueError(f"all columns must have the same length. Got {str(lengths)[1:-1]:.200}.")
    n_rows = next(iter(lengths.values()), 0)
    for n, what in ((len(columns), "feature"), (n_rows, "sample")):
        if not n:
            raise ValueError(
                f"Found array with 0 {what}(s) (shape=({n_rows}, {len(columns)})) while a minimum "
                "of 1 is required."
            )
    return Frame(texts, columns, n_rows)


def numbered(n: int) -> list[str]:
    """Return names for columns without names."""
    return [f"x{j}" for j in range(n)]


def held(X: Any) -> Any:
    """Return rows unchanged if their columns have names, otherwise as an array."""
    passthrough.check_table(X)
    is_table = passthrough.is_dict(X) or hasattr(X, "column_names") or passthrough.is_frame(X)
    return X if is_table else _array(X)


def width_of(X: Any) -> int:
    """Return the number of columns."""
    return len(X) if passthrough.is_dict(X) else int(X.shape[1])


def n_rows_of(X: Any) -> int:
    """Return the number of rows."""
    if passthrough.is_dict(X):
        return len(next(iter(X.values()), ()))
    return int(X.num_rows) if hasattr(X, "num_rows") else len(X)


def _array(X: Any) -> np.ndarray:
    """Return rows as a two-dimensional array; numbers beside strings remain numbers."""
    X = passthrough.unmasked(X)
    if type(X) is np.ndarray and X.dtype == np.float64 and X.ndim == 2 and X.size:
        return X
    try:
        checked: np.ndarray = check_array(X, dtype=None, ensure_all_finite=False)
    except ValueError:
        passthrough.check_axes(X)
        raise
    if checked.dtype.kind in "US" and not hasattr(X, "dtype"):
        checked = check_array(X, dtype=object, ensure_all_finite=False)
    return checked


def _raw(column: Any, name: str) -> Raw:
    """Return a column of any library, or a list, as an array."""
    package = passthrough.package_of(column)
    if package not in LIBRARIES:
        values = None if isinstance(column, str) else np.asarray(passthrough.as_column(column))
        if values is None or (values.ndim != 1 and values.size < 2):
            raise ValueError(
                f"column {name!r} must be a list of values. Got {column!r:.50} instead."
            )
        if values.ndim != 1:
            raise ValueError(f"column {name!r} must have one axis. Got {values.ndim} axes.")
        return Raw(values)
    kind = str(getattr(column, "type" if package == "pyarrow" else "dtype", "")).lower()
    if package == "pandas":
        return _of_pandas(column, kind)
    if package == "polars":
        if kind.startswith("decimal"):
            column = column.cast(float)
        if kind.startswith(UNREAD) or kind == "time":
            raise _unread(name, kind)
        values = column.to_numpy()
        if kind == "boolean" and values.dtype != bool:  # missing values are nan
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
        f"column {name!r} has the unsupported type {kind}: {READ}. Convert it, or omit it with "
        f"kinds={{{name!r}: 'drop'}}"
    )


def feature_columns(
    names: Sequence[Any], target: Any, drop: Sequence[Any], where: str
) -> list[Any]:
    """Return the feature columns; raise ValueError if a named column does not exist."""
    for name in (target, *drop):
        if name not in names:
            shown = ", ".join(map(repr, [*names][:20]))
            raise ValueError(
                f"{where} has no column {name!r}{meant(name, names)}. Its columns are {shown}."
            )
    features = [name for name in names if name != target and name not in drop]
    if not features:
        raise ValueError(f"{where} has no feature columns, only the label column {target!r}")
    return features


def frame_values(frame: Any, names: Sequence[Any], where: str, row: int = 0) -> Floats:
    """Return columns of a table from any library as a float64 array."""
    X = np.empty((n_rows_of(frame), len(names)))
    for j, name in enumerate(names):
        column = frame[name]
        values = np.asarray(column)
        kind = getattr(getattr(column, "dtype", None), "kind", "O")
        if values.dtype.kind == "O" and kind in "biuf":  # pandas, with missing numbers
            values = column.to_numpy(dtype=np.float64, na_value=np.nan)
        if values.dtype.kind not in "biuf":
            example = next((i for i, value in enumerate(values) if not _is_number(value)), 0)
            raise ValueError(
                f"{where}: column {name!r} must contain numbers, but row {row + example} contains "
                f"{str(values[example])!r}. Encode it, or omit it with drop=[{name!r}]."
            )
        X[:, j] = values
    return X


def _is_number(value: Any) -> bool:
    try:
        float(value)
    except (TypeError, ValueError):
        return value is None
    return True
