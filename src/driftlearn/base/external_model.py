"""Any classifier with `partial_fit`, in the seat of a compiled online model."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from copy import deepcopy
from inspect import signature
from typing import Any, ClassVar

import numpy as np
from sklearn.base import clone

from driftlearn.base._engine import restore
from driftlearn.base._online_model import OnlineModel
from driftlearn.base.models import codes, columns_of, proba, seeded
from driftlearn.base.stream_classifier import StreamClassifier
from driftlearn.io.schema import Field, InvalidStateError, a, able, flag, labels, number, optional
from driftlearn.tables.passthrough import PassthroughRows, unwrap
from driftlearn.utils.typing import Labels


class ClassBook:
    """The labels that class codes stand for, one book for all external models of a committee.

    Attributes
    ----------
    labels : ndarray
        All labels known, sorted; a code is a place among them.
    announced : ndarray
        Those of them that models are told of before they meet them.
    rows : frame or sparse matrix, optional
        What models get in the place of arrays at the moment: see `lent`.
    """

    STATE: ClassVar[dict[str, Field]] = {
        "labels": labels("labels"),
        "announced": labels("announced"),
    }

    rows: PassthroughRows | None = (
        None  # in nobody's state: only while rows are learned or asked about
    )

    def __init__(self, labels: np.ndarray):
        self.labels, self.announced = labels, labels[:0]

    def lent(self, X: Any) -> AbstractContextManager[np.ndarray]:
        """Give rows the form in which compiled loops pass them on.

        Frames and sparse matrices stay here meanwhile, and the loops get an array of the same
        shape, with the numbers of the rows in its first column and nothing else in it.
        """
        return self._numbered(X) if isinstance(X, PassthroughRows) else nullcontext(X)

    @contextmanager
    def _numbered(self, X: PassthroughRows) -> Iterator[np.ndarray]:
        numbers = np.zeros(X.shape)
        numbers[:, 0] = np.arange(len(X))
        self.rows = X
        try:
            yield numbers
        finally:
            del self.rows

    def unwrap(self, X: Any) -> Any:
        """Return the rows of an array for an external model: those that they stand for, if any."""
        X = np.asarray(X)
        return X if self.rows is None else self.rows[X[:, 0].astype(np.intp)]

    def announce(self, labels: Any) -> None:
        """Take note that these labels may come."""
        self.announced = np.union1d(self.announced, labels)

    def codes(self, model: Any, X: np.ndarray) -> np.ndarray:
        """Return the class code that a model, which speaks labels, gives each row."""
        said = codes(model, X, columns_of(model, self.labels))
        if len(said) and said.max() >= len(self.labels):
            raise ValueError(f"a model says a class that is none of the {len(self.labels)} known")
        return said


class ExternalModel(OnlineModel):
    """A classifier of scikit-learn's, or anybody's, that runs in the compiled loops.

    It is told its classes at its first row, as scikit-learn's `partial_fit` demands: those that
    were announced and that of the row. A class that it was not told of makes it start again,
    without what it knew; and while it was told of a single class it just says that one. A
    `StreamClassifier` takes new classes as they come.

    A row's weight goes to `partial_fit` where that takes weights. Elsewhere the row is repeated;
    fractions are saved up, so that in the long run rows count by their weights.

    Parameters
    ----------
    base : classifier with `partial_fit`
        It is cloned.
    seed : int
        Decides every `random_state` of the clone.
    n_features : int
        Columns of every `X`.
    book : ClassBook
        What its class codes stand for; it is kept up to date by whoever holds the model.
    """

    STATE: ClassVar[dict[str, Field]] = {
        **OnlineModel.STATE,
        "book": a(ClassBook),
        "told": optional(labels("told")),
        "weighs": flag(),
        "saved": number(0),
        "blank": able("partial_fit", "predict"),
        "model": optional(able("partial_fit", "predict")),
    }

    def __init__(self, base: Any, seed: int, n_features: int, book: ClassBook):
        super().__init__(n_features, len(book.labels))
        self.blank, self.model = seeded(base, seed), None
        self.weighs = "sample_weight" in signature(self.blank.partial_fit).parameters
        self.book, self.saved = book, 0.0
        self.told: Labels | None = None

    @property
    def n_nodes(self) -> int | None:
        """The size of the model, where it tells it."""
        return getattr(self.model, "size_", None)

    def learn_one(self, X: Any, i: int, y: int, w: float) -> None:
        """Learn row `i` of `X`, of class `y`, as if it had come `w` times; 0 is never."""
        row = unwrap(self.book.unwrap(np.asarray(X)[i : i + 1]))
        label = self.book.labels[y : y + 1]
        how: dict[str, Any] = {}
        times = 1
        if self.weighs:
            how["sample_weight"] = np.array([w])
        else:
            times, self.saved = int(self.saved + w), (self.saved + w) % 1.0
        for _ in range(times):
            self._learn_once(row, label, how)
        self.weight_seen += w if times else 0.0

    def _learn_once(self, row: Any, label: np.ndarray, how: dict[str, Any]) -> None:
        told, model = self.told, self.model
        told = self.book.announced if told is None else told
        if isinstance(self.blank, StreamClassifier):
            model = clone(self.blank) if model is None else model
        else:
            if not (told == label).any():
                told, model = np.union1d(told, label), None
            if model is None and len(told) > 1:
                model, how = clone(self.blank), {**how, "classes": told}
        if model is not None:
            model.partial_fit(row, label, **how)
        self.told, self.model = told, model

    def predict_one(self, X: Any, i: int) -> int:
        """Return the code of row `i`'s best class; -1 before any row."""
        return int(self.predict_many(np.asarray(X)[i : i + 1])[0])

    def predict_many(self, X: Any) -> np.ndarray:
        """Return the code of the best class of all rows; -1 before any row."""
        if not self._has_model():
            return np.full(len(X), self._only(), dtype=np.int32)
        with np.errstate(all="ignore"):
            return self.book.codes(self.model, self.book.unwrap(X))

    def scores_one(self, X: Any, i: int, out: Any) -> None:
        """Write row `i`'s class probabilities to `out`; all are 0 before any row."""
        self.scores_many(np.asarray(X)[i : i + 1], np.asarray(out)[None])

    def scores_many(self, X: Any, out: Any) -> None:
        """Write the class probabilities of all rows to `out`, of shape (rows, n_classes)."""
        out = np.asarray(out)
        out[:] = 0.0
        if self._has_model():
            with np.errstate(all="ignore"):
                said = proba(self.model, self.book.unwrap(X))
            out[:, columns_of(self.model, self.book.labels)] = np.nan_to_num(said)
        elif self._only() >= 0:
            out[:, self._only()] = 1.0

    def _has_model(self) -> bool:
        """Say whether there is a model that can be asked; rows may wait in front of it."""
        asked = getattr(self.model, "__sklearn_is_fitted__", None)
        return self.model is not None if asked is None else bool(asked())

    def _only(self) -> int:
        """Return the code that is said without a model: the first it was told of; -1 for none."""
        if self.weight_seen == 0 or self.told is None or not len(self.told):
            return -1
        return int(np.searchsorted(self.book.labels, self.told[0]))

    def copy(self) -> ExternalModel:
        """Return a model that knows the same, with the same book, and goes its own way."""
        return restore(ExternalModel, {**self.get_state(), "model": deepcopy(self.model)})

    def get_state(self) -> dict[str, Any]:
        """Return everything it knows: arrays, numbers, and its model as it is."""
        return {name: getattr(self, name) for name in self.STATE}

    @staticmethod
    def check_state(state: dict[str, Any]) -> None:
        """Raise ValueError unless the book has the classes that the model was told of."""
        told, labels = state["told"], state["book"].labels
        if len(labels) != state["n_classes"] or not (told is None or np.isin(told, labels).all()):
            raise InvalidStateError("a model was told of classes that its book does not have")
        model = state["model"]
        if isinstance(model, StreamClassifier):  # it is told nothing
            without = told is None and not model.__sklearn_is_fitted__()
        else:
            without = told is None or not len(told)
            if told is None and model is not None:
                raise InvalidStateError("a model has begun and was told of no class")
        if without and state["weight_seen"] > 0:
            raise InvalidStateError("a model has learned and was told of no class")

    def set_state(self, state: dict[str, Any]) -> None:
        """Become the model whose `get_state` this was."""
        for name in self.STATE:
            setattr(self, name, state[name])
