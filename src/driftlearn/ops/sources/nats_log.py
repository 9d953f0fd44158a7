"""Streams of NATS JetStream."""

import asyncio
import threading
from collections.abc import Callable, Coroutine
from contextlib import suppress
from typing import Any

from driftlearn.ops.sources._messages import Message
from driftlearn.ops.sources.log_source import gone
from driftlearn.ops.sources.server import SECONDS, Address, Patience
from driftlearn.tables.files import Position
from driftlearn.utils.optional import needed

IDLE = 600.0  # seconds after which the server forgets who reads
LOOK = 2.0  # seconds of waiting for messages that the server says are there


class NatsLog:
    """A stream of JetStream, read by sequence numbers through a consumer that leaves no trace.

    Parameters
    ----------
    address : Address
        The server and the stream.
    tell : callable
        Told when the server does not answer.
    """

    def __init__(self, address: Address, tell: Callable[[str], Any]):
        self.path, self.name = address.shown, address.log
        self._nats, self._api = (needed(name, address.server) for name in ("nats", "nats.js.api"))
        for name in address.options:
            raise ValueError(f"{address.shown}: there is no option {name!r}")
        self._address = address
        self._patience = Patience(address, (_Gone,))
        self._patience.tell = tell
        self._loop = asyncio.new_event_loop()  # of the library, which knows no other way
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        self._client: Any = None
        self._reader: Any = None
        self._next = -1
        self._begin = self._end = 0

    def open(self, at: Position | None) -> dict[str, Any]:
        """Note where the stream ends; see `Log.open`."""
        state = self._ask(lambda: self._info()).state
        self._begin, self._end = state.first_seq, state.last_seq
        if at is None:
            return {}
        if at["id"] > self._end:
            raise gone(self.path, f"is another stream than the one that was read: it ends with "
                       f"{self._end}, and {at['id']} was read")  # fmt: skip
        n = self._begin - at["id"] - 1
        if n > 0:
            raise gone(self.path, f"lost its oldest messages: {n:,} after {at['id']}, which was "
                       "read last, are gone")  # fmt: skip
        there = self._one(at["id"])
        if there is not None and there.digest != at["digest"]:
            raise gone(self.path, f"is another stream than the one that was read: {at['id']} is "
                       "another message now")  # fmt: skip
        return {}

    def fetch(self, at: Position | None, n: int) -> list[Message]:
        """Return up to `n` messages after a position; see `Log.fetch`."""
        wanted = self._begin if at is None else at["id"] + 1
        n = min(n, self._end - wanted + 1)
        return list(self._ask(lambda: self._read(wanted, n))) if n > 0 else []

    async def _read(self, wanted: int, n: int) -> list[Message]:
        if self._next != wanted:
            await self._leave()
            config = self._api.ConsumerConfig(
                deliver_policy=self._api.DeliverPolicy.BY_START_SEQUENCE, opt_start_seq=wanted,
                ack_policy=self._api.AckPolicy.NONE, inactive_threshold=IDLE,
            )  # fmt: skip
            stream = self._client.jetstream()
            self._reader = await stream.pull_subscribe("", stream=self.name, config=config)
        self._next = -1  # what was taken beyond the end is to come again
        try:
            some = await self._reader.fetch(n, timeout=LOOK)
        except self._nats.errors.TimeoutError:
            if (await self._reader.consumer_info()).num_pending:
                raise
            return []  # the last ones were deleted
        found = [_message(each) for each in some if each.metadata.sequence.stream <= self._end]
        if len(found) == len(some):
            self._next = found[-1].id + 1
        return found

    def holds(self, at: Position) -> bool:
        """Tell whether the message that a position names is there, and the same."""
        there = self._one(at["id"]) if isinstance(at["id"], int) else None
        return there is not None and there.digest == at["digest"]

    def _one(self, number: int) -> Message | None:
        async def read() -> Message | None:
            try:
                found = await self._client.jetstream().get_msg(self.name, number)
            except self._nats.js.errors.NotFoundError:
                return None
            return Message(number, 0, found.data or b"")

        return self._ask(read)

    async def _info(self) -> Any:
        try:
            return await self._client.jetstream().stream_info(self.name)
        except self._nats.js.errors.NotFoundError:
            raise ValueError(
                f"there is no stream {self.name!r} at {self._address.server}; nats stream ls shows "
                "those that there are"
            ) from None

    def settle(self, at: Position) -> None:
        """Do nothing: the server has no place for a position that was not read through it."""

    def close(self) -> None:
        """Let go of the connection."""
        with suppress(Exception):
            self._run(self._leave())
        if self._client is not None:
            with suppress(Exception):
                self._run(self._client.close())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def _ask(self, work: Callable[[], Coroutine[Any, Any, Any]]) -> Any:
        """Return what a call gives, as `Patience.ask`; what the server refuses is a sentence."""
        problems = self._nats.errors

        async def connected() -> Any:
            if self._client is None or self._client.is_closed:
                self._next = -1
                self._client = await self._connected()
            return await work()

        def worked(_: bool) -> Any:
            try:
                return self._run(connected())
            except (problems.Error, OSError, asyncio.TimeoutError) as problem:
                if "authorization" in str(problem).lower():
                    raise ValueError(
                        f"{self._address.server} does not take the password: give the right one as "
                        "nats://USER:PASSWORD@HOST, or in the environment variables "
                        "DRIFTLEARN_NATS_USER and DRIFTLEARN_NATS_PASSWORD"
                    ) from None
                self._next = -1
                raise _Gone(str(problem) or type(problem).__name__) from None

        return self._patience.ask(worked)

    async def _connected(self) -> Any:
        heard: list[Exception] = []

        async def hear(problem: Exception) -> None:
            heard.append(problem)

        client = self._nats.NATS()
        try:
            await client.connect(
                f"{'tls' if self._address.is_safe else 'nats'}://{self._address.host}",
                user=self._address.user, password=self._address.password, error_cb=hear,
                connect_timeout=SECONDS, allow_reconnect=False, max_reconnect_attempts=1,
                reconnect_time_wait=0,
            )  # fmt: skip
        except (self._nats.errors.Error, OSError) as problem:
            with suppress(Exception):
                await client.close()
            raise (heard[0] if heard else problem) from None
        return client

    async def _leave(self) -> None:
        """Let the server forget who read."""
        if self._reader is not None and self._next >= 0:
            with suppress(self._nats.errors.Error):
                await self._reader.unsubscribe()
        self._reader = None

    def _run(self, work: Coroutine[Any, Any, Any]) -> Any:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result()


class _Gone(Exception):
    """The server does not answer."""


def _message(each: Any) -> Message:
    told = each.metadata
    return Message(told.sequence.stream, int(told.timestamp.timestamp() * 1000), each.data)
