"""A piece of a user's rows, parted: features, labels, keys, times."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from typing import Any

import numpy as np

from driftlearn.ops.sources.piece import Piece
from driftlearn.tables.frames import frame_of, n_rows_of
from driftlearn.tables.values import dates, kind_of, names
from driftlearn.utils.arguments import meant

LONGEST_LABEL = 1_000  # characters
MANY = 100  # rows: as many as an encoder has places for categories
UNIQUE = 0.9  # of the values of a column: from here on there is nothing to be learned from it


class TablePiece:
    """A piece of rows, and what its columns are for.

    Parameters
    ----------
    piece : Piece
        The rows.
    target : str, optional
        The column of labels; None where there is none.
    time, key : str, optional
        The column of times, and that of keys.
    """

    def __init__(self, piece: Piece, target: str | None, time: str | None, key: str | None = None):
        self.piece = piece
        self._target, self._time, self._key = target, time, key

    @cached_property
    def features(self) -> Any:
        """All columns but that of labels."""
        return without(self.piece.table, self._target)

    @cached_property
    def labels(self) -> list[str | None]:
        """The labels as text, None where one is missing."""
        assert self._target is not None
        found = texts(self.piece.table, self._target)
        for label in {*found} - {None}:
            if len(str(label)) >= LONGEST_LABEL:
                row = self.piece.row + found.index(label)
                raise ValueError(
                    f"{self.piece.file}, row {row}: the label has {LONGEST_LABEL:,} characters or "
                    f"more; is {self._target!r} the column of labels?"
                )
        return found

    @cached_property
    def keys(self) -> list[str | None]:
        """The keys as text, None where one is missing."""
        assert self._key is not None
        return texts(self.piece.table, self._key)

    def slice(self, begin: int, end: int) -> Any:
        """Return the features of some rows."""
        return sliced(self.features, begin, end)

    def times(self, begin: int, end: int) -> np.ndarray:
        """Return the times of some rows, NaT where there is none; raise if one is no time."""
        assert self._time is not None
        values = column(sliced(self.piece.table, begin, end), self._time)
        found, bad = dates(values)
        if bad:
            row, value = self.piece.row + begin + bad[0], values[bad[0]]
            raise ValueError(
                f"{self.piece.path}, row {row}: {value!r:.50} in column {self._time!r} is no time "
                "as 2024-01-31 or 2024-01-31T12:00"
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
    """Name the file and the option where a table cannot be read as it is."""
    try:
        yield
    except ValueError as problem:
        said = re.sub(r"kinds=\{('.*'): 'drop'\}", r"--drop \1", str(problem))
        raise ValueError(f"{path}: {said}") from problem


def columns_of(table: Any) -> list[str]:
    """Return the names of the columns."""
    return [str(name) for name in (table if isinstance(table, dict) else table.column_names)]


def column(table: Any, name: str) -> np.ndarray:
    """Return the values of a column."""
    one = {name: table[name]} if isinstance(table, dict) else table.select([name])
    return frame_of(one).columns[0].values


def texts(table: Any, name: str) -> list[str | None]:
    """Return the values of a column as text; a whole number is written as one."""
    return names(column(table, name)) if n_rows_of(table) else []


def without(table: Any, name: str | None) -> Any:
    """Return all columns but one."""
    if name is None or name not in columns_of(table):
        return table
    if isinstance(table, dict):
        return {key: values for key, values in table.items() if key != name}
    return table.drop_columns([name])


def sliced(table: Any, begin: int, end: int) -> Any:
    """Return some rows."""
    if isinstance(table, dict):
        return {name: values[begin:end] for name, values in table.items()}
    return table.slice(begin, end - begin)


def kinds_of(table: Any, stated: dict[str, str]) -> dict[str, str]:
    """Return what columns hold by these rows, but for those that have no value in them."""
    there = [name for name in columns_of(table) if name not in stated]
    rest = {name: table[name] for name in there} if isinstance(table, dict) else table.select(there)
    if not there:
        return {**stated}
    frame = frame_of(rest)
    found = {name: kind_of(raw, name) for name, raw in zip(there, frame.columns)}
    return {**stated, **{name: kind for name, kind in found.items() if kind != "empty"}}


def hardly_repeated(table: Any, kinds: dict[str, str]) -> list[str]:
    """Return the columns of categories hardly any of which comes twice: keys, or whole texts."""
    found = []
    for name, kind in kinds.items():
        values = [each for each in texts(table, name) if each is not None] * (kind == "category")
        if len(values) >= MANY and len({*values}) > UNIQUE * len(values):
            found.append(name)
    return found


def check_column(name: str, there: Sequence[str], what: str, where: str) -> None:
    """Raise ValueError with the nearest names if a column is not there."""
    if name not in there:
        shown = ", ".join(map(repr, there[:20]))
        raise ValueError(f"{where} has no column {name!r}{meant(name, there)} for {what}; it has "
                         f"{shown}")  # fmt: skip


def check_known(known: Sequence[str], there: Sequence[str], path: str, folder: Any) -> None:
    """Raise ValueError if a file has none of the columns that a kept model knows."""
    if not {*known} & {*there}:
        shown = ", ".join(map(repr, known[:10]))
        raise ValueError(
            f"{path} has none of the columns that {folder} learns from ({shown}): is it the right "
            "state folder?"
        )
