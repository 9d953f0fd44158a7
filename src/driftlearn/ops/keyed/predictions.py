"""Predictions by the models of keys: for the rows of files, and before rows are learned."""

import csv
import io
import json
import os
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np

from driftlearn.ops.checkpoint import inputs, tables
from driftlearn.ops.checkpoint.predict import write_predictions, writer
from driftlearn.ops.keyed.key_store import KeyStore
from driftlearn.ops.keyed.keyed_learner import Predictions
from driftlearn.ops.keyed.keyed_models import KeyedModels
from driftlearn.ops.keyed.rows import Places, Rows, used
from driftlearn.ops.keyed.settings import STORE
from driftlearn.tables.files import Piece
from driftlearn.utils.safe_text import in_csv

COLUMNS = ("file", "row", "key", "label", "predicted", "votes")


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
    source = inputs.open_source(files, settings, skip=skip)
    source.check({})
    source.numbers = inputs.numeric_columns(kinds, (settings["target"], key, *passthrough))

    def predict(piece: Piece) -> dict[str, Any]:
        tables.check_known([*used(kinds)], [*piece.table], piece.path, folder)
        with tables.in_file(piece.path):
            table = tables.without(piece.table, settings["target"], key)
            found = models.predict(tables.column(piece.table, key), table)
        texts = {"predicted": found.labels, **({"votes": found.votes} if votes else {})}
        return {name: np.array([each or "" for each in values], dtype=object)
                for name, values in texts.items()}  # fmt: skip

    with writer(out) as write:
        copied = {key: "the keys", **dict.fromkeys(passthrough, "--passthrough")}
        n = write_predictions(source, {}, write, copied, predict)
        if not n:
            raise inputs.no_rows(files, "predict")
    return n


def open_models(folder: str | os.PathLike[str]) -> KeyedModels:
    """Return the models of a state folder for reading; raise ValueError if there are none."""
    models = KeyedModels(store=KeyStore(Path(folder, STORE), read_only=True))
    if models.learner.kinds is None:
        raise ValueError(f"{folder} has no trained models yet. Run 'driftlearn learn' first.")
    return models


def as_csv(lines: Iterable[Sequence[Any]]) -> bytes:
    """Return rows of values as CSV lines."""
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerows([in_csv(value) for value in line] for line in lines)
    return text.getvalue().encode()


class PredictionFile:
    """CSV file of the prediction for each row, made before it was learned.

    The store knows how many bytes of the file belong to its states. After a crash the file is
    truncated to this length.

    Parameters
    ----------
    path : str
        The file.
    store : KeyStore
        The store.
    """

    def __init__(self, path: str, store: KeyStore):
        if Path(path).suffix.lower() != ".csv":
            raise ValueError(f"Invalid --out {path!r}: expected a .csv file.")
        self._path = os.path.realpath(path)
        self._name = f"out:{self._path}"
        known = store.positions().get(self._name)
        if known is None:
            if os.path.exists(path) and os.path.getsize(path):
                raise ValueError(
                    f"--out {path} exists, and was not written with this state folder. Remove it, "
                    "or name another file."
                )
            store.put_positions({self._name: {"written": 0}})
            store.commit()
        done = 0 if known is None else int(known["written"])
        self._file = open(self._path, "a+b")  # noqa: SIM115
        size = self._file.seek(0, os.SEEK_END)
        if size < done:
            self._file.close()
            raise ValueError(
                f"--out {path} has {size:,} bytes, but {done:,} were written. Restore it, or name "
                "another file for new predictions."
            )
        self._file.truncate(done)
        self._size = done
        if not done:
            self._write([COLUMNS])

    def add(self, rows: Rows, predictions: Predictions, places: Places) -> None:
        """Write the predictions for rows, without malformed ones."""
        self._write(
            [*places[i], rows.keys[i], rows.labels[i], label, votes]
            for i, (label, votes) in enumerate(zip(*predictions))
            if i not in rows.bad
        )

    def _write(self, lines: Any) -> None:
        self._size += self._file.write(as_csv(lines))

    def sync(self) -> dict[str, Any]:
        """Write everything to disk; return the position of the file for the store."""
        self._file.flush()
        os.fsync(self._file.fileno())
        return {self._name: {"written": self._size}}

    def close(self) -> None:
        """Close the file."""
        with suppress(OSError):
            self._file.close()
