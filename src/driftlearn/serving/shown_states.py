"""States of keys for readers: those that were saved, from the store, some of them held loaded."""

from __future__ import annotations

from collections import OrderedDict
from pathlib import Path
from threading import Lock

from driftlearn.keyed.key_state import KeyState
from driftlearn.keyed.key_store import KeyStore
from driftlearn.keyed.keyed_learner import KeyedLearner


class ShownStates:
    """What was last saved of keys, for any number of threads.

    SQLite lets others read what is committed while one writes, and neither waits. Each thread that
    asks takes a connection that no other one uses, or opens one. A loaded state is taken again as
    long as the store has the same bytes.

    Parameters
    ----------
    path : Path
        The store.

    Attributes
    ----------
    most : int
        How many states are held loaded.
    """

    def __init__(self, path: Path):
        self._path, self.most = path, 1
        self._free: list[KeyStore] = []
        self._lock = Lock()
        self._loaded: OrderedDict[str, tuple[bytes, KeyState]] = OrderedDict()

    def content(self, key: str) -> bytes | None:
        """Return the bytes of a key's state that were last saved; None if there are none."""
        try:
            store = self._free.pop()
        except IndexError:
            store = KeyStore(self._path, to_read=True)
        try:
            return store.state(key)
        finally:
            self._free.append(store)

    def close(self) -> None:
        """Close the connections; nobody asks any more."""
        while self._free:
            self._free.pop().close()

    def loaded(self, key: str, content: bytes, learner: KeyedLearner) -> KeyState:
        """Return the state of a key that has these bytes; it is not to be changed."""
        with self._lock:
            known = self._loaded.get(key)
            if known is not None and known[0] == content:
                self._loaded.move_to_end(key)
                return known[1]
        state = learner.loads(content)
        with self._lock:
            self._loaded[key] = content, state
            self._loaded.move_to_end(key)
            while len(self._loaded) > self.most:
                self._loaded.popitem(last=False)
        return state
