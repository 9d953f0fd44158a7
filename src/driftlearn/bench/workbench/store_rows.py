"""What the tables of a store are, and how rows are sealed.

Each row has a checksum of its content, so that a byte that a disk turned over is found and never
shown as another number.
"""

import hashlib
import json
from collections.abc import Sequence
from typing import Any

import numpy as np

from driftlearn.bench.workbench.cell import LEARNER
from driftlearn.evaluate._gather import NUMBERS
from driftlearn.evaluate._run import Step

SEAL_DIGITS = 16  # of a hash: 64 bits, of which chance damage hits none
#: What makes a store of each format of one of the format before.
SCHEMA = ("""
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
""", """
ALTER TABLE runs ADD COLUMN cells INTEGER;
ALTER TABLE runs ADD COLUMN seal TEXT;
ALTER TABLE cells ADD COLUMN chunks INTEGER;
ALTER TABLE cells ADD COLUMN seal TEXT;
ALTER TABLE run_cells ADD COLUMN seal TEXT;
ALTER TABLE chunks ADD COLUMN seal TEXT;
""", """
ALTER TABLE chunks ADD COLUMN unchanged REAL;
ALTER TABLE chunks ADD COLUMN brier REAL;
ALTER TABLE chunks ADD COLUMN auc REAL;
ALTER TABLE chunks ADD COLUMN calibration TEXT;
""")  # fmt: skip
FORMAT = len(SCHEMA)
#: The columns that a row's seal covers; a cell's histories have one of their own.
SEALED = {
    "runs": ("id", "begun", "ended", "status", "title", "command", "machine", "cells"),
    "run_cells": ("run", "place", "stream", "learner", "seed", "cell"),
    "cells": (
        "key", "description", "status", "begun", "ended", "wall", "cpu", "error", "machine",
        "summary", "chunks",
    ),
    "chunks": (
        "cell", "chunk", "start", "stop", "learnt", "accuracy", "log_loss", "fit_seconds",
        "predict_seconds", "members", "nbytes", "classes", "confusion", "unchanged", "brier",
        "auc", "calibration",
    ),
}  # fmt: skip
#: In which format a column came to a table.
SINCE = {
    **{(table, "seal"): 2 for table in SEALED},
    ("runs", "cells"): 2,
    ("cells", "chunks"): 2,
    **{("chunks", name): 3 for name in ("unchanged", "brier", "auc", "calibration")},
}


def seal_of(*values: Any) -> str:
    """Return the checksum of a row; the same values give the same one on every system."""
    return hashlib.sha256(json.dumps(values).encode()).hexdigest()[:SEAL_DIGITS]


def sealed(table: str, row: Sequence[Any]) -> Sequence[Any]:
    """Return the part of a row that its seal covers.

    Columns that are newer than the seals come last; a row from before them has nothing there.
    """
    newer = sum(SINCE.get((table, name), 1) > 2 for name in SEALED[table])
    return row[:-newer] if newer and row[-1] is None else row


def row_of(key: str, step: Step) -> tuple[Any, ...]:
    """Return the record of a chunk as a row of the table."""
    numbers: Sequence[float] = (
        step.accuracy, step.log_loss, step.fit_seconds, step.predict_seconds, step.members,
        step.nbytes, step.unchanged, step.brier, step.auc,
    )  # fmt: skip
    values = [None if np.isnan(value) else float(value) for value in numbers]
    return (
        key, step.chunk, step.start, step.stop, step.trained, *values[:6],
        json.dumps(step.classes.tolist()), json.dumps(step.confusion.tolist()), *values[6:],
        json.dumps(step.calibration.tolist() if step.calibration.any() else []),
    )  # fmt: skip


def step_of(row: dict[str, Any]) -> Step:
    """Return the record of a chunk that a row holds; an older one lacks what came later."""
    labels = np.array(json.loads(row["classes"]))
    counts = np.array(json.loads(row["confusion"]), dtype=int).reshape(len(labels), len(labels))
    bins = json.loads(row["calibration"] or "[]")
    given: dict[str, Any] = {name: row[name] for name in ("chunk", "start", "stop")}
    given["trained"] = row["learnt"]
    given |= {name: np.nan if row[name] is None else row[name] for name in NUMBERS}
    if bins:
        given["calibration"] = np.array(bins, dtype=float)
    return Step(learner=LEARNER, classes=labels, confusion=counts, **given)
