"""Objects of other libraries, stored as parts from which they are created again.

These are NumPy functions (by name), regular expressions, sparse matrices, and frames of pandas and
polars. A file names one of these forms and gives parts: strings, numbers, arrays. Parts that do not
match are rejected before the library receives them. A library is imported only when one of its
objects is saved or loaded.
"""

import re
import sys
from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy as np

from driftlearn.io._names import NotAllowed
from driftlearn.io.schema import an

PATTERN = 4096  # maximum length of a pattern; longer ones take seconds to compile
FLAGS = re.ASCII | re.IGNORECASE | re.LOCALE | re.MULTILINE | re.DOTALL | re.VERBOSE | re.UNICODE
# maximum rows or columns of a sparse matrix: converting its format may allocate an array of
# that length
SIDE = 2**26
SPARSE = ("csr", "csc", "coo", "dia")
TEXT = ("str", "string", "object")
POLARS = frozenset([f"{kind}{bits}" for kind in ("Int", "UInt") for bits in (8, 16, 32, 64)]) | {
    "Float32",
    "Float64",
    "Boolean",
    "String",
}
DATES = re.compile(r"Date|Datetime\(time_unit='([mun]s)', time_zone=None\)")


def parts_of(x: Any) -> tuple[str, Any] | None:
    """Return the form of an object and its parts; None if it has no special form.

    Examples
    --------
    >>> parts_of(re.compile("a+", re.IGNORECASE))
    ('re', ('a+', 34))
    >>> parts_of(np.log), parts_of(3)
    (('ufunc', 'numpy:log'), None)
    """
    kind = type(x)
    package = kind.__module__.partition(".")[0]
    form = {np.ufunc: "ufunc", re.Pattern: "re"}.get(kind, f"{package}:{kind.__name__}")
    if form in _FORMS and (":" not in form or kind is _kind(form)):
        return form, _FORMS[form][0](x)
    return None


def made(form: Any, parts: Any) -> Any:
    """Return the object with these parts; raise ValueError if they do not match."""
    if not isinstance(form, str) or form not in _FORMS:
        raise NotAllowed(f"{form!r:.50} is not a known type of object in files")
    return _FORMS[form][1](form, parts)


def _kind(form: str) -> Any:
    package, _, name = form.partition(":")
    return getattr(import_module("scipy.sparse" if package == "scipy" else package), name)


def _array(x: Any, kinds: str, *shape: int | None) -> np.ndarray:
    if type(x) is not np.ndarray or x.dtype.kind not in kinds:
        raise ValueError(f"expected an array of kind {kinds}. Got {an(type(x).__name__)}.")
    fits = x.ndim == len(shape) and all(n in (None, side) for n, side in zip(shape, x.shape))
    if not fits:
        raise ValueError(f"expected an array of shape {shape}. Got shape {x.shape}.")
    return x


# ufuncs and regular expressions


def _name_of(x: np.ufunc) -> str:
    for module in ("numpy", "scipy.special"):
        if getattr(sys.modules.get(module), x.__name__, None) is x:
            return f"{module}:{x.__name__}"
    raise NotAllowed(
        f"the ufunc {x.__name__} cannot be saved: only ufuncs of NumPy and SciPy can be saved"
    )


def _ufunc(form: str, parts: Any) -> np.ufunc:
    module, _, name = str(parts).partition(":")
    found = None
    if module in ("numpy", "scipy.special"):
        found = getattr(import_module(module), name, None)
    if not isinstance(found, np.ufunc):
        raise NotAllowed(f"{parts!r:.50} is not a ufunc")
    return found


def _regex(form: str, parts: Any) -> re.Pattern[Any]:
    pattern, flags = parts
    if not isinstance(pattern, str | bytes):
        raise ValueError("a regular expression must be str or bytes")
    if len(pattern) > PATTERN:
        raise ValueError(f"a regular expression has more than {PATTERN} characters")
    if type(flags) is not int or flags & ~int(FLAGS):
        raise ValueError(f"a regular expression has invalid flags: {flags!r:.20}")
    return re.compile(pattern, flags)


# sparse matrices


def _sparse_parts(x: Any) -> tuple[Any, ...]:
    if x.format == "coo":
        return x.shape, x.data, tuple(x.coords)
    if x.format == "dia":
        return x.shape, x.data, x.offsets
    return x.shape, x.data, x.indices, x.indptr


def _sparse(form: str, parts: Any) -> Any:
    kind, layout, (shape, data, *rest) = _kind(form), form[6:9], parts
    if not (isinstance(shape, tuple) and 1 <= len(shape) <= 2):
        raise ValueError("the shape of a sparse matrix must have one or two axes")
    if not all(type(n) is int and 0 <= n <= SIDE for n in shape):
        raise ValueError(f"a sparse matrix has the invalid shape {shape!r:.50}")
    rows, columns = (1, *shape)[-2:]
    if layout == "coo":
        (coords,) = rest
        if not (isinstance(coords, tuple) and len(coords) == len(shape)):
            raise ValueError("a coo matrix must have coordinates for each axis")
        _array(data, "biufc", None)
        for places, n in zip(coords, shape):
            _check_places(places, len(data), n)
        return kind((data, coords), shape=shape)
    if len(shape) != 2 and layout != "csr":
        raise ValueError(f"{an(kind.__name__)} cannot have one axis")
    if layout == "dia":
        (offsets,) = rest
        _array(offsets, "i", len(_array(data, "biufc", None, None)))
        if not ((-rows < offsets) & (offsets < columns)).all():
            raise ValueError("a dia matrix has an offset outside its shape")
        if data.shape[1] > columns:
            raise ValueError("a dia matrix has diagonals longer than its rows")
        return kind((data, offsets), shape=shape)
    indices, ends = rest
    major, minor = (rows, columns) if layout == "csr" else (columns, rows)
    _check_places(indices, len(_array(data, "biufc", None)), minor)
    _array(ends, "i", major + 1)
    if not (ends[0] == 0 and ends[-1] == len(data)):
        raise ValueError("the index pointers of a sparse matrix do not match its entries")
    # `check_format` of SciPy skips this check for a matrix without entries.
    if not (ends[:-1] <= ends[1:]).all():
        raise ValueError("the index pointers of a sparse matrix must not decrease")
    return kind((data, indices, ends), shape=shape)


def _check_places(places: Any, n: int, side: int) -> None:
    _array(places, "i", n)
    if not ((places >= 0) & (places < side)).all():
        raise ValueError(f"an index of a sparse matrix is outside the range [0, {side})")


# data frames


def _column(x: Any) -> tuple[Any, ...]:
    """Return a pandas column: the name of its dtype, or "" for NumPy's, and an array."""
    pandas = import_module("pandas")
    if isinstance(x.dtype, pandas.CategoricalDtype):
        values = x.cat if hasattr(x, "cat") else x
        return "category", np.asarray(values.codes), *_column(values.categories), values.ordered
    if isinstance(x.dtype, np.dtype) and x.dtype != object:
        return "", x.to_numpy()
    if str(x.dtype) not in TEXT:
        raise NotAllowed(f"a column of dtype {x.dtype} cannot be saved")
    values = np.empty(len(x), dtype=object)
    values[:] = list(x) if x.dtype == object else [v if isinstance(v, str) else None for v in x]
    return str(x.dtype), values


def _values(parts: Any) -> Any:
    pandas = import_module("pandas")
    name, array, *rest = parts
    if name == "category":
        *categories, ordered = rest
        found = pandas.Index(_values(categories))
        codes = _array(array, "i", None)
        return pandas.Categorical.from_codes(codes, found, ordered=bool(ordered))
    if name == "":
        return _array(array, "biufcMm", None)
    if name not in TEXT:
        raise ValueError(f"a column has the unknown dtype {name!r:.20}")
    return pandas.Index(_array(array, "O", None), dtype=name).array


def _index_parts(x: Any) -> tuple[Any, ...]:
    if type(x).__name__ == "RangeIndex":
        return x.name, x.start, x.stop, x.step
    if type(x).__name__ == "MultiIndex":
        raise NotAllowed("a frame with a MultiIndex cannot be saved")
    return x.name, _column(x)


def _index(parts: Any, n: int) -> Any:
    pandas = import_module("pandas")
    name, *rest = parts
    if len(rest) == 1:
        values = _values(*rest)
        found = pandas.Index(values, dtype=values.dtype)
    else:
        found = pandas.RangeIndex(*rest)
    if len(found) != n:
        raise ValueError(f"an index has {len(found)} labels for {n} rows")
    return found.rename(name)


def _pandas_parts(x: Any) -> tuple[Any, ...]:
    if x.attrs:
        raise NotAllowed("a frame with attrs cannot be saved")
    index = _index_parts(x.index)
    if x.ndim == 1:
        return index, x.name, _column(x)
    return index, _index_parts(x.columns), [_column(x.iloc[:, k]) for k in range(x.shape[1])]


def _pandas(form: str, parts: Any) -> Any:
    pandas = import_module("pandas")
    index, names, content = parts
    if form == "pandas:Series":
        values = _values(content)
        index = _index(index, len(values))
        return pandas.Series(values, index=index, name=names, dtype=values.dtype)
    columns = [_values(column) for column in content]
    n = len(columns[0]) if columns else len(range(*index[1:])) if len(index) == 4 else 0
    if not all(len(column) == n for column in columns):
        raise ValueError("the columns of a frame have different lengths")
    frame = pandas.DataFrame(
        {k: pandas.Series(column, dtype=column.dtype) for k, column in enumerate(columns)}
    )
    frame.index = _index(index, n)
    frame.columns = _index(names, len(columns))
    return frame


def _polars_parts(x: Any) -> tuple[Any, ...]:
    if hasattr(x, "get_columns"):
        return tuple(_polars_parts(column) for column in x.get_columns())
    name = str(x.dtype)
    if name == "String":
        return x.name, name, x.to_numpy()
    if name not in POLARS and not DATES.fullmatch(name):
        raise NotAllowed(f"a column of dtype {name} cannot be saved")
    missing, values = x.is_null(), x.to_physical()
    values = values.fill_null(False if name == "Boolean" else 0)
    return x.name, name, values.to_numpy(), missing.to_numpy()


def _polars(form: str, parts: Any) -> Any:
    polars = import_module("polars")
    if form == "polars:DataFrame":
        return polars.DataFrame([_polars("polars:Series", column) for column in parts])
    name, kind, array, *missing = parts
    if not (isinstance(name, str) and isinstance(kind, str)):
        raise ValueError("the name and dtype of a column must be strings")
    if kind == "String":
        return polars.Series(name, _array(array, "O", None).tolist(), dtype=polars.String)
    values = polars.Series(name, _array(array, "biuf", None))
    absent = polars.Series(_array(missing[0], "b", len(array)))
    dates = DATES.fullmatch(kind)
    if not (dates or kind in POLARS):
        raise ValueError(f"a column has the unknown dtype {kind!r:.20}")
    if dates:
        dtype = polars.Datetime(dates[1]) if dates[1] else polars.Date
    else:
        dtype = getattr(polars, kind)
    values = values.cast(dtype)
    return values.to_frame().select(polars.when(~absent).then(values).alias(name)).to_series()


_FORMS: dict[str, tuple[Callable[[Any], Any], Callable[[str, Any], Any]]] = {
    "ufunc": (_name_of, _ufunc),
    "re": (lambda x: (x.pattern, x.flags), _regex),
    **{
        f"scipy:{name}_{kind}": (_sparse_parts, _sparse)
        for name in SPARSE
        for kind in ("matrix", "array")
    },
    **{f"pandas:{kind}": (_pandas_parts, _pandas) for kind in ("DataFrame", "Series")},
    **{f"polars:{kind}": (_polars_parts, _polars) for kind in ("DataFrame", "Series")},
}
