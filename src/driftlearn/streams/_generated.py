"""Base classes for generated streams."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from driftlearn.streams._stream import Span, Stream
from driftlearn.utils.abstract import unwritten
from driftlearn.utils.arguments import check_positive, check_seed
from driftlearn.utils.typing import Ints, Labels, Rows

# Both are part of the seeds of the generators: other values change the rows of every stream.
BLOCK = 1024
TRAIN, TEST, MODEL = 0, 1, 2


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
    random_state: int

    def _draw(self, rng: np.random.Generator, rows: Ints) -> Rows:
        """Return the rows at the given positions, before label noise."""
        raise unwritten(self, "_draw(rng, rows)", "make (X, y) for these positions of the stream")

    def _rng(self, role: int, index: int = 0, seed: int | None = None) -> np.random.Generator:
        return np.random.default_rng([self.random_state if seed is None else seed, index, role])

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
        n = check_positive("n", self.chunk_size if n is None else n)
        seed = None if random_state is None else check_seed(random_state)
        rng = self._rng(TEST, row, seed)
        return self._sample(rng, np.full(n, row), test=True)

    def _sample(self, rng: np.random.Generator, rows: Ints, test: bool) -> Rows:
        """Return rows of the stream or of a test set at the given positions, with label noise."""
        X, y = self._draw(rng, rows)
        return X, self._mislabel(rng, y, test)

    def _mislabel(self, rng: np.random.Generator, y: Labels, test: bool) -> Labels:
        """Return labels, each replaced by a random other one with probability `noise`."""
        if not self.noise or (test and not self.noise_in_test):
            return y
        if len(self.classes) < 2:
            raise ValueError(f"Label noise needs at least 2 classes; {self.name} has only 1.")
        wrong = rng.random(len(y)) < self.noise
        step = rng.integers(1, len(self.classes), len(y))
        other = (np.searchsorted(self.classes, y) + step) % len(self.classes)
        return np.where(wrong, self.classes[other], y)


class OneConcept(GeneratedStream):
    """Base class for generated streams with a single concept; see `Drifting` for several."""

    def __init__(self, n_rows: int | None, chunk_size: int, random_state: int | None) -> None:
        self.n_rows = None if n_rows is None else check_positive("n_rows", n_rows)
        self.chunk_size = check_positive("chunk_size", chunk_size)
        self.random_state = check_seed(random_state)


def switched(at: Sequence[int], rows: Ints | int) -> npt.NDArray[np.bool_]:
    """Return for each row whether it is after an odd number of the switch points `at`."""
    return np.asarray(np.searchsorted(at, rows, side="right") % 2 == 1)


class Schedule:
    """Piecewise schedule of a quantity that cycles through given values.

    Parameters
    ----------
    values : sequence
        The values; numbers if there is a ramp.
    n_rows : int
        Number of rows.
    segment : int, default=None
        Number of rows for which each value holds. None divides the stream into equal parts.
    ramp : int, default=0
        Number of rows at the start of each segment but the first over which the quantity changes
        linearly from the old value to the new one.
    """

    STATE: ClassVar[dict[str, Any]] = {}  # values are validated where they are used

    def __init__(
        self, values: Sequence[Any], n_rows: int, segment: int | None = None, ramp: int = 0
    ) -> None:
        k = len(values)
        if not 0 < k <= n_rows:
            raise ValueError(f"{n_rows} rows cannot be divided into {k} segments.")
        if segment is None:
            starts = [i * n_rows // k for i in range(k)]
        else:
            starts = list(range(0, n_rows, check_positive("segment", segment)))
        if ramp < 0:
            raise ValueError(
                f"The 'ramp' parameter must be an int in the range [0, inf). Got {ramp} instead."
            )
        self.values = tuple(values)
        self.starts = np.array(starts)
        self.ramp = int(ramp)

    def index(self, rows: Any) -> Any:
        """Return for each row the index of its value."""
        return (np.searchsorted(self.starts, rows, side="right") - 1) % len(self.values)

    def value(self, rows: Any) -> Any:
        """Return the quantity for each row, ramps included."""
        segment = np.searchsorted(self.starts, rows, side="right") - 1
        values = np.asarray(self.values, dtype=np.float64)
        new = values[segment % len(values)]
        if not self.ramp:
            return new
        old = values[np.maximum(segment - 1, 0) % len(values)]
        share = np.minimum((rows - self.starts[segment]) / self.ramp, 1.0)
        return np.where(segment > 0, old + share * (new - old), new)[()]

    @property
    def spans(self) -> list[Span]:
        """The changes as in `Stream.drift_spans`; a single repeated value has no changes."""
        starts = self.starts[1:] if len(self.values) > 1 else ()
        return [(int(start), int(start) + self.ramp) for start in starts]
