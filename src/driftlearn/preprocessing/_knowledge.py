"""State of an encoder: columns, moments of its output columns, and deviations of later rows."""

from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from functools import partial
from typing import Any, ClassVar

import numpy as np

from driftlearn.base.validation import LARGEST_VALUE
from driftlearn.io import schema
from driftlearn.preprocessing._columns import (
    COLUMNS,
    CategoryColumn,
    Column,
    DroppedColumn,
    one_wide,
    settled,
)
from driftlearn.preprocessing._running_moments import fill, first_beyond
from driftlearn.tables.frames import Frame, Raw, numbered
from driftlearn.utils.arguments import Self
from driftlearn.utils.safe_text import printable
from driftlearn.utils.table import Table

MOST = 1_000  # maximum number of recorded warnings; every call may bring a new column
SHOWN = 50  # maximum characters of a value
MOST_ROWS = 2**53

#: Description of each problem and its consequence.
PROBLEMS = {
    "new column": ("is new", "it is left out"),
    "missing column": ("is not there", "its values count as missing"),
    "no number": ("holds {value}, which is not a number", "it counts as missing"),
    "no date": (
        "holds {value}, which is not a date such as 2024-01-31 or 2024-01-31T12:00",
        "it counts as missing",
    ),
    "no boolean": ("holds {value}, which is neither true nor false", "it counts as missing"),
    "too large": ("holds {value}: numbers lie between -1e75 and 1e75", "it counts as missing"),
    "identifier": (
        "has values that hardly ever repeat, such as {value}",
        "it is dropped, unless 'kinds' declares it as a category",
    ),
    "other type": ("holds {value} where it held text", "it counts as the category of that name"),
    "new label": ("has new labels, {value}", "they are held back until they are frequent"),
    "no key": ("has no value", "the row is not learned"),
    "all missing": ("has no value", "it counts as missing"),
    "other scale": ("has the median {value}", "it is used as it is"),
    "unseen words": ("holds the new word {value}", "it counts as a rare category"),
    "other spelling": ("holds {value}", "it counts as another category"),
    "other boolean": ("holds {value}", "it counts as another category"),
}

Note = Callable[..., None]  # function called with a column, a problem, its rows and a value


class Knowledge:
    """The columns of a table and the moments of their output columns.

    Parameters
    ----------
    columns : list of Column
        The columns.
    scale : bool
        Whether to standardize the columns that can be scaled.
    indicators : bool
        Whether each column has an additional output column that is 1 where its value is missing.

    Attributes
    ----------
    count, mean, var : ndarray of shape (width,)
        Moments of the output columns.
    scaled : ndarray of shape (width,)
        Which output columns are standardized.
    """

    STATE: ClassVar[dict[str, schema.Field]] = {
        "columns": schema.list_of(schema.a(*COLUMNS)),
        "count": schema.floats("width", least=0),
        "mean": schema.floats("width"),
        "var": schema.floats("width", least=0),
        "scaled": schema.flags("width"),
    }

    def __init__(self, columns: list[Column], scale: bool, indicators: bool):
        self.columns = columns
        scaled = [scale and each.scalable for each in columns for _ in range(each.width)]
        scaled += [False] * len(columns) if indicators else []
        self.scaled = np.array(scaled, dtype=bool)
        self.count, self.mean, self.var = np.zeros((3, len(scaled)))

    @staticmethod
    def check_state(state: dict[str, Any]) -> None:
        """Raise InvalidStateError unless columns and moments fit together."""
        columns = state["columns"]
        if not columns or len({each.name for each in columns}) < len(columns):
            raise schema.InvalidStateError(
                "the table must have at least one column, and column names must be unique"
            )
        width = sum(each.width for each in columns)
        if len(state["count"]) not in (width, width + len(columns)):
            raise schema.InvalidStateError(
                f"the table has {width} columns, but moments of {len(state['count'])} columns"
            )

    def outputs(self) -> list[str]:
        """Return the names of the output columns."""
        names = [name for each in self.columns for name in each.outputs()]
        if len(names) < len(self.scaled):
            names += [f"{each.name}_missing" for each in self.columns]
        return names

    def draft(self) -> Self:
        """Return a working copy; it shares the columns, which are never modified."""
        draft = object.__new__(type(self))
        draft.__dict__ = {**self.__dict__, "columns": [*self.columns]}
        for name in ("count", "mean", "var", "scaled"):
            setattr(draft, name, getattr(self, name).copy())
        return draft

    def matched(
        self, frame: Frame, names: np.ndarray | None, n_columns: int, note: Note
    ) -> list[Raw | None]:
        """Return the column of a frame for each known column, None if it is missing.

        Columns are matched by name if both have names, else by position.
        """
        if names is not None and frame.names == [each.name for each in self.columns]:
            return [*frame.columns]
        if names is None or frame.names is None:
            if len(frame.columns) != n_columns:
                raise ValueError(
                    f"X has {len(frame.columns)} features, but TableEncoder is expecting "
                    f"{n_columns} features as input: columns without names are matched by position"
                )
            keys = numbered(n_columns) if names is None else names.tolist()
        else:
            keys = frame.names
        given = dict(zip(keys, frame.columns))
        known = {*keys} if names is None else {*names.tolist()}
        whole = range(frame.n_rows)
        for name in given:
            if name not in known:
                note(name, "new column", whole)
        for each in self.columns:
            if each.name not in given and each.kind != "drop":
                note(each.name, "missing column", whole)
        return [given.get(each.name) for each in self.columns]

    def settle(self, raws: list[Raw | None], scale: bool, categories: str, n_places: int) -> None:
        """Determine the kinds of empty columns that have values now."""
        begin = 0
        for k, (each, raw) in enumerate(zip(self.columns, raws)):
            if each.kind == "empty" and raw is not None:
                self.columns[k] = settled(each, raw, categories, n_places)
                self.scaled[begin] = scale and self.columns[k].scalable
            begin += each.width

    def change_kind(self, name: str, kind: str, scale: bool, categories: str, n: int) -> None:
        """Replace a column by one of another kind; the number of output columns is the same."""
        begin = 0
        for k, each in enumerate(self.columns):
            width = each.width
            if each.name == name and kind == "drop":
                self.columns[k] = DroppedColumn(name, width)
            elif each.name == name:
                if width > 1:
                    raise ValueError(
                        f"column {name!r} is encoded as {width} columns, so its kind can only be "
                        f"changed to 'drop'. Got {kind!r} instead."
                    )
                self.columns[k] = one_wide(name, kind, categories, n)
                self.scaled[begin] = scale and self.columns[k].scalable
                self.count[begin] = self.mean[begin] = self.var[begin] = 0.0
            begin += width

    def encoded(
        self,
        raws: list[Raw | None],
        n_rows: int,
        native: bool,
        window: int | None,
        learning: bool,
        note: Note,
    ) -> np.ndarray:
        """Return the output columns, each row encoded with the state before it.

        Missing columns are None. With `native`, missing values stay nan.
        """
        out = np.empty((n_rows, len(self.scaled)))
        parts, begin = [], 0
        for k, (each, raw) in enumerate(zip(self.columns, raws)):
            part = out[:, begin : begin + each.width]
            if raw is None:
                part[:] = np.nan
            else:
                known = each.encoded(raw, part, learning, partial(note, each.name))
                if learning:
                    self.columns[k] = known
            parts.append(part)
            begin += part.shape[1]
        out[:, begin:] = 0.0
        if first_beyond(out, LARGEST_VALUE) >= 0:
            # Larger numbers become nan, because sums of their squares could overflow in learners.
            for each, part in zip(self.columns, parts):
                large = np.flatnonzero(np.abs(part[:, 0]) > LARGEST_VALUE)
                if len(large):
                    note(each.name, "too large", large.tolist(), part[large[0], 0])
                    part[large, 0] = np.nan
        for k, (each, part) in enumerate(zip(self.columns, parts)):
            if begin < out.shape[1]:
                out[:, begin + k] = np.isnan(part[:, 0])
            if isinstance(each, CategoryColumn) and not native:
                part[np.isnan(part[:, 0])] = each.missing_as()
        moments = [self.count, self.mean, self.var]
        if not learning:  # the stored moments may be memory-mapped
            moments = [each.copy() for each in moments]
        how = self.scaled.view(np.uint8)
        fill(out, *moments, how, np.inf if window is None else float(window), native, learning)  # type: ignore[call-arg]
        return out


class SchemaWarning(UserWarning):
    """Warning of the first schema change of its kind in a column; ``args[0]`` describes it."""


@dataclass(frozen=True)
class SchemaChange:
    """Deviation of a column from its first rows.

    Attributes
    ----------
    column : str
        Name of the column.
    problem : str
        Kind of problem: "new column", "missing column", "no number", "no date", "no boolean",
        "too large", "identifier" or "other type"; of whole tables also "all missing", "other
        scale", "unseen words", "other spelling", "other boolean", "new label" and "no key".
    file : str or None
        Name of the first source with the problem; None if the source has no name.
    row : int
        First row with the problem, counted from 0 in the source or, without a source, in all rows.
    value : str
        The value in that row, as a string.
    count : int
        Number of rows with the problem.
    rows : int
        Number of rows that were compared; 0 if it is unknown.

    Examples
    --------
    >>> print(SchemaChange("age", "no number", "may.csv", 17, "'old'", 1))
    may.csv, row 17: column 'age' holds 'old', which is not a number; it counts as missing
    """

    STATE: ClassVar[dict[str, schema.Field]] = {
        "column": schema.word(),
        "problem": schema.word(*PROBLEMS),
        "file": schema.optional(schema.word(), needed=True),
        "row": schema.integer(0, MOST_ROWS),
        "value": schema.word(),
        "count": schema.integer(1, MOST_ROWS),
        "rows": schema.newer(schema.integer(0, MOST_ROWS)),
    }

    column: str
    problem: str
    file: str | None
    row: int
    value: str
    count: int
    rows: int = 0

    @property
    def where(self) -> str:
        """File and row as a string."""
        return f"row {self.row}" if self.file is None else f"{printable(self.file)}, row {self.row}"

    @property
    def what(self) -> str:
        """Location and description, as a sentence without a period."""
        return f"{self.where}: column {self.column!r} {self.description[0]}"

    @property
    def becomes(self) -> str:
        """Consequence, as a sentence without a period."""
        return self.description[1]

    @property
    def description(self) -> tuple[str, str]:
        """The problem and its consequence."""
        what, becomes = PROBLEMS[self.problem]
        return what.format(value=self.value), becomes

    def __str__(self) -> str:
        return f"{self.what}; {self.becomes}"


def shown(value: Any) -> str:
    """Return a value as a short string without control characters."""
    text = printable(repr(value) if isinstance(value, str) else str(value))
    return text if len(text) <= SHOWN else f"{text[: SHOWN - 3]}..."


def added(known: list[SchemaChange], new: list[SchemaChange]) -> list[SchemaChange]:
    """Return all schema changes, with one entry for each column and problem."""
    found = {(each.column, each.problem): each for each in known}
    for each in new:
        before = found.get((each.column, each.problem))
        if before is not None:
            found[each.column, each.problem] = replace(before, count=before.count + each.count)
        elif len(found) < MOST:
            found[each.column, each.problem] = each
    return list(found.values())


def table_of(changes: list[SchemaChange]) -> Table:
    """Return schema changes as a table with one row each."""
    names = [field.name for field in fields(SchemaChange) if field.name != "rows"]
    return Table({name: [getattr(each, name) for each in changes] for name in names})
