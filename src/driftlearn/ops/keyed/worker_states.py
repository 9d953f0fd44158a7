"""The states of keys in a process of an engine, and what the engine saves of them."""

import pickle
from dataclasses import replace
from typing import Any, NamedTuple

from driftlearn import io as persist
from driftlearn.ops.keyed.clock import parse_idle
from driftlearn.ops.keyed.key_cache import MEMORY, KeyCache, summary_of
from driftlearn.ops.keyed.key_store import KeyStore, Summary
from driftlearn.ops.keyed.keyed_learner import KeyedLearner
from driftlearn.ops.keyed.training import Group, TrainedGroup, train

MAX_REPLAYED = 64  # rows that are stored instead of a newer state


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
        return train(self, group, self._expires)

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

    def final_if_readable(self, key: str) -> tuple[Summary, bytes] | None:
        """Return the same as `final`, but None for a damaged state, which stays as it was."""
        try:
            return self.final(key)
        except (ValueError, ImportError):
            if key in self.states:
                raise
            return None

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
