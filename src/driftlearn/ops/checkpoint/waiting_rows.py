"""Encoded rows that were predicted and wait for their labels, or for their chunk to be complete."""

from __future__ import annotations

from typing import Any, ClassVar, NamedTuple

import numpy as np

from driftlearn.io.schema import Field, InvalidStateError, dict_of, floats, integers, list_of, word


class Predictions(NamedTuple):
    """Predictions made before rows were learned.

    Attributes
    ----------
    codes : ndarray of shape (n,)
        Predicted classes, as positions in the classes of the record; -1 without a prediction.
    confidence : ndarray of shape (n,)
        Probabilities of the predicted classes.
    """

    codes: np.ndarray
    confidence: np.ndarray

    @classmethod
    def none(cls, n: int) -> Predictions:
        """Return `n` rows without a prediction."""
        return cls(np.full(n, -1), np.zeros(n))

    def put(self, rows: Any, others: Predictions) -> None:
        """Replace the predictions of some rows, in place."""
        self.codes[rows], self.confidence[rows] = others


class WaitingRows:
    """Queue of predicted rows, in order of arrival.

    Attributes
    ----------
    X : ndarray of shape (n, d)
        The encoded rows.
    tags : list of str
        For each row its label, if the row is learned later, or else the key of its label.
    predicted : ndarray of shape (n,)
        Predicted classes, as positions in the classes of the record; -1 without a prediction.
    confidence : ndarray of shape (n,)
        Probabilities of the predicted classes.
    locations : list of [file, row, time]
        Origin of each row.
    early_labels : dict of str to str
        Labels that arrived before their rows, by key.
    """

    STATE: ClassVar[dict[str, Field]] = {
        "X": floats("n", "d", finite=False),
        "tags": list_of(word(), "n"),
        "predicted": integers("n", least=-1),
        "confidence": floats("n"),
        "locations": list_of(list_of(Field(lambda value, _: None)), "n"),
        "early_labels": dict_of(word()),
    }

    def __init__(self) -> None:
        self.X = np.zeros((0, 0))
        self.tags: list[str] = []
        self.predicted = np.zeros(0, dtype=np.int64)
        self.confidence = np.zeros(0)
        self.locations: list[list[Any]] = []
        self.early_labels: dict[str, str] = {}

    @staticmethod
    def check_state(state: dict[str, Any]) -> None:
        """Raise ValueError unless every location is a file, a row and a time."""
        for location in state["locations"]:
            if len(location) != 3 or not isinstance(location[1], int):
                raise InvalidStateError("WaitingRows: a location must be [file, row, time]")

    def __len__(self) -> int:
        return len(self.tags)

    @property
    def predictions(self) -> Predictions:
        """The predictions of all rows."""
        return Predictions(self.predicted, self.confidence)

    def add(
        self, X: np.ndarray, tags: list[str], predictions: Predictions, locations: list[list[Any]]
    ) -> None:
        """Append rows."""
        self.X = np.concatenate([self.X, X]) if len(self.X) else X.copy()
        self.tags = [*self.tags, *tags]
        self.predicted = np.concatenate([self.predicted, predictions.codes])
        self.confidence = np.concatenate([self.confidence, predictions.confidence])
        self.locations = [*self.locations, *locations]

    def pop(self, rows: np.ndarray) -> WaitingRows:
        """Remove rows by position; return them in that order."""
        popped, rest = WaitingRows(), np.delete(np.arange(len(self)), rows)
        for name in ("X", "predicted", "confidence"):
            values = getattr(self, name)
            setattr(popped, name, values[rows])
            setattr(self, name, values[rest])
        for name in ("tags", "locations"):
            items = getattr(self, name)
            setattr(popped, name, [items[i] for i in rows.tolist()])
            setattr(self, name, [items[i] for i in rest.tolist()])
        return popped
