"""CSV files, packed or not, from any row on."""

from __future__ import annotations

import codecs
import csv
from collections import Counter
from collections.abc import Callable, Collection, Iterator
from contextlib import ExitStack, contextmanager
from hashlib import sha256
from pathlib import Path
from typing import IO, Any

import numpy as np

from driftlearn.ops.sources._fields import Form, fields_of, read
from driftlearn.ops.sources._rows_in_bytes import BLOCK, Block, blocks
from driftlearn.ops.sources.piece import BrokenLine, Piece, Position, changed
from driftlearn.streams._csv import MISSING, _unpacked
from driftlearn.tables.files import UNREADABLE

SEPARATORS = (",", ";", "\t", "|")
BOMS = {codecs.BOM_UTF16_LE: "UTF-16", codecs.BOM_UTF16_BE: "UTF-16"}


class CSVFile:
    """A file of rows, the first line of which names the columns.

    Its position is how many bytes of its unpacked content, rows and lines were read, and the
    SHA-256 of these bytes.

    Parameters
    ----------
    path : str
        The file.
    sep : str, optional
        What separates fields; by default what the first line has most of: comma, semicolon, tab
        or bar.
    encoding : str
        Of its text: any that has ASCII in it. A byte order mark is passed over.
    missing : tuple of str
        More spellings of a missing value.
    """

    def __init__(
        self,
        path: str,
        sep: str | None = None,
        encoding: str = "utf-8",
        missing: tuple[str, ...] = (),
    ):
        self.path = path
        self.sep = sep
        try:
            self.encoding = codecs.lookup(encoding).name
        except LookupError:
            raise ValueError(
                f"there is no encoding {encoding!r}; use utf-8, latin-1, cp1252"
            ) from None
        if "a,\n".encode(self.encoding) != b"a,\n":
            raise ValueError(f"{encoding} is not read here: save the file as UTF-8")
        self.missing = (*MISSING, *missing)

    @property
    def name(self) -> str:
        """The name of the file, for messages."""
        return Path(self.path).name

    @contextmanager
    def open(self) -> Iterator[IO[bytes]]:
        """Open the unpacked content."""
        with ExitStack() as stack:
            raw = stack.enter_context(open(self.path, "rb"))
            yield _unpacked(raw, Path(self.path).suffix.lower(), stack)

    def columns(self) -> list[str]:
        """Return the names of the columns; none if the file is empty."""
        with self._explained(), self.open() as source:
            form, _ = self._header(source.read(BLOCK))
            return form.names

    def pieces(
        self,
        at: Position | None,
        numbers: Callable[[], Collection[str]],
        *,
        final: bool = True,
        skip: bool = False,
    ) -> Iterator[Piece]:
        """Yield the rows from a position on.

        Parameters
        ----------
        at : dict, optional
            The position; None is the beginning.
        numbers : callable
            Tells which columns are to be read as numbers; it is asked again for every piece.
        final : bool
            Whether a last line without an end is a row.
        skip : bool
            Whether broken lines are passed over, or raise `BrokenLine`.
        """
        with self._explained(), self.open() as source:
            start = source.read(BLOCK)
            form, begin = self._header(start)
            if not form.names:
                return
            reader = _Rest(start, source)
            seen = sha256()
            lines = self._pass(reader, seen, at, begin)
            offset, row = (at["bytes"], at["rows"]) if at else (begin, 0)
            for block in blocks(reader, final, form.sep.encode(form.encoding)):
                piece = self._piece(block, form, numbers(), (offset, row, lines, seen.copy()), skip)
                yield piece
                seen.update(block.content)
                offset += len(block.content)
                lines += block.n_lines
                row += piece.n_rows
            end = _position(offset, row, lines, seen)
            yield Piece({}, 0, self.path, self.name, row, lambda _: end, is_last=True)

    def _pass(self, reader: _Rest, seen: Any, at: Position | None, begin: int) -> int:
        """Pass over what was read; return how many lines that is. Raise if it is another now."""
        left = at["bytes"] if at else begin
        last, lines = b"", 0
        while left:
            content = reader.read(min(left, BLOCK))
            if not content:
                raise changed(self.path, "has become shorter")
            seen.update(content)
            lines += content.count(b"\n")
            left -= len(content)
            last = content[-1:]
        if at is None:
            return lines
        if seen.hexdigest() != at["digest"]:
            raise changed(self.path, "was changed")
        if last != b"\n":  # a last line without an end was a row
            more = reader.peek(2)
            if more and not more.startswith((b"\n", b"\r\n")):
                raise changed(self.path, "goes on in its last line, which was not ended")
        return int(at["lines"])

    def _header(self, start: bytes) -> tuple[Form, int]:
        """Return how the file is written, and where its first row begins."""
        for mark, name in BOMS.items():
            if start.startswith(mark):
                raise ValueError(f"it is written in {name}, which is not read: save it as UTF-8")
        begin = len(codecs.BOM_UTF8) if start.startswith(codecs.BOM_UTF8) else 0
        for block in blocks(_Rest(start[begin:], None), final=True):
            if not len(block.starts):
                begin += len(block.content)
                continue
            if b"\n" not in block.content and b"\r" in block.content.rstrip(b"\r"):
                raise ValueError("its lines end by carriage return alone; end them by newline")
            first, end = int(block.starts[0]), int(block.ends[0])
            text = self._decoded(block.content[first:end])
            sep = self.sep or max(SEPARATORS, key=lambda each: len(fields_of(text, each)))
            names = [each.strip() or f"column {j + 1}"
                     for j, each in enumerate(fields_of(text, sep))]  # fmt: skip
            twice = next((name for name, n in Counter(names).items() if n > 1), None)
            if twice is not None:
                raise ValueError(f"two columns are called {twice!r}: each needs a name of its own")
            return Form(names, sep, self.encoding, self.missing), begin + end
        return Form([], ",", self.encoding, self.missing), 0

    def _decoded(self, content: bytes) -> str:
        try:
            return content.decode(self.encoding)
        except UnicodeDecodeError:
            raise ValueError(
                f"its first line is no {self.encoding.upper()}; --encoding says what it is written "
                "in, as latin-1"
            ) from None

    def _piece(
        self,
        block: Block,
        form: Form,
        numbers: Collection[str],
        begun: tuple[int, int, int, Any],
        skip: bool,
    ) -> Piece:
        offset, row, lines, seen = begun
        found = read(block, form, numbers)
        said = []
        for i, why in found.broken.items():
            at = lines + int(block.lines[i]) + 1
            before = int(np.searchsorted(found.rows, i))
            said.append((before, f"line {at} of {self.path} is broken: {why}"))
        if said and not skip:
            what = said[0][1]
            raise BrokenLine(f"{what}. Repair it, or pass over such lines with --on-error skip")
        ends = block.ends[found.rows]
        whole = len(block.content)

        def after(k: int) -> Position:
            if k == len(ends):
                end, passed = whole, block.n_lines
            else:
                end = int(ends[k - 1]) if k else 0
                passed = block.content.count(b"\n", 0, end)
            digest = seen.copy()
            digest.update(block.content[:end])
            return _position(offset + end, row + k, lines + passed, digest)

        return Piece(found.table, len(ends), self.path, self.name, row, after, broken=said)

    @contextmanager
    def _explained(self) -> Iterator[None]:
        """Name the file when it turns out not to be what it should be."""
        try:
            yield
        except (BrokenLine, FileNotFoundError, PermissionError, IsADirectoryError):
            raise
        except UNREADABLE as error:
            if self.path in str(error):
                raise
            raise ValueError(f"{self.path} cannot be read as CSV: {str(error).strip()}") from error
        except csv.Error as error:
            raise ValueError(f"{self.path} cannot be read as CSV: {error}") from error


def _position(offset: int, row: int, lines: int, digest: Any) -> Position:
    return {"bytes": offset, "rows": row, "lines": lines, "digest": digest.hexdigest()}


class _Rest:
    """The rest of a source some bytes of which were read already."""

    def __init__(self, begun: bytes, source: IO[bytes] | None):
        self._begun, self._source = begun, source

    def peek(self, n: int) -> bytes:
        """Return the next bytes, which stay there."""
        while len(self._begun) < n and self._source is not None:
            more = self._source.read(n - len(self._begun))
            if not more:
                break
            self._begun += more
        return self._begun[:n]

    def read(self, n: int) -> bytes:
        """Return up to `n` bytes; none at the end."""
        if self._begun:
            some, self._begun = self._begun[:n], self._begun[n:]
            return some
        return b"" if self._source is None else self._source.read(n)
