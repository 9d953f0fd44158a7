"""Container for the members of a chunk ensemble, with their weights, errors and other numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import repeat
from types import MappingProxyType
from typing import Any, ClassVar

import numpy as np
from sklearn.base import clone

from driftlearn.base.base_learners import codes, columns_of, proba
from driftlearn.base.nominal_features import declare_nominal
from driftlearn.base.threads import threads
from driftlearn.base.validation import nominal_columns
from driftlearn.ensemble.votes import weighted_vote
from driftlearn.io import schema
from driftlearn.utils.arguments import Floats, Ints, Values
from driftlearn.utils.table import Table

MOST_BYTES = 2**22  # maximum size of rows or predictions in the cache


class Committee:
    """Trained models and a table of their weights, errors and other numbers, one row per member.

    Members are changed by `add`, `extend`, `select`, `truncate`, `drop` and `replace` only, so that
    models and numbers always match. ``committee["error"]`` is a column of the table, with one
    number (or one row of numbers) per member, and can be assigned; a learner creates the columns
    that it needs. Three columns have a fixed meaning: ``"id"`` is assigned by the committee,
    ``"weight"`` is the voting weight in `vote`, and ``"seed"`` is not shown in `table`.

    A model predicts the user's labels (``model.classes_``); the committee translates them to the
    ensemble's class list, which may grow at any time.

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

    STATE: ClassVar[dict[str, schema.Field]] = {
        "classes": schema.labels("classes"),
        "models": schema.list_of(schema.able("predict"), "members"),
        "numbers": schema.dict_of(schema.a(np.ndarray, dtype=np.dtype(float), length="members")),
        "admitted": schema.integer(0),
        "_packed": schema.optional(schema.a(), needed=True),
    }

    _cached: Mapping[str, tuple[Any, Values]] = MappingProxyType({})  # last predictions, by kind

    def __init__(self, classes: np.ndarray):
        self.classes = classes
        self.models: list[Any] = []
        self.numbers: dict[str, Floats] = {}
        self.admitted = 0
        self._packed: Any = None

    @staticmethod
    def check_state(state: dict[str, Any]) -> None:
        """Raise InvalidStateError unless the committee has the classes of all members."""
        classes = state["classes"]
        for model in state["models"]:
            known = model.classes_ is classes or np.array_equal(model.classes_, classes)
            if not known and not np.isin(model.classes_, classes).all():
                raise schema.InvalidStateError("a member of the committee has unknown classes")

    def __len__(self) -> int:
        return len(self.models)

    def __iter__(self) -> Iterator[Any]:
        return iter(self.models)

    def __getitem__(self, column: str) -> Floats:
        """Return a column of the table: one number (or one row of numbers) per member."""
        return self.numbers[column] if self.models else np.zeros(0)

    def __setitem__(self, column: str, values: Any) -> None:
        values = np.asarray(values, dtype=float)
        if len(values) != len(self.models):
            raise ValueError(
                f"column {column!r} must have one number per member: {len(self.models)}. Got "
                f"{len(values)} numbers instead."
            )
        self.numbers[column] = values

    def add(self, model: Any, **row: Any) -> None:
        """Add a member with its column values, zero by default; it gets the next `id`."""
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
        self._cached = {}
        if self._packed is not None and type(model) is type(self.models[0]):
            self._packed.append(model, self._columns(model))
        else:
            self._packed = None

    def extend(self, models: list[Any], **columns: Any) -> None:
        """Add several members at once; each of `columns` has one number per new member."""
        self._check(*models)
        self.models = [*self.models, *models]
        self.admitted += len(models)
        for column, values in columns.items():
            before = self.numbers.get(column, np.zeros(len(self.models) - len(models)))
            self.numbers[column] = np.concatenate([before, np.asarray(values, dtype=float)])
        self._clear_caches()

    def select(self, index: Any) -> None:
        """Keep the members at these positions, in this order, and drop the others."""
        index = np.asarray(index, dtype=int)
        if len(index) == len(self.models) and (index == np.arange(len(index))).all():
            return
        self.models = [self.models[i] for i in index]
        self.numbers = {column: values[index] for column, values in self.numbers.items()}
        self._cached = {}
        if not self.models:
            self._packed = None
        elif self._packed is not None:
            self._packed.select(index)

    def truncate(self, n: int | None) -> None:
        """Keep the `n` newest members; None keeps all."""
        if n is not None:
            self.select(np.arange(len(self.models))[-n:])

    def drop(self, i: int) -> None:
        """Drop the member at position `i`."""
        self.select(np.delete(np.arange(len(self.models)), i))

    def replace(self, models: list[Any]) -> None:
        """Replace all models by updated models; their numbers are unchanged."""
        if len(models) != len(self.models):
            raise ValueError(
                f"expected one model per member: {len(self.models)}. Got {len(models)} models "
                "instead."
            )
        self._check(*models)
        self.models = list(models)
        self._clear_caches()

    def _check(self, *models: Any) -> None:
        """Raise ValueError unless the models are trained on classes of the committee."""
        for model in models:
            own = getattr(model, "classes_", None)
            if own is self.classes:
                continue
            if own is None or not np.array_equal(
                self.classes.take(self._columns(model), mode="clip"), own
            ):
                raise ValueError(
                    "A member must be a trained model whose classes_ are among the committee's. "
                    f"Got {model!r:.60} instead."
                )

    def widen(self, classes: np.ndarray) -> None:
        """Replace the class list by an extended one."""
        self.classes = classes
        self._clear_caches()

    def _clear_caches(self) -> None:
        """Discard everything computed from the previous members."""
        self._packed, self._cached = None, {}

    def draft(self) -> Committee:
        """Return a working copy with the same models, to which members can be added."""
        other = Committee(self.classes)
        other.models = list(self.models)
        other.numbers = dict(self.numbers)
        other.admitted = self.admitted
        other._packed = None if self._packed is None else self._packed.draft()
        other._cached = self._cached
        return other

    def labels(self, X: np.ndarray) -> Ints:
        """Return the class code that each member predicts for each row: int32, (members, rows)."""
        return self._cached_call("labels", self._labels, X)

    def _labels(self, X: np.ndarray) -> Ints:
        packed = self.pack()
        if packed is not None:
            return packed.labels(self._passed_down(X))
        columns = [self._columns(model) for model in self.models]
        predictions = np.empty((len(self.models), len(X)), dtype=np.int32)
        for k, found in enumerate(threads(1, codes, self.models, repeat(X), columns)):
            predictions[k] = found
        return predictions

    def probas(self, X: np.ndarray) -> Floats:
        """Return each member's class probabilities: (members, rows, classes)."""
        return self._cached_call("probas", self._probas, X)

    def _cached_call(self, kind: str, predict: Callable[[Any], Values], X: Any) -> Values:
        """Return the members' predictions, from a cache if the rows are those of the last call.

        Predictions made for a chunk are thus reused when training on it. Small predictions are
        cached until members or rows change.
        """
        if not isinstance(X, np.ndarray) or X.dtype != float or X.nbytes > MOST_BYTES:
            return predict(X)
        rows = X.shape, X.tobytes()
        before, predictions = self._cached.get(kind, (None, X))
        if rows != before:
            predictions = predict(X)
            if predictions.nbytes > MOST_BYTES:
                return predictions
            self._cached = {**self._cached, kind: (rows, predictions)}
        return predictions.copy()

    def _probas(self, X: np.ndarray) -> Floats:
        packed = self.pack()
        if packed is not None:
            return packed.probas(self._passed_down(X), len(self.classes))
        return self._probas_one_by_one(X)

    def _passed_down(self, X: np.ndarray) -> np.ndarray:
        """Return the leaves of rows, from which packed trees predict; the rows for other members.

        A chunk of which a learner needs labels and probabilities is passed down the trees once.
        """
        leaves = getattr(self._packed, "leaves", None)
        return X if leaves is None else self._cached_call("leaves", leaves, X)

    def _probas_one_by_one(self, X: np.ndarray) -> Floats:
        probas = np.zeros((len(self.models), len(X), len(self.classes)))
        for k, shares in enumerate(threads(1, proba, self.models, repeat(X))):
            probas[k][:, self._columns(self.models[k])] = shares
        return probas

    def keys(self) -> list[Any]:
        """Return the keys of the members' cached predictions: the models."""
        return list(self.models)

    def predict_subset(self, members: list[int], X: np.ndarray) -> Floats:
        """Return the `probas` of the members at these positions, bit-identical."""
        some = self.draft()
        some.select(members)
        return some.probas(X) if self.packed else some._probas_one_by_one(X)

    @property
    def packed(self) -> bool:
        """Whether all members predict in one call, which may change the last bit of results."""
        return self.pack() is not None

    def vote(self, predictions: Values) -> Floats:
        """Return class scores: labels or probabilities of members, weighted by ``"weight"``.

        If all weights are zero, the newest member's vote is used.
        """
        return weighted_vote(predictions, self["weight"], len(self.classes))

    def _columns(self, model: Any) -> Ints:
        return columns_of(model, self.classes)

    def pack(self) -> Any:
        """Return the members packed for prediction in one call; None if they cannot be packed."""
        if self._packed is None and self.models:
            kind = type(self.models[0])
            if hasattr(kind, "_pack") and all(type(model) is kind for model in self.models):
                columns = [self._columns(model) for model in self.models]
                self._packed = kind._pack(self.models, columns)
        return self._packed

    def __getstate__(self) -> dict[str, Any]:
        state = {name: value for name, value in self.__dict__.items() if name != "_cached"}
        return {**state, "_packed": None}

    def table(self) -> Table:
        """Return a table with one row per member: creation step, numbers, classes and size."""
        shown = {name: self.numbers[name] for name in ("id", "created_at") if name in self.numbers}
        columns: dict[str, Any] = {
            name: values.astype(int) if name in ("id", "created_at") else values
            for name, values in (shown | self.numbers).items()
            if values.ndim == 1 and name != "seed"
        }
        columns["classes"] = [list(np.asarray(model.classes_).tolist()) for model in self.models]
        columns["size"] = [getattr(model, "size_", None) for model in self.models]
        return Table(columns)


class HasCommittee:
    """Mixin with the base learner and the fitted attributes of ensembles."""

    estimator: Any = None  # defaults for learners without these parameters
    nominal_features: Any = None
    committee_: Committee
    _check_fitted: Callable[[], None]
    _constraints: ClassVar[dict[str, Any]] = {"nominal_features": ["array-like", None]}

    def _default_base_learner(self) -> Any:
        """Return the base learner that is used if `estimator` is None."""
        raise NotImplementedError

    def _base_learner(self) -> Any:
        """Return the base learner, which is passed `nominal_features`."""
        base = self._default_base_learner() if self.estimator is None else self.estimator
        return self._informed(base)

    def _informed(self, base: Any) -> Any:
        """Return a base learner with `nominal_features`, unless it has its own or no parameter."""
        if self.nominal_features is None or not hasattr(base, "get_params"):
            return base
        columns = self.nominal_features
        # A model of more features, such as TIX's, cannot use a mask.
        if hasattr(self, "n_features_in_"):
            columns = np.flatnonzero(nominal_columns(columns, self.n_features_in_)).tolist()
        return declare_nominal(clone(base, safe=False), columns)

    @property
    def members_(self) -> Table:
        """One row per member: step of creation, weight, last error, classes, size."""
        self._check_fitted()
        return self.committee_.table()

    @property
    def n_members_(self) -> int:
        """Number of members: the length of `members_`, which takes longer to create."""
        self._check_fitted()
        return len(self.committee_)

    @property
    def estimators_(self) -> list[Any]:
        """The members' models, oldest first."""
        self._check_fitted()
        return list(self.committee_.models)


def check_members(committee: Any, state: dict[str, Any]) -> None:
    """Raise InvalidStateError unless a committee matches its learner's features and classes."""
    d, C = state["n_features_in_"], len(state["classes_"])
    if isinstance(committee, Committee):
        fits = np.array_equal(committee.classes, state["classes_"])
        fits &= all(getattr(model, "n_features_in_", d) == d for model in committee.models)
    else:
        problem = getattr(committee, "window", committee)
        fits = (problem.n_features, problem.n_classes) == (d, C)
    if not fits:
        raise schema.InvalidStateError(f"members must have {d} features and {C} classes")
