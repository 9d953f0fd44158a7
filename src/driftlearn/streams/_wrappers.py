"""Wrappers that modify streams: labels, values, columns, class ratios and the order of classes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from driftlearn.streams._generated import BLOCK, GeneratedStream, Transitions
from driftlearn.streams._stream import TEST, TO_BE_SET, TRAIN, Span, Stream
from driftlearn.utils.arguments import Floats, Ints, Labels, Rows, invalid

# Maximum number of blocks drawn to fill one block. A class that occurs in none of them, about one
# million rows, counts as absent.
MOST_DRAWS = 1_000


class Wrapper(GeneratedStream):
    """Base class of wrappers; attributes that are not overridden are those of the stream."""

    stream: Stream

    def __post_init__(self) -> None:
        if not isinstance(self.stream, Stream):
            raise invalid("stream", "a driftlearn.streams.Stream", self.stream)
        if self.random_state is None:
            self.random_state = getattr(self.stream, "random_state", None)
        self._check_params()
        self.stream = self.stream._seeded(self.random_state)

    # If type checkers saw `__getattr__`, they would accept any misspelled attribute.
    if not TYPE_CHECKING:

        def __getattr__(self, name):
            if name in TO_BE_SET:
                return getattr(self.stream, name)
            return object.__getattribute__(self, name)  # raises the usual AttributeError

    @property
    def drift_spans(self) -> list[Span]:
        """The drifts of the wrapped stream."""
        return self.stream.drift_spans

    def concept_at(self, row: int) -> Any:
        """Return the concept of the wrapped stream at a row."""
        return self.stream.concept_at(row)

    def _sizes(self, start: int) -> Iterator[int]:
        return self.stream._sizes(start)


class RowWrapper(Wrapper):
    """Base class of wrappers that modify each row independently.

    Subclasses implement `_change`. A wrapper of a generated stream can itself be sampled and used
    as a concept of `Drifting`; a wrapper of any other stream modifies its rows sequentially.
    Nested wrappers share one random generator, so that their random numbers are independent.
    """

    def _change(self, rng: np.random.Generator, X: Floats, y: Labels, test: bool) -> Rows:
        """Return modified rows of the stream or of a test set."""
        raise NotImplementedError

    @property
    def _drawable(self) -> bool:  # type: ignore[override]
        return self.stream._drawable

    @property
    def _source(self) -> Stream:
        """The stream inside all wrappers."""
        return self.stream._source if isinstance(self.stream, RowWrapper) else self.stream

    def _changed(self, rng: np.random.Generator, X: Floats, y: Labels, test: bool) -> Rows:
        """Return rows of the source modified by all wrappers, the innermost first."""
        if isinstance(self.stream, RowWrapper):
            X, y = self.stream._changed(rng, X, y, test)
        return self._change(rng, X, y, test)

    def _sample(self, rng: np.random.Generator, rows: Ints, test: bool) -> Rows:
        source = cast(GeneratedStream, self._source)
        return self._changed(rng, *source._sample(rng, rows, test), test)

    def test_set(self, row: int, n: int | None = None, random_state: int | None = None) -> Rows:
        """Return a modified test set of the stream; see `Stream.test_set`."""
        if self._drawable:
            return super().test_set(row, n, random_state)
        X, y = self._source.test_set(row, n, random_state)
        return self._changed(self._rng(TEST, row, random_state), X, y, test=True)

    def _pieces(self, start: int) -> Iterator[Rows]:
        if self._drawable:
            yield from super()._pieces(start)
            return
        for batch in self._source.chunks(BLOCK, start - start % BLOCK):
            X, y, first = batch.X, batch.y, batch.start
            X, y = self._changed(self._rng(TRAIN, first // BLOCK), X, y, test=False)
            skip = max(start - first, 0)
            yield X[skip:], y[skip:]


@dataclass(repr=False, eq=False)
class LabelNoise(RowWrapper):
    """Wrapper that adds label noise to a stream.

    Parameters
    ----------
    stream : Stream
        The stream.
    noise : float, default=0.1
        Share of labels replaced by another class.
    noise_in_test : bool, default=False
        Whether test sets contain the noise, too.
    random_state : int, default=None
        Seed, also passed to the stream; None uses the seed of the stream.

    Examples
    --------
    >>> from driftlearn.streams import LabelNoise, Sine
    >>> clean = Sine(n_rows=10_000, random_state=0)
    >>> noisy = LabelNoise(clean, noise=0.2)
    >>> round(float((noisy.take(10_000)[1] != clean.take(10_000)[1]).mean()), 2)
    0.2
    """

    name = "label-noise"
    _ranges = {"noise": "[0, 1)"}
    stream: Stream
    noise: float = 0.1
    noise_in_test: bool = False
    random_state: int | None = None

    def _change(self, rng: np.random.Generator, X: Floats, y: Labels, test: bool) -> Rows:
        return X, self._mislabel(rng, y, test)


@dataclass(repr=False, eq=False)
class MissingValues(RowWrapper):
    """Wrapper that replaces random values by NaN, in the stream and in test sets.

    Parameters
    ----------
    stream : Stream
        The stream.
    rate : float, default=0.1
        Probability that a value is missing, independently for each value.
    random_state : int, default=None
        Seed, also passed to the stream; None uses the seed of the stream.

    Examples
    --------
    >>> import numpy as np
    >>> from driftlearn.streams import MissingValues, Sine
    >>> X, y = MissingValues(Sine(), rate=0.3, random_state=0).take(10_000)
    >>> round(float(np.isnan(X).mean()), 2)
    0.3
    """

    name = "missing-values"
    _ranges = {"rate": "[0, 1)"}
    stream: Stream
    rate: float = 0.1
    random_state: int | None = None

    def _change(self, rng: np.random.Generator, X: Floats, y: Labels, test: bool) -> Rows:
        return np.where(rng.random(X.shape) < self.rate, np.nan, X), y


@dataclass(repr=False, eq=False)
class IrrelevantFeatures(RowWrapper):
    """Wrapper that appends irrelevant columns, uniform in [0, 1), to a stream.

    Parameters
    ----------
    stream : Stream
        The stream.
    n_irrelevant : int, default=5
        Number of columns to append.
    random_state : int, default=None
        Seed, also passed to the stream; None uses the seed of the stream.

    Examples
    --------
    >>> from driftlearn.streams import IrrelevantFeatures, Sine
    >>> IrrelevantFeatures(Sine(), n_irrelevant=2, random_state=0).feature_names
    ['x1', 'x2', 'irrelevant1', 'irrelevant2']
    """

    name = "irrelevant-features"
    _positive = ("n_irrelevant",)
    stream: Stream
    n_irrelevant: int = 5
    random_state: int | None = None

    @property
    def n_features(self) -> int:  # type: ignore[override]
        """Number of columns, including those of the stream."""
        return self.stream.n_features + self.n_irrelevant

    @property
    def feature_names(self) -> list[str]:  # type: ignore[override]
        """The names of the stream, followed by those of the irrelevant columns."""
        names = [f"irrelevant{j + 1}" for j in range(self.n_irrelevant)]
        return [*self.stream.feature_names, *names]

    def _change(self, rng: np.random.Generator, X: Floats, y: Labels, test: bool) -> Rows:
        return np.hstack([X, rng.random((len(X), self.n_irrelevant))]), y


@dataclass(repr=False, eq=False)
class ClassImbalance(Wrapper):
    """Wrapper that sets the class ratios of a generated stream, which may drift.

    The class of each row is drawn first, by the current ratio; then rows of the stream at this
    position are drawn until one has that class. Only the class priors change; the concepts and the
    positions of their drifts remain the same.

    Parameters
    ----------
    stream : GeneratedStream
        The stream. Use `RandomRows` for recorded rows.
    ratios : sequence of sequences of float, default=((1, 10),)
        Consecutive ratios of the classes in the order of `classes`: ``((1, 10), (10, 1))`` makes
        the first class rare at first and the second class rare later.
    drift_at : sequence of int, default=()
        Rows at which the change to the next ratio starts.
    width : int, default=0
        Number of rows over which class shares change linearly to the next ratio; 0 is abrupt.
    random_state : int, default=None
        Seed, also passed to the stream; None uses the seed of the stream.

    Examples
    --------
    >>> from driftlearn.streams import ClassImbalance, Sine
    >>> stream = ClassImbalance(Sine(), ((1, 9), (1, 1)), drift_at=(10_000,), random_state=0)
    >>> [round(float(stream.test_set(row, 10_000)[1].mean()), 2) for row in (0, 20_000)]
    [0.9, 0.5]
    """

    name = "class-imbalance"
    stream: GeneratedStream
    ratios: Sequence[Sequence[float]] = ((1, 10),)
    drift_at: Sequence[int] = ()
    width: int = 0
    random_state: int | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.stream._drawable:
            raise ValueError(
                "ClassImbalance needs a generated stream, from which additional rows of a class "
                f"can be drawn. Got {self.stream!r}. For recorded data, use RandomRows(...)."
            )
        if any(np.ndim(ratio) != 1 for ratio in self.ratios):
            raise invalid("ratios", "a sequence of ratios, for example ((1, 10),)", self.ratios)
        self.ratios = tuple(tuple(ratio) for ratio in self.ratios)
        for ratio in self.ratios:
            if len(ratio) != len(self.classes) or min(ratio) < 0 or not 0 < sum(ratio) < np.inf:
                wanted = f"{len(self.classes)} nonnegative numbers, one per class and not all 0"
                raise invalid("ratios", wanted, ratio)
        self._transitions = Transitions(self.drift_at, self.width, self.n_rows)
        self.drift_at, self.width = self._transitions.drift_at, self._transitions.width
        if len(self.ratios) != len(self.drift_at) + 1:
            wanted = f"{len(self.drift_at) + 1} ratios, one more than the rows in 'drift_at'"
            raise invalid("ratios", wanted, self.ratios)

    @property
    def drift_spans(self) -> list[Span]:
        """Drifts of the stream and changes of the ratio, sorted."""
        every = {*self.stream.drift_spans, *self._transitions.spans}
        return sorted(every, key=lambda span: (span[0], span[1] or 0))

    def shares(self, rows: Ints) -> Floats:
        """Return the share of each class at each row."""
        segment, share = self._transitions.at(rows)
        every = np.array(self.ratios, dtype=np.float64)
        every /= every.sum(axis=1, keepdims=True)
        part = share[:, None]
        return (1 - part) * every[np.maximum(segment - 1, 0)] + part * every[segment]

    def _sample(self, rng: np.random.Generator, rows: Ints, test: bool) -> Rows:
        bounds = np.cumsum(self.shares(rows)[:, :-1], axis=1)
        wanted = self.classes[np.sum(rng.random(len(rows))[:, None] >= bounds, axis=1)]
        X = np.empty((len(rows), self.n_features))
        y = np.empty(len(rows), dtype=self.classes.dtype)
        wanting = np.ones(len(rows), dtype=bool)
        # Each round draws 4 times as many candidates per missing row as the previous round, up to
        # one block in total; the first candidate of the right class is used.
        for k in range(MOST_DRAWS):
            missing = np.flatnonzero(wanting)
            tries = np.repeat(missing, max(1, min(4**k, BLOCK // len(missing))))
            drawn_X, drawn_y = self.stream._sample(rng, rows[tries], test)
            fits = np.flatnonzero(drawn_y == wanted[tries])[::-1]
            X[tries[fits]], y[tries[fits]] = drawn_X[fits], drawn_y[fits]
            wanting[tries[fits]] = False
            if not wanting.any():
                return X, y
        raise ValueError(
            f"Class {wanted[missing[0]]} does not occur at row {rows[missing[0]]} of "
            f"{self.stream!r}: its ratio must be 0."
        )


@dataclass(repr=False, eq=False)
class ClassRuns(Wrapper):
    """Wrapper that sorts a stream into runs of one class, as in data collected class by class.

    Every `span` rows of the stream are sorted by class, in a random order of the classes that is
    drawn for each span. Rows of the same class keep their order, and no row leaves its span. Test
    sets are those of the stream.

    Parameters
    ----------
    stream : Stream
        The stream.
    span : int, default=2000
        Number of rows sorted together. If a drift occurs within a span, rows of both concepts mix.
    random_state : int, default=None
        Seed, also passed to the stream; None uses the seed of the stream.

    Examples
    --------
    >>> from driftlearn.streams import ClassRuns, Waveform
    >>> X, y = ClassRuns(Waveform(), span=12, random_state=0).take(12)
    >>> y.tolist()
    [1, 1, 1, 2, 2, 2, 0, 0, 0, 0, 0, 0]
    """

    name = "class-runs"
    _positive = ("span",)
    _drawable = False
    stream: Stream
    span: int = 2000
    random_state: int | None = None

    def test_set(self, row: int, n: int | None = None, random_state: int | None = None) -> Rows:
        """Draw a test set of the stream; see `Stream.test_set`."""
        return self.stream.test_set(row, n, random_state)

    def _pieces(self, start: int) -> Iterator[Rows]:
        for batch in self.stream.chunks(self.span, start - start % self.span):
            X, y, first = batch.X, batch.y, batch.start
            position = self._rng(TRAIN, first // self.span).permutation(len(self.classes))
            order = np.argsort(position[np.searchsorted(self.classes, y)], kind="stable")
            order = order[max(start - first, 0) :]
            yield X[order], y[order]
