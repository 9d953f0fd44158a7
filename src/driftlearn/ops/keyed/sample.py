"""A sample of the rows of a run, which the global model learns when the run is taken over.

Where files are read in several places at once, no model can learn all rows in one order on the way.
So each file of the plan keeps some of its good rows, chosen by their numbers alone: the same ones
whoever reads it, and however often.
"""

from __future__ import annotations

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

MOST = 10_000  # rows of a run
ODD = 0x9E3779B97F4A7C15  # 2**64 divided by the golden ratio: multiples of it are spread evenly


def shares(sizes: Sequence[int], most: int = MOST) -> list[int]:
    """Return how many rows of each file are kept: as its bytes are to those of all.

    Examples
    --------
    >>> shares([10, 0, 20, 10], most=6)
    [1, 0, 3, 2]
    """
    ends = [0, *accumulate(sizes)]
    cuts = [most * end // max(ends[-1], 1) for end in ends]
    return [b - a for a, b in pairwise(cuts)]


class Sample:
    r"""Some of the good rows of a file.

    Row i has the place :math:`i c \bmod 2^{64}`, where c is :math:`2^{64}` divided by the golden
    ratio; those with the smallest places are kept, which are spread evenly over the file.

    Parameters
    ----------
    most : int
        How many are kept.
    """

    def __init__(self, most: int):
        self.most = most
        self._rows: Rows | None = None
        self._numbers = np.zeros(0, dtype=np.uint64)

    def add(self, batch: Batch) -> None:
        """Look at rows that come next in the file."""
        bad = batch.rows.bad
        good = np.array([i for i in range(batch.n_rows) if i not in bad], dtype=np.intp)
        numbers = np.array([batch.where[i][1] for i in good.tolist()], dtype=np.uint64)
        if self.most and len(self._numbers) == self.most:  # few come before the last that is kept
            sooner = _places(numbers) < _places(self._numbers).max()
            good, numbers = good[sooner], numbers[sooner]
        if not self.most or not len(good):
            return
        new = batch.rows.take(good)
        rows = new if self._rows is None else Rows.joined([self._rows, new])
        numbers = np.concatenate([self._numbers, numbers])
        kept = np.sort(np.argsort(_places(numbers))[: self.most])
        self._rows, self._numbers = rows.take(kept), numbers[kept]

    def write(self, path: Path, kinds: Mapping[str, str]) -> None:
        """Write the rows in their order to a file, at one stroke; without rows there is none."""
        if self._rows is None:
            return
        pa = needed("pyarrow")
        batch = pa.RecordBatch.from_pydict(arrays_of(self._rows, kinds))
        sink = io.BytesIO()
        with pa.ipc.new_file(sink, batch.schema) as writer:
            writer.write_batch(batch)
        persist.atomic_write(path, sink.getvalue())


def read_samples(paths: Sequence[Path], kinds: Mapping[str, str]) -> Rows | None:
    """Return the rows of files that are there, one after the other; None if there are none."""
    pa: Any = needed("pyarrow")
    found = []
    for path in paths:
        if path.exists():
            with pa.ipc.open_file(path) as reader:
                found.append(rows_of(reader.get_batch(0), kinds))
    return Rows.joined(found) if found else None


def _places(numbers: np.ndarray) -> np.ndarray:
    """Return by what rows are chosen."""
    return numbers * np.uint64(ODD)  # what is more than 64 bits is cut off
