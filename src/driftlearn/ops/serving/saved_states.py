"""Saved states of keys for readers: loaded from the store, with a cache of recent ones."""

from collections import OrderedDict
from collections.abc import Mapping
from pathlib import Path
from threading import Lock

from driftlearn.ops.keyed.key_state import KeyState
from driftlearn.ops.keyed.key_store import KeyStore
from driftlearn.ops.keyed.keyed_learner import KeyedLearner


class SavedStates:
    """Saved states of keys, for any number of threads.

    SQLite lets other connections read what is committed while one writes, and neither waits. Each
    thread takes a connection that no other thread uses, or opens one. Loading a state costs much
    more than looking it up, so recently used states are cached. A cached state is valid while the
    store has the same state: the number of rows changes when a key learns, and the position of
    its last row in the stream changes when the key expired and started again.

    Parameters
    ----------
    path : Path
        The store.

    Attributes
    ----------
    most : int
        Size of the cache.
    """

    def __init__(self, path: Path):
        self._path, self.most = path, 1
        self._free: list[KeyStore] = []
        self._lock = Lock()
        self._loaded: OrderedDict[str, KeyState] = OrderedDict()

    def state(self, key: str, learner: KeyedLearner) -> KeyState | None:
        """Return the saved state of a key, None if there is none; it must not be modified."""
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
        """Cache states that were just saved or used."""
        with self._lock:
            for key, state in states.items():
                if state is not None:
                    self._loaded[key] = state
                    self._loaded.move_to_end(key)
            while len(self._loaded) > self.most:
                self._loaded.popitem(last=False)

    def close(self) -> None:
        """Close the connections, after the last use."""
        while self._free:
            self._free.pop().close()
