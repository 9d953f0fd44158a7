"""What every sink can do, and which one a name stands for."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import numpy as np

from driftlearn.ops.sources._messages import PLAIN
from driftlearn.ops.sources.server import KNOWN, is_server, names_server, without_password
from driftlearn.tables.files import Position


class Done(NamedTuple):
    """What a sink holds of a source.

    Attributes
    ----------
    rows : int
        Rows before this one are there.
    position : dict or None
        Where to go on reading the source, if that was noted.
    """

    rows: int
    position: Position | None = None


class Sink(Protocol):
    """Takes predictions of rows, which are known by the path of their source and their number."""

    def done_until(self, kept: Mapping[str, Position] | None) -> dict[str, Done]:
        """Return what is there already, by path.

        Parameters
        ----------
        kept : dict or None
            Positions that are kept for good: rows before them need not be looked for. None looks
            for all.
        """

    def write(
        self, path: str, row: int, columns: Mapping[str, list[Any]], position: Position | None
    ) -> None:
        """Take rows, from a number on, and the position of the source after them."""

    def flush(self) -> None:
        """Return when all that was written is there for good."""

    def close(self) -> None:
        """Let go of what is open; what was not flushed may be lost."""


def sink_of(name: str, owner: str) -> Sink:
    """Return the sink that a name stands for.

    Parameters
    ----------
    name : str
        A CSV file, ``redis://HOST:6379/STREAM`` or ``kafka://HOST:9092/TOPIC``.
    owner : str
        Whose predictions they are: a second one of the same name takes the place of the first.
    """
    if not is_server(name):
        if Path(name).suffix.lower() != ".csv":
            raise ValueError(
                f"--out is a .csv file, redis://HOST:6379/STREAM or kafka://HOST:9092/TOPIC; got "
                f"{name}"
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
    """Return a column as values of JSON, None where one is missing.

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
