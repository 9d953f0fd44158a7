"""What the models of keys say of the rows of files, written at one stroke."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from driftlearn.ops.checkpoint.predicting import writer
from driftlearn.ops.checkpoint.tables import (
    check_column,
    check_known,
    column,
    columns_of,
    in_file,
    without,
)
from driftlearn.ops.keyed.key_store import KeyStore
from driftlearn.ops.keyed.keyed_models import KeyedModels
from driftlearn.ops.keyed.settings import STORE
from driftlearn.ops.sources.source import source_of


def predict_keyed(
    folder: str | os.PathLike[str],
    files: list[str],
    out: str,
    *,
    keep: Sequence[str] = (),
    voters: bool = True,
    skip: bool = False,
) -> int:
    """Write predictions for the rows of files; return how many there are.

    Parameters
    ----------
    folder : path
        The state folder.
    files, out, keep, skip
        As in `driftlearn.ops.checkpoint.predicting.predict_files`.
    voters : bool
        Whether to tell whose model it was.
    """
    store = KeyStore(Path(folder, STORE), to_read=True)
    settings = json.loads(store.about("settings") or b"{}")
    models = KeyedModels(store=store)
    kinds = models.learner.kinds
    if kinds is None:
        raise ValueError(f"nothing was learned in {folder} yet: driftlearn learn does")
    form = {name: settings[name] for name in ("sep", "encoding", "missing")}
    source = source_of(files, skip=skip, **form)
    source.check({})
    known = [name for name, kind in kinds.items() if kind != "drop"]
    passed = {settings["target"], settings["key"], *keep}
    source.numbers = {name for name, kind in kinds.items() if kind == "number"} - passed
    n = 0
    with writer(out) as write:
        for piece in source.pieces({}):
            if not piece.n_rows:
                continue
            there = columns_of(piece.table)
            check_column(settings["key"], there, "the keys", piece.path)
            check_known(known, there, piece.path, folder)
            said: dict[str, Any] = {settings["key"]: column(piece.table, settings["key"])}
            for name in keep:
                check_column(name, there, "--keep", piece.path)
                if name in ("predicted", "who"):
                    raise ValueError(
                        f"--keep {name}: predictions have a column of that name; rename yours"
                    )
                said[name] = column(piece.table, name)
            with in_file(piece.path):
                table = without(without(piece.table, settings["target"]), settings["key"])
                answers = models.predict(said[settings["key"]], table)
            said["predicted"] = _texts(answers.labels)
            if voters:
                said["who"] = _texts(answers.who)
            write(said, piece)
            n += piece.n_rows
        if not n:
            raise ValueError(f"there are no rows in {', '.join(files)}: nothing to predict")
    return n


def _texts(values: list[str | None]) -> np.ndarray:
    """Return texts, empty where there is none."""
    return np.array(["" if value is None else value for value in values], dtype=object)
