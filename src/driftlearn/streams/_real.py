"""Real data sets as streams."""

from __future__ import annotations

from typing import Any

from driftlearn.streams._known_data_sets import DATA_SETS
from driftlearn.streams._laser import Laser
from driftlearn.streams._read_data_set import read_data_set
from driftlearn.streams._recorded import RecordedStream, Recording, TableStream
from driftlearn.utils.arguments import check_positive, check_seed, choose


class RealStream(TableStream):
    """The stream that `load` makes; its parameters are described there.

    It is pickled as a description: whoever unpickles it reads the data where they are.
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
    """Give a real data set as a stream, in the order in which it was recorded.

    Files are looked for in the folder that the environment variable DRIFTLEARN_DATA names, then in
    the cache (the folder DRIFTLEARN_CACHE, else ``driftlearn`` in the user's cache folder), and
    are otherwise downloaded into the cache, where that is possible, and checked.

    Parameters
    ----------
    name : str
        One of electricity, covertype, optdigits, wine, weather, gas, poker, poker-training, spam,
        alcohol and laser. The last is a series, and gives a `Laser` with its parameters.
    n_rows : int, default=None
        Use only so many rows, from the first on.
    n_features : int, default=500
        For the spam data set only: number of words to keep of its 39,916, namely those that occur
        in most of the first 1,000 mails, which a learner could know before it starts.
    drop_constant : bool, default=False
        Whether to leave out columns that have the same value in all rows.
    holdout : int or float, default=0
        Rows, as a number or a share, that are removed from the stream at random and serve as test
        set.
    verify : bool, default=False
        Whether to compare a file in the user's folder with its known checksum.
    chunk_size : int, default=1_000
        Rows in a chunk where the reader does not say.
    random_state : int, default=0
        Seed of the choice of the held out rows.

    Returns
    -------
    RecordedStream

    Raises
    ------
    FileNotFoundError
        If the data set is nowhere to be had; the message says what was tried.

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
