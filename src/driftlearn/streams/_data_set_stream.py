"""Base class for streams that consist of data sets."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from driftlearn.streams._stream import Span, Stream
from driftlearn.utils.typing import Ints, Rows


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
