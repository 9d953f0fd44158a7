"""Interface of sinks, and the choice of a sink by name."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import numpy as np

from driftlearn.ops.sources._messages import PLAIN
from driftlearn.ops.sources.source import is_server, parse_address, without_password
from driftlearn.tables.files import Position

Columns = Mapping[str, list[Any]]


class Done(NamedTuple):
    """Predictions of one source that a sink contains.

    Attributes
    ----------
    rows : int
        The sink contains all rows before this row number.
    position : dict or None
        The position in the source from which to continue; None if it was not stored.
    """

    rows: int
    position: Position | None = None


class Sink(Protocol):
    """Output for predictions of rows, which are identified by source path and row number."""

    def done_until(self, saved: Mapping[str, Position] | None) -> dict[str, Done]:
        """Return the predictions that the sink contains, by path.

        Parameters
        ----------
        saved : dict or None
            Durably stored positions: predictions before them are not searched for. None searches
            for all predictions.
        """

    def write(self, path: str, row: int, columns: Columns, position: Position | None) -> None:
        """Add predictions starting at a row number, with the source position after them."""

    def write_new(
        self, done: Mapping[str, Done], path: str, row: int, columns: Columns,
        position: Position | None = None,
    ) -> bool:  # fmt: skip
        """Add predictions that the sink does not contain yet; return whether there are any."""
        known = max(done.get(path, Done(0)).rows - row, 0)
        rest = {name: values[known:] for name, values in columns.items()}
        is_new = any(map(len, rest.values()))
        if is_new:
            self.write(path, row + known, rest, position)
        return is_new

    def flush(self) -> None:
        """Block until all writes are stored durably."""
        return  # sinks that wait for each response need no flush

    def close(self) -> None:
        """Close files and connections; writes after the last flush may be lost."""


def sink_of(name: str, owner: str) -> Sink:
    """Return the sink for a name.

    Parameters
    ----------
    name : str
        A CSV file, ``redis://HOST:6379/STREAM`` or ``kafka://HOST:9092/TOPIC``.
    owner : str
        The model or command whose predictions are written; a second writer with the same owner
        replaces the first writer.
    """
    from driftlearn.ops.sinks import file_sink, server_sinks

    if not is_server(name) and Path(name).suffix.lower() == ".csv":
        return file_sink.FileSink(name)
    if not is_server(name) or not name.startswith(("redis", "kafka")):
        shown = without_password(name)
        raise ValueError(
            f"Invalid --out {shown!r}: expected a .csv file, redis://HOST:6379/STREAM or "
            "kafka://HOST:9092/TOPIC."
        )
    address = parse_address(name)
    is_redis = address.kind == "redis"
    return server_sinks.RedisSink(address) if is_redis else server_sinks.KafkaSink(address, owner)


def records(path: str, row: int, columns: Columns) -> list[dict[str, Any]]:
    """Return predictions as dicts with source and row number."""
    return [
        {"source": path, "row": row + k, **dict(zip(columns, values))}
        for k, values in enumerate(zip(*columns.values()))
    ]


def plain(values: Any) -> list[Any]:
    """Return a column as JSON values; None for a missing value.

    Examples
    --------
    >>> plain(np.array([1.5, np.nan])), plain(np.array(["2024-01-31"], dtype="datetime64[D]"))
    ([1.5, None], ['2024-01-31'])
    """
    return [
        None if value != value else value if isinstance(value, PLAIN) else str(value)
        for value in np.asarray(values).tolist()
    ]
