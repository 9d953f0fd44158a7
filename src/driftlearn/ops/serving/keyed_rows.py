"""Rows of a request, read for a model for each key."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from driftlearn.ops.checkpoint.tables import check_column
from driftlearn.ops.keyed.keyed_learner import KeyedLearner
from driftlearn.ops.keyed.rows import Rows as KeyedRows
from driftlearn.ops.keyed.rows import read_times
from driftlearn.ops.serving.refused import Refused
from driftlearn.ops.serving.rows import Rows
from driftlearn.utils.arguments import meant


def read(
    rows: Rows, settings: Mapping[str, Any], learner: KeyedLearner, labelled: bool
) -> tuple[KeyedRows, np.ndarray | None]:
    """Return rows as keys learn them, and their times; raise `Refused` if something does not fit.

    Parameters
    ----------
    rows : Rows
        What a request brings.
    settings : dict
        Of the state folder.
    learner : KeyedLearner
        Knows what the columns hold.
    labelled : bool
        Whether they are to be learned, and need labels, and times where keys expire by these.
    """
    key, target, time = (settings[name] for name in ("key", "target", "time"))
    there, kinds = [*rows.columns], learner.kinds or {}
    needed = {key: "the keys", **({target: "the labels"} if labelled else {})}
    if labelled and time is not None:
        needed[time] = "times"
    try:
        for name, what in needed.items():
            check_column(name, there, what, "the request")
        _check_columns(there, kinds, (key, target))
        table = {name: values for name, values in rows.columns.items() if name in kinds}
        labels = rows.columns[target] if labelled else None
        found = learner.read(table, rows.columns[key], labels)
    except ValueError as problem:
        raise Refused(422, str(problem)) from None
    times = None
    if labelled and time is not None:
        times = read_times(rows.columns[time], time, found.bad)
    if found.bad:
        i = min(found.bad)
        raise Refused(422, f"row {i}: {found.bad[i]}")
    return found, times


def _check_columns(there: list[str], kinds: Mapping[str, str], roles: tuple[str, ...]) -> None:
    """Raise ValueError if a column is unknown, or one that is learned from is not there."""
    for name in there:
        if name not in kinds and name not in roles:
            known = [each for each, kind in kinds.items() if kind != "drop"]
            near = meant(name, known) or f"; it has {', '.join(map(repr, known[:20]))}"
            raise ValueError(f"the model knows no column {name!r}{near}")
    for name, kind in kinds.items():
        if kind != "drop" and name not in there:
            raise ValueError(
                f"the rows have no column {name!r}: write null where a value is missing"
            )
