"""Append-only logs on servers as a source of rows; failed connections are retried."""

import json
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from hashlib import sha256
from itertools import chain
from typing import Any, NamedTuple, TypeVar

from driftlearn.ops.sources.source import Address, Source, parse_address
from driftlearn.tables.csv_file import CSVFile
from driftlearn.tables.csv_parser import MISSING, columns_of
from driftlearn.tables.files import BrokenLine, ChangedFile, Piece, Position

ROWS = 10_000  # messages read at a time
SLICE = 1_000  # messages read from one log before switching to the next
#: Seconds before each retry of a call to a server that has responded before: half a minute in all,
#: enough for a server to restart.
WAITS = (0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0)
SECONDS = 10.0  # seconds to wait for a response
GROUP = "driftlearn"
MOST_BYTES = 16 << 20  # maximum bytes of messages read at a time if there is only one log

PLAIN = (str, int, float, bool, type(None))  # types of values in messages

T = TypeVar("T")


class Message(NamedTuple):
    """Message received from a server.

    Attributes
    ----------
    id : str or int
        Id or offset of the message.
    time : int
        Time at which the server received the message, in milliseconds since 1970.
    content : bytes or dict of bytes to bytes
        The body, or fields with their values.
    headers : dict of str to bytes
        Headers of the message, if the server supports them.
    """

    id: Any
    time: int
    content: Any
    headers: dict[str, bytes] = {}

    @property
    def digest(self) -> str:
        """Digest that distinguishes messages with the same id."""
        digest = sha256()
        for part in self._parts():
            digest.update(b"%d:" % len(part) + part)
        return digest.hexdigest()

    @property
    def size(self) -> int:
        """Size of the message in bytes."""
        return sum(map(len, self._parts()))

    def _parts(self) -> list[bytes]:
        if isinstance(self.content, dict):
            return [part for field in self.content.items() for part in field]
        return [self.content or b""]


class Server(ABC):
    """Connection to a server; failed calls are retried after the first successful call.

    Parameters
    ----------
    address : Address
        The server.
    report : callable
        Called with a message when the server does not respond.

    Attributes
    ----------
    failures : tuple of exception types
        Exceptions that the client raises for failed calls.
    """

    failures: tuple[type[BaseException], ...]

    def __init__(self, address: Address, report: Callable[[str], Any]):
        self.address, self.report = address, report
        self._has_responded = False

    @abstractmethod
    def explain(self, problem: Any) -> object:
        """Return why the server does not respond; raise ValueError if it rejected the call."""

    def call(self, work: Callable[[bool], T]) -> T:
        """Return the result of a call; its argument is whether the previous attempt failed."""
        waits = iter(WAITS if self._has_responded else ())
        failed = False
        while True:
            try:
                found = work(failed)
            except self.failures as problem:
                self._wait(next(waits, None), self.explain(problem))
                failed = True
            else:
                self._has_responded = True
                return found

    def _wait(self, seconds: float | None, problem: object) -> None:
        """Wait before the next attempt; raise ConnectionError after the last attempt."""
        lines = str(problem).strip().rstrip(".").splitlines()
        server, why = self.address.server, lines[0] if lines else type(problem).__name__
        if seconds is not None:
            self.report(f"{server} does not respond ({why}): next attempt in {seconds:g} s")
            time.sleep(seconds)
            return
        if self._has_responded:
            raise ConnectionError(
                f"{server} does not respond after {len(WAITS) + 1} attempts: {why}. Start it, and "
                "run the same command again to continue"
            )
        raise ConnectionError(f"{server} does not respond: {why}. Start it, or correct its address")

    def wrong_password(self) -> ValueError:
        """Return the error about a missing or wrong password."""
        kind = self.address.kind
        variable = f"DRIFTLEARN_{kind.upper()}"
        return ValueError(
            f"{self.address.server} rejects the password: use {kind}://USER:PASSWORD@HOST, or the "
            f"environment variables {variable}_USER and {variable}_PASSWORD"
        )

    def missing_log(self, command: str) -> ValueError:
        """Return the error about a stream or topic that does not exist."""
        what = "topic" if self.address.kind == "kafka" else "stream"
        return ValueError(
            f"there is no {what} {self.address.log!r} at {self.address.server}: see '{command}'"
        )


class Log(ABC):
    """Messages in a fixed order: a Redis or NATS stream, or a Kafka partition.

    Parameters
    ----------
    path : str
        Key of the log in positions.
    name : str
        Name of the log in messages to the user.

    Attributes
    ----------
    first, last : int
        The ids of the first and last message when the log was opened, if ids are numbers.
    """

    what, unit = "stream", ""  # nouns used in messages
    id_type: type = int

    def __init__(self, path: str, name: str):
        self.path, self.name = path, name
        self.first, self.last = 0, -1

    def open(self, at: Position | None) -> dict[str, Any]:
        """Find the end of the log; raise `ChangedFile` unless the log continues from the position.

        Return additional entries for positions in this log.
        """
        self.first, self.last = self._bounds()
        if at is None:
            return {}
        if at["id"] > self.last:
            raise self.changed(
                f"is a different {self.what}, or its newest messages were lost: it ends with "
                f"{self.unit}{self.last}, but {at['id']} has already been read")  # fmt: skip
        n = self.first - at["id"] - 1
        if n > 0:
            raise self.changed(
                f"lost its oldest messages: {n:,} messages after {self.unit}{at['id']} are missing"
            )
        self.check_last(at)
        return {}

    def _bounds(self) -> tuple[int, int]:
        raise NotImplementedError

    def check_last(self, at: Position) -> bool:
        """Return whether the last read message still exists; raise `ChangedFile` if it differs."""
        there = self.one(at["id"])
        if there is not None and there.digest != at["digest"]:
            raise self.changed(f"was replaced: {self.unit}{at['id']} is a different message")
        return there is not None

    def holds(self, at: Position) -> bool:
        """Return whether the message at a position exists and is unchanged."""
        there = self.one(at["id"]) if isinstance(at["id"], self.id_type) else None
        return there is not None and there.digest == at["digest"]

    @abstractmethod
    def one(self, name: Any) -> Message | None:
        """Return the message with an id, or None."""

    @abstractmethod
    def fetch(self, at: Position | None, n: int) -> list[Message]:
        """Return up to `n` messages after a position; an empty list means the end of the log."""

    def settle(self, at: Position) -> None:  # noqa: B027
        """Acknowledge messages up to a position at the server."""

    @abstractmethod
    def close(self) -> None:
        """Close the connection."""

    def changed(self, what: str) -> ChangedFile:
        """Return the error about a log whose messages have changed."""
        return ChangedFile(
            f"{self.path} {what}: none of its rows were learned in this run. Restore the missing "
            f"messages, or use --reprocess {self.path} to read all messages as new"
        )


class LogSource(Source):
    """Rows of streams and topics on servers.

    A single log is read in order. With several logs, the log with the oldest next message is read
    up to the next multiple of a thousand messages; a log between two multiples takes precedence.
    The order therefore depends only on the content of the logs, not on where a run ended.

    A position contains the id and SHA-256 digest of the last message, the number of messages and
    rows so far, and the columns, which are taken from the first messages (at most ten thousand).
    Fields that appear later are omitted and reported.

    Parameters
    ----------
    names : sequence of str
        Addresses of streams and topics.
    sep
        Not used, since the fields of a message are not separated by a character.
    encoding, missing, skip, follow
        See `Source`.
    """

    def __post_init__(self) -> None:
        super().__post_init__()
        self.addresses = [*map(parse_address, self.names)]
        self.names = [address.shown for address in self.addresses]
        self.encoding = CSVFile("-", None, self.encoding).encoding
        self._logs: dict[str, Log] = {}
        self._omitted: set[str] = set()

    def logs(self) -> dict[str, Log]:
        """Return the logs by path; the first call connects to the servers."""
        if not self._logs:
            found = chain.from_iterable(map(self._logs_of, self.addresses))
            self._logs = {log.path: log for log in found}
        return self._logs

    def _logs_of(self, address: Address) -> Sequence[Log]:
        from driftlearn.ops.sources.kafka_log import KafkaServer, kafka_logs
        from driftlearn.ops.sources.nats_log import NatsLog
        from driftlearn.ops.sources.redis_log import RedisLog

        def report(text: str) -> None:
            self.notify(text)

        if address.kind == "kafka":
            return kafka_logs(KafkaServer(address, report))
        return [RedisLog(address, report) if address.kind == "redis" else NatsLog(address, report)]

    def check(self, position: Mapping[str, Position]) -> None:
        """See `Source.check`."""
        try:
            for path, log in self.logs().items():
                log.open(position.get(path) or None)
        except BaseException:
            self.close()
            raise

    def paths(self) -> list[str]:
        """Return the paths of the logs."""
        return [*self.logs()]

    def _continues(self, path: str, old: str, at: Position) -> bool:
        return old not in self._logs and "id" in at and self._logs[path].holds(at)

    def settled(self, position: Mapping[str, Position]) -> None:
        """See `Source.settled`."""
        for path, log in self._logs.items():
            if position.get(path):
                log.settle(position[path])

    def close(self) -> None:
        """See `Source.close`."""
        for log in self._logs.values():
            log.close()
        self._logs = {}

    def _new_pieces(self, given: dict[str, Position]) -> Iterator[Piece]:
        more = {path: log.open(given.get(path)) for path, log in self.logs().items()}
        ready = {path: self._fetch(log, given.get(path)) for path, log in self._logs.items()}
        order = [*ready]

        def priority(path: str) -> tuple[bool, int, int]:
            is_begun = given.get(path, {}).get("messages", 0) % SLICE > 0
            return not is_begun, ready[path][0].time, order.index(path)

        while any(ready.values()):
            path = min((path for path in order if ready[path]), key=priority)
            log = self._logs[path]
            for piece in self._pieces_of(ready[path], log, given.get(path), more[path]):
                given[path] = piece.after(piece.n_rows)
                yield piece
            at = given[path]
            ready[path] = self._fetch(log, at)
            if not ready[path]:

                def end(_: int, at: Position = at) -> Position:
                    return at

                yield Piece({}, 0, path, log.name, at["rows"], end, is_last=True)

    def _fetch(self, log: Log, at: Position | None) -> list[Message]:
        """Return the next messages of a log; with several logs, up to a multiple of a thousand."""
        alone = len(self._logs) == 1
        n = ROWS if alone else SLICE - (at["messages"] if at else 0) % SLICE
        found: list[Message] = []
        size = 0
        while len(found) < n and not (alone and size > MOST_BYTES):
            after = {**(at or {}), "id": found[-1].id, "digest": found[-1].digest} if found else at
            some = log.fetch(after, min(n - len(found), SLICE))
            if not some:
                break
            found += some
            size += sum(message.size for message in some)
        return found

    def _pieces_of(
        self, messages: list[Message], log: Log, at: Position | None, more: Mapping[str, Any]
    ) -> Iterator[Piece]:
        """Yield messages as rows; rows before a malformed message precede the error."""
        rows: list[dict[str, Any]] = []
        ends: list[int] = []  # number of messages up to each row
        broken: list[tuple[int, str]] = []
        error = ""
        for k, message in enumerate(messages):
            try:
                rows.append(row_of(message.content, self.encoding, self.missing))
                ends.append(k + 1)
            except ValueError as problem:
                text = f"message {message.id} of {log.path} is broken: {problem}"
                if not self.skip:
                    error, messages = text, messages[:k]
                    break
                broken.append((len(rows), text))
        begun = at or {"messages": 0, "rows": 0}
        names = self._columns(rows, log, at)

        def after(k: int) -> Position:
            end = len(messages) if k == len(rows) else (ends[k - 1] if k else 0)
            if not end:
                return at or {}
            return {
                **more,
                "id": messages[end - 1].id, "digest": messages[end - 1].digest,
                "messages": begun["messages"] + end, "rows": begun["rows"] + k, "columns": names,
            }  # fmt: skip

        if rows or not error:
            values = [[row.get(name) for name in names] for row in rows]
            table = columns_of(names, values) if rows else {}
            yield Piece(table, len(rows), log.path, log.name, begun["rows"], after, broken=broken)
        if error:
            raise BrokenLine(f"{error}. Remove it, or skip such messages with --on-error skip")

    def _columns(self, rows: list[dict[str, Any]], log: Log, at: Position | None) -> list[str]:
        """Return the columns of a log; report fields that did not occur in its first rows."""
        here = [*dict.fromkeys(chain.from_iterable(rows))]
        names: list[str] = at["columns"] if at and at["columns"] else here
        new = {*here} - {*names} - self._omitted
        if new:
            self._omitted |= new
            shown = ", ".join(map(repr, sorted(new)[:10]))
            self.notify(f"{log.path}: fields that its first rows did not have are omitted: {shown}")
        return names


def row_of(content: Any, encoding: str, missing: Collection[str]) -> dict[str, Any]:
    """Return the row in a message; raise ValueError if the message is not a row.

    Parameters
    ----------
    content : bytes or dict of bytes to bytes
        JSON in UTF-8, which may be the only field, or string fields.
    encoding : str
        Encoding of string fields.
    missing : collection of str
        Additional spellings of a missing value.
    """
    if isinstance(content, dict):
        (only, *more) = content.values() or (b"",)
        if more or not only.lstrip().startswith(b"{"):
            try:
                texts = {k.decode(encoding): v.decode(encoding) for k, v in content.items()}
            except UnicodeDecodeError as problem:
                raise ValueError(f"it is not {encoding.upper()} ({problem.reason})") from None
            return {k: None if v in missing or v in MISSING else v for k, v in texts.items()}
        content = only
    if content is None:
        raise ValueError("it is empty")
    try:
        row = json.loads(content.decode())
    except UnicodeDecodeError:
        raise ValueError("it is not UTF-8") from None
    except (ValueError, RecursionError) as problem:
        raise ValueError(f"it is not JSON ({problem})") from None
    if not isinstance(row, dict) or not row:
        raise ValueError('it is not a row such as {"size": 1.5, "label": "a"}')
    for name, value in row.items():
        if not isinstance(value, PLAIN):
            kind = type(value).__name__
            raise ValueError(f"{name!r} is a {kind}, not a number, a string, true or false")
    return {name: None if value in missing else value for name, value in row.items()}
