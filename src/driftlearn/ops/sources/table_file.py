"""CSV and Parquet files as a stream of incrementally encoded rows."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path

import numpy as np

from driftlearn.ops.sources.files import FileSource
from driftlearn.preprocessing.table_encoder import TableEncoder
from driftlearn.streams._recorded import Recording, TableStream
from driftlearn.tables.csv_file import label_type
from driftlearn.tables.files import digest_of
from driftlearn.tables.frames import feature_columns, frame_of
from driftlearn.tables.values import names
from driftlearn.utils.arguments import check_positive, check_rows, check_seed, choose


class TableFile(TableStream):
    r"""Stream of the rows of CSV and Parquet files, encoded as numbers in memory.

    A `TableEncoder` encodes words, dates and missing values as in ``driftlearn learn``: the
    encoding of a row depends only on earlier rows.

    Parameters
    ----------
    path : str
        A CSV file (may be compressed), a Parquet file, a folder of such files, or a glob. Files of
        a folder or glob are read in the order of their names.
    target : str
        The label column, which every file must have; rows without a label are omitted.
    drop : sequence of str, default=()
        Columns to omit.
    sep : str, default=None
        Field separator of CSV files; None detects it in the first line.
    encoding : str, default="utf-8"
        Encoding of CSV files.
    missing : sequence of str, default=()
        Additional spellings of a missing value in CSV files.
    on_error : {"stop", "skip"}, default="stop"
        Whether a broken line of a CSV file raises an error or is skipped.
    drifts : sequence of int, default=()
        Row numbers of known concept changes.
    holdout : int or float, default=0
        Number or fraction of rows to draw at random as test set.
    chunk_size : int, default=1_000
        Chunk size for evaluations that do not specify a chunk size.
    random_state : int, default=0
        Seed for drawing the test set.
    digest : str, default=""
        SHA-256 digest of the contents of the files, in order, which ties stored results to these
        contents.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp(), "mails.csv")
    >>> _ = path.write_text("sender,links,class\nann,0,ham\nshop,7,spam\nann,1,ham\n")
    >>> X, y = TableFile(str(path), target="class").take(3)
    >>> X.tolist(), y.tolist()
    ([[0.0, 0.0], [0.0, 7.0], [2.0, 1.0]], ['ham', 'spam', 'ham'])
    """

    def __init__(
        self,
        path: str,
        target: str | None = None,
        drop: Sequence[str] = (),
        sep: str | None = None,
        encoding: str = "utf-8",
        missing: Sequence[str] = (),
        on_error: str = "stop",
        drifts: Sequence[int] = (),
        holdout: int | float = 0,
        chunk_size: int = 1_000,
        random_state: int | None = 0,
        digest: str = "",
    ) -> None:
        self.path = str(path)
        self.drop, self.missing = _several(drop), _several(missing)
        self.sep, self.encoding = sep, encoding
        self.on_error = on_error
        skip = choose("on_error", on_error, {"stop": False, "skip": True})
        self._drifts = check_rows("drifts", drifts)
        self.holdout = holdout
        self.chunk_size = check_positive("chunk_size", chunk_size)
        self.random_state = check_seed(random_state)
        self.name = Path(path).stem
        self._source = FileSource(
            [self.path], sep=sep, encoding=encoding, missing=self.missing, skip=skip
        )
        paths = self._source.paths()
        if not paths:
            raise FileNotFoundError(f"there is no CSV or Parquet file in {path}")
        if target is not None:
            self.target = str(target)
        self._check_columns(paths)
        self.digest = sha256(" ".join(map(digest_of, paths)).encode()).hexdigest()
        if digest not in ("", self.digest):
            raise ValueError(
                f"{self.path} has changed since this run started. Restore the file, or start a new "
                "run."
            )

    def _check_columns(self, paths: Sequence[str]) -> None:
        """Raise ValueError unless every file with columns has the target and known features."""
        known: set[str] = set()
        for path in paths:
            where = self.path if len(paths) == 1 else path
            with _with_names_of_options():
                there = self._source.file(path).columns()
            if not there:  # an empty file
                continue
            if not hasattr(self, "target"):
                shown = ", ".join(map(repr, there[:20]))
                raise ValueError(
                    f"Which column of {where} is the label column? Use {self.path}:target=COLUMN. "
                    f"Its columns are {shown}."
                )
            features = feature_columns(there, self.target, () if known else self.drop, where)
            if known and not known & {*features}:
                shown = ", ".join(map(repr, sorted(known)[:10]))
                raise ValueError(
                    f"{where} has none of the columns of the preceding files ({shown}): omit it, "
                    "or read it as a separate stream"
                )
            known = known or {*features}

    def _recording(self) -> Recording:
        dropped = dict.fromkeys(self.drop, "drop") or None
        encoder = TableEncoder(kinds=dropped, on_schema_change="note")
        X: list[np.ndarray] = []
        labels: list[str | None] = []
        with _with_names_of_options():
            for piece in self._source.pieces({}):
                if not piece.n_rows:
                    continue
                labels += names(frame_of({self.target: piece.table[self.target]}).columns[0].values)
                rows = {k: values for k, values in piece.table.items() if k != self.target}
                X.append(encoder.transform_then_learn(rows, file=piece.file))
                kinds = encoder.kinds_.items()
                self._source.numbers = {name for name, kind in kinds if kind == "number"}
        if not X:
            raise ValueError(f"{self.path} has no rows")
        has_label = np.array([label is not None for label in labels])
        found = [label for label in labels if label is not None]
        kind = label_type({*found})
        y = np.array([kind(label) for label in found])
        features = [str(name) for name in encoder.get_feature_names_out()]
        return Recording(np.concatenate(X)[has_label], y, features, self._drifts)


def _several(given: str | Sequence[str]) -> tuple[str, ...]:
    return (given,) if isinstance(given, str) else tuple(given)


@contextmanager
def _with_names_of_options() -> Iterator[None]:
    """Replace option names of ``learn`` in errors of readers by option names of the stream."""
    try:
        yield
    except ValueError as error:
        text = str(error).replace("--on-error skip", "on_error=skip")
        raise ValueError(text.replace("--encoding", "the option encoding")) from error
