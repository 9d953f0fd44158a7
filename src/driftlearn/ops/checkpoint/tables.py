"""Columns of a piece of rows by their role: features, labels, keys, times."""

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from typing import Any

import numpy as np

from driftlearn.tables.files import Piece
from driftlearn.tables.frames import frame_of, n_rows_of
from driftlearn.tables.values import dates, kind_of, names
from driftlearn.utils.arguments import meant

MAX_LABEL = 1_000  # characters; longer texts are truncated to this length when they are read
MIN_ROWS = 100  # for the check of distinct values: an encoder has room for as many categories
MAX_DISTINCT = 0.9  # share of distinct values above which a column is taken for an identifier
Columns = dict[str, Any]
SHOWN = 20  # columns listed in an error message


class TablePiece:
    """A piece of rows and the roles of its columns.

    Parameters
    ----------
    piece : Piece
        The rows.
    target : str, optional
        The label column, if there is one.
    time, key : str, optional
        The column of times and the column of keys.
    """

    def __init__(self, piece: Piece, target: str | None, time: str | None, key: str | None = None):
        self.piece = piece
        self._target, self._time, self._key = target, time, key

    @cached_property
    def features(self) -> Columns:
        """All columns but the label column."""
        return without(self.piece.table, self._target)

    @cached_property
    def labels(self) -> list[str | None]:
        """The labels as text, None where one is missing."""
        assert self._target is not None
        found = texts(self.piece.table, self._target)
        for label in {*found} - {None}:
            if len(str(label)) >= MAX_LABEL:
                row = self.piece.row + found.index(label)
                raise ValueError(
                    f"{self.piece.file}, row {row}: the label has {MAX_LABEL:,} characters or "
                    f"more. Is {self._target!r} the label column?"
                )
        return found

    @cached_property
    def keys(self) -> list[str | None]:
        """The keys as text, None where one is missing."""
        assert self._key is not None
        return texts(self.piece.table, self._key)

    def slice(self, begin: int, end: int) -> Columns:
        """Return the features of some rows."""
        return sliced(self.features, begin, end)

    def times(self, begin: int, end: int) -> np.ndarray:
        """Return the times of some rows, NaT where one is missing; raise if one is malformed."""
        assert self._time is not None
        values = column(sliced(self.piece.table, begin, end), self._time)
        found, bad = dates(values)
        if bad:
            row, value = self.piece.row + begin + bad[0], values[bad[0]]
            raise ValueError(
                f"{self.piece.path}, row {row}: {value!r:.50} in column {self._time!r} is not a "
                "time, e.g. 2024-01-31 or 2024-01-31T12:00."
            )
        return found

    def time_text(self, i: int) -> str:
        """Return the time of a row as text; empty if there is none."""
        if self._time is None:
            return ""
        found = self.times(i, i + 1)[0]
        text = str(found.astype("datetime64[s]"))
        return "" if np.isnat(found) else text.removesuffix("T00:00:00")


@contextmanager
def in_file(path: str) -> Iterator[None]:
    """Add the file to errors about a table, and name the option instead of the parameter."""
    try:
        yield
    except ValueError as problem:
        text = re.sub(r"kinds=\{('.*'): 'drop'\}", r"--drop \1", str(problem))
        raise ValueError(f"{path}: {text}") from problem


def column(table: Columns, name: str) -> np.ndarray:
    """Return the values of a column."""
    return frame_of({name: table[name]}).columns[0].values


def texts(table: Columns, name: str) -> list[str | None]:
    """Return the values of a column as text; whole numbers have no decimal point."""
    return names(column(table, name)) if n_rows_of(table) else []


def without(table: Columns, *omitted: str | None) -> Columns:
    """Return all other columns."""
    return {name: values for name, values in table.items() if name not in omitted}


def sliced(table: Columns, begin: int, end: int) -> Columns:
    """Return some rows."""
    return {name: values[begin:end] for name, values in table.items()}


def kinds_of(table: Columns, stated: dict[str, str]) -> dict[str, str]:
    """Return the kinds of all columns that have a value, by name; stated kinds take precedence."""
    rest = without(table, *stated)
    columns = frame_of(rest).columns if rest else []
    found = {name: kind_of(raw, name) for name, raw in zip(rest, columns)}
    return {**stated, **{name: kind for name, kind in found.items() if kind != "empty"}}


def hardly_repeated(table: Columns, kinds: dict[str, str]) -> list[str]:
    """Return the columns of categories whose values are nearly all distinct: keys, free text."""
    found = []
    for name, kind in kinds.items():
        values = [each for each in texts(table, name) if each is not None] * (kind == "category")
        if len(values) >= MIN_ROWS and len({*values}) > MAX_DISTINCT * len(values):
            found.append(name)
    return found


def check_column(name: str, there: Sequence[str], what: str, where: str) -> None:
    """Raise ValueError, with similar names, if a column is missing."""
    if name not in there:
        raise ValueError(
            f"{where} has no column {name!r} for {what}{meant(name, there)}. Its columns are "
            f"{', '.join(map(repr, there[:SHOWN]))}."
        )


def check_known(known: Sequence[str], there: Sequence[str], path: str, folder: Any) -> None:
    """Raise ValueError if a file has none of the columns that a model was trained with."""
    if not {*known} & {*there}:
        raise ValueError(
            f"{path} has none of the columns that the model in {folder} was trained with "
            f"({', '.join(map(repr, known[:SHOWN]))}). Is it the right --state folder?"
        )
