"""Streams around streams: noise in the labels, gaps, columns that tell nothing."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, cast

import numpy as np

from driftlearn.streams._generated import BLOCK, TEST, TRAIN, GeneratedStream
from driftlearn.streams._stream import Span, Stream
from driftlearn.utils.arguments import check_noise, check_positive, check_seed
from driftlearn.utils.typing import Floats, Ints, Labels, Rows


class Wrapper(GeneratedStream):
    """A stream around another one; what is not changed is handed on."""

    def __init__(self, stream: Stream, random_state: int | None) -> None:
        if not isinstance(stream, Stream):
            raise ValueError(f"stream must be a stream of driftlearn; got {stream!r}")
        if random_state is None:
            random_state = getattr(stream, "random_state", None)
        self.random_state = check_seed(random_state)
        self.stream = stream._seeded(self.random_state)

    @property
    def n_rows(self) -> int | None:  # type: ignore[override]
        """Number of rows; None if it is unlimited."""
        return self.stream.n_rows

    @property
    def n_features(self) -> int:  # type: ignore[override]
        """Number of columns."""
        return self.stream.n_features

    @property
    def feature_names(self) -> list[str]:  # type: ignore[override]
        """One name a column."""
        return self.stream.feature_names

    @property
    def classes(self) -> Labels:  # type: ignore[override]
        """All labels that may occur, sorted."""
        return self.stream.classes

    @property
    def chunk_size(self) -> int | None:  # type: ignore[override]
        """Rows in a chunk where the reader does not ask for another number."""
        return self.stream.chunk_size

    @property
    def drift_spans(self) -> list[Span]:
        """The changes of the stream."""
        return self.stream.drift_spans

    def concept_at(self, row: int) -> Any:
        """Tell what is in force at a row, as the stream does."""
        return self.stream.concept_at(row)

    def _sizes(self, start: int) -> Iterator[int]:
        return self.stream._sizes(start)


class RowWrapper(Wrapper):
    """A stream whose rows are those of another, each changed by itself.

    Subclasses write `_change`. Around a stream that can be drawn from they can be drawn from, too,
    and be concepts of `Drifting`; around any other they change its rows in their order. Several
    of them, one around another, go on with one generator, so that what they draw is independent.
    """

    def _change(self, rng: np.random.Generator, X: Floats, y: Labels, test: bool) -> Rows:
        """Change rows of the stream, or of a test set."""
        raise NotImplementedError

    @property
    def _drawable(self) -> bool:  # type: ignore[override]
        return self.stream._drawable

    @property
    def _source(self) -> Stream:
        """The stream inside all wrappers."""
        return self.stream._source if isinstance(self.stream, RowWrapper) else self.stream

    def _changed(self, rng: np.random.Generator, X: Floats, y: Labels, test: bool) -> Rows:
        """Change rows of the source, the innermost wrapper first."""
        if isinstance(self.stream, RowWrapper):
            X, y = self.stream._changed(rng, X, y, test)
        return self._change(rng, X, y, test)

    def _sample(self, rng: np.random.Generator, rows: Ints, test: bool) -> Rows:
        source = cast(GeneratedStream, self._source)
        return self._changed(rng, *source._sample(rng, rows, test), test)

    def test_set(self, row: int, n: int | None = None, random_state: int | None = None) -> Rows:
        """Draw a test set of the stream and change its rows; see `Stream.test_set`."""
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
    """A stream some of whose labels are wrong.

    Parameters
    ----------
    stream : Stream
        The stream.
    noise : float, default=0.1
        Share of labels that are replaced by another class.
    noise_in_test : bool, default=False
        Whether test sets carry the noise too.
    random_state : int, default=None
        Seed, also of the stream; None takes the stream's.

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
    """A stream some of whose values are missing: they are NaN, in test sets, too.

    Parameters
    ----------
    stream : Stream
        The stream.
    rate : float, default=0.1
        Probability that a value is missing, for each value by itself.
    random_state : int, default=None
        Seed, also of the stream; None takes the stream's.

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
            raise ValueError(f"rate is the share of missing values, in [0, 1); got {rate!r}")
        self.rate = float(rate)

    def _change(self, rng: np.random.Generator, X: Floats, y: Labels, test: bool) -> Rows:
        return np.where(rng.random(X.shape) < self.rate, np.nan, X), y


class IrrelevantFeatures(RowWrapper):
    """A stream with more columns, uniform in [0, 1), that tell nothing.

    Parameters
    ----------
    stream : Stream
        The stream.
    n_irrelevant : int, default=5
        Number of columns that come after those of the stream.
    random_state : int, default=None
        Seed, also of the stream; None takes the stream's.

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
        """Number of columns, those of the stream included."""
        return self.stream.n_features + self.n_irrelevant

    @property
    def feature_names(self) -> list[str]:  # type: ignore[override]
        """The stream's names, and after them those of the columns that tell nothing."""
        names = [f"irrelevant{j + 1}" for j in range(self.n_irrelevant)]
        return [*self.stream.feature_names, *names]

    def _change(self, rng: np.random.Generator, X: Floats, y: Labels, test: bool) -> Rows:
        return np.hstack([X, rng.random((len(X), self.n_irrelevant))]), y
