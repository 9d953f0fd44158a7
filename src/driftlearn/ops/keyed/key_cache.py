"""The states of keys in memory: a cache over a store, and the states of a worker of an engine."""

import pickle
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from itertools import islice
from typing import Any, NamedTuple

import numpy as np

from driftlearn import io as persist
from driftlearn.evaluate._memory import nbytes
from driftlearn.ops.keyed.clock import parse_idle
from driftlearn.ops.keyed.key_record import RECENT
from driftlearn.ops.keyed.key_state import KeyState
from driftlearn.ops.keyed.key_store import KeyStore, Summary, place_of
from driftlearn.ops.keyed.keyed_learner import KeyedLearner
from driftlearn.ops.keyed.shared_models import MAX_CANDIDATES, MIN_ROWS, Candidate
from driftlearn.ops.keyed.training import STRETCH, Group, TrainedGroup

MEMORY = 2**30
MEASURE_EVERY = 256  # keys: measuring a state takes longer than training it with a few rows
FIRST_GUESS = 16_384.0  # bytes of a state
MAX_REPLAYED = 64  # rows that are stored instead of a newer state


class KeyCache:
    """States in memory; the least recently used ones are evicted to the store.

    Parameters
    ----------
    store : KeyStore
        Where states are loaded from and written to.
    memory : int
        Bytes that states in memory may take. The size of a state is estimated from every 256th.
    learner : KeyedLearner
        Creates and serializes states.

    Attributes
    ----------
    states : OrderedDict of str to KeyState
        The states in memory, the most recently used one last.
    mean : float
        Estimated bytes of a state in memory.
    """

    def __init__(self, store: KeyStore, memory: int, learner: KeyedLearner):
        self.store, self.memory, self.learner = store, memory, learner
        self.states: OrderedDict[str, KeyState] = OrderedDict()
        self.mean = FIRST_GUESS
        self._changed: set[str] = set()
        self._n_used = 0

    def state(self, key: str) -> KeyState | None:
        """Return a state for reading; None if there is none."""
        if key in self.states:
            return self.states[key]
        content = self.store.state(key)
        return None if content is None else self.learner.loads(content)

    def use(self, key: str) -> KeyState:
        """Return a state for training, a new one if there is none."""
        state = self.state(key)
        state = self.states[key] = self.learner.new_state() if state is None else state
        self.states.move_to_end(key)
        self._changed.add(key)
        return state

    def discard(self, key: str) -> None:
        """Drop a state from memory without writing it; the store keeps its version."""
        self.states.pop(key, None)
        self._changed.discard(key)

    def delete(self, key: str) -> None:
        """Delete a key, here and in the store."""
        self.discard(key)
        self.store.delete(key)

    def evict(self) -> None:
        """Write the least recently used states to the store while memory exceeds the limit."""
        if self._n_used % MEASURE_EVERY == 0 and self.states:
            newest = next(reversed(self.states.values()))
            self.mean += (nbytes(newest) - self.mean) * (0.1 if self._n_used else 1.0)
        self._n_used += 1
        while len(self.states) > max(1, self.memory // self.mean):
            key, state = self.states.popitem(last=False)
            if key in self._changed:
                self._write(key, state)
                self._changed.discard(key)

    def train_group(self, group: Group, expires: bool) -> TrainedGroup:
        """Predict the rows of a key, each before it is learned, then learn them.

        Parameters
        ----------
        group : Group
            The rows, with the predictions of the shared models for them.
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
            except OSError:  # the store cannot be used: not the fault of the rows
                raise
            except Exception as problem:
                # A damaged state may fail as late as in its first use, with any error.
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
        """Learn a slice of rows, or one by one if the learner rejects one of them."""
        rows, predictions = found.group.rows, found.group.predictions
        assert predictions is not None
        age, part = state.record.n_rows, slice(begin, end)
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

    def flush(self) -> None:
        """Write all states that have changed."""
        for key in sorted(self._changed):
            self._write(key, self.states[key])
        self._changed.clear()

    def candidates(self, place: int) -> list[Candidate]:
        """Return models of keys for the model pool, in the order of their hash from a place on.

        The selected keys do not depend on which states are in memory.
        """
        held = [key for key, state in self.states.items() if state.record.n_rows >= MIN_ROWS]
        stored = (key for key in self.store.keys_from(place, MIN_ROWS) if key not in self.states)
        keys = [*held, *islice(stored, MAX_CANDIDATES)]
        keys.sort(key=lambda key: ((place_of(key) - place) % 2**32, key))
        found = []
        for key in keys[:MAX_CANDIDATES]:
            with suppress(ValueError, ImportError):  # a damaged state is no candidate
                state = self.state(key)
                if state is not None:
                    accuracy = state.record.recent_accuracy()["own"] or 0.0
                    found.append((key, state.own, (state.record.n_rows, accuracy)))
        return found

    def _write(self, key: str, state: KeyState) -> None:
        self.store.put_state(self.learner.dumps(state), summary_of(key, state))


def summary_of(key: str, state: KeyState) -> Summary:
    """Return the summary of a state."""
    record = state.record
    return Summary(
        key, state.seen, record.n_rows, record.n_tested, record.right,
        sum(record.tested_in[-RECENT:]), sum(record.right_in[-RECENT:]),
        record.n_changes, record.changes[-1] if record.changes else None, 0,
    )  # fmt: skip


def _segments(group: Group, expires: bool) -> Iterator[tuple[int, int]]:
    """Yield the slices of rows between which the key was idle for too long."""
    begin, end = 0, len(group.rows)
    if expires and end > 1:
        gaps = group.numbers[:-1] < group.oldest[1:]
        for stop in (np.flatnonzero(gaps) + 1).tolist():
            yield begin, stop
            begin = stop
    yield begin, end


class WorkerStates(KeyCache):
    """The states of the keys that one process of an engine trains.

    Parameters
    ----------
    learner : KeyedLearner
        How keys learn; its shared models predict the rows of groups without predictions.
    known : KeyStore, optional
        Earlier states, for keys that have none here yet.
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
        self._met: set[str] = set()

    def put(self, key: str, content: bytes) -> None:
        """Continue with a state that the engine stored."""
        self._met.add(key)
        self.discard(key)
        self.store.put_state(content, Summary(key, None, 0, 0, 0, 0, 0, 0, None, len(content)))

    def train(self, group: Group) -> TrainedGroup:
        """Predict rows of a key, each before it is learned, then learn them."""
        key = group.key
        if key not in self._met:
            content = None if self._known is None else self._known.state(key)
            self._met.add(key)
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

    def forget(self, key: str) -> None:
        """Drop a key whose state is stored elsewhere."""
        self._met.discard(key)
        self.delete(key)


class Saved(NamedTuple):
    """What an engine stores for a key.

    Attributes
    ----------
    key : str
        The key.
    content : bytes or None
        An earlier state; None for the state before the run.
    since : tuple of bytes
        The groups of rows that were learned since then.
    """

    key: str
    content: bytes | None
    since: tuple[bytes, ...]


class RecoverableStates(WorkerStates):
    """States of keys, with what an engine stores to recover them.

    Serializing a state costs more than learning a few rows. So an earlier state is stored with the
    rows since then and the predictions of the shared models for them; from 64 rows on, a newer
    state. Learning depends on nothing else, so replaying the rows gives the same bytes. They are
    replayed when the key is next used.
    """

    def __init__(self, *args: Any, **kwargs: Any):
        super().__init__(*args, **kwargs)
        self._contents: dict[str, bytes] = {}
        self._since: dict[str, list[bytes]] = {}
        self._n_since: dict[str, int] = {}
        self._to_replay: set[str] = set()

    def resume(self, saved: Saved) -> None:
        """Continue with what an engine stored, whatever state the key has here."""
        key = saved.key
        self.forget(key)
        if saved.content is not None:
            self._contents[key] = saved.content
            self.put(key, saved.content)
        self._since[key] = [*saved.since]
        self._to_replay.add(key)

    def train(self, group: Group) -> TrainedGroup:
        """Predict rows of a key, each before it is learned, then learn them."""
        key = group.key
        self._replay(key)
        trained = super().train(group)
        n = self._n_since[key] = self._n_since.get(key, 0) + len(group.rows)
        if n < MAX_REPLAYED:  # otherwise the state is stored next
            self._since.setdefault(key, []).append(pickle.dumps(group, protocol=5))
        return trained

    def saved(self, key: str) -> Saved:
        """Return what is to be stored for a key."""
        self._replay(key)
        if self._n_since.get(key, 0) >= MAX_REPLAYED:
            self._contents[key] = self.content(key)
            self._since[key], self._n_since[key] = [], 0
        return Saved(key, self._contents.get(key), tuple(self._since.get(key, ())))

    def final(self, key: str) -> tuple[Summary, bytes]:
        """Return the summary and the state of a key."""
        self._replay(key)
        return super().final(key)

    def forget(self, key: str) -> None:
        """Drop a key whose state is stored elsewhere."""
        super().forget(key)
        self._to_replay.discard(key)
        for each in (self._contents, self._since, self._n_since):
            each.pop(key, None)

    def _replay(self, key: str) -> None:
        """Learn again the rows since the stored state, if needed; they are counted already."""
        if key in self._to_replay:
            self._to_replay.discard(key)
            groups = [pickle.loads(each) for each in self._since[key]]
            self._n_since[key] = sum(len(group.rows) for group in groups)
            for group in groups:
                super().train(group)


def packed(learner: KeyedLearner) -> bytes:
    """Return a learner with its shared models as bytes, for other processes."""
    names = ("learner", "kinds", "chunk", "shared")
    return persist.dumps({name: getattr(learner, name) for name in names}, compress=True)


def unpacked(content: bytes) -> KeyedLearner:
    """Return a learner from the bytes of `packed`."""
    found = persist.loads(content)
    return KeyedLearner(found.pop("learner"), **found)
