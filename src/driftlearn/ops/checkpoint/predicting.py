"""What a kept model says of the rows of files, written at one stroke."""

from __future__ import annotations

import csv
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from types import MappingProxyType
from typing import Any, Protocol

import numpy as np

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
from driftlearn.ops.sources.server import is_server, without_password
from driftlearn.ops.sources.source import source_of
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
    keep: Sequence[str] = (),
    voters: bool = True,
    skip: bool = False,
) -> int:
    """Write predictions for the rows of files; return how many there are.

    Parameters
    ----------
    folder : path
        The state folder.
    files : list of str
        As in `source_of`.
    out : str
        A file, ``.csv`` or ``.parquet``; ``"-"`` is standard output. To a stream of Redis or a
        topic of Kafka only those are added that it does not have.
    keep : sequence of str
        Columns of the rows that are handed through.
    voters : bool
        Whether to tell who voted.
    skip : bool
        Whether broken lines are passed over.
    """
    check_out(out)
    kept = Kept.open(folder)
    form = {key: kept.settings[key] for key in ("sep", "encoding", "missing")}
    source = source_of(files, skip=skip, **form)
    sink = sink_of(out, f"predict {Path(folder).resolve()}") if is_server(out) else None
    done = sink.done_until(None) if sink is not None else {}
    position = {path: each.position for path, each in done.items() if each.position is not None}
    source.check(position)
    kinds = kept.encoder.kinds_
    passed = {kept.settings["target"], *keep}
    source.numbers = {name for name, kind in kinds.items() if kind == "number"} - passed
    classes = kept.learner.classes_ if hasattr(kept.learner, "classes_") else np.array([])
    kind = kind_of({str(label) for label in classes})
    n = 0
    with closing(source), writer(out, sink, done) as write:
        for piece in source.pieces(position):
            if not piece.n_rows:
                continue
            there = columns_of(piece.table)
            check_known([*kinds], there, piece.path, folder)
            for name in keep:
                check_column(name, there, "--keep", piece.path)
            with in_file(piece.path):
                X = kept.encoder.transform(without(piece.table, kept.settings["target"]))
            probas = kept.learner.predict_proba(X)
            best = probas.argmax(axis=1)
            labels = np.array([kind(str(label)) for label in kept.learner.classes_])
            said: dict[str, Any] = {"predicted": labels[best]}
            for k, label in enumerate(labels.tolist()):
                said[f"p_{label}"] = probas[:, k]
            if voters:
                said["voters"] = voters_of(kept.learner, X, best)
            for name in keep:
                if name in said:
                    raise ValueError(
                        f"--keep {name}: predictions have a column of that name; rename yours"
                    )
            write({**{name: column(piece.table, name) for name in keep}, **said}, piece)
            n += piece.n_rows
        if not n and not done:
            named = ", ".join(map(without_password, files))
            raise ValueError(f"there are no rows in {named}: nothing to predict")
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
