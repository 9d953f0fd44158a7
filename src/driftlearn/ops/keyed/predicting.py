"""Predictions for the rows of files by the models of keys."""

import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from driftlearn.ops.checkpoint.inputs import no_rows, numeric_columns, open_source
from driftlearn.ops.checkpoint.predict import write_predictions, writer
from driftlearn.ops.checkpoint.tables import check_known, column, in_file, without
from driftlearn.ops.keyed.key_store import KeyStore
from driftlearn.ops.keyed.keyed_models import KeyedModels
from driftlearn.ops.keyed.rows import used
from driftlearn.ops.keyed.settings import STORE
from driftlearn.tables.files import Piece


def predict_keyed(
    folder: str | os.PathLike[str],
    files: list[str],
    out: str,
    *,
    passthrough: Sequence[str] = (),
    votes: bool = True,
    skip: bool = False,
) -> int:
    """Write predictions for the rows of files; return the number of rows.

    Parameters
    ----------
    folder : path
        The state folder.
    files, out, passthrough, skip
        See `driftlearn.ops.checkpoint.predict.predict_files`.
    votes : bool
        Whether to write the model that decided each label: "own", "global" or "from KEY".
    """
    models = open_models(folder)
    settings = json.loads(models.store.about("settings") or b"{}")
    kinds, key = models.learner.known_kinds, settings["key"]
    source = open_source(files, settings, skip=skip)
    source.check({})
    source.numbers = numeric_columns(kinds, (settings["target"], key, *passthrough))

    def predict(piece: Piece) -> dict[str, Any]:
        check_known([*used(kinds)], [*piece.table], piece.path, folder)
        with in_file(piece.path):
            table = without(piece.table, settings["target"], key)
            found = models.predict(column(piece.table, key), table)
        texts = {"predicted": found.labels, **({"votes": found.votes} if votes else {})}
        return {name: np.array([each or "" for each in values], dtype=object)
                for name, values in texts.items()}  # fmt: skip

    with writer(out) as write:
        copied = {key: "the keys", **dict.fromkeys(passthrough, "--passthrough")}
        n = write_predictions(source, {}, write, copied, predict)
        if not n:
            raise no_rows(files, "predict")
    return n


def open_models(folder: str | os.PathLike[str]) -> KeyedModels:
    """Return the models of a state folder for reading; raise ValueError if there are none."""
    models = KeyedModels(store=KeyStore(Path(folder, STORE), read_only=True))
    if models.learner.kinds is None:
        raise ValueError(f"{folder} has no trained models yet. Run 'driftlearn learn' first.")
    return models
