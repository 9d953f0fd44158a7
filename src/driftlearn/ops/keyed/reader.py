"""Rows of files on their way to keys: read as their columns say, with position and clock."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from driftlearn.ops.checkpoint.tables import column, columns_of, in_file, without
from driftlearn.ops.keyed import rows as reading
from driftlearn.ops.keyed.clock import Clock
from driftlearn.ops.keyed.key_store import Aside
from driftlearn.ops.keyed.rows import Places, Rows, unreadable
from driftlearn.ops.sources.piece import Piece
from driftlearn.ops.sources.source import source_of
from driftlearn.tables.values import dates


@dataclass
class Batch:
    """Rows that are learned at a time.

    Attributes
    ----------
    rows : Rows
        The rows, poisoned ones included.
    oldest : ndarray
        For each row the number below which keys were idle when it came.
    begin : int
        Which row of the stream the first is.
    where : sequence of (file, row)
        The file and the number of each row.
    aside : list of Aside
        Rows that cannot be learned, and lines that are none.
    """

    rows: Rows
    oldest: np.ndarray
    begin: int
    where: Places
    aside: list[Aside]

    @property
    def n_rows(self) -> int:
        """How many rows there are."""
        return len(self.rows)

    @property
    def good(self) -> np.ndarray:
        """The places of the rows that are not poisoned."""
        bad = self.rows.bad
        return np.array([i for i in range(len(self.rows)) if i not in bad], dtype=np.intp)


class Where:
    """The file and the number of each row of pieces that follow each other."""

    def __init__(self, pieces: list[Piece]):
        self._pieces = [(piece.file, piece.row) for piece in pieces]
        self._sizes = [piece.n_rows for piece in pieces]
        self._ends = np.cumsum(self._sizes).tolist()

    def __getitem__(self, i: int) -> tuple[str, int]:
        k = bisect_right(self._ends, i)
        file, row = self._pieces[k]
        return file, row + i - (self._ends[k] - self._sizes[k])


class Reader:
    """Reads the rows of a stream, batch by batch.

    Parameters
    ----------
    files : list of str
        Files, folders, globs.
    settings : dict
        Of the state folder.
    kinds : dict of str to str
        What the columns hold.
    positions : dict
        How far files were read.
    clock : Clock
        The time of the stream.
    skip, follow : bool
        Whether broken lines are passed over, and whether to wait for more.
    batch : int
        Rows of a batch, or a few more.

    Attributes
    ----------
    positions : dict
        How far files were read.
    clock : Clock
        The time of the stream.
    batch : int
        Rows of the next batch.
    """

    def __init__(
        self,
        files: list[str],
        settings: Mapping[str, Any],
        kinds: Mapping[str, str],
        positions: Mapping[str, Any],
        clock: Clock,
        *,
        skip: bool = False,
        follow: bool = False,
        batch: int = 20_000,
    ):
        form = {name: settings[name] for name in ("sep", "encoding", "missing")}
        self.source = source_of(files, skip=skip, follow=follow, **form)
        self.settings, self.kinds = settings, kinds
        self.positions, self.clock = {**positions}, clock
        self.follows, self.batch = follow, batch
        roles = {settings["target"], settings["key"]}
        self.source.numbers = {name for name, kind in kinds.items() if kind == "number"} - roles

    def at(self) -> dict[str, Any]:
        """Return how far it is, as JSON knows values."""
        return {"positions": self.positions, "clock": self.clock.state()}

    def go_on(self, at: dict[str, Any] | None) -> None:
        """Go on where `at` was."""
        if at is not None:
            self.positions = {**at["positions"]}
            self.clock = Clock.of(self.clock.idle, self.clock.by_time, at["clock"])

    def batches(self) -> Iterator[Batch]:
        """Yield the rows that come; an empty batch where there are none at the moment."""
        pieces: list[Piece] = []
        for piece in self.source.pieces(self.positions):
            if piece.path:
                pieces.append(piece)
            if not piece.path or sum(each.n_rows for each in pieces) >= self.batch:
                yield self._taken(pieces)
                pieces = []
        if pieces:
            yield self._taken(pieces)

    def _taken(self, pieces: list[Piece]) -> Batch:
        """Return the rows of pieces; from now on they count as read."""
        begin, aside = self.clock.n_rows, []
        for piece in pieces:
            aside += [Aside(begin + k, piece.file, None, None, said) for k, said in piece.broken]
            begin += piece.n_rows
            if piece.path != "-":
                self.positions[piece.path] = piece.after(piece.n_rows)
        full = [piece for piece in pieces if piece.n_rows]
        begin = self.clock.n_rows
        parts = [read_piece(piece, self.settings, self.kinds) for piece in full]
        rows = Rows.joined([part for part, _ in parts]) if parts else unreadable(0, self.kinds, "")
        times = None
        if self.settings["time"] is not None and parts:
            times = np.concatenate([each for _, each in parts])
        elif self.settings["time"] is not None:
            times = np.zeros(0, dtype="datetime64[us]")
        oldest = self.clock.pass_rows(len(rows), times)
        where = Where(full)
        aside += [Aside(begin + i, *where[i], rows.keys[i], why) for i, why in rows.bad.items()]
        aside.sort(key=lambda each: (each.at, each.row is not None))
        return Batch(rows, oldest, begin, where, aside)


def read_piece(
    piece: Piece, settings: Mapping[str, Any], kinds: Mapping[str, str]
) -> tuple[Rows, np.ndarray]:
    """Return the rows of a piece, and their times."""
    table = piece.table
    there = columns_of(table)
    wanted = [settings[name] for name in ("target", "key", "time") if settings[name]]
    gone = [name for name in wanted if name not in there]
    known = [name for name, kind in kinds.items() if kind != "drop"]
    if gone or not {*known} & {*there}:
        what = f"no column {gone[0]!r}" if gone else "none of the columns of the first files"
        nothing = np.full(piece.n_rows, np.datetime64("NaT"), dtype="datetime64[us]")
        return unreadable(piece.n_rows, kinds, f"the file has {what}"), nothing
    with in_file(piece.path):
        features = without(without(table, settings["target"]), settings["key"])
        rows = reading.read(
            features, kinds, column(table, settings["key"]),
            column(table, settings["target"]),
        )  # fmt: skip
    if settings["time"] is None:
        return rows, np.zeros(0)
    values = column(table, settings["time"])
    times, bad = dates(values)
    for i in bad:
        rows.bad.setdefault(i, f"{str(values[i])!r:.50} in column {settings['time']!r} is no "
                            "time as 2024-01-31 or 2024-01-31T12:00")  # fmt: skip
    return rows, times
