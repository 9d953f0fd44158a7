"""Tables of an inspected model: members, features, recall, calibration, events."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from driftlearn.base.chunked import ChunkedClassifier
from driftlearn.evaluate import metrics
from driftlearn.inspection._changes import error_changes
from driftlearn.inspection._members import members_of
from driftlearn.inspection.drift_record import MOST_CLASSES, DriftRecord
from driftlearn.utils.arguments import Ints
from driftlearn.utils.table import Table

BINS = 10  # bins of confidence
# Steps and members of the history of weights; with more, lines are hardly distinguishable.
MOST_STEPS, MOST_MEMBERS = 200, 7
# Confidences are summed as integers, so that the sums do not depend on the order of the rows.
MILLIONTHS = 1_000_000


def member_table(learner: Any, record: Any) -> Table:
    """Return the members sorted by weight; with a record, also file and time of their creation."""
    members = members_of(learner)
    if record is not None and "created_at" in members.columns:
        rows = created_rows(learner, members, record)
        titles = {"file": "created in", "time": "created at"}
        members = _with_places(members, "created_at", rows, record, titles)
    weights = np.nan_to_num(np.asarray(members["weight"], dtype=float))
    order = np.argsort(-weights, kind="stable")
    return Table({name: [members[name][k] for k in order] for name in members.columns})


def history_table(learner: Any, members: Table, record: Any) -> Table | None:
    """Return the weights over time of the members with the largest ones; None if all are equal.

    The weights of a step are divided by the sum of their absolute values, since the scale of the
    weights of many ensembles differs from step to step, and stacked members may have negative ones.
    Steps that are chunks or rows of the record are shown as numbers of training rows.
    """
    history = getattr(learner, "history_", None)
    if history is None or not len(history) or "id" not in members.columns:
        return None
    steps, ids, weights = history.matrix()
    if not len(ids):
        return None
    kept = np.unique(np.linspace(0, len(steps) - 1, min(len(steps), MOST_STEPS)).astype(int))
    steps, weights = steps[kept], weights[:, kept]
    total = np.nansum(abs(weights), axis=0)
    shares = weights / np.where(total > 0, total, 1.0)
    if np.all(np.nanmax(shares, axis=0) == np.nanmin(shares, axis=0)):
        return None
    # A member that dominated before a drift matters as much as the heaviest one of today.
    size = np.nan_to_num(abs(shares))
    heaviest = np.argsort(-(size.max(axis=1) + size[:, -1]), kind="stable")[:MOST_MEMBERS]
    has_names = "name" in members.columns
    names = dict(zip(members["id"], members["name"])) if has_names else {}
    columns: dict[str, Any] = {"step": steps}
    if record is not None and 0 <= record.n_chunks - steps[-1] < history.stride:
        ends = [record.row_of(int(step) + 1) for step in steps if step < record.n_chunks]
        columns = {"row": [*ends, *[record.n_rows] * (len(steps) - len(ends))]}
    elif record is not None and 0 <= record.n_rows - steps[-1] < history.stride:
        columns = {"row": steps}
    for k in sorted(heaviest):
        columns[str(names.get(ids[k], f"member {ids[k]}"))] = shares[k]
    return Table(columns)


def created_rows(learner: Any, members: Table, record: Any) -> list[int]:
    """Return the number of training rows before the creation of each member."""
    steps = [int(step) for step in members["created_at"]]
    # other learners count rows, also if they are trained on chunks
    counts_chunks = isinstance(learner, ChunkedClassifier)
    return [record.row_of(step) for step in steps] if counts_chunks else steps


def created_spans(learner: Any, members: Table, saved: Any) -> list[int] | None:
    """Return the span in which each member was created, or None if members have no creation step.

    Members that were created in a file that is no longer known have span -1.
    """
    if "created_at" not in members.columns:
        return None
    rows = created_rows(learner, members, saved.record)
    places = [saved.record.where(row) for row in rows]
    return [
        -1 if each["file"] is None else saved.features.span_of(each["file"], each["row"])
        for each in places
    ]


def feature_table(features: Any, record: Any) -> Table | None:
    """Return a table of feature changes, with file and time of each change."""
    if features is None:
        return None
    found: Table = features.drift()
    rows = found["since"].tolist()
    origin = features if isinstance(features, DriftRecord) else record
    return _with_places(found, "since", rows, origin, {"file": "file", "time": "time"})


def change_table(saved: Any) -> Table:
    """Return the table of changes of the error, with file and time of each change."""
    changes, record = changes_of_error(saved), saved.record
    origin = saved.features if isinstance(saved.features, DriftRecord) else record
    for each in changes:
        each |= origin.where(each["after"])
        n = record.n_before(each["file"], each["row"]) if origin is saved.features else None
        each["training rows"] = each["after"] if n is None else n
    sizes = ("before", "since", "low", "high")
    columns = ("after", "file", "time", *sizes, "recovered", "cause", "training rows")
    return Table({name: [each[name] for each in changes] for name in columns})


def target_table(saved: Any) -> Table | None:
    """Return the table of changes of the shares of classes."""
    features = saved.features
    if not isinstance(features, DriftRecord):
        return None
    changes = [{**each, **features.where(each["after"])} for each in features.target_changes()]
    for each in changes:
        is_rest = each["code"] == MOST_CLASSES - 1 and len(saved.record.classes) > MOST_CLASSES
        each["class"] = "(others)" if is_rest else saved.record.classes[each["code"]]
    columns = ("after", "file", "time", "class", "before", "since", "low", "high")
    return Table({name: [each[name] for each in changes] for name in columns})


def changes_of_error(saved: Any) -> list[dict[str, Any]]:
    """Return the changes of the error of a saved model; see `error_changes`."""
    if isinstance(saved.features, DriftRecord):
        return saved.features.error_changes()
    record = saved.record
    right, tested = np.asarray(record.right), np.asarray(record.tested)
    starts = np.arange(len(right)) * record.span
    return error_changes(np.stack([right, tested - right], axis=1), starts)


def _with_places(
    table: Table, column: str, rows: Sequence[Any], record: Any, titles: Mapping[str, str]
) -> Table:
    """Insert columns with the files and times of rows (or None) after a column."""
    where = [{} if row is None else record.where(int(row)) for row in rows]
    columns: dict[str, Any] = {}
    for name in table.columns:
        columns[name] = table[name]
        if name == column:
            columns |= {new: [each.get(key) for each in where] for key, new in titles.items()}
    return Table(columns)


def recall_table(classes: Sequence[Any], seen: Ints, found: Ints) -> Table:
    """Return a table of rows and recall by class.

    Parameters
    ----------
    classes : sequence of labels
        The classes.
    seen, found : int arrays of shape (spans, classes)
        Number of rows of each class, and of correct predictions. The column "recent" covers the
        newest tenth of the spans, at least one span.
    """
    n = max(1, len(seen) // 10)
    columns: dict[str, Any] = {"class": list(classes), "rows": seen.sum(axis=0)}
    for name, part in (("recall", slice(None)), ("recent", slice(-n, None))):
        if name == "recall" or len(seen) > 1:
            columns[name] = metrics.ratio(found[part].sum(axis=0), seen[part].sum(axis=0))
    return Table(columns)


def recalls_of(
    classes: np.ndarray, predictions: np.ndarray, y: np.ndarray
) -> tuple[Any, Ints, Ints]:
    """Return the arguments of `recall_table`: classes, rows per class, correct predictions."""
    true = classes[:, None] == y
    right = true & (predictions == y)
    return classes.tolist(), true.sum(axis=1)[None], right.sum(axis=1)[None]


def calibration_of(confidence: np.ndarray, right: np.ndarray) -> Ints:
    """Return rows, sums of confidences in millionths and correct predictions by confidence bin.

    Parameters
    ----------
    confidence : float array of shape (rows,)
        The probabilities of the predicted classes.
    right : bool array of shape (rows,)
        Whether the predictions were correct.
    """
    sure = np.rint(confidence * MILLIONTHS).astype(np.int64)
    bins = np.minimum(sure * BINS // MILLIONTHS, BINS - 1)
    counts = np.zeros((3, BINS), dtype=np.int64)
    for sums, values in zip(counts, (1, sure, right)):
        np.add.at(sums, bins, values)
    return counts


def calibration_table(counts: Ints) -> tuple[Table, float | None]:
    """Return a calibration table and the expected calibration error.

    Parameters
    ----------
    counts : int array of shape (3, bins)
        Rows, sums of confidences in millionths, and correct predictions in each bin.

    Returns
    -------
    table : Table
        Mean confidence and share of correct predictions, with one row per nonempty bin.
    ece : float or None
        The expected calibration error: mean absolute difference of both columns, weighted by rows.
    """
    there = counts[0] > 0
    rows, sure, right = counts[:, there]
    mean, share = sure / rows / MILLIONTHS, right / rows
    low = np.flatnonzero(there) / BINS
    labels = [f"{each:.1f} to {each + 1 / BINS:.1f}" for each in low]
    ece = float((rows * abs(mean - share)).sum() / rows.sum()) if len(rows) else None
    table = {"confidence": labels, "rows": rows, "mean confidence": mean, "share right": share}
    return Table(table), ece


def event_table(events: Sequence[dict[str, Any]]) -> Table:
    """Return the table of events, oldest first."""
    columns = ("after", "kind", "text", "file", "row")
    return Table({name: [each.get(name) for each in events] for name in columns})
