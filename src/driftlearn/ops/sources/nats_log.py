"""NATS JetStream streams."""

import asyncio
import threading
from collections.abc import Callable, Coroutine
from contextlib import suppress
from typing import Any

from driftlearn.ops.sources.log_source import SECONDS, Log, Message, Server
from driftlearn.ops.sources.source import Address
from driftlearn.tables.files import Position
from driftlearn.utils.optional import needed

IDLE = 600.0  # seconds of inactivity after which the server removes the consumer
POLL = 2.0  # seconds to wait for messages that should exist


class NatsLog(Server, Log):
    """JetStream stream, read by sequence numbers with an ephemeral consumer; see `Server`."""

    def __init__(self, address: Address, report: Callable[[str], Any]):
        Server.__init__(self, address, report)
        Log.__init__(self, address.shown, address.log)
        self._nats, self._api = (needed(name, address.server) for name in ("nats", "nats.js.api"))
        for name in address.options:
            raise ValueError(f"{address.shown}: unknown option {name!r}")
        self.failures = self._nats.errors.Error, OSError, asyncio.TimeoutError
        self._loop = asyncio.new_event_loop()  # required by the client
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        self._client: Any = None
        self._consumer: Any = None
        self._next = -1  # number of the next message that the consumer reads

    def _bounds(self) -> tuple[int, int]:
        async def read() -> tuple[int, int]:
            try:
                state = (await self._client.jetstream().stream_info(self.name)).state
            except self._nats.js.errors.NotFoundError:
                raise self.missing_log("nats stream ls") from None
            return state.first_seq, state.last_seq

        return self._call(read)

    def fetch(self, at: Position | None, n: int) -> list[Message]:
        """See `Log.fetch`."""
        wanted = self.first if at is None else at["id"] + 1
        n = min(n, self.last - wanted + 1)
        return list(self._call(lambda: self._read(wanted, n))) if n > 0 else []

    async def _read(self, wanted: int, n: int) -> list[Message]:
        if self._next != wanted:
            await self._unsubscribe()
            config = self._api.ConsumerConfig(
                deliver_policy=self._api.DeliverPolicy.BY_START_SEQUENCE, opt_start_seq=wanted,
                ack_policy=self._api.AckPolicy.NONE, inactive_threshold=IDLE,
            )  # fmt: skip
            stream = self._client.jetstream()
            self._consumer = await stream.pull_subscribe("", stream=self.name, config=config)
        self._next = -1  # reread messages after the end
        try:
            some = await self._consumer.fetch(n, timeout=POLL)
        except self._nats.errors.TimeoutError:
            if (await self._consumer.consumer_info()).num_pending:
                raise
            return []  # the last messages were deleted
        found = [_message(each) for each in some if each.metadata.sequence.stream <= self.last]
        if len(found) == len(some):
            self._next = found[-1].id + 1
        return found

    def one(self, name: int) -> Message | None:
        """See `Log.one`."""

        async def read() -> Message | None:
            try:
                found = await self._client.jetstream().get_msg(self.name, name)
            except self._nats.js.errors.NotFoundError:
                return None
            return Message(name, 0, found.data or b"")

        return self._call(read)

    def close(self) -> None:
        """See `Log.close`."""
        with suppress(Exception):
            self._run(self._unsubscribe())
        if self._client is not None:
            with suppress(Exception):
                self._run(self._client.close())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def _call(self, work: Callable[[], Coroutine[Any, Any, Any]]) -> Any:
        """Return the result of a coroutine that uses the connection; see `Server.call`."""

        async def connected() -> Any:
            if self._client is None or self._client.is_closed:
                self._next = -1
                self._client = await self._connected()
            return await work()

        return self.call(lambda _: self._run(connected()))

    def explain(self, problem: Any) -> object:
        """See `Server`."""
        if "authorization" in str(problem).lower():
            raise self.wrong_password() from None
        self._next = -1
        return problem

    async def _connected(self) -> Any:
        errors: list[Exception] = []

        async def note(problem: Exception) -> None:
            errors.append(problem)

        client = self._nats.NATS()
        try:
            await client.connect(
                f"{'tls' if self.address.uses_tls else 'nats'}://{self.address.host}",
                user=self.address.user, password=self.address.password, error_cb=note,
                connect_timeout=SECONDS, allow_reconnect=False, max_reconnect_attempts=1,
                reconnect_time_wait=0,
            )  # fmt: skip
        except (self._nats.errors.Error, OSError) as problem:
            with suppress(Exception):
                await client.close()
            raise (errors[0] if errors else problem) from None
        return client

    async def _unsubscribe(self) -> None:
        """Remove the consumer from the server."""
        if self._consumer is not None and self._next >= 0:
            with suppress(self._nats.errors.Error):
                await self._consumer.unsubscribe()
        self._consumer = None

    def _run(self, work: Coroutine[Any, Any, Any]) -> Any:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result()


def _message(each: Any) -> Message:
    about = each.metadata
    return Message(about.sequence.stream, int(about.timestamp.timestamp() * 1000), each.data)
