"""Comparison of tables with the columns and the history of a saved model."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from difflib import get_close_matches

from driftlearn.ops.checkpoint import inputs
from driftlearn.ops.checkpoint.saved_model import SavedModel
from driftlearn.preprocessing._knowledge import SchemaChange, shown
from driftlearn.preprocessing._table_check import FACTOR, History, histories, table_changes
from driftlearn.tables.csv_file import label_type
from driftlearn.tables.frames import frame_of

# A numeric label column is not one of classes if it has more than MOST_CLASSES values, or if more
# than SHARE of at least LEAST values are distinct.
MOST_CLASSES, SHARE, LEAST = 100, 0.5, 20
LISTED = 5  # number of labels in a message


def known_columns(saved: SavedModel) -> tuple[list[History], list[str]]:
    """Return the history of the columns that a model uses, and the columns that it ignores."""
    encoder = saved.encoder
    if not hasattr(encoder, "known_"):
        kinds = {name: kind for name, kind in encoder.kinds.items() if kind != "drop"}
        ignored = [name for name in encoder.kinds if name not in kinds]
        return [History(name, kind) for name, kind in kinds.items()], ignored
    known, record = histories(encoder.known_), saved.features
    used = {each.name for each in known}
    ignored = [name for name in encoder.feature_names_in_.tolist() if name not in used]
    if record is None:
        return known, ignored
    found = []
    for each in known:
        if each.center is not None and each.name in record.kinds:
            quartiles = record.quartiles(each.name)
            if quartiles is None:
                each = replace(each, center=None)
            else:
                low, center, high = quartiles
                spread = (high - low) / 1.349
                each = replace(each, center=center, spread=spread, factor=FACTOR)
        found.append(each)
    return found, ignored


def changes_of(
    saved: SavedModel,
    table: inputs.Columns,
    file: str | None = None,
    row: int = 0,
    known: tuple[list[History], list[str]] | None = None,
) -> list[SchemaChange]:
    """Return the differences between a table and the tables that a model was trained with.

    `known` is the result of `known_columns`, which is computed if it is not passed.
    """
    settings = saved.settings
    columns, ignored = known_columns(saved) if known is None else known
    features = inputs.without(table, settings["target"])
    return table_changes(columns, [*ignored, settings["by"]], frame_of(features), file, row)


def check_target(labels: Sequence[str | None], name: str, path: str) -> None:
    """Raise ValueError if the label column contains numbers rather than classes."""
    there = [label for label in labels if label is not None]
    n = len({*there})
    if n <= MOST_CLASSES and (len(there) < LEAST or n <= SHARE * len(there)):
        return
    if label_type({*there}) is not str:
        raise ValueError(
            f"{path}: column {name!r} has {n:,} distinct numeric values in {len(there):,} rows, "
            "but driftlearn predicts classes, not numbers. Choose another --target, or replace the "
            "numbers by classes such as low, middle and high."
        )


def label_changes(
    known: Sequence[str], labels: Sequence[str | None], name: str, file: str, row: int
) -> list[SchemaChange]:
    """Return the labels that are new, with the known labels that they resemble."""
    new = Counter(label for label in labels if label is not None and label not in {*known})
    if not known or not new:
        return []
    folded = {each.casefold().strip(): each for each in known}
    texts = []
    for label, n in [*new.items()][:LISTED]:
        near = get_close_matches(label.casefold().strip(), folded, n=1)
        hint = f", did you mean {shown(folded[near[0]])}?" if near else ""
        texts.append(f"{shown(label)} ({n:,} row{'s' * (n > 1)}{hint})")
    texts += ["..."] if len(new) > LISTED else []
    first = next(i for i, label in enumerate(labels) if label in new)
    count = sum(new.values())
    return [
        SchemaChange(name, "new label", file, row + first, ", ".join(texts), count, len(labels))
    ]


def key_changes(keys: Sequence[str | None], name: str, file: str, row: int) -> list[SchemaChange]:
    """Return the rows without a key, which cannot be joined with a label."""
    gone = [i for i, key in enumerate(keys) if key is None]
    if not gone:
        return []
    return [SchemaChange(name, "no key", file, row + gone[0], "", len(gone), len(keys))]
