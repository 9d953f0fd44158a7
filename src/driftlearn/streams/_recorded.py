"""Streams of recorded rows in memory: base classes, arrays, and random rows."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple, cast

import numpy as np

from driftlearn.streams._generated import GeneratedStream
from driftlearn.streams._stream import MODEL, TEST, Span, Stream
from driftlearn.utils import arguments
from driftlearn.utils.arguments import Ints, Labels, Rows, Values

#: Number of rows converted to float64 at a time, which avoids a second copy of all rows.
PIECE = 4096


class Recording(NamedTuple):
    """Recorded rows with labels, column names and the rows of known drifts."""

    X: Values
    y: Labels
    feature_names: list[str]
    drifts: tuple[int, ...] = ()


class RecordedStream(Stream):
    """Base class for streams of recorded rows in their original order.

    Drifts in recorded data are generally unknown; `drifts` are the rows given by the user or by the
    description of the data set.
    """

    _drifts: tuple[int, ...] = ()

    @property
    def drift_spans(self) -> list[Span]:
        """The known drifts as pairs (row, row)."""
        return [(row, row) for row in self._drifts]

    def test_set(self, row: int, n: int | None = None, random_state: int | None = None) -> Rows:
        """Raise ValueError: recorded data without held-out rows have no test set."""
        raise ValueError(
            f"{self.name} is recorded data, for which no additional test rows can be drawn. Use a "
            "prequential evaluation, or hold out rows with holdout=..."
        )


class TableStream(RecordedStream):
    """Base class for recorded rows in memory, some of which may be held out as a test set.

    Subclasses implement `_recording`, which is called once when its rows are first needed. Rows are
    stored in their original type and converted to float64 in blocks.
    """

    holdout: int | float = 0
    chunk_size: int

    def _recording(self) -> Recording:
        raise NotImplementedError

    def read(self) -> None:
        """Read the rows immediately, so that errors occur now rather than during iteration."""
        check_holdout(self.holdout, len(self._whole.y))

    @cached_property
    def _whole(self) -> Recording:
        return self._recording()

    @cached_property
    def _parts(self) -> tuple[Ints, Ints]:
        """Positions of the streamed and of the held-out rows, both ascending."""
        n = len(self._whole.y)
        held = check_holdout(self.holdout, n)
        order = self._rng(MODEL).permutation(n) if held else ()
        out = np.zeros(n, dtype=bool)
        out[np.asarray(order[:held], dtype=np.int64)] = True
        return np.flatnonzero(~out), np.flatnonzero(out)

    @cached_property
    def n_rows(self) -> int:  # type: ignore[override]
        """Number of streamed rows."""
        return len(self._parts[0])

    @cached_property
    def n_features(self) -> int:  # type: ignore[override]
        """Number of columns."""
        return int(self._whole.X.shape[1])

    @cached_property
    def feature_names(self) -> list[str]:  # type: ignore[override]
        """Names of the columns."""
        return list(self._whole.feature_names)

    @cached_property
    def classes(self) -> Labels:  # type: ignore[override]
        """All labels that occur, sorted."""
        return np.unique(self._whole.y)

    @property
    def drift_spans(self) -> list[Span]:
        """The known drifts, counted in streamed rows."""
        rows = np.searchsorted(self._parts[0], self._whole.drifts)
        return [(int(row), int(row)) for row in rows if 0 < row < self.n_rows]

    def arrays(self) -> Rows:
        """Return all streamed rows as ``(X, y)``."""
        return self._labeled(self._parts[0], np.arange(self.n_rows))

    def test_set(self, row: int, n: int | None = None, random_state: int | None = None) -> Rows:
        """Return the held-out rows, or a random sample of `n`; see `Stream.test_set`."""
        if not self.holdout:
            return super().test_set(row, n, random_state)
        row = self._check_row(row)
        return self._labeled(self._held(row, n, random_state), row)

    def _labeled(self, rows: Ints, at: Ints | int) -> Rows:
        """Return recorded rows with their labels `at` these rows of the stream."""
        return self._whole.X[rows].astype(np.float64, order="C"), self._whole.y[rows]

    def _seeded(self, seed: int) -> Stream:
        made = super()._seeded(seed)
        vars(made).update((key, value) for key, value in vars(self).items() if key == "_whole")
        return made

    def _held(self, row: int, n: int | None, random_state: int | None) -> Ints:
        held = self._parts[1]
        if n is None or n == len(held):
            return held
        if arguments.check_positive("n", n) > len(held):
            raise arguments.invalid("n", f"at most {len(held)}, the number of held-out rows", n)
        return self._rng(TEST, row, random_state).choice(held, n, replace=False)

    def _pieces(self, start: int) -> Iterator[Rows]:
        for first in range(start, self.n_rows, PIECE):
            rows = self._parts[0][first : first + PIECE]
            yield self._labeled(rows, np.arange(first, first + len(rows)))


class ArrayStream(TableStream):
    """Stream of arrays, as returned by `from_arrays` and `from_frame`."""

    def __init__(
        self,
        X: Any,
        y: Any,
        feature_names: Sequence[str] | None = None,
        drifts: Sequence[int] = (),
        holdout: int | float = 0,
        chunk_size: int = 1_000,
        name: str = "arrays",
        random_state: int | None = 0,
    ) -> None:
        self.X = np.asarray(X)
        if self.X.ndim != 2:
            raise ValueError(f"X must be two-dimensional. Got an array of shape {self.X.shape}.")
        if self.X.dtype.kind not in "biuf":
            raise ValueError(
                f"X must be numeric. Got an array of dtype {self.X.dtype}. Encode columns that are "
                "not numbers, for example with TableEncoder().fit_transform(X)."
            )
        self.y = as_labels(y)
        if len(self.X) != len(self.y):
            raise ValueError(f"X has {len(self.X)} rows, but y has {len(self.y)} labels.")
        names = [f"x{j + 1}" for j in range(self.X.shape[1])]
        names = names if feature_names is None else [str(name) for name in feature_names]
        if len(names) != self.X.shape[1]:
            raise ValueError(
                f"X has {self.X.shape[1]} columns, but 'feature_names' has {len(names)} names."
            )
        self._given = {"feature_names": names, "drifts": arguments.check_rows("drifts", drifts)}
        check_holdout(holdout, len(self.y))
        self.holdout = holdout
        self.chunk_size = arguments.check_positive("chunk_size", chunk_size)
        self.name = name
        self.random_state = arguments.check_seed(random_state)

    def _recording(self) -> Recording:
        return Recording(self.X, self.y, **self._given)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name}: {self.n_rows} rows x {self.n_features}>"


@dataclass(repr=False, eq=False)
class RandomRows(GeneratedStream):
    """Rows of a recorded stream, drawn at random with replacement.

    Without their order in time, recorded rows form a stationary concept that `Drifting` and
    `ClassImbalance` can use. Test sets are drawn from the held-out rows of the recorded stream.

    Parameters
    ----------
    stream : TableStream
        Recorded rows in memory without known drifts, as returned by `load`, `from_arrays` and
        `from_frame`.
    n_rows : int or None, default=100_000
        Number of rows of this stream; None means unlimited.
    random_state : int, default=None
        Seed, also for the choice of held-out rows; None uses the seed of the stream.

    Examples
    --------
    >>> from driftlearn.streams import ClassImbalance, RandomRows, load
    >>> wine = RandomRows(load("wine", holdout=40), n_rows=1_000, random_state=0)
    >>> rare = ClassImbalance(wine, ((1, 1, 8),))
    >>> [int((rare.take(1_000)[1] == label).sum()) for label in rare.classes]
    [89, 104, 807]
    """

    name = "random-rows"
    stream: TableStream
    n_rows: int | None = 100_000
    random_state: int | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.stream, TableStream):
            raise arguments.invalid("stream", "a recorded stream in memory", self.stream)
        if self.stream.drifts:
            raise ValueError(
                f"{self.stream!r} has a drift at row {self.stream.drifts[0]}. RandomRows would mix "
                "its concepts; use a stream without known drifts."
            )
        seed = self.stream.random_state if self.random_state is None else self.random_state
        self.random_state = arguments.check_seed(seed)
        self.stream = cast(TableStream, self.stream._seeded(self.random_state))
        if self.n_rows is not None:
            self.n_rows = arguments.check_positive("n_rows", self.n_rows)
        for name in ("n_features", "feature_names", "classes", "chunk_size"):
            setattr(self, name, getattr(self.stream, name))

    @cached_property
    def _streamed(self) -> Rows:
        return self.stream.arrays()

    @cached_property
    def _held(self) -> Rows:
        return self.stream.test_set(0)

    def _sample(self, rng: np.random.Generator, rows: Ints, test: bool) -> Rows:
        X, y = self._held if test else self._streamed
        drawn = rng.integers(len(y), size=len(rows))
        return X[drawn], y[drawn]


def check_holdout(holdout: int | float, n: int) -> int:
    """Return the number of rows to hold out of `n`; a float is a share."""
    held = round(holdout * n) if isinstance(holdout, float) else holdout
    if not 0 <= held < max(n, 1) or (isinstance(holdout, float) and not holdout < 1):
        wanted = f"an int in the range [0, {n}) or a float in the range [0, 1)"
        raise arguments.invalid(
            "holdout", f"{wanted} that leaves at least one row in the stream", holdout
        )
    return int(held)


def as_labels(values: Any, where: str = "y") -> Labels:
    """Return labels as an array of numbers or strings; raise ValueError for missing labels."""
    y = np.asarray(values)
    if y.ndim != 1:
        raise ValueError(f"{where} must be one-dimensional. Got an array of shape {y.shape}.")
    for row, label in enumerate(y.tolist() if y.dtype.kind in "fO" else ()):
        if label is None or label != label:
            raise ValueError(f"{where} has a missing label in row {row}.")
    if y.dtype.kind == "O":
        kinds = sorted({type(label).__name__ for label in y})
        if len(kinds) > 1:
            raise ValueError(f"{where} has labels of several types: {', '.join(kinds)}.")
        y = np.array(y.tolist())
    if y.dtype.kind not in "biufUT":
        raise ValueError(f"{where} must contain numbers or strings. Got labels of dtype {y.dtype}.")
    return np.array(y.tolist(), dtype=str) if y.dtype.kind == "T" else y
