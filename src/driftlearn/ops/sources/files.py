"""Files, folders, globs and standard input as a source of rows."""

import glob
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from driftlearn.ops.sources.source import STANDARD_INPUT, Source, is_server
from driftlearn.tables.csv_file import RATIO, CSVFile
from driftlearn.tables.files import UNREADABLE, ChangedFile, Piece, Position
from driftlearn.tables.parquet_file import ParquetFile
from driftlearn.utils.arguments import meant
from driftlearn.utils.optional import needed

PARQUET = (".parquet", ".pq", ".parq")
COMPRESSED = (".gz", ".bz2", ".xz", ".zip")
TEXT = (".csv", ".tsv", ".txt", ".data")


class FileSource(Source):
    r"""Rows of files, in the order of `names` and, within a folder, of the file names.

    Parameters
    ----------
    names : sequence of str
        Files, folders, globs, or ``"-"`` for standard input.
    sep, encoding, missing, skip, follow, skip_copies
        See `Source`.

    Examples
    --------
    >>> import tempfile
    >>> folder = tempfile.mkdtemp()
    >>> _ = Path(folder, "monday.csv").write_text("size,label\n1,a\n2,b\n")
    >>> source = FileSource([folder])
    >>> position = {}
    >>> for piece in source.pieces(position):
    ...     position[piece.path] = piece.after(piece.n_rows)
    >>> _ = Path(folder, "tuesday.csv").write_text("size,label\n3,a\n")
    >>> [(piece.file, piece.n_rows) for piece in source.pieces(position)]
    [('tuesday.csv', 1), ('tuesday.csv', 0)]
    """

    def __post_init__(self) -> None:
        super().__post_init__()
        self._form = self.sep, self.encoding, tuple(self.missing)
        CSVFile("-", *self._form)  # report an unknown encoding at the start

    def paths(self) -> list[str]:
        """Return the existing files without duplicates.

        Raises
        ------
        FileNotFoundError
            If a name matches no file.
        """
        found: dict[str, None] = {}
        for name in self.names:
            if name == STANDARD_INPUT:
                found.setdefault(name)
            else:
                found.update(dict.fromkeys(map(os.path.realpath, self._named(name))))
        return [*found]

    def file(self, path: str) -> CSVFile | ParquetFile:
        """Return the reader of a file."""
        if path == STANDARD_INPUT:
            return _StandardInput(path, *self._form)
        return ParquetFile(path) if _is_parquet(path) else CSVFile(path, *self._form, ratio=RATIO)

    def _new_pieces(self, given: dict[str, Position]) -> Iterator[Piece]:
        copies: list[tuple[str, str]] = []
        for path in self.paths():
            is_pipe = path == STANDARD_INPUT
            at = None if is_pipe else given.get(path)  # all rows of a pipe are new
            if at is not None and self._is_known(path, at):
                continue
            if at is None and self.skip_copies and not is_pipe:
                original = self.original(path, given)
                if original is not None:
                    at = given[original]
                    copies.append((path, original))
            how = {"final": is_pipe or not self.follow, "skip": self.skip}
            # Rows that are appended while the file is read must not pass for rows that were read.
            before = [] if is_pipe else size_and_time(path)
            for piece in self.file(path).pieces(at, lambda: self.numbers, **how):
                yield piece
                if piece.is_last and not is_pipe:
                    given[path] = piece.after(0)
                    self.verified[path] = [*before, given[path]["digest"]]
        if copies:
            self.notify(copies_note(copies))

    def check(self, position: Mapping[str, Position]) -> None:
        """See `Source.check`."""
        for path in self.paths():
            if _is_parquet(path):
                needed("pyarrow.parquet", path)
            at = None if path == STANDARD_INPUT else position.get(path)
            if at is not None and not self._is_known(path, at):
                self._read_first(path, at)

    def _continues(self, path: str, old: str, at: Position) -> bool:
        if is_server(old) or os.path.exists(old) or not at["rows"]:
            return False
        try:
            self._read_first(path, at)
        except ChangedFile:
            return False
        return True

    def _read_first(self, path: str, at: Position) -> None:
        """Read the first rows after a position; raise ChangedFile if earlier rows have changed."""
        next(self.file(path).pieces(at, lambda: (), skip=True), None)

    def original(self, path: str, given: Mapping[str, Position]) -> str | None:
        """Return the path of a file that was read and whose rows this file contains.

        The whole content is compared, or the beginning if the file names are equal.
        """
        is_packed, size = path.lower().endswith(COMPRESSED), os.stat(path).st_size
        name = os.sep + Path(path).name
        near = {
            old: at for old, at in given.items()
            if (is_packed or at.get("bytes") == size or old.endswith(name))
            and at["rows"] and not is_server(old)
        }  # fmt: skip
        if not near:
            return None
        try:
            found = self.file(path).digests({at["bytes"] for at in near.values()})
        except UNREADABLE:  # the reader reports it after the rows before the damage
            return None
        same = {old: found[at["bytes"]][1] for old, at in near.items()
                if found.get(at["bytes"], ("",))[0] == at["digest"]}  # fmt: skip
        whole = [old for old, is_end in same.items() if is_end]
        named = [old for old in same if old.endswith(name)]
        return max(whole or named, key=lambda old: given[old]["bytes"], default=None)

    def _is_known(self, path: str, at: Position) -> bool:
        """Return whether a file was read to the end and has not been modified since."""
        return self.verified.get(path) == [*size_and_time(path), at["digest"]]

    def _named(self, name: str) -> list[str]:
        if os.path.isdir(name):
            return sorted(str(each) for each in Path(name).iterdir() if _is_table(each))
        if os.path.isfile(name):
            return [name]
        if os.path.exists(name):
            raise ValueError(
                f"{name} is not a regular file. To read from a pipe, use - for standard input."
            )
        near = ""
        if glob.has_magic(name):
            found = sorted(each for each in glob.glob(name, recursive=True) if os.path.isfile(each))
            if found or self.follow:
                return found
        else:
            folder = Path(name).parent
            near = meant(Path(name).name, os.listdir(folder) if folder.is_dir() else ())
        raise FileNotFoundError(f"there is no file {name}{near}")


class _StandardInput(CSVFile):
    """Rows of standard input, which is a pipe."""

    @contextmanager
    def open(self) -> Iterator[IO[bytes]]:
        """Return the pipe, which is not closed afterwards."""
        self.name = "standard input"
        if sys.stdin.buffer.closed:
            raise ValueError("standard input is closed")
        yield sys.stdin.buffer


def copies_note(copies: Sequence[tuple[str, str]]) -> str:
    """Return the message about files that contain rows of other files."""
    path, original = copies[0]
    example = f"{path} is a copy of {original}"
    if len(copies) > 1:
        example = f"{len(copies):,} files are copies of files that were read, e.g. {example}"
    return f"{example}: rows that were read are skipped. To learn them again, add --again"


def names_files(name: str) -> bool:
    """Return whether a name denotes a file, folder or glob, which need not exist."""
    folder = name.endswith(("/", os.sep))
    return folder or _has_ending(name) or glob.has_magic(name) or os.path.exists(name)


def _is_parquet(path: str) -> bool:
    return path.lower().endswith(PARQUET)


def _is_table(path: Path) -> bool:
    return not path.name.startswith((".", "_")) and _has_ending(path.name) and path.is_file()


def _has_ending(name: str) -> bool:
    """Return whether a name has the suffix of a table file."""
    name = name.lower()
    for packed in COMPRESSED:
        name = name.removesuffix(packed)
    return name.endswith((*TEXT, *PARQUET))


def size_and_time(path: str) -> list[int]:
    """Return size and modification time of a file, which change when it is written."""
    status = os.stat(path)
    return [status.st_size, status.st_mtime_ns]
