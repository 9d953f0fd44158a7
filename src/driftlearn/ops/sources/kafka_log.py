"""Topics of Kafka, a log a partition."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from driftlearn.ops.sources._messages import Message
from driftlearn.ops.sources.log_source import gone
from driftlearn.ops.sources.server import GROUP, SECONDS, Address, Patience
from driftlearn.tables.files import Position
from driftlearn.utils.optional import needed

LOOK = 0.1  # seconds of waiting for messages at a time
PAUSE = 1.0  # seconds after which an end that was told is one
QUEUE = 16 << 10  # kilobytes of a partition that wait in memory


class KafkaServer:
    """What is said to the brokers, and how they answer.

    Parameters
    ----------
    address : Address
        The brokers. What comes after its question mark goes to librdkafka as it is, but ``group``,
        the consumer group.
    tell : callable
        Told when they do not answer.
    """

    def __init__(self, address: Address, tell: Callable[[str], Any]):
        self.kafka = needed("confluent_kafka", address.server)
        self.address = address
        self._patience = Patience(address, (Silence,))
        self._patience.tell = tell
        self._heard: Any = None

    def settings(self, **more: Any) -> dict[str, Any]:
        """Return the settings of a client."""
        given = {**self.address.options}
        group = given.pop("group", GROUP)
        way = "SASL_" if self.address.user else ""
        login = {
            "sasl.mechanism": "PLAIN",
            "sasl.username": self.address.user,
            "sasl.password": self.address.password or "",
        }
        return {
            "security.protocol": way + ("SSL" if self.address.is_safe else "PLAINTEXT"),
            **(login if way else {}), **given, "bootstrap.servers": self.address.host,
            "log_level": 0, "error_cb": self._hear, "socket.timeout.ms": int(SECONDS * 1000),
            **({"group.id": group, "enable.auto.commit": False} if "eof" in more else {}),
            **{name: value for name, value in more.items() if name != "eof"},
        }  # fmt: skip

    def consumer(self) -> Any:
        """Return a client that reads."""
        wanted = {
            "eof": True,
            "enable.partition.eof": True,
            "auto.offset.reset": "error",
            "queued.max.messages.kbytes": QUEUE,
        }
        return self.made(lambda: self.kafka.Consumer(self.settings(**wanted)))

    def made(self, make: Callable[[], Any]) -> Any:
        """Return a client; raise ValueError if what the address says is no setting of one."""
        try:
            return make()
        except self.kafka.KafkaException as problem:
            raise ValueError(f"{self.address.shown}: {_said(problem)}") from None

    def ask(self, work: Callable[[bool], Any]) -> Any:
        """Return what a call gives, as `Patience.ask`; what brokers refuse is a sentence."""

        def worked(again: bool) -> Any:
            self._heard = None
            try:
                return work(again)
            except self.kafka.KafkaException as problem:
                self.judge(problem.args[0])
                raise Silence(_said(problem)) from None

        return self._patience.ask(worked)

    def judge(self, error: Any) -> None:
        """Raise if an error is none that passes."""
        codes = self.kafka.KafkaError
        for each in filter(None, (self._heard, error)):
            if each.code() in (codes._AUTHENTICATION, codes.SASL_AUTHENTICATION_FAILED):
                raise ValueError(
                    f"{self.address.server} does not take the password: give the right one as "
                    "kafka://USER:PASSWORD@HOST, or in the environment variables "
                    "DRIFTLEARN_KAFKA_USER and DRIFTLEARN_KAFKA_PASSWORD"
                )
            if each.code() in (codes.UNKNOWN_TOPIC_OR_PART, codes._UNKNOWN_PARTITION,
                               codes._UNKNOWN_TOPIC):  # fmt: skip
                raise ValueError(
                    f"there is no topic {self.address.log!r} at {self.address.server}; "
                    "kafka-topics.sh --list shows those that there are"
                )
            if each.code() in (codes.TOPIC_AUTHORIZATION_FAILED, codes.GROUP_AUTHORIZATION_FAILED):
                raise ValueError(f"{self.address.server} does not allow that: {each.str()}")

    def quiet(self, since: float) -> None:
        """Raise if the brokers are gone, as far as can be known."""
        if self._heard is not None or time.monotonic() - since > SECONDS:
            heard, self._heard = self._heard, None
            raise Silence(heard.str() if heard else f"nothing came for {SECONDS:g} s")

    def _hear(self, error: Any) -> None:
        self._heard = error


class Silence(Exception):
    """Brokers do not answer."""


def kafka_logs(address: Address, tell: Callable[[str], Any]) -> list[KafkaLog]:
    """Return the partitions of the topic that an address names."""
    server = KafkaServer(address, tell)
    client = server.consumer()
    try:
        topic = server.ask(lambda _: client.list_topics(address.log, SECONDS)).topics[address.log]
        server.judge(topic.error)
        return [KafkaLog(server, number) for number in sorted(topic.partitions)]
    finally:
        client.close()


class KafkaLog:
    """A partition of a topic, read by offsets.

    Parameters
    ----------
    server : KafkaServer
        The brokers.
    number : int
        Which partition.

    Attributes
    ----------
    begin, end : int
        The first offset, and that after the last, when it was opened.
    """

    def __init__(self, server: KafkaServer, number: int):
        self.path = f"{server.address.shown}#{number}"
        self.name = f"{server.address.log}#{number}"
        self._server, self._number = server, number
        self._client = server.consumer()
        self.begin = self.end = 0
        self._next: int | None = None
        self._ended = (-1, -1)  # where the brokers said that there is no more before an end
        self._is_checked = False

    def open(self, at: Position | None) -> dict[str, Any]:
        """Note where the partition ends; see `Log.open`."""
        self.begin, self.end = self._server.ask(
            lambda _: self._client.get_watermark_offsets(self._place(), SECONDS, cached=False)
        )
        if at is None:
            return {}
        if at["id"] >= self.end:
            raise gone(self.path, f"is another partition than the one that was read: it ends with "
                       f"offset {self.end - 1}, and {at['id']} was read")  # fmt: skip
        n = self.begin - at["id"] - 1
        if n > 0:
            raise gone(self.path, f"lost its oldest messages: {n:,} after offset {at['id']}, which "
                       "was read last, are gone")  # fmt: skip
        if not self._is_checked and self._is_other(at):
            raise gone(self.path, f"is another partition than the one that was read: offset "
                       f"{at['id']} is another message now")  # fmt: skip
        self._is_checked = True
        return {}

    def _is_other(self, at: Position) -> bool:
        """Tell whether there is another message where the last one was read."""
        if at["id"] < self.begin:
            return False
        found = self.fetch({"id": at["id"] - 1}, 1)
        there = bool(found) and found[0].id == at["id"]  # it may be gone by compaction
        return there and found[0].digest != at["digest"]

    def fetch(self, at: Position | None, n: int) -> list[Message]:
        """Return up to `n` messages after a position; see `Log.fetch`."""
        wanted = self.begin if at is None else at["id"] + 1

        def read(again: bool) -> list[Message]:
            if wanted >= self.end or self._ended == (wanted, self.end):
                return []
            if again or self._next != wanted:
                self._client.assign([self._place(wanted)])
            self._next = None  # what was taken beyond the end is to come again
            found, is_end = self._read(n)
            after = found[-1].id + 1 if found else wanted
            if is_end:  # marks of transactions may come after it, which are no messages
                self._ended = after, self.end
            else:
                self._next = after
            return found

        return list(self._server.ask(read))

    def _read(self, n: int) -> tuple[list[Message], bool]:
        """Return the next messages, and whether there are no more up to the end that was noted."""
        found: list[Message] = []
        since, codes = time.monotonic(), self._server.kafka.KafkaError
        eof = False
        while len(found) < n and (not found or found[-1].id + 1 < self.end):
            first = self._client.poll(LOOK)
            if first is None:
                if eof and time.monotonic() - since > PAUSE:
                    return found, True
                self._server.quiet(since)
                continue
            for each in [first, *self._client.consume(n - len(found) - 1, 0)]:
                error = each.error()
                eof = error is not None and error.code() == codes._PARTITION_EOF
                if each.offset() >= self.end and (eof or error is None):
                    return found, True
                if error is None:
                    found.append(_message(each))
                elif error.code() == codes._AUTO_OFFSET_RESET:
                    raise gone(self.path, "lost messages while it was read")
                elif not eof:  # else it was told before more came, or a transaction is open
                    self._server.judge(error)
            since = time.monotonic()
        return found, False

    def holds(self, at: Position) -> bool:
        """Tell whether the message that a position names is there, and the same."""
        self.open(None)
        if not isinstance(at["id"], int) or not self.begin <= at["id"] < self.end:
            return False
        found = self.fetch({"id": at["id"] - 1}, 1)
        return bool(found) and (found[0].id, found[0].digest) == (at["id"], at["digest"])

    def settle(self, at: Position) -> None:
        """Commit the offset for the consumer group; nobody waits for it."""
        with suppress(self._server.kafka.KafkaException):
            self._client.commit(offsets=[self._place(at["id"] + 1)], asynchronous=True)

    def close(self) -> None:
        """Let go of the connection."""
        self._client.close()

    def _place(self, offset: int = 0) -> Any:
        return self._server.kafka.TopicPartition(self._server.address.log, self._number, offset)


def _message(each: Any) -> Message:
    return Message(each.offset(), each.timestamp()[1], each.value(), dict(each.headers() or ()))


def _said(problem: Any) -> str:
    return str(problem.args[0].str())
