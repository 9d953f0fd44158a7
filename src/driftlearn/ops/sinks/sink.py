"""Sinks for predictions, and the choice of a sink by its name."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from driftlearn.ops.sources._messages import PLAIN
from driftlearn.ops.sources.source import KNOWN, is_server, names_server, without_password
from driftlearn.tables.files import Position


class Done(NamedTuple):
    """How many rows of a source a sink has.

    Attributes
    ----------
    rows : int
        The rows before this one are there.
    position : dict or None
        Where to continue to read the source, if that was stored.
    """

    rows: int
    position: Position | None = None


class Sink(ABC):
    """Stores predictions of rows, which are identified by the path of their source and a number."""

    @abstractmethod
    def done_until(self, kept: Mapping[str, Position] | None) -> dict[str, Done]:
        """Return what the sink has, by path.

        Parameters
        ----------
        kept : dict or None
            Saved positions: rows before them need not be searched. None searches everything.
        """

    @abstractmethod
    def write(
        self, path: str, row: int, columns: Mapping[str, list[Any]], position: Position | None
    ) -> None:
        """Write rows, from a number on, and the position of the source after them."""

    def write_new(
        self, done: Mapping[str, Done], path: str, row: int, columns: Mapping[str, list[Any]],
        position: Position | None = None,
    ) -> bool:  # fmt: skip
        """Write rows, except those that the sink has; return whether there are others."""
        known = max(done.get(path, Done(0)).rows - row, 0)
        rest = {name: values[known:] for name, values in columns.items()}
        is_new = any(map(len, rest.values()))
        if is_new:
            self.write(path, row + known, rest, position)
        return is_new

    @abstractmethod
    def flush(self) -> None:
        """Return when everything that was written is stored durably."""

    @abstractmethod
    def close(self) -> None:
        """Close the sink; what was not flushed may be lost."""


def sink_of(name: str, owner: str) -> Sink:
    """Return the sink with a name.

    Parameters
    ----------
    name : str
        A CSV file, ``redis://HOST:6379/STREAM`` or ``kafka://HOST:9092/TOPIC``.
    owner : str
        Identifies the writer: a second one with the same name replaces the first.
    """
    if not is_server(name):
        if Path(name).suffix.lower() != ".csv":
            raise ValueError(
                "--out must be a .csv file, redis://HOST:6379/STREAM or kafka://HOST:9092/TOPIC. "
                f"Got {name}."
            )
        from driftlearn.ops.sinks.file_sink import FileSink

        return FileSink(name)
    if not name.startswith(("redis", "kafka")):
        raise ValueError(f"--out {without_password(name)}: predictions go to {KNOWN}, or into a "
                         ".csv file")  # fmt: skip
    address = names_server(name)
    if address.kind == "redis":
        from driftlearn.ops.sinks.redis_sink import RedisSink

        return RedisSink(address)
    from driftlearn.ops.sinks.kafka_sink import KafkaSink

    return KafkaSink(address, owner)


def plain(values: Any) -> list[Any]:
    """Return a column as JSON values, None where one is missing.

    Examples
    --------
    >>> plain(np.array([1.5, np.nan])), plain(np.array(["2024-01-31"], dtype="datetime64[D]"))
    ([1.5, None], ['2024-01-31'])
    """
    found = np.asarray(values).tolist()
    return [
        None if value != value else value if isinstance(value, PLAIN) else str(value)
        for value in found
    ]
