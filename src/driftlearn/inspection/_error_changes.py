"""Changes of the error of a model over time, and its recovery."""

from __future__ import annotations

from typing import Any

import numpy as np

from driftlearn.evaluate import metrics
from driftlearn.inspection._segments import changes_of

#: The smallest change of the error that is reported; users notice about three points.
LEAST = 0.03
#: The level of all tests together. It is low because chi-square tests reject too often when a span
#: has few errors.
ALPHA = 0.01


def error_changes(record: Any) -> list[dict[str, Any]]:
    """Return the changes of the error in a record, oldest first.

    The spans of the record are divided where the share of correct predictions changes, by the
    chi-square tests that are used for features. After a rise, the model has recovered in the first
    span with an error less than three points above the error before the rise.

    Parameters
    ----------
    record : object
        Any object with ``span`` and the counts ``tested`` and ``right`` in each span.

    Returns
    -------
    list of dict
        ``after``, the number of rows before the change; the error ``before`` and ``since``; and
        ``recovered``, the number of further rows until recovery, or None if the model has not
        recovered or the error fell.
    """
    right, tested = np.asarray(record.right), np.asarray(record.tested)
    counts = np.stack([right, tested - right], axis=1)
    found = []
    for change in changes_of(counts, ALPHA / max(len(counts), 1), LEAST, fewest=0):
        before = float(change.before[1] / change.before.sum())
        since = float(change.after[1] / change.after.sum())
        errors = metrics.ratio(counts[change.split :, 1], tested[change.split :])
        good = np.flatnonzero(errors < before + LEAST)
        recovered = int(good[0]) * int(record.span) if since > before and len(good) else None
        after = change.split * int(record.span)
        found.append({"after": after, "before": before, "since": since, "recovered": recovered})
    return found
