"""Predictions as entries of a Redis stream, or as messages of a Kafka topic."""

import json
from collections.abc import Mapping
from hashlib import sha256
from typing import Any

from driftlearn.ops.sinks.sink import Columns, Done, Sink, records
from driftlearn.ops.sources.kafka_log import KafkaLog, KafkaServer, kafka_logs
from driftlearn.ops.sources.log_source import SECONDS, Message
from driftlearn.ops.sources.redis_log import RedisServer
from driftlearn.ops.sources.source import Address
from driftlearn.tables.files import Position

LOOK_BACK = 2_000  # messages per partition that are searched first, then four times as many
FLUSH_SECONDS = 60.0  # maximum seconds for the commit of a transaction
# Maximum milliseconds from the first row of a transaction to its end: far more than the time
# between two saves, and less than the limit of brokers, 15 minutes by default.
TIMEOUT = 600_000


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
        found = self._server.call(lambda _: self._server.client.hgetall(self._done))
        return {path.decode(): Done(**json.loads(done)) for path, done in found.items()}

    def write(self, path: str, row: int, columns: Columns, position: Position | None) -> None:
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

        self._server.call(add)

    def close(self) -> None:
        """Close the connection."""
        self._server.client.close()


def _text(value: Any) -> Any:
    """Return a value in a type that Redis accepts."""
    if value is None:
        return ""
    return str(value).lower() if isinstance(value, bool) else value


class KafkaSink(Sink):
    """Kafka topic whose messages are JSON objects with ``source``, ``row`` and a prediction.

    All writes between two calls of `flush` form one transaction: clients that read only committed
    messages, the default of many clients, receive all of them or none. All rows of a source are in
    one partition. The last messages of the topic show which rows were written.

    Parameters
    ----------
    address : Address
        The brokers and the topic, which must exist.
    owner : str
        The owner of the transactions: a run aborts open transactions of a killed run of the same
        owner.
    """

    def __init__(self, address: Address, owner: str):
        self._server = KafkaServer(address, lambda _: None)
        self._logs = kafka_logs(self._server)
        name = sha256(f"{owner} {address.shown}".encode()).hexdigest()[:20]
        wanted: Any = {"transactional.id": f"driftlearn-{name}", "transaction.timeout.ms": TIMEOUT}
        producer = self._server.kafka.Producer
        self._client = self._server.made(lambda: producer(self._server.settings(**wanted)))
        self._server.call(lambda _: self._client.init_transactions(SECONDS))
        self._is_open = False

    def done_until(self, saved: Mapping[str, Position] | None) -> dict[str, Done]:
        """Return the predictions in the topic; see `Sink.done_until`."""
        done: dict[str, Done] = {}
        for log in self._logs:
            log.open(None)
            n = log.last - log.first + 1 if saved is None else LOOK_BACK
            while not self._search(log, max(log.first, log.last + 1 - n), saved or {}, done):
                n *= 4
        return done

    def _search(
        self, log: KafkaLog, begin: int, saved: Mapping[str, Position], done: dict[str, Done]
    ) -> bool:
        """Read messages from an offset on; return whether earlier messages need not be read."""
        known = begin == log.first
        at: Position = {"id": begin - 1}
        while found := log.fetch(at, LOOK_BACK):
            for message in found:
                path, row = self._place(message)
                before = done.get(path, Done(0))
                if row >= before.rows:
                    text = message.headers.get("position")
                    done[path] = Done(row + 1, json.loads(text) if text else before.position)
                known = known or row < saved.get(path, {}).get("rows", 0)
            at = {"id": found[-1].id}
        return known

    def _place(self, message: Message) -> tuple[str, int]:
        """Return the source and the row number of a message."""
        try:
            record = json.loads(message.content)
            return str(record["source"]), int(record["row"])
        except (ValueError, TypeError, KeyError):
            raise ValueError(
                f"--out {self._server.address.shown}: message {message.id} was not written by this "
                "command. Use a different topic."
            ) from None

    def write(self, path: str, row: int, columns: Columns, position: Position | None) -> None:
        """Send messages; the headers of the last message contain the position."""
        if not self._is_open:
            self._client.begin_transaction()
            self._is_open = True
        rest = records(path, row, columns)[::-1]  # sent messages are removed from the end
        while rest:
            is_last = position is not None and len(rest) == 1
            headers = [("position", json.dumps(position))] if is_last else []
            content = json.dumps(rest[-1], ensure_ascii=False)
            try:
                self._client.produce(self._server.address.log, content, key=path, headers=headers)
                rest.pop()
            except BufferError:  # the producer queue is full
                self._client.poll(1.0)

    def flush(self) -> None:
        """Commit the transaction."""
        if not self._is_open:
            return
        kafka, server = self._server.kafka, self._server.address.server
        try:
            self._client.commit_transaction(FLUSH_SECONDS)
        except kafka.KafkaException as problem:
            self._server.check(problem.args[0])
            raise ConnectionError(
                f"{server} rejects the predictions: {problem.args[0].str()}. Run the same command "
                "again to continue after the last accepted predictions"
            ) from None
        self._is_open = False

    def close(self) -> None:
        """Close the connections."""
        for log in self._logs:
            log.close()
        self._client.purge()
        self._client.flush(SECONDS)
