"""Data sets with given class counts drawn from recorded rows."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from driftlearn.streams._real import load
from driftlearn.streams._recorded import TableStream
from driftlearn.streams._stream import MODEL, TEST, DataSetStream, read_json
from driftlearn.utils.arguments import Ints, Rows, choose, invalid

#: Source and class counts of each schedule of the papers.
SCHEDULES: dict[str, dict[str, Any]] = read_json("class_schedules")


@dataclass(repr=False, eq=False)
class ClassSchedule(DataSetStream):
    """Data sets with given class counts, drawn from recorded rows.

    Use it for experiments in which classes appear and disappear. The rows of each class are
    shuffled. The test set is drawn first, then the validation set, then the data sets in order, so
    that no row is used twice. If too few rows of a class are left, a data set gets all of them.

    Parameters
    ----------
    source : RealStream or another stream in memory
        The recorded rows.
    counts : sequence of sequence of int
        Number of rows of each class, in the order of `classes`, one sequence per data set.
    test_counts : sequence of int
        Number of rows of each class in the test set.
    validation_counts : sequence of int, default=None
        Number of rows of each class in the validation set; None for no validation set.
    redrawn : sequence of int, default=()
        Indices of the data sets that are drawn from all rows outside the test and validation sets,
        even if other data sets contain these rows.
    random_state : int, default=None
        Seed; None draws a random seed once, at construction.

    Examples
    --------
    >>> from driftlearn.streams import ClassSchedule, load
    >>> stream = ClassSchedule(load("wine"), ((30, 30, 0), (10, 10, 30)), (10, 10, 10))
    >>> [np.bincount(batch.y, minlength=3).tolist() for batch in stream]
    [[30, 30, 0], [10, 10, 30]]
    """

    name = "class-schedule"

    source: TableStream
    counts: Sequence[Sequence[int]]
    test_counts: Sequence[int]
    validation_counts: Sequence[int] | None = None
    redrawn: Sequence[int] = ()
    random_state: int | None = None

    def __post_init__(self) -> None:
        self.counts = tuple(tuple(int(n) for n in row) for row in self.counts)
        self.test_counts, self.redrawn = tuple(self.test_counts), tuple(self.redrawn)
        if self.validation_counts is not None:
            self.validation_counts = tuple(self.validation_counts)
        self._check_params()
        self.n_features = self.source.n_features
        self.feature_names = self.source.feature_names
        self.classes = self.source.classes
        for row in (*self.counts, self.test_counts, self.validation_counts or self.test_counts):
            if len(row) != len(self.classes) or min(row) < 0:
                wanted = f"{len(self.classes)} nonnegative integers, one per class"
                raise invalid("counts", wanted, row)
        self.sizes = tuple(len(rows) for rows in self._rows[2])
        self.n_rows = sum(self.sizes)

    def test_set(self, row: int = 0, n: int | None = None, random_state: int | None = None) -> Rows:
        """Return the test set, or `n` random rows of it; all data sets have the same test set."""
        rows = self._rows[0]
        if n is not None:
            if n > len(rows):
                raise invalid("n", f"at most {len(rows)}, the number of test rows", n)
            rows = self._rng(TEST, row, random_state).choice(rows, n, replace=False)
        return self._take(rows)

    def validation_set(self) -> Rows:
        """Return the validation set."""
        if self.validation_counts is None:
            raise ValueError(
                "This schedule has no validation set. Set the 'validation_counts' parameter."
            )
        return self._take(self._rows[1])

    @cached_property
    def _arrays(self) -> Rows:
        return self.source.arrays()

    @cached_property
    def _rows(self) -> tuple[Ints, Ints, list[Ints]]:
        """Row positions of the test set, of the validation set and of each data set."""
        rng = self._rng(MODEL)
        y = self._arrays[1]
        pools = [rng.permutation(np.flatnonzero(y == label)) for label in self.classes]
        at = np.zeros(len(pools), dtype=np.int64)

        def take_rows(counts: Sequence[int]) -> Ints:
            parts = [pool[a : a + n] for pool, a, n in zip(pools, at, counts)]
            at[:] += [len(part) for part in parts]
            return rng.permutation(np.concatenate(parts))

        test = take_rows(self.test_counts)
        validation = take_rows(self.validation_counts or (0,) * len(pools))
        free = [rng.permutation(pool[a:]) for pool, a in zip(pools, at)]
        sets = []
        for k, counts in enumerate(self.counts):
            if k in self.redrawn:
                fresh = [rng.permutation(pool)[:n] for pool, n in zip(free, counts)]
                sets.append(rng.permutation(np.concatenate(fresh)))
            else:
                sets.append(take_rows(counts))
        return test, validation, sets

    def _take(self, rows: Ints) -> Rows:
        X, y = self._arrays
        return X[rows], y[rows]

    def _dataset(self, k: int) -> Rows:
        return self._take(self._rows[2][k])


def paper_schedule(name: str, random_state: int | None = None) -> ClassSchedule:
    """Return a class schedule of the Learn++.MT or Learn++.UDNC paper.

    Parameters
    ----------
    name : str
        ``"wine"`` and ``"ocr-mt"`` are Tables 1 and 4 of the Learn++.MT paper. ``"ocr-udnc"`` is
        Table 4 of the Learn++.UDNC paper; its last data set with all classes is the fifth one here.
        ``"ocr-rare"`` is Table 6 of that paper, with 40 rows of class 0 in every data set.
    random_state : int, default=None
        Seed; None draws a random seed once.

    Notes
    -----
    The Learn++.UDNC paper uses more rows of some digits than the public data contain. The fifth
    data set is therefore drawn from all rows outside the test set, and the second and third data
    sets lack four rows each of digit 2, and of digits 3 and 7. As in the paper, the two constant
    columns are dropped.

    References
    ----------
    .. [1] M. Muhlbaier, A. Topalis and R. Polikar, "Learn++.MT: A new approach to incremental
       learning", MCS 2004.
    .. [2] G. Ditzler, M. D. Muhlbaier and R. Polikar, "Incremental learning of new classes in
       unbalanced datasets: Learn++.UDNC", MCS 2010.

    Examples
    --------
    >>> from driftlearn.streams import paper_schedule
    >>> stream = paper_schedule("wine", random_state=0)
    >>> [len(batch.y) for batch in stream], len(stream.test_set()[1])
    ([57, 61], 40)
    """
    schedule = choose("name", name, SCHEDULES)
    source = load(**schedule["source"])
    assert isinstance(source, TableStream)
    stream = ClassSchedule(**{**schedule, "source": source}, random_state=random_state)
    stream.name = name
    return stream
