"""Rows of keys as Arrow arrays, for the transport between processes."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from driftlearn.ops.keyed import rows as reading
from driftlearn.ops.keyed.rows import Rows, used
from driftlearn.utils.optional import needed

KEY, LABEL = "_driftlearn_key", "_driftlearn_label"


def is_number(kind: str) -> bool:
    """Return whether values are numbers in Arrow; dates are texts, free of time zones."""
    return kind in ("number", "boolean")


def arrays_of(rows: Rows, kinds: Mapping[str, str]) -> dict[str, Any]:
    """Return keys, labels and columns as arrays by name.

    Parameters
    ----------
    rows : Rows
        The rows, including malformed ones.
    kinds : dict of str to str
        The kinds of columns.
    """
    pa = needed("pyarrow")
    found = {KEY: pa.array(rows.keys, pa.string())}
    found[LABEL] = pa.array(rows.labels or [None] * len(rows), pa.string())
    for (name, kind), raw in zip(used(kinds).items(), rows.frame.columns):
        values: Any = raw.values
        if kind == "date":
            texts = np.datetime_as_string(values, unit="us").tolist()
            values = [None if text == "NaT" else text for text in texts]
        elif kind == "category":
            values = values.tolist()
        found[name] = pa.array(values, pa.float64() if is_number(kind) else pa.string())
    return found


def rows_of(batch: Any, kinds: Mapping[str, str]) -> Rows:
    """Return the rows of a batch with the arrays of `arrays_of`.

    Parameters
    ----------
    batch : pyarrow.RecordBatch
        The batch.
    kinds : dict of str to str
        The kinds of columns.
    """
    table = {}
    for name, kind in used(kinds).items():
        column = batch.column(name)
        if is_number(kind):
            table[name] = column.to_numpy(zero_copy_only=False)
        else:  # the None keeps NumPy from choosing another dtype than object
            table[name] = np.array([*column.to_pylist(), None], dtype=object)[:-1]
    keys, labels = (batch.column(name).to_pylist() for name in (KEY, LABEL))
    return reading.read(table, kinds, keys, labels)
