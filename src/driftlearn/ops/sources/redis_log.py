"""Streams of Redis."""

from collections.abc import Callable, Mapping
from typing import Any

from driftlearn.ops.sources._messages import Message
from driftlearn.ops.sources.log_source import gone
from driftlearn.ops.sources.server import GROUP, SECONDS, Address, Patience
from driftlearn.tables.files import Position
from driftlearn.utils.optional import needed

OPTIONS = ("db", "group", "ca")


class RedisServer:
    """A connection to a server of Redis, which is asked again when it is gone for a while.

    Parameters
    ----------
    address : Address
        The server.
    tell : callable
        Told when it does not answer.
    """

    def __init__(self, address: Address, tell: Callable[[str], Any]):
        self._redis = redis = needed("redis", address.server)
        for name in address.options:
            if name not in OPTIONS:
                raise ValueError(f"{address.shown}: there is no option {name!r}; there are "
                                 f"{', '.join(OPTIONS)}")  # fmt: skip
        host, _, port = address.host.rpartition(":")
        safety = {"ssl": True, "ssl_ca_certs": address.options.get("ca")} if address.is_safe else {}
        self.address = address
        self.client = redis.Redis(
            host=host.strip("[]"), port=int(port), db=_database(address),
            username=address.user, password=address.password,
            socket_timeout=SECONDS, socket_connect_timeout=SECONDS,
            retry=needed("redis.retry").Retry(needed("redis.backoff").NoBackoff(), 0), **safety,
        )  # fmt: skip
        problems = redis.exceptions
        self.refused = (problems.AuthenticationError, problems.NoPermissionError)
        self.answer = problems.ResponseError
        self._patience = Patience(address, (problems.ConnectionError, problems.TimeoutError))
        self._patience.tell = tell

    def ask(self, work: Callable[[bool], Any]) -> Any:
        """Return what a call gives, as `Patience.ask`; what the server refuses is a sentence."""

        def worked(again: bool) -> Any:
            try:
                return work(again)
            except self.refused as problem:
                raise ValueError(f"{self.address.server} {self._refusal(problem)}") from None
            except self.answer as problem:
                if "no such key" in str(problem):
                    raise ValueError(
                        f"there is no stream {self.address.log!r} at {self.address.server}; "
                        "redis-cli --scan --type stream shows those that there are"
                    ) from None
                if "WRONGTYPE" in str(problem):
                    said = f"{self.address.log!r} at {self.address.server} is no stream"
                    raise ValueError(said) from None
                said = str(problem)
                if said.startswith(("NOAUTH", "WRONGPASS")) or "invalid password" in said:
                    raise ValueError(f"{self.address.server} {self._refusal(problem)}") from None
                raise ValueError(f"{self.address.shown}: {problem}") from None

        return self._patience.ask(worked)

    def _refusal(self, problem: Exception) -> str:
        if isinstance(problem, self.refused[1]):
            return f"does not allow that: {problem}"
        return (
            "does not take the password: give the right one as redis://USER:PASSWORD@HOST, or in "
            "the environment variable DRIFTLEARN_REDIS_PASSWORD"
        )


class RedisLog:
    """A stream of Redis, read by ids.

    What was read stays in the stream. The server is told by the last id of a consumer group, in
    which nothing is ever pending.

    Parameters
    ----------
    address : Address
        The server and the stream.
    tell : callable
        Takes sentences for whoever watches.
    """

    def __init__(self, address: Address, tell: Callable[[str], Any]):
        self.path, self.name = address.shown, address.log
        self._server = RedisServer(address, tell)
        self._tell = tell
        self._end = ""
        self._group = address.options.get("group", GROUP)
        self._has_group = self._is_refused = False

    def open(self, at: Position | None) -> dict[str, Any]:
        """Note where the stream ends; see `Log.open`."""
        info = self._server.ask(lambda _: self._checked(at))
        self._end = _text(info["last-generated-id"])
        begun = info.get("entries-added", 0) - info["length"] if at is None else at["before"]
        return {"before": begun}

    def _checked(self, at: Position | None) -> Mapping[str, Any]:
        """Return what the server says of the stream; raise if it is not the one that was read."""
        info: Mapping[str, Any] = self._server.client.xinfo_stream(self.name)
        if at is not None:
            self._check(at, info)
        return info

    def _check(self, at: Position, info: Mapping[str, Any]) -> None:
        """Raise if the stream is another one, or if messages that were not read are gone."""
        last = _text(info["last-generated-id"])
        if _place(last) < _place(at["id"]):
            raise gone(self.path, f"is another stream, or lost its newest messages: it ends with "
                       f"{last}, and {at['id']} was read")  # fmt: skip
        there = self._one(at["id"])
        if there is not None and there.digest != at["digest"]:
            raise gone(self.path, f"is another stream than the one that was read: {at['id']} is "
                       "another message now")  # fmt: skip
        first = info["first-entry"]
        trimmed = first is None or _place(_text(first[0])) > _place(at["id"])
        if there is not None or not trimmed or "entries-added" not in info:
            return
        n = info["entries-added"] - at["before"] - at["messages"] - info["length"]
        if n > 0:
            raise gone(self.path, f"was trimmed: {n:,} messages after {at['id']}, which was read "
                       "last, are gone")  # fmt: skip

    def fetch(self, at: Position | None, n: int) -> list[Message]:
        """Return up to `n` messages after a position; see `Log.fetch`."""
        begin = "-"
        if at is not None:
            milliseconds, number = _place(at["id"])
            begin = f"{milliseconds}-{number + 1}"

        def read(again: bool) -> Any:
            if again:
                self._checked(at)
            return self._server.client.xrange(self.name, begin, self._end, n)

        return [_message(*entry) for entry in self._server.ask(read)]

    def holds(self, at: Position) -> bool:
        """Tell whether the message that a position names is there, and the same."""
        if not isinstance(at["id"], str):
            return False
        there = self._server.ask(lambda _: self._one(at["id"]))
        return there is not None and there.digest == at["digest"]

    def _one(self, message: str) -> Message | None:
        found = self._server.client.xrange(self.name, message, message)
        return _message(*found[0]) if found else None

    def settle(self, at: Position) -> None:
        """Move the last id of the consumer group, so that its lag is what was not read."""
        client, problems = self._server.client, self._server._redis.exceptions
        if self._is_refused:
            return
        try:
            if not self._has_group:
                try:
                    client.xgroup_create(self.name, self._group, at["id"])
                except problems.ResponseError as problem:
                    if "BUSYGROUP" not in str(problem):
                        raise
                self._has_group = True
            read = at["before"] + at["messages"]
            client.xgroup_setid(self.name, self._group, at["id"], entries_read=read)
        except (problems.ConnectionError, problems.TimeoutError):
            pass  # the next one will tell it; what counts is kept in the state folder
        except problems.ResponseError as problem:
            self._is_refused = True
            self._tell(f"{self.path}: the group {self._group!r} does not show how far this is, "
                       f"which nothing depends on: {problem}")  # fmt: skip

    def close(self) -> None:
        """Let go of the connection."""
        self._server.client.close()


def _database(address: Address) -> int:
    given = address.options.get("db", "0")
    if not given.isdigit():
        raise ValueError(f"{address.shown}: db is the number of a database, as db=0")
    return int(given)


def _message(name: bytes, fields: Mapping[bytes, bytes] | None) -> Message:
    text = _text(name)
    return Message(text, _place(text)[0], dict(fields or {}))


def _place(text: str) -> tuple[int, int]:
    """Return an id as what can be compared."""
    milliseconds, _, number = text.partition("-")
    return int(milliseconds), int(number or 0)


def _text(name: bytes | str) -> str:
    return name.decode() if isinstance(name, bytes) else name
