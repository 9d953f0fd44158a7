"""Labels of a stream: known ones, and new ones that are held back while they are rare."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from driftlearn.ops.keyed.key_store import KeyStore
from driftlearn.ops.keyed.keyed_learner import KeyedLearner
from driftlearn.ops.keyed.rows import Rows
from driftlearn.preprocessing._knowledge import shown

MOST = 1_000  # maximum number of rare labels that are counted; the oldest are dropped


class Labels:
    """Labels of a stream, row by row, so that the result does not depend on batches.

    Parameters
    ----------
    least : int
        Number of rows with a new label after which it is known.
    known : iterable of str
        The known labels.
    seen : dict of str to int, optional
        Number of rows with each new label.
    """

    def __init__(self, least: int, known: Iterable[str], seen: Mapping[str, int] | None = None):
        self.least, self.known, self.seen = least, {*known}, Counter(seen or {})

    @classmethod
    def of(cls, settings: Mapping[str, Any], state: Mapping[str, Any]) -> Labels:
        """Return labels with the setting of a state folder and a state returned by `state`.

        State folders of older versions, which lack the setting, hold back no rows.
        """
        return cls(settings.get("new_label_rows") or 1, **state)

    @classmethod
    def stored(cls, store: KeyStore, settings: Mapping[str, Any], learner: KeyedLearner) -> Labels:
        """Return the labels of a store; without any, those of the global model."""
        content = store.about("labels")
        if content is not None:
            return cls.of(settings, json.loads(content))
        shared = None if learner.kinds is None else learner.shared.global_model
        return cls.of(settings, {"known": map(str, getattr(shared, "classes_", ()))})

    def state(self) -> dict[str, Any]:
        """Return the labels as JSON values."""
        return {"known": sorted(self.known), "seen": dict(self.seen)}

    def put(self, store: KeyStore) -> None:
        """Store the labels; its next commit saves them."""
        store.put_about("labels", json.dumps(self.state()).encode())

    def resume(self, state: Mapping[str, Any]) -> None:
        """Continue with a state returned by `state`."""
        self.known, self.seen = {*state["known"]}, Counter(state["seen"])

    def hold_back(self, rows: Rows) -> list[int]:
        """Mark rows with new and rare labels as malformed; return their positions."""
        new, held = {*rows.labels} - self.known - {None}, []
        for i, label in enumerate(rows.labels) if new else ():
            if label is None or label not in new or i in rows.bad:
                continue
            self.seen[label] += 1
            if self.seen[label] < self.least:
                rows.bad[i] = (
                    f"the label {shown(label)} is new and rare: it is learned from row "
                    f"{self.least:,} on (--new-label-rows)"
                )
                held.append(i)
            else:
                self.known.add(label)
                new.discard(label)
                del self.seen[label]
        for label in [*self.seen][: max(0, len(self.seen) - MOST)]:
            del self.seen[label]
        return held

    def merge(self, start: Mapping[str, Any], others: Iterable[Mapping[str, Any]]) -> None:
        """Add the states of others that all began with the state `start`."""
        seen = Counter(start["seen"])
        for other in others:
            self.known.update(other["known"])
            seen.update(other["seen"])
            seen.subtract(start["seen"])
        self.seen = Counter(
            {name: n for name, n in seen.items() if n > 0 and name not in self.known}
        )
