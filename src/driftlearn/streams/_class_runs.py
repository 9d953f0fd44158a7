"""Streams whose classes come in runs."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from driftlearn.streams._generated import TRAIN
from driftlearn.streams._stream import Stream
from driftlearn.streams._wrappers import Wrapper
from driftlearn.utils.arguments import check_positive
from driftlearn.utils.typing import Rows


class ClassRuns(Wrapper):
    """A stream whose classes come in runs: first many rows of one class, then many of the next.

    Whatever is collected class by class comes so. Every `span` rows of the stream are sorted by
    class, in an order of the classes that is drawn anew for each span; rows of a class stay in
    their order. The rows are those of the stream, and none leaves its span. Test sets are the
    stream's own.

    Parameters
    ----------
    stream : Stream
        The stream.
    span : int, default=2000
        Rows that are sorted together. Where concepts change inside of a span their rows mix.
    random_state : int, default=None
        Seed, also of the stream; None takes the stream's.

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
