"""Tables of an inspected model: members, features, recall, calibration, events."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from driftlearn.inspection._members import members_of
from driftlearn.utils.table import Table
from driftlearn.utils.typing import Ints

BINS = 10  # of confidence
MILLIONTHS = 1_000_000  # confidences are summed as integers, so that results are exact


def member_table(learner: Any, record: Any) -> Table:
    """Return the members by weight; with a record, also the file and time of their creation."""
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


def feature_table(features: Any, record: Any) -> Table | None:
    """Return which features changed, with the file and time of the change."""
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
    """Return the number of rows of each class, and the share predicted correctly.

    Parameters
    ----------
    classes : sequence of labels
        The classes.
    seen, found : int arrays of shape (spans, classes)
        Rows of each class, and correct predictions among them. *Lately* is the newest tenth of
        the spans, at least one.
    """
    n = max(1, len(seen) // 10)
    columns: dict[str, Any] = {"class": list(classes), "rows": seen.sum(axis=0)}
    for name, part in (("recall", slice(None)), ("lately", slice(-n, None))):
        rows, right = seen[part].sum(axis=0), found[part].sum(axis=0)
        columns[name] = np.where(rows > 0, right / np.maximum(rows, 1), np.nan)
    return Table(columns if len(seen) > 1 else {k: v for k, v in columns.items() if k != "lately"})


def recalls_of(
    classes: np.ndarray, predictions: np.ndarray, y: np.ndarray
) -> tuple[Any, Ints, Ints]:
    """Return the arguments of `recall_table`: classes, rows of each, correct predictions."""
    seen = np.array([[(y == label).sum() for label in classes]])
    found = np.array([[((y == label) & (predictions == label)).sum() for label in classes]])
    return classes.tolist(), seen, found


def calibration_of(classes: np.ndarray, probas: np.ndarray, y: np.ndarray) -> Ints:
    """Return rows, sums of confidences and correct predictions by bins of confidence."""
    sure = np.rint(probas.max(axis=1) * MILLIONTHS).astype(np.int64)
    right = classes[probas.argmax(axis=1)] == y
    bins = np.minimum(sure * BINS // MILLIONTHS, BINS - 1)
    counts = np.zeros((3, BINS), dtype=np.int64)
    np.add.at(counts[0], bins, 1)
    np.add.at(counts[1], bins, sure)
    np.add.at(counts[2], bins, right)
    return counts


def calibration_table(counts: Ints) -> tuple[Table, float | None]:
    """Return mean confidence and share of correct predictions by bin, and their distance.

    Parameters
    ----------
    counts : int array of shape (3, bins)
        Rows, sums of confidences in millionths, and correct predictions in each bin.

    Returns
    -------
    table : Table
        A row for each nonempty bin.
    ece : float or None
        The expected calibration error: the mean distance of both, weighted by rows.
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
    """Return the events, oldest first."""
    columns = ("after", "kind", "text", "file", "row")
    return Table({name: [each.get(name) for each in events] for name in columns})
