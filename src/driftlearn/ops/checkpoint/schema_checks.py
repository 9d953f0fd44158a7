"""Comparison of tables with the columns and the history of a saved model."""

from __future__ import annotations

from dataclasses import replace

from driftlearn.ops.checkpoint import inputs
from driftlearn.ops.checkpoint.saved_model import SavedModel
from driftlearn.preprocessing._knowledge import SchemaChange
from driftlearn.preprocessing._table_check import FACTOR, History, histories, table_changes
from driftlearn.tables.frames import frame_of


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
