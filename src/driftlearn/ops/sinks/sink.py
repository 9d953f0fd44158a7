"""Interface of sinks, CSV files as sinks, and the choice of a sink by name."""

import csv
import io
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import numpy as np

from driftlearn.ops.sources.log_source import PLAIN
from driftlearn.ops.sources.source import is_server, parse_address, without_password
from driftlearn.tables.files import Position
from driftlearn.utils.safe_text import csv_lines, printable

BLOCK = 1 << 20  # bytes read at a time, backwards from the end of a file
Columns = Mapping[str, list[Any]]


class Done(NamedTuple):
    """Predictions of one source that a sink contains.

    Attributes
    ----------
    rows : int
        The sink contains all rows before this row number.
    position : dict or None
        The position in the source from which to continue; None if it was not stored.
    """

    rows: int
    position: Position | None = None


class Sink(Protocol):
    """Output for predictions of rows, which are identified by source path and row number."""

    def done_until(self, saved: Mapping[str, Position] | None) -> dict[str, Done]:
        """Return the predictions that the sink contains, by path.

        Parameters
        ----------
        saved : dict or None
            Durably stored positions: predictions before them are not searched for. None searches
            for all predictions.
        """

    def write(self, path: str, row: int, columns: Columns, position: Position | None) -> None:
        """Add predictions starting at a row number, with the source position after them."""

    def write_new(
        self, done: Mapping[str, Done], path: str, row: int, columns: Columns,
        position: Position | None = None,
    ) -> bool:  # fmt: skip
        """Add predictions that the sink does not contain yet; return whether there are any."""
        known = max(done.get(path, Done(0)).rows - row, 0)
        rest = {name: values[known:] for name, values in columns.items()}
        is_new = any(map(len, rest.values()))
        if is_new:
            self.write(path, row + known, rest, position)
        return is_new

    def flush(self) -> None:
        """Block until all writes are stored durably."""
        return  # sinks that wait for each response need no flush

    def close(self) -> None:
        """Close files and connections; writes after the last flush may be lost."""


class FileSink(Sink):
    """CSV file whose first columns are ``source`` and ``row``.

    An incomplete last line is removed when the file is opened.

    Parameters
    ----------
    path : str
        The file, created if it does not exist.
    """

    def __init__(self, path: str):
        self._file = open(path, "a+b")  # noqa: SIM115
        self._file.seek(0)
        first, self._names = self._file.readline(), []
        if first.endswith(b"\n"):
            self._names = next(csv.reader([first.decode("utf-8", "replace")]))
            if self._names[:2] != ["source", "row"]:
                self.close()
                raise ValueError(
                    f"--out {path} was not written by this command. Use a different file."
                )
        ends = (start + block.rfind(b"\n") + 1 for start, block in self._blocks() if b"\n" in block)
        self._file.truncate(next(ends, 0))

    def _blocks(self) -> Iterator[tuple[int, bytes]]:
        """Yield blocks of the file from the end backwards, with the offset of each block."""
        at = self._file.seek(0, os.SEEK_END)
        while at:
            size = min(BLOCK, at)
            at -= size
            self._file.seek(at)
            yield at, self._file.read(size)

    def done_until(self, saved: Mapping[str, Position] | None) -> dict[str, Done]:
        """Return the predictions in the file; see `Sink.done_until`."""
        done: dict[str, int] = {}
        rest, is_known = b"", False
        for start, block in self._blocks():
            head, _, lines = (block + rest).partition(b"\n") if start else (b"", b"", block + rest)
            rest = head + b"\n"
            text = io.StringIO(lines.decode("utf-8", "replace"), newline="")
            for path, number, *_ in (line for line in csv.reader(text) if len(line) > 1):
                if number.isdigit():  # skips header lines
                    row = int(number)
                    done[path] = max(done.get(path, 0), row + 1)
                    is_known |= row < (saved or {}).get(path, {}).get("rows", 0)
            if is_known:
                break
        return {path: Done(rows) for path, rows in done.items()}

    def write(self, path: str, row: int, columns: Columns, position: Position | None) -> None:
        """Append lines."""
        rows: list[Any] = [(path, row + k, *each) for k, each in enumerate(zip(*columns.values()))]
        # Values must not contain line breaks; otherwise an incomplete last line could not be
        # recognized.
        lines = [[printable(v) if isinstance(v, str) else v for v in each] for each in rows]
        if not self._names:
            self._names = ["source", "row", *columns]
            lines.insert(0, self._names)
        self._file.write(csv_lines(lines))

    def flush(self) -> None:
        """Sync the file to disk."""
        self._file.flush()
        os.fsync(self._file.fileno())

    def close(self) -> None:
        """Close the file."""
        self._file.close()


def sink_of(name: str, owner: str) -> Sink:
    """Return the sink for a name.

    Parameters
    ----------
    name : str
        A CSV file, ``redis://HOST:6379/STREAM`` or ``kafka://HOST:9092/TOPIC``.
    owner : str
        The model or command whose predictions are written; a second writer with the same owner
        replaces the first writer.
    """
    if not is_server(name) and Path(name).suffix.lower() == ".csv":
        return FileSink(name)
    if not is_server(name) or not name.startswith(("redis", "kafka")):
        shown = without_password(name)
        raise ValueError(
            f"Invalid --out {shown!r}: expected a .csv file, redis://HOST:6379/STREAM or "
            "kafka://HOST:9092/TOPIC."
        )
    from driftlearn.ops.sinks.server_sinks import KafkaSink, RedisSink

    address = parse_address(name)
    return RedisSink(address) if address.kind == "redis" else KafkaSink(address, owner)


def records(path: str, row: int, columns: Columns) -> list[dict[str, Any]]:
    """Return predictions as dicts with source and row number."""
    return [
        {"source": path, "row": row + k, **dict(zip(columns, values))}
        for k, values in enumerate(zip(*columns.values()))
    ]


def plain(values: Any) -> list[Any]:
    """Return a column as JSON values; None for a missing value.

    Examples
    --------
    >>> plain(np.array([1.5, np.nan])), plain(np.array(["2024-01-31"], dtype="datetime64[D]"))
    ([1.5, None], ['2024-01-31'])
    """
    return [
        None if value != value else value if isinstance(value, PLAIN) else str(value)
        for value in np.asarray(values).tolist()
    ]
