"""A user's own file as a stream: words and dates become numbers by an encoder that learns."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path

import numpy as np

from driftlearn.preprocess import TableEncoder
from driftlearn.preprocess._frames import frame_of
from driftlearn.preprocess._values import names
from driftlearn.sources.files import FileSource
from driftlearn.streams._arguments import check_positive, check_rows, check_seed
from driftlearn.streams._csv import kind_of
from driftlearn.streams._frame_columns import feature_columns
from driftlearn.streams._recorded import Recording, TableStream


class TableFile(TableStream):
    """The rows of a CSV or Parquet file, held in memory as numbers.

    A `TableEncoder` makes numbers of words, dates and missing values, each row by what was known
    before it.

    Parameters
    ----------
    path : str
        The file: CSV, also packed, or Parquet.
    target : str
        The column of labels; rows without one are left out.
    drop : sequence of str, default=()
        Columns to leave out.
    sep : str, default=None
        What separates the fields of a CSV file; None finds it in the first line.
    encoding : str, default="utf-8"
        Of the text of a CSV file.
    drifts : sequence of int, default=()
        Rows at which something is known to change.
    holdout : int or float, default=0
        Rows, as a number or a share, that are drawn at random and serve as test set.
    chunk_size : int, default=1_000
        Rows in a chunk where the reader does not say.
    random_state : int, default=0
        Seed of the choice of the held out rows.
    digest : str, default=""
        The SHA-256 of the file: a result that was stored belongs to what was in the file then.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp(), "mails.csv")
    >>> _ = path.write_text("sender,links,class\\nann,0,ham\\nshop,7,spam\\nann,1,ham\\n")
    >>> X, y = TableFile(str(path), target="class").take(3)
    >>> X.tolist(), y.tolist()
    ([[0.0, 0.0], [0.0, 7.0], [2.0, 1.0]], ['ham', 'spam', 'ham'])
    """

    def __init__(
        self,
        path: str,
        target: str,
        drop: Sequence[str] = (),
        sep: str | None = None,
        encoding: str = "utf-8",
        drifts: Sequence[int] = (),
        holdout: int | float = 0,
        chunk_size: int = 1_000,
        random_state: int | None = 0,
        digest: str = "",
    ) -> None:
        self.path, self.target = str(path), str(target)
        self.drop = (drop,) if isinstance(drop, str) else tuple(drop)
        self.sep, self.encoding = sep, encoding
        self.drifts = check_rows("drifts", drifts)
        self.holdout = holdout
        self.chunk_size = check_positive("chunk_size", chunk_size)
        self.random_state = check_seed(random_state)
        self.name = Path(path).stem
        (source,) = FileSource([self.path], sep=sep, encoding=encoding).paths()
        self._file = FileSource([], sep=sep, encoding=encoding).file(source)
        feature_columns(self._file.columns(), self.target, self.drop, self.path)
        self.digest = sha256(Path(self.path).read_bytes()).hexdigest()
        if digest not in ("", self.digest):
            raise ValueError(f"{self.path} is not the file that it was when this was begun")

    def _recording(self) -> Recording:
        encoder = TableEncoder(kinds=dict.fromkeys(self.drop, "drop") or None, on_surprise="note")
        numbers: set[str] = set()
        X: list[np.ndarray] = []
        labels: list[str | None] = []
        for piece in self._file.pieces(None, lambda: numbers):
            if not piece.n_rows:
                continue
            frame = frame_of(piece.table)
            assert frame.names is not None
            columns = dict(zip(frame.names, frame.columns))
            labels += names(columns.pop(self.target).values)
            rows = {name: piece.table[name] for name in columns}
            X.append(encoder.transform_then_learn(rows, file=piece.file))
            numbers |= {name for name, kind in encoder.kinds_.items() if kind == "number"}
        if not X:
            raise ValueError(f"{self.path} has no rows")
        there = np.array([label is not None for label in labels])
        found = [label for label in labels if label is not None]
        kind = kind_of({*found})
        y = np.array([kind(label) for label in found])
        features = [str(name) for name in encoder.get_feature_names_out()]
        return Recording(np.concatenate(X)[there], y, features, self.drifts)
