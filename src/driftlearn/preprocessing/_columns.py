"""Columns of an encoder: their state, and the encoding of their values as numbers.

Columns are immutable. An update returns a new column, so concurrent readers are not affected, and
an error in another column changes nothing.
"""

from collections.abc import Callable
from copy import copy
from typing import Any, ClassVar

import numpy as np

from driftlearn.io import schema
from driftlearn.preprocessing._running_moments import shares
from driftlearn.tables.frames import Raw
from driftlearn.tables.values import TYPE, booleans, dates, holds_text, kind_of, names, numbers
from driftlearn.utils.arguments import Self

#: Function called with a problem, the rows that have it, and one of their values.
Note = Callable[[str, Any, Any], None]

PARTS = ("year", "month", "day", "weekday", "hour", "age")
ENCODINGS = ("onehot", "codes", "frequency")
OTHER, NONE, FIRST = 0, 1, 2  # codes of rare categories, of missing values, of the first category
HOUR = np.timedelta64(1, "h")
DAY = np.timedelta64(1, "D")
MOST_CATEGORIES = 1_000_000


def are_parts(parts: list[str]) -> bool:
    """Return whether these are valid date parts without duplicates."""
    return 0 < len(parts) == len({*parts} & {*PARTS})


class Column:
    """Base class of the columns of a table.

    Parameters
    ----------
    name : str
        Name of the column.

    Attributes
    ----------
    kind : str
        Kind of its values.
    scalable : bool
        Whether its values can be standardized.
    """

    STATE: ClassVar[dict[str, schema.Field]] = {"name": schema.word()}
    kind: ClassVar[str]
    scalable: ClassVar[bool] = False

    def __init__(self, name: str):
        self.name = name

    @property
    def width(self) -> int:
        """Number of output columns."""
        return 1

    def outputs(self) -> list[str]:
        """Return the names of the output columns."""
        return [self.name]

    def encoded(self, raw: Raw, out: np.ndarray, learning: bool, note: Note) -> Self:
        """Write encoded values to `out`, nan if missing; return the column with its new state.

        Each row is encoded with the state before it.
        """
        raise NotImplementedError


class ParsedColumn(Column):
    """Column whose values are parsed by `_parse`; `_problem` describes invalid values."""

    _parse: ClassVar[Any]
    _problem: ClassVar[str]

    def encoded(self, raw: Raw, out: np.ndarray, learning: bool, note: Note) -> Self:
        """See `Column`."""
        out[:, 0] = self._parsed(raw, note)
        return self

    def _parsed(self, raw: Raw, note: Note) -> np.ndarray:
        found, bad = self._parse(raw.values)
        if bad:
            note(self._problem, bad, raw.values[bad[0]])
        return found


class NumberColumn(ParsedColumn):
    """Column of numbers."""

    kind = "number"
    scalable = True
    _parse = staticmethod(numbers)
    _problem = "no number"


class BooleanColumn(ParsedColumn):
    """Column of booleans."""

    kind = "boolean"
    _parse = staticmethod(booleans)
    _problem = "no boolean"


class DateColumn(ParsedColumn):
    """Column of dates, encoded as calendar parts and age in days since the first date.

    Parameters
    ----------
    name : str
        Name of the column.
    parts : tuple of str
        Date parts to encode.

    Attributes
    ----------
    first : int or None
        The first date, in microseconds since 1970.
    """

    STATE: ClassVar[dict[str, schema.Field]] = {
        "parts": schema.word(),
        "first": schema.optional(schema.integer(None, 2**63 - 1), needed=True),
    }
    kind = "date"
    scalable = True
    _parse = staticmethod(dates)
    _problem = "no date"

    def __init__(self, name: str, parts: tuple[str, ...]):
        super().__init__(name)
        self.parts = " ".join(parts)
        self.first: int | None = None

    @staticmethod
    def check_state(state: dict[str, Any]) -> None:
        """Raise InvalidStateError unless the parts are valid."""
        if not are_parts(state["parts"].split()):
            raise schema.InvalidStateError(f"invalid parts of a date: {state['parts']!r:.50}")

    @property
    def width(self) -> int:
        """See `Column`."""
        return len(self.parts.split())

    def outputs(self) -> list[str]:
        """See `Column`."""
        return [f"{self.name}_{part}" for part in self.parts.split()]

    def encoded(self, raw: Raw, out: np.ndarray, learning: bool, note: Note) -> Self:
        """See `Column`."""
        found = self._parsed(raw, note)
        there = ~np.isnat(found)
        first, known = self.first, self
        if first is None and there.any():
            first = int(found[there][0].astype(np.int64))
            known = copy(self)
            known.first = first
        out[:] = np.nan
        if first is not None:
            for j, part in enumerate(self.parts.split()):
                out[there, j] = _part(found[there], part, first)
        return known


def _part(found: np.ndarray, part: str, first: int) -> np.ndarray:
    day = found.astype("datetime64[D]")
    month = found.astype("datetime64[M]")
    if part == "year":
        return month.astype("datetime64[Y]").astype(np.int64) + 1970
    if part == "month":
        return month.astype(np.int64) % 12 + 1
    if part == "day":
        return (day - month.astype("datetime64[D]")).astype(np.int64) + 1
    if part == "weekday":
        return (day.astype(np.int64) + 3) % 7  # the first of January 1970 was a Thursday
    if part == "hour":
        return (found - day) / HOUR
    return (found - np.int64(first).view(TYPE)) / DAY


class CategoryColumn(Column):
    """Column of categories, whose places are numbered in order of appearance.

    Parameters
    ----------
    name : str
        Name of the column.
    encoding : str
        Encoding, one of `ENCODINGS`.
    n_places : int
        Number of places.

    Attributes
    ----------
    places : dict of str to int
        Place of each category that has one.
    counts : ndarray of shape (n_places + 1,)
        Number of rows of each category, and of all rows; empty unless frequencies are encoded.
    is_text : bool or None
        Whether the first values were strings.
    """

    STATE: ClassVar[dict[str, schema.Field]] = {
        "encoding": schema.word(*ENCODINGS),
        "n_places": schema.integer(1, MOST_CATEGORIES),
        "places": schema.dict_of(schema.integer(0, MOST_CATEGORIES)),
        "counts": schema.floats(None, least=0),
        "is_text": schema.optional(schema.flag(), needed=True),
    }
    kind = "category"

    def __init__(self, name: str, encoding: str, n_places: int):
        super().__init__(name)
        self.encoding = encoding
        self.n_places = n_places
        self.places: dict[str, int] = {}
        self.counts = np.zeros(n_places + 1 if encoding == "frequency" else 0)
        self.is_text: bool | None = None

    @staticmethod
    def check_state(state: dict[str, Any]) -> None:
        """Raise InvalidStateError unless the places are 0, 1, 2, ... and all are counted."""
        n, places = state["n_places"], state["places"]
        if [*places.values()] != [*range(len(places))] or len(places) > n:
            raise schema.InvalidStateError("the places of the categories are inconsistent")
        if len(state["counts"]) != (n + 1 if state["encoding"] == "frequency" else 0):
            raise schema.InvalidStateError("the counts of the categories are inconsistent")

    @property
    def scalable(self) -> bool:  # type: ignore[override]
        """Whether the column is encoded as frequencies, which can be standardized."""
        return self.encoding == "frequency"

    @property
    def width(self) -> int:
        """See `Column`."""
        return self.n_places + 1 if self.encoding == "onehot" else 1

    def outputs(self) -> list[str]:
        """See `Column`."""
        if self.encoding != "onehot":
            return [self.name]
        return [f"{self.name}_{k}" for k in (*range(1, self.n_places + 1), "other")]

    def encoded(self, raw: Raw, out: np.ndarray, learning: bool, note: Note) -> Self:
        """See `Column`."""
        found = names(raw.values)
        places, known = self._places(found, learning)
        gone = np.array([name is None for name in found], dtype=bool)
        is_text = raw.is_category or holds_text(raw.values)
        if self.is_text and not is_text and not gone.all():
            there = np.flatnonzero(~gone)
            note("other type", there.tolist(), raw.values[there[0]])
        if self.encoding == "codes":
            out[:, 0] = places + FIRST
            out[places < 0, 0] = OTHER
        elif self.encoding == "frequency":
            if known is not self:  # the first row of a new category counts, too
                places, _ = known._places(found, learning=False)
            known = copy(known)
            known.counts = self.counts.copy()
            out[~gone, 0] = shares(places[~gone], known.counts, learning)
        else:
            out[:] = 0.0
            out[np.arange(len(out)), np.where(places < 0, self.n_places, places)] = 1.0
        out[gone] = np.nan
        if learning and self.is_text is None and not gone.all():
            known = copy(known)
            known.is_text = is_text
        return known

    def missing_as(self) -> float:
        """Return the encoding of a missing category if nan is not allowed; nan for the mean."""
        return {"codes": float(NONE), "onehot": 0.0, "frequency": np.nan}[self.encoding]

    def _places(self, found: list[str | None], learning: bool) -> tuple[np.ndarray, Self]:
        """Return the place of each category, -1 if it has none, and the column with new ones.

        A new category has a place from the row after its first occurrence on.
        """
        get = self.places.get
        places = np.array([get(name, -1) for name in found], dtype=np.intp)  # type: ignore[arg-type]
        if not learning or len(self.places) == self.n_places:
            return places, self
        new: dict[str, int] = {}
        for i in np.flatnonzero(places < 0).tolist():
            name = found[i]
            if name is None:
                continue
            if name in new:
                places[i] = new[name]
            elif len(self.places) + len(new) < self.n_places:
                new[name] = len(self.places) + len(new)
        if not new:
            return places, self
        known = copy(self)
        known.places = {**self.places, **new}
        return places, known


class EmptyColumn(Column):
    """Column without values so far; its first values determine its kind."""

    kind = "empty"
    scalable = True

    def encoded(self, raw: Raw, out: np.ndarray, learning: bool, note: Note) -> Self:
        """See `Column`."""
        out[:] = np.nan
        return self


class DroppedColumn(Column):
    """Column that is no longer used; its output columns remain, without values.

    Parameters
    ----------
    name : str
        Name of the column.
    size : int
        Number of output columns.
    """

    STATE: ClassVar[dict[str, schema.Field]] = {"size": schema.integer(1, MOST_CATEGORIES + 1)}
    kind = "drop"

    def __init__(self, name: str, size: int):
        super().__init__(name)
        self.size = size

    @property
    def width(self) -> int:
        """See `Column`."""
        return self.size

    def outputs(self) -> list[str]:
        """See `Column`."""
        return [self.name, *(f"{self.name}_{k}" for k in range(1, self.size))]

    def encoded(self, raw: Raw, out: np.ndarray, learning: bool, note: Note) -> Self:
        """See `Column`."""
        out[:] = np.nan
        return self


COLUMNS = (NumberColumn, BooleanColumn, DateColumn, CategoryColumn, EmptyColumn, DroppedColumn)
KINDS: dict[str, Callable[..., Column]] = {column.kind: column for column in COLUMNS}


def made(name: str, kind: str, encoding: str, n_places: int, parts: tuple[str, ...]) -> Column:
    """Return a new column of the given kind."""
    options = {"category": (encoding, n_places), "date": (parts,)}
    return KINDS[kind](name, *options.get(kind, ()))


def settled(column: Column, raw: Raw, encoding: str, n_places: int) -> Column:
    """Return the column that replaces an empty one, with one output column.

    A date is encoded as its age, a category as its code or its frequency.
    """
    return one_wide(column.name, kind_of(raw, column.name), encoding, n_places)


def one_wide(name: str, kind: str, encoding: str, n_places: int) -> Column:
    """Return a new column with one output column."""
    one = "frequency" if encoding == "frequency" else "codes"
    return made(name, kind, one, n_places, ("age",))
