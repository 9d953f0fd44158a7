"""An ensemble that learns a block of rows at a time."""

from __future__ import annotations

from typing import Any

import numpy as np

from driftlearn.base.chunk import Chunk
from driftlearn.base.committee import Committee
from driftlearn.base.models import columns_of, proba
from driftlearn.drift.block import BlockTest
from driftlearn.kernels.votes import blend
from driftlearn.online._soft_stumps import PackedRatios

PIECE = 4096


class Blocks:
    """The members, and the rows that wait until there is a block of them.

    Attributes
    ----------
    members : Committee
        The members, oldest first.
    test : BlockTest or None
        The test on the errors of the blocks.
    n_rows, filled : int
        Rows that have come; those of them that wait.
    X, y, w : arrays
        Room for a block of rows, of which the first `filled` are in use.
    """

    def __init__(self, n_features: int, classes: np.ndarray, size: int, test: BlockTest | None):
        self.members = Committee(classes)
        self.test = test
        self.n_rows = self.filled = 0
        self.X, self.w = np.zeros((size, n_features)), np.zeros(size)
        self.y = np.zeros(size, dtype=np.intp)

    def __getstate__(self) -> dict[str, Any]:
        waiting = {name: self.__dict__[name][: self.filled] for name in ("X", "y", "w")}
        return {**self.__dict__, **waiting, "size": len(self.y)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        size = state.pop("size")
        self.__dict__.update(state)
        for name in ("X", "y", "w"):
            rows = state[name]
            room = np.zeros((size, *rows.shape[1:]), dtype=rows.dtype)
            room[: self.filled] = rows
            self.__dict__[name] = room

    def __len__(self) -> int:
        return len(self.members)

    @property
    def packed(self) -> bool:
        """Whether members are asked packed, which may change the last bit of what they say."""
        return self.members._pack() is not None

    def take(self, X: np.ndarray, y: np.ndarray, w: np.ndarray) -> int:
        """Take in rows until the block is full; return how many."""
        n = min(len(y), len(self.y) - self.filled)
        room = slice(self.filled, self.filled + n)
        self.X[room], self.y[room], self.w[room] = X[:n], y[:n], w[:n]
        self.filled += n
        self.n_rows += n
        return n

    def block(self) -> Chunk:
        """Return the rows that wait."""
        here = slice(self.filled)
        return Chunk(
            self.X[here].copy(), self.y[here].copy(), self.w[here].copy(), self.members.classes
        )

    def scores(self, X: np.ndarray) -> np.ndarray:
        """Return the mean of the members' probabilities; without any, the first class to wait."""
        scores = np.zeros((len(X), len(self.members.classes)))
        if len(self.members):
            for k in range(0, len(X), PIECE):
                scores[k : k + PIECE] = self._total(X[k : k + PIECE]) / len(self.members)
        elif self.filled:
            scores[:, self.y[: self.filled].min()] = 1.0
        return scores

    def _total(self, X: np.ndarray) -> np.ndarray:
        packed = self.members._pack()
        if isinstance(packed, PackedRatios):
            return packed.total(X, len(self.members.classes))
        return blend(self.members.probas(X), np.ones(len(self.members)))

    def say(self, which: list[int], X: np.ndarray) -> np.ndarray:
        """Return what members at these positions say, (members, rows, classes)."""
        some = self.members.draft()
        some.keep(which)
        if self.packed:
            return some.probas(X)
        probas = np.zeros((len(which), len(X), len(some.classes)))
        for k, model in enumerate(some):
            probas[k][:, columns_of(model, some.classes)] = proba(model, X)
        return probas

    def widen(self, positions: np.ndarray, classes: np.ndarray) -> None:
        """Take note that the classes are these now, old class ``c`` at ``positions[c]``."""
        self.members.widen(classes)
        self.y = positions[self.y]
        if len(self.members):
            met = np.zeros((len(self.members), len(classes)))
            met[:, positions] = self.members["met"]
            self.members["met"] = met

    def describe(self) -> dict[str, Any]:
        """Return a table of the members, as a dict of columns."""
        m = len(self.members)
        return {
            "id": self.members["id"].astype(np.int64),
            "born": self.members["born"].astype(np.int64),
            "weight": np.full(m, 1 / max(m, 1)),
            "error": self.members["error"],
            "classes": self.members["met"].reshape(m, len(self.members.classes)),
            "size": [getattr(model, "size_", None) for model in self.members],
        }
