"""Every run in one SQLite file: what was asked for, what came out, chunk by chunk."""

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
from driftlearn.bench.workbench.cell import LEARNER, Cell, Finished
from driftlearn.bench.workbench.store_rows import (
    FORMAT,
    SCHEMA,
    SEALED,
    SINCE,
    row_of,
    seal_of,
    sealed,
    step_of,
)
from driftlearn.evaluate._gather import columns
from driftlearn.evaluate._json import from_json
from driftlearn.evaluate._result import Result
from driftlearn.evaluate._run import Step
from driftlearn.utils.locks import is_held
from driftlearn.utils.table import Table

PATIENCE = 60.0  # seconds that a write waits for another process; its commits take milliseconds


#: What SQLite raises; of a damaged schema it quotes bytes that are no text.
FAULTS = (sqlite3.Error, UnicodeDecodeError)


class StoreError(OSError):
    """The store cannot be used, and why."""


class StoreLost(StoreError):
    """The store was taken away while a run wrote to it."""

    exit_code = 1


def default_path() -> Path:
    """Return where runs are stored unless somebody says otherwise: the user's data folder."""
    if os.name == "nt":
        base = os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local"
    else:
        base = os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share"
    return Path(base) / "driftlearn" / "runs.sqlite"


def now() -> str:
    """Return the time, to the second, in UTC."""
    return datetime.now(timezone.utc).strftime("%Y-%m-%d %H:%M:%S")


class Store:
    """The runs, cells and chunks of one SQLite file.

    Chunks are keyed by cell and number and cells by what they compute, so that nothing can be
    there twice. A finished chunk is one commit. Several processes may use the file at a time.

    Parameters
    ----------
    path : str or Path
        The file, made if it is missing; ``":memory:"`` for none.
    to_read : bool, default=False
        Whether it is only read, and so may lie where nothing can be written.
    """

    def __init__(self, path: str | Path, to_read: bool = False):
        self.path = Path(path) if str(path) != ":memory:" else None
        self._at_start: os.stat_result | None = None
        try:
            if to_read:
                self._db = sqlite3.connect(
                    self._address(), timeout=PATIENCE, isolation_level=None, uri=True
                )
                self.format = self._format()
                return
            if self.path is not None:
                self.path.parent.mkdir(parents=True, exist_ok=True)
            self._db = sqlite3.connect(path, timeout=PATIENCE, isolation_level=None)
            self._open()
            if self.path is not None:
                self._at_start = self.path.stat()
        except OSError as problem:
            raise StoreError(f"{path} cannot be made: {problem.strerror or problem}") from None
        except FAULTS as problem:
            raise StoreError(f"{path} cannot be used as a store: {problem}") from None

    def _address(self) -> str:
        """Return the URI of a store that is there and is read, also where nobody may write."""
        assert self.path is not None
        uri = self.path.resolve().as_uri()
        if os.access(self.path, os.W_OK) and os.access(self.path.parent, os.W_OK):
            return f"{uri}?mode=rw"
        log = self.path.with_name(f"{self.path.name}-wal")
        if log.exists() and log.stat().st_size:
            raise StoreError(
                f"{self.path} cannot be read where nothing can be written, as its newest rows are "
                f"in {log}: copy both files to another folder"
            )
        return f"{uri}?immutable=1"

    def _format(self) -> int:
        ((found,),) = self._db.execute("PRAGMA user_version").fetchall()
        if found > FORMAT:
            raise StoreError(
                f"{self.path} was made by a newer version of driftlearn (format {found}, "
                f"this one knows {FORMAT})"
            )
        return int(found)

    def _open(self) -> None:
        self._db.execute("PRAGMA journal_mode = WAL")
        self._db.execute("PRAGMA synchronous = NORMAL")
        self._db.create_function("seal", -1, seal_of, deterministic=True)
        with self._commit() as db:
            for step in SCHEMA[self._format() :]:
                for statement in step.split(";\n"):
                    db.execute(statement)
            db.execute(f"PRAGMA user_version = {FORMAT}")
        self.format = FORMAT

    @contextmanager
    def _commit(self) -> Iterator[sqlite3.Connection]:
        """Do something wholly or not at all."""
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
                    f"writing to {self.path} failed: {problem}; all that was stored before is safe"
                ) from problem
            raise

    def _check_place(self) -> None:
        """Say so if the file is no more: the system would let a process write to it for ever."""
        if self._at_start is None or self.path is None:
            return
        with suppress(OSError):
            if os.path.samestat(self._at_start, self.path.stat()):
                return
        raise StoreLost(
            f"{self.path} was deleted or replaced while this run wrote to it, and what it stored "
            "is lost: start the command again"
        )

    def _seal(self, table: str, where: str, values: Sequence[Any]) -> None:
        """Give the rows that were written the checksum of their content."""
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
        """The folder for checkpoints and locks, beside the file."""
        return None if self.path is None else self.path.with_name(self.path.name + ".work")

    # What a run writes

    def begin_run(self, title: str, command: str, machine: dict[str, str], cells: Any) -> int:
        """Write down what is going to be run; return the run's number."""
        with self._commit() as db:
            run = db.execute(
                "INSERT INTO runs (begun, status, title, command, machine, cells) "
                "VALUES (?, ?, ?, ?, ?, ?)",
                (now(), "running", title, command, json.dumps(machine), len(cells)),
            ).lastrowid
            db.executemany(
                "INSERT INTO run_cells (run, place, stream, learner, seed, cell) "
                "VALUES (?, ?, ?, ?, ?, ?)",
                [(run, k, c.stream, c.learner, c.seed, c.key) for k, c in enumerate(cells)],
            )
            self._seal("runs", "id = ?", (run,))
            self._seal("run_cells", "run = ?", (run,))
        assert run is not None
        return run

    def end_run(self, run: int, status: str) -> None:
        """Write down how a run ended: "done", "failed" or "stopped"."""
        with self._commit() as db:
            db.execute("UPDATE runs SET ended = ?, status = ? WHERE id = ?", (now(), status, run))
            self._seal("runs", "id = ?", (run,))

    def begin_cell(self, cell: Cell) -> None:
        """Write down that a cell is being worked on."""
        with self._commit() as db:
            db.execute(
                "INSERT INTO cells (key, description, status, begun) VALUES (?, ?, 'begun', ?) "
                "ON CONFLICT (key) DO UPDATE SET status = 'begun', begun = excluded.begun, "
                "error = NULL WHERE status != 'done'",
                (cell.key, cell.description, now()),
            )
            self._seal("cells", "key = ?", (cell.key,))

    def add_steps(self, key: str, steps: Iterable[Step]) -> None:
        """Store the records of chunks: one commit, however often it is done."""
        rows = [row_of(key, step) for step in steps]
        names = SEALED["chunks"]
        with self._commit() as db:
            db.executemany(
                f"INSERT OR REPLACE INTO chunks ({', '.join(names)}) "
                f"VALUES ({', '.join('?' * len(names))})",
                rows,
            )
            for row in rows:
                self._seal("chunks", "cell = ? AND chunk = ?", row[:2])

    def finish_cell(self, key: str, found: Finished) -> None:
        """Mark a cell as done; the disk has it when this returns."""
        histories = persist.dumps(found.histories, compress=True)
        self._db.execute("PRAGMA synchronous = FULL")
        with self._commit() as db:
            db.execute("DELETE FROM chunks WHERE cell = ? AND chunk >= ?", (key, found.n_chunks))
            db.execute(
                "UPDATE cells SET status = 'done', ended = ?, wall = ?, cpu = ?, machine = ?, "
                "summary = ?, histories = ?, chunks = ?, error = NULL WHERE key = ?",
                (now(), found.wall, found.cpu, json.dumps(found.machine),
                 json.dumps(found.summary), histories, found.n_chunks, key),
            )  # fmt: skip
            self._seal("cells", "key = ?", (key,))
        self._db.execute("PRAGMA synchronous = NORMAL")

    def fail_cell(self, key: str, error: str) -> None:
        """Write down why a cell failed."""
        with self._commit() as db:
            db.execute(
                "UPDATE cells SET status = 'failed', ended = ?, error = ? WHERE key = ?",
                (now(), error, key),
            )
            self._seal("cells", "key = ?", (key,))

    def forget(self, keys: Iterable[str]) -> None:
        """Remove cells and their chunks, so that they are run again."""
        with self._commit() as db:
            for key in keys:
                db.execute("DELETE FROM chunks WHERE cell = ?", (key,))
                db.execute("DELETE FROM cells WHERE key = ?", (key,))

    # What a reader asks

    def query(self, sql: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """Return the rows that a question in SQL gives."""
        try:
            return self._db.execute(sql, values).fetchall()
        except OverflowError:  # a number that SQLite does not know is in no row
            return []
        except FAULTS as problem:
            raise self._damaged(str(problem)) from problem

    def _damaged(self, what: str) -> StoreError:
        return StoreError(
            f"{self.path} is damaged ({what}): put an earlier copy in its place, or move it away "
            "and start its commands again"
        )

    def _read(self, table: str, rest: str = "", values: Sequence[Any] = ()) -> list[dict[str, Any]]:
        """Return rows as they were written, or say that they are no more.

        Rows of a store from before there were seals have none, and are taken as they are; those
        from before there was a column have nothing in it.
        """
        names = SEALED[table]
        shown = [*names, "seal"]
        shown = [n if SINCE.get((table, n), 1) <= self.format else f"NULL AS {n}" for n in shown]
        rows = self.query(f"SELECT {', '.join(shown)} FROM {table} {rest}", values)
        for *row, seal in rows:
            if seal is not None and seal != seal_of(*sealed(table, row)):
                raise self._damaged(f"a row of {table} is not what was written")
        return [dict(zip(names, row)) for row in rows]

    def _count(self, what: str, rows: Sequence[Any], expected: int | None) -> None:
        if expected is not None and len(rows) != expected:
            raise self._damaged(f"{len(rows)} of {expected} {what} are there")

    def is_done(self, key: str) -> bool:
        """Say whether a cell is finished."""
        return any(cell["status"] == "done" for cell in self._read("cells", "WHERE key = ?", [key]))

    def chunks(self, key: str) -> list[dict[str, Any]]:
        """Return the rows of the chunks of a finished cell, in their order."""
        cells = self._read("cells", "WHERE key = ? AND status = 'done'", [key])
        if not cells:
            raise StoreError(f"{self.path} has no finished cell {key}")
        rows = self._read("chunks", "WHERE cell = ? ORDER BY chunk", [key])
        self._count(f"chunks of a cell ({key})", rows, cells[0]["chunks"])
        return rows

    def result(self, key: str) -> Result:
        """Return what a finished cell gave, its one learner called "learner".

        Without the history of its weights, if that was written by a version whose files this one
        does not read any more.
        """
        rows = self.chunks(key)
        (cell,) = self._read("cells", "WHERE key = ?", [key])
        ((histories,),) = self.query("SELECT histories FROM cells WHERE key = ?", [key])
        try:
            result = Result(**from_json(json.loads(cell["summary"])))
            result.data = {LEARNER: columns([step_of(row) for row in rows], result.classes)}
        except Exception as problem:  # whatever comes of rows that have no seal
            raise self._damaged(f"{type(problem).__name__}: {problem}") from problem
        with suppress(persist.CorruptFile, persist.NotAllowed):
            result.histories = persist.loads(histories)
        return result

    def runs(self) -> Table:
        """Return all runs: number, time, status, cells done, title, command."""
        done = {cell["key"] for cell in self._read("cells") if cell["status"] == "done"}
        keys: dict[int, list[str]] = {}
        for row in self._read("run_cells"):
            keys.setdefault(row["run"], []).append(row["cell"])
        names = ("run", "begun", "status", "cells", "title", "command")
        table: dict[str, list[Any]] = {name: [] for name in names}
        for run in self._read("runs", "ORDER BY id"):
            cells = keys.get(run["id"], [])
            self._count(f"cells of run {run['id']}", cells, run["cells"])
            row = {**run, "run": run["id"], "status": self._status(run)}
            row["cells"] = f"{sum(key in done for key in cells)} of {len(cells)}"
            for name in names:
                table[name].append(row[name])
        return Table(table)

    def _status(self, run: dict[str, Any]) -> str:
        """Return how a run ended; one whose process is gone was stopped, whatever it wrote last."""
        gone = self.workplace is not None and not is_held(self.workplace, run_lock(run["id"]))
        return "stopped" if run["status"] == "running" and gone else str(run["status"])

    def run(self, run: int) -> dict[str, Any]:
        """Return what is known of one run."""
        found = self._read("runs", "WHERE id = ?", [run])
        if not found:
            ((last,),) = self.query("SELECT max(id) FROM runs")
            there = f"there are 1 to {last}" if last else "there is none yet"
            raise StoreError(f"{self.path} has no run {run}; {there}")
        try:
            machine = json.loads(found[0]["machine"])
        except ValueError as problem:
            raise self._damaged(str(problem)) from problem
        return {**found[0], "machine": machine, "status": self._status(found[0])}

    def cells(self, run: int) -> list[dict[str, Any]]:
        """Return the cells of a run in their order, with their status and times."""
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
    """Return the name of the lock that a process holds as long as its run goes on."""
    return f"run-{run}"
