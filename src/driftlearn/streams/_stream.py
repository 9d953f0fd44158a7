"""What every stream is: a description that makes its rows only when it is iterated."""

from __future__ import annotations

import inspect
from bisect import bisect_right
from collections.abc import Iterator, Mapping
from functools import cached_property
from itertools import repeat
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np

from driftlearn.utils.abstract import unwritten
from driftlearn.utils.arguments import check_positive
from driftlearn.utils.typing import Floats, Labels, Rows

Span = tuple[int, int | None]
TO_BE_SET = frozenset(
    ["n_rows", "n_features", "classes", "feature_names", "chunk_size", "name", "random_state"]
)  # by whoever writes a stream


class Batch(NamedTuple):
    """Consecutive rows of a stream.

    Attributes
    ----------
    X : ndarray of shape (n, n_features)
        The rows, float64 in C order.
    y : ndarray of shape (n,)
        Their labels.
    start : int
        Position of the first of these rows in the stream.
    """

    X: Floats
    y: Labels
    start: int


class Stream:
    """A lazy description of rows that arrive one after another.

    Nothing is generated or read before the stream is iterated, so a stream can be printed, pickled
    and sent to another machine at no cost, and iterating it twice gives the same rows twice. Which
    rows these are depends neither on the chunk size nor on the row at which the reading starts.

    Attributes
    ----------
    n_rows : int or None
        Number of rows; None if it is unlimited.
    n_features : int
        Number of columns of `X`.
    classes : ndarray
        All labels that may occur, sorted.
    feature_names : list of str
        One name a column.
    chunk_size : int or None
        Rows in a chunk where the reader does not ask for another number; None where the stream
        consists of data sets of its own sizes.
    name : str
        A short name for tables and plots.
    """

    STATE: ClassVar[dict[str, Any]] = {}  # all of it is looked at where it is used

    n_rows: int | None
    n_features: int
    classes: Labels
    feature_names: list[str]
    chunk_size: int | None
    name: str
    _given: Mapping[str, Any] = {}
    _drawable = False  # whether rows of any position can be drawn again and again

    if not TYPE_CHECKING:  # or every misspelt name would be some attribute of unknown type

        def __getattr__(self, name):
            if name in TO_BE_SET:
                raise AttributeError(
                    f"the class {type(self).__name__} must set {name}: see the attributes of "
                    "Stream, and random_state of GeneratedStream"
                )
            return object.__getattribute__(self, name)  # says what is missing, and where

    @property
    def drift_spans(self) -> list[Span]:
        """The changes as (first row, row from which the new concept is complete).

        The two are equal for an abrupt change. A stream that changes all the time has one span
        from row 0 to its end.
        """
        return []

    @property
    def drifts(self) -> list[int]:
        """The rows at which a new concept starts, or starts to come in; sorted, without row 0."""
        return [start for start, _ in self.drift_spans if start > 0]

    def concept_at(self, row: int) -> Any:
        """Tell what is in force at a row: a threshold, an angle, a rule, a data set's number.

        A stream that does not say it in words of its own gives the number of changes so far.
        """
        return bisect_right(self.drifts, self._check_row(row))

    def chunks(self, chunk_size: int | None = None, start: int = 0) -> Iterator[Batch]:
        """Read the stream from row `start` on, in chunks.

        Parameters
        ----------
        chunk_size : int, default=None
            Rows in a chunk, the last one being shorter where the stream ends. None takes the
            stream's own.
        start : int, default=0
            The row to begin with: a reader that stopped after row ``start - 1`` goes on as if it
            never had.

        Returns
        -------
        iterator of Batch
        """
        if chunk_size is not None:
            chunk_size = check_positive("chunk_size", chunk_size)
        if start < 0:
            raise ValueError(f"start must be a row of the stream, 0 or more; got {start}")
        sizes = self._sizes(start) if chunk_size is None else repeat(chunk_size)
        return _recut(self._checked_pieces(start), sizes, start)

    def __iter__(self) -> Iterator[Batch]:
        return self.chunks()

    def take(self, n: int) -> Rows:
        """Give the first `n` rows as ``(X, y)``."""
        batch = next(self.chunks(n), None)
        found = 0 if batch is None else len(batch.y)
        if batch is None or found < n:
            raise ValueError(f"{n} rows were asked for, but {self.name} has only {found}")
        return batch.X, batch.y

    def test_set(self, row: int, n: int | None = None, random_state: int | None = None) -> Rows:
        """Draw rows of the concept in force at `row` that are no rows of the stream.

        Parameters
        ----------
        row : int
            The row whose concept is to be tested.
        n : int, default=None
            Number of test rows; None takes the number that the stream's experiment uses.
        random_state : int, default=None
            Seed of the draw. None derives it from the stream's own seed and `row`, so that the
            same call gives the same test set.

        Returns
        -------
        X : ndarray of shape (n, n_features)
        y : ndarray of shape (n,)
        """
        raise ValueError(
            f"the stream {type(self).__name__} has no test_set(row, n, random_state), by which "
            "hold-out tests draw rows of their own: write one, or use another protocol"
        )

    def params(self) -> dict[str, Any]:
        """Give the arguments with which an equal stream can be constructed."""
        names = list(inspect.signature(type(self).__init__).parameters)[1:]
        given = self._given
        return {name: given[name] if name in given else getattr(self, name) for name in names}

    def _seeded(self, seed: int) -> Stream:
        """Give this stream with another seed; one that has none, or this one, as it is."""
        params = self.params()
        if params.get("random_state", seed) == seed:
            return self
        made = type(self)(**{**params, "random_state": seed})
        made.name = self.name
        return made

    def __repr__(self) -> str:
        signature = inspect.signature(type(self).__init__).parameters
        shown = [
            f"{name}={value!r}"
            for name, value in self.params().items()
            if not _same(value, signature[name].default)
        ]
        return f"{type(self).__name__}({', '.join(shown)})"

    def __getstate__(self) -> dict[str, Any]:
        kinds = [vars(kind) for kind in type(self).__mro__]
        lazy = {key for kind in kinds for key, v in kind.items() if isinstance(v, cached_property)}
        return {key: value for key, value in vars(self).items() if key not in lazy}

    def _pieces(self, start: int) -> Iterator[Rows]:
        """Yield all rows from `start` on, in pieces of whatever size is convenient."""
        raise unwritten(self, "_pieces(start)", "yield pairs (X, y) of the rows from `start` on")

    def _checked_pieces(self, start: int) -> Iterator[Rows]:
        for X, y in self._pieces(start):
            if np.shape(X) != (*np.shape(y), self.n_features):
                raise ValueError(
                    f"the stream {self.name} gives X of shape {np.shape(X)} and y of shape "
                    f"{np.shape(y)}, where it has {self.n_features} features"
                )
            yield X, y

    def _sizes(self, start: int) -> Iterator[int]:
        """Yield the sizes of the stream's own chunks from row `start` on."""
        assert self.chunk_size is not None
        return repeat(self.chunk_size)

    def _check_row(self, row: int) -> int:
        if row < 0 or (self.n_rows is not None and row >= self.n_rows):
            raise ValueError(f"row must be one of the {self.n_rows} rows of the stream; got {row}")
        return int(row)


def _recut(pieces: Iterator[Rows], sizes: Iterator[int], row: int) -> Iterator[Batch]:
    """Turn pieces of any sizes into batches of the asked ones, holding one batch at a time."""
    X, y, at = np.empty((0, 0)), np.empty(0), 0
    for size in sizes:
        parts = []
        missing = size
        while missing:
            if at == len(y):
                piece = next(pieces, None)
                if piece is None:
                    break
                X, y, at = *piece, 0
            stop = min(at + missing, len(y))
            parts.append((X[at:stop], y[at:stop]))
            missing -= stop - at
            at = stop
        if missing < size:
            all_X, all_y = zip(*parts)
            one = len(parts) == 1
            yield Batch(
                all_X[0] if one else np.concatenate(all_X),
                all_y[0] if one else np.concatenate(all_y),
                row,
            )
            row += size - missing
        if missing:
            return


def _same(value: Any, default: Any) -> bool:
    return value is default or (type(value) is type(default) and bool(np.all(value == default)))
