"""Result store: runs, cells and chunk records in an SQLite file."""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from driftlearn import io as persist
from driftlearn.bench.workbench import store_rows
from driftlearn.bench.workbench.cell import Cell, Finished
from driftlearn.bench.workbench.store_rows import FORMAT, LEARNER, SCHEMA, SEALED, SINCE
from driftlearn.evaluate import Result, Step
from driftlearn.evaluate._gather import columns
from driftlearn.evaluate._json import from_json
from driftlearn.utils.data_folder import data_folder
from driftlearn.utils.locks import is_held
from driftlearn.utils.table import Table

PATIENCE = 60.0  # seconds that a write waits for other processes, whose commits take milliseconds
#: Errors of SQLite. A message about a damaged schema may contain bytes that cannot be decoded.
FAULTS = (sqlite3.Error, UnicodeDecodeError)


class StoreError(OSError):
    """The store cannot be used."""


class StoreLost(StoreError):
    """The store was deleted or replaced while a run wrote to it."""

    exit_code = 1


def default_path() -> Path:
    """Return the default path of the store, in the user's data folder."""
    return data_folder() / "runs.sqlite"


def now() -> str:
    """Return the time, to the second, in UTC."""
    return datetime.now(timezone.utc).strftime("%Y-%m-%d %H:%M:%S")


class Store:
    """SQLite store of runs, cells and chunk records.

    Cells are identified by their computation, chunks by cell and number, so no result is stored
    twice. Each chunk is committed separately. Several processes may use the file at the same time.

    Parameters
    ----------
    path : str or Path
        The file, created if it does not exist; ``":memory:"`` for a store in memory.
    to_read : bool, default=False
        Whether to open the file read-only; its folder then needs no write permission.
    """

    def __init__(self, path: str | Path, to_read: bool = False):
        self.path = Path(path) if str(path) != ":memory:" else None
        self._at_start: os.stat_result | None = None
        try:
            if self.path is not None and not to_read:
                self.path.parent.mkdir(parents=True, exist_ok=True)
            address = self._address() if to_read else path
            self._db = sqlite3.connect(address, timeout=PATIENCE, isolation_level=None, uri=to_read)
            self.format = self._format()
            if not to_read:
                self._upgrade()
        except OSError as problem:
            raise StoreError(f"{path} cannot be created: {problem.strerror or problem}") from None
        except FAULTS as problem:
            raise StoreError(f"{path} cannot be used as a store: {problem}") from None

    def _address(self) -> str:
        """Return the URI for reading an existing store, which needs no write permission."""
        assert self.path is not None
        uri = self.path.resolve().as_uri()
        if os.access(self.path, os.W_OK) and os.access(self.path.parent, os.W_OK):
            return f"{uri}?mode=rw"
        log = self.path.with_name(f"{self.path.name}-wal")
        if log.exists() and log.stat().st_size:
            raise StoreError(
                f"{self.path} cannot be read in a read-only folder, because its newest rows are in "
                f"{log}: copy both files to a writable folder"
            )
        return f"{uri}?immutable=1"

    def _format(self) -> int:
        ((found,),) = self._db.execute("PRAGMA user_version").fetchall()
        if found > FORMAT:
            raise StoreError(
                f"{self.path} was written by a newer version of driftlearn (format {found}, "
                f"this version reads up to {FORMAT})"
            )
        return int(found)

    def _upgrade(self) -> None:
        """Prepare the file for writing, and convert it to the current format."""
        self._db.execute("PRAGMA journal_mode = WAL")
        self._db.execute("PRAGMA synchronous = NORMAL")
        self._db.create_function("seal", -1, store_rows.seal_of, deterministic=True)
        with self._commit() as db:
            for statements in SCHEMA[self._format() :]:
                for statement in statements:
                    db.execute(statement)
            db.execute(f"PRAGMA user_version = {FORMAT}")
        self.format = FORMAT
        self._at_start = None if self.path is None else self.path.stat()

    @contextmanager
    def _commit(self) -> Iterator[sqlite3.Connection]:
        """Run a block of statements in one transaction."""
        self._check_place()
        try:
            self._db.execute("BEGIN IMMEDIATE")
            yield self._db
            self._db.execute("COMMIT")
        except BaseException as problem:
            if self._db.in_transaction:
                self._db.execute("ROLLBACK")
            if isinstance(problem, FAULTS):
                raise StoreError(
                    f"writing to {self.path} failed: {problem}; everything stored before is safe"
                ) from problem
            raise

    def _check_place(self) -> None:
        """Raise StoreLost if the file was deleted: writes would succeed, but be lost."""
        if self._at_start is None or self.path is None:
            return
        with suppress(OSError):
            if os.path.samestat(self._at_start, self.path.stat()):
                return
        raise StoreLost(
            f"{self.path} was deleted or replaced during this run, so the results of the run are "
            "lost: start the command again"
        )

    def _insert(self, table: str, rows: Sequence[Sequence[Any]], names: Sequence[str] = ()) -> int:
        """Insert or replace rows of the named columns, by default of all sealed columns."""
        names = names or SEALED[table]
        places = ", ".join("?" * len(names))
        cursor = self._db.cursor()
        for row in rows:
            cursor.execute(f"REPLACE INTO {table} ({', '.join(names)}) VALUES ({places})", row)
        return cursor.lastrowid or 0

    def _update(self, table: str, key: int | str, **values: Any) -> None:
        """Update columns of the run or cell with this key."""
        sets = ", ".join(f"{name} = ?" for name in values)
        where = f"{SEALED[table][0]} = ?"
        self._db.execute(f"UPDATE {table} SET {sets} WHERE {where}", (*values.values(), key))
        self._seal(table, where, key)

    def _seal(self, table: str, where: str, *values: Any) -> None:
        """Store the checksums of rows."""
        self._db.execute(
            f"UPDATE {table} SET seal = seal({', '.join(SEALED[table])}) WHERE {where}", values
        )

    def close(self) -> None:
        """Close the file."""
        self._db.close()

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    @property
    def workplace(self) -> Path | None:
        """Folder for checkpoints and locks, beside the file."""
        return None if self.path is None else self.path.with_name(self.path.name + ".work")

    # Methods that write during a run

    def begin_run(self, title: str, command: str, machine: dict[str, str], cells: Any) -> int:
        """Store a new run; return its number."""
        with self._commit():
            about = (now(), "running", title, command, json.dumps(machine), len(cells))
            names = ("begun", "status", "title", "command", "machine", "cells")
            run = self._insert("runs", [about], names)
            rows = [(run, k, c.stream, c.learner, c.seed, c.key) for k, c in enumerate(cells)]
            self._insert("run_cells", rows)
            self._seal("runs", "id = ?", run)
            self._seal("run_cells", "run = ?", run)
        return run

    def end_run(self, run: int, status: str) -> None:
        """Store the final status of a run: "done", "failed" or "stopped"."""
        with self._commit():
            self._update("runs", run, ended=now(), status=status)

    def begin_cell(self, cell: Cell) -> None:
        """Store that a worker has started a cell."""
        with self._commit() as db:
            db.execute(
                "INSERT INTO cells (key, description, status, begun) VALUES (?, ?, 'begun', ?) "
                "ON CONFLICT (key) DO UPDATE SET status = 'begun', begun = excluded.begun, "
                "error = NULL WHERE status != 'done'",
                (cell.key, cell.description, now()),
            )
            self._seal("cells", "key = ?", cell.key)

    def add_steps(self, key: str, steps: Iterable[Step]) -> None:
        """Store chunk records in one transaction; repeated calls have no effect."""
        rows = [store_rows.row_of(key, step) for step in steps]
        with self._commit():
            self._insert("chunks", rows)
            for row in rows:
                self._seal("chunks", "cell = ? AND chunk = ?", *row[:2])

    def finish_cell(self, key: str, found: Finished) -> None:
        """Mark a cell as done, and sync the file to disk."""
        histories = persist.dumps(found.histories, compress=True)
        self._db.execute("PRAGMA synchronous = FULL")
        with self._commit() as db:
            db.execute("DELETE FROM chunks WHERE cell = ? AND chunk >= ?", (key, found.n_chunks))
            self._update(
                "cells", key, status="done", ended=now(), wall=found.wall, cpu=found.cpu,
                machine=json.dumps(found.machine), summary=json.dumps(found.summary),
                histories=histories, chunks=found.n_chunks, error=None,
            )  # fmt: skip
        self._db.execute("PRAGMA synchronous = NORMAL")

    def fail_cell(self, key: str, error: str) -> None:
        """Store the error of a failed cell."""
        with self._commit():
            self._update("cells", key, status="failed", ended=now(), error=error)

    def remove_cells(self, keys: Iterable[str]) -> None:
        """Remove cells and their chunks, so that they are run again."""
        with self._commit() as db:
            for key in keys:
                db.execute("DELETE FROM chunks WHERE cell = ?", (key,))
                db.execute("DELETE FROM cells WHERE key = ?", (key,))

    # Methods that read

    def query(self, sql: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """Return the rows of an SQL query."""
        try:
            return self._db.execute(sql, values).fetchall()
        except OverflowError:  # SQLite cannot store the number, so no row matches
            return []
        except FAULTS as problem:
            raise self._damaged(str(problem)) from problem

    def _damaged(self, what: str) -> StoreError:
        return StoreError(
            f"{self.path} is damaged ({what}). Restore an earlier copy, or move the file away and "
            "run its commands again"
        )

    def _read(self, table: str, rest: str = "", values: Sequence[Any] = ()) -> list[dict[str, Any]]:
        """Return rows after verifying their checksums.

        Rows that predate the checksums are not verified; columns that are newer than a row are
        None.
        """
        names = SEALED[table]
        since = SINCE[table]
        shown = [n if since[n] <= self.format else f"NULL AS {n}" for n in (*names, "seal")]
        rows = self.query(f"SELECT {', '.join(shown)} FROM {table} {rest}", values)
        for *row, seal in rows:
            if seal is not None and seal != store_rows.seal_of(*store_rows.sealed(table, row)):
                raise self._damaged(f"a row of {table} does not match its checksum")
        return [dict(zip(names, row)) for row in rows]

    def _count(self, what: str, rows: Sequence[Any], expected: int | None) -> None:
        if expected is not None and len(rows) != expected:
            raise self._damaged(f"found {len(rows)} of {expected} {what}")

    def is_done(self, key: str) -> bool:
        """Return whether a cell is finished."""
        return any(cell["status"] == "done" for cell in self._read("cells", "WHERE key = ?", [key]))

    def chunks(self, key: str) -> list[dict[str, Any]]:
        """Return the chunk rows of a finished cell, in order."""
        cells = self._read("cells", "WHERE key = ? AND status = 'done'", [key])
        if not cells:
            raise StoreError(f"{self.path} has no finished cell {key}")
        rows = self._read("chunks", "WHERE cell = ? ORDER BY chunk", [key])
        self._count(f"chunks of a cell ({key})", rows, cells[0]["chunks"])
        return rows

    def result(self, key: str) -> Result:
        """Return the result of a finished cell, whose only learner is named "learner".

        The weight history is omitted if this version cannot read its file format.
        """
        rows = self.chunks(key)
        (cell,) = self._read("cells", "WHERE key = ?", [key])
        ((histories,),) = self.query("SELECT histories FROM cells WHERE key = ?", [key])
        try:
            result = Result(**from_json(json.loads(cell["summary"])))
            steps = [store_rows.step_of(row) for row in rows]
            result.data = {LEARNER: columns(steps, result.classes)}
        except Exception as problem:  # rows without checksums may contain any value
            raise self._damaged(f"{type(problem).__name__}: {problem}") from problem
        with suppress(persist.CorruptFile, persist.NotAllowed):
            result.histories = persist.loads(histories)
        return result

    def runs(self) -> Table:
        """Return number, time, status, finished cells, title and command of all runs."""
        done = {cell["key"] for cell in self._read("cells") if cell["status"] == "done"}
        keys: dict[int, list[str]] = {}
        for row in self._read("run_cells"):
            keys.setdefault(row["run"], []).append(row["cell"])
        rows = []
        for run in self._read("runs", "ORDER BY id"):
            cells = keys.get(run["id"], [])
            self._count(f"cells of run {run['id']}", cells, run["cells"])
            count = f"{sum(key in done for key in cells)} of {len(cells)}"
            rows.append({**run, "run": run["id"], "status": self._status(run), "cells": count})
        names = ("run", "begun", "status", "cells", "title", "command")
        return Table({name: [row[name] for row in rows] for name in names})

    def _status(self, run: dict[str, Any]) -> str:
        """Return the status of a run, which is "stopped" if its process was killed."""
        gone = self.workplace is not None and not is_held(self.workplace, run_lock(run["id"]))
        return "stopped" if run["status"] == "running" and gone else str(run["status"])

    def run(self, run: int) -> dict[str, Any]:
        """Return the description and status of a run."""
        found = self._read("runs", "WHERE id = ?", [run])
        if not found:
            ((last,),) = self.query("SELECT max(id) FROM runs")
            there = f"its runs are 1 to {last}" if last else "it has no runs yet"
            raise StoreError(f"{self.path} has no run {run}: {there}")
        try:
            machine = json.loads(found[0]["machine"])
        except ValueError as problem:
            raise self._damaged(str(problem)) from problem
        return {**found[0], "machine": machine, "status": self._status(found[0])}

    def cells(self, run: int) -> list[dict[str, Any]]:
        """Return the cells of a run in order, with status and times."""
        expected = self.run(run)["cells"]
        rows = self._read("run_cells", "WHERE run = ? ORDER BY place", [run])
        self._count(f"cells of run {run}", rows, expected)
        known = {cell["key"]: cell for cell in self._read("cells")}
        waiting = {"status": "waiting", "wall": None, "cpu": None, "error": None}
        return [
            {name: row[name] for name in ("stream", "learner", "seed", "cell")}
            | {name: known.get(row["cell"], waiting)[name] for name in waiting}
            for row in rows
        ]


def run_lock(run: int | str) -> str:
    """Return the name of the lock that a process holds during a run."""
    return f"run-{run}"
