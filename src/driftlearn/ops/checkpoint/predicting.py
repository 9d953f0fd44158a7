"""What a kept model says of the rows of files, written at one stroke."""

from __future__ import annotations

import csv
import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from types import MappingProxyType
from typing import Any, Protocol

import numpy as np

from driftlearn.ops.checkpoint.inputs import no_rows, numeric_columns, open_source
from driftlearn.ops.checkpoint.kept import Kept
from driftlearn.ops.checkpoint.tables import (
    check_column,
    check_known,
    column,
    columns_of,
    in_file,
    without,
)
from driftlearn.ops.checkpoint.voters import voters_of
from driftlearn.ops.sinks.sink import Done, Sink, plain, sink_of
from driftlearn.ops.sources.piece import Piece
from driftlearn.ops.sources.server import is_server
from driftlearn.ops.sources.source import Source
from driftlearn.streams._csv import kind_of
from driftlearn.utils.optional import needed
from driftlearn.utils.safe_text import in_csv


class Writer(Protocol):
    """Takes columns of equal length, again and again, and the piece that they are about."""

    def __call__(self, columns: dict[str, Any], piece: Piece) -> None:
        """Write rows."""


def predict_files(
    folder: str | os.PathLike[str],
    files: list[str],
    out: str,
    *,
    passthrough: Sequence[str] = (),
    votes: bool = True,
    skip: bool = False,
) -> int:
    """Write predictions for the rows of files; return the number of rows.

    Parameters
    ----------
    folder : path
        The state folder.
    files : list of str
        See `driftlearn.ops.sources.source_of`.
    out : str
        A file, ``.csv`` or ``.parquet``; ``"-"`` is standard output. To a stream of Redis or a
        topic of Kafka only those predictions are added that it does not have.
    passthrough : sequence of str
        Columns of the rows to copy to the output.
    votes : bool
        Whether to write the votes for each label.
    skip : bool
        Whether broken lines are skipped.
    """
    check_out(out)
    kept = Kept.open(folder)
    source = open_source(files, kept.settings, skip=skip)
    sink = sink_of(out, f"predict {Path(folder).resolve()}") if is_server(out) else None
    done = sink.done_until(None) if sink is not None else {}
    position = {path: each.position for path, each in done.items() if each.position is not None}
    source.check(position)
    target, kinds = kept.settings["target"], kept.encoder.kinds_
    source.numbers = numeric_columns(kinds, (target, *passthrough))
    classes = kept.learner.classes_ if hasattr(kept.learner, "classes_") else np.array([])
    kind = kind_of({str(label) for label in classes})

    def predict(piece: Piece) -> dict[str, Any]:
        check_known([*kinds], columns_of(piece.table), piece.path, folder)
        with in_file(piece.path):
            X = kept.encoder.transform(without(piece.table, target))
        probas = kept.learner.predict_proba(X)
        best = probas.argmax(axis=1)
        labels = np.array([kind(str(label)) for label in kept.learner.classes_])
        found = {"predicted": labels[best]}
        found |= {f"p_{label}": probas[:, k] for k, label in enumerate(labels.tolist())}
        return {**found, **({"votes": voters_of(kept.learner, X, best)} if votes else {})}

    with closing(source), writer(out, sink, done) as write:
        copied = dict.fromkeys(passthrough, "--passthrough")
        n = write_predictions(source, position, write, copied, predict)
        if not n and not done:
            raise no_rows(files, "predict")
    return n


def write_predictions(
    source: Source,
    position: Mapping[str, Any],
    write: Writer,
    passthrough: Mapping[str, str],
    predict: Callable[[Piece], dict[str, Any]],
) -> int:
    """Write predictions for all rows after a position; return the number of rows.

    Parameters
    ----------
    source : Source
        The rows.
    position : dict
        Where to begin, by path.
    write : Writer
        Where to write.
    passthrough : dict of str to str
        Columns of the rows to copy to the output, before the predictions, and what they are for.
    predict : callable
        Returns columns of predictions for a piece.
    """
    n = 0
    for piece in source.pieces(position):
        if not piece.n_rows:
            continue
        for name, what in passthrough.items():
            check_column(name, columns_of(piece.table), what, piece.path)
        found = predict(piece)
        for name in passthrough:
            if name in found:
                raise ValueError(
                    f"Invalid --passthrough {name!r}: the predictions have a column of that name. "
                    "Rename the column of the rows."
                )
        write({**{name: column(piece.table, name) for name in passthrough}, **found}, piece)
        n += piece.n_rows
    return n


def check_out(out: str) -> None:
    """Raise if this is no place for predictions."""
    if out == "-" or is_server(out):
        return
    suffix = Path(out).suffix.lower()
    if suffix not in (".csv", ".parquet"):
        raise ValueError(
            "--out is a .csv or a .parquet file, - for standard output, redis://HOST:6379/STREAM "
            f"or kafka://HOST:9092/TOPIC; got {out}"
        )
    if os.path.isdir(out):
        raise ValueError(f"--out {out} is a folder; name a file")
    if suffix == ".parquet":
        needed("pyarrow.parquet", "a Parquet file")


@contextmanager
def writer(
    out: str, sink: Sink | None = None, done: Mapping[str, Done] = MappingProxyType({})
) -> Iterator[Writer]:
    """Give what writes; a file is there when all of it is, or not at all."""
    if sink is not None:
        with closing(sink):
            yield _SinkWriter(sink, done)
        return
    if out == "-":
        yield _CSVWriter(sys.stdout)
        return
    part = Path(out).with_name(f".{Path(out).name}.{os.getpid()}.part")
    try:
        if Path(out).suffix.lower() == ".csv":
            with open(part, "w", newline="", encoding="utf-8") as file:
                yield _CSVWriter(file)
        else:
            with _ParquetWriter(part) as writer:
                yield writer
        os.replace(part, out)
    except OSError as error:
        if error.filename not in (None, str(part), part):  # a file that is read, not this one
            raise
        raise OSError(error.errno, error.strerror or str(error), out) from error
    finally:
        with suppress(OSError):
            part.unlink()


class _CSVWriter:
    """Rows as lines."""

    def __init__(self, file: Any):
        self._writer = csv.writer(file, lineterminator="\n")
        self._begun = False

    def __call__(self, columns: dict[str, Any], piece: Piece) -> None:
        """Write rows."""
        if not self._begun:
            self._writer.writerow([in_csv(name) for name in columns])
            self._begun = True
        lists = [np.asarray(values).tolist() for values in columns.values()]
        self._writer.writerows([in_csv(value) for value in row] for row in zip(*lists))


class _SinkWriter:
    """Rows for a sink, but those that it has."""

    def __init__(self, sink: Sink, done: Mapping[str, Done]):
        self._sink, self._done = sink, done

    def __call__(self, columns: dict[str, Any], piece: Piece) -> None:
        """Write rows."""
        known = max(self._done.get(piece.path, Done(0)).rows - piece.row, 0)
        if known < piece.n_rows:
            rest = {name: plain(values)[known:] for name, values in columns.items()}
            self._sink.write(piece.path, piece.row + known, rest, piece.after(piece.n_rows))
            self._sink.flush()


class _ParquetWriter:
    """Rows as row groups."""

    def __init__(self, path: Path):
        self._arrow = needed("pyarrow", "a Parquet file")
        self._parquet = needed("pyarrow.parquet", "a Parquet file")
        self._path = path
        self._file: Any = None

    def __enter__(self) -> _ParquetWriter:
        return self

    def __exit__(self, *error: object) -> None:
        if self._file is not None:
            self._file.close()

    def __call__(self, columns: dict[str, Any], piece: Piece) -> None:
        """Write rows."""
        table = self._arrow.table({
            name: np.asarray(values).tolist() if np.asarray(values).dtype.kind in "OU" else values
            for name, values in columns.items()
        })  # fmt: skip
        if self._file is None:
            self._file = self._parquet.ParquetWriter(self._path, table.schema)
        self._file.write_table(table.cast(self._file.schema))
