"""Serving of keyed models (one model per key)."""

import json
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from copy import deepcopy
from pathlib import Path
from typing import Any

import numpy as np

from driftlearn.ops.checkpoint.chunks import SliceSize
from driftlearn.ops.keyed.engine_run import check_others
from driftlearn.ops.keyed.key_cache import MEMORY
from driftlearn.ops.keyed.key_state import KeyState
from driftlearn.ops.keyed.key_store import KeyStore
from driftlearn.ops.keyed.keyed_learner import Predictions
from driftlearn.ops.keyed.keyed_models import KeyedModels
from driftlearn.ops.keyed.predictions import open_models
from driftlearn.ops.keyed.rows import Rows as KeyedRows
from driftlearn.ops.keyed.shared_models import SharedModels
from driftlearn.ops.keyed.source_accuracy import COUNTS
from driftlearn.ops.serving import keyed_reader as reading
from driftlearn.ops.serving import served_model
from driftlearn.ops.serving.request_rows import Rows
from driftlearn.ops.serving.served_model import Facts, ServedModel, ServedPosition, StoreFailure
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

    def __init__(self, store: KeyStore, saved: reading.SavedStates, memory: int = MEMORY):
        with _store_errors():
            store.rollback()
            self.settings = _settings(store)
            self.models = KeyedModels(store=store, memory=memory // 2)
            self.position = ServedPosition.of(store.about(SERVED))
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
            parts = [reading.parse(each, self.settings, learner, True) for each in requests]
            rows = KeyedRows.joined([part for part, _ in parts])
            times = [each for _, each in parts if each is not None]
            found = self._learned(rows, np.concatenate(times) if times else None)
        self._touched.update(map(str, rows.keys))
        known = reading.labels_of(self.models.learner)
        predictions = reading.predictions_of(found.labels, found.votes, known)
        right = [label == truth for label, truth in zip(found.labels, rows.labels)]
        tested = [None if each["label"] is None else each for each in predictions]
        return served_model.answers(requests, tested, right)

    def _learned(self, rows: KeyedRows, times: np.ndarray | None) -> Predictions:
        """Train on rows; return their prequential predictions. Raise ValueError if malformed."""
        models, found = self.models, Predictions([], [])
        before = models.counts["quarantined"]
        for begin, end in self._slices.over(len(rows)):
            some = None if times is None else times[begin:end]
            more = models.learn_rows(rows.take(np.arange(begin, end)), some)
            refused = models.counts["quarantined"] - before
            if refused:
                first = models.store.quarantined()[-refused]
                raise ValueError(f"Row {begin + (first.row or 0)}: {first.reason}")
            found.labels.extend(more.labels)
            found.votes.extend(more.votes)
        return found

    def reader(self) -> reading.KeyedReader:
        """See `ServedModel`."""
        models, learner = self.models, self.models.learner
        with _store_errors():
            for key in self._touched:
                held = models.states.get(key)
                self._changed[key] = models.state(key) if held is None else deepcopy(held)
        self._touched.clear()
        self._saved.most = max(1, int(self._memory / SHARE / models.mean))
        learner, n = learner.with_shared(self._copied_shared()), models.counts["learned"]
        changed = {**self._changed}
        return reading.KeyedReader(self.settings, learner, changed, self._saved, n, self._facts())

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
            labels=[*reading.labels_of(models.learner)],
            accuracy=accuracy,
            drifts={},
            events={name: models.counts[name] for name in ("quarantined", "expired")},
            keys=self._n_others + self._n_begun(),
        )


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
