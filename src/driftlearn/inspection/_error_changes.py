"""When a model's error changed, and how soon it was as good as before."""

from __future__ import annotations

from typing import Any

import numpy as np

from driftlearn.inspection._segments import changes_of

#: The least change of the error that is told: three points are what people notice.
LEAST = 0.03
#: Of all tests together. Errors may be few a span, where chi-square says too much; hence so small.
ALPHA = 0.01


def error_changes(record: Any) -> list[dict[str, Any]]:
    """Return when the error in a record rose or fell, oldest first.

    Stretches of the record's spans are found whose shares of right answers differ from the
    others', by the chi-square tests that features are watched with. After a rise the model has
    recovered in the first span whose error is that before the rise, or less than three points
    above it.

    Parameters
    ----------
    record : object
        What has ``span``, and counts ``tested`` and ``right`` in each span.

    Returns
    -------
    list of dict
        ``after`` how many rows, the error ``before`` and ``since``, and ``recovered``, after how
        many further rows; None if it has not, or if the error fell.
    """
    right, tested = np.asarray(record.right), np.asarray(record.tested)
    counts = np.stack([right, tested - right], axis=1)
    found = []
    for change in changes_of(counts, ALPHA / max(len(counts), 1), LEAST, fewest=0):
        before = float(change.before[1] / change.before.sum())
        since = float(change.after[1] / change.after.sum())
        recovered = None
        if since > before:
            for k in range(change.split, len(counts)):
                if tested[k] and counts[k, 1] / tested[k] < before + LEAST:
                    recovered = (k - change.split) * int(record.span)
                    break
        found.append(
            {
                "after": change.split * int(record.span),
                "before": before,
                "since": since,
                "recovered": recovered,
            }
        )
    return found
