"""Streams that are read from a user's files, a piece at a time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from driftlearn._types import Labels, Rows
from driftlearn.streams._arguments import check_positive, check_rows, optional
from driftlearn.streams._frame_columns import feature_columns, frame_values
from driftlearn.streams._recorded import RecordedStream, as_labels

#: Rows read at a time, by the first of which the kind of the labels is told.
PIECE = 10_000
#: How a missing number is written, to pandas and others.
MISSING = ("", "NA", "N/A", "n/a", "NaN", "nan", "null", "NULL", "None", "<NA>")


class FileStream(RecordedStream):
    """Rows of a file that is read as far as it is needed and never held in memory.

    The number of rows and the classes are not known before the file has been read once; they are
    found out, by a pass over the labels, when they are first asked for.
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
            raise FileNotFoundError(f"there is no file {path}")
        self.feature_names = feature_columns(self._columns(), target, self.drop, self.path)
        self.n_features = len(self.feature_names)

    def _columns(self) -> list[str]:
        """Read the names of the columns."""
        raise NotImplementedError

    def _labels(self) -> Iterator[Labels]:
        """Read the labels, piece by piece."""
        raise NotImplementedError

    @cached_property
    def _scan(self) -> tuple[int, Labels]:
        n = 0
        classes: set[Any] = set()
        for y in self._labels():
            n += len(y)
            classes.update(np.unique(y).tolist())
        return n, np.array(sorted(classes))

    @cached_property
    def n_rows(self) -> int:  # type: ignore[override]
        """Number of rows."""
        return self._scan[0]

    @cached_property
    def classes(self) -> Labels:  # type: ignore[override]
        """All labels that occur, sorted."""
        return self._scan[1]


class CSVStream(FileStream):
    """The stream that `from_csv` makes; its parameters are described there."""

    def __init__(
        self,
        path: str | Path,
        target: str,
        drop: Sequence[str] = (),
        drifts: Sequence[int] = (),
        chunk_size: int = 1_000,
        name: str | None = None,
        sep: str = ",",
        na_values: Sequence[str] = (),
    ) -> None:
        self.sep = sep
        self.na_values = tuple(na_values)
        super().__init__(path, target, drop, drifts, chunk_size, name)

    def _columns(self) -> list[str]:
        with _explained(self.path, "CSV"), self._reader(nrows=0) as reader:
            return [str(name) for name in reader.read().columns]

    def _reader(self, **options: Any) -> Any:
        return optional("pandas", "data").read_csv(
            self.path, sep=self.sep, keep_default_na=False, iterator=True, **options
        )

    def _frames(self, features: list[str]) -> Iterator[tuple[int, Any, Labels]]:
        """Yield the number of its first row, the columns and the labels of every piece."""
        kind: type | None = None
        row = 0
        reader = self._reader(
            usecols=[*features, self.target],
            dtype={self.target: str},
            na_values={name: [*MISSING, *self.na_values] for name in features},
            chunksize=PIECE,
            low_memory=False,
        )
        with reader:
            while True:
                with _explained(self.path, "CSV"):
                    frame = next(reader, None)
                if frame is None:
                    return
                text = frame[self.target].to_numpy(dtype=str)
                kind = kind or _kind_of(text)
                yield row, frame, _convert(text, kind, self.path, self.target, row)
                row += len(frame)

    def _labels(self) -> Iterator[Labels]:
        return (y for _, _, y in self._frames([]))

    def _pieces(self, start: int) -> Iterator[Rows]:
        for row, frame, y in self._frames(self.feature_names):
            if row + len(y) <= start:
                continue
            X = frame_values(frame, self.feature_names, self.path, row)
            skip = max(start - row, 0)
            yield X[skip:], y[skip:]


class ParquetStream(FileStream):
    """The stream that `from_parquet` makes; its parameters are described there."""

    def _columns(self) -> list[str]:
        with self._open() as file:
            return list(file.schema_arrow.names)

    def _open(self) -> Any:
        with _explained(self.path, "Parquet"):
            return optional("pyarrow.parquet", "data").ParquetFile(self.path)

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


@contextmanager
def _explained(path: str, kind: str) -> Iterator[None]:
    """Name the file when it turns out not to be what it should be."""
    try:
        yield
    except (ValueError, OSError) as error:
        raise ValueError(f"{path} cannot be read as {kind}: {str(error).strip()}") from error


def _kind_of(text: Labels) -> type:
    """Tell whether labels, read as text, are whole numbers, numbers or names."""
    for kind in (int, float):
        try:
            values = [kind(label) for label in np.unique(text)]
        except ValueError:
            continue
        if kind is float or all(str(v) == label for v, label in zip(values, np.unique(text))):
            return kind
    return str


def _convert(text: Labels, kind: type, path: str, target: str, row: int) -> Labels:
    missing = np.flatnonzero(text == "")
    if missing.size:
        raise ValueError(f"{path}: column {target!r} has no label in row {row + int(missing[0])}")
    labels, codes = np.unique(text, return_inverse=True)
    try:
        return np.array([kind(label) for label in labels])[codes]
    except ValueError as error:
        raise ValueError(
            f"{path}: the labels of column {target!r} begin as numbers, but from row {row} on "
            f"there is one that is not: {error}"
        ) from error
