"""Base classes for generated streams, and schedules of their concepts."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from driftlearn.streams._stream import TEST, TRAIN, Span, Stream
from driftlearn.utils import arguments
from driftlearn.utils.arguments import Floats, Ints, Labels, Rows, Self, unwritten

# Part of the generators' seeds: changing it changes the rows of every stream.
BLOCK = 1024


class GeneratedStream(Stream):
    """Base class for streams whose rows are determined by a seed.

    Rows are generated in blocks of 1,024. Each block has a random generator seeded with the
    stream's seed, the block number and the role (training, test, or fixed model quantities). The
    rows therefore do not depend on the chunk size, row 900,000 costs as much as row 0, a stream of
    any length needs the memory of one block, and test rows are independent of training rows.

    Subclasses implement ``_draw(rng, rows)`` for training rows and test sets: it receives the
    position of each row to generate, and a test set consists of many rows at one position. They set
    `random_state` (see `check_seed`), the attributes of `Stream` (`n_rows`, `classes` and so on),
    and `noise` if labels are replaced at random. `movable` names the parameters that incremental
    transitions change; while rows are drawn they may be arrays with one value per row.
    """

    movable: ClassVar[tuple[str, ...]] = ()
    noise: float = 0.0
    noise_in_test: bool = False
    _drawable = True

    def _draw(self, rng: np.random.Generator, rows: Ints) -> Rows:
        """Return the rows at the given positions, before label noise."""
        raise unwritten(self, "_draw(rng, rows)", "make (X, y) for these positions of the stream")

    def _pieces(self, start: int) -> Iterator[Rows]:
        first = start - start % BLOCK
        while self.n_rows is None or max(first, start) < self.n_rows:
            rng = self._rng(TRAIN, first // BLOCK)
            X, y = self._sample(rng, np.arange(first, first + BLOCK), test=False)
            stop = BLOCK if self.n_rows is None else min(BLOCK, self.n_rows - first)
            skip = max(start - first, 0)
            yield X[skip:stop], y[skip:stop]
            first += BLOCK

    def test_set(self, row: int, n: int | None = None, random_state: int | None = None) -> Rows:
        """Return independent rows of the concept at `row`; see `Stream.test_set`."""
        row = self._check_row(row)
        n = arguments.check_positive("n", self.chunk_size if n is None else n)
        return self._sample(self._rng(TEST, row, random_state), np.full(n, row), test=True)

    def _sample(self, rng: np.random.Generator, rows: Ints, test: bool) -> Rows:
        """Return rows of the stream or of a test set at the given positions, with label noise."""
        X, y = self._draw(rng, rows)
        return X, self._mislabel(rng, y, test)

    def _mislabel(self, rng: np.random.Generator, y: Labels, test: bool) -> Labels:
        """Return labels, each replaced by a random different label with probability `noise`."""
        if not self.noise or (test and not self.noise_in_test):
            return y
        if len(self.classes) < 2:
            raise ValueError(f"Label noise needs at least 2 classes; {self.name} has only 1.")
        wrong = rng.random(len(y)) < self.noise
        step = rng.integers(1, len(self.classes), len(y))
        other = (np.searchsorted(self.classes, y) + step) % len(self.classes)
        return np.where(wrong, self.classes[other], y)


class Generator(GeneratedStream):
    """Base class of the generators, which are dataclasses; checks their parameters.

    Class variables declare the checks: the number of labeling functions, whether the number of rows
    must be finite, and those of `Stream._check_params`. Without `_columns` the columns are named
    x1, x2 and so on.
    """

    n_classes: int = 2
    function: int
    _columns: Sequence[str] = ()
    _n_functions: ClassVar[int] = 0
    _finite: ClassVar[bool] = False

    def __post_init__(self) -> None:
        if self.n_rows is not None or self._finite:
            self.n_rows = arguments.check_positive("n_rows", self.n_rows)
        self.chunk_size = arguments.check_positive("chunk_size", self.chunk_size)
        if most := self._n_functions:
            self.function = arguments.check_integer("function", self.function, most=most)
        self.noise = arguments.check_range("noise", self.noise, "[0, 1)")
        self._check_params()
        self.classes = np.arange(self.n_classes)
        self.feature_names = [*self._columns] or [f"x{j + 1}" for j in range(self.n_features)]


class SwitchingGenerator(Generator):
    """Base class of generators that alternate between two concepts at the rows `drift_at`."""

    drift_at: Sequence[int]

    def __post_init__(self) -> None:
        super().__post_init__()
        self.drift_at = arguments.check_rows("drift_at", self.drift_at)

    @property
    def drift_spans(self) -> list[Span]:
        """The switches, all abrupt."""
        return [(row, row) for row in self.drift_at if self.n_rows is None or row < self.n_rows]

    def _switched(self, rows: Ints | int) -> npt.NDArray[np.bool_]:
        """Return, for each row, whether an odd number of switches precedes it."""
        return np.asarray(np.searchsorted(self.drift_at, rows, side="right") % 2 == 1)


class DTELGenerator(Generator):
    """Base class of the generators of the DTEL paper, which have a 120-chunk version.

    `_versions` contains the parameters of the versions with strong ("A") and mild ("G") drifts;
    each concept holds for `_chunks_per_concept` chunks if that is set.
    """

    _finite = True
    _versions: ClassVar[Mapping[str, Mapping[str, Any]]]
    _chunks_per_concept: ClassVar[int | None] = None

    @classmethod
    def dtel(cls, drift: str = "A", chunk_size: int = 200, random_state: int | None = None) -> Self:
        """Return the stream of the DTEL paper with strong (``"A"``) or mild (``"G"``) drifts."""
        options = dict(arguments.choose("drift", drift, cls._versions))
        if cls._chunks_per_concept is not None:
            options["segment"] = cls._chunks_per_concept * chunk_size
        options |= {"n_rows": 120 * chunk_size, "chunk_size": chunk_size}
        options["random_state"] = random_state
        return cls(**options)


class Scheduled(Stream):
    """Base class of streams whose concept is a value that follows a `Schedule`."""

    _schedule: "Schedule"

    @property
    def drift_spans(self) -> list[Span]:
        """The drifts as pairs (first row, row from which the new concept holds)."""
        return self._schedule.spans

    def concept_at(self, row: int) -> Any:
        """Return the value that determines the concept at a row."""
        return float(self._schedule.value(self._check_row(row)))


class ScheduledGenerator(Scheduled, DTELGenerator):
    """Base class of generators with a `Schedule` of the values in the parameter `_scheduled`."""

    segment: int | None
    ramp: int = 0
    _scheduled: ClassVar[str]

    def __post_init__(self) -> None:
        super().__post_init__()
        values = tuple(getattr(self, self._scheduled))
        setattr(self, self._scheduled, values)
        assert self.n_rows is not None
        self._schedule = Schedule(values, self.n_rows, self.segment, self.ramp)


class Transitions:
    """Transitions of a stream with given starts and a common width.

    Parameters
    ----------
    drift_at : sequence of int
        First row of each transition.
    width : int
        Number of rows of each transition; 0 is abrupt.
    n_rows : int or None
        Number of rows of the stream; None means unlimited.
    """

    STATE: ClassVar[dict[str, Any]] = {}  # values are validated where they are used

    def __init__(self, drift_at: Sequence[int], width: int, n_rows: int | None) -> None:
        self.drift_at = arguments.check_rows("drift_at", drift_at)
        self.width = arguments.check_integer("width", width, least=0)
        last = np.inf if n_rows is None else n_rows
        if self.drift_at and self.drift_at[-1] >= last:
            raise arguments.invalid("drift_at", f"rows below n_rows={n_rows}", self.drift_at)
        for start, stop in zip(self.drift_at, (*self.drift_at[1:], last)):
            if start + self.width > stop:
                raise ValueError(
                    f"The transition that starts at row {start} with width={width} does not fit "
                    f"into its segment, which ends at row {stop}."
                )

    def at(self, rows: Any) -> tuple[Ints, Floats]:
        """Return the segment of each row and the progress of the transition to it, 0 to 1."""
        segment = np.searchsorted(self.drift_at, rows, side="right")
        if not self.width or not self.drift_at:
            return segment, np.ones(np.shape(rows))
        since = rows - np.array((-self.width, *self.drift_at))[segment]
        return segment, np.minimum(since / self.width, 1.0)

    @property
    def spans(self) -> list[Span]:
        """The transitions as in `Stream.drift_spans`."""
        return [(row, row + self.width) for row in self.drift_at]


class Schedule(Transitions):
    """Piecewise schedule of a quantity that cycles through given values.

    Parameters
    ----------
    values : sequence
        The values; they must be numbers if there is a ramp.
    n_rows : int
        Number of rows.
    segment : int, default=None
        Number of rows for which each value holds. None divides the stream into equal parts.
    ramp : int, default=0
        Number of rows at the start of a segment over which the quantity changes linearly from the
        old value to the new one. The first segment has no ramp.
    """

    def __init__(
        self, values: Sequence[Any], n_rows: int, segment: int | None = None, ramp: int = 0
    ) -> None:
        self.values = tuple(values)
        self.width = arguments.check_integer("ramp", ramp, least=0)
        k = len(self.values)
        if not 0 < k <= n_rows:
            raise ValueError(f"{n_rows} rows cannot be divided into {k} segments.")
        if segment is None:
            starts = [i * n_rows // k for i in range(k)]
        else:
            starts = [*range(0, n_rows, arguments.check_positive("segment", segment))]
        self.drift_at = tuple(starts[1:]) if k > 1 else ()  # with a single value, there is no drift

    def index(self, rows: Any) -> Any:
        """Return for each row the index of its value."""
        return self.at(rows)[0] % len(self.values)

    def value(self, rows: Any) -> Any:
        """Return the quantity for each row, ramps included."""
        segment, share = self.at(rows)
        values = np.asarray(self.values, dtype=np.float64)
        new = values[segment % len(values)]
        if not self.width:
            return new
        old = values[np.maximum(segment - 1, 0) % len(values)]
        return old + share * (new - old)
