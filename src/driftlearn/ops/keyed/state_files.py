"""States of keys in Parquet files, for exchange with engines."""

import json
import os
import uuid
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any

from driftlearn.ops.keyed.key_store import KeyStore, Summary
from driftlearn.utils.optional import needed

ROWS = 10_000  # states that are in memory at a time


def write_states(path: Path, states: Iterable[tuple[Summary, bytes]]) -> int:
    """Write states to a file atomically; return their number.

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
    new = path.with_name(f".{path.name}.{uuid.uuid4().hex}")
    with parquet.ParquetWriter(new, schema) as writer:
        while some := [*islice(left, ROWS)]:
            rows = [(summary.key, content, json.dumps(summary)) for summary, content in some]
            writer.write_table(pa.table([*map(list, zip(*rows))], schema=schema))
            n += len(some)
    os.replace(new, path)
    return n


def read_states(paths: Iterable[Path]) -> Iterator[tuple[Summary, bytes]]:
    """Yield the states of files.

    Parameters
    ----------
    paths : iterable of Path
        The files.
    """
    parquet: Any = needed("pyarrow.parquet")
    for path in paths:
        with parquet.ParquetFile(path) as file:
            for batch in file.iter_batches(ROWS, columns=["content", "summary"]):
                for content, summary in zip(*(column.to_pylist() for column in batch.columns)):
                    yield Summary(*json.loads(summary)), content


def stored_states(store: KeyStore) -> Iterator[tuple[Summary, bytes]]:
    """Yield the states of a store."""
    for summary in store.keys():  # noqa: SIM118
        yield summary, store.state(summary.key) or b""
