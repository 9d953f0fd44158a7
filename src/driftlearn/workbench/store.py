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

import numpy as np

from driftlearn import persist
from driftlearn._table import Table
from driftlearn.evaluate import Result, Step
from driftlearn.evaluate._gather import columns
from driftlearn.evaluate._json import from_json
from driftlearn.workbench.cell import LEARNER, Cell, Finished

FORMAT = 1
PATIENCE = 60.0  # seconds that a write waits for another process; its commits take milliseconds

SCHEMA = """
CREATE TABLE runs (
    id INTEGER PRIMARY KEY, begun TEXT NOT NULL, ended TEXT, status TEXT NOT NULL,
    title TEXT NOT NULL, command TEXT NOT NULL, machine TEXT NOT NULL
);
CREATE TABLE cells (
    key TEXT PRIMARY KEY, description TEXT NOT NULL, status TEXT NOT NULL, begun TEXT, ended TEXT,
    wall REAL, cpu REAL, error TEXT, machine TEXT, summary TEXT, histories BLOB
) WITHOUT ROWID;
CREATE TABLE run_cells (
    run INTEGER NOT NULL REFERENCES runs (id), place INTEGER NOT NULL,
    stream TEXT NOT NULL, learner TEXT NOT NULL, seed INTEGER NOT NULL, cell TEXT NOT NULL,
    PRIMARY KEY (run, place)
) WITHOUT ROWID;
CREATE TABLE chunks (
    cell TEXT NOT NULL, chunk INTEGER NOT NULL, start INTEGER NOT NULL, stop INTEGER NOT NULL,
    learnt INTEGER NOT NULL, accuracy REAL, log_loss REAL, fit_seconds REAL, predict_seconds REAL,
    members REAL, nbytes REAL, classes TEXT NOT NULL, confusion TEXT NOT NULL,
    PRIMARY KEY (cell, chunk)
) WITHOUT ROWID;
"""


class StoreError(OSError):
    """The store cannot be used, and why."""


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
    """

    def __init__(self, path: str | Path):
        self.path = Path(path) if str(path) != ":memory:" else None
        try:
            if self.path is not None:
                self.path.parent.mkdir(parents=True, exist_ok=True)
            self._db = sqlite3.connect(path, timeout=PATIENCE, isolation_level=None)
            self._open()
        except OSError as problem:
            raise StoreError(f"{path} cannot be made: {problem.strerror or problem}") from None
        except sqlite3.Error as problem:
            raise StoreError(f"{path} cannot be used as a store: {problem}") from None

    def _open(self) -> None:
        self._db.execute("PRAGMA journal_mode = WAL")
        self._db.execute("PRAGMA synchronous = NORMAL")
        with self._commit() as db:
            (found,) = db.execute("PRAGMA user_version").fetchone()
            if found > FORMAT:
                raise StoreError(
                    f"{self.path} was made by a newer version of driftlearn (format {found}, "
                    f"this one knows {FORMAT})"
                )
            if found < FORMAT:
                for statement in SCHEMA.split(";\n"):
                    db.execute(statement)
                db.execute(f"PRAGMA user_version = {FORMAT}")

    @contextmanager
    def _commit(self) -> Iterator[sqlite3.Connection]:
        """Do something wholly or not at all."""
        try:
            self._db.execute("BEGIN IMMEDIATE")
            yield self._db
            self._db.execute("COMMIT")
        except BaseException as problem:
            if self._db.in_transaction:
                self._db.execute("ROLLBACK")
            if isinstance(problem, sqlite3.Error):
                raise StoreError(
                    f"writing to {self.path} failed: {problem}; all that was stored before is safe"
                ) from problem
            raise

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
                "INSERT INTO runs (begun, status, title, command, machine) VALUES (?, ?, ?, ?, ?)",
                (now(), "running", title, command, json.dumps(machine)),
            ).lastrowid
            db.executemany(
                "INSERT INTO run_cells VALUES (?, ?, ?, ?, ?, ?)",
                [(run, k, c.stream, c.learner, c.seed, c.key) for k, c in enumerate(cells)],
            )
        assert run is not None
        return run

    def end_run(self, run: int, status: str) -> None:
        """Write down how a run ended: "done", "failed" or "stopped"."""
        with self._commit() as db:
            db.execute("UPDATE runs SET ended = ?, status = ? WHERE id = ?", (now(), status, run))

    def begin_cell(self, cell: Cell) -> None:
        """Write down that a cell is being worked on."""
        with self._commit() as db:
            db.execute(
                "INSERT INTO cells (key, description, status, begun) VALUES (?, ?, 'begun', ?) "
                "ON CONFLICT (key) DO UPDATE SET status = 'begun', begun = excluded.begun, "
                "error = NULL WHERE status != 'done'",
                (cell.key, cell.description, now()),
            )

    def add_steps(self, key: str, steps: Iterable[Step]) -> None:
        """Store the records of chunks: one commit, however often it is done."""
        with self._commit() as db:
            db.executemany(
                "INSERT OR REPLACE INTO chunks VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                [_row(key, step) for step in steps],
            )

    def finish_cell(self, key: str, found: Finished) -> None:
        """Mark a cell as done; the disk has it when this returns."""
        histories = persist.dumps(found.histories, compress=True)
        self._db.execute("PRAGMA synchronous = FULL")
        with self._commit() as db:
            db.execute("DELETE FROM chunks WHERE cell = ? AND chunk >= ?", (key, found.n_chunks))
            db.execute(
                "UPDATE cells SET status = 'done', ended = ?, wall = ?, cpu = ?, machine = ?, "
                "summary = ?, histories = ?, error = NULL WHERE key = ?",
                (now(), found.wall, found.cpu, json.dumps(found.machine),
                 json.dumps(found.summary), histories, key),
            )  # fmt: skip
        self._db.execute("PRAGMA synchronous = NORMAL")

    def fail_cell(self, key: str, error: str) -> None:
        """Write down why a cell failed."""
        with self._commit() as db:
            db.execute(
                "UPDATE cells SET status = 'failed', ended = ?, error = ? WHERE key = ?",
                (now(), error, key),
            )

    def forget(self, keys: Iterable[str]) -> None:
        """Remove cells and their chunks, so that they are run again."""
        with self._commit() as db:
            for key in keys:
                db.execute("DELETE FROM chunks WHERE cell = ?", (key,))
                db.execute("DELETE FROM cells WHERE key = ?", (key,))

    # What a reader asks

    def query(self, sql: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """Return the rows that a question in SQL gives."""
        return self._db.execute(sql, values).fetchall()

    def is_done(self, key: str) -> bool:
        """Say whether a cell is finished."""
        found = self._db.execute("SELECT status FROM cells WHERE key = ?", (key,)).fetchone()
        return found is not None and found[0] == "done"

    def result(self, key: str) -> Result:
        """Return what a finished cell gave, its one learner called "learner".

        Without the history of its weights, if that was written by a version whose files this one
        does not read any more.
        """
        query = "SELECT summary, histories FROM cells WHERE key = ? AND status = 'done'"
        found = self._db.execute(query, (key,)).fetchone()
        if found is None:
            raise StoreError(f"{self.path} has no finished cell {key}")
        result = Result(**from_json(json.loads(found[0])))
        with suppress(persist.CorruptFile, persist.NotAllowed):
            result.histories = persist.loads(found[1])
        rows = self._db.execute("SELECT * FROM chunks WHERE cell = ? ORDER BY chunk", (key,))
        result.data = {LEARNER: columns([_step(row) for row in rows], result.classes)}
        return result

    def runs(self) -> Table:
        """Return all runs: number, time, status, cells done, title, command."""
        rows = self._db.execute(
            "SELECT r.id, r.begun, r.status, "
            "(SELECT count(*) FROM run_cells rc JOIN cells c ON c.key = rc.cell "
            "WHERE rc.run = r.id AND c.status = 'done') || ' of ' || "
            "(SELECT count(*) FROM run_cells rc WHERE rc.run = r.id), r.title, r.command "
            "FROM runs r ORDER BY r.id"
        ).fetchall()
        names = ("run", "begun", "status", "cells", "title", "command")
        return Table(dict(zip(names, zip(*rows))) if rows else {name: [] for name in names})

    def run(self, run: int) -> dict[str, Any]:
        """Return what is known of one run."""
        names = ("id", "begun", "ended", "status", "title", "command", "machine")
        row = self._db.execute(
            f"SELECT {', '.join(names)} FROM runs WHERE id = ?", (run,)
        ).fetchone()
        if row is None:
            (last,) = self._db.execute("SELECT max(id) FROM runs").fetchone()
            there = f"there are 1 to {last}" if last else "there is none yet"
            raise StoreError(f"{self.path} has no run {run}; {there}")
        return {**dict(zip(names, row)), "machine": json.loads(row[-1])}

    def cells(self, run: int) -> list[dict[str, Any]]:
        """Return the cells of a run in their order, with their status and times."""
        self.run(run)
        names = ("stream", "learner", "seed", "cell", "status", "wall", "cpu", "error")
        rows = self._db.execute(
            "SELECT rc.stream, rc.learner, rc.seed, rc.cell, coalesce(c.status, 'waiting'), "
            "c.wall, c.cpu, c.error FROM run_cells rc LEFT JOIN cells c ON c.key = rc.cell "
            "WHERE rc.run = ? ORDER BY rc.place",
            (run,),
        )
        return [dict(zip(names, row)) for row in rows]


def _row(key: str, step: Step) -> tuple[Any, ...]:
    numbers: Sequence[float] = (
        step.accuracy, step.log_loss, step.fit_seconds, step.predict_seconds, step.members,
        step.nbytes,
    )  # fmt: skip
    return (
        key, step.chunk, step.start, step.stop, step.learnt,
        *(None if np.isnan(value) else float(value) for value in numbers),
        json.dumps(step.classes.tolist()), json.dumps(step.confusion.tolist()),
    )  # fmt: skip


def _step(row: tuple[Any, ...]) -> Step:
    _, chunk, start, stop, learnt, _, *numbers, classes, confusion = row
    log_loss, fit, predict, members, nbytes = (np.nan if n is None else n for n in numbers)
    labels = np.array(json.loads(classes))
    counts = np.array(json.loads(confusion), dtype=int).reshape(len(labels), len(labels))
    return Step(
        LEARNER, chunk, start, stop, labels, counts, log_loss, learnt, fit, predict, members, nbytes
    )
