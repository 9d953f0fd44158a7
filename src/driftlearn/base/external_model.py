"""External models: any classifier with `partial_fit` as a member of a compiled online ensemble."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from copy import deepcopy
from inspect import signature
from typing import Any, ClassVar

import numpy as np
from sklearn.base import clone

from driftlearn.base._engine import restore
from driftlearn.base._online_model import OnlineModel
from driftlearn.base.base_learners import codes, columns_of, proba, seeded
from driftlearn.base.stream_classifier import StreamClassifier
from driftlearn.io.schema import Field, InvalidStateError, a, able, flag, labels, number, optional
from driftlearn.tables.passthrough import PassthroughRows, unwrap
from driftlearn.utils.arguments import Labels


class ClassBook:
    """Labels of the class codes, shared by all external models of a committee.

    Attributes
    ----------
    labels : ndarray
        All known labels, sorted; a code is a position in it.
    announced : ndarray
        The labels that are passed to models as `classes` before they occur.
    rows : frame or sparse matrix, optional
        Rows that the models receive instead of arrays inside `as_arrays`.
    """

    STATE: ClassVar[dict[str, Field]] = {
        "labels": labels("labels"),
        "announced": labels("announced"),
    }

    rows: PassthroughRows | None = None  # set only during training and prediction; not stored

    def __init__(self, labels: np.ndarray):
        self.labels, self.announced = labels, labels[:0]

    @contextmanager
    def as_arrays(self, X: Any) -> Iterator[np.ndarray]:
        """Return a context in which rows have the form that compiled loops accept.

        Compiled loops accept arrays only. For a frame or a sparse matrix they receive an array of
        the same shape whose first column contains the row numbers; `unwrap` uses them to find the
        rows.
        """
        if not isinstance(X, PassthroughRows):
            yield X
            return
        numbers = np.zeros(X.shape)
        numbers[:, 0] = np.arange(len(X))
        self.rows = X
        try:
            yield numbers
        finally:
            del self.rows

    def unwrap(self, X: Any) -> Any:
        """Return rows for an external model: the array, or the rows that its numbers refer to."""
        X = np.asarray(X)
        return X if self.rows is None else self.rows[X[:, 0].astype(np.intp)]

    def announce(self, labels: Any) -> None:
        """Add labels that may occur later."""
        self.announced = np.union1d(self.announced, labels)

    def codes(self, model: Any, X: np.ndarray) -> np.ndarray:
        """Return the class code of each row, predicted by a model that returns labels."""
        predicted = codes(model, X, columns_of(model, self.labels))
        if len(predicted) and predicted.max() >= len(self.labels):
            raise ValueError(
                f"a model predicts a class that is not among the {len(self.labels)} known classes"
            )
        return predicted


class WrappedModel(OnlineModel):
    """Base class of classifiers of any library in the compiled loops: single rows as batches."""

    model: Any
    predict_many: Any  # of a subclass

    @property
    def n_nodes(self) -> int | None:
        """Size of the classifier (its ``size_``); None if unknown."""
        return getattr(self.model, "size_", None)

    def predict_one(self, X: Any, i: int) -> int:
        """Return the class code predicted for row `i`; -1 before the first training row."""
        return int(self.predict_many(np.asarray(X)[i : i + 1])[0])

    def scores_one(self, X: Any, i: int, out: Any) -> None:
        """Write row `i`'s class probabilities to `out`: all 0 before the first training row."""
        self.scores_many(np.asarray(X)[i : i + 1], np.asarray(out)[None])


class ExternalModel(WrappedModel):
    """A classifier of scikit-learn or another library that runs in the compiled loops.

    It receives its classes with the first row, as scikit-learn's `partial_fit` requires: those
    announced so far and that of the row. When another class occurs, the model is trained from
    scratch, starting with that row. As long as it has received a single class, it predicts that
    class. A `StreamClassifier` accepts new classes at any time.

    Row weights are passed to `partial_fit` if it accepts them. Otherwise the row is repeated;
    fractions are carried over, so rows count by their weights in the long run.

    Parameters
    ----------
    base : classifier with `partial_fit`
        It is cloned.
    seed : int
        Determines every `random_state` of the clone.
    n_features : int
        Number of columns of every `X`.
    book : ClassBook
        Labels of the class codes; updated by the owner of the book.
    """

    STATE: ClassVar[dict[str, Field]] = {
        **OnlineModel.STATE,
        "book": a(ClassBook),
        "received": optional(labels("received")),
        "takes_weights": flag(),
        "carry": number(0),
        "template": able("partial_fit", "predict"),
        "model": optional(able("partial_fit", "predict")),
    }

    def __init__(self, base: Any, seed: int, n_features: int, book: ClassBook):
        super().__init__(n_features, len(book.labels))
        self.template, self.model = seeded(base, seed), None
        self.takes_weights = "sample_weight" in signature(self.template.partial_fit).parameters
        self.book, self.carry = book, 0.0
        self.received: Labels | None = None  # classes passed to `partial_fit`

    def learn_one(self, X: Any, i: int, y: int, w: float) -> None:
        """Train on row `i` of `X`, of class `y`, with weight `w`; 0 leaves the model unchanged."""
        row = unwrap(self.book.unwrap(np.asarray(X)[i : i + 1]))
        label = self.book.labels[y : y + 1]
        how: dict[str, Any] = {}
        times = 1
        if self.takes_weights:
            how["sample_weight"] = np.array([w])
        else:
            times, self.carry = int(self.carry + w), (self.carry + w) % 1.0
        for _ in range(times):
            self._learn_once(row, label, how)
        self.weight_seen += w if times else 0.0

    def _learn_once(self, row: Any, label: np.ndarray, how: dict[str, Any]) -> None:
        received, model = self.received, self.model
        received = self.book.announced if received is None else received
        if isinstance(self.template, StreamClassifier):
            model = clone(self.template) if model is None else model
        else:
            if not (received == label).any():
                received, model = np.union1d(received, label), None
            if model is None and len(received) > 1:
                model, how = clone(self.template), {**how, "classes": received}
        if model is not None:
            model.partial_fit(row, label, **how)
        self.received, self.model = received, model

    def predict_many(self, X: Any) -> np.ndarray:
        """Return the class code of all rows; -1 before the first training row."""
        if not self._has_model():
            return np.full(len(X), self._only_class(), dtype=np.int32)
        with np.errstate(all="ignore"):
            return self.book.codes(self.model, self.book.unwrap(X))

    def scores_many(self, X: Any, out: Any) -> None:
        """Write the class probabilities of all rows to `out`, of shape (rows, n_classes)."""
        out = np.asarray(out)
        out[:] = 0.0
        if self._has_model():
            with np.errstate(all="ignore"):
                probas = proba(self.model, self.book.unwrap(X))
            out[:, columns_of(self.model, self.book.labels)] = np.nan_to_num(probas)
        elif self._only_class() >= 0:
            out[:, self._only_class()] = 1.0

    def _has_model(self) -> bool:
        """Return whether there is a model that can predict; it may still buffer its first rows."""
        is_fitted = getattr(self.model, "__sklearn_is_fitted__", None)
        return self.model is not None if is_fitted is None else bool(is_fitted())

    def _only_class(self) -> int:
        """Return the code predicted without a model, the first class received; -1 for none."""
        if self.weight_seen == 0 or self.received is None or not len(self.received):
            return -1
        return int(np.searchsorted(self.book.labels, self.received[0]))

    def copy(self) -> ExternalModel:
        """Return an independent copy that shares the book."""
        return restore(ExternalModel, {**self.get_state(), "model": deepcopy(self.model)})

    @staticmethod
    def check_state(state: dict[str, Any]) -> None:
        """Raise ValueError unless the book contains the classes that the model received."""
        received, labels, model = state["received"], state["book"].labels, state["model"]
        known = received is None or np.isin(received, labels).all()
        if len(labels) != state["n_classes"] or not known:
            raise InvalidStateError("an external model has classes that are not in its class book")
        # driftlearn's classifiers need no classes in advance
        if isinstance(model, StreamClassifier):
            without = received is None and not model.__sklearn_is_fitted__()
        else:
            without = received is None or not len(received)
            if received is None and model is not None:
                raise InvalidStateError("an external model was created without classes")
        if without and state["weight_seen"] > 0:
            raise InvalidStateError("an external model was trained without classes")
