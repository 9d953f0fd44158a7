"""Rows of a file that were predicted and wait for their labels."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Any, ClassVar

import numpy as np

from driftlearn.io import schema
from driftlearn.ops.checkpoint.record import Predictions


@dataclass(eq=False)
class PredictedFile:
    """Rows of a file with what was predicted before any of its labels was known.

    Attributes
    ----------
    number : int
        Number of the file, in the order of prediction.
    name : str
        Name of the file.
    rows : ndarray of shape (n,)
        Row numbers in the file.
    times : list of str
        Time of each row; empty without a time column.
    X : ndarray of shape (n, d)
        The encoded rows.
    tags : list of str
        Label of each row, or the key of its label if labels are in separate files.
    predicted : ndarray of shape (n,)
        Codes of the predicted classes; -1 before the first training.
    probas : ndarray of shape (n, k)
        Predicted probabilities, with the codes of the record as columns.
    last, majority : int
        Codes of the newest label and of the most frequent one that were known when the file was
        predicted; -1 before the first training.
    frequencies : ndarray of shape (j,)
        Class frequencies of the last 28 files whose labels were known.
    known_from : list of str, optional
        Time from which the label of each row is known, if the rows contain it.
    """

    number: int
    name: str
    rows: np.ndarray
    times: list[str]
    X: np.ndarray
    tags: list[str]
    predicted: np.ndarray
    probas: np.ndarray
    last: int
    majority: int
    frequencies: np.ndarray
    known_from: list[str] | None = None

    STATE: ClassVar[dict[str, schema.Field]] = {
        "number": schema.integer(0),
        "name": schema.word(),
        "rows": schema.integers("n", least=0),
        "times": schema.list_of(schema.word()),
        "X": schema.floats("n", "d", finite=False),
        "tags": schema.list_of(schema.word(), "n"),
        "predicted": schema.integers("n", least=-1),
        "probas": schema.floats("n", "k", least=0),
        "last": schema.integer(-1),
        "majority": schema.integer(-1),
        "frequencies": schema.floats("j", least=0),
        "known_from": schema.optional(schema.list_of(schema.word())),
    }

    @staticmethod
    def check_state(state: dict[str, Any]) -> None:
        """Raise InvalidStateError unless there is a time for each row, or none at all."""
        for name in ("times", "known_from"):
            if len(state.get(name) or ()) not in (0, len(state["rows"])):
                raise schema.InvalidStateError(f"PredictedFile: {name!r} does not match the rows")

    def __len__(self) -> int:
        return len(self.tags)

    @property
    def is_tested(self) -> bool:
        """Whether there was a model that could predict the rows."""
        return self.probas.shape[1] > 0

    @property
    def predictions(self) -> Predictions:
        """Predicted classes with their probabilities."""
        if not self.is_tested:
            return Predictions.none(len(self))
        chosen = self.probas[np.arange(len(self)), self.predicted]
        return Predictions(self.predicted, np.clip(chosen, 0.0, 1.0))

    @property
    def locations(self) -> list[list[Any]]:
        """Origin of each row: file, row and time."""
        times = self.times or [""] * len(self)
        return [[self.name, row, time] for row, time in zip(self.rows.tolist(), times)]

    def at(self, places: np.ndarray) -> PredictedFile:
        """Return the rows at these places."""
        some: dict[str, Any] = {}
        for each in fields(self):
            value = getattr(self, each.name)
            if each.name in ("rows", "X", "predicted", "probas"):
                some[each.name] = value[places]
            elif each.name in ("tags", "times", "known_from") and value:
                some[each.name] = [value[i] for i in places.tolist()]
        return replace(self, **some)

    def without(self, places: np.ndarray) -> PredictedFile:
        """Return the other rows."""
        return self.at(np.delete(np.arange(len(self)), places))
