"""Conversion of column values to numbers, booleans, dates or categories."""

import datetime
import re
from collections.abc import Callable
from contextlib import suppress
from decimal import Decimal
from numbers import Number
from typing import Any

import numpy as np

from driftlearn.tables.frames import READ, Raw

#: Kinds of columns; a column without any value so far is empty.
KINDS = ("number", "boolean", "category", "date", "empty")
NUMBER = re.compile(r"\s*[+-]?((0|[1-9]\d*)(\.\d*)?|\.\d+)([eE][+-]?\d+)?\s*")
DATE = re.compile(
    r"\d{4}-\d\d-\d\d([T ]\d\d:\d\d(:\d\d(\.\d{1,9})?)?)?(Z|[+-]\d\d:?\d\d)?", re.ASCII
)
#: A string such as a zip code or an account number: digits with a leading zero.
CODE = re.compile(r"\s*0\d+\s*", re.ASCII)
WORDS = {"true": 1.0, "false": 0.0, "1": 1.0, "0": 0.0}
DAY = np.timedelta64(1, "D")
TYPE = "datetime64[us]"
#: A column is an identifier if this share of its values, in at least so many rows, is distinct.
IDENTIFIER_SHARE, IDENTIFIER_ROWS = 0.99, 500
#: Strings are numbers or dates if at least this share of them is, so that one cell in 20 may be
#: malformed. Columns of fewer than 20 values therefore need all of them.
MAJORITY = 0.95
LONGEST = 1_000  # maximum characters of a category name that are compared
TEXT = (str, np.str_)
DATES = (datetime.date, np.datetime64)  # includes datetimes
SPANS = (datetime.timedelta, np.timedelta64)
# Types whose missing values (nan, NaT) are not equal to themselves.
UNEQUAL = (float, np.floating, np.datetime64, np.timedelta64)
#: Types that float() accepts, although they are not numbers or have a unit.
NO_FLOATS = (bytes, np.datetime64, np.timedelta64)
NUMBERS = (Number, np.number, Decimal)

#: Values as numbers or dates, and the rows with invalid values in ascending order.
Read = tuple[np.ndarray, list[int]]


def is_missing(value: Any) -> bool:
    """Return whether a value is missing: None, nan, NaT, pandas' NA or an empty string."""
    if isinstance(value, TEXT):  # most values of files are strings
        return not value
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    if isinstance(value, Decimal):
        return value.is_nan()
    return isinstance(value, UNEQUAL) and bool(value != value)


def missing(values: np.ndarray) -> np.ndarray:
    """Return a mask of the missing values."""
    if values.dtype.kind == "f":
        return np.isnan(values)
    if values.dtype.kind in "mM":
        return np.isnat(values)
    if values.dtype.kind in "biu":
        return np.zeros(len(values), dtype=bool)
    return np.array([is_missing(value) for value in values.tolist()], dtype=bool)


def kind_of(raw: Raw, name: str) -> str:
    """Return the kind of a column from its type or, if the type is unspecific, from all values.

    A string column contains numbers if at least 95 % of its values are numbers and none has leading
    zeros, and dates if at least 95 % have the form 2024-01-31 or 2024-01-31T12:00; the other values
    of such a column are malformed. Otherwise its values are categories.

    Examples
    --------
    >>> columns = [1.5, None], [True, None], ["a", "1"], ["1", "2.5"], ["00", "01"], [None, None]
    >>> [kind_of(Raw(np.array(column, dtype=object)), "x") for column in columns]
    ['number', 'boolean', 'category', 'number', 'category', 'empty']
    """
    values = raw.values
    if raw.is_category:
        return "category"
    plain = {"i": "number", "u": "number", "m": "number", "b": "boolean", "M": "date"}
    if values.dtype.kind in plain:
        return plain[values.dtype.kind]
    if values.dtype.kind == "f":
        return "empty" if np.isnan(values).all() else "number"
    if values.dtype.kind == "c":
        raise ValueError(f"Complex data not supported: column {name!r} contains complex numbers")
    if values.dtype.kind not in "OUT":
        raise ValueError(f"column {name!r} has type {values.dtype}: {READ}")
    there = [value for value in values.tolist() if not is_missing(value)]
    if not there:
        return "empty"
    kinds = {_family(kind, name) for kind in {*map(type, there)}}
    if kinds == {"text"}:
        needed = MAJORITY * len(there)
        n_numbers = len([*filter(NUMBER.fullmatch, there)])
        if n_numbers >= needed:  # no number has a leading zero
            is_code = n_numbers < len(there) and any(map(CODE.fullmatch, there))
            return "category" if is_code else "number"
        return "date" if len([*filter(DATE.fullmatch, there)]) >= needed else "category"
    return kinds.pop() if len(kinds) == 1 else "category"


def _family(kind: type, name: str) -> str:
    if issubclass(kind, TEXT):
        return "text"
    if issubclass(kind, (bool, np.bool_)):
        return "boolean"
    if issubclass(kind, DATES):
        return "date"
    if issubclass(kind, (*NUMBERS, *SPANS)) and not issubclass(kind, complex):
        return "number"
    raise TypeError(
        f"column {name!r} contains a {kind.__name__}; an argument must be a string or a number: "
        f"{READ}"
    )


def numbers(values: np.ndarray) -> Read:
    """Return values as numbers, nan where missing or invalid; time spans are converted to days."""
    if values.dtype.kind in "biuf":
        return values.astype(np.float64), []
    if values.dtype.kind == "m":
        return values / DAY, []
    if values.dtype.kind == "M":
        return np.full(len(values), np.nan), np.flatnonzero(~np.isnat(values)).tolist()
    kinds = {*map(type, values.tolist())} if values.dtype == object else ()
    if not any(issubclass(kind, NO_FLOATS) for kind in kinds):
        with suppress(TypeError, ValueError, OverflowError):
            return values.astype(np.float64), []
    return _one_by_one(values, _number)


def booleans(values: np.ndarray) -> Read:
    """Return 1.0 for true, 0.0 for false and nan for missing or invalid values."""
    if values.dtype.kind == "b":
        return values.astype(np.float64), []
    if values.dtype.kind in "iuf":
        found = values.astype(np.float64)
        bad = ~((found == 0) | (found == 1) | np.isnan(found))
        found[bad] = np.nan
        return found, np.flatnonzero(bad).tolist()
    return _one_by_one(values, lambda value: WORDS[str(_whole(value)).lower()])


def dates(values: np.ndarray) -> Read:
    """Return values as times in UTC with microseconds, NaT where missing or invalid."""
    if values.dtype.kind == "M":
        return values.astype(TYPE), []
    if values.dtype.kind in "biufm":
        none = np.full(len(values), np.datetime64("NaT"), dtype=TYPE)
        return none, np.flatnonzero(~missing(values)).tolist()
    try:
        there = [None if is_missing(value) else value for value in values.tolist()]
        if all(value is None or (isinstance(value, str) and _is_plain(value)) for value in there):
            return np.array(there, dtype=TYPE), []
    except ValueError:
        pass  # e.g. 31 February; the loop below finds the row
    found, bad = _one_by_one(values, _date, np.int64(np.datetime64("NaT").astype(np.int64)))
    return found.view(TYPE), bad


def names(values: np.ndarray) -> list[str | None]:
    """Return values as category names, None for missing values.

    Whole numbers are formatted independently of their type, since a missing value turns a column of
    integers into a column of floats.

    Examples
    --------
    >>> names(np.array([3.0, np.nan])), names(np.array([3, None], dtype=object))
    (['3', None], ['3', None])
    """
    if values.dtype.kind in "OUT":
        return [
            (value if type(value) is str and 0 < len(value) <= LONGEST else _name(value))
            for value in values.tolist()
        ]
    distinct, places = np.unique(values, return_inverse=True)
    texts = [_name(value) for value in distinct]
    return [texts[place] for place in places.tolist()]


def is_identifier(values: np.ndarray) -> bool:
    """Return whether category values hardly ever repeat, as those of an order number.

    500 rows of 5,000 equally frequent categories have about 475 distinct values.

    Examples
    --------
    >>> is_identifier(np.array([f"order {k}" for k in range(500)]))
    True
    """
    found = [name for name in names(values) if name is not None]
    return len(found) >= IDENTIFIER_ROWS and len({*found}) >= IDENTIFIER_SHARE * len(found)


def holds_text(values: np.ndarray) -> bool:
    """Return whether a column contains strings or objects."""
    return values.dtype.kind in "OUT"


def _name(value: Any) -> str | None:
    return None if is_missing(value) else str(_whole(value))[:LONGEST]


def _whole(value: Any) -> Any:
    """Return a whole number as int, other values unchanged."""
    is_whole = isinstance(value, (float, np.floating)) and float(value).is_integer()
    return int(value) if is_whole else value


def _number(value: Any) -> float:
    if isinstance(value, (*DATES, datetime.time, bytes)):
        raise ValueError(value)
    if isinstance(value, np.timedelta64):
        return float(value / DAY)
    if isinstance(value, datetime.timedelta):
        return value / datetime.timedelta(days=1)
    return float(value)


def _is_plain(text: str) -> bool:
    """Return whether a string is a date without time zone, which NumPy can parse."""
    found = DATE.fullmatch(text)
    return found is not None and found[4] is None


def _date(value: Any) -> np.int64:
    """Return a date as microseconds since 1970; raise ValueError if it is invalid."""
    if isinstance(value, str):
        found = DATE.fullmatch(value)
        if found is None:
            raise ValueError(value)
        zone = found[4] or ""
        begin, minutes = value[: len(value) - len(zone)], 0
        if len(zone) > 1:
            minutes = int(f"{zone[0]}1") * (60 * int(zone[1:3]) + int(zone[-2:]))
        return (np.datetime64(begin, "us") - np.timedelta64(minutes, "m")).astype(np.int64)
    if isinstance(value, datetime.datetime) and value.tzinfo is not None:
        value = value.astimezone(datetime.timezone.utc).replace(tzinfo=None)
    if not isinstance(value, DATES):
        raise ValueError(value)
    return np.datetime64(value).astype(TYPE).astype(np.int64)


def _one_by_one(values: np.ndarray, read: Callable[[Any], Any], none: Any = np.nan) -> Read:
    found = np.full(len(values), none)
    bad = []
    for i, value in enumerate(values.tolist()):
        if is_missing(value):
            continue
        try:
            found[i] = read(value)
        except (ValueError, TypeError, KeyError, OverflowError):
            bad.append(i)
    return found, bad
