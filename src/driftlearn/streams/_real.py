"""Streams of real data sets: in recorded order, in class schedules, and the laser series."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from driftlearn.streams._data_sets import DATA_SETS, read_data_set
from driftlearn.streams._generated import Schedule, Scheduled
from driftlearn.streams._recorded import RecordedStream, Recording, TableStream, check_holdout
from driftlearn.streams._stream import MODEL, TEST, DataSetStream, read_json
from driftlearn.utils import arguments
from driftlearn.utils.arguments import Floats, Ints, Labels, Rows

#: Source and class counts of each schedule of the papers.
SCHEDULES: dict[str, dict[str, Any]] = read_json("class_schedules")


class RealStream(TableStream):
    """Stream of a real data set, as returned by `load`, which documents the parameters.

    A pickle contains only the parameters; the data are read again after unpickling.
    """

    def __init__(
        self,
        name: str,
        n_rows: int | None = None,
        n_features: int | None = None,
        drop_constant: bool = False,
        holdout: int | float = 0,
        verify: bool = False,
        chunk_size: int = 1_000,
        random_state: int | None = 0,
    ) -> None:
        arguments.choose("the name of a data set", name, DATA_SETS)
        self.name = name
        n_rows = None if n_rows is None else arguments.check_positive("n_rows", n_rows)
        self._given = {"n_rows": n_rows, "n_features": n_features}
        self.drop_constant = drop_constant
        self.holdout = holdout
        self.verify = verify
        self.chunk_size = arguments.check_positive("chunk_size", chunk_size)
        self.random_state = arguments.check_seed(random_state)

    def _recording(self) -> Recording:
        X, y, names, drifts = read_data_set(self.name, self.verify, self._given["n_features"])
        first = slice(self._given["n_rows"])
        X, y = X[first], y[first]
        if self.drop_constant:
            varies = X.min(axis=0) < X.max(axis=0)
            X, names = X[:, varies], [name for name, keep in zip(names, varies) if keep]
        return Recording(X, y, names, drifts)

    def __repr__(self) -> str:
        return super().__repr__().replace("RealStream(name=", "load(", 1)


@dataclass(repr=False, eq=False)
class Laser(Scheduled, TableStream):
    """Prediction of low values of a time series, with a slowly drifting threshold.

    The series is standardized. A row contains `lags` consecutive values; the label is +1 if the
    next value is at most the current threshold, else -1. Each threshold holds for an equal part of
    the stream and is approached linearly over `ramp` rows. The test set of every concept consists
    of rows held out at random, labeled with the threshold at the requested row.

    Parameters
    ----------
    thresholds : sequence of float, default=(-0.5, 0, 1)
        Thresholds in standard deviations of the series.
    ramp : int, default=1_000
        Number of rows of the linear transition to a new threshold.
    lags : int, default=9
        Number of preceding values used as features.
    holdout : int, default=825
        Number of rows held out as test set.
    series : array-like of shape (n,), default=None
        The series; None uses the recorded intensity of the Santa Fe laser (see `load`).
    chunk_size : int, default=200
        Default number of rows of a chunk.
    random_state : int, default=None
        Seed for the choice of test rows; None draws a random seed once, at construction.

    Notes
    -----
    Held-out rows share values with adjacent rows of the stream, which makes the test slightly
    easier than an independent test set.

    References
    ----------
    .. [1] A. S. Weigend and N. A. Gershenfeld (eds.), "Time Series Prediction: Forecasting the
       Future and Understanding the Past", Addison-Wesley 1994.
    .. [2] M. Grbovic and S. Vucetic, "Tracking concept change with incremental boosting by
       minimization of the evolving exponential loss", ECML-PKDD 2011.

    Examples
    --------
    >>> from driftlearn.streams import Laser
    >>> stream = Laser(series=np.sin(np.arange(4_009) / 10), ramp=200, holdout=400, random_state=0)
    >>> stream.n_rows, stream.drift_spans
    (3600, [(1200, 1400), (2400, 2600)])
    >>> stream.concept_at(1_300)
    -0.25
    """

    name = "laser"
    _positive = ("lags", "chunk_size")
    thresholds: Sequence[float] = (-0.5, 0.0, 1.0)
    ramp: int = 1_000
    lags: int = 9
    holdout: int = 825
    series: Sequence[float] | Floats | None = None
    chunk_size: int = 200
    random_state: int | None = None

    def __post_init__(self) -> None:
        self.thresholds = tuple(float(b) for b in self.thresholds)
        self._check_params()
        if self.series is not None:
            shape = np.shape(self.series)
            if len(shape) != 1 or shape[0] <= self.lags or np.std(self.series) == 0:
                wanted = f"a one-dimensional array of more than {self.lags} values, not constant"
                raise arguments.invalid("series", wanted, self.series)
            check_holdout(self.holdout, shape[0] - self.lags)

    @cached_property
    def classes(self) -> Labels:  # type: ignore[override]
        """The labels -1 and +1."""
        return np.array([-1, 1])

    @cached_property
    def _schedule(self) -> Schedule:  # type: ignore[override]
        return Schedule(self.thresholds, self.n_rows, ramp=self.ramp)

    def _recording(self) -> Recording:
        series = read_data_set("laser").X[:, 0] if self.series is None else np.asarray(self.series)
        values = (series - series.mean()) / series.std()
        windows = np.lib.stride_tricks.sliding_window_view(values, self.lags + 1)
        names = [f"lag{j}" for j in range(self.lags, 0, -1)]
        return Recording(windows[:, :-1].copy(), windows[:, -1].copy(), names)

    def _labeled(self, rows: Ints, at: Ints | int) -> Rows:
        is_low = self._whole.y[rows] <= self._schedule.value(at)
        return self._whole.X[rows], np.where(is_low, 1, -1)


def load(name: str, **options: Any) -> RecordedStream:
    """Return a real data set as a stream in its recorded order.

    Files are searched in the folder given by the environment variable DRIFTLEARN_DATA and then in
    the cache (the folder DRIFTLEARN_CACHE, by default ``driftlearn`` in the user's cache folder).
    Otherwise they are downloaded into the cache, if possible, and verified.

    Parameters
    ----------
    name : str
        One of electricity, covertype, optdigits, wine, weather, gas, poker, poker-training, spam,
        alcohol and laser. "laser" is a time series, for which a `Laser` stream with its parameters
        is returned.
    n_rows : int, default=None
        Number of rows to use, counted from the first; None uses all.
    n_features : int, default=500
        For the spam data set only: number of words to use out of 39,916. The words are the most
        frequent ones in the first 1,000 mails, so they could be known before learning starts.
    drop_constant : bool, default=False
        Whether to drop columns with the same value in all rows.
    holdout : int or float, default=0
        Number or share of rows that are removed from the stream at random and used as test set.
    verify : bool, default=False
        Whether to verify the checksum of a file in the user's folder.
    chunk_size : int, default=1_000
        Default number of rows of a chunk.
    random_state : int, default=0
        Seed for the choice of the held-out rows.

    Returns
    -------
    RecordedStream

    Raises
    ------
    FileNotFoundError
        If the data set was not found; the message lists the locations that were tried.

    Examples
    --------
    >>> from driftlearn.streams import load
    >>> stream = load("wine", holdout=40, random_state=0)
    >>> stream.n_rows, stream.n_features
    (138, 13)
    >>> X, y = stream.test_set(row=0)
    >>> X.shape
    (40, 13)
    """
    stream: TableStream
    stream = Laser(**options) if name == "laser" else RealStream(name, **options)
    stream.read()
    return stream


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
                raise arguments.invalid("counts", wanted, row)
        self.sizes = tuple(len(rows) for rows in self._rows[2])
        self.n_rows = sum(self.sizes)

    def test_set(self, row: int = 0, n: int | None = None, random_state: int | None = None) -> Rows:
        """Return the test set, or `n` random rows of it; all data sets have the same test set."""
        rows = self._rows[0]
        if n is not None:
            if n > len(rows):
                raise arguments.invalid("n", f"at most {len(rows)}, the number of test rows", n)
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
    schedule = arguments.choose("name", name, SCHEDULES)
    source = load(**schedule["source"])
    assert isinstance(source, TableStream)
    stream = ClassSchedule(**{**schedule, "source": source}, random_state=random_state)
    stream.name = name
    return stream
