"""What the members of an ensemble were like while they were there."""

from __future__ import annotations

from typing import Any

import numpy as np

from driftlearn.ensemble.history import MemberInfo
from driftlearn.utils.table import Table
from driftlearn.utils.typing import Ints

FEW = 1024  # members that are kept in mind before anybody is forgotten


class Lookout:
    """Looks at the members of a learner between rounds, and notes what each was like last.

    It looks where the learner's history of weights has a new step, and forgets whom that forgot;
    so it is as small as the history, and looks as rarely.

    Examples
    --------
    >>> from driftlearn import SEAClassifier
    >>> lookout = Lookout()
    >>> lookout.look(SEAClassifier().partial_fit([[0.0], [1.0]], [0, 1]))
    >>> lookout.notes(np.array([1, 2])).classes(0)
    [0, 1]
    """

    def __init__(self) -> None:
        self.step: int | None = None
        self.seen: dict[int, tuple[float, tuple[Any, ...], str]] = {}
        self._sets: dict[tuple[Any, ...], tuple[Any, ...]] = {}
        self._most = FEW

    def look(self, learner: Any) -> None:
        """Note what there is to know of the members of a learner that keeps a history."""
        history = getattr(learner, "history_", None)
        if history is None or not len(history.steps) or history.steps[-1] == self.step:
            return
        self.step = int(history.steps[-1])
        table = getattr(learner, "members_", None)
        if not isinstance(table, Table) or "id" not in table.columns:
            return
        known = {name: table[name] for name in table.columns}
        n = len(table)
        errors = (
            known["error"] if "error" in known else 1 - known.get("accuracy", np.full(n, np.nan))
        )
        sets = [tuple(each) for each in known.get("classes", [()] * n)]
        sets = [self._sets.setdefault(each, each) for each in sets]  # most know the same
        names = map(str, known.get("name", [""] * n))
        ids = np.asarray(known["id"]).tolist()
        self.seen.update(zip(ids, zip(np.asarray(errors, dtype=float).tolist(), sets, names)))
        if len(self.seen) > self._most:
            self._forget([*history.members, ids])

    def _forget(self, members: list[Any]) -> None:
        """Keep in mind who is in the history, or is there now and may still come into it."""
        there = np.unique(np.concatenate(members)).tolist()
        self.seen = {member: self.seen[member] for member in there if member in self.seen}
        self._sets = {each: each for _, each, _ in self.seen.values()}
        self._most = max(FEW, 2 * len(self.seen))

    def notes(self, ids: Ints) -> MemberInfo | None:
        """Return what is known of these members; None if nothing is."""
        found = [self.seen.get(member, (np.nan, (), "")) for member in ids.tolist()]
        places: dict[tuple[Any, ...], int] = {}
        knows = [places.setdefault(each, len(places)) for _, each, _ in found]
        names = [name for _, _, name in found]
        if not any(np.isfinite(error) or each or name for error, each, name in found):
            return None
        return MemberInfo(
            np.array([error for error, _, _ in found]),
            np.array(knows, dtype=np.int64),
            [list(each) for each in places],
            names if any(names) else [],
        )

    def state(self) -> dict[str, Any]:
        """Return all that must be known to go on."""
        ids = np.array([*self.seen], dtype=np.int64)
        return {"step": self.step, "ids": ids, "notes": self.notes(ids)}

    @classmethod
    def of(cls, state: dict[str, Any]) -> Lookout:
        """Return one that goes on from a state."""
        self, notes = cls(), state["notes"]
        self.step = state["step"]
        if notes is not None:
            for k, member in enumerate(state["ids"].tolist()):
                each = tuple(notes.classes(k))
                each = self._sets.setdefault(each, each)
                self.seen[member] = float(notes.errors[k]), each, notes.name(k)
        self._most = max(FEW, 2 * len(self.seen))
        return self
