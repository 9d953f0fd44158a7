"""CSV files, optionally compressed, readable from any row."""

from __future__ import annotations

import bz2
import codecs
import csv
import gzip
import lzma
import zipfile
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from typing import IO, Any

import numpy as np

from driftlearn.tables import csv_parser
from driftlearn.tables.csv_parser import BLOCK, Block, Form, Readable, fields_of
from driftlearn.tables.files import (
    BrokenLine,
    Numbers,
    Piece,
    Position,
    changed,
    check_format,
    explained,
)

#: Maximum ratio of uncompressed to compressed size: text compresses to about 1/10, zeros to 1/1000.
RATIO = 300
HEADER = 4096  # bytes read at a time to find the first line
BOMS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
#: Number of bytes, rows and lines before a block, and the digest of these bytes.
Begun = tuple[int, int, int, Any]
OPENERS: dict[str, Callable[[Any], Any]] = {
    ".gz": gzip.open, ".bz2": bz2.open, ".xz": lzma.open,
}  # fmt: skip


class CSVFile:
    """CSV file whose first line contains the column names.

    A position consists of the numbers of uncompressed bytes, rows and lines that were read, and the
    SHA-256 of these bytes.

    Parameters
    ----------
    path : str
        The file. Compressed files (``.gz``, ``.bz2``, ``.xz``, ``.zip``) are recognized by their
        suffix.
    sep : str, optional
        Field separator; by default the separator among comma, semicolon, tab and bar that splits
        the first line into the most fields.
    encoding : str
        Encoding of the text, which must be a superset of ASCII. A byte order mark is ignored.
    missing : tuple of str
        Additional spellings of a missing value.
    keep_text : bool
        Whether spellings of missing values are ordinary strings in columns that are not numeric.
    largest : int or float
        Maximum size of a row in bytes.
    ratio : int, optional
        Maximum compression ratio of files with more than `largest` uncompressed bytes.
    """

    def __init__(
        self,
        path: str,
        sep: str | None = None,
        encoding: str = "utf-8",
        missing: tuple[str, ...] = (),
        *,
        keep_text: bool = False,
        largest: float = csv_parser.LARGEST,
        ratio: int | None = None,
    ):
        self.path, self.name = path, Path(path).name
        self.sep = sep
        if sep is not None and len(sep) != 1:
            raise ValueError(f"'sep' must be a single character. Got {sep!r} instead.")
        try:
            self.encoding = codecs.lookup(encoding).name
        except LookupError:
            text = f"unknown encoding {encoding!r}: use e.g. utf-8, latin-1 or cp1252"
            raise ValueError(text) from None
        if "a,\n".encode(self.encoding) != b"a,\n":
            raise ValueError(f"{encoding} is not supported: save the file as UTF-8")
        self.missing = (*csv_parser.MISSING, *missing)
        self.keep_text, self.largest, self.ratio = keep_text, largest, ratio

    @contextmanager
    def open(self) -> Iterator[Readable]:
        """Open the uncompressed content."""
        with ExitStack() as stack:
            raw = stack.enter_context(open(self.path, "rb"))
            content = _unpacked(raw, Path(self.path).suffix.lower(), stack)
            yield _Bounded(content, raw, self.largest, self.ratio) if self.ratio else content

    def columns(self) -> list[str]:
        """Return the column names, an empty list for an empty file."""
        with explained(self.path, "CSV"), self.open() as source:
            form, _ = self._header(source.read(BLOCK))
            return form.names

    def pieces(
        self,
        at: Position | None,
        numbers: Numbers,
        *,
        final: bool = True,
        skip: bool = False,
        size: int | None = None,
    ) -> Iterator[Piece]:
        """Yield the rows after a position.

        Parameters
        ----------
        at : dict, optional
            The position; None is the beginning of the file.
        numbers : callable
            Function that returns the columns to read as numbers; called for every piece.
        final : bool
            Whether a last line without line end is a row.
        skip : bool
            Whether to skip broken lines; otherwise `BrokenLine` is raised.
        size : int, optional
            Number of bytes to read at a time.
        """
        with explained(self.path, "CSV"), self.open() as source:
            start = source.read(size or BLOCK)
            form, begin = self._header(start)
            if not form.names:
                return
            digest = sha256()
            lines, begun = self._skip_read(start, source, digest, at, begin)
            offset, row = (at["bytes"], at["rows"]) if at else (begin, 0)
            for block in csv_parser.blocks(source, final, form.sep, size, self.largest, begun):
                before = (offset, row, lines, digest.copy())
                piece = self._piece(block, form, numbers(), before, skip)
                yield piece
                digest.update(block.content)
                offset += len(block.content)
                lines += block.n_lines
                row += piece.n_rows
            end = _position(offset, row, lines, digest)
            yield Piece({}, 0, self.path, self.name, row, lambda _: end, is_last=True)

    def digests(self, sizes: Collection[int]) -> dict[int, tuple[str, bool]]:
        """Return the SHA-256 of the first bytes, and whether the content ends there, by size."""
        found: dict[int, tuple[str, bool]] = {}
        digest, done, content = sha256(), 0, b""
        with explained(self.path, "CSV"), self.open() as source:
            for size in sorted(sizes):
                while done < size:
                    content = content or source.read(BLOCK)
                    if not content:
                        return found
                    part, content = content[: size - done], content[size - done :]
                    digest.update(part)
                    done += len(part)
                content = content or source.read(BLOCK)
                found[size] = digest.hexdigest(), not content
        return found

    def _skip_read(
        self, content: bytes, source: Readable, digest: Any, at: Position | None, begin: int
    ) -> tuple[int, bytes]:
        """Skip the bytes before a position; raise ChangedFile if they were changed.

        `content` are the bytes already read from the source. Returns the number of skipped lines
        and the bytes that were read beyond the position.
        """
        left = at["bytes"] if at else begin
        last, lines = b"", 0
        while left:
            content = content or source.read(min(left, BLOCK))
            if not content:
                raise changed(self.path, "has become shorter")
            skipped, content = content[:left], content[left:]
            digest.update(skipped)
            lines += skipped.count(b"\n")
            left -= len(skipped)
            last = skipped[-1:]
        if at is None:
            return lines, content
        if digest.hexdigest() != at["digest"]:
            raise changed(self.path, "was changed")
        if last != b"\n":  # a last line without a newline counts as a row
            content += source.read(2) if len(content) < 2 else b""
            if content and not content.startswith((b"\n", b"\r\n")):
                raise changed(self.path, "was extended in its last line (which had no line end)")
        return int(at["lines"]), content

    def _header(self, start: bytes) -> tuple[Form, int]:
        """Return the columns and syntax of the file, and the start of its first row."""
        check_format("standard input" if self.path == "-" else self.path, start[:HEADER])
        if start.startswith(BOMS):
            raise ValueError("UTF-16 is not supported: save the file as UTF-8")
        begin = len(codecs.BOM_UTF8) if start.startswith(codecs.BOM_UTF8) else 0
        form = Form([], self.sep or ",", self.encoding, self.missing, self.keep_text)
        for block in csv_parser.blocks(BytesIO(start[begin:]), final=True, size=HEADER):
            if not len(block.starts):
                begin += len(block.content)
                continue
            if block.problem:
                raise ValueError("its first line has an unclosed quotation mark")
            if b"\n" not in block.content and b"\r" in block.content.rstrip(b"\r"):
                raise ValueError("its lines end with a carriage return only: use newlines")
            first, end = int(block.starts[0]), int(block.ends[0])
            try:
                text = block.content[first:end].decode(self.encoding)
            except UnicodeDecodeError:
                raise ValueError(
                    f"its first line is not valid {self.encoding.upper()}: save the file as UTF-8, "
                    "or set its encoding, e.g. --encoding latin-1"
                ) from None
            sep = self.sep or max(csv_parser.SEPARATORS, key=lambda s: _n_fields(text, s))
            names = [each.strip() or f"column {j + 1}"
                     for j, each in enumerate(fields_of(text, sep))]  # fmt: skip
            twice = next((name for name, n in Counter(names).items() if n > 1), None)
            if twice is not None:
                raise ValueError(f"two columns have the name {twice!r}: rename one of them")
            return form._replace(names=names, sep=sep), begin + end
        return form, 0

    def _piece(
        self, block: Block, form: Form, numbers: Collection[str], begun: Begun, skip: bool
    ) -> Piece:
        offset, row, lines, digest = begun
        table, rows, problems = csv_parser.read(block, form, numbers)
        broken = []
        for i, problem in problems.items():
            line = lines + int(block.lines[i]) + 1
            text = f"line {line} of {self.path} is broken: {problem}"
            broken.append((int(np.searchsorted(rows, i)), text))
        if broken and not skip:
            raise BrokenLine(
                f"{broken[0][1]}. Correct it, or skip malformed lines with --on-error skip"
            )
        ends = block.ends[rows]

        def after(k: int) -> Position:
            end, n_lines = len(block.content), block.n_lines
            if k < len(ends):
                end = int(ends[k - 1]) if k else 0
                n_lines = block.content.count(b"\n", 0, end)
            read_until = digest.copy()
            read_until.update(block.content[:end])
            return _position(offset + end, row + k, lines + n_lines, read_until)

        return Piece(table, len(ends), self.path, self.name, row, after, broken=broken)


def _n_fields(text: str, sep: str) -> int:
    """Return the number of fields of a line; 0 if a field would exceed the limit of `csv`."""
    try:
        return len(fields_of(text, sep))
    except csv.Error:
        return 0


def _position(offset: int, row: int, lines: int, digest: Any) -> Position:
    return {"bytes": offset, "rows": row, "lines": lines, "digest": digest.hexdigest()}


class _Bounded:
    """Uncompressed content of a file; raises ValueError if the compression ratio is suspicious."""

    def __init__(self, content: IO[bytes], raw: IO[bytes], largest: float, ratio: int):
        self._content, self._raw, self._largest, self._ratio = content, raw, largest, ratio
        self._unpacked = 0

    def read(self, n: int, /) -> bytes:
        """Return up to `n` bytes; none at the end."""
        block = self._content.read(n)
        self._unpacked += len(block)
        if self._unpacked > max(self._largest, self._ratio * self._raw.tell()):
            raise ValueError(
                f"it expands to more than {self._ratio} times its size. If you trust the file, "
                "unpack it first, or use from_csv with limits=False"
            )
        return block


def _unpacked(raw: IO[bytes], suffix: str, stack: ExitStack) -> IO[bytes]:
    """Open the content of a file, decompressed according to its suffix."""
    if suffix in (".zst", ".tar", ".tgz"):
        raise ValueError(f"{suffix} files are not supported; unpack the file first")
    if suffix == ".zip":
        archive = stack.enter_context(zipfile.ZipFile(raw))
        names = archive.namelist()
        if len(names) != 1:
            raise ValueError(f"a zip archive must contain exactly one file, not {len(names)}")
        return stack.enter_context(archive.open(names[0]))
    return stack.enter_context(OPENERS[suffix](raw)) if suffix in OPENERS else raw


def label_type(texts: Collection[str]) -> Callable[[str], Any]:
    """Return the type of labels: int or float if all strings convert without loss, else str.

    Examples
    --------
    >>> [label_type(texts).__name__ for texts in (["1", "-2"], ["0.5"], ["00", "01"], ["nan"])]
    ['int', 'float', 'str', 'str']
    """
    for kind in (int, float):
        if all(_survives(text, kind) for text in texts):
            return kind
    return str


def typed_labels(labels: Iterable[Any]) -> dict[str, Any]:
    """Return a dict from strings to labels, which are numbers if `label_type` allows it."""
    texts = [str(label) for label in labels]
    kind = label_type(texts)
    return {text: kind(text) for text in texts}


def _survives(text: str, kind: type) -> bool:
    try:
        value = kind(text)
    except ValueError:
        return False
    return str(value) == text and abs(value) < float("inf")
