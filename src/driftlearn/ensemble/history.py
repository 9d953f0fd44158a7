"""History of an ensemble's voting weights, in bounded memory."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from driftlearn.io import schema
from driftlearn.utils.hooks import hook
from driftlearn.utils.table import Table

if TYPE_CHECKING:
    from driftlearn.bench.report._figures import FigureDisplay

MOST_STEPS = 2**62  # bound of stored step numbers; no stream is longer
SHOWN = 10  # number of printed steps


class History:
    """History of an ensemble's voting weights by step, in bounded memory.

    When `limit` steps are stored, every second record is discarded, and from then on only every
    second step is recorded. This is repeated, so long streams are recorded at a coarser resolution.

    Attributes
    ----------
    steps : list of int
        The recorded steps.
    members : list of ndarray of int
        For each recorded step, the ids of the members, which are numbered in the order of creation.
    weights : list of ndarray of float
        For each recorded step, the voting weights of these members.

    Examples
    --------
    >>> history = History()
    >>> history.record(1, [1], [2.0]).record(2, [1, 2], [0.5, 1.5]).matrix()[2]
    array([[2. , 0.5],
           [nan, 1.5]])
    >>> history
    weights at 2 steps, 1 to 2; the last 2:
    step  members  heaviest  its share
       1        1         1     1.0000
       2        2         2     0.7500
    """

    STATE: ClassVar[dict[str, schema.Field]] = {
        "limit": schema.integer(2),
        "stride": schema.integer(1, MOST_STEPS),
        "steps": schema.list_of(schema.integer(0, MOST_STEPS), "steps"),
        "members": schema.list_of(schema.a(np.ndarray), "steps"),
        "weights": schema.list_of(schema.a(np.ndarray), "steps"),
    }

    def __init__(self, limit: int = 1024):
        self.limit = limit
        self.stride = 1
        self.steps: list[int] = []
        self.members: list[np.ndarray] = []
        self.weights: list[np.ndarray] = []

    def __len__(self) -> int:
        return len(self.steps)

    def record(self, step: int, members: Any, weights: Any) -> History:
        """Record the weights of a step, replacing an existing record of that step; return self."""
        if step % self.stride:
            return self
        if self.steps and self.steps[-1] == step:
            for name in ("steps", "members", "weights"):
                getattr(self, name).pop()
        self.steps.append(step)
        self.members.append(np.array(members, dtype=np.int64))
        self.weights.append(np.array(weights, dtype=float))
        if len(self.steps) >= self.limit:
            self.stride *= 2
            kept = [k for k, step in enumerate(self.steps) if step % self.stride == 0]
            for name in ("steps", "members", "weights"):
                values = getattr(self, name)
                setattr(self, name, [values[k] for k in kept])
        return self

    def __repr__(self) -> str:
        return "\n".join(map(str, _shown(self.steps, self.members, self.weights)))

    def _repr_html_(self) -> str:
        return _html(_shown(self.steps, self.members, self.weights))

    def plot(self, path: str | Path | None = None) -> FigureDisplay:
        """Draw the weights of the members over time with matplotlib.

        Each line is a member; its width is its weight relative to the largest one of the step.
        Notebooks render the returned display; its attribute `figure_` is the figure.

        Parameters
        ----------
        path : str or Path, optional
            Where to save the figure; its suffix determines the format.
        """
        return self.sparse().plot(path)

    def draft(self) -> History:
        """Return a working copy."""
        other = History(self.limit)
        other.stride = self.stride
        other.steps = list(self.steps)
        other.members, other.weights = list(self.members), list(self.weights)
        return other

    def __deepcopy__(self, memo: Any) -> History:
        return self.draft()  # recorded arrays never change

    def sparse(self) -> WeightHistory:
        """Return the records as a `WeightHistory`, which stores them in a few arrays."""
        return WeightHistory.of(self.steps, self.members, self.weights)

    def matrix(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return steps, member ids, and weights of shape (members, steps), nan where absent."""
        found = self.sparse()
        return found.steps, found.ids, found.weights


def _shown(steps: Sequence[int], members: Sequence[Any], weights: Sequence[Any]) -> list[Any]:
    """Return a summary sentence and a table of the last steps: member count, largest weight.

    The table is omitted if there are no steps.
    """
    if not len(steps):
        return ["no steps recorded"]
    last = [(members[k], weights[k]) for k in range(max(len(steps) - SHOWN, 0), len(steps))]
    best = [(ids[w.argmax()], w.max() / w.sum()) if len(w) else (None, None) for ids, w in last]
    table = Table(
        {
            "step": steps[-SHOWN:],
            "members": [len(ids) for ids, _ in last],
            "heaviest": [member for member, _ in best],
            "its share": [share for _, share in best],
        }
    )
    head = f"weights at {len(steps):,} steps, {steps[0]:,} to {steps[-1]:,}"
    return [f"{head}; the last {len(last)}:", table]


def _html(shown: Sequence[Any]) -> str:
    head, *tables = shown
    return f"<p>{head}</p>" + "".join(table.html() for table in tables)


@dataclass(frozen=True, eq=False)
class MemberInfo:
    """Errors, classes and names of members, as of their last evaluation.

    Attributes
    ----------
    errors : ndarray of float
        Errors of the members; nan where unknown.
    class_set : ndarray of int
        For each member, the position in `class_sets` of the classes it was trained on.
    class_sets : list of list
        Distinct lists of labels; an empty list if the classes are unknown.
    names : list of str
        Names of the members; empty if members have no names.
    """

    STATE: ClassVar[dict[str, schema.Field]] = {
        "class_sets": schema.list_of(schema.a(list), "class_sets"),
        "errors": schema.floats("members", finite=False),
        "class_set": schema.integers("members", least=0, below="class_sets"),
        "names": schema.list_of(schema.word()),
    }

    errors: np.ndarray
    class_set: np.ndarray
    class_sets: list[list[Any]]
    names: list[str]

    @staticmethod
    def check_state(state: dict[str, Any]) -> None:
        """Raise InvalidStateError unless all members or none have a name."""
        if len(state["names"]) not in (0, len(state["errors"])):
            raise schema.InvalidStateError("'names' must have one name per member, or be empty")

    def classes(self, k: int) -> list[Any]:
        """Return the classes that the k-th member was trained on."""
        return self.class_sets[self.class_set[k]]

    def name(self, k: int) -> str:
        """Return the name of the k-th member, or an empty string."""
        return self.names[k] if self.names else ""


@dataclass(frozen=True, eq=False, repr=False)
class WeightHistory:
    """Voting weights of all members of an ensemble, over all steps, as sparse arrays.

    An ensemble that replaces a member at every row may have too many members for a dense table, so
    only existing weights are stored.

    Attributes
    ----------
    steps : ndarray of int
        The ensemble's steps.
    ids : ndarray of int
        The members' ids, in the order of their creation.
    member, step : ndarray of int
        For each weight, the position of its member in `ids` and of its step in `steps`.
    weight : ndarray of float
        The weights.
    notes : MemberInfo or None
        Last error, classes and name of each member in `ids`, if recorded.

    Examples
    --------
    >>> history = WeightHistory.of([1, 2], [[1], [1, 2]], [[2.0], [0.5, 1.5]])
    >>> history.weights
    array([[2. , 0.5],
           [nan, 1.5]])
    """

    STATE: ClassVar[dict[str, schema.Field]] = {
        "steps": schema.integers("steps"),
        "ids": schema.integers("ids"),
        "member": schema.integers("weights", least=0, below="ids"),
        "step": schema.integers("weights", least=0, below="steps"),
        "weight": schema.floats("weights", finite=False),
        "notes": schema.optional(schema.a(MemberInfo)),
    }

    steps: np.ndarray
    ids: np.ndarray
    member: np.ndarray
    step: np.ndarray
    weight: np.ndarray
    notes: MemberInfo | None = None  # default for files of early versions

    @staticmethod
    def check_state(state: dict[str, Any]) -> None:
        """Raise InvalidStateError unless `notes` has one entry per member."""
        notes = state.get("notes")
        if notes is not None and len(notes.errors) != len(state["ids"]):
            raise schema.InvalidStateError(
                f"the member details ('notes') must have one entry per member: {len(notes.errors)} "
                f"entries for {len(state['ids'])} members"
            )

    @classmethod
    def of(
        cls, steps: Sequence[int], members: Sequence[Any], weights: Sequence[Any]
    ) -> WeightHistory:
        """Return the history given the members and weights recorded at each step."""
        named = np.concatenate([np.zeros(0, dtype=np.int64), *members])
        ids, member = np.unique(named, return_inverse=True)
        step = np.repeat(np.arange(len(steps)), [len(each) for each in members])
        return cls(
            np.array(steps, dtype=np.int64),
            ids,
            member,
            step,
            np.concatenate([np.zeros(0), *weights]),
        )

    def __repr__(self) -> str:
        return "\n".join(map(str, self._steps()))

    def _repr_html_(self) -> str:
        return _html(self._steps())

    def _steps(self) -> list[Any]:
        cuts = np.searchsorted(self.step, np.arange(1, len(self.steps)))
        members = np.split(self.ids[self.member], cuts)
        return _shown(self.steps.tolist(), members, np.split(self.weight, cuts))

    def plot(self, path: str | Path | None = None) -> FigureDisplay:
        """Draw the weights of the members over time; see `History.plot`."""
        return hook("figure_display")(hook("history_figure")(self, path))

    @property
    def weights(self) -> np.ndarray:
        """The weights as a table of shape (members, steps), nan where a member was absent."""
        table = np.full((len(self.ids), len(self.steps)), np.nan)
        table[self.member, self.step] = self.weight
        return table
