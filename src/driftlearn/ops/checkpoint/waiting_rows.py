"""Rows that were predicted and wait for their labels, encoded."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from driftlearn.io.schema import Field, InvalidStateError, dict_of, floats, integers, list_of, word


class WaitingRows:
    """Rows in the order in which they came, with what was said of them.

    Attributes
    ----------
    X : ndarray of shape (n, d)
        The encoded rows.
    tags : list of str
        For each row its label, if it is only learned later, or else the key of its label.
    said : ndarray of shape (n,)
        The code of what was said, in the record's classes; -1 for nothing.
    confidence : ndarray of shape (n,)
        The probability of what was said.
    places : list of [file, row, time]
        Where each row was.
    early : dict of str to str
        Labels that came before their rows, by key.
    """

    STATE: ClassVar[dict[str, Field]] = {
        "X": floats("n", "d", finite=False),
        "tags": list_of(word(), "n"),
        "said": integers("n", least=-1),
        "confidence": floats("n"),
        "places": list_of(list_of(Field(lambda value, _: None)), "n"),
        "early": dict_of(word()),
    }

    def __init__(self) -> None:
        self.X = np.zeros((0, 0))
        self.tags: list[str] = []
        self.said = np.zeros(0, dtype=np.int64)
        self.confidence = np.zeros(0)
        self.places: list[list[Any]] = []
        self.early: dict[str, str] = {}

    @staticmethod
    def check_state(state: dict[str, Any]) -> None:
        """Raise ValueError unless every place is a file, a row and a time."""
        for place in state["places"]:
            if len(place) != 3 or not isinstance(place[1], int):
                raise InvalidStateError("rows that wait and came from nowhere")

    def __len__(self) -> int:
        return len(self.tags)

    def add(
        self,
        X: np.ndarray,
        tags: list[str],
        said: np.ndarray,
        confidence: np.ndarray,
        places: list[list[Any]],
    ) -> None:
        """Let rows wait, behind those that do."""
        self.X = np.concatenate([self.X, X]) if len(self.X) else X.copy()
        self.tags = [*self.tags, *tags]
        self.said = np.concatenate([self.said, said])
        self.confidence = np.concatenate([self.confidence, confidence])
        self.places = [*self.places, *places]

    def take(self, rows: np.ndarray) -> WaitingRows:
        """Return rows by position, in that order; they wait no longer."""
        gone = WaitingRows()
        stay = np.ones(len(self), dtype=bool)
        stay[rows] = False
        kept = np.flatnonzero(stay)
        for name in ("X", "said", "confidence"):
            values = getattr(self, name)
            setattr(gone, name, values[rows])
            setattr(self, name, values[kept])
        for name in ("tags", "places"):
            items = getattr(self, name)
            setattr(gone, name, [items[i] for i in rows.tolist()])
            setattr(self, name, [items[i] for i in kept.tolist()])
        return gone
