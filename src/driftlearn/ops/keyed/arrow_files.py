"""Arrow and Parquet files of rows, row samples and key states, for distributed engines.

When several processes read files at the same time, no model can be trained on all rows in one
order. Instead, each file contributes a sample of its valid rows, and the global model is trained on
the samples when the run is complete. Rows are selected by their numbers only, so the selection does
not depend on which process reads a file, or how often.
"""

import json
import os
import uuid
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import accumulate, islice, pairwise
from pathlib import Path
from typing import IO, Any

import numpy as np

from driftlearn.ops.keyed import rows as reading
from driftlearn.ops.keyed.key_store import KeyStore, Summary
from driftlearn.ops.keyed.reader import Batch
from driftlearn.ops.keyed.rows import Rows, used
from driftlearn.utils.optional import needed
from driftlearn.utils.table import objects

KEY, LABEL = "_driftlearn_key", "_driftlearn_label"
MAX_SAMPLE = 10_000  # maximum number of rows sampled per run
# 2**64 divided by the golden ratio: multiples of it, modulo 2**64, are spread evenly (Fibonacci
# hashing; Knuth, The Art of Computer Programming 3, Section 6.4).
GOLDEN = np.uint64(0x9E3779B97F4A7C15)
STATES = 10_000  # maximum number of states in memory


@contextmanager
def replaced(path: Path) -> Iterator[IO[bytes]]:
    """Open a temporary file that replaces `path` when the context ends without an error.

    The name is unique, since an engine may run a task twice at the same time.
    """
    new = path.with_name(f".{path.name}.{uuid.uuid4().hex}")
    with open(new, "wb") as sink:
        yield sink
        sink.flush()
        os.fsync(sink.fileno())  # before the rename, so that a power failure leaves no partial file
    os.replace(new, path)


def is_number(kind: str) -> bool:
    """Return whether a kind is stored as numbers in Arrow; dates are strings without time zone."""
    return kind in ("number", "boolean")


def arrays_of(rows: Rows, kinds: Mapping[str, str]) -> dict[str, Any]:
    """Return keys, labels and columns as Arrow arrays by name.

    Parameters
    ----------
    rows : Rows
        The rows, including malformed ones.
    kinds : dict of str to str
        The kinds of columns.
    """
    pa = needed("pyarrow")
    found = {KEY: pa.array(rows.keys, pa.string())}
    found[LABEL] = pa.array(rows.labels or [None] * len(rows), pa.string())
    for (name, kind), raw in zip(used(kinds).items(), rows.frame.columns):
        values: Any = raw.values
        if kind == "date":
            texts = np.datetime_as_string(values, unit="us").tolist()
            values = [None if text == "NaT" else text for text in texts]
        elif kind == "category":
            values = values.tolist()
        found[name] = pa.array(values, pa.float64() if is_number(kind) else pa.string())
    return found


def rows_of(batch: Any, kinds: Mapping[str, str]) -> Rows:
    """Return the rows of a record batch that consists of the arrays of `arrays_of`.

    Parameters
    ----------
    batch : pyarrow.RecordBatch
        The batch.
    kinds : dict of str to str
        The kinds of columns.
    """
    table = {}
    for name, kind in used(kinds).items():
        column = batch.column(name)
        if is_number(kind):
            table[name] = column.to_numpy(zero_copy_only=False)
        else:
            table[name] = objects(column.to_pylist())
    keys, labels = (batch.column(name).to_pylist() for name in (KEY, LABEL))
    return reading.read(table, kinds, keys, labels)


def shares(sizes: Sequence[int], most: int = MAX_SAMPLE) -> list[int]:
    """Return the number of rows to sample from each file, in proportion to its size.

    Examples
    --------
    >>> shares([10, 0, 20, 10], most=6)
    [1, 0, 3, 2]
    """
    ends = [0, *accumulate(sizes)]
    cuts = [most * end // max(ends[-1], 1) for end in ends]
    return [b - a for a, b in pairwise(cuts)]


class Sample:
    r"""Sample of the valid rows of a file.

    Row i has the hash :math:`i c \bmod 2^{64}`, where c is :math:`2^{64}` divided by the golden
    ratio. The rows with the smallest hashes are selected, which are spread evenly over the file.

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
        """Update the sample with the next rows of the file."""
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
        """Write the sampled rows in order to a file, atomically; an empty sample writes no file."""
        if self._rows is None:
            return
        pa = needed("pyarrow")
        batch = pa.RecordBatch.from_pydict(arrays_of(self._rows, kinds))
        with replaced(path) as sink, pa.ipc.new_file(sink, batch.schema) as writer:
            writer.write_batch(batch)


def read_samples(paths: Sequence[Path], kinds: Mapping[str, str]) -> Rows | None:
    """Return the concatenated rows of the files that exist, or None if no file exists."""
    pa: Any = needed("pyarrow")
    found = []
    for path in paths:
        if path.exists():
            with pa.ipc.open_file(path) as reader:
                found.append(rows_of(reader.get_batch(0), kinds))
    return Rows.joined(found) if found else None


def write_states(path: Path, states: Iterable[tuple[Summary, bytes]]) -> int:
    """Write states to a file atomically; return the number of states.

    Parameters
    ----------
    path : Path
        The file.
    states : iterable of (Summary, bytes)
        The summary and the state of each key.
    """
    pa, parquet = needed("pyarrow"), needed("pyarrow.parquet")
    schema = pa.schema([("key", pa.string()), ("content", pa.binary()), ("summary", pa.string())])
    n, left = 0, iter(states)
    with replaced(path) as sink, parquet.ParquetWriter(sink, schema) as writer:
        while some := [*islice(left, STATES)]:
            rows = [(summary.key, content, json.dumps(summary)) for summary, content in some]
            writer.write_table(pa.table([*map(list, zip(*rows))], schema=schema))
            n += len(some)
    return n


def read_states(paths: Iterable[Path]) -> Iterator[tuple[Summary, bytes]]:
    """Yield the states in files.

    Parameters
    ----------
    paths : iterable of Path
        The files.
    """
    parquet: Any = needed("pyarrow.parquet")
    for path in paths:
        with parquet.ParquetFile(path) as file:
            for batch in file.iter_batches(STATES, columns=["content", "summary"]):
                for content, summary in zip(*(column.to_pylist() for column in batch.columns)):
                    yield Summary(*json.loads(summary)), content


def stored_states(store: KeyStore) -> Iterator[tuple[Summary, bytes]]:
    """Yield the states in a store."""
    for summary in store.keys():  # noqa: SIM118
        yield summary, store.state(summary.key) or b""
