"""Rows of keys as Arrow has them, on their way from where they are read to where keys learn."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from driftlearn.ops.keyed import rows as reading
from driftlearn.ops.keyed.rows import Rows
from driftlearn.utils.optional import needed

KEY, LABEL = "_driftlearn_key", "_driftlearn_label"


def wanted(kinds: Mapping[str, str]) -> dict[str, str]:
    """Return the columns that are learned from, with their kinds."""
    return {name: kind for name, kind in kinds.items() if kind != "drop"}


def is_number(kind: str) -> bool:
    """Tell whether values are numbers on the way; times are texts, which no time zone can move."""
    return kind in ("number", "boolean")


def arrays_of(rows: Rows, kinds: Mapping[str, str]) -> dict[str, Any]:
    """Return keys, labels and columns as arrays by name.

    Parameters
    ----------
    rows : Rows
        The rows, poisoned ones included.
    kinds : dict of str to str
        What each column holds.
    """
    pa = needed("pyarrow")
    found = {KEY: pa.array(rows.keys, pa.string())}
    found[LABEL] = pa.array(rows.labels or [None] * len(rows), pa.string())
    for (name, kind), raw in zip(wanted(kinds).items(), rows.frame.columns):
        values: Any = raw.values
        if kind == "date":
            values = np.datetime_as_string(values, unit="us").tolist()
            values = [text if text != "NaT" else None for text in values]
        elif kind == "category":
            values = values.tolist()
        found[name] = pa.array(values, pa.float64() if is_number(kind) else pa.string())
    return found


def rows_of(batch: Any, kinds: Mapping[str, str]) -> Rows:
    """Return the rows of a batch with such arrays.

    Parameters
    ----------
    batch : pyarrow.RecordBatch
        The batch.
    kinds : dict of str to str
        What each column holds.
    """
    table = {}
    for name, kind in wanted(kinds).items():
        column = batch.column(name)
        if is_number(kind):
            table[name] = column.to_numpy(zero_copy_only=False)
        else:
            table[name] = np.array([*column.to_pylist(), None], dtype=object)[:-1]
    keys, labels = (batch.column(name).to_pylist() for name in (KEY, LABEL))
    return reading.read(table, kinds, keys, labels)
