"""The members of an ensemble and every number that must move with them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import repeat
from types import MappingProxyType
from typing import Any, ClassVar

import numpy as np

from driftlearn.base.base_learners import codes, columns_of, proba
from driftlearn.base.threads import threads
from driftlearn.ensemble.votes import weighted_vote
from driftlearn.io.schema import (
    Field,
    InvalidStateError,
    a,
    able,
    dict_of,
    integer,
    labels,
    list_of,
    optional,
)
from driftlearn.utils.table import Table
from driftlearn.utils.typing import Floats, Ints, Values

MOST_BYTES = 2**22  # of rows, and of what was said of them, that is kept


class Committee:
    """Members, with a table that has one row a member.

    Membership changes through `add`, `extend`, `select`, `truncate`, `drop` and `replace` only, so
    that no list can fall out of step with another. ``committee["error"]`` is a column of the
    table, one number (or one row of numbers) a member, and may be set; a learner makes the
    columns that it needs. Three of them mean something here: ``"id"`` is given, ``"weight"`` is
    what `vote` counts by, and ``"seed"`` is not shown in `table`.

    A member speaks the user's labels (``model.classes_``); the committee knows which columns of
    the ensemble's class list those are, and the list may grow at any time.

    Parameters
    ----------
    classes : ndarray
        The ensemble's sorted labels.

    Attributes
    ----------
    models : list
        The members' models, oldest first.

    Examples
    --------
    >>> import numpy as np
    >>> from driftlearn import CARTClassifier
    >>> committee = Committee(np.array([0, 1, 2]))
    >>> model = CARTClassifier(min_samples_split=2).fit([[0.0], [1.0]], [0, 2])
    >>> committee.add(model, weight=0.5)
    >>> committee["weight"] * 2
    array([1.])
    >>> committee.labels(np.array([[0.9]]))
    array([[2]], dtype=int32)
    >>> committee.vote(committee.labels(np.array([[0.9]])))
    array([[0. , 0. , 0.5]])
    """

    STATE: ClassVar[dict[str, Field]] = {
        "classes": labels("classes"),
        "models": list_of(able("predict"), "members"),
        "numbers": dict_of(a(np.ndarray)),
        "admitted": integer(0),
        "_packed": optional(a(), needed=True),
    }

    _said: Mapping[str, tuple[Any, Values]] = MappingProxyType({})  # the last answers, by kind

    def __init__(self, classes: np.ndarray):
        self.classes = classes
        self.models: list[Any] = []
        self.numbers: dict[str, Floats] = {}
        self.admitted = 0
        self._packed: Any = None

    @staticmethod
    def check_state(state: dict[str, Any]) -> None:
        """Raise ValueError unless members have their numbers, and no classes of their own."""
        for name, values in state["numbers"].items():
            if values.dtype != float or values.shape[:1] != (len(state["models"]),):
                raise InvalidStateError(
                    f"the column {name} of a committee has not a number a member"
                )
        classes = state["classes"]
        for model in state["models"]:
            known = model.classes_ is classes or np.array_equal(model.classes_, classes)
            if not known and not np.isin(model.classes_, classes).all():
                raise InvalidStateError("a member of a committee names classes that there are not")

    def __len__(self) -> int:
        return len(self.models)

    def __iter__(self) -> Iterator[Any]:
        return iter(self.models)

    def __getitem__(self, column: str) -> Floats:
        """Return a column of the table: one number (or one row of numbers) a member."""
        return self.numbers[column] if self.models else np.zeros(0)

    def __setitem__(self, column: str, values: Any) -> None:
        values = np.asarray(values, dtype=float)
        if len(values) != len(self.models):
            raise ValueError(f"{len(values)} numbers for {len(self.models)} members")
        self.numbers[column] = values

    def add(self, model: Any, **row: Any) -> None:
        """Admit a member with its numbers; one that is not given is zero, the `id` is the next."""
        self._check(model)
        self.admitted += 1
        row.setdefault("id", self.admitted)
        n = len(self.models)
        for column in {**self.numbers, **row}:
            value = row.get(column, 0.0)
            before = self.numbers.get(column)
            shape = np.shape(value) if before is None else before.shape[1:]
            after = np.zeros((n + 1, *shape))
            after[:n] = 0.0 if before is None else before
            after[n] = value
            self.numbers[column] = after
        self.models.append(model)
        self._said = {}
        if self._packed is not None and type(model) is type(self.models[0]):
            self._packed.append(model, self._columns(model))
        else:
            self._packed = None

    def extend(self, models: list[Any], **columns: Any) -> None:
        """Admit several members at once; `columns` hold one number a member."""
        self._check(*models)
        self.models = [*self.models, *models]
        self.admitted += len(models)
        for column, values in columns.items():
            before = self.numbers.get(column, np.zeros(len(self.models) - len(models)))
            self.numbers[column] = np.concatenate([before, np.asarray(values, dtype=float)])
        self._forget()

    def select(self, index: Any) -> None:
        """Keep the members at these positions, in this order."""
        index = np.asarray(index, dtype=int)
        if len(index) == len(self.models) and (index == np.arange(len(index))).all():
            return
        self.models = [self.models[i] for i in index]
        self.numbers = {column: values[index] for column, values in self.numbers.items()}
        self._said = {}
        if not self.models:
            self._packed = None
        elif self._packed is not None:
            self._packed.select(index)

    def truncate(self, n: int | None) -> None:
        """Keep the `n` members that were admitted last; None keeps all."""
        if n is not None:
            self.select(np.arange(len(self.models))[-n:])

    def drop(self, i: int) -> None:
        """Dismiss the member at position `i`."""
        self.select(np.delete(np.arange(len(self.models)), i))

    def replace(self, models: list[Any]) -> None:
        """Put updated models in the places of the old ones; their numbers stay."""
        if len(models) != len(self.models):
            raise ValueError(f"{len(models)} models for {len(self.models)} members")
        self._check(*models)
        self.models = list(models)
        self._forget()

    def _check(self, *models: Any) -> None:
        """Raise ValueError if one of the models cannot be a member."""
        for model in models:
            own = getattr(model, "classes_", None)
            if own is self.classes:
                continue
            if own is None or not np.array_equal(
                self.classes.take(self._columns(model), mode="clip"), own
            ):
                raise ValueError(
                    "a member must be a trained model whose classes_ are among the committee's; "
                    f"got {model!r:.60}"
                )

    def widen(self, classes: np.ndarray) -> None:
        """Take note that the ensemble knows more classes now."""
        self.classes = classes
        self._forget()

    def _forget(self) -> None:
        """Forget what follows from the members, of which there are others now."""
        self._packed, self._said = None, {}

    def draft(self) -> Committee:
        """Return a copy whose membership can change without touching this one's."""
        other = Committee(self.classes)
        other.models = list(self.models)
        other.numbers = dict(self.numbers)
        other.admitted = self.admitted
        other._packed = None if self._packed is None else self._packed.draft()
        other._said = self._said
        return other

    def labels(self, X: np.ndarray) -> Ints:
        """Return the class code each member gives each row: int32, (members, rows)."""
        return self._once("labels", self._labels, X)

    def _labels(self, X: np.ndarray) -> Ints:
        packed = self._pack()
        if packed is not None:
            return packed.labels(X)
        said = np.empty((len(self.models), len(X)), dtype=np.int32)
        columns = [self._columns(model) for model in self.models]
        for k, codes_of_one in enumerate(threads(1, codes, self.models, repeat(X), columns)):
            said[k] = codes_of_one
        return said

    def probas(self, X: np.ndarray) -> Floats:
        """Return each member's class probabilities: (members, rows, classes)."""
        return self._once("probas", self._probas, X)

    def _once(self, kind: str, ask: Callable[[Any], Values], X: Any) -> Values:
        """Return what members say of rows; asked again about the same rows, what they said.

        So it costs nothing to learn the rows of a chunk that were predicted. The answer is kept
        until there are other members or other rows, and only where it is small.
        """
        if not isinstance(X, np.ndarray) or X.dtype != float or X.nbytes > MOST_BYTES:
            return ask(X)
        rows = X.shape, X.tobytes()
        before, said = self._said.get(kind, (None, X))
        if rows != before:
            said = ask(X)
            if said.nbytes > MOST_BYTES:
                return said
            self._said = {**self._said, kind: (rows, said)}
        return said.copy()

    def _probas(self, X: np.ndarray) -> Floats:
        packed = self._pack()
        if packed is not None:
            return packed.probas(X, len(self.classes))
        return self._probas_one_by_one(X)

    def _probas_one_by_one(self, X: np.ndarray) -> Floats:
        probas = np.zeros((len(self.models), len(X), len(self.classes)))
        for k, shares in enumerate(threads(1, proba, self.models, repeat(X))):
            probas[k][:, self._columns(self.models[k])] = shares
        return probas

    def keys(self) -> list[Any]:
        """Return what tells members apart, which is the models."""
        return list(self.models)

    def predict_subset(self, members: list[int], X: np.ndarray) -> Floats:
        """Return what `probas` says of the members at these positions, to the last bit."""
        some = self.draft()
        some.select(members)
        return some.probas(X) if self.packed else some._probas_one_by_one(X)

    @property
    def packed(self) -> bool:
        """Whether members are asked all at once, which may change the last bit of an answer."""
        return self._pack() is not None

    def vote(self, predictions: Values) -> Floats:
        """Return the scores of the members' labels or probabilities, by the column ``"weight"``.

        On a row on which nobody has any weight the newest speaks alone.
        """
        return weighted_vote(predictions, self["weight"], len(self.classes))

    def _columns(self, model: Any) -> Ints:
        return columns_of(model, self.classes)

    def pack(self) -> None:
        """Have members packed already where a draft follows: so they are packed once for both."""
        self._pack()

    def _pack(self) -> Any:
        """Return the members packed for one call, where all of them can be."""
        if self._packed is None and self.models:
            kind = type(self.models[0])
            if hasattr(kind, "_pack") and all(type(model) is kind for model in self.models):
                columns = [self._columns(model) for model in self.models]
                self._packed = kind._pack(self.models, columns)
        return self._packed

    def __getstate__(self) -> dict[str, Any]:
        kept = {name: value for name, value in self.__dict__.items() if name != "_said"}
        return {**kept, "_packed": None}

    def table(self) -> Table:
        """Return one row a member: when it was born, what it knows, what it counts for."""
        shown = {name: self.numbers[name] for name in ("id", "created_at") if name in self.numbers}
        columns: dict[str, Any] = {
            name: values.astype(int) if name in ("id", "created_at") else values
            for name, values in (shown | self.numbers).items()
            if values.ndim == 1 and name != "seed"
        }
        columns["classes"] = [list(np.asarray(model.classes_).tolist()) for model in self.models]
        columns["size"] = [getattr(model, "size_", None) for model in self.models]
        return Table(columns)


def check_members(committee: Any, state: dict[str, Any]) -> None:
    """Raise ValueError unless a committee out of a file is of the problem of its learner."""
    d, C = state["n_features_in_"], len(state["classes_"])
    if isinstance(committee, Committee):
        fits = np.array_equal(committee.classes, state["classes_"]) and all(
            getattr(model, "n_features_in_", d) == d for model in committee.models
        )
    else:
        problem = getattr(committee, "window", committee)
        fits = (problem.n_features, problem.n_classes) == (d, C)
    if not fits:
        raise InvalidStateError(
            f"members that are not of the learner's {d} features and {C} classes"
        )
