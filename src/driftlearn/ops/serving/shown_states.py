"""States of keys for readers: those that were saved, from the store, some of them in memory."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping
from pathlib import Path
from threading import Lock

from driftlearn.ops.keyed.key_state import KeyState
from driftlearn.ops.keyed.key_store import KeyStore
from driftlearn.ops.keyed.keyed_learner import KeyedLearner


class ShownStates:
    """What was last saved of keys, for any number of threads.

    SQLite lets others read what is committed while one writes, and neither waits. Each thread that
    asks takes a connection that no other one uses, or opens one. Loading a state costs much more
    than looking for it, so those asked for last stay in memory. They are taken again as long as
    the store has the same one: of a key that learned more the number of rows is another, and of
    one that was forgotten and came again that of its last row in the stream.

    Parameters
    ----------
    path : Path
        The store.

    Attributes
    ----------
    most : int
        How many states stay in memory.
    """

    def __init__(self, path: Path):
        self._path, self.most = path, 1
        self._free: list[KeyStore] = []
        self._lock = Lock()
        self._loaded: OrderedDict[str, KeyState] = OrderedDict()

    def state(self, key: str, learner: KeyedLearner) -> KeyState | None:
        """Return what was last saved of a key, None if nothing was; it is not to be changed."""
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
        if known is not None:
            self.keep({key: known})
        return known

    def keep(self, states: Mapping[str, KeyState | None]) -> None:
        """Have states in memory that were just saved, or asked for."""
        with self._lock:
            for key, state in states.items():
                if state is not None:
                    self._loaded[key] = state
                    self._loaded.move_to_end(key)
            while len(self._loaded) > self.most:
                self._loaded.popitem(last=False)

    def close(self) -> None:
        """Close the connections; nobody asks any more."""
        while self._free:
            self._free.pop().close()
