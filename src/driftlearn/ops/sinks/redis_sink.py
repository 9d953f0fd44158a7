"""Write predictions to a Redis stream."""

import json
from collections.abc import Mapping
from typing import Any

from driftlearn.ops.sinks.sink import Done, Sink, records
from driftlearn.ops.sources.redis_log import RedisServer
from driftlearn.ops.sources.source import Address
from driftlearn.tables.files import Position


class RedisSink(Sink):
    """Redis stream whose entries have the fields ``source``, ``row`` and those of a prediction.

    The hash ``STREAM:done`` contains the number of rows written from each source. It is updated in
    one transaction with the entries, so the stream may be trimmed at any time.

    Parameters
    ----------
    address : Address
        The server and the stream, which is created if it does not exist.
    """

    def __init__(self, address: Address):
        self._name, self._done = address.log, f"{address.log}:done"
        self._server = RedisServer(address, lambda _: None)

    def done_until(self, saved: Mapping[str, Position] | None) -> dict[str, Done]:
        """Return the predictions in the stream; see `Sink.done_until`."""
        found = self._server.ask(lambda _: self._server.client.hgetall(self._done))
        return {path.decode(): Done(**json.loads(done)) for path, done in found.items()}

    def write(
        self, path: str, row: int, columns: Mapping[str, list[Any]], position: Position | None
    ) -> None:
        """Add entries atomically."""
        entries = records(path, row, columns)
        done = json.dumps({"rows": row + len(entries), "position": position})

        def add(again: bool) -> None:
            client = self._server.client
            if again and (client.hget(self._done, path) or b"") == done.encode():
                return  # the entries were added; only the response was lost
            with client.pipeline(transaction=True) as pipe:
                for entry in entries:
                    pipe.xadd(self._name, {name: _text(value) for name, value in entry.items()})
                pipe.hset(self._done, path, done)
                pipe.execute()

        self._server.ask(add)

    def flush(self) -> None:
        """Do nothing: the server has already confirmed all writes."""

    def close(self) -> None:
        """Close the connection."""
        self._server.client.close()


def _text(value: Any) -> Any:
    """Return a value in a type that Redis accepts."""
    if value is None:
        return ""
    return str(value).lower() if isinstance(value, bool) else value
