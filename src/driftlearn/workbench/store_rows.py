"""What the tables of a store are, and how rows are sealed.

Each row has a checksum of its content, so that a byte that a disk turned over is found and never
shown as another number.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from typing import Any

import numpy as np

from driftlearn.evaluate import Step
from driftlearn.workbench.cell import LEARNER

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
        "predict_seconds", "members", "nbytes", "classes", "confusion",
    ),
}  # fmt: skip
SINCE_SEALS = ("cells", "chunks")  # columns that came with the seals


def seal_of(*values: Any) -> str:
    """Return the checksum of a row; the same values give the same one on every system."""
    return hashlib.sha256(json.dumps(values).encode()).hexdigest()[:SEAL_DIGITS]


def row_of(key: str, step: Step) -> tuple[Any, ...]:
    """Return the record of a chunk as a row of the table."""
    numbers: Sequence[float] = (
        step.accuracy, step.log_loss, step.fit_seconds, step.predict_seconds, step.members,
        step.nbytes,
    )  # fmt: skip
    return (
        key, step.chunk, step.start, step.stop, step.learnt,
        *(None if np.isnan(value) else float(value) for value in numbers),
        json.dumps(step.classes.tolist()), json.dumps(step.confusion.tolist()),
    )  # fmt: skip


def step_of(row: dict[str, Any]) -> Step:
    """Return the record of a chunk that a row holds."""
    _, chunk, start, stop, learnt, _, *numbers, classes, confusion = row.values()
    log_loss, fit, predict, members, nbytes = (np.nan if n is None else n for n in numbers)
    labels = np.array(json.loads(classes))
    counts = np.array(json.loads(confusion), dtype=int).reshape(len(labels), len(labels))
    return Step(
        LEARNER, chunk, start, stop, labels, counts, log_loss, learnt, fit, predict, members, nbytes
    )
