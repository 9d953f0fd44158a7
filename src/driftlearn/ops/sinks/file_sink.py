"""Append predictions to a CSV file."""

import csv
import io
import os
from collections.abc import Iterator, Mapping
from typing import Any

from driftlearn.ops.sinks.sink import Columns, Done, Sink
from driftlearn.tables.files import Position
from driftlearn.utils.safe_text import csv_lines, printable

BLOCK = 1 << 20  # bytes read at a time, backwards from the end of the file


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
