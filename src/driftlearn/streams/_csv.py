"""Streams of CSV files, read in constant memory."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import warnings
import zipfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import cached_property
from pathlib import Path
from typing import IO, Any

import numpy as np

from driftlearn.streams._files import FileStream, check_count
from driftlearn.tables.files import explained
from driftlearn.tables.frame_columns import frame_values
from driftlearn.utils.optional import needed
from driftlearn.utils.typing import Labels, Rows

#: Spellings of a missing number, as in pandas.
MISSING = ("", "NA", "N/A", "n/a", "NaN", "nan", "null", "NULL", "None", "<NA>")
#: Rows of the first piece, and the maximum; the size of later pieces follows from `TARGET` and the
#: mean length of the rows so far.
FIRST, MOST = 16, 10_000
#: Target size of a piece in bytes of text; the parser needs about ten times as much memory.
TARGET = 4 << 20
#: Maximum size of a piece in bytes: a larger one contains a malformed row, for example with an
#: unclosed quotation mark.
LARGEST = 64 << 20
#: Maximum ratio of unpacked to packed size: text is packed to about 1/10, zeros to 1/1000.
RATIO = 300
#: Maximum number of characters of a label; every row of a piece takes as many as the longest one.
LONGEST_LABEL = 1_000


class CSVStream(FileStream):
    """Stream of a CSV file, as returned by `from_csv`, which documents the parameters."""

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
        limits: bool = True,
    ) -> None:
        self.sep = sep
        self.na_values = tuple(na_values)
        self.limits = limits
        super().__init__(path, target, drop, drifts, chunk_size, name)

    def _columns(self) -> list[str]:
        read_csv = needed("pandas").read_csv
        with explained(self.path, "CSV"), self._open() as (_, text):
            frame = read_csv(text, sep=self.sep, keep_default_na=False, nrows=0)
            return [str(name) for name in frame.columns]

    @contextmanager
    def _open(self) -> Iterator[tuple[_Bounded, IO[str]]]:
        """Open the file as text; yield the object that counts its bytes, and the text."""
        with ExitStack() as stack:
            raw = stack.enter_context(open(self.path, "rb"))
            unpacked = _unpacked(raw, Path(self.path).suffix.lower(), stack)
            source = _Bounded(unpacked, raw, self.limits)
            yield (
                source,
                stack.enter_context(
                    io.TextIOWrapper(
                        io.BufferedReader(source, 1 << 18), encoding="utf-8", newline=""
                    )
                ),
            )

    def _frames(self, whole: bool) -> Iterator[tuple[int, Any, Labels]]:
        """Yield for every piece the number of its first row, its columns and its labels as text.

        With `whole` false only the label column is read, which is faster, but does not detect rows
        with too many fields.
        """
        row, size = 0, FIRST
        pandas = needed("pandas")
        with explained(self.path, "CSV"), self._open() as (source, text):
            reader = pandas.read_csv(
                text,
                sep=self.sep,
                keep_default_na=False,
                usecols=None if whole else [self.target],
                index_col=False,
                dtype=dict.fromkeys([*self.drop, self.target], str),
                na_values={name: [*MISSING, *self.na_values] for name in self.feature_names},
                iterator=True,
                low_memory=False,
            )
            while True:
                source.begin(row)
                try:
                    with warnings.catch_warnings():
                        warnings.simplefilter("error", pandas.errors.ParserWarning)
                        frame = reader.get_chunk(size)
                except StopIteration:
                    return
                except pandas.errors.ParserWarning:
                    raise ValueError("a row has more fields than the header line") from None
                yield row, frame, self._texts(frame, row)
                row += len(frame)
                size = min(MOST, max(1, row * TARGET // max(source.unpacked, 1)))

    def _texts(self, frame: Any, row: int) -> Labels:
        found = frame[self.target].to_numpy(dtype=object)
        for k, label in enumerate(found):
            if not label:
                raise ValueError(f"the label in row {row + k} of column {self.target!r} is empty")
            if len(label) > LONGEST_LABEL:
                raise ValueError(
                    f"the label in row {row + k} of column {self.target!r} has {len(label):,} "
                    f"characters; the maximum is {LONGEST_LABEL:,}"
                )
        return found.astype(str)

    @cached_property
    def _scan(self) -> tuple[int, Labels]:
        return self._first_pass[0], np.array(sorted(self._first_pass[1].values()))

    @cached_property
    def _first_pass(self) -> tuple[int, dict[str, Any]]:
        """Number of rows and value of each label text, from one pass over all labels."""
        n = 0
        texts: set[str] = set()
        for row, _, text in self._frames(whole=False):
            n = row + len(text)
            texts.update(np.unique(text).tolist())
            check_count(texts, self.path, self.target)
        kind = kind_of(texts)
        return n, {text: kind(text) for text in texts}

    def _pieces(self, start: int) -> Iterator[Rows]:
        known = self._first_pass[1]
        for row, frame, text in self._frames(whole=True):
            if row + len(text) <= start:
                continue
            X = frame_values(frame, self.feature_names, self.path, row)
            labels, codes = np.unique(text, return_inverse=True)
            try:
                y = np.array([known[label] for label in labels.tolist()])[codes]
            except KeyError as label:
                raise ValueError(
                    f"{self.path} was modified while it was read: label {label} is new"
                ) from None
            skip = max(start - row, 0)
            yield X[skip:], y[skip:]


class _Bounded(io.RawIOBase):
    """Unpacked content of a file; raises ValueError if its size exceeds the limits."""

    def __init__(self, content: IO[bytes], raw: IO[bytes], limits: bool) -> None:
        self.unpacked = 0
        self._content, self._raw, self._limits = content, raw, limits
        self.begin(0)

    def begin(self, row: int) -> None:
        """Start a new piece at a row."""
        self._row, self._end = row, self.unpacked + LARGEST

    def readable(self) -> bool:
        """Return True."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Read bytes into a buffer; raise ValueError if a limit is exceeded."""
        block = self._content.read(len(buffer))
        buffer[: len(block)] = block
        self.unpacked += len(block)
        if self._limits and self.unpacked > self._end:
            raise ValueError(
                f"one or a few rows from row {self._row} on exceed {LARGEST >> 20} MB, perhaps "
                "because of an unclosed quotation mark. To read such rows, set limits=False"
            )
        packed = self._raw.tell()
        if self._limits and self.unpacked > max(LARGEST, RATIO * packed):
            raise ValueError(
                f"it unpacks to more than {RATIO} times its size; if you trust the file, unpack it "
                "first or set limits=False"
            )
        return len(block)


def _unpacked(raw: IO[bytes], suffix: str, stack: ExitStack) -> IO[bytes]:
    """Return the content of a file, unpacked according to its suffix."""
    if suffix in (".zst", ".tar", ".tgz"):
        raise ValueError(f"{suffix} files are not supported; unpack the file first")
    if suffix == ".zip":
        archive = stack.enter_context(zipfile.ZipFile(raw))
        names = archive.namelist()
        if len(names) != 1:
            raise ValueError(f"a zip archive must contain exactly one file, not {len(names)}")
        return stack.enter_context(archive.open(names[0]))
    openers: dict[str, Callable[[Any], Any]] = {
        ".gz": gzip.open,
        ".bz2": bz2.open,
        ".xz": lzma.open,
    }
    return stack.enter_context(openers[suffix](raw)) if suffix in openers else raw


def kind_of(texts: set[str]) -> Callable[[str], Any]:
    """Return the type of labels: int or float if all texts survive the conversion, else str.

    Examples
    --------
    >>> [kind_of(set(texts)).__name__ for texts in (["1", "-2"], ["0.5"], ["00", "01"], ["nan"])]
    ['int', 'float', 'str', 'str']
    """
    for kind in (int, float):
        if all(_survives(text, kind) for text in texts):
            return kind
    return str


def _survives(text: str, kind: type) -> bool:
    try:
        value = kind(text)
    except ValueError:
        return False
    return str(value) == text and abs(value) < float("inf")
