"""State folder: saved model with settings, position and accuracy record; lock and log file."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from driftlearn import io as persist
from driftlearn.inspection.drift_record import DriftRecord
from driftlearn.inspection.feature_record import FeatureRecord
from driftlearn.inspection.importance_record import ImportanceRecord
from driftlearn.io import schema
from driftlearn.io.schema import Field, InvalidStateError, a, anything, list_of
from driftlearn.ops.checkpoint.chunks import parse_span
from driftlearn.ops.checkpoint.file_record import FileRecord
from driftlearn.ops.checkpoint.label_history import LabelHistory
from driftlearn.ops.checkpoint.predicted_file import PredictedFile
from driftlearn.ops.checkpoint.record import Predictions, Record
from driftlearn.preprocessing.pipeline import IncrementalPipeline
from driftlearn.tables.values import KINDS
from driftlearn.utils.locks import Locks

MODEL, LOG, LOCK = "model.npz", "log.jsonl", "model"
STORE = "keyed.sqlite"  # in state folders with a model per key
EVENTS = ("class", "schema_change", "broken")
FILE = "file"  # value of the settings ``chunk`` and ``protocol``
MAX_EVENTS = 500  # maximum number of stored events of each kind
COUNTS = ("read", "unlabelled", "broken", "late", "given up", "corrected", "held back")
#: Options that the state folder stores, with their defaults.
DEFAULTS: dict[str, Any] = {
    **dict.fromkeys(
        ("target", "chunk", "every", "time", "by", "labels", "label_time", "sep", "protocol")
    ),
    "on_schema_change": None,
    "new_label_rows": 5,
    "learner": "auto",
    "delay": 0,
    "wait": 100_000,
    "encoding": "utf-8",
    "missing": [],
    "kinds": {},
}
CHANGEABLE = ("on_schema_change", "new_label_rows")  # options that a later run may change


class WaitingRows:
    """Queue of predicted rows that wait for their labels or their training.

    Attributes
    ----------
    X : ndarray of shape (n, d)
        The encoded rows.
    tags : list of str
        Label of each row if training is delayed, otherwise the key of its label.
    predicted : ndarray of shape (n,)
        Predicted classes, as positions in the classes of the record; -1 without a prediction.
    confidence : ndarray of shape (n,)
        Probabilities of the predicted classes.
    locations : list of [file, row, time]
        Origin of each row.
    early_labels : dict of str to str
        Labels that arrived before their rows, by key.
    """

    STATE: ClassVar[dict[str, Field]] = {
        "X": schema.floats("n", "d", finite=False),
        "tags": list_of(schema.word(), "n"),
        "predicted": schema.integers("n", least=-1),
        "confidence": schema.floats("n"),
        "locations": list_of(list_of(Field(lambda value, _: None)), "n"),
        "early_labels": schema.dict_of(schema.word()),
    }

    def __init__(self) -> None:
        self.X = np.zeros((0, 0))
        self.tags: list[str] = []
        self.predicted = np.zeros(0, dtype=np.int64)
        self.confidence = np.zeros(0)
        self.locations: list[list[Any]] = []
        self.early_labels: dict[str, str] = {}

    @staticmethod
    def check_state(state: dict[str, Any]) -> None:
        """Raise ValueError unless every location consists of a file, a row and a time."""
        for location in state["locations"]:
            if len(location) != 3 or not isinstance(location[1], int):
                raise InvalidStateError("WaitingRows: a location must be [file, row, time]")

    def __len__(self) -> int:
        return len(self.tags)

    @property
    def predictions(self) -> Predictions:
        """Predictions of all rows."""
        return Predictions(self.predicted, self.confidence)

    def add(
        self, X: np.ndarray, tags: list[str], predictions: Predictions, locations: list[list[Any]]
    ) -> None:
        """Append rows."""
        self.X = np.concatenate([self.X, X]) if len(self.X) else X.copy()
        self.tags = [*self.tags, *tags]
        self.predicted = np.concatenate([self.predicted, predictions.codes])
        self.confidence = np.concatenate([self.confidence, predictions.confidence])
        self.locations = [*self.locations, *locations]

    def pop(self, rows: np.ndarray) -> WaitingRows:
        """Remove rows by position; return them in the order of the positions."""
        popped, rest = WaitingRows(), np.delete(np.arange(len(self)), rows)
        for name in ("X", "predicted", "confidence"):
            values = getattr(self, name)
            setattr(popped, name, values[rows])
            setattr(self, name, values[rest])
        for name in ("tags", "locations"):
            items = getattr(self, name)
            setattr(popped, name, [items[i] for i in rows.tolist()])
            setattr(self, name, [items[i] for i in rest.tolist()])
        return popped


class SavedModel:
    """Model in a state folder: the pipeline, its input positions and its accuracy record.

    The model is stored in one file, ``model.npz`` in the state folder, which is replaced
    atomically. Model and positions are therefore always consistent: after a crash, no row is lost
    or used twice. The file contains no timestamps, so an interrupted and resumed run ends with the
    same bytes as an uninterrupted run.

    Parameters
    ----------
    model : IncrementalPipeline
        A `TableEncoder` and a learner.
    settings : dict
        The settings of `driftlearn learn` that must not change between runs.

    Attributes
    ----------
    model : IncrementalPipeline
        The pipeline.
    settings : dict
        ``target``, ``learner`` (as a string), ``chunk``, ``every``, ``time``, ``delay`` and so on.
    position : dict
        Positions up to which ``files`` and ``labels`` (from a separate file) were read, by path;
        see `driftlearn.ops.sources`.
    record : Record
        Accuracy over time, and the origin of the training rows.
    events : list of dict
        The newest 500 events of each kind: ``kind`` ("class": a new label, "schema_change": a
        value or column that does not match earlier rows, "broken": a line that cannot be parsed),
        ``text``, ``file``, ``row`` in the file, and, if known, ``after``, the number of training
        rows before the event.
    features : DriftRecord, FeatureRecord or None
        Columns, labels and errors of the rows that arrived; state folders of older versions only
        have the columns.
    importances : ImportanceRecord
        Importances of columns over time, if the model is trained on chunks.
    waiting : WaitingRows
        Predicted rows that wait for their labels.
    files : FileRecord
        Scores of files, if files are chunks.
    predicted : list of PredictedFile
        Predicted files that wait for their labels, if files are chunks.
    label_history : LabelHistory
        Labels that become known later, and those of learned rows, if labels are in separate files.
    version : int
        Number of the version; see `driftlearn.ops.checkpoint.versions`.
    counts : dict of str to int
        Number of ``read`` rows, ``unlabelled`` rows, ``broken`` lines, ``late`` rows (their time
        span had ended), ``given up`` rows (their labels never arrived) and ``corrected`` labels
        (they differ from those with which their rows were learned), and rows ``held back``
        (their label was new and rare).
    held_back : dict of str to int
        Labels that were not learned yet, and how many rows had them.

    Examples
    --------
    After ``driftlearn learn days/ --target label --state model/``::

        saved = SavedModel.open("model/")
        saved.model.predict(table)
        saved.record.accuracy()
    """

    STATE: ClassVar[dict[str, Field]] = {
        "model": a(IncrementalPipeline),
        "settings": a(dict),
        "position": a(dict),
        "record": a(Record),
        "events": list_of(anything()),
        "features": schema.optional(a(DriftRecord, FeatureRecord), needed=True),
        "importances": schema.newer(a(ImportanceRecord)),
        "waiting": a(WaitingRows),
        "files": schema.newer(a(FileRecord)),
        "predicted": schema.newer(list_of(a(PredictedFile))),
        "label_history": schema.newer(a(LabelHistory)),
        "version": schema.newer(schema.integer(1)),
        "counts": a(dict),
        "held_back": schema.newer(schema.dict_of(schema.integer(1))),
    }

    # Defaults for state folders of early versions, whose protocol does not use them.
    importances = ImportanceRecord()
    files = FileRecord()
    predicted: list[PredictedFile] = []
    held_back: dict[str, int] = {}
    version = 1

    def __init__(self, model: IncrementalPipeline, settings: dict[str, Any]):
        self.model = model
        self.settings = settings
        self.position: dict[str, Any] = {"files": {}, "labels": {}}
        self.record = Record()
        self.events: list[dict[str, Any]] = []
        has_times = settings["time"] is not None
        self.features: DriftRecord | FeatureRecord | None = DriftRecord(has_times)
        self.importances = ImportanceRecord()
        self.waiting = WaitingRows()
        self.files = FileRecord()
        self.predicted = []
        self.label_history = LabelHistory()
        self.version = 1
        self.counts = dict.fromkeys(COUNTS, 0)
        self.held_back = {}

    @classmethod
    def open(cls, folder: str | os.PathLike[str], *, allow: str | Iterable[str] = ()) -> SavedModel:
        """Return the saved model of a state folder, even if another process is updating it.

        Parameters
        ----------
        folder : path
            The state folder.
        allow : str or iterable of str
            Packages whose classes may be loaded; see `driftlearn.io.load`.
        """
        path = Path(folder, MODEL)
        if not path.is_file():
            hint = f"'driftlearn learn FILES --target COLUMN --state {folder}'"
            raise FileNotFoundError(f"There is no saved model in {folder}. Create one with {hint}.")
        saved = persist.load(path, allow=allow)
        if not isinstance(saved, cls):
            raise ValueError(f"{path} contains a {type(saved).__name__}, not a saved model.")
        saved.counts = {**dict.fromkeys(COUNTS, 0), **saved.counts}
        if not hasattr(saved, "label_history"):  # a folder of an earlier version
            saved.label_history = LabelHistory()
        if not saved.importances.after:  # the default of an earlier version is shared
            saved.importances = ImportanceRecord()
        return saved

    def save(self, folder: str | os.PathLike[str], *, allow: str | Iterable[str] = ()) -> None:
        """Replace the file in a state folder atomically."""
        persist.save(self, Path(folder, MODEL), allow=allow)

    @property
    def n_waiting(self) -> int:
        """Number of predicted rows that wait for their labels or for the end of their chunk."""
        return len(self.waiting) + sum(map(len, self.predicted))

    @property
    def encoder(self) -> Any:
        """The first step of the pipeline."""
        return self.model.steps_[0][1]

    @property
    def learner(self) -> Any:
        """The last step of the pipeline."""
        return self.model.steps_[-1][1]

    def score(self, y: np.ndarray, predictions: Predictions, locations: Any,
              known: tuple[int, int] | None = None) -> None:  # fmt: skip
        """Record labels and prequential predictions of rows; see `Record.update`."""
        self.record.update(y, predictions, locations, known)
        if isinstance(self.features, DriftRecord) and len(y):
            self.features.score(locations, y, *predictions)

    def add_event(self, kind: str, text: str, file: str | None = None, row: int | None = None,
                  after: int | None = None) -> None:  # fmt: skip
        """Record an event; the oldest event of this kind is dropped above the limit."""
        event = {"kind": kind, "text": text, "file": file, "row": row, "after": after}
        events = [*self.events, event]
        # Sorted by kind, since the order of events of different kinds depends on how rows are
        # sliced.
        self.events = [
            each
            for kind in EVENTS
            for each in [one for one in events if one["kind"] == kind][-MAX_EVENTS:]
        ]


def has_file_chunks(settings: dict[str, Any]) -> bool:
    """Return whether a file is predicted before its labels are known, then learned as a whole.

    State folders of older versions lack the setting and keep their protocol: rows that are learned
    one by one, or files whose delay is counted in rows.
    """
    return settings.get("protocol") == FILE


def is_keyed(folder: str | os.PathLike[str]) -> bool:
    """Return whether a state folder contains keyed models (one model per key)."""
    return Path(folder, STORE).is_file()


@contextmanager
def locked_folder(folder: Path) -> Iterator[None]:
    """Lock a state folder for this process; raise ValueError if another process holds it."""
    with Locks(folder) as locks:
        if not locks.take(LOCK):
            hint = "Wait until it has finished, or use a different --state folder."
            raise ValueError(f"{folder} is in use by process {locks.owner(LOCK)}. {hint}")
        yield


def log_event(folder: Path, event: str, **more: Any) -> None:
    """Append a line to the log file, which the library never reads."""
    when = time.strftime("%Y-%m-%dT%H:%M:%S%z")
    line = json.dumps({"time": when, "event": event, **more})
    with suppress(OSError), open(folder / LOG, "a", encoding="utf-8") as file:
        file.write(line + "\n")


def new_settings(given: dict[str, Any], folder: Path, from_files: bool) -> dict[str, Any]:
    """Return the settings of a new model; raise ValueError if they are inconsistent.

    By default a file is a chunk; rows that do not come `from_files` are learned one by one, as with
    a chunk of 1 row.
    """
    found = {**DEFAULTS, **{key: value for key, value in given.items() if value is not None}}
    if found["target"] is None:
        hint = "Name the label column, e.g. --target label."
        raise ValueError(f"There is no saved model in {folder} yet. {hint}")
    if found["every"] is not None:
        parse_span(found["every"])
        if found["time"] is None:
            raise ValueError("--every requires a time column: add --time COLUMN.")
        if found["chunk"] is not None:
            raise ValueError("--chunk and --every cannot be combined. Use one of them.")
    elif found["chunk"] is None and from_files:
        found["chunk"] = FILE
    found["chunk"] = None if found["chunk"] == 1 else found["chunk"]
    found["protocol"] = FILE if found["chunk"] == FILE else None
    if found["by"] is not None and found["delay"] and not has_file_chunks(found):
        hint = "Use one of them, or let files be chunks (omit --chunk and --every)."
        raise ValueError(f"--delay and --labels cannot be combined with chunks of rows. {hint}")
    if found["label_time"] is not None:
        is_named = found["label_time"] == FILE
        if not has_file_chunks(found):
            raise ValueError("--label-time requires files as chunks: omit --chunk and --every.")
        if is_named and found["by"] is None:
            raise ValueError("--label-time file requires --labels WHERE and --by KEY.")
        if not is_named and found["time"] is None:
            raise ValueError(
                "--label-time requires the time column of the rows: add --time COLUMN."
            )
    for name, kind in found["kinds"].items():
        if kind not in (*KINDS[:-1], "drop"):
            kinds = "number, boolean, category or date, or drop to omit the column"
            raise ValueError(f"Invalid --kind {name}={kind}: the kind of a column is {kinds}.")
    return found


def checked_settings(known: dict[str, Any], given: dict[str, Any], folder: Path) -> dict[str, Any]:
    """Return the settings of a saved model; raise ValueError if an option differs from them.

    Options that may change are stored in the settings, in place.
    """
    known |= {key: given[key] for key in CHANGEABLE if given.get(key) is not None}
    for key, value in given.items():
        was = known.get(key)
        is_row = key == "chunk" and value == 1 and was is None and known.get("every") is None
        if value is None or value == was or is_row:
            continue
        if key == "labels":  # the files may be moved
            known = {**known, key: value}
            continue
        names = {"kinds": "--kind and --drop", "missing": "--na", "label_time": "--label-time"}
        option = names.get(key, f"--{key}")
        shown = "without it" if was in (None, [], {}, 0) else f"with {was!r}"
        hint = "Omit the option, or use a different --state folder."
        raise ValueError(f"{option} cannot be {value!r}: {folder} was created {shown}. {hint}")
    return known
