"""Parquet files from any row on."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from driftlearn.ops.sources.piece import Piece, Position, changed, digest_of
from driftlearn.tables.files import explained
from driftlearn.utils.optional import needed

ROWS = 10_000  # that are read at a time


class ParquetFile:
    """A file of rows that was written at once.

    Its position is how many rows were read, and size and SHA-256 of the whole file: one that was
    written anew is another file, since nothing in it must be where it was.

    Parameters
    ----------
    path : str
        The file.
    """

    def __init__(self, path: str):
        self.path = path
        self._digest = ""

    @property
    def name(self) -> str:
        """The name of the file, for messages."""
        return Path(self.path).name

    def _open(self) -> Any:
        with explained(self.path, "Parquet"):
            return needed("pyarrow.parquet").ParquetFile(self.path)

    def columns(self) -> list[str]:
        """Return the names of the columns."""
        with self._open() as file:
            return list(file.schema_arrow.names)

    def digest(self) -> str:
        """Return the SHA-256 of the file, found once."""
        if not self._digest:
            self._digest = digest_of(self.path)
        return self._digest

    def pieces(
        self,
        at: Position | None,
        numbers: Callable[[], Collection[str]],
        *,
        final: bool = True,
        skip: bool = False,
    ) -> Iterator[Piece]:
        """Yield the rows from a position on; see `CSVFile.pieces`."""
        size = Path(self.path).stat().st_size
        if at is not None and size < at["bytes"]:
            raise changed(self.path, "has become shorter")
        if at is not None and (size != at["bytes"] or self.digest() != at["digest"]):
            raise changed(self.path, "was changed")
        whole = {"bytes": size, "digest": self.digest()}
        row = at["rows"] if at else 0
        with explained(self.path, "Parquet"), self._open() as file:
            ends = np.cumsum([file.metadata.row_group(g).num_rows
                              for g in range(file.num_row_groups)], dtype=int)  # fmt: skip
            group = int(np.searchsorted(ends, row, side="right"))
            begun = int(ends[group - 1]) if group else 0
            table = needed("pyarrow").Table
            for batch in file.iter_batches(ROWS, range(group, file.num_row_groups)):
                rest = batch.slice(max(row - begun, 0))
                begun += batch.num_rows
                if rest.num_rows:
                    yield self._piece(table.from_batches([rest]), row, whole)
                    row += rest.num_rows
        end = {**whole, "rows": row}
        yield Piece({}, 0, self.path, self.name, row, lambda _: end, is_last=True)

    def _piece(self, table: Any, row: int, whole: Position) -> Piece:
        def after(k: int) -> Position:
            return {**whole, "rows": row + k}

        return Piece(table, table.num_rows, self.path, self.name, row, after)
