"""Streams of real data sets, and the laser series of the IBoost paper."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from driftlearn.streams._data_sets import DATA_SETS, read_data_set
from driftlearn.streams._generated import Schedule, Scheduled
from driftlearn.streams._recorded import RecordedStream, Recording, TableStream, check_holdout
from driftlearn.utils import arguments
from driftlearn.utils.arguments import Floats, Ints, Labels, Rows


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
