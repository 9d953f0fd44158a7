"""Chunks, which are the rows of one training step, and distributions over their rows."""

from __future__ import annotations

from functools import cached_property
from typing import Any, ClassVar, TypeVar

import numpy as np

from driftlearn.base._presort import presort, thinned
from driftlearn.io import schema
from driftlearn.tables.passthrough import PassthroughRows, joined
from driftlearn.utils.arguments import Floats, Ints, Values

Value = TypeVar("Value")

WEAK = 0.5  # a member with a larger error is worse than chance
# errors are rounded: coarser than rounding noise, finer than any meaningful difference
DECIMALS = 12


class once(cached_property[Value]):
    """`cached_property` without a lock, as in Python 3.12 and later.

    In earlier versions all instances share a lock: while the rows of one chunk are sorted, threads
    that sort other chunks would wait.
    """

    def __get__(self, chunk: Any, owner: Any = None) -> Any:
        if chunk is None:
            return self
        value = chunk.__dict__[self.attrname] = self.func(chunk)
        return value


def same_labels(these: np.ndarray, those: np.ndarray) -> bool:
    """Return whether two label lists are equal; usually they are the same object."""
    return these is those or (len(these) == len(those) and bool((these == those).all()))


class Chunk:
    """Rows of one training step: features, class codes and weights.

    Attributes
    ----------
    X : ndarray of shape (n, d)
        Features, C-ordered float64, or `PassthroughRows` that the base learner takes instead.
    y : ndarray of shape (n,)
        Codes into `classes`.
    w : ndarray of shape (n,)
        Row weights, all positive; a row of weight two counts as two rows.
    classes : ndarray
        The sorted labels that were known when the chunk was created.
    """

    STATE: ClassVar[dict[str, schema.Field]] = {
        "X": schema.either(PassthroughRows, schema.floats("rows", "features", missing=True)),
        "classes": schema.labels("classes"),
        "y": schema.integers("rows", least=0, below="classes"),
        "w": schema.floats("rows", least=0),
        "_same_rows_as": schema.optional(schema.a("Chunk")),
        "present": schema.optional(schema.integers("present", least=0, below="classes")),
        "order": schema.optional(schema.integers("features", "rows", least=0, below="rows")),
        "even": schema.optional(schema.flag()),
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
        """Raise ValueError unless shapes agree, including the chunk that shares the rows."""
        same = state["_same_rows_as"]
        if same is not None and same.X.shape != state["X"].shape:
            raise schema.InvalidStateError(
                "a chunk shares its rows with a chunk of a different shape"
            )
        if len(state["X"]) != len(state["y"]):
            raise schema.InvalidStateError("a chunk has different numbers of rows and labels")

    @property
    def n_features(self) -> int:
        """The number of columns."""
        return self.X.shape[1]

    @property
    def labels(self) -> np.ndarray:
        """The original labels."""
        return self.classes[self.y]

    @once
    def present(self) -> np.ndarray:
        """The codes of the classes that occur, ascending."""
        return np.flatnonzero(np.bincount(self.y))

    @property
    def occurring(self) -> np.ndarray:
        """The labels that occur, sorted; `classes` itself if all occur, so that models share it."""
        if len(self.present) == len(self.classes):
            return self.classes
        return self.classes[self.present]

    @once
    def order(self) -> np.ndarray:
        """Row order by ascending value of each feature, sorted once for all trees of the chunk."""
        if self._part_of is not None:
            whole, rows = self._part_of
            return thinned(whole.order, rows)
        if self._begins_with is not None:
            known = self._begins_with.order
            return np.vstack([known, presort(self.X, len(known))])
        return presort(self.X) if self._same_rows_as is None else self._same_rows_as.order

    @once
    def even(self) -> bool:
        """Whether all rows have equal weights."""
        return bool((self.w == self.w[0]).all())

    def at(self, rows: np.ndarray | slice) -> Chunk:
        """Return a chunk of these rows, in this order; rows may be repeated."""
        return Chunk(self.X[rows], self.y[rows], self.w[rows], self.classes)

    def part(self, rows: np.ndarray) -> Chunk:
        """Return a chunk of the rows in a boolean mask, which reuses the sorted order."""
        part = self.at(rows)
        part._part_of = self, rows
        return part

    def with_features(self, X: np.ndarray) -> Chunk:
        """Return a chunk with more features; the first columns of `X` are the current ones."""
        other = Chunk(X, self.y, self.w, self.classes)
        other._begins_with = self
        return other

    def copied(self) -> Chunk:
        """Return the same rows in new arrays, because the caller may reuse the old ones."""
        return Chunk(self.X.copy(), self.y.copy(), self.w.copy(), self.classes)

    def then(self, other: Chunk) -> Chunk:
        """Return these rows followed by those of another chunk with the same class list."""
        X, y = joined([self.X, other.X]), np.concatenate([self.y, other.y])
        return Chunk(X, y, np.concatenate([self.w, other.w]), self.classes)

    def weighted(self, w: np.ndarray) -> Chunk:
        """Return the same rows with other weights, without rows of weight zero."""
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

        With `cover` the sample contains every class of the chunk; `size` and `replace` are those of
        `driftlearn.base.draw`.
        """
        rows = draw(w, self.y if cover else None, rng, size, replace)
        return Chunk(self.X[rows], self.y[rows], np.ones(len(rows)), self.classes)

    def with_classes(self, classes: np.ndarray) -> Chunk:
        """Return the same rows encoded by another class list that contains all their labels."""
        if same_labels(classes, self.classes):
            return self
        y = np.searchsorted(classes, self.classes)[self.y]
        return Chunk(self.X, y, self.w, classes, self)


def weighted_error(wrong: Values, D: Floats) -> Floats:
    """Return each member's error under a distribution over the rows.

    It is rounded to `DECIMALS`, so errors of one half and ties do not depend on the order of
    summation.

    Examples
    --------
    >>> weighted_error(np.array([[True, False], [True, True]]), np.array([0.25, 0.75]))
    array([0.25, 1.  ])
    """
    return np.round((wrong * D).sum(axis=-1) / D.sum(), DECIMALS)


def to_distribution(w: Floats) -> Floats:
    """Return weights divided by their sum."""
    return w / w.sum()


def penalize(w: Floats, wrong: Values) -> Floats:
    """Reduce the weights of rows that the ensemble predicts correctly (Learn++.NSE, steps 1, 2).

    Their weights are multiplied by the ensemble's error, then all are normalized. If the ensemble
    makes no error, the weights stay as they are.

    Examples
    --------
    >>> penalize(np.ones(4), np.array([True, False, False, False])) * 7
    array([4., 1., 1., 1.])
    """
    D = to_distribution(w)
    error = float(D[wrong].sum())
    if error == 0:
        return D
    return to_distribution(D * np.where(wrong, 1.0, error))


def stress(D: Floats, right: Values, rest: Floats) -> Floats:
    """Reduce the weights of rows that a composite predicts correctly (Learn++, composite error).

    With the composite's error E, clipped to 1/2, these weights are multiplied by E / (1 - E), then
    all are normalized. If it makes no error, the distribution is reset to `rest`.

    Examples
    --------
    >>> D = np.full(4, 0.25)
    >>> stress(D, np.array([False, True, True, True]), D) * 6
    array([3., 1., 1., 1.])
    """
    error = min(float(weighted_error(~right, D)), WEAK)
    if error == 0:
        return rest
    return to_distribution(D * np.where(right, error / (1.0 - error), 1.0))


def draw(
    w: Floats,
    y: Ints | None,
    rng: np.random.Generator,
    size: int | None = None,
    replace: bool = True,
) -> Ints:
    """Draw row numbers with probability proportional to `w`, covering every class of `y`.

    If a class is missing from the sample, a random drawn row of a class that has at least two is
    replaced by a random row of the missing class.

    Parameters
    ----------
    w : ndarray of shape (n,)
        Weights.
    y : ndarray of shape (n,) or None
        Class codes; None if classes may be missing.
    rng : numpy.random.Generator
        Source of randomness.
    size : int, optional
        Number of rows to draw; `n` by default.
    replace : bool
        Whether a row may be drawn more than once.

    Returns
    -------
    ndarray of int

    Examples
    --------
    >>> rows = draw(np.array([1.0, 1.0, 1e-9]), np.array([0, 0, 1]), np.random.default_rng(0))
    >>> 2 in rows
    True
    """
    rows = rng.choice(len(w), size=len(w) if size is None else size, replace=replace, p=w / w.sum())
    if y is None:
        return rows
    for missing in np.setdiff1d(y, y[rows]):
        counts = np.bincount(y[rows])
        spare = np.flatnonzero(counts[y[rows]] >= 2)
        if len(spare):
            position = rng.choice(spare)
            rows[position] = rng.choice(np.flatnonzero(y == missing))
    return rows


def draw_by_inversion(w: Floats, rng: np.random.Generator) -> Ints:
    """Draw n row numbers from n rows, with replacement, proportionally to `w`.

    Inverse transform sampling: each row is the first at which the cumulative weights exceed a
    uniform number. The numbers are drawn in one call of the generator.

    Examples
    --------
    >>> draw_by_inversion(np.array([0.0, 1.0, 0.0]), np.random.default_rng(0))
    array([1, 1, 1])
    """
    shares = np.cumsum(w) / np.sum(w)
    rows: Ints = np.searchsorted(shares, rng.random(len(w)), side="right")
    return np.minimum(rows, len(w) - 1)


def folds(y: Ints, n_folds: int) -> Ints | None:
    """Return stratified folds, without randomness.

    Rows are assigned class by class, in order, round robin. With fewer rows than folds there are
    two folds. If a class has a single row, cross-validation is not possible.

    Returns
    -------
    ndarray of int or None
        The fold of each row, or None.

    Examples
    --------
    >>> folds(np.array([0, 1, 0, 1]), 2)
    array([0, 0, 1, 1])
    """
    n = len(y)
    if n < 2 or np.unique(y, return_counts=True)[1].min() < 2:
        return None
    fold = np.empty(n, dtype=int)
    fold[np.argsort(y, kind="stable")] = np.arange(n) % (n_folds if n >= n_folds else 2)
    return fold
