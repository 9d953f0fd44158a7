"""States of keys in memory, within a bound, over a store."""

from __future__ import annotations

from collections import OrderedDict
from contextlib import suppress
from itertools import islice

from driftlearn.evaluate._memory import nbytes
from driftlearn.ops.keyed.key_state import KeyState
from driftlearn.ops.keyed.key_store import KeyStore, Summary, place_of
from driftlearn.ops.keyed.keyed_learner import KeyedLearner
from driftlearn.ops.keyed.population import LEAST_ROWS, MOST_CANDIDATES, Candidate

LATELY = 4  # spans
MEASURE = 256  # keys from one whose state is measured to the next
FIRST_GUESS = 16_384.0  # bytes


class KeyCache:
    """States that are in use; the one that was not used for longest goes first.

    Parameters
    ----------
    store : KeyStore
        Where they come from and go to.
    memory : int
        Bytes that they may take. What one takes is estimated by walking over every 256th.

    Attributes
    ----------
    states : OrderedDict of str to KeyState
        The states in memory, the one used last at the end.
    mean : float
        Bytes of a state in memory, about.
    """

    def __init__(self, store: KeyStore, memory: int):
        self.store, self.memory = store, memory
        self.states: OrderedDict[str, KeyState] = OrderedDict()
        self.mean = FIRST_GUESS
        self._changed: set[str] = set()
        self._n_used = 0

    def __contains__(self, key: str) -> bool:
        return key in self.states

    def peek(self, key: str, learner: KeyedLearner) -> KeyState | None:
        """Return a state that is only read; None if there is none."""
        if key in self.states:
            return self.states[key]
        content = self.store.state(key)
        return None if content is None else learner.loads(content)

    def use(self, key: str, learner: KeyedLearner) -> KeyState:
        """Return a state that is about to change, a new one if there is none."""
        state = self.peek(key, learner)
        state = self.states[key] = learner.begin() if state is None else state
        self.states.move_to_end(key)
        self._changed.add(key)
        return state

    def abandon(self, key: str) -> None:
        """Let go of a state that was just loaded; the store keeps it as it was."""
        self.states.pop(key, None)
        self._changed.discard(key)

    def forget(self, key: str) -> None:
        """Forget a key, here and in the store."""
        self.abandon(key)
        self.store.drop(key)

    def make_room(self, learner: KeyedLearner) -> None:
        """Write states that were not used for long, while there are too many in memory."""
        if self._n_used % MEASURE == 0 and self.states:
            newest = next(reversed(self.states.values()))
            self.mean += (nbytes(newest) - self.mean) * (0.1 if self._n_used else 1.0)
        self._n_used += 1
        while len(self.states) > max(1, self.memory // self.mean):
            key, state = self.states.popitem(last=False)
            if key in self._changed:
                self._write(key, state, learner)
                self._changed.discard(key)

    def flush(self, learner: KeyedLearner) -> None:
        """Write all states that have changed."""
        for key in sorted(self._changed):
            self._write(key, self.states[key], learner)
        self._changed.clear()

    def candidates(self, start: int, learner: KeyedLearner) -> list[Candidate]:
        """Return models that may be borrowed, those of keys from a place on.

        Which keys these are does not depend on where their states are.
        """
        held = [key for key, state in self.states.items() if state.record.n_rows >= LEAST_ROWS]
        stored = (key for key in self.store.after(start, LEAST_ROWS) if key not in self.states)
        chosen = [*held, *islice(stored, MOST_CANDIDATES)]
        chosen.sort(key=lambda key: ((place_of(key) - start) % 2**32, key))
        found = []
        for key in chosen[:MOST_CANDIDATES]:
            with suppress(ValueError, ImportError):  # a state that cannot be read lends nothing
                state = self.peek(key, learner)
                if state is not None:
                    lately = state.record.accuracy(LATELY)["own"] or 0.0
                    found.append((key, state.own, (state.record.n_rows, lately)))
        return found

    def n_new(self) -> int:
        """Return how many keys the store does not know yet."""
        return sum(self.store.state(key) is None for key in self._changed)

    def take_up(self, key: str, content: bytes) -> None:
        """Go on with a state that was kept elsewhere."""
        self.states.pop(key, None)
        self._changed.discard(key)
        self.store.put_state(content, Summary(key, None, 0, 0, 0, 0, 0, 0, None, len(content)))

    def written(self, key: str, learner: KeyedLearner) -> bytes:
        """Return a state as bytes."""
        if key in self.states:
            return learner.dumps(self.states[key])
        content = self.store.state(key)
        if content is None:
            raise KeyError(key)
        return content

    def _write(self, key: str, state: KeyState, learner: KeyedLearner) -> None:
        self.store.put_state(learner.dumps(state), summary_of(key, state))


def summary_of(key: str, state: KeyState) -> Summary:
    """Return what is known of a key without its model."""
    record = state.record
    return Summary(
        key, state.seen, record.n_rows, record.n_tested, record.right,
        sum(record.tested_in[-LATELY:]), sum(record.right_in[-LATELY:]),
        record.n_changes, record.changes[-1] if record.changes else None, 0,
    )  # fmt: skip
