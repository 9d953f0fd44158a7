"""Redis streams."""

from collections.abc import Callable, Mapping
from typing import Any

from driftlearn.ops.sources.log_source import GROUP, SECONDS, Log, Message, Server
from driftlearn.ops.sources.source import Address
from driftlearn.tables.files import Position
from driftlearn.utils.optional import needed

OPTIONS = ("db", "group", "ca")


class RedisServer(Server):
    """Connection to a Redis server; see `Server`."""

    def __init__(self, address: Address, report: Callable[[str], Any]):
        super().__init__(address, report)
        redis = needed("redis", address.server)
        options = address.options
        for name in options:
            if name not in OPTIONS:
                known = ", ".join(OPTIONS)
                raise ValueError(
                    f"{address.shown}: unknown option {name!r}; the options are {known}"
                )
        if not options.get("db", "0").isdigit():
            raise ValueError(f"{address.shown}: db must be the number of a database, e.g. db=0")
        host, _, port = address.host.rpartition(":")
        tls = {"ssl": True, "ssl_ca_certs": options.get("ca")} if address.uses_tls else {}
        self.client = redis.Redis(
            host=host.strip("[]"), port=int(port), db=int(options.get("db", "0")),
            username=address.user, password=address.password,
            socket_timeout=SECONDS, socket_connect_timeout=SECONDS,
            retry=needed("redis.retry").Retry(needed("redis.backoff").NoBackoff(), 0), **tls,
        )  # fmt: skip
        self.errors = errors = redis.exceptions
        self.failures = errors.ConnectionError, errors.TimeoutError, errors.ResponseError

    def explain(self, problem: Any) -> object:
        """See `Server`."""
        errors, text, server = self.errors, str(problem), self.address.server
        if isinstance(problem, errors.NoPermissionError):
            raise ValueError(f"{server} denied access: {problem}") from None
        is_login = text.startswith(("NOAUTH", "WRONGPASS")) or "invalid password" in text
        if isinstance(problem, errors.AuthenticationError) or is_login:
            raise self.wrong_password() from None
        if not isinstance(problem, errors.ResponseError):
            return problem
        if "no such key" in text:
            raise self.missing_log("redis-cli --scan --type stream") from None
        if "WRONGTYPE" in text:
            raise ValueError(f"{self.address.log!r} at {server} is not a stream") from None
        raise ValueError(f"{self.address.shown}: {problem}") from None


class RedisLog(Log):
    """Redis stream, read by ids.

    Messages remain in the stream. The last id of a consumer group, which never has pending
    messages, shows on the server how far the stream was read.

    Parameters
    ----------
    address : Address
        The server and the stream.
    report : callable
        Called with messages to the user.
    """

    id_type = str

    def __init__(self, address: Address, report: Callable[[str], Any]):
        super().__init__(address.shown, address.log)
        self._server, self._warn = RedisServer(address, report), report
        self._end = ""
        self._group = address.options.get("group", GROUP)
        self._has_group = self._is_refused = False

    def open(self, at: Position | None) -> dict[str, Any]:
        """See `Log.open`."""
        info = self._server.call(lambda _: self._checked(at))
        self._end = _text(info["last-generated-id"])
        begun = info.get("entries-added", 0) - info["length"] if at is None else at["before"]
        return {"before": begun}

    def _checked(self, at: Position | None) -> Mapping[str, Any]:
        """Return the stream information; raise `ChangedFile` unless it continues from `at`."""
        info: Mapping[str, Any] = self._server.client.xinfo_stream(self.name)
        if at is None:
            return info
        last = _text(info["last-generated-id"])
        if _place(last) < _place(at["id"]):
            raise self.changed(
                f"is a different stream, or its newest messages were lost: it ends at {last}, but "
                f"message {at['id']} has already been read")  # fmt: skip
        has_last, first = self.check_last(at), info["first-entry"]
        is_trimmed = first is None or _place(_text(first[0])) > _place(at["id"])
        if is_trimmed and not has_last and "entries-added" in info:
            n = info["entries-added"] - at["before"] - at["messages"] - info["length"]
            if n > 0:
                raise self.changed(f"was trimmed: {n:,} messages after {at['id']} are missing")
        return info

    def fetch(self, at: Position | None, n: int) -> list[Message]:
        """See `Log.fetch`."""
        begin = "-"
        if at is not None:
            milliseconds, number = _place(at["id"])
            begin = f"{milliseconds}-{number + 1}"

        def read(again: bool) -> Any:
            if again:
                self._checked(at)
            return self._server.client.xrange(self.name, begin, self._end, n)

        return [_message(*entry) for entry in self._server.call(read)]

    def one(self, name: str) -> Message | None:
        """See `Log.one`."""
        found = self._server.call(lambda _: self._server.client.xrange(self.name, name, name))
        return _message(*found[0]) if found else None

    def settle(self, at: Position) -> None:
        """Move the last id of the consumer group, so that its lag counts unread messages."""
        client, errors = self._server.client, self._server.errors
        if self._is_refused:
            return
        try:
            if not self._has_group:
                try:
                    client.xgroup_create(self.name, self._group, at["id"])
                except errors.ResponseError as problem:
                    if "BUSYGROUP" not in str(problem):
                        raise
                self._has_group = True
            read = at["before"] + at["messages"]
            client.xgroup_setid(self.name, self._group, at["id"], entries_read=read)
        except (errors.ConnectionError, errors.TimeoutError):
            pass  # the next call reports the error; only the position in the state folder matters
        except errors.ResponseError as problem:
            self._is_refused = True
            self._warn(f"{self.path}: group {self._group!r} was not updated (optional): {problem}")

    def close(self) -> None:
        """See `Log.close`."""
        self._server.client.close()


def _message(name: bytes, fields: Mapping[bytes, bytes] | None) -> Message:
    text = _text(name)
    return Message(text, _place(text)[0], dict(fields or {}))


def _place(text: str) -> tuple[int, int]:
    """Return an id as a pair of numbers, for comparison."""
    milliseconds, _, number = text.partition("-")
    return int(milliseconds), int(number or 0)


def _text(name: bytes | str) -> str:
    return name.decode() if isinstance(name, bytes) else name
