"""Samples of the rows of a run, which the global model learns when the run is complete.

Where several processes read files at the same time, no model can learn all rows in one order. So
each file contributes some of its good rows, selected by their numbers alone: the selection does not
depend on which process reads the file, or how often.
"""

import io
from collections.abc import Mapping, Sequence
from itertools import accumulate, pairwise
from pathlib import Path
from typing import Any

import numpy as np

from driftlearn import io as persist
from driftlearn.ops.keyed.arrow_rows import arrays_of, rows_of
from driftlearn.ops.keyed.reader import Batch
from driftlearn.ops.keyed.rows import Rows
from driftlearn.utils.optional import needed

MAX_ROWS = 10_000  # of a run
# 2**64 divided by the golden ratio: multiples of it, modulo 2**64, are spread evenly (Fibonacci
# hashing; Knuth, The Art of Computer Programming 3, Section 6.4).
GOLDEN = np.uint64(0x9E3779B97F4A7C15)


def shares(sizes: Sequence[int], most: int = MAX_ROWS) -> list[int]:
    """Return the number of rows to sample from each file, proportional to its size.

    Examples
    --------
    >>> shares([10, 0, 20, 10], most=6)
    [1, 0, 3, 2]
    """
    ends = [0, *accumulate(sizes)]
    cuts = [most * end // max(ends[-1], 1) for end in ends]
    return [b - a for a, b in pairwise(cuts)]


class Sample:
    r"""Sample of the good rows of a file.

    Row i has the hash :math:`i c \bmod 2^{64}`, where c is :math:`2^{64}` divided by the golden
    ratio. The rows with the smallest hashes are selected; they are spread evenly over the file.

    Parameters
    ----------
    most : int
        Maximum number of rows.
    """

    def __init__(self, most: int):
        self.most = most
        self._rows: Rows | None = None
        self._numbers = np.zeros(0, dtype=np.uint64)

    def add(self, batch: Batch) -> None:
        """Consider the next rows of the file."""
        good = batch.rows.good
        numbers = np.array([batch.places[i][1] for i in good.tolist()], dtype=np.uint64)
        if self.most and len(self._numbers) == self.most:
            # Most rows are rejected here, before any column is copied.
            smaller = numbers * GOLDEN < (self._numbers * GOLDEN).max()
            good, numbers = good[smaller], numbers[smaller]
        if not self.most or not len(good):
            return
        new = batch.rows.take(good)
        rows = new if self._rows is None else Rows.joined([self._rows, new])
        numbers = np.concatenate([self._numbers, numbers])
        selected = np.sort(np.argsort(numbers * GOLDEN)[: self.most])
        self._rows, self._numbers = rows.take(selected), numbers[selected]

    def write(self, path: Path, kinds: Mapping[str, str]) -> None:
        """Write the rows in their order to a file atomically; without rows there is no file."""
        if self._rows is None:
            return
        pa = needed("pyarrow")
        batch = pa.RecordBatch.from_pydict(arrays_of(self._rows, kinds))
        sink = io.BytesIO()
        with pa.ipc.new_file(sink, batch.schema) as writer:
            writer.write_batch(batch)
        persist.atomic_write(path, sink.getvalue())


def read_samples(paths: Sequence[Path], kinds: Mapping[str, str]) -> Rows | None:
    """Return the rows of those files that exist, concatenated; None if there are none."""
    pa: Any = needed("pyarrow")
    found = []
    for path in paths:
        if path.exists():
            with pa.ipc.open_file(path) as reader:
                found.append(rows_of(reader.get_batch(0), kinds))
    return Rows.joined(found) if found else None
