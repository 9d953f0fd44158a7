"""Snapshots of keyed models, and the saved states that they load."""

from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np

from driftlearn.ops.checkpoint.inputs import check_column
from driftlearn.ops.keyed.key_state import KeyState
from driftlearn.ops.keyed.key_store import KeyStore
from driftlearn.ops.keyed.keyed_learner import KeyedLearner
from driftlearn.ops.keyed.rows import Rows as KeyedRows
from driftlearn.ops.keyed.rows import read_times, used
from driftlearn.ops.serving.request_rows import RequestError, Rows
from driftlearn.ops.serving.served_model import Facts, Reader, missing_column, unknown_column
from driftlearn.tables.csv_file import typed_labels


class SavedStates:
    """Thread-safe access to the saved states of keys.

    SQLite connections can read committed data while another connection writes. Each thread uses a
    free connection or opens a new connection. Loading a state costs much more than a lookup, so
    recently used states are cached. A cached state is valid while the store contains the same
    state: training changes the number of rows, and expiry followed by a restart changes the stream
    position of the last row.

    Parameters
    ----------
    path : Path
        The store.

    Attributes
    ----------
    most : int
        Maximum number of cached states.
    """

    def __init__(self, path: Path):
        self._path, self.most = path, 1
        self._free: list[KeyStore] = []
        self._lock = Lock()
        self._loaded: OrderedDict[str, KeyState] = OrderedDict()

    def state(self, key: str, learner: KeyedLearner) -> KeyState | None:
        """Return the saved state of a key, or None; the state must not be modified."""
        try:
            store = self._free.pop()
        except IndexError:
            store = KeyStore(self._path, read_only=True)
        try:
            summary = store.summary(key)
            known = self._loaded.get(key)
            if summary is None:
                return None
            if known is None or (known.seen, known.record.n_rows) != (summary.seen, summary.rows):
                content = store.state(key)
                known = None if content is None else learner.loads(content)
        finally:
            self._free.append(store)
        self.cache({key: known})
        return known

    def cache(self, states: Mapping[str, KeyState | None]) -> None:
        """Cache recently saved or used states."""
        with self._lock:
            for key, state in states.items():
                if state is not None:
                    self._loaded[key] = state
                    self._loaded.move_to_end(key)
            while len(self._loaded) > self.most:
                self._loaded.popitem(last=False)

    def close(self) -> None:
        """Close the connections after the last use."""
        while self._free:
            self._free.pop().close()


@dataclass
class KeyedReader(Reader):
    """Snapshot of keyed models; see `Reader`.

    States that changed since the last save are copied when the snapshot is taken. All other states
    are read from the store on demand, and may be newer after another save.

    Attributes
    ----------
    settings : dict
        The settings of the state folder.
    learner : KeyedLearner
        The learner, with a copy of the shared models.
    changed : dict of str to KeyState or None
        States that changed since the last save; None for expired keys.
    saved : SavedStates
        The saved states.
    n_rows : int
        Number of training rows.
    description : Facts
        Description of the models.
    """

    at_once = 1 << 10  # smaller than for a single model, since states may have to be loaded

    settings: Mapping[str, Any]
    learner: KeyedLearner
    changed: Mapping[str, KeyState | None]
    saved: SavedStates
    n_rows: int
    description: Facts

    def __post_init__(self) -> None:
        self.is_ready = self.n_rows > 0
        self._labels = labels_of(self.learner)

    def check(self, rows: Rows) -> None:
        """See `Reader`."""
        parse(rows, self.settings, self.learner, labelled=True)

    def predict(self, rows: Rows) -> list[dict[str, Any]]:
        """Return the ``label`` and ``votes`` (own, global, or from another key) of each row."""
        found, _ = parse(rows, self.settings, self.learner, labelled=False)
        predictions = self.learner.predict_rows(found, self._state)
        return predictions_of(predictions.labels, predictions.votes, self._labels)

    def facts(self) -> Facts:
        """See `Reader`."""
        return self.description

    def _state(self, key: str) -> KeyState | None:
        if key in self.changed:
            return self.changed[key]
        return self.saved.state(key, self.learner)


def labels_of(learner: KeyedLearner) -> dict[str, Any]:
    """Return the labels of the global model by string; numbers if all labels can be converted."""
    return typed_labels(getattr(learner.shared.global_model, "classes_", ()))


def predictions_of(
    labels: list[str | None], votes: list[str | None], known: Mapping[str, Any]
) -> list[dict[str, Any]]:
    """Return predictions as JSON values."""
    return [
        {"label": None if label is None else known.get(label, label), "votes": source}
        for label, source in zip(labels, votes)
    ]


def parse(
    rows: Rows, settings: Mapping[str, Any], learner: KeyedLearner, labelled: bool
) -> tuple[KeyedRows, np.ndarray | None]:
    """Parse rows and their times; raise `RequestError` if a row is malformed.

    Parameters
    ----------
    rows : Rows
        The rows of a request.
    settings : dict
        The settings of the state folder.
    learner : KeyedLearner
        The learner, whose column kinds determine how values are parsed.
    labelled : bool
        Whether the rows are training rows, which need labels, and times if keys expire by time.
    """
    key, target, time = (settings[name] for name in ("key", "target", "time"))
    columns, kinds = rows.columns, learner.kinds or {}
    features = used(kinds)
    has_times = labelled and time is not None
    roles = {key: "the keys", **({target: "the labels"} if labelled else {}),
             **({time: "times"} if has_times else {})}  # fmt: skip
    try:
        for name, what in roles.items():
            check_column(name, [*columns], what, "The request")
        for name in columns:
            if name not in kinds and name not in (key, target):
                raise unknown_column(name, [*features])
        for name in features:
            if name not in columns:
                raise missing_column(name)
        table = {name: values for name, values in columns.items() if name in kinds}
        found = learner.read(table, columns[key], columns[target] if labelled else None)
    except ValueError as problem:
        raise RequestError(422, str(problem)) from None
    times = read_times(columns[time], time, found.bad) if has_times else None
    if found.bad:
        i = min(found.bad)
        raise RequestError(422, f"Row {i}: {found.bad[i]}")
    return found, times
