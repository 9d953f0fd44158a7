"""All that can be said about a model for each key, as tables."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from driftlearn.inspection.inspection import Inspection
from driftlearn.utils.table import Table

TITLES = {
    "drifting": "Which keys drift now",
    "worst": "Which keys are worst",
    "predictions": "Sources of predictions",
    "ages": "Sources of predictions by rows of the key",
    "pool": "Shared models",
    "sizes": "How large models are",
    "rows": "How many rows keys have",
    "importances": "What the global model looks at",
    "reasons": "Why rows were quarantined",
    "quarantined": "Quarantined rows",
    "expired": "Keys that were forgotten",
    "accuracies": "Accuracy over keys",
    "accuracy": "Accuracy over the stream",
}


class KeysInspection(Inspection):
    """What all keys of a state folder came to: who drifts, who is worst, who answers.

    Attributes
    ----------
    title : str
        The learner of keys.
    facts : dict
        Numbers: keys, rows, accuracies, bytes.
    sentences : list of str
        What matters, in words.
    tables : dict of str to Table
        accuracy, drifting, worst, accuracies, predictions, ages, pool, sizes, rows,
        importances, quarantined, reasons, expired; those of which nothing is known are not there.
    """

    titles: ClassVar[dict[str, str]] = TITLES
    newest: ClassVar[tuple[str, ...]] = ("accuracy", "quarantined", "expired")

    def __init__(self, title: str, facts: dict[str, Any], tables: Mapping[str, Table | None]):
        super().__init__(title, facts, tables, sentences_of(facts))


def sentences_of(facts: dict[str, Any]) -> list[str]:
    """Return what matters, in words."""
    counts, right = facts["counts"], facts["accuracy"]
    found = [f"{facts['keys']:,} keys have learned {counts['learned']:,} rows."]
    if right["predictions"] is not None:
        beside = ""
        if right["global"] is not None:
            beside = f"; the global model alone would have had {right['global']:.4f}"
        found.append(f"Right were {right['predictions']:.4f} of the answers{beside}.")
    keys = facts["accuracy of keys"]
    if keys["keys"]:
        found.append(
            f"Of {keys['keys']:,} keys with {keys['least']} answers or more, half have "
            f"{keys['median']:.3f} or less, a tenth {keys['worst tenth']:.3f} or less."
        )
    drifting = facts["drifting"]
    found.append(
        f"The errors of {drifting['keys']:,} keys changed within their last {drifting['within']} "
        f"rows, {drifting['worse']:,} of these for the worse."
    )
    heard = {name: share for name, share in facts["predictions"].items() if share}
    if heard:
        shares = ", ".join(f"{name} {share:.1%}" for name, share in heard.items())
        found.append(f"Who answered: {shares}.")
    size = facts["bytes"]
    if facts["keys"]:
        found.append(
            f"A state has {size['mean']:,.0f} bytes on average, the largest {size['largest']:,}, "
            f"all together {size['all'] / 1e6:,.1f} MB."
        )
    if counts["quarantined"]:
        found.append(f"{counts['quarantined']:,} rows were quarantined.")
    if counts["expired"]:
        found.append(f"{counts['expired']:,} keys were idle and are forgotten.")
    return found
