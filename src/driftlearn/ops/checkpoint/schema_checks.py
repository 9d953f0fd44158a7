"""Comparison of tables with the columns and the history of a saved model."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import replace
from difflib import get_close_matches

import numpy as np

from driftlearn.ops.checkpoint import inputs
from driftlearn.ops.checkpoint.saved_model import SavedModel
from driftlearn.preprocessing._knowledge import SchemaChange, shown
from driftlearn.preprocessing._table_check import FACTOR, History, hint, histories, table_changes
from driftlearn.tables.csv_file import label_type
from driftlearn.tables.frames import frame_of
from driftlearn.tables.values import MAJORITY, names, numbers
from driftlearn.utils.table import objects

# A numeric label column is not one of classes if it has more than MOST_CLASSES values, or if more
# than SHARE of at least LEAST values are distinct.
MOST_CLASSES, SHARE, LEAST = 100, 0.5, 20
LISTED = 5  # number of labels in a message
# A column leaks the label if it alone predicts LEAK of at least LEAK_ROWS rows, whose most frequent
# label has at most LEAK_MAJORITY of them.
LEAK, LEAK_ROWS, LEAK_MAJORITY = 0.995, 200, 0.9


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
    # "40.10" is a number whose text is not that of a float; "00123" is a code.
    is_decimal = any("." in label for label in there) and not numbers(objects(there))[1]
    if is_decimal or label_type({*there}) is not str:
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
        more = f", did you mean {shown(folded[near[0]])}?" if near else ""
        texts.append(f"{shown(label)} ({n:,} row{'s' * (n > 1)}{more})")
    texts += ["..."] if len(new) > LISTED else []
    first = next(i for i, label in enumerate(labels) if label in new)
    count = sum(new.values())
    return [
        SchemaChange(name, "new label", file, row + first, ", ".join(texts), count, len(labels))
    ]


def key_changes(keys: Sequence[str | None], name: str, file: str, row: int) -> list[SchemaChange]:
    """Return the rows without a key, which are not learned."""
    gone = [i for i, key in enumerate(keys) if key is None]
    if not gone:
        return []
    return [SchemaChange(name, "no key", file, row + gone[0], "", len(gone), len(keys))]


def note_leaks(
    table: inputs.Columns,
    kinds: Mapping[str, str],
    labels: Sequence[str | None],
    note: Callable[[str], None],
) -> None:
    """Report the columns that alone predict nearly all labels."""
    there = np.array([label is not None for label in labels], dtype=bool)
    y = np.unique([label or "" for label in labels], return_inverse=True)[1][there]
    if len(y) < LEAK_ROWS or np.bincount(y).max() > LEAK_MAJORITY * len(y):
        return
    for name, kind in kinds.items():
        if kind not in ("number", "category"):
            continue
        values = inputs.column(table, name)
        found = _threshold(numbers(values)[0][there], y) if kind == "number" else _by_word(
            np.array([word or "" for word in names(values)])[there], y
        )  # fmt: skip
        if found >= LEAK:
            note(
                f"column {name!r} alone predicts {found:.1%} of {len(y):,} labels: if it is not "
                f"known before the label, omit it with --drop {name}"
            )


def _by_word(words: np.ndarray, y: np.ndarray) -> float:
    """Return the accuracy of the most frequent label of each word; 0 if words hardly repeat."""
    codes = np.unique(words, return_inverse=True)[1]
    if codes.max() >= len(y) / 10:
        return 0.0
    counts = np.zeros((codes.max() + 1, y.max() + 1))
    np.add.at(counts, (codes, y), 1)
    return float(counts.max(axis=1).sum() / len(y))


def _threshold(values: np.ndarray, y: np.ndarray) -> float:
    """Return the accuracy of the best threshold, with the most frequent label on each side."""
    order = np.argsort(values, kind="stable")  # missing values are last
    below = np.cumsum(np.eye(y.max() + 1)[y[order]], axis=0)
    right = below.max(axis=1) + (below[-1] - below).max(axis=1)
    ends = np.append(np.diff(values[order]) != 0, True)
    return float(right[ends].max() / len(y))


def note_formats(
    table: inputs.Columns,
    kinds: Mapping[str, str],
    stated: Container[str],
    note: Callable[[str], None],
) -> None:
    """Report the columns of words that are numbers or dates in another form."""
    for name, kind in kinds.items():
        words = inputs.texts(table, name) if kind == "category" and name not in stated else []
        some = [word for word in words if word is not None][:LEAK_ROWS]
        hints = Counter(hint("no number", word) for word in some)
        if some and hints.most_common(1)[0][1] >= MAJORITY * len(some) and hints[""] < len(some):
            text = hints.most_common(1)[0][0]
            note(f"column {name!r} is treated as a category, e.g. {shown(some[0])}: {text}")
