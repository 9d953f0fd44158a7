"""Tables of a store, and conversion of chunk records to rows.

Each row has a checksum of its content, so that damage to the file is detected.
"""

import hashlib
import json
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np

from driftlearn.evaluate._gather import NUMBERS
from driftlearn.evaluate._run import Step

LEARNER = "learner"  # name of the only learner in the result of a cell
SEAL_DIGITS = 16  # hex digits kept of each hash: 64 bits, so random damage does not go unnoticed
#: For each format, the SQL statements that convert a store from the preceding format.
SCHEMA = [
    step.partition("\n")[2].split(";\n")[:-1]
    for step in Path(__file__).with_name("store.sql").read_text("utf-8").split("-- format")[1:]
]
FORMAT = len(SCHEMA)


def _since() -> dict[str, dict[str, int]]:
    """Return the columns of each table in order, with the format version that introduced them."""
    found: dict[str, dict[str, int]] = {"runs": {}, "run_cells": {}, "cells": {}, "chunks": {}}
    with closing(sqlite3.connect(":memory:")) as db:
        for number, statements in enumerate(SCHEMA, 1):
            for statement in statements:
                db.execute(statement)
            for table, columns in found.items():
                for _, name, *_ in db.execute(f"PRAGMA table_info({table})"):
                    columns.setdefault(name, number)
    return found


SINCE = _since()
#: Columns covered by a row's checksum; the histories of a cell have a separate checksum.
SEALED = {
    table: tuple(name for name in columns if name not in ("seal", "histories"))
    for table, columns in SINCE.items()
}


def seal_of(*values: Any) -> str:
    """Return the platform-independent checksum of a row."""
    return hashlib.sha256(json.dumps(values).encode()).hexdigest()[:SEAL_DIGITS]


def sealed(table: str, row: Sequence[Any]) -> Sequence[Any]:
    """Return the part of a row that is covered by its checksum.

    Columns that are newer than the checksums are last and are None in older rows.
    """
    newer = sum(SINCE[table][name] > 2 for name in SEALED[table])
    return row[:-newer] if newer and row[-1] is None else row


def row_of(key: str, step: Step) -> tuple[Any, ...]:
    """Return a chunk record as a row of the table."""
    values: dict[str, Any] = {name: getattr(step, name) for name in ("chunk", "start", "stop")}
    for name in ("accuracy", *NUMBERS):
        number = float(getattr(step, name))
        values[name] = None if np.isnan(number) else number
    for name in ("classes", "confusion", "calibration"):
        values[name] = json.dumps(getattr(step, name).tolist())
    if not step.calibration.any():
        values["calibration"] = "[]"
    values |= {"cell": key, "learnt": step.trained}
    return tuple(values[name] for name in SEALED["chunks"])


def step_of(row: dict[str, Any]) -> Step:
    """Return the chunk record in a row, which may lack columns in older formats.

    Examples
    --------
    >>> step = Step("learner", 0, 0, 9, np.array(["a"]), np.eye(1, dtype=int), 0.5, 9, 0, 0, 3, 0)
    >>> step_of(dict(zip(SEALED["chunks"], row_of("key", step)))).members
    3.0
    """
    labels = np.array(json.loads(row["classes"]))
    counts = np.array(json.loads(row["confusion"]), dtype=int).reshape(len(labels), len(labels))
    bins = json.loads(row["calibration"] or "[]")
    given: dict[str, Any] = {name: row[name] for name in ("chunk", "start", "stop")}
    given |= {name: np.nan if row[name] is None else row[name] for name in NUMBERS}
    if bins:
        given["calibration"] = np.array(bins, dtype=float)
    return Step(LEARNER, classes=labels, confusion=counts, trained=row["learnt"], **given)
