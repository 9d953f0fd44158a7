"""Serving of keyed models (one model per key)."""

from __future__ import annotations

import json
from collections import OrderedDict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from copy import deepcopy
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np

from driftlearn.ops.alerts.alarm import Status
from driftlearn.ops.checkpoint.chunks import SliceSize
from driftlearn.ops.checkpoint.inputs import check_column
from driftlearn.ops.keyed import KeyedLearner, KeyedModels, KeyState, KeyStore, Predictions
from driftlearn.ops.keyed.engine_run import check_others
from driftlearn.ops.keyed.key_cache import MEMORY, loaded
from driftlearn.ops.keyed.new_labels import Labels
from driftlearn.ops.keyed.predictions import damage_note, labels_of, open_models
from driftlearn.ops.keyed.reader import changes_of, known_columns
from driftlearn.ops.keyed.rows import Rows as KeyedRows
from driftlearn.ops.keyed.rows import read_times, used
from driftlearn.ops.keyed.shared_models import SharedModels
from driftlearn.ops.keyed.source_accuracy import COUNTS
from driftlearn.ops.serving import served_model
from driftlearn.ops.serving.request_rows import CORRECT, RequestError, Rows
from driftlearn.ops.serving.served_model import Facts, Reader, ServedModel, StoreFailure
from driftlearn.preprocessing._knowledge import SchemaChange
from driftlearn.preprocessing._table_check import History
from driftlearn.preprocessing.pipeline import IncrementalPipeline

SERVED = "served"  # name under which the store saves the position
# CPU seconds per slice. A slice may be longer than for a single model: most of the work is Python
# code, during which the interpreter switches threads anyway.
SHORT, LONG = 0.025, 0.1
RECENT = 2  # number of spans that count as recent
SHARE = 4  # one quarter of the memory is for unsaved states, another for loaded states


class KeyedModel(ServedModel):
    """Keyed models of a service; see `ServedModel`.

    Half of the memory is used for states in training, a quarter for copies of unsaved states, and a
    quarter for states loaded by readers.

    Parameters
    ----------
    store : KeyStore
        The store, whose uncommitted changes are rolled back.
    saved : SavedStates
        Saved states of the same store, for readers.
    memory : int
        Memory limit for states, in bytes.

    Attributes
    ----------
    models : KeyedModels
        The models.
    position : ServedPosition
        Position of the last log entry used for training.
    """

    def __init__(self, store: KeyStore, saved: SavedStates, memory: int = MEMORY):
        with _store_errors():
            store.rollback()
            self.settings = _settings(store)
            self.models = KeyedModels(store=store, memory=memory // 2)
            self.labels = Labels.stored(store, self.settings, self.models.learner)
            self.position = served_model.ServedPosition.of(store.about(SERVED))
            self._n_others = len(store) - self._n_begun()
            # build the initial state once instead of in every reader
            self.models.learner.new_state()
        self._memory = memory
        self._slices = SliceSize(25, 1_000, SHORT, LONG)
        self._saved = saved
        self._pool: tuple[Any, list[IncrementalPipeline]] = None, []
        self._touched: set[str] = set()
        self._changed: dict[str, KeyState | None] = {}

    def learn(self, requests: Sequence[Rows]) -> list[dict[str, Any]]:
        """See `ServedModel`."""
        if not requests:
            return []
        with _store_errors():
            learner = self.models.learner
            # Readers have accepted the requests, perhaps by an earlier policy.
            accepted = served_model.with_policy(self.settings, "warn")
            parts = [parse(each, accepted, learner, True) for each in requests]
            rows = KeyedRows.joined([part for part, _ in parts])
            times = [each for _, each in parts if each is not None]
            held = self.labels.hold_back(rows)
            found = self._learned(rows, np.concatenate(times) if times else None)
        self._touched.update(map(str, rows.keys))
        known = labels_of(self.models.learner)
        predictions = predictions_of(found.labels, found.votes, known)
        right = [label == truth for label, truth in zip(found.labels, rows.labels)]
        tested = [None if each["label"] is None else each for each in predictions]
        answers, end = served_model.answers(requests, tested, right), 0
        for each in answers:
            begin, end = end, end + each["rows"]
            each["learned"] -= sum(begin <= i < end for i in held)
        return answers

    def _learned(self, rows: KeyedRows, times: np.ndarray | None) -> Predictions:
        """Train on rows; return their prequential predictions.

        Rows that are marked as malformed are quarantined. ValueError is raised for other malformed
        rows.
        """
        models, found = self.models, Predictions([], [])
        for begin, end in self._slices.over(len(rows)):
            some = None if times is None else times[begin:end]
            part, before = rows.part(begin, end), models.counts["quarantined"]
            more = models.learn_rows(part, some)
            refused = models.counts["quarantined"] - before
            if refused > len(part.bad):
                last = models.store.quarantined()[-refused:]
                first = next(each for each in last if each.row not in part.bad)
                raise ValueError(f"Row {begin + (first.row or 0)}: {first.reason}")
            found.labels.extend(more.labels)
            found.votes.extend(more.votes)
        return found

    def reader(self) -> KeyedReader:
        """See `ServedModel`."""
        models, learner = self.models, self.models.learner
        with _store_errors():
            for key in self._touched:
                held = models.states.get(key)
                self._changed[key] = models.state(key) if held is None else held.snapshot()
        self._touched.clear()
        self._saved.most = max(1, int(self._memory / SHARE / models.mean))
        learner, n = learner.with_shared(self._copied_shared()), models.counts["learned"]
        settings = served_model.with_policy(self.settings, self.policy)
        known = frozenset(self.labels.known)
        return KeyedReader(
            settings, learner, {**self._changed}, self._saved, n, self._facts(), known
        )

    def _copied_shared(self) -> SharedModels:
        """Return a copy of the shared models; the pool is copied only when it has changed."""
        shared = self.models.learner.shared
        if self._pool[0] is not shared.model_pool:
            self._pool = shared.model_pool, deepcopy(shared.model_pool)
        copied = SharedModels(deepcopy(shared.global_model), shared.pool_size)
        copied.model_pool, copied.names = self._pool[1], shared.names
        return copied

    @property
    def is_full(self) -> bool:
        """See `ServedModel`."""
        n = len(self._changed) + len(self._touched)
        return n * self.models.mean > self._memory / SHARE

    def save(self) -> None:
        """See `ServedModel`; idle keys expire."""
        with _store_errors():
            self.models.sweep()
            self.models.store.put_about(SERVED, self.position.content())
            self.labels.put(self.models.store)
            self.models.commit()
        self._saved.cache(self._changed)
        self._touched, self._changed = set(), {}

    def _n_begun(self) -> int:
        """Return the number of keys begun minus the number of expired keys."""
        begun = self.models.source_accuracy.spans[:, COUNTS.index("begun")].sum()
        return int(begun) - self.models.counts["expired"]

    def _facts(self) -> Facts:
        models = self.models
        accuracy, spans = {}, models.source_accuracy.spans
        for over, some in (("all", spans), ("recent", spans[-RECENT:])):
            counts = dict(zip(COUNTS, some.sum(axis=0).tolist()))
            for source, name in (("model", ""), ("global", "global_")):
                if counts[f"{name}tested"]:
                    accuracy[source, over] = counts[f"{name}right"] / counts[f"{name}tested"]
        return Facts(
            learner=str(self.settings["learner"]),
            labels=[*labels_of(models.learner)],
            accuracy=accuracy,
            drifts={},
            events={name: models.counts[name] for name in ("quarantined", "expired")},
            keys=self._n_others + self._n_begun(),
        )


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
    damaged : dict of str to str
        Keys with damaged states, with the problem.
    failure : str
        The last problem with the store; empty if there was none.
    """

    def __init__(self, path: Path):
        self._path, self.most = path, 1
        self.damaged: dict[str, str] = {}
        self.failure = ""
        self._free: list[KeyStore] = []
        self._lock = Lock()
        self._loaded: OrderedDict[str, KeyState] = OrderedDict()

    def state(self, key: str, learner: KeyedLearner) -> KeyState | None:
        """Return the saved state of a key, or None; the state must not be modified."""
        try:
            store = self._free.pop()
        except IndexError:
            store = KeyStore(self._path, read_only=True, checked=False)
        try:
            summary = store.summary(key)
            known = self._loaded.get(key)
            if summary is None:
                return None
            if known is None or (known.seen, known.record.n_rows) != (summary.seen, summary.rows):
                found = store.entry(key)
                known = None if found is None else loaded(learner, *found)
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
    known_labels : frozenset of str
        The labels that are not new.
    """

    at_once = 1 << 10  # smaller than for a single model, since states may have to be loaded

    settings: Mapping[str, Any]
    learner: KeyedLearner
    changed: Mapping[str, KeyState | None]
    saved: SavedStates
    n_rows: int
    description: Facts
    known_labels: frozenset[str] = frozenset()

    def __post_init__(self) -> None:
        self.is_ready = self.n_rows > 0
        self._labels = labels_of(self.learner)

    def check(self, rows: Rows) -> None:
        """See `Reader`."""
        parse(rows, self.settings, self.learner, labelled=True)

    @cached_property
    def _known(self) -> list[History]:
        return known_columns(self.learner)

    def changes(self, rows: Rows) -> list[SchemaChange]:
        """See `Reader`."""
        settings, kinds = self.settings, self.learner.kinds or {}
        if settings.get("on_schema_change") is None:
            return []
        found = changes_of(self._known, rows.columns, settings, kinds, "The request")
        found += served_model.new_labels(sorted(self.known_labels), rows, settings["target"])
        return served_model.accepted(found, settings)

    def predict(self, rows: Rows) -> list[dict[str, Any]]:
        """Return the ``label``, ``votes`` and ``probabilities`` of each row.

        The votes are own, global, or from another key.
        """
        if rows.sets is not None:
            raise RequestError(409, "'sets' is not available for models by key.")
        found, _ = parse(rows, self.settings, self.learner, labelled=False)
        try:
            predictions = self.learner.predict_rows(found, self._state, self.saved.damaged)
        except OSError as problem:
            self.saved.failure = str(problem)
            text = "The models of keys cannot be read. /health reports the problem."
            raise RequestError(503, text) from problem
        labels, votes, probas = predictions
        answers = predictions_of(labels, votes, self._labels)
        shown = [label for label in self._labels if label in probas]
        for each, row in zip(answers, zip(*(probas[label].tolist() for label in shown))):
            each["probabilities"] = dict(zip(shown, row)) if each["label"] is not None else {}
        return answers

    def facts(self) -> Facts:
        """See `Reader`."""
        events = {**self.description.events, "damaged": len(self.saved.damaged)}
        return replace(self.description, events=events)

    def status(self) -> Status:
        """See `Reader`."""
        return Status(self.n_rows, self.n_rows, is_waiting=True)

    @property
    def trouble(self) -> str:
        """See `Reader`."""
        damaged = self.saved.damaged
        return self.saved.failure or (damage_note(damaged) if damaged else "")

    def _state(self, key: str) -> KeyState | None:
        if key in self.changed:
            return self.changed[key]
        return self.saved.state(key, self.learner)


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
        strict = served_model.is_strict(settings)
        for name in columns if strict else ():
            if name not in kinds and name not in (key, target):
                raise served_model.unknown_column(name, [*features])
        for name in features if strict else ():
            if name not in columns:
                raise served_model.missing_column(name)
        table = {name: values for name, values in columns.items() if name in kinds}
        labels = columns[target] if labelled else None
        found = learner.read(table, columns[key], labels, strict=strict)
    except ValueError as problem:
        raise RequestError(422, str(problem)) from None
    times = read_times(columns[time], time, found.bad) if has_times else None
    if found.bad:
        i = min(found.bad)
        raise RequestError(422, f"Row {i}: {found.bad[i]}. {CORRECT}")
    return found, times


def check_keyed(folder: Path) -> None:
    """Raise ValueError unless the folder has trained keyed models that no engine is updating."""
    check_others(folder, "")
    with closing(open_models(folder).store) as store:
        _settings(store)


def _settings(store: KeyStore) -> dict[str, Any]:
    known = store.about("settings")
    if known is None:
        hint = "Create the state folder with 'driftlearn learn --key'."
        raise ValueError(f"{store.path} has no settings for the key and label columns. {hint}")
    return json.loads(known)


@contextmanager
def _store_errors() -> Iterator[None]:
    """Re-raise errors of the store as `StoreFailure`."""
    try:
        yield
    except OSError as problem:
        raise StoreFailure(str(problem)) from problem
