"""Streams of files, read piece by piece."""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Sized
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from driftlearn.streams._recorded import RecordedStream, as_labels
from driftlearn.tables.files import explained
from driftlearn.tables.frame_columns import feature_columns, frame_values
from driftlearn.utils.arguments import check_positive, check_rows
from driftlearn.utils.optional import needed
from driftlearn.utils.typing import Labels, Rows

#: Number of rows of a Parquet file that are read at a time.
PIECE = 10_000


#: Maximum number of distinct labels, which are held in memory; more are not a class column.
MOST_LABELS = 1_000_000


class FileStream(RecordedStream):
    """Base class for streams of files that are read lazily and never held in memory.

    The number of rows and the classes are determined by one pass over the labels when they are
    first needed.
    """

    def __init__(
        self,
        path: str | Path,
        target: str,
        drop: Sequence[str] = (),
        drifts: Sequence[int] = (),
        chunk_size: int = 1_000,
        name: str | None = None,
    ) -> None:
        self.path = str(path)
        self.target = target
        self.drop = tuple(drop)
        self._drifts = check_rows("drifts", drifts)
        self.chunk_size = check_positive("chunk_size", chunk_size)
        self.name = Path(path).stem if name is None else name
        if not Path(path).is_file():
            raise FileNotFoundError(f"File not found: {path}")
        self.feature_names = feature_columns(self._columns(), target, self.drop, self.path)
        self.n_features = len(self.feature_names)

    def _columns(self) -> list[str]:
        """Return the names of the columns."""
        raise NotImplementedError

    def _labels(self) -> Iterator[Labels]:
        """Yield the labels piece by piece."""
        raise NotImplementedError

    @cached_property
    def _scan(self) -> tuple[int, Labels]:
        n = 0
        classes: set[Any] = set()
        for y in self._labels():
            n += len(y)
            classes.update(np.unique(y).tolist())
            check_count(classes, self.path, self.target)
        return n, np.array(sorted(classes))

    @cached_property
    def n_rows(self) -> int:  # type: ignore[override]
        """Number of rows."""
        return self._scan[0]

    @cached_property
    def classes(self) -> Labels:  # type: ignore[override]
        """All labels that occur, sorted."""
        return self._scan[1]


class ParquetStream(FileStream):
    """Stream of a Parquet file, as returned by `from_parquet`, which documents the parameters."""

    def _columns(self) -> list[str]:
        with self._open() as file:
            return list(file.schema_arrow.names)

    def _open(self) -> Any:
        with explained(self.path, "Parquet"):
            return needed("pyarrow.parquet").ParquetFile(self.path)

    def _labels(self) -> Iterator[Labels]:
        return (y for _, y in self._batches([], 0))

    def _batches(self, names: list[str], group: int) -> Iterator[tuple[Any, Labels]]:
        with self._open() as file:
            groups = range(group, file.num_row_groups)
            where = f"column {self.target!r} of {self.path}"
            for batch in file.iter_batches(PIECE, groups, [*names, self.target]):
                yield batch, as_labels(batch[self.target].to_numpy(zero_copy_only=False), where)

    def _pieces(self, start: int) -> Iterator[Rows]:
        with self._open() as file:
            sizes = [file.metadata.row_group(g).num_rows for g in range(file.num_row_groups)]
        ends = np.cumsum(sizes)
        group = int(np.searchsorted(ends, start, side="right"))
        row = int(ends[group - 1]) if group else 0
        for batch, y in self._batches(self.feature_names, group):
            X = frame_values(batch, self.feature_names, self.path, row)
            skip = min(max(start - row, 0), len(y))
            yield X[skip:], y[skip:]
            row += len(y)


def check_count(labels: Sized, path: str, target: str) -> None:
    """Raise ValueError if a column has too many distinct values to be a class column."""
    if len(labels) > MOST_LABELS:
        raise ValueError(
            f"{path}: column {target!r} has more than {MOST_LABELS:,} distinct labels; choose a "
            "class column as target"
        )
