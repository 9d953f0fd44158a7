"""Kafka topics, with one log per partition."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from driftlearn.ops.sources.log_source import GROUP, SECONDS, Log, Message, Server
from driftlearn.ops.sources.source import Address
from driftlearn.tables.files import Position
from driftlearn.utils.optional import needed

POLL = 0.1  # seconds to wait for messages in each poll
PAUSE = 1.0  # seconds without messages after which a reported end is final
QUEUE = 16 << 10  # maximum kilobytes of a partition that are buffered in memory


class KafkaServer(Server):
    """Connection to Kafka brokers; see `Server`.

    The options of the address are passed to librdkafka, except ``group``, the consumer group.
    """

    def __init__(self, address: Address, report: Callable[[str], Any]):
        super().__init__(address, report)
        self.kafka = needed("confluent_kafka", address.server)
        self.failures = self.kafka.KafkaException, NoResponse
        codes = self.kafka.KafkaError
        self.unknown = codes.UNKNOWN_TOPIC_OR_PART, codes._UNKNOWN_PARTITION, codes._UNKNOWN_TOPIC
        self._reported: Any = None  # last error that a client reported in the background

    def settings(self, *, reads: bool = False, **more: Any) -> dict[str, Any]:
        """Return the settings of a client."""
        given, user = {**self.address.options}, self.address.user
        group = given.pop("group", GROUP)
        login = {
            "sasl.mechanism": "PLAIN",
            "sasl.username": user,
            "sasl.password": self.address.password or "",
        }
        protocol = "SSL" if self.address.uses_tls else "PLAINTEXT"
        return {
            "security.protocol": f"SASL_{protocol}" if user else protocol,
            **(login if user else {}), **given, "bootstrap.servers": self.address.host,
            "log_level": 0, "error_cb": self._report, "socket.timeout.ms": int(SECONDS * 1000),
            **({"group.id": group, "enable.auto.commit": False} if reads else {}), **more,
        }  # fmt: skip

    def consumer(self) -> Any:
        """Return a consumer client."""
        wanted = {
            "enable.partition.eof": True,
            "auto.offset.reset": "error",  # report removed messages instead of skipping them
            "queued.max.messages.kbytes": QUEUE,
        }
        return self.made(lambda: self.kafka.Consumer(self.settings(reads=True, **wanted)))

    def made(self, make: Callable[[], Any]) -> Any:
        """Return a client; raise ValueError if an option of the address is not a valid setting."""
        try:
            return make()
        except self.kafka.KafkaException as problem:
            raise ValueError(f"{self.address.shown}: {problem.args[0].str()}") from None

    def call(self, work: Callable[[bool], Any]) -> Any:
        """See `Server`."""

        def attempt(again: bool) -> Any:
            self._reported = None
            return work(again)

        return super().call(attempt)

    def explain(self, problem: Any) -> object:
        """See `Server`."""
        if isinstance(problem, NoResponse):
            return problem
        self.check(problem.args[0])
        return problem.args[0].str()

    def check(self, error: Any) -> None:
        """Raise ValueError if an error, or the last reported error, is permanent.

        A broker that starts again does not know its topics for some seconds, so a topic is missing
        only if no call has succeeded before.
        """
        codes = self.kafka.KafkaError
        for each in filter(None, (self._reported, error)):
            if each.code() in (codes._AUTHENTICATION, codes.SASL_AUTHENTICATION_FAILED):
                raise self.wrong_password() from None
            if each.code() in self.unknown and not self._has_responded:
                raise self.missing_log("kafka-topics.sh --list") from None
            if each.code() == codes._UNSUPPORTED_FEATURE:
                raise ValueError(f"{self.address.server} is too old: {each.str()}") from None
            if each.code() in (codes.TOPIC_AUTHORIZATION_FAILED, codes.GROUP_AUTHORIZATION_FAILED):
                raise ValueError(f"{self.address.server} denied access: {each.str()}") from None

    def check_response(self, since: float) -> None:
        """Raise `NoResponse` if an error was reported or if no data was received for too long."""
        if self._reported is not None or time.monotonic() - since > SECONDS:
            error, self._reported = self._reported, None
            raise NoResponse(error.str() if error else f"no message in {SECONDS:g} s")

    def _report(self, error: Any) -> None:
        self._reported = error


class NoResponse(Exception):
    """Error for brokers that do not respond."""


def kafka_logs(server: KafkaServer) -> list[KafkaLog]:
    """Return one log per partition of the topic of a server."""
    log, client = server.address.log, server.consumer()

    def partitions(_: bool) -> list[int]:
        topic = client.list_topics(log, SECONDS).topics[log]
        if topic.error is not None:
            raise server.kafka.KafkaException(topic.error)
        return sorted(topic.partitions)

    try:
        return [KafkaLog(server, number) for number in server.call(partitions)]
    finally:
        client.close()


class KafkaLog(Log):
    """Partition of a Kafka topic, read by offsets.

    Parameters
    ----------
    server : KafkaServer
        The brokers.
    number : int
        Number of the partition.
    """

    what, unit = "partition", "offset "

    def __init__(self, server: KafkaServer, number: int):
        super().__init__(f"{server.address.shown}#{number}", f"{server.address.log}#{number}")
        self._server, self._number = server, number
        self._client = server.consumer()
        self._next: int | None = None  # offset of the next message that the client returns
        self._ended = (-1, -1)  # offset from which the brokers reported an end, and the end
        self._is_checked = False

    def _bounds(self) -> tuple[int, int]:
        begin, end = self._server.call(
            lambda _: self._client.get_watermark_offsets(self._place(), SECONDS, cached=False)
        )
        return begin, end - 1

    def check_last(self, at: Position) -> bool:
        """See `Log.check_last`; called only once, since it moves the client."""
        if not self._is_checked:
            super().check_last(at)
        self._is_checked = True
        return True

    def one(self, name: int) -> Message | None:
        """See `Log.one`; the message may have been removed by compaction."""
        if not self.first <= name <= self.last:
            return None
        found = self.fetch({"id": name - 1}, 1)
        return found[0] if found and found[0].id == name else None

    def holds(self, at: Position) -> bool:
        """See `Log.holds`."""
        self.open(None)
        return super().holds(at)

    def fetch(self, at: Position | None, n: int) -> list[Message]:
        """See `Log.fetch`."""
        wanted = self.first if at is None else at["id"] + 1

        def read(again: bool) -> list[Message]:
            if wanted > self.last or self._ended == (wanted, self.last):
                return []
            if again or self._next != wanted:
                self._client.assign([self._place(wanted)])
            self._next = None  # reread messages after the end
            found, is_end = self._read(n)
            after = found[-1].id + 1 if found else wanted
            if is_end:  # only transaction markers may follow, which are not messages
                self._ended = after, self.last
            else:
                self._next = after
            return found

        return list(self._server.call(read))

    def _read(self, n: int) -> tuple[list[Message], bool]:
        """Return the next messages, and whether the end of the log was reached."""
        found: list[Message] = []
        since, codes = time.monotonic(), self._server.kafka.KafkaError
        eof = False
        while len(found) < n and (not found or found[-1].id < self.last):
            first = self._client.poll(POLL)
            if first is None:
                if eof and time.monotonic() - since > PAUSE:
                    return found, True
                self._server.check_response(since)
                continue
            for each in [first, *self._client.consume(n - len(found) - 1, 0)]:
                error = each.error()
                eof = error is not None and error.code() == codes._PARTITION_EOF
                if each.offset() > self.last and (eof or error is None):
                    return found, True
                if error is None:
                    found.append(_message(each))
                elif error.code() == codes._AUTO_OFFSET_RESET:
                    raise self.changed("lost messages while being read")
                elif error.code() in self._server.unknown:
                    raise self._server.kafka.KafkaException(error)
                elif not eof:
                    # an end is also reported if more messages follow or a transaction is open
                    self._server.check(error)
            since = time.monotonic()
        return found, False

    def settle(self, at: Position) -> None:
        """Commit the offset for the consumer group, without waiting for the response."""
        with suppress(self._server.kafka.KafkaException):
            self._client.commit(offsets=[self._place(at["id"] + 1)], asynchronous=True)

    def close(self) -> None:
        """See `Log.close`."""
        self._client.close()

    def _place(self, offset: int = 0) -> Any:
        return self._server.kafka.TopicPartition(self._server.address.log, self._number, offset)


def _message(each: Any) -> Message:
    return Message(each.offset(), each.timestamp()[1], each.value(), dict(each.headers() or ()))
