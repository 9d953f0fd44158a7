"""Predictions as lines of a CSV file."""

import csv
import io
import os
from collections.abc import Iterator, Mapping
from typing import Any

from driftlearn.ops.sinks.sink import Done, Sink
from driftlearn.tables.files import Position
from driftlearn.utils.safe_text import in_csv, printable

BLOCK = 1 << 20  # bytes that are read at a time, backwards from the end of the file


class FileSink(Sink):
    """A CSV file whose first columns are ``source`` and ``row``.

    An incomplete last line is removed when the file is opened.

    Parameters
    ----------
    path : str
        The file, which is created if necessary.
    """

    def __init__(self, path: str):
        self.path = path
        self._file = open(path, "a+b")  # noqa: SIM115
        self._names: list[str] = []
        self._begin()

    def _begin(self) -> None:
        """Read the first line; remove an incomplete last one."""
        self._file.seek(0)
        first = self._file.readline()
        if first.endswith(b"\n"):
            self._names = next(csv.reader([first.decode("utf-8", "replace")]))
        if first.endswith(b"\n") and self._names[:2] != ["source", "row"]:
            self.close()
            raise ValueError(f"--out {self.path} exists and has other content: name another file")
        end = 0
        for start, block in self._blocks():
            if b"\n" in block:
                end = start + block.rindex(b"\n") + 1
                break
        self._file.truncate(end)

    def _blocks(self) -> Iterator[tuple[int, bytes]]:
        """Yield the blocks of the file from its end on, and where each one begins."""
        at = self._file.seek(0, os.SEEK_END)
        while at:
            size = min(BLOCK, at)
            at -= size
            self._file.seek(at)
            yield at, self._file.read(size)

    def done_until(self, kept: Mapping[str, Position] | None) -> dict[str, Done]:
        """See `Sink`."""
        done: dict[str, int] = {}
        rest = b""
        for start, block in self._blocks():
            head, _, whole = (block + rest).partition(b"\n") if start else (b"", b"", block + rest)
            rest = head + b"\n"
            lines = io.StringIO(whole.decode("utf-8", "replace"), newline="")
            known = False
            for line in csv.reader(lines):
                if len(line) < 2 or line[:2] == ["source", "row"] or not line[1].isdigit():
                    continue
                path, row = line[0], int(line[1])
                done[path] = max(done.get(path, 0), row + 1)
                known = known or row < (kept or {}).get(path, {}).get("rows", 0)
            if known:
                break
        return {path: Done(rows) for path, rows in done.items()}

    def write(
        self, path: str, row: int, columns: Mapping[str, list[Any]], position: Position | None
    ) -> None:
        """See `Sink`."""
        lines = io.StringIO(newline="")
        writer = csv.writer(lines, lineterminator="\n")
        if not self._names:
            self._names = ["source", "row", *columns]
            writer.writerow([in_csv(name) for name in self._names])
        for k, values in enumerate(zip(*columns.values())):
            writer.writerow([_field(value) for value in (path, row + k, *values)])
        self._file.write(lines.getvalue().encode())

    def flush(self) -> None:
        """See `Sink`."""
        self._file.flush()
        os.fsync(self._file.fileno())

    def close(self) -> None:
        """See `Sink`."""
        self._file.close()


def _field(value: Any) -> Any:
    """Return a value without line ends, so that an incomplete line can be recognized."""
    if value is None:
        return ""
    return in_csv(printable(value)) if isinstance(value, str) else value
