"""Reader of a run: batches of rows with typed columns, positions and stream time."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from itertools import accumulate
from typing import Any

import numpy as np

from driftlearn.ops.checkpoint import inputs, schema_checks
from driftlearn.ops.keyed import rows as reading
from driftlearn.ops.keyed.key_store import QuarantinedRow, in_stream_order
from driftlearn.ops.keyed.keyed_learner import KeyedLearner
from driftlearn.ops.keyed.new_labels import Labels
from driftlearn.ops.keyed.rows import Places, Rows
from driftlearn.ops.sources.source import Source
from driftlearn.preprocessing._knowledge import SchemaChange
from driftlearn.preprocessing._table_check import (
    History,
    SchemaReport,
    histories,
    policy_of,
    table_changes,
)
from driftlearn.tables.files import Piece
from driftlearn.tables.frames import frame_of
from driftlearn.utils.arguments import invalid

BLOCK = 1_000  # number of rows whose median time is the stream time
TICKS = 64  # precision: the age of a key is measured to within 1/64 of the span
UNITS = {"s": 1, "min": 60, "h": 3_600, "d": 86_400, "w": 604_800}
NO_TIME = np.iinfo(np.int64).min


@dataclass
class Batch:
    """Rows that are processed together.

    Attributes
    ----------
    rows : Rows
        The rows, including malformed ones.
    oldest : ndarray
        For each row, the row number below which a key counts as idle.
    begin : int
        Stream row number of the first row.
    places : sequence of (file, row)
        The origin of each row.
    quarantined : list of QuarantinedRow
        The malformed rows and broken lines.
    """

    rows: Rows
    oldest: np.ndarray
    begin: int
    places: Places
    quarantined: list[QuarantinedRow]

    @classmethod
    def of(cls, rows: Rows, places: Places) -> Batch:
        """Return a batch of rows for uses that do not depend on stream row numbers."""
        return cls(rows, np.zeros(len(rows), dtype=np.int64), 0, places, [])


@dataclass
class Reader:
    """Reads the rows of a stream in batches.

    Attributes
    ----------
    source : Source
        The files.
    settings : dict
        The settings of the state folder.
    kinds : dict of str to str
        The kinds of columns.
    positions : dict
        Positions up to which files were read; updated while rows are read.
    clock : Clock
        The stream clock; updated while rows are read.
    batch : int
        Minimum number of rows in a batch.
    known : sequence of History
        The columns of earlier rows; by default only their kinds are known.
    labels : Labels
        The labels; by default all are known. Updated while rows are read.
    schema : SchemaReport
        The schema changes.
    """

    source: Source
    settings: Mapping[str, Any]
    kinds: Mapping[str, str]
    positions: dict[str, Any]
    clock: Clock
    batch: int = 20_000
    known: Sequence[History] = ()
    labels: Labels = field(default_factory=lambda: Labels(1, ()))

    def __post_init__(self) -> None:
        self.schema = SchemaReport(policy_of(self.settings))
        self.known = self.known or [History(*each) for each in reading.used(self.kinds).items()]
        self.positions = {**self.positions}
        self.source.numbers = inputs.numeric_columns(self.kinds, self.settings)

    def state(self) -> dict[str, Any]:
        """Return positions, clock, labels and schema changes as JSON values."""
        return {
            "positions": self.positions,
            "clock": self.clock.state(),
            "labels": self.labels.state(),
            "schema": self.schema.state(),
        }

    def resume(self, state: dict[str, Any]) -> None:
        """Continue from the state of another reader."""
        self.positions = {**state["positions"]}
        self.clock.resume(state["clock"])
        self.labels.resume(state["labels"])
        self.schema.include(state["schema"])

    def batches(self) -> Iterator[Batch]:
        """Yield the rows in batches; an empty batch means that no more rows are available yet."""
        pieces: list[Piece] = []
        for piece in self.source.pieces(self.positions):
            if piece.path:
                pieces.append(piece)
            if not piece.path or sum(each.n_rows for each in pieces) >= self.batch:
                yield self._batch(pieces)
                pieces = []
        if pieces:
            yield self._batch(pieces)

    def _batch(self, pieces: list[Piece]) -> Batch:
        """Return the rows of pieces as a batch; advance positions and clock."""
        begin = self.clock.n_rows
        quarantined = broken_lines(pieces, begin)
        for piece in pieces:
            if piece.n_rows:
                found = learning_changes(self.known, self.labels, piece, self.settings, self.kinds)
                self.schema.add(found)
            if piece.path != "-":
                self.positions[piece.path] = piece.after(piece.n_rows)
        rows, times, places = read_pieces(pieces, self.settings, self.kinds)
        self.labels.hold_back(rows)
        oldest = self.clock.advance(len(rows), times)
        quarantined += [QuarantinedRow(begin + i, *places[i], rows.keys[i], reason)
                        for i, reason in rows.bad.items()]  # fmt: skip
        return Batch(rows, oldest, begin, places, in_stream_order(quarantined))


def broken_lines(pieces: Sequence[Piece], begin: int) -> list[QuarantinedRow]:
    """Return the skipped lines of pieces, numbered from the first row of the pieces."""
    begins = accumulate((piece.n_rows for piece in pieces), initial=begin)
    return [
        QuarantinedRow(first + k, piece.file, None, None, reason)
        for first, piece in zip(begins, pieces)
        for k, reason in piece.broken
    ]


def read_pieces(
    pieces: Sequence[Piece], settings: Mapping[str, Any], kinds: Mapping[str, str]
) -> tuple[Rows, np.ndarray | None, Places]:
    """Return the rows of pieces, their times if keys expire by time, and their origins."""
    full = [piece for piece in pieces if piece.n_rows]
    parts = [_read_piece(piece, settings, kinds) for piece in full]
    rows = Rows.joined([part for part, _ in parts]) if parts else reading.unreadable(0, kinds, "")
    times = None
    if settings["time"] is not None:
        times = np.concatenate([np.zeros(0, dtype="datetime64[us]"), *(each for _, each in parts)])
    places = [(piece.file, piece.row + k) for piece in full for k in range(piece.n_rows)]
    return rows, times, places


def is_strict(settings: Mapping[str, Any]) -> bool:
    """Return whether values of another kind make their rows malformed.

    State folders of older versions, which lack the setting, keep this rule.
    """
    return "on_schema_change" not in settings


def known_columns(learner: KeyedLearner) -> list[History]:
    """Return the history of the columns, as the global model has it."""
    if learner.shared.global_model is None:
        return [History(*each) for each in reading.used(learner.known_kinds).items()]
    return histories(learner.shared.global_model.steps_[0][1].known_)


def changes_of(
    known: Sequence[History],
    table: inputs.Columns,
    settings: Mapping[str, Any],
    kinds: Mapping[str, str],
    file: str | None = None,
    row: int = 0,
) -> list[SchemaChange]:
    """Return the differences between a table and the known columns."""
    features = inputs.without(table, settings["target"], settings["key"])
    ignored = [settings["time"], *(name for name, kind in kinds.items() if kind == "drop")]
    return table_changes(known, ignored, frame_of(features), file, row) if features else []


def learning_changes(
    known: Sequence[History],
    labels: Labels,
    piece: Piece,
    settings: Mapping[str, Any],
    kinds: Mapping[str, str],
) -> list[SchemaChange]:
    """Return the differences between training rows and earlier rows, also of labels and keys."""
    table, where = piece.table, (piece.file, piece.row)
    found = changes_of(known, table, settings, kinds, *where)
    roles = [settings[name] for name in ("target", "key", "time") if settings[name]]
    gone = [History(name, "role") for name in roles if name not in table]
    others = [name for name in table if name in kinds or name in roles]
    found += [each for each in table_changes(gone, others, frame_of(table), *where)
              if each.column in roles]  # fmt: skip
    target, key = settings["target"], settings["key"]
    if target in table:
        names = inputs.texts(table, target)
        found += schema_checks.label_changes(sorted(labels.known), names, target, *where)
    if key in table:
        found += schema_checks.key_changes(inputs.texts(table, key), key, *where)
    return found


def _read_piece(
    piece: Piece, settings: Mapping[str, Any], kinds: Mapping[str, str]
) -> tuple[Rows, np.ndarray]:
    """Return the rows of a piece and their times, if there is a column of times."""
    table, time = piece.table, settings["time"]
    needed = [settings[name] for name in ("target", "key", "time") if settings[name]]
    missing = [name for name in needed if name not in table]
    if missing or not {*reading.used(kinds)} & {*table}:
        what = f"column {missing[0]!r}" if missing else "column that the models were trained with"
        no_times = np.full(piece.n_rows, np.datetime64("NaT"), dtype="datetime64[us]")
        return reading.unreadable(piece.n_rows, kinds, f"the file has no {what}"), no_times
    with inputs.in_file(piece.path):
        features = inputs.without(table, settings["target"], settings["key"])
        keys, labels = (inputs.column(table, settings[name]) for name in ("key", "target"))
        rows = reading.read(features, kinds, keys, labels, strict=is_strict(settings))
    if time is None:
        return rows, np.zeros(0)
    return rows, reading.read_times(inputs.column(table, time), time, rows.bad)


class Clock:
    """Stream clock that determines which keys are idle, independently of the system clock.

    If keys expire after a number of rows, a key is idle once its last row is more than `idle` rows
    old. If keys expire after a time span, the stream time is the median time of the last thousand
    rows. It is updated after every thousand rows, so a few outlying times have no effect. The age
    of a key is measured to within 1/64 of the span. A key is represented by the row number of its
    last row.

    Parameters
    ----------
    idle : int or None
        Number of rows or microseconds without a row after which a key is idle; None for never.
    by_time : bool
        Whether `idle` is a time span rather than a number of rows.

    Attributes
    ----------
    n_rows : int
        Number of rows in the stream so far.
    oldest : int
        Keys whose last row has a lower number are currently idle.
    ahead : int or None
        A time so far ahead of the others that it would have made every key idle; None if there was
        no such time.
    """

    def __init__(self, idle: int | None, by_time: bool):
        self.idle, self.by_time = idle, by_time
        self.n_rows = self.oldest = 0
        self.ahead: int | None = None
        self._block: list[int] = []
        self._ticks: list[list[int]] = []

    def advance(self, n: int, times: np.ndarray | None) -> np.ndarray:
        """For each of the next rows, return the row number below which a key counts as idle.

        Parameters
        ----------
        n : int
            Number of rows.
        times : ndarray of datetime64, optional
            Their times, NaT where there is none.
        """
        begin, self.n_rows = self.n_rows, self.n_rows + n
        if self.idle is None:
            return np.zeros(n, dtype=np.int64)
        if not self.by_time:
            self.oldest = max(0, self.n_rows - self.idle)
            return np.arange(begin, begin + n) - self.idle
        assert times is not None
        values = times.astype("datetime64[us]").astype(np.int64)
        oldest = np.empty(n, dtype=np.int64)
        done = 0
        while done < n:
            end = min(n, done + BLOCK - (begin + done) % BLOCK)
            oldest[done:end] = self.oldest
            self._block += [t for t in values[done:end].tolist() if t != NO_TIME]
            if (begin + end) % BLOCK == 0:
                self._close_block(begin + end)
            done = end
        return oldest

    def _close_block(self, n_rows: int) -> None:
        """Update the stream time after a thousand rows; it is unchanged if they have no times."""
        assert self.idle is not None
        block, self._block = sorted(self._block), []
        if not block:
            return
        now = block[(len(block) - 1) // 2]
        if block[-1] - now > self.idle:
            self.ahead = block[-1]
        if not self._ticks or now - self._ticks[-1][1] >= self.idle / TICKS:
            self._ticks.append([n_rows, now])
        while now - self._ticks[0][1] > self.idle:
            self.oldest = self._ticks.pop(0)[0]

    def state(self) -> dict[str, Any]:
        """Return the state as JSON values."""
        return {"rows": self.n_rows, "oldest": self.oldest, "block": self._block,
                "ticks": self._ticks}  # fmt: skip

    def resume(self, state: dict[str, Any]) -> None:
        """Continue with a state returned by `state`."""
        self.n_rows, self.oldest = state["rows"], state["oldest"]
        self._block, self._ticks = [*state["block"]], [[*tick] for tick in state["ticks"]]


def parse_idle(idle: Any) -> tuple[int, bool]:
    """Return (number of rows, False) or (number of microseconds, True).

    Examples
    --------
    >>> parse_idle("1000000"), parse_idle("12h")
    ((1000000, False), (43200000000, True))
    """
    if isinstance(idle, timedelta | np.timedelta64):
        span = int(np.timedelta64(idle, "us").astype(np.int64))
        if span > 0:
            return span, True
    text = str(idle).replace("_", "").replace(",", "").strip()
    found = re.fullmatch(r"([1-9]\d{0,11})(s|min|h|d|w)?", text)
    if found is None or isinstance(idle, bool):
        wanted = "a number of rows, e.g. 1000000, or a time span, e.g. 12h, 30d or 8w"
        raise invalid("idle", wanted, idle)
    if found[2] is None:
        return int(found[1]), False
    return int(found[1]) * UNITS[found[2]] * 1_000_000, True
