"""Streams sorted into runs of one class."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from driftlearn.streams._generated import TRAIN
from driftlearn.streams._stream import Stream
from driftlearn.streams._wrappers import Wrapper
from driftlearn.utils.arguments import check_positive
from driftlearn.utils.typing import Rows


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
    _drawable = False

    def __init__(self, stream: Stream, span: int = 2000, random_state: int | None = None) -> None:
        super().__init__(stream, random_state)
        self.span = check_positive("span", span)

    def test_set(self, row: int, n: int | None = None, random_state: int | None = None) -> Rows:
        """Draw a test set of the stream; see `Stream.test_set`."""
        return self.stream.test_set(row, n, random_state)

    def _pieces(self, start: int) -> Iterator[Rows]:
        for X, y, first in self.stream.chunks(self.span, start - start % self.span):
            turn = self._rng(TRAIN, first // self.span).permutation(len(self.classes))
            order = np.argsort(turn[np.searchsorted(self.classes, y)], kind="stable")
            order = order[max(start - first, 0) :]
            yield X[order], y[order]
