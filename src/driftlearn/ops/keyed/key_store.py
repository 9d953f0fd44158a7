"""SQLite store of all key states and of the positions in the inputs."""

import json
import os
import re
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from importlib.resources import files
from pathlib import Path
from typing import Any, NamedTuple
from zlib import crc32

import numpy as np

FORMAT = 2
MAX_QUARANTINED = 10_000  # maximum number of stored rows; all are counted
NOW = 256  # a key counts as drifting if a change was detected within this many of its rows
BLOCK = 10_000  # keys fetched at a time
TIMEOUT = 60.0  # seconds to wait for a lock
PAGE = 8_192  # bytes per page, which contains several states of a small model
COLUMNS = "rows, tested, right, recent_tested, recent_right, changes, changed"
NUMBERS = f"key, seen, {COLUMNS}, length(state)"
SUMMARY = f"SELECT {NUMBERS} FROM states"

RECENT = "1.0 * recent_right / max(recent_tested, 1)"
GAIN = f"({RECENT} - 1.0 * (right - recent_right) / max(tested - recent_tested, 1))"
CHANGED = f"rows - changed <= {NOW} AND tested > recent_tested"
#: SQL of the orders of keys, and of the keys that an order selects.
ORDERS = {
    "key": "", "rows": "rows DESC", "worst": f"{RECENT}, recent_tested DESC",
    "changed": "changes DESC", "worse": GAIN, "better": f"{GAIN} DESC",
    "size": "length(state) DESC",
}  # fmt: skip
SELECTED = {"worse": f"{CHANGED} AND {GAIN} < 0", "better": f"{CHANGED} AND {GAIN} > 0"}


class Summary(NamedTuple):
    """Counts of a key, which are stored with its state.

    Attributes
    ----------
    key : str
        The key.
    seen : int or None
        Stream row number of its last row if idle keys expire, otherwise None.
    rows, tested, right : int
        Number of training rows, of predicted rows, and of correct predictions.
    recent_tested, recent_right : int
        Predicted rows and correct predictions among its latest rows.
    changes : int
        Number of changes detected in the error rate of its own model.
    changed : int or None
        Number of its training rows at the last change.
    size : int
        Size of its state in bytes.
    """

    key: str
    seen: int | None
    rows: int
    tested: int
    right: int
    recent_tested: int
    recent_right: int
    changes: int
    changed: int | None
    size: int


class QuarantinedRow(NamedTuple):
    """A malformed row, which was not used for training.

    Attributes
    ----------
    at : int
        Row number in the stream.
    file : str or None
        The file that contains the row.
    row : int or None
        Row number in the file.
    key : str or None
        The key of the row.
    reason : str
        Description of the problem.
    """

    at: int
    file: str | None
    row: int | None
    key: str | None
    reason: str


def in_stream_order(rows: Sequence[QuarantinedRow]) -> list[QuarantinedRow]:
    """Return quarantined rows by row number; a broken line precedes the row of the same number."""
    return sorted(rows, key=lambda each: (each.at, each.row is not None))


class KeyStore:
    """SQLite store of key states.

    Changes become durable and visible to other connections when `commit` returns, in a single
    transaction. Until then, they are visible only to this object. The object may be passed between
    threads, but must be used by only one thread at a time.

    Stores of format 1 are upgraded in one transaction when they are opened for writing; in
    read-only mode, they are read without an upgrade.

    Parameters
    ----------
    path : path, optional
        The SQLite file, created if it does not exist; by default the store is in memory.
    read_only : bool
        Whether to open the file read-only, while another process may write.
    checked : bool
        Whether to check the whole file for damage, which takes about a second per GB. SQLite itself
        returns no row for a key in a damaged index, and such a key would be taken for a new one.

    Raises
    ------
    OSError
        If the file is damaged. The contents of states are checked only when they are loaded.
    """

    def __init__(
        self,
        path: str | os.PathLike[str] | None = None,
        read_only: bool = False,
        *,
        checked: bool = True,
    ):
        self.path = None if path is None else Path(path)
        if read_only and (self.path is None or not self.path.is_file()):
            raise FileNotFoundError(f"{path} does not exist. 'driftlearn learn --key' creates it.")
        name: Any = self.path or ":memory:"
        if self.path is not None and read_only:
            name = f"{self.path.resolve().as_uri()}?mode=ro"
        with self._described():
            self._base = sqlite3.connect(
                name, uri=read_only, timeout=TIMEOUT, check_same_thread=False, isolation_level=None
            )
            if not read_only:
                self._base.execute(f"PRAGMA page_size={PAGE}")  # applies to new files only
                self._base.execute("PRAGMA journal_mode=WAL")
                # With weaker settings, a power failure may undo the last commits.
                self._base.execute("PRAGMA synchronous=FULL")
            self._check_format(read_only)
            if checked and self.path is not None:
                self._check_content()
        if self.path is not None:
            self._status = os.stat(self.path)

    def _check_content(self) -> None:
        """Raise OSError if the file is damaged."""
        (problem,) = self._base.execute("PRAGMA integrity_check(1)").fetchone()
        if problem == "ok":
            self._base.execute("BEGIN")  # another process may commit between two reads
            (seal,) = self._base.execute("PRAGMA main.application_id").fetchone()
            # Stores of earlier versions have no checksum before their next commit.
            if seal in (0, seal and self._seal()):
                self._base.execute("COMMIT")
                return
            problem = "the checksum of its settings, positions and counts does not match"
        self._base.close()
        raise sqlite3.DatabaseError(" ".join(problem.split()))

    def _seal(self) -> int:
        """Return a checksum of the small tables, which is never 0."""
        found = 0
        for name in ("about", "positions", "expired"):
            for row in self._base.execute(f"SELECT * FROM main.{name} ORDER BY 1"):
                found = crc32(repr(row).encode(), found)
        return found % (2**31 - 1) + 1

    def _check_format(self, read_only: bool) -> None:
        """Create the tables of a new store, upgrade an older store, or raise ValueError."""
        run, end = self._base.executescript, f"PRAGMA user_version={FORMAT};COMMIT;"
        (version,) = self._base.execute("PRAGMA user_version").fetchone()
        is_new = not self._base.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
        if is_new and not read_only:
            run(f"BEGIN;{_sql('schema')}{end}")
        elif version == 1 and read_only:
            run(_sql("upgraded_views") + _sql("upgrade_about"))
        elif version == 1:
            run(f"BEGIN IMMEDIATE;{_sql('upgrade_tables')}{_sql('upgrade_about')}{end}")
        elif version != FORMAT:
            self._base.close()
            what = "is not a store of keys" if version < FORMAT else "was made by a newer version"
            raise ValueError(
                f"{self.path} {what} (format {version}). This version reads formats up to {FORMAT}."
            )

    def about(self, name: str) -> bytes | None:
        """Return the content that is stored under a name."""
        row = self._one("SELECT value FROM about WHERE name = ?", name)
        return None if row is None else bytes(row[0])

    def put_about(self, name: str, value: bytes) -> None:
        """Store content under a name."""
        self._write("INSERT OR REPLACE INTO about VALUES (?, ?)", (name, value))

    def state(self, key: str) -> bytes | None:
        """Return the serialized state of a key, or None."""
        found = self.entry(key)
        return None if found is None else found[1]

    def entry(self, key: str) -> tuple[Summary, bytes] | None:
        """Return the summary and the serialized state of a key, or None."""
        row = self._one(f"SELECT {NUMBERS}, state FROM states WHERE key = ?", key)
        return None if row is None else (Summary(*row[:-1]), row[-1])

    def put_state(self, content: bytes, summary: Summary) -> None:
        """Store the state of a key."""
        self._write(
            "INSERT OR REPLACE INTO states VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (summary.key, place_of(summary.key), *summary[1:9], content),
        )

    def delete(self, key: str) -> None:
        """Delete the state of a key."""
        self._write("DELETE FROM states WHERE key = ?", (key,))

    def idle(self, before: int) -> list[tuple[str, int]]:
        """Return the keys whose last row number is below `before`, with the row number."""
        return self._all("SELECT key, seen FROM states WHERE seen < ?", before)

    def keys_from(self, place: int, min_rows: int) -> Iterator[str]:
        """Yield the keys with enough rows in the order of `place_of`, cyclically from `place`."""
        for sign in (">=", "<"):
            found = self._base.execute(
                f"SELECT key FROM states WHERE place {sign} ? AND rows >= ? ORDER BY place, key",
                (place, min_rows),
            )
            yield from (key for (key,) in found)

    def keys(
        self, order: str = "key", limit: int = -1, least: int = 1, search: str = "", begin: int = 0
    ) -> list[Summary]:
        """Return summaries of keys.

        Parameters
        ----------
        order : {"key", "rows", "worst", "changed", "worse", "better", "size"}
            Alphabetical order, or descending by rows, by recent error, by changes or by state size.
            "worse" and "better" select keys with a change in their last 256 rows whose accuracy is
            lower or higher since, ordered by the difference.
        limit : int
            Maximum number of keys; by default all.
        least : int
            Minimum number of recent predictions, for "worst".
        search : str
            Text that the keys contain; the case of ASCII letters is ignored.
        begin : int
            Number of keys to skip.
        """
        where, values = _selection(order, least, search)
        by = f"{ORDERS[order]}, key" if ORDERS[order] else "key"
        rows = self._all(f"{SUMMARY} {where} ORDER BY {by} LIMIT ? OFFSET ?", *values, limit, begin)
        return [Summary(*row) for row in rows]

    def n_keys(self, order: str = "key", least: int = 1, search: str = "") -> int:
        """Return the number of keys that `keys` selects."""
        where, values = _selection(order, least, search)
        return int(self._one(f"SELECT count(*) FROM states {where}", *values)[0])

    def summary(self, key: str) -> Summary | None:
        """Return the summary of a key, or None."""
        row = self._one(f"{SUMMARY} WHERE key = ?", key)
        return None if row is None else Summary(*row)

    def blocks(self) -> Iterator[np.ndarray]:
        """Yield arrays of the numbers in `Summary` except `seen`, for some thousand keys each.

        `changed` is nan for a key without changes.
        """
        with self._described():
            found = self._base.execute(f"SELECT {COLUMNS}, length(state) FROM states")
            while block := found.fetchmany(BLOCK):
                yield np.array(block, dtype=float)

    def __len__(self) -> int:
        return int(self._one("SELECT count(*) FROM states")[0])

    def positions(self) -> dict[str, Any]:
        """Return the position in each source, by path."""
        found = self._all("SELECT path, position FROM positions")
        return {path: json.loads(text) for path, text in found}

    def put_positions(self, positions: dict[str, Any]) -> None:
        """Store positions in sources; None deletes a position."""
        for path, position in positions.items():
            if position is None:
                self._write("DELETE FROM positions WHERE path = ?", (path,))
            else:
                text = json.dumps(position, sort_keys=True)
                self._write("INSERT OR REPLACE INTO positions VALUES (?, ?)", (path, text))

    def quarantined(self) -> list[QuarantinedRow]:
        """Return the latest quarantined rows."""
        rows = self._all("SELECT at, file, row, key, reason FROM quarantine ORDER BY number")
        return [QuarantinedRow(*row) for row in rows]

    def reasons(self, limit: int) -> list[tuple[str, int, int]]:
        """Return the most frequent reasons for quarantine as (reason, number of rows, last row)."""
        return self._all(
            "SELECT reason, count(*) AS n, max(at) FROM quarantine GROUP BY reason "
            "ORDER BY n DESC, reason LIMIT ?", limit
        )  # fmt: skip

    def quarantine(self, rows: Sequence[QuarantinedRow]) -> None:
        """Store malformed rows; only the latest ten thousand are kept."""
        if not rows:
            return
        add = "INSERT INTO quarantine (at, file, row, key, reason) VALUES (?, ?, ?, ?, ?)"
        for row in rows[-MAX_QUARANTINED:]:
            self._write(add, row)
        (last,) = self._one("SELECT max(number) FROM quarantine")
        self._write("DELETE FROM quarantine WHERE number <= ?", (last - MAX_QUARANTINED,))

    def expired(self) -> dict[int, int]:
        """Return the number of expired keys by the stream segment of their last row."""
        return dict(self._all("SELECT at, n FROM expired ORDER BY at"))

    def add_expired(self, expired: dict[int, int]) -> None:
        """Add counts of expired keys by the stream segment of their last row."""
        add = "INSERT INTO expired VALUES (?, ?) ON CONFLICT (at) DO UPDATE SET n = n + ?"
        for at, n in expired.items():
            self._write(add, (at, n, n))

    def copy(self, path: str | os.PathLike[str]) -> None:
        """Copy the committed content to a file that can be read on any file system."""
        with self._described(), closing(sqlite3.connect(path)) as other:
            self._base.backup(other)
            # A write-ahead log requires shared memory, which different machines do not have.
            other.execute("PRAGMA journal_mode=DELETE")

    def commit(self) -> None:
        """Make all changes durable in one transaction."""
        if self._base.in_transaction:
            self._check_path()
            with self._described():
                # The number that SQLite reserves for applications is part of the transaction.
                self._base.execute(f"PRAGMA application_id={self._seal()}")
                self._base.execute("COMMIT")

    def _check_path(self) -> None:
        """Raise OSError if the file was removed or replaced; SQLite would write to it further."""
        if self.path is None:
            return
        with suppress(FileNotFoundError):
            if os.path.samestat(self._status, os.stat(self.path)):
                return
        self.rollback()
        raise OSError(f"{self.path} was removed or replaced while it was in use.")

    def rollback(self) -> None:
        """Discard all changes since the last commit."""
        if self._base.in_transaction:
            self._base.execute("ROLLBACK")

    def close(self) -> None:
        """Discard uncommitted changes and close the file."""
        self.rollback()
        self._base.close()

    def _write(self, command: str, values: Sequence[Any]) -> None:
        with self._described():
            if not self._base.in_transaction:
                self._base.execute("BEGIN IMMEDIATE")
            self._base.execute(command, values)

    def _one(self, command: str, *values: Any) -> Any:
        with self._described():
            return self._base.execute(command, values).fetchone()

    def _all(self, command: str, *values: Any) -> list[Any]:
        with self._described():
            return self._base.execute(command, values).fetchall()

    @contextmanager
    def _described(self) -> Iterator[None]:
        """Re-raise SQLite errors as OSError with advice."""
        try:
            yield
        except sqlite3.Error as error:
            text = str(error)
            if "full" in text or "disk I/O" in text:
                what = (
                    f"cannot be written ({text}). Free disk space and run the same command again."
                )
            elif "locked" in text:
                what = "is in use by another process. Wait until it has finished."
            else:
                what = f"is damaged or is not a store of keys: {text}"
            raise OSError(f"{self.path} {what}") from error


def place_of(key: str) -> int:
    """Return a platform-independent hash of the key."""
    return crc32(key.encode())


def _selection(order: str, least: int, search: str) -> tuple[str, list[str]]:
    """Return the WHERE clause of a selection of keys, and its values."""
    parts = {**SELECTED, "worst": f"recent_tested >= {least:d}"}
    found, values = [parts[order]] if order in parts else [], []
    if search:
        found.append("key LIKE ? ESCAPE '!'")
        values.append("%" + re.sub("([!%_])", r"!\1", search) + "%")
    return f"WHERE {' AND '.join(found)}" if found else "", values


def _sql(name: str) -> str:
    """Return an SQL script."""
    return (files(__package__) / f"key_store_{name}.sql").read_text("utf-8")
