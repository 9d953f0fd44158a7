"""Predictions as entries of a stream of Redis."""

import json
from collections.abc import Mapping
from typing import Any

from driftlearn.ops.sinks.sink import Done, Sink
from driftlearn.ops.sources.redis_log import RedisServer
from driftlearn.ops.sources.source import Address
from driftlearn.tables.files import Position


class RedisSink(Sink):
    """Stream whose entries have the fields ``source``, ``row`` and those of a prediction.

    The hash ``STREAM:done`` stores the number of rows of each source. It is written in one
    transaction with the entries, so the stream may be trimmed at any time.

    Parameters
    ----------
    address : Address
        The server and the stream, which need not exist.
    """

    def __init__(self, address: Address):
        self._name, self._done = address.log, f"{address.log}:done"
        self._server = RedisServer(address, lambda _: None)

    def done_until(self, kept: Mapping[str, Position] | None) -> dict[str, Done]:
        """See `Sink`."""
        found = self._server.ask(lambda _: self._server.client.hgetall(self._done))
        return {path.decode(): Done(**json.loads(text)) for path, text in found.items()}

    def write(
        self, path: str, row: int, columns: Mapping[str, list[Any]], position: Position | None
    ) -> None:
        """See `Sink`; either all entries are added or none."""
        rows = [dict(zip(columns, values)) for values in zip(*columns.values())]
        done = json.dumps({"rows": row + len(rows), "position": position})

        def add(again: bool) -> None:
            client = self._server.client
            if again and (client.hget(self._done, path) or b"") == done.encode():
                return  # the transaction was executed, only the response was lost
            with client.pipeline(transaction=True) as pipe:
                for k, each in enumerate(rows):
                    texts = {name: _text(value) for name, value in each.items()}
                    pipe.xadd(self._name, {"source": path, "row": row + k, **texts})
                pipe.hset(self._done, path, done)
                pipe.execute()

        self._server.ask(add)

    def flush(self) -> None:
        """See `Sink`; the server has already confirmed all entries."""

    def close(self) -> None:
        """See `Sink`."""
        self._server.client.close()


def _text(value: Any) -> Any:
    """Return a value that Redis accepts."""
    if value is None:
        return ""
    return str(value).lower() if isinstance(value, bool) else value
