"""Parsed rows of many keys: typed columns, keys and labels as strings, malformed rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from driftlearn.base.validation import LARGEST_VALUE
from driftlearn.preprocessing._knowledge import PROBLEMS, shown
from driftlearn.tables.frames import Frame, Raw, frame_of
from driftlearn.tables.values import booleans, dates, names, numbers
from driftlearn.utils.table import objects

#: File and row number of a row, if known.
Place = tuple[str | None, int | None]
Places = Sequence[Place]
MAX_LENGTH = 1_000  # maximum characters of a key or label
READERS = {"number": (numbers, "no number"), "boolean": (booleans, "no boolean"),
           "date": (dates, "no date")}  # fmt: skip
#: Missing value and dtype by kind of column; columns of all other kinds are numeric.
MISSING: dict[str, tuple[Any, Any]] = {
    "category": (None, object),
    "date": (np.datetime64("NaT"), "datetime64[us]"),
}


class Rows:
    """Parsed rows, and the reasons why rows are malformed.

    Attributes
    ----------
    frame : Frame
        The feature columns.
    labels : list of (str or None)
        The labels as strings.
    keys : list of (str or None)
        The keys as strings.
    bad : dict of int to str
        The reason why a row is malformed, by position of the row.
    """

    def __init__(
        self, frame: Frame, keys: list[str | None], labels: list[str | None], bad: dict[int, str]
    ):
        self.frame, self.keys, self.labels, self.bad = frame, keys, labels, bad

    def __len__(self) -> int:
        return self.frame.n_rows

    @cached_property
    def table(self) -> dict[str, np.ndarray]:
        """The columns by name."""
        assert self.frame.names is not None
        return {name: raw.values for name, raw in zip(self.frame.names, self.frame.columns)}

    @property
    def good(self) -> np.ndarray:
        """Positions of the rows that are not malformed."""
        return np.delete(np.arange(len(self)), [*self.bad])

    def take(self, index: np.ndarray) -> Rows:
        """Return the rows at these positions, none of which may be malformed."""
        at = index.tolist()
        keys, labels = ([each[i] for i in at if each] for each in (self.keys, self.labels))
        return Rows(self.columns(index, len(at)), keys, labels, {})

    def part(self, begin: int, end: int) -> Rows:
        """Return consecutive rows, with the reasons why some are malformed."""
        at = slice(begin, end)
        bad = {i - begin: reason for i, reason in self.bad.items() if begin <= i < end}
        return Rows(self.columns(at, end - begin), self.keys[at], self.labels[at], bad)

    def columns(self, index: np.ndarray | slice, n: int) -> Frame:
        """Return the columns as a frame of n rows."""
        columns = [Raw(raw.values[index], raw.is_category) for raw in self.frame.columns]
        return Frame(self.frame.names, columns, n)

    @staticmethod
    def joined(parts: Sequence[Rows]) -> Rows:
        """Concatenate rows with the same columns."""
        first = parts[0].frame
        columns = [
            Raw(np.concatenate([part.frame.columns[j].values for part in parts]), raw.is_category)
            for j, raw in enumerate(first.columns)
        ]
        bad, n = {}, 0
        for part in parts:
            bad.update({n + i: reason for i, reason in part.bad.items()})
            n += len(part)
        keys = [key for part in parts for key in part.keys]
        labels = [label for part in parts for label in part.labels]
        return Rows(Frame(first.names, columns, n), keys, labels, bad)


def used(kinds: Mapping[str, str]) -> dict[str, str]:
    """Return the feature columns (those that are not dropped) with their kinds."""
    return {name: kind for name, kind in kinds.items() if kind != "drop"}


def read(
    table: Any,
    kinds: Mapping[str, str],
    keys: Any = None,
    labels: Any = None,
    *,
    strict: bool = True,
) -> Rows:
    """Parse rows: return typed columns, with keys and labels as strings.

    A key is a string or an integer, which is converted to a string: 3, 3.0 and "3" are the same
    key. A row is malformed if its key has another type; if its key or label is missing or has 1,000
    characters or more; if its label is not a string, number or boolean; or, if `strict`, if a value
    does not fit the kind of its column. Otherwise such a value counts as missing. Values may be
    missing; all values of an absent column are missing.

    Parameters
    ----------
    table : frame, table or dict of columns
        The rows.
    kinds : dict of str to str
        The kind of each column: "number", "boolean", "category", "date", "drop".
    keys, labels : array-like, optional
        A key and a label for each row.
    strict : bool
        Whether a value of another kind makes its row malformed.
    """
    given = frame_of(table)
    n = given.n_rows
    found = given.names or [f"x{j}" for j in range(len(given.columns))]
    columns, wanted = dict(zip(found, given.columns)), used(kinds)
    if not wanted.keys() & columns.keys():
        has, known = (", ".join(map(repr, each[:10])) for each in ([*found], [*wanted]))
        raise ValueError(
            f"The rows have none of the columns that the model was trained with ({known}). Columns "
            f"found: {has}."
        )
    bad: dict[int, str] = {}
    wrong = bad if strict else {}
    raws = [_column(name, kind, columns.get(name), n, wrong) for name, kind in wanted.items()]
    label_texts, key_texts = _texts(labels, n, "label", bad), _texts(keys, n, "key", bad)
    return Rows(Frame([*wanted], raws, n), key_texts, label_texts, bad)


def _column(name: str, kind: str, raw: Raw | None, n: int, bad: dict[int, str]) -> Raw:
    """Return a column as values of its kind; add rows with an invalid value to `bad`."""
    if raw is None:
        value, dtype = MISSING.get(kind, (np.nan, float))
        return Raw(np.full(n, value, dtype=dtype), kind == "category")
    if kind == "category":
        return Raw(objects(names(raw.values)), True)
    reader, problem = READERS[kind]
    values, wrong = reader(raw.values)
    problems = dict.fromkeys(wrong, problem)
    if kind == "number":
        with np.errstate(invalid="ignore"):
            too_large = np.flatnonzero(np.abs(values) > LARGEST_VALUE).tolist()
        problems |= {i: "too large" for i in too_large if i not in problems}
        if too_large:
            values = values.copy()
            values[too_large] = np.nan
    for i, each in problems.items():
        reason = PROBLEMS[each][0].format(value=shown(raw.values[i]))
        bad.setdefault(i, f"column {name!r} {reason}")
    return Raw(values)


def _texts(given: Any, n: int, what: str, bad: dict[int, str]) -> list[str | None]:
    """Return keys or labels as strings; add rows with an invalid key or label to `bad`."""
    if given is None:
        return []
    is_list = isinstance(given, Sequence) and not isinstance(given, str)
    values = objects(given) if is_list else frame_of({"": given}).columns[0].values
    if len(values) != n:
        raise ValueError(f"Found {n} rows but {len(values)} {what}s.")
    found = names(values)
    # Most columns contain only plain strings or integers: checking the distinct values is enough.
    if values.dtype.kind in "iuU" and all(map(_is_plain, {*found})):
        return found
    for i, (value, text) in enumerate(zip(values.tolist(), found)):
        if type(value) is str and _is_plain(value):
            continue
        reason = _problem(value, text, what)
        if reason:
            bad[i] = reason
            found[i] = None
    return found


def _is_plain(text: str | None) -> bool:
    """Return whether a value is a valid key that needs no further checks."""
    if not text:
        return False
    return len(text) < MAX_LENGTH and text.isprintable() and not text.isspace()


def _problem(value: Any, text: str | None, what: str) -> str:
    """Return what is wrong with a key or label of any type; empty if it is valid."""
    if text is None or (isinstance(value, str) and not value.strip()):
        return f"the {what} is missing"
    if len(text) >= MAX_LENGTH:
        return f"the {what} has {MAX_LENGTH:,} characters or more"
    try:
        text.encode()
    except UnicodeEncodeError:
        return f"the {what} {shown(value)} cannot be encoded as UTF-8"
    is_number = isinstance(value, int | float | np.integer | np.floating)
    if what == "key":
        is_integer = is_number and not isinstance(value, bool) and value == value // 1
        if not isinstance(value, str) and not is_integer:
            return f"the key {shown(value)} is neither a string nor an integer"
    elif not isinstance(value, str | np.generic) and not is_number:
        return f"the label {shown(value)} is neither a string nor a number"
    elif "\0" in text:
        return "the label contains a null character"
    elif is_number and abs(value) == np.inf:
        return "the label is infinite"
    return ""


def read_times(values: np.ndarray, column: str, bad: dict[int, str]) -> np.ndarray:
    """Return the values of a column as times; add rows with an invalid time to `bad`."""
    times, wrong = dates(values)
    for i in wrong:
        bad.setdefault(i, f"{str(values[i])!r:.50} in column {column!r} is not a time such as "
                       "2024-01-31 or 2024-01-31T12:00")  # fmt: skip
    return times


def unreadable(n: int, kinds: Mapping[str, str], reason: str) -> Rows:
    """Return n malformed rows with the same reason."""
    wanted = used(kinds)
    columns = [_column(name, kind, None, n, {}) for name, kind in wanted.items()]
    missing: list[str | None] = [None] * n
    return Rows(Frame([*wanted], columns, n), missing, missing, dict.fromkeys(range(n), reason))


def runs(labels: Sequence[Any], model: Any) -> list[slice]:
    """Return slices of rows in which only the first row may have a label that is new to the model.

    The item size of a NumPy string array is that of its longest string, and some learners store the
    array in which a class first appeared. With these slices, the stored array does not depend on
    the other labels of a call.

    Examples
    --------
    >>> runs(["a", "b", "a", "ccc", "a"], None)
    [slice(0, 1, None), slice(1, 3, None), slice(3, 5, None)]
    """
    known = {*getattr(model, "classes_", np.zeros(0)).tolist()}
    if known.issuperset(labels):
        return [slice(0, len(labels))]
    begins = []
    for i, label in enumerate(labels):
        if label not in known:
            known.add(label)
            begins.append(i)
    begins = begins if begins[0] == 0 else [0, *begins]
    return [*map(slice, begins, [*begins[1:], len(labels)])]
