"""Cache of the states in use, within a memory limit, over a store."""

from collections import OrderedDict
from contextlib import suppress
from itertools import islice

from driftlearn.evaluate._memory import nbytes
from driftlearn.ops.keyed.key_record import RECENT
from driftlearn.ops.keyed.key_state import KeyState
from driftlearn.ops.keyed.key_store import KeyStore, Summary, place_of
from driftlearn.ops.keyed.keyed_learner import KeyedLearner
from driftlearn.ops.keyed.shared_models import MAX_CANDIDATES, MIN_ROWS, Candidate

MEMORY = 2**30
MEASURE_EVERY = 256  # keys: measuring a state takes longer than training it with a few rows
FIRST_GUESS = 16_384.0  # bytes of a state


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

    def n_new(self) -> int:
        """Return the number of keys that are not in the store yet."""
        return sum(self.store.state(key) is None for key in self._changed)

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
