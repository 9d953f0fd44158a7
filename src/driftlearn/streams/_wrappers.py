"""Wrappers that modify streams: label noise, missing values and irrelevant features."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, cast

import numpy as np

from driftlearn.streams._generated import BLOCK, TEST, TRAIN, GeneratedStream
from driftlearn.streams._stream import Span, Stream
from driftlearn.utils.arguments import check_noise, check_positive, check_seed
from driftlearn.utils.typing import Floats, Ints, Labels, Rows


class Wrapper(GeneratedStream):
    """Base class of wrappers; everything that a subclass does not change comes from the stream."""

    def __init__(self, stream: Stream, random_state: int | None) -> None:
        if not isinstance(stream, Stream):
            raise ValueError(
                "The 'stream' parameter must be a driftlearn.streams.Stream. "
                f"Got {stream!r} instead."
            )
        if random_state is None:
            random_state = getattr(stream, "random_state", None)
        self.random_state = check_seed(random_state)
        self.stream = stream._seeded(self.random_state)

    @property
    def n_rows(self) -> int | None:  # type: ignore[override]
        """Number of rows; None for an unlimited stream."""
        return self.stream.n_rows

    @property
    def n_features(self) -> int:  # type: ignore[override]
        """Number of columns."""
        return self.stream.n_features

    @property
    def feature_names(self) -> list[str]:  # type: ignore[override]
        """One name per column."""
        return self.stream.feature_names

    @property
    def classes(self) -> Labels:  # type: ignore[override]
        """All labels that may occur, sorted."""
        return self.stream.classes

    @property
    def chunk_size(self) -> int | None:  # type: ignore[override]
        """Default number of rows of a chunk."""
        return self.stream.chunk_size

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
    as a concept of `Drifting`; a wrapper of any other stream modifies its rows in their order.
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
        for X, y, first in self._source.chunks(BLOCK, start - start % BLOCK):
            X, y = self._changed(self._rng(TRAIN, first // BLOCK), X, y, test=False)
            skip = max(start - first, 0)
            yield X[skip:], y[skip:]


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

    def __init__(
        self,
        stream: Stream,
        noise: float = 0.1,
        noise_in_test: bool = False,
        random_state: int | None = None,
    ) -> None:
        super().__init__(stream, random_state)
        self.noise = check_noise(noise)
        self.noise_in_test = noise_in_test

    def _change(self, rng: np.random.Generator, X: Floats, y: Labels, test: bool) -> Rows:
        return X, self._mislabel(rng, y, test)


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

    def __init__(self, stream: Stream, rate: float = 0.1, random_state: int | None = None) -> None:
        super().__init__(stream, random_state)
        if not 0 <= rate < 1:
            raise ValueError(
                f"The 'rate' parameter must be a float in the range [0, 1). Got {rate!r} instead."
            )
        self.rate = float(rate)

    def _change(self, rng: np.random.Generator, X: Floats, y: Labels, test: bool) -> Rows:
        return np.where(rng.random(X.shape) < self.rate, np.nan, X), y


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

    def __init__(
        self, stream: Stream, n_irrelevant: int = 5, random_state: int | None = None
    ) -> None:
        super().__init__(stream, random_state)
        self.n_irrelevant = check_positive("n_irrelevant", n_irrelevant)

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
