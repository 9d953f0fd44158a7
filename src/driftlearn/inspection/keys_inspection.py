"""Inspection of one model per key as tables."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from driftlearn.inspection.inspection import Inspection
from driftlearn.utils.table import Table

TITLES = {
    "drifting": "Drifting keys",
    "worst": "Keys with the lowest accuracy",
    "predictions": "Sources of predictions",
    "ages": "Sources of predictions by rows of the key",
    "pool": "Shared models",
    "sizes": "Sizes of states",
    "rows": "Rows of keys",
    "importances": "Feature importances of the global model",
    "reasons": "Reasons for quarantine",
    "quarantined": "Quarantined rows",
    "expired": "Expired keys",
    "accuracies": "Accuracy over keys",
    "accuracy": "Accuracy over the stream",
}


class KeysInspection(Inspection):
    """The keys of a state folder: drift, accuracy, and sources of predictions.

    Attributes
    ----------
    title : str
        The learner of keys.
    facts : dict
        Numbers: keys, rows, accuracies, bytes.
    sentences : list of str
        The most important facts in words.
    tables : dict of str to Table
        accuracy, drifting, worst, accuracies, predictions, ages, pool, sizes, rows,
        importances, quarantined, reasons, expired; unknown ones are missing.
    """

    titles: ClassVar[dict[str, str]] = TITLES
    newest: ClassVar[tuple[str, ...]] = ("accuracy", "quarantined", "expired")

    def __init__(self, title: str, facts: dict[str, Any], tables: Mapping[str, Table | None]):
        super().__init__(title, facts, tables, sentences_of(facts))


def sentences_of(facts: dict[str, Any]) -> list[str]:
    """Return the most important facts in words."""
    counts, right = facts["counts"], facts["accuracy"]
    found = [f"{facts['keys']:,} keys have learned {counts['learned']:,} rows."]
    if right["predictions"] is not None:
        beside = ""
        if right["global"] is not None:
            beside = f"; of the global model alone: {right['global']:.4f}"
        found.append(f"Accuracy: {right['predictions']:.4f}{beside}.")
    keys = facts["accuracy of keys"]
    if keys["keys"]:
        found.append(
            f"Accuracy of {keys['keys']:,} keys with at least {keys['least']} predictions: median "
            f"{keys['median']:.3f}; at most {keys['worst tenth']:.3f} for the worst tenth."
        )
    drifting = facts["drifting"]
    found.append(
        f"The error of {drifting['keys']:,} keys changed within their last {drifting['within']} "
        f"rows; it increased for {drifting['worse']:,} of them."
    )
    sources = {name: share for name, share in facts["predictions"].items() if share}
    if sources:
        shares = ", ".join(f"{name} {share:.1%}" for name, share in sources.items())
        found.append(f"Sources of predictions: {shares}.")
    size = facts["bytes"]
    if facts["keys"]:
        found.append(
            f"States: {size['mean']:,.0f} bytes on average, {size['largest']:,} at most, "
            f"{size['all'] / 1e6:,.1f} MB in total."
        )
    if counts["quarantined"]:
        found.append(f"{counts['quarantined']:,} rows were quarantined.")
    if counts["expired"]:
        found.append(f"{counts['expired']:,} idle keys have expired.")
    return found
