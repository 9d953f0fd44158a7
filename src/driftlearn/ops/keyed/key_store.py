"""States of keys, positions and all that must move together with them, in one SQLite file."""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, NamedTuple
from zlib import crc32

import numpy as np

FORMAT = 1
MOST_ASIDE = 10_000  # rows put aside that are kept; all are counted
NOW = 256  # rows of a key: errors that changed within them change now
BLOCK = 10_000  # keys that are looked at together
PATIENCE = 60.0  # seconds that a reader waits
PAGE = 8_192  # bytes: several states of a small model fit into one
SCHEMA = """
CREATE TABLE about (name TEXT PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID;
CREATE TABLE states (
    key TEXT PRIMARY KEY, place INTEGER NOT NULL, seen INTEGER,
    rows INTEGER NOT NULL, tested INTEGER NOT NULL, right INTEGER NOT NULL,
    lately_tested INTEGER NOT NULL, lately_right INTEGER NOT NULL,
    changes INTEGER NOT NULL, changed INTEGER, state BLOB NOT NULL
);
CREATE INDEX by_place ON states (place, key);
CREATE INDEX by_seen ON states (seen);
CREATE TABLE positions (path TEXT PRIMARY KEY, position TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE aside (
    number INTEGER PRIMARY KEY, at INTEGER NOT NULL, file TEXT, row INTEGER, key TEXT,
    why TEXT NOT NULL
);
CREATE TABLE expired (at INTEGER PRIMARY KEY, n INTEGER NOT NULL);
"""


class Summary(NamedTuple):
    """What is known of a key without its model.

    Attributes
    ----------
    key : str
        The key.
    seen : int or None
        The number of its last row in the stream, where keys expire.
    rows, tested, right : int
        Rows learned, rows that were answered before, right answers.
    lately_tested, lately_right : int
        The same of its newest spans.
    changes : int
        How often the errors of its own model changed.
    changed : int or None
        After how many of its rows they did for the last time.
    size : int
        Bytes of its state.
    """

    key: str
    seen: int | None
    rows: int
    tested: int
    right: int
    lately_tested: int
    lately_right: int
    changes: int
    changed: int | None
    size: int


class Aside(NamedTuple):
    """A row that was put aside.

    Attributes
    ----------
    at : int
        The row of the stream.
    file : str or None
        The file it was in.
    row : int or None
        Its number in the file.
    key : str or None
        Its key, if it has one.
    why : str
        What is the matter.
    """

    at: int
    file: str | None
    row: int | None
    key: str | None
    why: str


class KeyStore:
    """Where states of keys are kept.

    Whatever is written is there for others, and after a kill, when `commit` is done: all of it or
    nothing. Until then the same object sees it. It may pass from thread to thread; only one at a
    time may use it.

    Parameters
    ----------
    path : path, optional
        The SQLite file, made if it is missing; by default there is none, and all is in memory.
    to_read : bool
        Whether it is only read, while somebody else may write.
    """

    def __init__(self, path: str | os.PathLike[str] | None = None, to_read: bool = False):
        self.path = None if path is None else Path(path)
        if to_read and (self.path is None or not self.path.is_file()):
            raise FileNotFoundError(f"there is no {path}: driftlearn learn --key COLUMN makes one")
        with self._explained():
            if to_read:
                assert self.path is not None
                uri = f"{self.path.resolve().as_uri()}?mode=ro"
                self._base = sqlite3.connect(
                    uri, uri=True, timeout=PATIENCE, check_same_thread=False
                )
            else:
                self._base = sqlite3.connect(
                    self.path or ":memory:", timeout=PATIENCE, check_same_thread=False
                )
            self._base.isolation_level = None
            if not to_read:
                self._base.execute(f"PRAGMA page_size={PAGE}")  # of a new file
                self._base.execute("PRAGMA journal_mode=WAL")
                self._base.execute("PRAGMA synchronous=FULL")
            self._check(to_read)

    def _check(self, to_read: bool) -> None:
        (version,) = self._base.execute("PRAGMA user_version").fetchone()
        known = self._base.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
        if not known and not to_read:
            script = f"BEGIN;{SCHEMA}PRAGMA user_version={FORMAT};COMMIT;"
            self._base.executescript(script)
        elif version != FORMAT:
            self._base.close()
            what = "is no store of keys" if version < FORMAT else "was made by a newer version"
            raise ValueError(f"{self.path} {what} (format {version}, this version reads {FORMAT})")

    def about(self, name: str) -> bytes | None:
        """Return what is kept under a name."""
        row = self._one("SELECT value FROM about WHERE name = ?", name)
        return None if row is None else bytes(row[0])

    def put_about(self, name: str, value: bytes) -> None:
        """Keep something under a name."""
        self._write("INSERT OR REPLACE INTO about VALUES (?, ?)", (name, value))

    def state(self, key: str) -> bytes | None:
        """Return the bytes of a key's state; None if it has none."""
        row = self._one("SELECT state FROM states WHERE key = ?", key)
        return None if row is None else bytes(row[0])

    def put_state(self, content: bytes, summary: Summary) -> None:
        """Keep the state of a key."""
        self._write(
            "INSERT OR REPLACE INTO states VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (summary.key, place_of(summary.key), *summary[1:9], content),
        )

    def drop(self, key: str) -> None:
        """Forget the state of a key."""
        self._write("DELETE FROM states WHERE key = ?", (key,))

    def idle(self, before: int) -> list[tuple[str, int]]:
        """Return keys whose last row has a lower number than this, with that number."""
        return self._all("SELECT key, seen FROM states WHERE seen < ?", before)

    def after(self, place: int, least_rows: int) -> Iterator[str]:
        """Yield keys with so many rows, by their place, from one on and around."""
        for sign in (">=", "<"):
            yield from (
                key
                for (key,) in self._base.execute(
                    f"SELECT key FROM states WHERE place {sign} ? AND rows >= ? "
                    "ORDER BY place, key",
                    (place, least_rows),
                )
            )

    def keys(self, order: str = "key", limit: int = -1, least: int = 1) -> list[Summary]:
        """Return what is known of keys without their models.

        Parameters
        ----------
        order : {"key", "rows", "worst", "changed", "drifting", "size"}
            By name; most rows, lowest share of right answers lately, most changes, most bytes
            first. Those that drift are the keys whose errors changed within their last 256 rows,
            first those that have become worst by it.
        limit : int
            How many; by default all.
        least : int
            Rows that were answered lately, of the worst ones.
        """
        lately, before = "1.0 * lately_right / max(lately_tested, 1)", "tested - lately_tested"
        by = {
            "key": "key",
            "rows": "rows DESC, key",
            "worst": f"{lately}, lately_tested DESC, key",
            "changed": "changes DESC, key",
            "drifting": f"{lately} - 1.0 * (right - lately_right) / max({before}, 1), key",
            "size": "length(state) DESC, key",
        }[order]
        where = {"worst": f"WHERE lately_tested >= {least:d}",
                 "drifting": f"WHERE rows - changed <= {NOW}"}.get(order, "")  # fmt: skip
        columns = ", ".join(Summary._fields[:9])
        rows = self._all(
            f"SELECT {columns}, length(state) FROM states {where} ORDER BY {by} LIMIT ?", limit
        )
        return [Summary(*row) for row in rows]

    def summary(self, key: str) -> Summary | None:
        """Return what is known of a key without its model; None if nothing is."""
        columns = ", ".join(Summary._fields[:9])
        row = self._one(f"SELECT {columns}, length(state) FROM states WHERE key = ?", key)
        return None if row is None else Summary(*row)

    def blocks(self) -> Iterator[np.ndarray]:
        """Yield the numbers of `Summary`, but `seen`, of some thousand keys at a time.

        A key whose errors never changed has nan as `changed`.
        """
        columns = ", ".join(Summary._fields[2:9])
        with self._explained():
            found = self._base.execute(f"SELECT {columns}, length(state) FROM states")
            while block := found.fetchmany(BLOCK):
                yield np.array(block, dtype=float)

    def __len__(self) -> int:
        return int(self._all("SELECT count(*) FROM states")[0][0])

    def positions(self) -> dict[str, Any]:
        """Return how far each source was read, by path."""
        found = self._all("SELECT path, position FROM positions")
        return {path: json.loads(text) for path, text in found}

    def put_positions(self, positions: dict[str, Any]) -> None:
        """Keep how far sources were read; None forgets one."""
        for path, position in positions.items():
            if position is None:
                self._write("DELETE FROM positions WHERE path = ?", (path,))
            else:
                text = json.dumps(position, sort_keys=True)
                self._write("INSERT OR REPLACE INTO positions VALUES (?, ?)", (path, text))

    def aside(self) -> list[Aside]:
        """Return the newest rows that were put aside."""
        rows = self._all("SELECT at, file, row, key, why FROM aside ORDER BY number")
        return [Aside(*row) for row in rows]

    def reasons(self, limit: int) -> list[tuple[str, int, int]]:
        """Return why rows were put aside: the sentence, how many, and the last of them."""
        return self._all(
            "SELECT why, count(*) AS n, max(at) FROM aside GROUP BY why ORDER BY n DESC, why "
            "LIMIT ?", limit
        )  # fmt: skip

    def put_aside(self, rows: Sequence[Aside]) -> None:
        """Keep rows that cannot be learned; only the newest ten thousand."""
        if not rows:
            return
        for row in rows[-MOST_ASIDE:]:
            self._write("INSERT INTO aside (at, file, row, key, why) VALUES (?, ?, ?, ?, ?)", row)
        last = self._all("SELECT max(number) FROM aside")[0][0]
        self._write("DELETE FROM aside WHERE number <= ?", (last - MOST_ASIDE,))

    def expired(self) -> dict[int, int]:
        """Return how many keys were forgotten, by the stretch of the stream of their last row."""
        return dict(self._all("SELECT at, n FROM expired ORDER BY at"))

    def take_expired(self) -> dict[int, int]:
        """Return what `expired` does, and count anew."""
        found = self.expired()
        if found:
            self._write("DELETE FROM expired", ())
        return found

    def put_expired(self, at: int, n: int) -> None:
        """Count keys that were forgotten."""
        self._write("INSERT INTO expired VALUES (?, ?) ON CONFLICT (at) DO UPDATE SET n = n + ?",
                    (at, n, n))  # fmt: skip

    def copy(self, path: str | os.PathLike[str]) -> None:
        """Write all that is committed to another file, for others to read, on whatever disk."""
        with self._explained(), closing(sqlite3.connect(path)) as other:
            self._base.backup(other)
            other.execute("PRAGMA journal_mode=DELETE")  # no memory is shared between machines

    def commit(self) -> None:
        """Make all that was written durable, at one stroke."""
        if self._base.in_transaction:
            with self._explained():
                self._base.execute("COMMIT")

    def rollback(self) -> None:
        """Forget all that was written since the last commit."""
        if self._base.in_transaction:
            self._base.execute("ROLLBACK")

    def close(self) -> None:
        """Close the file; what was not committed is forgotten."""
        self.rollback()
        self._base.close()

    def _write(self, command: str, values: Sequence[Any]) -> None:
        with self._explained():
            if not self._base.in_transaction:
                self._base.execute("BEGIN IMMEDIATE")
            self._base.execute(command, values)

    def _one(self, command: str, *values: Any) -> Any:
        with self._explained():
            return self._base.execute(command, values).fetchone()

    def _all(self, command: str, *values: Any) -> list[Any]:
        with self._explained():
            return self._base.execute(command, values).fetchall()

    @contextmanager
    def _explained(self) -> Iterator[None]:
        """Say in words of the house what SQLite says."""
        try:
            yield
        except sqlite3.Error as error:
            said = str(error)
            if "full" in said or "disk I/O" in said:
                raise OSError(
                    f"{self.path} cannot be written ({said}): make room; all is as it was when it "
                    "was last saved, and the same command goes on from there"
                ) from error
            if "locked" in said:
                raise OSError(f"{self.path} is in use by another process: wait until it is done"
                              ) from error  # fmt: skip
            raise OSError(f"{self.path} is damaged, or no store of keys: {said}") from error


def place_of(key: str) -> int:
    """Return a number by which keys are in no particular order, the same everywhere."""
    return crc32(key.encode())
