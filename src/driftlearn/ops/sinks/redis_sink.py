"""Predictions as entries of a stream of Redis."""

import json
from collections.abc import Mapping
from typing import Any

from driftlearn.ops.sinks.sink import Done
from driftlearn.ops.sources.redis_log import RedisServer
from driftlearn.ops.sources.server import Address
from driftlearn.tables.files import Position


class RedisSink:
    """A stream whose entries have the fields ``source``, ``row`` and those of a prediction.

    Beside it the hash ``STREAM:done`` has how far each source is, written in one transaction with
    the entries: the stream may be trimmed at any time.

    Parameters
    ----------
    address : Address
        The server and the stream, which need not be there.
    """

    def __init__(self, address: Address):
        self._name, self._done = address.log, f"{address.log}:done"
        self._server = RedisServer(address, lambda _: None)

    def done_until(self, kept: Mapping[str, Position] | None) -> dict[str, Done]:
        """Return what is there already; see `Sink.done_until`."""
        found = self._server.ask(lambda _: self._server.client.hgetall(self._done))
        return {path.decode(): Done(**json.loads(said)) for path, said in found.items()}

    def write(
        self, path: str, row: int, columns: Mapping[str, list[Any]], position: Position | None
    ) -> None:
        """Add entries, all or none of them."""
        rows = [dict(zip(columns, values)) for values in zip(*columns.values())]
        done = json.dumps({"rows": row + len(rows), "position": position})

        def add(again: bool) -> None:
            client = self._server.client
            if again and (client.hget(self._done, path) or b"") == done.encode():
                return  # it was done, and only the answer was lost
            with client.pipeline(transaction=True) as pipe:
                for k, each in enumerate(rows):
                    texts = {name: _text(value) for name, value in each.items()}
                    pipe.xadd(self._name, {"source": path, "row": row + k, **texts})
                pipe.hset(self._done, path, done)
                pipe.execute()

        self._server.ask(add)

    def flush(self) -> None:
        """Return at once: the server has answered to all that was written."""

    def close(self) -> None:
        """Let go of the connection."""
        self._server.client.close()


def _text(value: Any) -> Any:
    """Return a value as what Redis takes."""
    if value is None:
        return ""
    return str(value).lower() if isinstance(value, bool) else value
