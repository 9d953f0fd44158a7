"""Log of the members of an ensemble during an evaluation."""

from __future__ import annotations

from typing import Any

import numpy as np

from driftlearn.ensemble.history import MemberInfo
from driftlearn.utils.arguments import Ints
from driftlearn.utils.table import Table

FEW = 1024  # number of entries before the first cleanup


class MemberLog:
    """Last known error, classes and name of each member of an ensemble.

    The log is updated when the weight history of the learner has a new step. Members that are no
    longer in the history are dropped, so the log does not outgrow it.

    Examples
    --------
    >>> from driftlearn import SEAClassifier
    >>> log = MemberLog()
    >>> log.update(SEAClassifier().partial_fit([[0.0], [1.0]], [0, 1]))
    >>> log.notes(np.array([1, 2])).classes(0)
    [0, 1]
    """

    def __init__(self) -> None:
        self.step: int | None = None
        self.seen: dict[int, tuple[float, tuple[Any, ...], str]] = {}
        self._sets: dict[tuple[Any, ...], tuple[Any, ...]] = {}
        self._most = FEW

    def update(self, learner: Any) -> None:
        """Record the members of a learner that has a history of weights."""
        history = getattr(learner, "history_", None)
        if history is None or not len(history.steps) or history.steps[-1] == self.step:
            return
        self.step = int(history.steps[-1])
        table = getattr(learner, "members_", None)
        if not isinstance(table, Table) or "id" not in table.columns:
            return
        known = {name: table[name] for name in table.columns}
        n = len(table)
        accuracy = known.get("accuracy", np.full(n, np.nan))
        errors = known.get("error", 1 - accuracy)
        sets = [tuple(each) for each in known.get("classes", [()] * n)]
        # Tuples are shared, because most members have the same classes.
        sets = [self._sets.setdefault(each, each) for each in sets]
        names = map(str, known.get("name", [""] * n))
        ids = np.asarray(known["id"]).tolist()
        self.seen.update(zip(ids, zip(np.asarray(errors, dtype=float).tolist(), sets, names)))
        if len(self.seen) > self._most:
            self._clean([*history.members, ids])

    def _clean(self, members: list[Any]) -> None:
        """Drop members that are neither in the history nor in the ensemble."""
        used = np.unique(np.concatenate(members)).tolist()
        self.seen = {member: self.seen[member] for member in used if member in self.seen}
        self._sets = {each: each for _, each, _ in self.seen.values()}
        self._most = max(FEW, 2 * len(self.seen))

    def notes(self, ids: Ints) -> MemberInfo | None:
        """Return the entries of these members, or None if there are none."""
        found = [self.seen.get(member, (np.nan, (), "")) for member in ids.tolist()]
        places: dict[tuple[Any, ...], int] = {}
        class_set = [places.setdefault(each, len(places)) for _, each, _ in found]
        names = [name for _, _, name in found]
        if not any(np.isfinite(error) or each or name for error, each, name in found):
            return None
        return MemberInfo(
            np.array([error for error, _, _ in found]),
            np.array(class_set, dtype=np.int64),
            [list(each) for each in places],
            names if any(names) else [],
        )

    def state(self) -> dict[str, Any]:
        """Return the state as a dict from which `of` restores the log."""
        ids = np.array([*self.seen], dtype=np.int64)
        return {"step": self.step, "ids": ids, "notes": self.notes(ids)}

    @classmethod
    def of(cls, state: dict[str, Any]) -> MemberLog:
        """Return the log with a state returned by `state`."""
        self, notes = cls(), state["notes"]
        self.step = state["step"]
        if notes is not None:
            for k, member in enumerate(state["ids"].tolist()):
                each = tuple(notes.classes(k))
                each = self._sets.setdefault(each, each)
                self.seen[member] = float(notes.errors[k]), each, notes.name(k)
        self._most = max(FEW, 2 * len(self.seen))
        return self
