"""Predictions as messages of a topic of Kafka."""

import json
from collections.abc import Mapping
from hashlib import sha256
from typing import Any

from driftlearn.ops.sinks.sink import Done, Sink
from driftlearn.ops.sources._messages import Message
from driftlearn.ops.sources.kafka_log import KafkaLog, KafkaServer, kafka_logs
from driftlearn.ops.sources.log_source import SECONDS
from driftlearn.ops.sources.source import Address
from driftlearn.tables.files import Position

LOOK_BACK = 2_000  # messages of a partition, at first
FLUSH_SECONDS = 60.0
SPAN = 600_000  # milliseconds until a transaction expires


class KafkaSink(Sink):
    """Topic whose messages are JSON objects with ``source``, ``row`` and a prediction.

    Messages written between two calls of `flush` form a transaction: consumers that read only
    committed messages, the default of many clients, receive all of them or none. Rows of one source
    are in one partition. The last messages show which rows the sink has.

    Parameters
    ----------
    address : Address
        The brokers and the topic, which must exist.
    owner : str
        Identifies the transactions: the next run ends those that a killed run left open.
    """

    def __init__(self, address: Address, owner: str):
        self._server = KafkaServer(address, lambda _: None)
        self._logs = kafka_logs(address, lambda _: None)
        name = sha256(f"{owner} {address.shown}".encode()).hexdigest()[:20]
        wanted = {"transactional.id": f"driftlearn-{name}", "transaction.timeout.ms": SPAN}
        producer = self._server.kafka.Producer
        self._client = self._server.made(lambda: producer(self._server.settings(**wanted)))
        self._server.ask(lambda _: self._client.init_transactions(SECONDS))
        self._is_open = False

    def done_until(self, kept: Mapping[str, Position] | None) -> dict[str, Done]:
        """See `Sink`."""
        done: dict[str, Done] = {}
        for log in self._logs:
            log.open(None)
            n = log.last - log.first + 1 if kept is None else LOOK_BACK
            while not self._read(log, max(log.first, log.last + 1 - n), kept or {}, done):
                n *= 4
        return done

    def _read(
        self, log: KafkaLog, begin: int, kept: Mapping[str, Position], done: dict[str, Done]
    ) -> bool:
        """Read messages from an offset on; return whether those before it need not be read."""
        known = begin == log.first
        at: Position = {"id": begin - 1}
        while found := log.fetch(at, LOOK_BACK):
            for message in found:
                path, row = self._place(message)
                before = done.get(path, Done(0))
                if row >= before.rows:
                    noted = message.headers.get("position")
                    done[path] = Done(row + 1, json.loads(noted) if noted else before.position)
                known = known or row < kept.get(path, {}).get("rows", 0)
            at = {"id": found[-1].id}
        return known

    def _place(self, message: Message) -> tuple[str, int]:
        """Return the source and the row of a message."""
        try:
            found = json.loads(message.content)
            return str(found["source"]), int(found["row"])
        except (ValueError, TypeError, KeyError):
            raise ValueError(
                f"--out {self._server.address.shown} exists and has other content: name "
                "another topic"
            ) from None

    def write(
        self, path: str, row: int, columns: Mapping[str, list[Any]], position: Position | None
    ) -> None:
        """See `Sink`."""
        if not self._is_open:
            self._client.begin_transaction()
            self._is_open = True
        rows = [dict(zip(columns, values)) for values in zip(*columns.values())]
        for k, each in enumerate(rows):
            noted = position is not None and k == len(rows) - 1
            self._produce(
                path, {"source": path, "row": row + k, **each},
                {"position": json.dumps(position)} if noted else {},
            )  # fmt: skip

    def _produce(self, path: str, row: dict[str, Any], headers: dict[str, str]) -> None:
        content = json.dumps(row, ensure_ascii=False)
        while True:
            try:
                self._client.produce(
                    self._server.address.log, content, key=path, headers=[*headers.items()]
                )
                return
            except BufferError:  # the queue of unsent messages is full
                self._client.poll(1.0)

    def flush(self) -> None:
        """See `Sink`; commit the transaction."""
        if not self._is_open:
            return
        kafka, server = self._server.kafka, self._server.address.server
        try:
            self._client.commit_transaction(FLUSH_SECONDS)
        except kafka.KafkaException as problem:
            self._server.check(problem.args[0])
            raise ConnectionError(
                f"{server} rejects the predictions: {problem.args[0].str()}. The model is not saved "
                "before they are stored. Run the same command again to continue"
            ) from None
        self._is_open = False

    def close(self) -> None:
        """See `Sink`."""
        for log in self._logs:
            log.close()
        self._client.purge()
        self._client.flush(SECONDS)
