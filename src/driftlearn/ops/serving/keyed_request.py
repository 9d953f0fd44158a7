"""Rows of a request, parsed for models for keys."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from driftlearn.ops.checkpoint.tables import check_column
from driftlearn.ops.keyed.keyed_learner import KeyedLearner
from driftlearn.ops.keyed.rows import Rows as KeyedRows
from driftlearn.ops.keyed.rows import read_times
from driftlearn.ops.serving.request_error import RequestError
from driftlearn.ops.serving.request_rows import Rows
from driftlearn.utils.arguments import meant

SHOWN = 20  # columns listed in an error message


def read(
    rows: Rows, settings: Mapping[str, Any], learner: KeyedLearner, labelled: bool
) -> tuple[KeyedRows, np.ndarray | None]:
    """Return parsed rows and their times; raise `RequestError` if a row is malformed.

    Parameters
    ----------
    rows : Rows
        The rows of a request.
    settings : dict
        The settings of the state folder.
    learner : KeyedLearner
        Its kinds of columns determine how values are parsed.
    labelled : bool
        Whether the rows will be learned: they then need labels, and times if keys expire by time.
    """
    key, target, time = (settings[name] for name in ("key", "target", "time"))
    there, kinds = [*rows.columns], learner.kinds or {}
    has_times = labelled and time is not None
    roles = {key: "the keys", **({target: "the labels"} if labelled else {}),
             **({time: "times"} if has_times else {})}  # fmt: skip
    try:
        for name, what in roles.items():
            check_column(name, there, what, "The request")
        for name in there:
            if name not in kinds and name not in (key, target):
                raise ValueError(unknown_column(name, [k for k in kinds if kinds[k] != "drop"]))
        for name, kind in kinds.items():
            if kind != "drop" and name not in there:
                raise ValueError(missing_column(name))
        table = {name: values for name, values in rows.columns.items() if name in kinds}
        labels = rows.columns[target] if labelled else None
        found = learner.read(table, rows.columns[key], labels)
    except ValueError as problem:
        raise RequestError(422, str(problem)) from None
    times = read_times(rows.columns[time], time, found.bad) if has_times else None
    if found.bad:
        i = min(found.bad)
        raise RequestError(422, f"Row {i}: {found.bad[i]}")
    return found, times


def unknown_column(name: str, known: list[str]) -> str:
    """Return the error message about a column that the model was not trained with."""
    near = meant(name, known)
    more = "." if near else f". Its columns are {', '.join(map(repr, known[:SHOWN]))}."
    return f"The model has no column {name!r}{near}{more}"


def missing_column(name: str) -> str:
    """Return the error message about a missing column."""
    return f"The rows have no column {name!r}. Write null where a value is missing."
