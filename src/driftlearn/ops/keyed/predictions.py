"""Prediction files of keyed models: predictions for new files, and prequential predictions."""

import json
import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np

from driftlearn.ops.checkpoint import inputs
from driftlearn.ops.checkpoint.predict import write_predictions
from driftlearn.ops.checkpoint.progress import Progress
from driftlearn.ops.checkpoint.saved_model import STORE
from driftlearn.ops.keyed import KeyedLearner, KeyedModels, KeyStore, Predictions
from driftlearn.ops.keyed.reader import changes_of, is_strict, known_columns
from driftlearn.ops.keyed.rows import Places, Rows, used
from driftlearn.ops.sinks.sink import plain
from driftlearn.preprocessing._knowledge import SchemaChange
from driftlearn.preprocessing._table_check import SchemaReport
from driftlearn.tables.csv_file import typed_labels
from driftlearn.utils.safe_text import csv_lines, printable
from driftlearn.utils.table import objects

SHOWN = 5  # damaged keys named in a message
COLUMNS = ("file", "row", "key", "label", "predicted", "votes")


def predict_keyed(
    folder: str | os.PathLike[str],
    files: list[str],
    out: str,
    *,
    passthrough: Sequence[str] = (),
    votes: bool = True,
    skip: bool = False,
    schema: SchemaReport | None = None,
    note: Callable[[str], None] = print,
    progress: Progress | None = None,
) -> int:
    """Write predictions for the rows of files; return the number of rows.

    Parameters
    ----------
    folder : path
        The state folder.
    files, out, passthrough, skip, schema, progress
        See `driftlearn.ops.checkpoint.predict.predict_files`.
    votes : bool
        Whether to write the model that contributed most to each label: "own", "global" or "from
        KEY".
    note : callable
        Called with messages about malformed rows, and about keys whose states are damaged.
    """
    models = open_models(folder)
    settings = json.loads(models.store.about("settings") or b"{}")
    key, target, strict = settings["key"], settings["target"], is_strict(settings)

    def predict(table: inputs.Columns) -> dict[str, Any]:
        features = inputs.without(table, target, key)
        rows = models.learner.read(features, inputs.column(table, key), strict=strict)
        reasons.extend(rows.bad.values())
        found = models.learner.predict_rows(rows, models.state, models.damaged)
        columns = {"predicted": _texts(found.labels)}
        for label in known_labels:
            p = found.probabilities.get(label, np.full(len(rows), np.nan))
            columns[f"p_{label}"] = p if is_parquet else objects(plain(p))
        return {**columns, **({"votes": _texts(found.votes)} if votes else {})}

    reasons: list[str] = []
    known_labels = [*labels_of(models.learner)]
    is_parquet = Path(out).suffix.lower() == ".parquet"
    copied = {key: "the keys", **dict.fromkeys(passthrough, "--passthrough")}
    kinds = used(models.learner.known_kinds)
    known, all_kinds = known_columns(models.learner), models.learner.known_kinds

    def compare(table: inputs.Columns, file: str, row: int) -> list[SchemaChange]:
        return changes_of(known, table, settings, all_kinds, file, row)

    schema = SchemaReport() if schema is None else schema
    n = write_predictions(
        folder, files, out, settings, kinds, copied, predict, skip, compare, schema, progress
    )
    if reasons:
        note(printable(f"{len(reasons):,} malformed rows were not predicted, the first because "
                       f"{reasons[0]}"))  # fmt: skip
    if models.damaged:
        note(damage_note(models.damaged))
    return n


def _texts(values: list[str | None]) -> np.ndarray:
    return np.array([each or "" for each in values], dtype=object)


def labels_of(learner: KeyedLearner) -> dict[str, Any]:
    """Return the labels of the global model by string; numbers if all labels can be converted."""
    return typed_labels(getattr(learner.shared.global_model, "classes_", ()))


def damage_note(damaged: Mapping[str, str]) -> str:
    """Return the message about keys whose states are damaged."""
    shown = "; ".join([*damaged.values()][:SHOWN])
    return printable(
        f"the states of {len(damaged):,} keys are damaged, and their rows are predicted by the "
        f"shared models. Restore the state folder from a copy. The first: {shown}"
    )


def open_models(folder: str | os.PathLike[str]) -> KeyedModels:
    """Open the models of a state folder for reading; raise ValueError if there are none."""
    models = KeyedModels(store=KeyStore(Path(folder, STORE), read_only=True))
    if models.learner.kinds is None:
        raise ValueError(f"{folder} has no trained models yet. Run 'driftlearn learn' first.")
    return models


class CsvFile:
    """CSV file of predictions to append to; on opening, it is truncated to `size` bytes.

    Parameters
    ----------
    path : path
        The file.
    size : int
        The size in bytes at the last save; 0 for a new file.
    """

    def __init__(self, path: str | os.PathLike[str], size: int):
        self._file = open(path, "a+b")  # noqa: SIM115
        self._file.truncate(size)
        self._size = size
        if not size:
            self.write(csv_lines([COLUMNS]))

    def write(self, lines: bytes) -> None:
        """Append lines."""
        self._size += self._file.write(lines)

    def sync(self) -> int:
        """Sync the file to disk; return the size in bytes."""
        self._file.flush()
        os.fsync(self._file.fileno())
        return self._size

    def close(self) -> None:
        """Close the file."""
        with suppress(OSError):
            self._file.close()


class PredictionFile(CsvFile):
    """CSV file of prequential predictions, one line per row.

    The store records how many bytes of the file are covered by its saved states. After a crash, the
    file is truncated to this length.

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
        path = os.path.realpath(path)
        self._name = f"out:{path}"
        size = os.path.getsize(path) if os.path.exists(path) else 0
        known = store.positions().get(self._name)
        if known is None:
            if size:
                raise ValueError(
                    f"--out {path} exists, but was not written with this --state folder. Remove "
                    "it, or use a different file."
                )
            known = {"written": 0}
            store.put_positions({self._name: known})
            store.commit()
        if size < known["written"]:
            raise ValueError(
                f"--out {path} has {size:,} bytes, fewer than the {known['written']:,} that were "
                "written. Restore it, or use a different file for new predictions."
            )
        super().__init__(path, known["written"])

    def add(self, rows: Rows, predictions: Predictions, places: Places) -> None:
        """Write the predictions for all rows that are not malformed."""
        self.write(csv_lines(
            [*places[i], rows.keys[i], rows.labels[i], label, votes]
            for i, (label, votes) in enumerate(zip(*predictions))
            if i not in rows.bad
        ))  # fmt: skip

    def position(self) -> dict[str, Any]:
        """Sync the file to disk; return its position for the store."""
        return {self._name: {"written": self.sync()}}
