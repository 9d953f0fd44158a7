"""Key states in memory: a cache over a store, and the states of an engine's worker."""

import pickle
from collections import OrderedDict, defaultdict
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Any, NamedTuple

import numpy as np

from driftlearn import io as persist
from driftlearn.evaluate._memory import nbytes
from driftlearn.ops.keyed.key_record import RECENT
from driftlearn.ops.keyed.key_state import KeyState
from driftlearn.ops.keyed.key_store import KeyStore, Summary, place_of
from driftlearn.ops.keyed.keyed_learner import KeyedLearner
from driftlearn.ops.keyed.reader import parse_idle
from driftlearn.ops.keyed.shared_models import MAX_CANDIDATES, MIN_ROWS, Candidate
from driftlearn.ops.keyed.training import BASELINES, STRETCH, Group, TrainedGroup

MEMORY = 2**30
MEASURE_EVERY = 256  # in keys: measuring a state takes longer than training it on a few rows
FIRST_GUESS = 16_384.0  # initial estimate of the bytes per state
MAX_REPLAYED = 64  # maximum number of rows that are stored in place of a newer state


class KeyCache:
    """Cache of key states; the least recently used states are evicted to the store.

    Parameters
    ----------
    store : KeyStore
        Where states are loaded from and written to.
    memory : int
        Memory limit for states, in bytes. Sizes are estimated from every 256th state.
    learner : KeyedLearner
        Creates and serializes states.

    Attributes
    ----------
    states : OrderedDict of str to KeyState
        The states in memory, ordered from least to most recently used.
    mean : float
        Estimated mean size of a state in memory, in bytes.
    """

    def __init__(self, store: KeyStore, memory: int, learner: KeyedLearner):
        self.store, self.memory, self.learner = store, memory, learner
        self.states: OrderedDict[str, KeyState] = OrderedDict()
        self.mean = FIRST_GUESS
        self._changed: set[str] = set()
        self._n_used = 0

    def state(self, key: str) -> KeyState | None:
        """Return the state of a key for reading; None for a new key.

        Raises
        ------
        CorruptFile
            If the state is damaged; the message names the key.
        """
        if key in self.states:
            return self.states[key]
        found = self.store.entry(key)
        return None if found is None else loaded(self.learner, *found)

    def use(self, key: str) -> KeyState:
        """Return the state of a key for training; a new key gets a new state."""
        state = self.state(key)
        state = self.states[key] = self.learner.new_state() if state is None else state
        self.states.move_to_end(key)
        self._changed.add(key)
        return state

    def discard(self, key: str) -> None:
        """Drop a state from memory without writing it to the store."""
        self.states.pop(key, None)
        self._changed.discard(key)

    def delete(self, key: str) -> None:
        """Delete a key from memory and from the store."""
        self.discard(key)
        self.store.delete(key)

    def evict(self) -> None:
        """Write the least recently used states to the store while memory exceeds the limit."""
        if self._n_used % MEASURE_EVERY == 0 and self.states:
            newest = next(reversed(self.states.values()))
            # The first measurement replaces the guess. Later ones change the mean slowly, because
            # the sizes of single states vary.
            self.mean += (nbytes(newest) - self.mean) * (0.1 if self._n_used else 1.0)
        self._n_used += 1
        while len(self.states) > max(1, self.memory // self.mean):
            key, state = self.states.popitem(last=False)
            if key in self._changed:
                self._write(key, state)
                self._changed.discard(key)

    def train_group(self, group: Group, expires: bool) -> TrainedGroup:
        """Predict each row of a key, then train on it (prequential).

        Parameters
        ----------
        group : Group
            The rows, with the predictions of the shared models.
        expires : bool
            Whether idle keys expire.
        """
        n, key = len(group.rows), group.key
        found = TrainedGroup(group, [None] * n, [None] * n, [-1] * n)
        for begin, end in _segments(group, expires):
            was_loaded = key in self.states
            try:
                state = self.use(key)
                if state.seen is not None and state.seen < group.oldest[begin]:
                    self.delete(key)
                    found.expired[state.seen // STRETCH * STRETCH] += 1
                    state = self.use(key)
                self._train_segment(state, begin, end, found)
            except OSError:  # the store is unavailable, which is no fault of the rows
                raise
            except Exception as problem:
                # A damaged state may fail only when it is first used, with any error.
                if was_loaded:
                    raise
                self.discard(key)
                reason = f"the state of its key cannot be used: {problem}"
                found.bad.update(dict.fromkeys(range(begin, end), reason))
                continue
            if expires:
                state.seen = int(group.numbers[end - 1])
        self.evict()
        return found

    def _train_segment(self, state: KeyState, begin: int, end: int, found: TrainedGroup) -> None:
        """Train on a slice of rows; if the learner rejects a row, train on single rows."""
        rows, predictions = found.group.rows, found.group.predictions
        assert predictions is not None
        record, part = state.record, slice(begin, end)
        age, before = record.n_rows, [getattr(record, name) for name in BASELINES]
        labels: list[Any] = rows.labels[part]
        try:
            frame = rows.columns(part, end - begin)
            learned = self.learner.learn_frame(state, frame, labels, predictions.rows(part))
        except ValueError as problem:
            if end - begin == 1:
                found.bad[begin] = str(problem)
                return
            for i in range(begin, end):
                self._train_segment(state, i, i + 1, found)
            return
        found.labels[begin:end], found.votes[begin:end] = learned
        found.ages[begin:end] = range(age, age + end - begin)
        for name, n in zip(BASELINES, before):
            found.baselines[name] += getattr(record, name) - n

    def flush(self) -> None:
        """Write all states that have changed."""
        for key in sorted(self._changed):
            self._write(key, self.states[key])
        self._changed.clear()

    def candidates(self, place: int) -> list[Candidate]:
        """Return candidate models for the model pool, in hash order starting at `place`.

        The selection does not depend on which states are in memory.
        """
        held = [key for key, state in self.states.items() if state.record.n_rows >= MIN_ROWS]
        stored = (key for key in self.store.keys_from(place, MIN_ROWS) if key not in self.states)
        keys = [*held, *islice(stored, MAX_CANDIDATES)]
        keys.sort(key=lambda key: ((place_of(key) - place) % 2**32, key))
        found = []
        for key in keys[:MAX_CANDIDATES]:
            with suppress(ValueError, ImportError):  # skip damaged states
                state = self.state(key)
                if state is not None:
                    accuracy = state.record.recent_accuracy()["own"] or 0.0
                    found.append((key, state.own, (state.record.n_rows, accuracy)))
        return found

    def _write(self, key: str, state: KeyState) -> None:
        self.store.put_state(self.learner.dumps(state), summary_of(key, state))


def loaded(learner: KeyedLearner, summary: Summary, content: bytes) -> KeyState:
    """Return a state from the store; raise ValueError if it or its counts are damaged."""
    try:
        state = learner.loads(content)
        # Workers of engines store states without counts.
        if summary.rows and summary_of(summary.key, state)[:-1] != summary[:-1]:
            raise ValueError("its counts do not match its content")
    except ValueError as error:
        raise persist.CorruptFile(f"the state of key {summary.key!r}: {error}") from error
    return state


def summary_of(key: str, state: KeyState) -> Summary:
    """Return the summary of a state."""
    record = state.record
    return Summary(
        key, state.seen, record.n_rows, record.n_tested, record.right,
        sum(record.tested_in[-RECENT:]), sum(record.right_in[-RECENT:]),
        record.n_changes, record.changes[-1] if record.changes else None, 0,
    )  # fmt: skip


def _segments(group: Group, expires: bool) -> Iterator[tuple[int, int]]:
    """Yield slices of rows; the key expired between two slices."""
    begin, end = 0, len(group.rows)
    if expires and end > 1:
        gaps = group.numbers[:-1] < group.oldest[1:]
        for stop in (np.flatnonzero(gaps) + 1).tolist():
            yield begin, stop
            begin = stop
    yield begin, end


class WorkerStates(KeyCache):
    """States of the keys that one process of an engine trains.

    Parameters
    ----------
    learner : KeyedLearner
        The learner of all keys; its shared models predict the rows of groups without predictions.
    known : KeyStore, optional
        Earlier states, for keys without a state in this process.
    memory, idle
        See `KeyedModels`.
    """

    def __init__(
        self,
        learner: KeyedLearner,
        known: KeyStore | None = None,
        *,
        memory: int = MEMORY,
        idle: Any = None,
    ):
        super().__init__(KeyStore(), memory, learner)
        self._expires = idle is not None and parse_idle(idle)[0] > 0
        self._known = known
        self._loaded: set[str] = set()

    def put(self, key: str, content: bytes) -> None:
        """Restore a state that the engine stored."""
        self._loaded.add(key)
        self.discard(key)
        self.store.put_state(content, Summary(key, None, 0, 0, 0, 0, 0, 0, None, len(content)))

    def train(self, group: Group) -> TrainedGroup:
        """Predict each row of a key, then train on it (prequential)."""
        key = group.key
        if key not in self._loaded:
            content = None if self._known is None else self._known.state(key)
            self._loaded.add(key)
            if content is not None:
                self.put(key, content)
        if group.predictions is None:
            shared = self.learner.shared.predict(group.rows.table, len(group.rows))
            group = replace(group, predictions=shared)
        return self.train_group(group, self._expires)

    def content(self, key: str) -> bytes:
        """Return the state of a key as bytes."""
        if key in self.states:
            return self.learner.dumps(self.states[key])
        content = self.store.state(key)
        if content is None:
            raise KeyError(key)
        return content

    def final(self, key: str) -> tuple[Summary, bytes]:
        """Return the summary and the state of a key."""
        content, state = self.content(key), self.state(key)
        assert state is not None
        return summary_of(key, state), content

    def drop(self, key: str) -> None:
        """Drop a key whose state is stored elsewhere."""
        self._loaded.discard(key)
        self.delete(key)


class Saved(NamedTuple):
    """Snapshot of a key in the recovery store of an engine.

    Attributes
    ----------
    key : str
        The key.
    content : bytes or None
        An earlier state; None for the state before the run.
    since : tuple of bytes
        The groups of training rows since that state.
    """

    key: str
    content: bytes | None
    since: tuple[bytes, ...]


@dataclass
class _History:
    """Earlier state of a key, and the rows since then.

    Attributes
    ----------
    content : bytes or None
        The earlier state; None for the state before the run.
    since : list of bytes
        The groups of training rows since that state.
    n_rows : int
        Number of rows since that state.
    is_replayed : bool
        Whether the current state in memory includes these rows.
    """

    content: bytes | None = None
    since: list[bytes] = field(default_factory=list)
    n_rows: int = 0
    is_replayed: bool = True


class RecoverableStates(WorkerStates):
    """States of keys with snapshots for the recovery store of an engine.

    Serializing a state costs more than training on a few rows. A snapshot therefore consists of an
    earlier state, the rows since then and the predictions of the shared models for them. After 64
    rows, the state is serialized again. Training depends on nothing else, so replaying the rows
    restores the same bytes. The rows are replayed when the key is next used.
    """

    def __init__(self, *args: Any, **kwargs: Any):
        super().__init__(*args, **kwargs)
        self._histories: defaultdict[str, _History] = defaultdict(_History)

    def resume(self, saved: Saved) -> None:
        """Restore a snapshot, which replaces any state of the key in memory."""
        self.drop(saved.key)
        if saved.content is not None:
            self.put(saved.key, saved.content)
        self._histories[saved.key] = _History(saved.content, [*saved.since], is_replayed=False)

    def train(self, group: Group) -> TrainedGroup:
        """Predict each row of a key, then train on it (prequential)."""
        history = self._replayed(group.key)
        trained = super().train(group)
        history.n_rows += len(group.rows)
        if history.n_rows < MAX_REPLAYED:  # otherwise the state is stored next
            history.since.append(pickle.dumps(group, protocol=5))
        return trained

    def saved(self, key: str) -> Saved:
        """Return the snapshot of a key."""
        history = self._replayed(key)
        if history.n_rows >= MAX_REPLAYED:
            history.content, history.since, history.n_rows = self.content(key), [], 0
        return Saved(key, history.content, tuple(history.since))

    def final(self, key: str) -> tuple[Summary, bytes]:
        """Return the summary and the state of a key."""
        self._replayed(key)
        return super().final(key)

    def drop(self, key: str) -> None:
        """Drop a key whose state is stored elsewhere."""
        super().drop(key)
        self._histories.pop(key, None)

    def _replayed(self, key: str) -> _History:
        """Replay the rows since the stored state if needed; they have already been counted."""
        history = self._histories[key]
        if not history.is_replayed:
            history.is_replayed = True
            groups = [pickle.loads(each) for each in history.since]
            history.n_rows = sum(len(group.rows) for group in groups)
            for group in groups:
                super().train(group)
        return history


def packed(learner: KeyedLearner) -> bytes:
    """Serialize a learner with its shared models, for other processes."""
    names = ("learner", "kinds", "chunk", "shared")
    return persist.dumps({name: getattr(learner, name) for name in names}, compress=True)


def unpacked(content: bytes) -> KeyedLearner:
    """Return the learner serialized by `packed`."""
    found = persist.loads(content)
    return KeyedLearner(found.pop("learner"), **found)
