"""Streams that consist of data sets, each of its own size."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from driftlearn.streams._stream import Span, Stream
from driftlearn.utils.typing import Ints, Rows


class DataSetStream(Stream):
    """A stream of data sets D1, D2, ..., which are its own chunks.

    Subclasses set `sizes` and write `_dataset`, which makes one data set without the others.

    Attributes
    ----------
    sizes : tuple of int
        Rows of each data set.
    """

    sizes: tuple[int, ...]
    chunk_size: int | None = None

    def _dataset(self, k: int) -> Rows:
        """Make data set number `k`."""
        raise NotImplementedError

    @property
    def drift_spans(self) -> list[Span]:
        """The starts of all data sets but the first, each an abrupt change."""
        return [(int(start), int(start)) for start in self._ends[:-1]]

    def concept_at(self, row: int) -> Any:
        """Give the number of the data set to which a row belongs; the first is 0."""
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
