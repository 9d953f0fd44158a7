"""What was said of rows before they were learned, in a file that moves together with the states."""

from __future__ import annotations

import csv
import io
import os
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np

from driftlearn.ops.keyed.key_store import KeyStore
from driftlearn.ops.keyed.keyed_learner import Answers
from driftlearn.ops.keyed.rows import Rows
from driftlearn.ops.sources.piece import Piece
from driftlearn.utils.safe_text import in_csv

COLUMNS = ("file", "row", "key", "label", "predicted", "who")


def as_csv(lines: Iterable[Sequence[Any]]) -> bytes:
    """Return lines of values as they are written to a file."""
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerows([in_csv(value) for value in line] for line in lines)
    return text.getvalue().encode()


class Where:
    """The file and the number of each row of pieces that follow each other."""

    def __init__(self, pieces: list[Piece]):
        self._pieces = pieces
        self._ends = np.cumsum([piece.n_rows for piece in pieces]).tolist()

    def __getitem__(self, i: int) -> tuple[str, int]:
        k = bisect_right(self._ends, i)
        piece = self._pieces[k]
        return piece.file, piece.row + i - (self._ends[k] - piece.n_rows)


class Predictions:
    """A CSV file of what was said of each row before it was learned.

    It moves together with the states: after a kill it is cut to what was saved.

    Parameters
    ----------
    path : str
        The file.
    store : KeyStore
        Knows how much of it is saved.
    """

    def __init__(self, path: str, store: KeyStore):
        if Path(path).suffix.lower() != ".csv":
            raise ValueError(f"--out is a .csv file; got {path}")
        self._path = os.path.realpath(path)
        self._name = f"out:{self._path}"
        known = store.positions().get(self._name)
        if known is None:
            if os.path.exists(path) and os.path.getsize(path):
                raise ValueError(
                    f"--out {path} is there already, and not of this state folder: remove it, or "
                    "name another file"
                )
            store.put_positions({self._name: {"written": 0}})
            store.commit()
        done = 0 if known is None else int(known["written"])
        self._file = open(self._path, "a+b")  # noqa: SIM115
        size = self._file.seek(0, os.SEEK_END)
        if size < done:
            self._file.close()
            raise ValueError(
                f"--out {path} has {size:,} bytes where {done:,} were written: put it back, or "
                "name another file for what comes"
            )
        self._file.truncate(done)
        self._size = done
        if not done:
            self._write([COLUMNS])

    def add(self, rows: Rows, answers: Answers, where: Where) -> None:
        """Write what was said of rows."""
        self._write(
            [*where[i], rows.keys[i], rows.labels[i], label, who]
            for i, (label, who) in enumerate(zip(*answers))
            if i not in rows.bad
        )

    def _write(self, lines: Any) -> None:
        self._size += self._file.write(as_csv(lines))

    def settled(self) -> dict[str, Any]:
        """Have it reach the disk; return its position."""
        self._file.flush()
        os.fsync(self._file.fileno())
        return {self._name: {"written": self._size}}

    def close(self) -> None:
        """Close the file."""
        with suppress(OSError):
            self._file.close()
