"""Rows of many keys as they are learned: columns read, keys and labels as text, poison apart."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, Protocol

import numpy as np

from driftlearn.base.validation import LARGEST_VALUE
from driftlearn.preprocessing.surprises import PROBLEMS, shown
from driftlearn.tables.frames import Frame, Raw, frame_of
from driftlearn.tables.values import booleans, dates, names, numbers

LONGEST = 1_000  # characters of a key or a label
READERS = {"number": (numbers, "no number"), "boolean": (booleans, "no boolean"),
           "date": (dates, "no date")}  # fmt: skip


class Places(Protocol):
    """Where rows come from."""

    def __getitem__(self, i: int, /) -> tuple[str | None, int | None]:
        """Return the file of a row, and its number in the file."""


class Rows:
    """Rows that were read; what cannot be learned is named.

    Attributes
    ----------
    frame : Frame
        The columns that models learn from.
    labels : list of (str or None)
        The labels as text.
    keys : list of (str or None)
        The keys as text.
    bad : dict of int to str
        For each poisoned row, by its place, what is the matter, as a sentence without its end.
    """

    def __init__(
        self,
        frame: Frame,
        keys: list[str | None],
        labels: list[str | None],
        bad: dict[int, str],
    ):
        self.frame, self.keys, self.labels, self.bad = frame, keys, labels, bad

    def __len__(self) -> int:
        return self.frame.n_rows

    @cached_property
    def table(self) -> dict[str, np.ndarray]:
        """The columns by name."""
        assert self.frame.names is not None
        return {name: raw.values for name, raw in zip(self.frame.names, self.frame.columns)}

    def take(self, index: np.ndarray) -> Rows:
        """Return some rows, in that order; none of them is poisoned."""
        columns = [Raw(raw.values[index], raw.is_category) for raw in self.frame.columns]
        at = index.tolist()
        keys = [self.keys[i] for i in at] if self.keys else []
        labels = [self.labels[i] for i in at] if self.labels else []
        return Rows(Frame(self.frame.names, columns, len(at)), keys, labels, {})

    def part(self, begin: int, end: int) -> Frame:
        """Return the columns of rows that follow each other."""
        columns = [Raw(raw.values[begin:end], raw.is_category) for raw in self.frame.columns]
        return Frame(self.frame.names, columns, end - begin)

    @staticmethod
    def joined(parts: Sequence[Rows]) -> Rows:
        """Return rows one after the other, all with the same columns."""
        first = parts[0].frame
        columns = [
            Raw(np.concatenate([part.frame.columns[j].values for part in parts]), raw.is_category)
            for j, raw in enumerate(first.columns)
        ]
        bad, n = {}, 0
        for part in parts:
            bad.update({n + i: why for i, why in part.bad.items()})
            n += len(part)
        keys = [key for part in parts for key in part.keys]
        labels = [label for part in parts for label in part.labels]
        return Rows(Frame(first.names, columns, n), keys, labels, bad)


def read(
    table: Any,
    kinds: Mapping[str, str],
    keys: Any = None,
    labels: Any = None,
) -> Rows:
    """Return rows as they are learned.

    A key is a text or a whole number, which is written as one: 3, 3.0 and "3" are one key. Any
    other is poison, and so are a key or label that is missing or has 1,000 characters, a label
    that is no text, number or boolean, and a value that is not what its column holds. A value
    that is missing is none; a column that is not there is all missing.

    Parameters
    ----------
    table : frame, table or dict of columns
        The rows.
    kinds : dict of str to str
        What each column holds: "number", "boolean", "category", "date", "drop".
    keys, labels : array-like, optional
        A key and a label for each row.
    """
    given = frame_of(table)
    if given.names is None:
        given = Frame([f"x{j}" for j in range(len(given.columns))], given.columns, given.n_rows)
    assert given.names is not None
    there = dict(zip(given.names, given.columns))
    wanted = {name: kind for name, kind in kinds.items() if kind != "drop"}
    if not wanted.keys() & there.keys():
        has, known = (", ".join(map(repr, each[:10])) for each in (given.names, [*wanted]))
        raise ValueError(f"the rows have none of the columns that are learned from ({known}); "
                         f"they have {has}")  # fmt: skip
    bad: dict[int, str] = {}
    columns = [_column(name, kind, there.get(name), given.n_rows, bad)
               for name, kind in wanted.items()]  # fmt: skip
    found_labels = _texts(labels, given.n_rows, "label", _label_problem, bad)
    found_keys = _texts(keys, given.n_rows, "key", _key_problem, bad)
    return Rows(Frame([*wanted], columns, given.n_rows), found_keys, found_labels, bad)


def _column(name: str, kind: str, raw: Raw | None, n: int, bad: dict[int, str]) -> Raw:
    """Return a column as values of its kind; rows in which one is none are bad."""
    if raw is None:
        nothing: dict[str, tuple[Any, Any]] = {
            "category": (None, object),
            "date": (np.datetime64("NaT"), "datetime64[us]"),
        }
        value, dtype = nothing.get(kind, (np.nan, float))
        return Raw(np.full(n, value, dtype=dtype), kind == "category")
    if kind == "category":
        text = np.empty(n, dtype=object)
        text[:] = names(raw.values)
        return Raw(text, True)
    reader, problem = READERS[kind]
    found, wrong = reader(raw.values)
    for i in wrong:
        _note(bad, i, name, problem, raw.values[i])
    if kind == "number":
        with np.errstate(invalid="ignore"):
            for i in np.flatnonzero(np.abs(found) > LARGEST_VALUE).tolist():
                _note(bad, i, name, "too large", raw.values[i])
    return Raw(found)


def _note(bad: dict[int, str], row: int, column: str, problem: str, value: Any) -> None:
    said = PROBLEMS[problem][0].format(value=shown(value))
    bad.setdefault(row, f"column {column!r} {said}")


def _texts(given: Any, n: int, what: str, problem: Any, bad: dict[int, str]) -> list[str | None]:
    if given is None:
        return []
    values = _values(given)
    if len(values) != n:
        raise ValueError(f"there are {n} rows and {len(values)} {what}s: each row needs one")
    found = names(values)
    plain = values.dtype.kind in "iuU"
    known = {*found} if plain else ()
    if plain and all(text is not None and _is_plain(text) for text in known):
        return found
    for i, (value, text) in enumerate(zip(values.tolist(), found)):
        if type(value) is str and _is_plain(value):
            continue
        said = problem(value, text)
        if said:
            bad[i] = said
            found[i] = None
    return found


def _values(given: Any) -> np.ndarray:
    """Return a column as an array in which numbers and texts stay what they are."""
    if isinstance(given, Sequence) and not isinstance(given, str):
        values = np.empty(len(given), dtype=object)
        values[:] = given
        return values
    return frame_of({"": given}).columns[0].values


def _is_plain(text: str) -> bool:
    """Tell whether a text can be a key as it is."""
    return 0 < len(text) < LONGEST and text.isprintable() and not text.isspace()


def _problem(value: Any, text: str | None, what: str) -> str:
    if text is None or (isinstance(value, str) and not value.strip()):
        return f"the {what} is missing"
    if len(text) >= LONGEST:
        return f"the {what} has {LONGEST:,} characters or more"
    try:
        text.encode()
    except UnicodeEncodeError:
        return f"the {what} {shown(value)} is no text that can be stored"
    return ""


def _key_problem(value: Any, text: str | None) -> str:
    said = _problem(value, text, "key")
    if not said and not isinstance(value, str):
        whole = isinstance(value, int | np.integer) and not isinstance(value, bool)
        if not whole and not (isinstance(value, float | np.floating) and value.is_integer()):
            return f"the key {shown(value)} is neither text nor a whole number"
    return said


def _label_problem(value: Any, text: str | None) -> str:
    said = _problem(value, text, "label")
    if not said and not isinstance(value, str | int | float | np.generic):
        return f"the label {shown(value)} is neither text nor a number"
    if not said and "\0" in str(text):
        return "the label has a character that no label can have"
    if not said and isinstance(value, float) and value in (np.inf, -np.inf):
        return "the label is infinite"
    return said


def unreadable(n: int, kinds: Mapping[str, str], why: str) -> Rows:
    """Return so many rows of which nothing can be learned, and why."""
    wanted = {name: kind for name, kind in kinds.items() if kind != "drop"}
    columns = [_column(name, kind, None, n, {}) for name, kind in wanted.items()]
    nothing: list[str | None] = [None] * n
    return Rows(Frame([*wanted], columns, n), nothing, nothing, dict.fromkeys(range(n), why))


def runs(labels: Sequence[Any], model: Any) -> list[slice]:
    """Return runs of rows such that only the first of one has a label that a model does not know.

    Arrays of texts are as wide as their longest, and some learners keep an array as it was when a
    class came: so it must not depend on what came with it in a call.

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
