"""Inputs of a run: row sources and the roles of columns."""

import json
import os
import re
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from driftlearn.ops.sources.files import FileSource
from driftlearn.ops.sources.source import (
    Source,
    is_server,
    remove_input,
    source_of,
    without_password,
)
from driftlearn.tables.csv_parser import SEPARATORS
from driftlearn.tables.files import Piece
from driftlearn.tables.frames import frame_of, n_rows_of
from driftlearn.tables.values import dates, is_identifier, kind_of, names
from driftlearn.utils.arguments import meant

#: File with the metadata of input files; an input whose metadata is unchanged is not hashed again.
SEEN = "seen.json"
MAX_LABEL = 1_000  # characters; longer labels are truncated
# minimum rows to check distinct values: an encoder has room for this many categories
MIN_ROWS = 100
MAX_DISTINCT = 0.9  # columns with a larger share of distinct values are treated as identifiers
Columns = dict[str, Any]
SHOWN = 20  # maximum number of columns listed in an error message


def csv_options(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings for parsing CSV files."""
    return {name: settings[name] for name in ("sep", "encoding", "missing")}


def open_source(
    names: Sequence[str], settings: Mapping[str, Any], skip: bool = False, **options: bool
) -> Source:
    """Return the source for these names; see `driftlearn.ops.sources.source_of`."""
    return source_of(names, skip=skip, **options, **csv_options(settings))


def numeric_columns(
    kinds: Mapping[str, str], settings: Mapping[str, Any], *others: str
) -> set[str]:
    """Return the numeric feature columns: numbers without another role or a place in `others`."""
    roles = {settings.get(role) for role in ("target", "key", "by")}
    return {name for name, kind in kinds.items() if kind == "number"} - roles - {*others}


def relocate(source: Source, position: dict[str, Any], renamed: bool = False) -> dict[str, str]:
    """Store the positions of moved files under their new paths; return the former paths by path."""
    moved = source.moved(position, renamed)
    for path, former in moved.items():
        position[path] = position.pop(former)
    return moved


def moved_note(path: str, former: str) -> str:
    """Return the message about a moved file."""
    gone = "" if is_server(former) else ", which no longer exists"
    return f"{path} was read as {former}{gone}: only new rows are learned"


def remove_inputs(names: Iterable[str], positions: Sequence[dict[str, Any]]) -> None:
    """Remove inputs from the positions, in place, so that they are reprocessed."""
    for name in names:
        if not any(remove_input(name, each) for each in positions):
            what = f"Invalid --reprocess {without_password(name)!r}"
            raise ValueError(f"{what}: no rows of it have been read.")


def load_seen(source: Source, folder: Path) -> None:
    """Load the sizes and modification times of files that earlier runs have read."""
    with suppress(OSError, ValueError):
        source.verified = json.loads(Path(folder, SEEN).read_text("utf-8"))


def save_seen(source: Source, folder: Path) -> None:
    """Store sizes and modification times of files, so that unchanged files are not hashed again."""
    with suppress(OSError):
        Path(folder, SEEN).write_text(json.dumps(source.verified), "utf-8")


def no_rows(names: Iterable[str], what: str) -> ValueError:
    """Return the error about inputs without rows."""
    names = [*names]
    shown = ", ".join(map(without_password, names))
    if all(map(os.path.isdir, names)) and not FileSource(names).paths():
        return ValueError(f"There is no CSV or Parquet file in {shown}: nothing to {what}.")
    return ValueError(f"There are no rows in {shown}: nothing to {what}.")


class TablePiece:
    """Consecutive rows and the roles of their columns.

    Parameters
    ----------
    piece : Piece
        The rows.
    target : str, optional
        The label column.
    time, key : str, optional
        The time column and the key column.
    """

    def __init__(self, piece: Piece, target: str | None, time: str | None, key: str | None = None):
        self.piece = piece
        self._target, self._time, self._key = target, time, key

    @cached_property
    def features(self) -> Columns:
        """All columns except the label column."""
        return without(self.piece.table, self._target)

    @cached_property
    def labels(self) -> list[str | None]:
        """The labels as strings; None for a missing label."""
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
        """The keys as strings; None for a missing key."""
        assert self._key is not None
        return texts(self.piece.table, self._key)

    def slice(self, begin: int, end: int) -> Columns:
        """Return the features of a slice of the rows."""
        return sliced(self.features, begin, end)

    def times(self, begin: int, end: int) -> np.ndarray:
        """Return the times of rows, NaT where missing; raise ValueError if a time is malformed."""
        assert self._time is not None
        values = column(sliced(self.piece.table, begin, end), self._time)
        found, bad = dates(values)
        if bad:
            where = f"{self.piece.path}, row {self.piece.row + begin + bad[0]}"
            value = f"{values[bad[0]]!r:.50} in column {self._time!r}"
            form = "a time, e.g. 2024-01-31 or 2024-01-31T12:00"
            raise ValueError(f"{where}: {value} is not {form}.")
        return found

    def time_text(self, i: int) -> str:
        """Return the time of a row as a string, which is empty without a time."""
        return "".join(self.time_texts(i, i + 1))

    def time_texts(self, begin: int, end: int) -> list[str]:
        """Return the times of rows as strings, "" for a missing time; [] without a time column."""
        if self._time is None:
            return []
        texts = self.times(begin, end).astype("datetime64[s]").astype(str).tolist()
        return ["" if text == "NaT" else text.removesuffix("T00:00:00") for text in texts]


@contextmanager
def in_file(path: str) -> Iterator[None]:
    """Add the file name to errors about a table; replace parameter names by option names."""
    try:
        yield
    except ValueError as problem:
        text = re.sub(r"kinds=\{('.*'): 'drop'\}", r"--drop \1", str(problem))
        raise ValueError(f"{path}: {text}") from problem


def column(table: Columns, name: str) -> np.ndarray:
    """Return the values of a column."""
    return frame_of({name: table[name]}).columns[0].values


def texts(table: Columns, name: str) -> list[str | None]:
    """Return the values of a column as strings; whole numbers have no decimal point."""
    return names(column(table, name)) if n_rows_of(table) else []


def without(table: Columns, *omitted: str | None) -> Columns:
    """Return all columns except those in `omitted`."""
    return {name: values for name, values in table.items() if name not in omitted}


def sliced(table: Columns, begin: int, end: int) -> Columns:
    """Return a slice of the rows."""
    return {name: values[begin:end] for name, values in table.items()}


def kinds_of(table: Columns, stated: dict[str, str]) -> dict[str, str]:
    """Return the kinds of all columns with values, by name; stated kinds take precedence."""
    rest = without(table, *stated)
    columns = frame_of(rest).columns if rest else []
    found = {name: kind_of(raw, name) for name, raw in zip(rest, columns)}
    return {**stated, **{name: kind for name, kind in found.items() if kind != "empty"}}


def drop_identifiers(
    table: Columns, kinds: dict[str, str], stated: Container[str], note: Callable[[str], None]
) -> None:
    """Drop category columns whose values hardly ever repeat, with a warning; keep at least one."""
    for name, kind in kinds.items():
        if [*kinds.values()].count("drop") == len(kinds) - 1:
            return
        if kind == "category" and name not in stated and is_identifier(column(table, name)):
            kinds[name] = "drop"
            note(
                f"column {name!r} is dropped, because its values hardly ever repeat. To keep it, "
                f"set its kind: --kind {name}=category"
            )


def note_distinct(
    table: Columns, kinds: dict[str, str], stated: Container[str], note: Callable[[str], None]
) -> None:
    """Report the category columns with nearly distinct values, such as keys or free text."""
    for name, kind in kinds.items():
        values = [each for each in texts(table, name) if each is not None] * (kind == "category")
        is_distinct = len(values) >= MIN_ROWS and len({*values}) > MAX_DISTINCT * len(values)
        if is_distinct and name not in stated:
            note(
                f"nearly all values of column {name!r} are distinct, so nothing can be learned "
                f"from it: omit it with --drop {name}, or extract features from its text"
            )


def check_column(name: str, there: Sequence[str], what: str, where: str) -> None:
    """Raise ValueError if a column is missing; the message suggests similar names."""
    if name not in there:
        shown = ", ".join(map(repr, there[:SHOWN]))
        text = f"{where} has no column {name!r} for {what}{meant(name, there)}"
        is_unsplit = len(there) == 1 and any(sep in there[0] for sep in SEPARATORS)
        hint = " Check the separator (--sep)." * is_unsplit
        raise ValueError(f"{text}. Its columns are {shown}.{hint}")


def check_known(known: Sequence[str], there: Sequence[str], path: str, folder: Any) -> None:
    """Raise ValueError if a file has none of the columns that the model was trained with."""
    if not {*known} & {*there}:
        shown = ", ".join(map(repr, known[:SHOWN]))
        text = f"{path} has none of the columns that the model in {folder} was trained with"
        raise ValueError(f"{text} ({shown}). Check the --state folder.")
