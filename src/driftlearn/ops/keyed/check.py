"""Comparison of files with a state folder of keyed models."""

import json
import os
from collections.abc import Sequence
from typing import Any

from driftlearn.ops.checkpoint.check import compare_files
from driftlearn.ops.keyed.new_labels import Labels
from driftlearn.ops.keyed.predictions import open_models
from driftlearn.ops.keyed.reader import known_columns, learning_changes
from driftlearn.preprocessing._table_check import SchemaReport
from driftlearn.tables.files import Piece


def check_keyed(
    folder: str | os.PathLike[str],
    files: Sequence[str],
    *,
    policy: str | None = None,
    skip: bool = False,
) -> dict[str, Any]:
    """Compare files with the data that keyed models were trained with; nothing is changed.

    Keyed models store no distributions, so the drift of every file is empty.

    Parameters
    ----------
    folder : path
        The state folder of keyed models.
    files, policy, skip
        See `driftlearn.ops.checkpoint.check.check_files`.

    Returns
    -------
    dict
        See `driftlearn.ops.checkpoint.check.check_files`.
    """
    models = open_models(folder)
    settings, learner = json.loads(models.store.about("settings") or b"{}"), models.learner
    known, kinds = known_columns(learner), learner.known_kinds
    labels, target = Labels.stored(models.store, settings, learner), settings["target"]

    def checked(pieces: list[Piece]) -> dict[str, Any]:
        report = SchemaReport("warn")
        for piece in pieces:
            found = learning_changes(known, labels, piece, settings, kinds)
            if target not in piece.table:  # files to predict have no labels
                found = [each for each in found if each.column != target]
            report.add(found)
        return {
            "file": pieces[0].file,
            "rows": sum(piece.n_rows for piece in pieces),
            "changes": report.to_dict()["changes"],
            "drift": [],
        }

    try:
        return compare_files(folder, files, kinds, checked, settings, policy, skip)
    finally:
        models.store.close()
