"""Parquet files, readable from any row."""

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from driftlearn.tables.files import (
    Numbers,
    Piece,
    Position,
    changed,
    check_format,
    digest_of,
    explained,
)
from driftlearn.utils.optional import needed

ROWS = 10_000  # rows read at a time
HEADER = 4096  # bytes by which other formats are recognized


class ParquetFile:
    """Parquet file.

    A position consists of the number of rows read and of size and SHA-256 of the file. A file that
    was rewritten counts as a different file, because its rows may have moved.

    Parameters
    ----------
    path : str
        The file.
    """

    def __init__(self, path: str):
        self.path, self.name = path, Path(path).name
        self._digest = ""

    def _open(self) -> Any:
        with explained(self.path, "Parquet"):
            reader = needed("pyarrow.parquet").ParquetFile
            with open(self.path, "rb") as content:
                start = content.read(HEADER)
            if not start.startswith(b"PAR1"):
                check_format(self.path, start)
                raise ValueError(
                    "it does not begin with PAR1. If it is CSV, rename it so that its name ends "
                    "with .csv."
                )
            file = reader(self.path)
        name, n = Counter(file.schema_arrow.names or [""]).most_common(1)[0]
        if n > 1:
            file.close()
            raise ValueError(f"{self.path}: two columns have the name {name!r}: rename one of them")
        return file

    def columns(self) -> list[str]:
        """Return the names of the columns."""
        with self._open() as file:
            return list(file.schema_arrow.names)

    def batches(
        self, row: int = 0, columns: Sequence[str] | None = None
    ) -> Iterator[tuple[int, Any]]:
        """Yield pyarrow batches starting at a row, with the number of their first row.

        Parameters
        ----------
        row : int
            The first row.
        columns : sequence of str, optional
            The columns to read; None reads all columns.
        """
        with explained(self.path, "Parquet"), self._open() as file:
            ends = np.cumsum([file.metadata.row_group(g).num_rows
                              for g in range(file.num_row_groups)], dtype=int)  # fmt: skip
            group = int(np.searchsorted(ends, row, side="right"))
            begun = int(ends[group - 1]) if group else 0
            for batch in file.iter_batches(ROWS, range(group, file.num_row_groups), columns):
                rest = batch.slice(max(row - begun, 0))
                begun += batch.num_rows
                if rest.num_rows:
                    yield row, rest
                    row += rest.num_rows

    def digests(self, sizes: Collection[int]) -> dict[int, tuple[str, bool]]:
        """Return the SHA-256 of the file if it has one of these sizes; see `CSVFile.digests`."""
        size = Path(self.path).stat().st_size
        return {size: (digest_of(self.path), True)} if size in sizes else {}

    def pieces(
        self, at: Position | None, numbers: Numbers, *, final: bool = True, skip: bool = False
    ) -> Iterator[Piece]:
        """Yield the rows after a position; see `CSVFile.pieces`."""
        size = Path(self.path).stat().st_size
        if at is not None and size < at["bytes"]:
            raise changed(self.path, "has become shorter")
        self._digest = self._digest or digest_of(self.path)
        if at is not None and (size != at["bytes"] or self._digest != at["digest"]):
            raise changed(self.path, "was changed")
        whole = {"bytes": size, "digest": self._digest}
        end = at["rows"] if at else 0
        from_batches = needed("pyarrow").Table.from_batches
        for row, batch in self.batches(end):
            table = from_batches([batch])
            columns = dict(zip(table.column_names, table.columns))

            def after(k: int, row: int = row) -> Position:
                return {**whole, "rows": row + k}

            yield Piece(columns, batch.num_rows, self.path, self.name, row, after)
            end = row + batch.num_rows
        last = {**whole, "rows": end}
        yield Piece({}, 0, self.path, self.name, end, lambda _: last, is_last=True)
