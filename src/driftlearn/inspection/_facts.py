"""Tables of a model: members, accuracy, features, recall, calibration, events."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from driftlearn.inspection._voices import members_of
from driftlearn.utils.table import Table
from driftlearn.utils.typing import Ints

BINS = 10  # of confidence
MILLIONTHS = 1_000_000  # of which sums of confidences are made, as in the record of a kept model


def member_table(learner: Any, record: Any) -> Table:
    """Return the members, heaviest first; with a record, where and when each was born."""
    members = members_of(learner)
    columns: dict[str, Any] = {name: members[name] for name in members.columns}
    if record is not None and "created_at" in columns:
        where = [record.where(record.row_of(int(step))) for step in columns["created_at"]]
        new: dict[str, Any] = {}
        for name, values in columns.items():
            new[name] = values
            if name == "created_at":
                new["created in"] = [each["file"] for each in where]
                new["created at"] = [each["time"] for each in where]
        columns = new
    weights = np.nan_to_num(np.asarray(members["weight"], dtype=float))
    order = np.argsort(-weights, kind="stable")
    return Table({name: [values[k] for k in order] for name, values in columns.items()})


def accuracy_table(record: Any) -> Table:
    """Return for each span where it began, and the shares that were right."""
    found: Table = record.table()
    return found


def feature_table(features: Any, record: Any) -> Table | None:
    """Return which features changed, with file and time of the change."""
    if features is None:
        return None
    found: Table = features.drift()
    nowhere = {"file": None, "time": None}
    where = [nowhere if row is None else record.where(int(row)) for row in found["since"].tolist()]
    columns: dict[str, Any] = {}
    for name in found.columns:
        columns[name] = found[name]
        if name == "since":
            columns |= {key: [each[key] for each in where] for key in ("file", "time")}
    return Table(columns)


def recall_table(classes: Sequence[Any], seen: Ints, found: Ints) -> Table:
    """Return for each class how many rows there were, and the share that was found.

    Parameters
    ----------
    classes : sequence of labels
        The classes.
    seen, found : int arrays of shape (spans, classes)
        Rows of each class, and how many of these were right; the newest tenth of the spans, one
        at least, is *lately*.
    """
    n = max(1, len(seen) // 10)
    columns: dict[str, Any] = {"class": list(classes), "rows": seen.sum(axis=0)}
    for name, part in (("recall", slice(None)), ("lately", slice(-n, None))):
        rows, right = seen[part].sum(axis=0), found[part].sum(axis=0)
        columns[name] = np.where(rows > 0, right / np.maximum(rows, 1), np.nan)
    return Table(columns if len(seen) > 1 else {k: v for k, v in columns.items() if k != "lately"})


def recalls_of(classes: np.ndarray, said: np.ndarray, y: np.ndarray) -> tuple[Any, Ints, Ints]:
    """Return classes, rows of each and those that were right, for `recall_table`."""
    seen = np.array([[(y == label).sum() for label in classes]])
    found = np.array([[((y == label) & (said == label)).sum() for label in classes]])
    return classes.tolist(), seen, found


def calibration_of(classes: np.ndarray, probas: np.ndarray, y: np.ndarray) -> Ints:
    """Return rows, sums of confidences and right answers by bins of confidence."""
    sure = np.rint(probas.max(axis=1) * MILLIONTHS).astype(np.int64)
    right = classes[probas.argmax(axis=1)] == y
    bins = np.minimum(sure * BINS // MILLIONTHS, BINS - 1)
    counts = np.zeros((3, BINS), dtype=np.int64)
    np.add.at(counts[0], bins, 1)
    np.add.at(counts[1], bins, sure)
    np.add.at(counts[2], bins, right)
    return counts


def calibration_table(counts: Ints) -> tuple[Table, float | None]:
    """Return bins of confidence with its mean and the share that was right, and their distance.

    Parameters
    ----------
    counts : int array of shape (3, bins)
        Rows, the sum of confidences in millionths, and right answers in each bin.

    Returns
    -------
    table : Table
        A row for each bin that has rows.
    ece : float or None
        The expected calibration error: the mean distance of both, by the rows of the bins.
    """
    rows, sure, right = counts
    there = rows > 0
    mean, share = sure[there] / rows[there] / MILLIONTHS, right[there] / rows[there]
    low = np.flatnonzero(there) / BINS
    table = Table(
        {
            "confidence": [f"{each:.1f} to {each + 1 / BINS:.1f}" for each in low],
            "rows": rows[there],
            "mean confidence": mean,
            "share right": share,
        }
    )
    total = rows.sum()
    ece = float((rows[there] * abs(mean - share)).sum() / total) if total else None
    return table, ece


def event_table(events: Sequence[dict[str, Any]]) -> Table:
    """Return what happened, oldest first."""
    columns = ("after", "what", "text", "file", "row")
    return Table({name: [each.get(name) for each in events] for name in columns})
