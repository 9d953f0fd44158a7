"""Rows that belong together."""

from __future__ import annotations

from functools import cached_property
from typing import Any, ClassVar, TypeVar

import numpy as np

from driftlearn.base._presort import presort, thinned
from driftlearn.base.row_weights import draw
from driftlearn.io.schema import (
    Field,
    InvalidStateError,
    a,
    either,
    flag,
    floats,
    integers,
    labels,
    optional,
)
from driftlearn.tables.passthrough import PassthroughRows, joined

Value = TypeVar("Value")


class once(cached_property[Value]):
    """Python's `cached_property` as it is from 3.12 on.

    Before, it has a lock for which the chunks of all threads wait, while one of them is sorted.
    """

    def __get__(self, chunk: Any, owner: Any = None) -> Any:
        if chunk is None:
            return self
        value = chunk.__dict__[self.attrname] = self.func(chunk)
        return value


def same_labels(these: np.ndarray, those: np.ndarray) -> bool:
    """Say whether two lists of labels are the same; mostly they are the same object."""
    return these is those or (len(these) == len(those) and bool((these == those).all()))


class Chunk:
    """Rows that belong together: features, class codes, weights.

    Attributes
    ----------
    X : ndarray of shape (n, d)
        Features, C-ordered float64, or `PassthroughRows` that the base learner takes instead.
    y : ndarray of shape (n,)
        Codes into `classes`.
    w : ndarray of shape (n,)
        Row weights, all positive; a row of weight two counts as two rows.
    classes : ndarray
        The sorted labels known when the chunk was cut.
    """

    STATE: ClassVar[dict[str, Field]] = {
        "X": either(PassthroughRows, floats("rows", "features", missing=True)),
        "classes": labels("classes"),
        "y": integers("rows", least=0, below="classes"),
        "w": floats("rows", least=0),
        "_same_rows_as": optional(a("Chunk")),
        "present": optional(integers("present", least=0, below="classes")),
        "order": optional(integers("features", "rows", least=0, below="rows")),
        "even": optional(flag()),
    }

    _part_of: tuple[Chunk, np.ndarray] | None = None
    _begins_with: Chunk | None = None

    def __init__(
        self,
        X: np.ndarray,
        y: np.ndarray,
        w: np.ndarray,
        classes: np.ndarray,
        same_rows_as: Chunk | None = None,
    ):
        self.X, self.y, self.w, self.classes = X, y, w, classes
        self._same_rows_as = same_rows_as

    def __len__(self) -> int:
        return len(self.y)

    @staticmethod
    def check_state(state: dict[str, Any]) -> None:
        """Raise ValueError unless the chunk that has the same rows has as many, and all a label."""
        same = state["_same_rows_as"]
        if same is not None and same.X.shape != state["X"].shape:
            raise InvalidStateError("a chunk that has the same rows as one of another shape")
        if len(state["X"]) != len(state["y"]):
            raise InvalidStateError("a chunk of another number of rows than labels")

    @property
    def labels(self) -> np.ndarray:
        """The labels in the user's own language."""
        labels: np.ndarray = self.classes[self.y]
        return labels

    @once
    def present(self) -> np.ndarray:
        """Codes of the classes that occur, ascending."""
        return np.flatnonzero(np.bincount(self.y))

    @property
    def occurring(self) -> np.ndarray:
        """The labels that occur, sorted: `classes` itself where all do, so that models share it."""
        all_do = len(self.present) == len(self.classes)
        labels: np.ndarray = self.classes if all_do else self.classes[self.present]
        return labels

    @once
    def order(self) -> np.ndarray:
        """Every feature's rows in ascending order: one sort, shared by all trees of the chunk."""
        if self._part_of is not None:
            whole, rows = self._part_of
            order: np.ndarray = thinned(whole.order, rows)
            return order
        if self._begins_with is not None:
            known = self._begins_with.order
            return np.vstack([known, presort(self.X, len(known))])
        return presort(self.X) if self._same_rows_as is None else self._same_rows_as.order

    @once
    def even(self) -> bool:
        """Whether all rows have the same weight."""
        return bool((self.w == self.w[0]).all())

    def at(self, rows: np.ndarray | slice) -> Chunk:
        """Return the chunk made of these rows, in this order, repeats included."""
        return Chunk(self.X[rows], self.y[rows], self.w[rows], self.classes)

    def part(self, rows: np.ndarray) -> Chunk:
        """Return the chunk of the rows in a mask: what is sorted here need not be sorted there."""
        part = self.at(rows)
        part._part_of = self, rows
        return part

    def with_features(self, X: np.ndarray) -> Chunk:
        """Return the rows with other features, the first of which are those that they have here."""
        other = Chunk(X, self.y, self.w, self.classes)
        other._begins_with = self
        return other

    def copied(self) -> Chunk:
        """Return the same rows in arrays of their own, to be kept: the caller's may change."""
        return Chunk(self.X.copy(), self.y.copy(), self.w.copy(), self.classes)

    def then(self, other: Chunk) -> Chunk:
        """Return these rows followed by the other's, which has the same class list."""
        X, y = joined([self.X, other.X]), np.concatenate([self.y, other.y])
        return Chunk(X, y, np.concatenate([self.w, other.w]), self.classes)

    def weighted(self, w: np.ndarray) -> Chunk:
        """Return the same rows with other weights; rows of weight zero are absent."""
        keep = w > 0
        if not keep.all():
            return Chunk(self.X[keep], self.y[keep], w[keep], self.classes)
        return Chunk(self.X, self.y, w, self.classes, self)

    def drawn(
        self,
        w: np.ndarray,
        rng: np.random.Generator,
        *,
        cover: bool = True,
        size: int | None = None,
        replace: bool = True,
    ) -> Chunk:
        """Return rows drawn with probability proportional to `w`, each of weight one.

        With `cover` every class that is present here is present there; `size` and `replace` are
        those of `driftlearn.parts.draw`.
        """
        rows = draw(w, self.y if cover else None, rng, size, replace)
        return Chunk(self.X[rows], self.y[rows], np.ones(len(rows)), self.classes)

    def with_classes(self, classes: np.ndarray) -> Chunk:
        """Return the same rows with codes into another class list that has all labels present."""
        if same_labels(classes, self.classes):
            return self
        y = np.searchsorted(classes, self.classes)[self.y]
        return Chunk(self.X, y, self.w, classes, self)
