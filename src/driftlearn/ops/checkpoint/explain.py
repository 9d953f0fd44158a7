"""Explanation of the predictions of a saved model for rows of a file."""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import closing

import numpy as np

from driftlearn.inspection.explained_columns import owners
from driftlearn.inspection.explanation import Explanation
from driftlearn.inspection.importance_record import ImportanceRecord, measured
from driftlearn.ops.checkpoint import inputs
from driftlearn.ops.checkpoint.saved_model import SavedModel
from driftlearn.tables.frames import frame_of


def explain_rows(
    saved: SavedModel,
    file: str,
    rows: Sequence[int],
    *,
    folder: str | os.PathLike[str],
    output: str = "probability",
    skip: bool = False,
) -> Explanation:
    """Return an explanation of the predictions for rows of a file.

    Parameters
    ----------
    saved : SavedModel
        The model.
    file : str
        The file; see `driftlearn.ops.sources.source_of`.
    rows : sequence of int
        Numbers of the rows in the file, counted from 0 without the header.
    folder : path
        The state folder, for error messages.
    output : {"probability", "log-odds"}
        See `driftlearn.inspection.Explanation`.
    skip : bool
        Whether to skip broken lines.
    """
    source = inputs.open_source([file], saved.settings, skip=skip)
    kinds, target = saved.encoder.kinds_, saved.settings["target"]
    found: dict[int, inputs.Columns] = {}
    n_rows = 0
    with closing(source):
        for piece in source.pieces({}):
            if not piece.n_rows:
                continue
            inputs.check_known([*kinds], [*piece.table], piece.path, folder)
            n_rows = piece.row + piece.n_rows
            for row in rows:
                if piece.row <= row < n_rows:
                    k = row - piece.row
                    found[row] = inputs.sliced(inputs.without(piece.table, target), k, k + 1)
            if len(found) == len({*rows}):
                break
    missing = [row for row in rows if row not in found]
    if missing:
        last = f"The last row is {n_rows - 1}." if n_rows else "It has no rows."
        raise ValueError(f"{file} has no row {missing[0]}. {last} Rows are counted from 0.")
    frames = [frame_of(found[row]) for row in rows]
    table = {
        name: np.concatenate([frame.columns[j].values for frame in frames])
        for j, name in enumerate(frames[0].names or ())
    }
    explanation = saved.model.explain(table, output=output)
    explanation.rows = [*rows]
    return explanation


def importances_of(saved: SavedModel) -> ImportanceRecord:
    """Return the importances over time; of a model without a record, only the current ones."""
    record, model = saved.importances, saved.model
    if not record.after and len(model.recent_.rows) > 1:
        record, encoder = ImportanceRecord(), saved.encoder
        found = measured(saved.learner.predict_proba, model.recent_.rows, owners(encoder))
        names = [each.name for each in encoder.known_.columns]
        record.add(names, found, saved.record.n_rows, None, None)
    if not record.after:
        raise ValueError(
            "The state folder was written by an earlier version, which did not store the rows that "
            "are needed. Learn another file first."
        )
    return record
