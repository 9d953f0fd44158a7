"""Files, folders, globs and standard input as one source, which knows what it has given."""

import glob
import os
import sys
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from driftlearn.ops.sources.server import is_server
from driftlearn.tables.csv_file import CSVFile
from driftlearn.tables.files import ChangedFile, Piece, Position
from driftlearn.tables.parquet_file import ParquetFile
from driftlearn.utils.arguments import meant
from driftlearn.utils.optional import needed

PARQUET = (".parquet", ".pq", ".parq")
PACKED = (".gz", ".bz2", ".xz", ".zip")
TEXT = (".csv", ".tsv", ".txt", ".data")
STANDARD_INPUT = "-"
WAIT = 1.0  # seconds between two looks for more


class FileSource:
    r"""The rows of files, in the order in which they are named, those of a folder by name.

    Parameters
    ----------
    names : sequence of str
        Files, folders, globs, or ``"-"`` for standard input.
    sep, encoding, missing
        How CSV files are written; see `CSVFile`.
    skip : bool
        Whether broken lines are passed over.
    follow : bool
        Whether to wait for more when all is read.

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

    def __init__(
        self,
        names: Sequence[str],
        *,
        sep: str | None = None,
        encoding: str = "utf-8",
        missing: Sequence[str] = (),
        skip: bool = False,
        follow: bool = False,
    ):
        self.names = [str(name) for name in names]
        self.sep, self.encoding, self.missing = sep, encoding, tuple(missing)
        self.skip, self.follow = skip, follow
        self.numbers: Collection[str] = ()
        self.verified: dict[str, list[Any]] = {}
        self.tell: Callable[[str], None] = lambda _: None
        CSVFile("-", sep, encoding)  # an unknown encoding is told at the start

    def paths(self) -> list[str]:
        """Return the files that are there now, each once; raise if a name stands for none."""
        found: dict[str, None] = {}
        for name in self.names:
            for path in [name] if name == STANDARD_INPUT else self._named(name):
                known = path if path == STANDARD_INPUT else os.path.realpath(path)
                found.setdefault(known)
        return [*found]

    def file(self, path: str) -> CSVFile | ParquetFile:
        """Return the reader of a file."""
        if path == STANDARD_INPUT:
            return _StandardInput(self.sep, self.encoding, self.missing)
        if path.lower().endswith(PARQUET):
            return ParquetFile(path)
        return CSVFile(path, self.sep, self.encoding, self.missing)

    def pieces(self, position: Mapping[str, Position]) -> Iterator[Piece]:
        """Yield the rows that a position, by path, does not have yet.

        With `follow` it never ends, and a piece without a path says that there is nothing more at
        the moment.
        """
        given = {**position}
        while True:
            for path in self.paths():
                at = given.get(path)
                if at is not None and self._is_known(path, at):
                    continue
                for piece in self.file(path).pieces(
                    at, lambda: self.numbers, final=not self.follow, skip=self.skip
                ):
                    yield piece
                    if piece.is_last and path != STANDARD_INPUT:
                        given[path] = piece.after(0)
                        self.verified[path] = [*_looks(path), given[path]["digest"]]
            if not self.follow or self.names == [STANDARD_INPUT]:
                return
            yield Piece({}, 0, "", "", 0, lambda _: {})
            time.sleep(WAIT)

    def check(self, position: Mapping[str, Position]) -> None:
        """Raise unless all can be read, and known files are what they were."""
        for path in self.paths():
            if path.lower().endswith(PARQUET):
                needed("pyarrow.parquet", path)
            at = position.get(path)
            if at is not None and not self._is_known(path, at):
                next(self.file(path).pieces(at, lambda: (), skip=True), None)

    def moved(self, position: Mapping[str, Position], renamed: bool = False) -> dict[str, str]:
        """Return where files that lie somewhere else now were read, by path.

        Such a file begins with what was read of one that is gone, and has its name, or, with
        `renamed`, any.
        """
        gone = [old for old in position if not is_server(old) and not os.path.exists(old)]
        found: dict[str, str] = {}
        for path in self.paths() if gone else ():
            for old in gone:
                known = path in position or path in found or old in found.values()
                alike = renamed or Path(old).name == Path(path).name
                alike = alike and position[old]["rows"] > 0
                if alike and not known and self._begins(path, position[old]):
                    found[path] = old
        return found

    def settled(self, position: Mapping[str, Position]) -> None:
        """Take note that a position is kept for good, which files need not know."""

    def close(self) -> None:
        """Let go of what is open: nothing is, between two pieces."""

    def _begins(self, path: str, at: Position) -> bool:
        """Tell whether a file begins with what a position says."""
        try:
            next(self.file(path).pieces(at, lambda: (), skip=True), None)
        except ChangedFile:
            return False
        return True

    def _is_known(self, path: str, at: Position) -> bool:
        """Tell whether a file was read to its end and looks as it did then."""
        return self.verified.get(path) == [*_looks(path), at["digest"]]

    def _named(self, name: str) -> list[str]:
        if os.path.isdir(name):
            return sorted(str(each) for each in Path(name).iterdir() if _is_table(each))
        if os.path.exists(name):
            return [name]
        if glob.has_magic(name):
            found = sorted(each for each in glob.glob(name, recursive=True) if os.path.isfile(each))
            if found or self.follow:
                return found
            raise FileNotFoundError(f"there is no file {name}")
        beside = Path(name).parent
        near = meant(Path(name).name, os.listdir(beside) if beside.is_dir() else ())
        raise FileNotFoundError(f"there is no file {name}{near}")


class _StandardInput(CSVFile):
    """Rows of a pipe, all of which are new."""

    def __init__(self, *form: Any):
        super().__init__(STANDARD_INPUT, *form)
        self.name = "standard input"

    @contextmanager
    def open(self) -> Iterator[IO[bytes]]:
        """Return the pipe, which stays open."""
        if sys.stdin.buffer.closed:
            raise ValueError("standard input is closed")
        yield sys.stdin.buffer

    def pieces(
        self, at: Position | None, numbers: Callable[[], Collection[str]], **options: Any
    ) -> Iterator[Piece]:
        """Yield all rows."""
        return super().pieces(None, numbers, **{**options, "final": True})


def names_files(name: str) -> bool:
    """Tell whether a name is that of a file, a folder or a glob, there or not."""
    folder = name.endswith(("/", os.sep))
    return folder or _has_ending(name) or glob.has_magic(name) or os.path.exists(name)


def _is_table(path: Path) -> bool:
    return not path.name.startswith((".", "_")) and _has_ending(path.name) and path.is_file()


def _has_ending(name: str) -> bool:
    """Tell whether a name ends as those of tables do."""
    name = name.lower()
    for packed in PACKED:
        name = name.removesuffix(packed)
    return name.endswith((*TEXT, *PARQUET))


def _looks(path: str) -> list[int]:
    """Return what changes when somebody writes to a file."""
    found = os.stat(path)
    return [found.st_size, found.st_mtime_ns]
