"""Streams of real data sets."""

from __future__ import annotations

from typing import Any

from driftlearn.streams._known_data_sets import DATA_SETS
from driftlearn.streams._laser import Laser
from driftlearn.streams._read_data_set import read_data_set
from driftlearn.streams._recorded import RecordedStream, Recording, TableStream
from driftlearn.utils.arguments import check_positive, check_seed, choose


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
        choose("the name of a data set", name, DATA_SETS)
        self.name = name
        n_rows = None if n_rows is None else check_positive("n_rows", n_rows)
        self._given = {"n_rows": n_rows, "n_features": n_features}
        self.drop_constant = drop_constant
        self.holdout = holdout
        self.verify = verify
        self.chunk_size = check_positive("chunk_size", chunk_size)
        self.random_state = check_seed(random_state)

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
        Number of rows to use, from the first on; None uses all.
    n_features : int, default=500
        For the spam data set only: number of words to use out of 39,916. The words are the most
        frequent ones in the first 1,000 mails, which a learner could know before it starts.
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
