"""Keys whose states an engine saves every few seconds, at a price that few rows can pay."""

from __future__ import annotations

import pickle
from typing import Any, NamedTuple

from driftlearn.ops.keyed.engine import Group, Lesson, Pupils
from driftlearn.ops.keyed.key_store import Summary

MOST_SINCE = 64  # rows since a state was saved, with which it is saved again


class Saved(NamedTuple):
    """What an engine keeps of a key.

    Attributes
    ----------
    key : str
        The key.
    content : bytes or None
        Its state of some time ago; None for what was known when the run began.
    since : tuple of bytes
        Groups of rows that were learned since then.
    """

    key: str
    content: bytes | None
    since: tuple[bytes, ...]


class SavedPupils(Pupils):
    """Pupils that tell an engine what to keep of them.

    To turn a state into bytes costs more than to learn some rows. So what is kept of a key is an
    older state and the rows since, with what the population said of them; from 64 rows on it is
    the state. Learning depends on nothing else, so whoever learns them once more has the same
    bytes. That is done when the key is next asked for.
    """

    def __init__(self, *given: Any, **more: Any):
        super().__init__(*given, **more)
        self._contents: dict[str, bytes] = {}
        self._since: dict[str, list[bytes]] = {}
        self._n_since: dict[str, int] = {}
        self._late: set[str] = set()

    def go_on(self, saved: Saved) -> None:
        """Go on with what an engine kept, whatever became of the key here before."""
        key = saved.key
        self.forget(key)
        if saved.content is not None:
            self._contents[key] = saved.content
            self.take_up(key, saved.content)
        self._since[key] = [*saved.since]
        self._late.add(key)

    def learn(self, group: Group) -> Lesson:
        """Answer rows of a key, then learn them."""
        key = group.key
        self._catch_up(key)
        lesson = super().learn(group)
        n = self._n_since[key] = self._n_since.get(key, 0) + len(group.rows)
        if n < MOST_SINCE:  # else it is the state that is saved next
            self._since.setdefault(key, []).append(pickle.dumps(group, protocol=5))
        return lesson

    def saved(self, key: str) -> Saved:
        """Return what is to be kept of a key."""
        self._catch_up(key)
        if self._n_since.get(key, 0) >= MOST_SINCE:
            self._contents[key] = self.content(key)
            self._since[key], self._n_since[key] = [], 0
        return Saved(key, self._contents.get(key), tuple(self._since.get(key, ())))

    def final(self, key: str) -> tuple[Summary, bytes]:
        """Return the state of a key, with what is known of it without its model."""
        self._catch_up(key)
        return super().final(key)

    def forget(self, key: str) -> None:
        """Forget a key whose state is kept elsewhere."""
        super().forget(key)
        self._late.discard(key)
        for each in (self._contents, self._since, self._n_since):
            each.pop(key, None)

    def _catch_up(self, key: str) -> None:
        """Learn once more what was learned since a state was saved; it was counted before."""
        if key in self._late:
            self._late.discard(key)
            groups = [pickle.loads(each) for each in self._since[key]]
            self._n_since[key] = sum(len(super(SavedPupils, self).learn(group).ages)
                                     for group in groups)  # fmt: skip
