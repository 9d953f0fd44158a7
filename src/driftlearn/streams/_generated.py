"""How generated streams make their rows: in blocks that can be made in any order."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from driftlearn.streams._stream import Span, Stream
from driftlearn.utils.abstract import unwritten
from driftlearn.utils.arguments import check_positive, check_seed
from driftlearn.utils.typing import Ints, Labels, Rows

# Both go into the seeds of the generators: another value makes other rows of every stream.
BLOCK = 1024
TRAIN, TEST, MODEL = 0, 1, 2


class GeneratedStream(Stream):
    """A stream whose rows follow from a seed.

    Rows are made in blocks of 1,024, each by a generator of its own that is seeded by the stream's
    seed, the block's number and the role (training, test, or the stream's fixed quantities). So
    the rows do not depend on how they are cut, row 900,000 costs no more than row 0, a stream of
    any length needs the memory of one block, and test rows are independent of training rows.

    Subclasses write ``_draw(rng, rows)``, which serves training rows and test sets alike: it is
    given the position of each row to make, and a test set is many rows at one position. They set
    `random_state` (see `check_seed`), what `Stream` asks for (`n_rows`, `classes` and so on), and
    `noise` if labels are to be replaced by others at random. `movable` names parameters that may be
    arrays with a value a row while rows are drawn: what moves in incremental transitions.
    """

    movable: ClassVar[tuple[str, ...]] = ()
    noise: float = 0.0
    noise_in_test: bool = False
    _drawable = True
    random_state: int

    def _draw(self, rng: np.random.Generator, rows: Ints) -> Rows:
        """Make the rows at the given positions, before label noise."""
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
        """Draw independent rows of the concept in force at `row`; see `Stream.test_set`."""
        row = self._check_row(row)
        n = check_positive("n", self.chunk_size if n is None else n)
        seed = None if random_state is None else check_seed(random_state)
        rng = self._rng(TEST, row, seed)
        return self._sample(rng, np.full(n, row), test=True)

    def _sample(self, rng: np.random.Generator, rows: Ints, test: bool) -> Rows:
        """Make rows of the stream, or of a test set, at the given positions, noise included."""
        X, y = self._draw(rng, rows)
        return X, self._mislabel(rng, y, test)

    def _mislabel(self, rng: np.random.Generator, y: Labels, test: bool) -> Labels:
        """Replace each label, with probability `noise`, by another one at random."""
        if not self.noise or (test and not self.noise_in_test):
            return y
        if len(self.classes) < 2:
            raise ValueError(f"no label of {self.name} can be wrong: it has one class only")
        wrong = rng.random(len(y)) < self.noise
        step = rng.integers(1, len(self.classes), len(y))
        other = (np.searchsorted(self.classes, y) + step) % len(self.classes)
        return np.where(wrong, self.classes[other], y)


class OneConcept(GeneratedStream):
    """A generated stream whose concept does not change; `Drifting` makes streams of several."""

    def __init__(self, n_rows: int | None, chunk_size: int, random_state: int | None) -> None:
        self.n_rows = None if n_rows is None else check_positive("n_rows", n_rows)
        self.chunk_size = check_positive("chunk_size", chunk_size)
        self.random_state = check_seed(random_state)


def switched(at: Sequence[int], rows: Ints | int) -> npt.NDArray[np.bool_]:
    """Tell for each row whether what is changed at some rows, and back at the next, is changed."""
    return np.asarray(np.searchsorted(at, rows, side="right") % 2 == 1)


class Schedule:
    """The values that a quantity takes in turn, and then again from the first.

    Parameters
    ----------
    values : sequence
        The values; numbers if there is a ramp.
    n_rows : int
        Rows of the stream.
    segment : int, default=None
        Rows for which each value holds. None divides the stream evenly among the values.
    ramp : int, default=0
        Rows at the beginning of each segment but the first in which the quantity goes linearly
        from the value before to the new one.
    """

    STATE: ClassVar[dict[str, Any]] = {}  # all of it is looked at where it is used

    def __init__(
        self, values: Sequence[Any], n_rows: int, segment: int | None = None, ramp: int = 0
    ) -> None:
        k = len(values)
        if not 0 < k <= n_rows:
            raise ValueError(f"{n_rows} rows cannot be divided among {k} values")
        if segment is None:
            starts = [i * n_rows // k for i in range(k)]
        else:
            starts = list(range(0, n_rows, check_positive("segment", segment)))
        if ramp < 0:
            raise ValueError(f"ramp must be a number of rows, 0 or more; got {ramp}")
        self.values = tuple(values)
        self.starts = np.array(starts)
        self.ramp = int(ramp)

    def index(self, rows: Any) -> Any:
        """Tell for each row which of the values holds."""
        return (np.searchsorted(self.starts, rows, side="right") - 1) % len(self.values)

    def value(self, rows: Any) -> Any:
        """Tell the quantity for each row, ramps included."""
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
        """The changes, as `Stream.drift_spans` gives them; one value that returns is no change."""
        starts = self.starts[1:] if len(self.values) > 1 else ()
        return [(int(start), int(start) + self.ramp) for start in starts]
