"""Base class of all streams."""

from __future__ import annotations

import inspect
import json
from bisect import bisect_right
from collections.abc import Iterator, Mapping
from functools import cached_property
from itertools import repeat
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np

from driftlearn.utils import arguments
from driftlearn.utils.arguments import Floats, Ints, Labels, Rows, check_positive
from driftlearn.utils.arguments import check_seed as check_seed
from driftlearn.utils.other_names import STREAM, WithOtherNames, WithOtherParameters

Span = tuple[int, int | None]
# Roles of random generators, which are part of their seeds: changing them changes the rows of every
# stream.
TRAIN, TEST, MODEL = 0, 1, 2
TO_BE_SET = frozenset(
    ["n_rows", "n_features", "classes", "feature_names", "chunk_size", "name", "random_state"]
)  # attributes that subclasses must set


class _Pair(NamedTuple):
    X: Floats
    y: Labels


class Batch(_Pair):
    """Consecutive rows of a stream with their labels: a pair ``(X, y)``.

    Attributes
    ----------
    X : ndarray of shape (n, n_features)
        The rows, float64 in C order.
    y : ndarray of shape (n,)
        The labels.
    start : int
        Position of the first of these rows in the stream.
    """

    start: int

    def __new__(cls, X: Floats, y: Labels, start: int) -> Batch:
        """Create a batch."""
        batch = super().__new__(cls, X, y)
        batch.start = start
        return batch

    def __getnewargs__(self) -> Any:
        return self.X, self.y, self.start


class Stream(WithOtherNames, WithOtherParameters):
    """Base class of streams: lazy descriptions of rows in their order of arrival.

    Nothing is generated or read before the stream is iterated, so it is cheap to print or pickle a
    stream or send it to another machine. Iterating twice returns the same rows twice. The rows
    depend neither on the chunk size nor on the row at which reading starts.

    Attributes
    ----------
    n_rows : int or None
        Number of rows; None for an unlimited stream.
    n_features : int
        Number of columns of `X`.
    classes : ndarray
        All labels that may occur, sorted.
    feature_names : list of str
        One name per column.
    chunk_size : int or None
        Default number of rows of a chunk; None if the chunks of the stream have different sizes.
    name : str
        Short name in tables and plots.
    """

    STATE: ClassVar[dict[str, Any]] = {}  # values are validated where they are used
    OTHER_NAMES = STREAM

    n_rows: int | None
    n_features: int
    classes: Labels
    feature_names: list[str]
    chunk_size: int | None
    name: str
    random_state: Any
    _given: Mapping[str, Any] = {}
    _positive: ClassVar[tuple[str, ...]] = ()
    _ranges: ClassVar[Mapping[str, str]] = {}
    _drawable = False  # whether any number of rows can be drawn at any position

    # If type checkers saw `__getattr__`, they would accept any misspelled attribute.
    if not TYPE_CHECKING:

        def __getattr__(self, name):
            if name in TO_BE_SET:
                raise AttributeError(
                    f"Class {type(self).__name__} must set the attribute {name!r}. See the "
                    "attributes of Stream, and random_state of GeneratedStream."
                )
            return object.__getattribute__(self, name)  # raises the usual AttributeError

    @property
    def drift_spans(self) -> list[Span]:
        """The drifts as pairs (first row, row from which the new concept holds).

        Both rows are equal for an abrupt drift. A stream that changes continuously has a single
        span from row 0 to its end.
        """
        return []

    @property
    def drifts(self) -> list[int]:
        """The rows at which drifts start, sorted, without row 0."""
        return [start for start, _ in self.drift_spans if start > 0]

    def concept_at(self, row: int) -> Any:
        """Return the concept at a row, for example a threshold, an angle, a rule or a number.

        By default it is the number of drifts up to this row.
        """
        return bisect_right(self.drifts, self._check_row(row))

    def chunks(self, chunk_size: int | None = None, start: int = 0) -> Iterator[Batch]:
        """Return an iterator over the chunks of the stream from row `start` on.

        Parameters
        ----------
        chunk_size : int, default=None
            Number of rows of a chunk; the last chunk may be shorter. None uses the default of the
            stream.
        start : int, default=0
            The first row, for example to resume reading after row ``start - 1``.

        Returns
        -------
        iterator of Batch
        """
        if chunk_size is not None:
            chunk_size = check_positive("chunk_size", chunk_size)
        if start < 0:
            raise arguments.invalid("start", "an int in the range [0, inf)", start)
        sizes = self._sizes(start) if chunk_size is None else repeat(chunk_size)
        return _recut(self._checked_pieces(start), sizes, start)

    def __iter__(self) -> Iterator[Batch]:
        return self.chunks()

    def take(self, n: int) -> Rows:
        """Return the first `n` rows as ``(X, y)``."""
        batch = next(self.chunks(n), None)
        found = 0 if batch is None else len(batch.y)
        if batch is None or found < n:
            raise ValueError(f"'n' must be at most {found}, the rows of {self.name}. Got {n}.")
        return batch.X, batch.y

    def test_set(self, row: int, n: int | None = None, random_state: int | None = None) -> Rows:
        """Return rows of the concept at `row` that are not part of the stream.

        Parameters
        ----------
        row : int
            The row whose concept is tested.
        n : int, default=None
            Number of test rows; None uses the default of the stream.
        random_state : int, default=None
            Seed of the draw. None derives it from the seed of the stream and `row`, so equal calls
            return equal test sets.

        Returns
        -------
        X : ndarray of shape (n, n_features)
        y : ndarray of shape (n,)
        """
        raise ValueError(
            f"Stream {type(self).__name__} does not implement test_set(row, n, random_state), "
            "which holdout evaluation needs. Implement it, or use another protocol."
        )

    def _check_params(self) -> None:
        """Check the parameters in `_positive` and `_ranges`; check or draw the seed."""
        for name in self._positive:
            setattr(self, name, check_positive(name, getattr(self, name)))
        for name, interval in self._ranges.items():
            setattr(self, name, arguments.check_range(name, getattr(self, name), interval))
        self.random_state = check_seed(self.random_state)

    def params(self) -> dict[str, Any]:
        """Return the constructor arguments that recreate the stream."""
        names = list(inspect.signature(type(self).__init__).parameters)[1:]
        given = self._given
        return {name: given[name] if name in given else getattr(self, name) for name in names}

    def _seeded(self, seed: int) -> Stream:
        """Return a copy with another seed, or the stream itself if its seed need not change."""
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
        """Yield all rows from `start` on, in blocks of any size."""
        raise arguments.unwritten(
            self, "_pieces(start)", "yield pairs (X, y) of the rows from `start` on"
        )

    def _checked_pieces(self, start: int) -> Iterator[Rows]:
        for X, y in self._pieces(start):
            if np.shape(X) != (*np.shape(y), self.n_features):
                raise ValueError(
                    f"Stream {self.name} yields X of shape {np.shape(X)} and y of shape "
                    f"{np.shape(y)}, but its n_features is {self.n_features}."
                )
            yield X, y

    def _sizes(self, start: int) -> Iterator[int]:
        """Yield the default chunk sizes of the stream from row `start` on."""
        assert self.chunk_size is not None
        return repeat(self.chunk_size)

    def _rng(
        self, role: int, index: int = 0, random_state: int | None = None
    ) -> np.random.Generator:
        """Return the generator for a role at a row or block; `random_state` overrides the seed."""
        seed = self.random_state if random_state is None else check_seed(random_state)
        return np.random.default_rng([seed, index, role])

    def _check_row(self, row: int) -> int:
        if row < 0 or (self.n_rows is not None and row >= self.n_rows):
            raise arguments.invalid("row", f"an int in the range [0, {self.n_rows or 'inf'})", row)
        return int(row)


class DataSetStream(Stream):
    """Base class for streams of data sets D1, D2, ..., which are its chunks.

    Subclasses set `sizes` and implement `_dataset`, which generates one data set independently of
    the others.

    Attributes
    ----------
    sizes : tuple of int
        Number of rows of each data set.
    """

    sizes: tuple[int, ...]
    chunk_size: int | None = None

    def _dataset(self, k: int) -> Rows:
        """Return data set number `k`."""
        raise NotImplementedError

    @property
    def drift_spans(self) -> list[Span]:
        """The starts of all data sets but the first, each an abrupt drift."""
        return [(int(start), int(start)) for start in self._ends[:-1]]

    def concept_at(self, row: int) -> Any:
        """Return the number of the data set that contains a row, from 0."""
        return self._number(row)

    def _number(self, row: int) -> int:
        return int(np.searchsorted(self._ends, self._check_row(row), side="right"))

    @property
    def _ends(self) -> Ints:
        return np.cumsum(self.sizes)

    def _pieces(self, start: int) -> Iterator[Rows]:
        for k, (size, end) in enumerate(zip(self.sizes, self._ends)):
            if start < end:
                X, y = self._dataset(k)
                skip = max(start - (end - size), 0)
                yield X[skip:], y[skip:]

    def _sizes(self, start: int) -> Iterator[int]:
        for size, end in zip(self.sizes, self._ends):
            if start < end:
                yield int(min(size, end - start))


def read_json(name: str) -> Any:
    """Return the content of a JSON file of this package."""
    return json.loads(Path(__file__).with_name(f"{name}.json").read_text("utf-8"))


def _recut(pieces: Iterator[Rows], sizes: Iterator[int], row: int) -> Iterator[Batch]:
    """Yield batches of the given sizes from blocks of any size."""
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
            all_X, all_y = parts[0] if len(parts) == 1 else map(np.concatenate, zip(*parts))
            yield Batch(all_X, all_y, row)
            row += size - missing
        if missing:
            return


def _same(value: Any, default: Any) -> bool:
    return value is default or (type(value) is type(default) and bool(np.all(value == default)))
