"""What servers hold in logs, to which messages are only ever added, as a source of rows."""

import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any, Protocol

from driftlearn.ops.sources._messages import Message, RowReader, table_of
from driftlearn.ops.sources.files import WAIT
from driftlearn.ops.sources.server import Address
from driftlearn.tables.csv_file import CSVFile
from driftlearn.tables.files import BrokenLine, ChangedFile, Piece, Position

ROWS = 10_000  # messages that are read at a time
TURN = 1_000  # messages of a log until it is another one's turn, where there are several
MOST_BYTES = 16 << 20  # of messages that are read at a time from the only log


class Log(Protocol):
    """Messages in one order: a stream of Redis, a partition of Kafka.

    Attributes
    ----------
    path : str
        What its position goes by.
    name : str
        What it is called in messages.
    """

    path: str
    name: str

    def open(self, at: Position | None) -> dict[str, Any]:
        """Note where the log ends now; raise `ChangedFile` unless `at` is where it was.

        Return what a position is to have beside what all have.
        """

    def fetch(self, at: Position | None, n: int) -> list[Message]:
        """Return up to `n` messages after a position; none if it is where the log ended."""

    def holds(self, at: Position) -> bool:
        """Tell whether the message that a position names is there, and the same."""

    def settle(self, at: Position) -> None:
        """Let the server know that all up to a position is kept, for whoever watches there."""

    def close(self) -> None:
        """Let go of the connection."""


class LogSource:
    """The rows of streams and topics.

    One log is read in its order. Where there are several, the one whose next message is the oldest
    has its turn, up to the next multiple of a thousand messages; one that is between two such
    multiples comes first. So the order depends on what is in the logs, not on where a run was cut.

    A position has the id of the last message and its SHA-256, how many messages and rows there
    were so far, and the columns: those of the first messages, up to ten thousand. Fields that come
    later are left out, and told.

    Parameters
    ----------
    addresses : sequence of Address
        The streams and topics.
    encoding, missing
        How fields of text are written; see `CSVFile`.
    skip : bool
        Whether messages that are no row are passed over.
    follow : bool
        Whether to wait for more; if not, it ends with what was there at the start.
    """

    def __init__(
        self,
        addresses: Sequence[Address],
        *,
        encoding: str = "utf-8",
        missing: Sequence[str] = (),
        skip: bool = False,
        follow: bool = False,
    ):
        self.addresses = [*addresses]
        self.names = [address.shown for address in addresses]
        self.skip, self.follow = skip, follow
        self.numbers: Collection[str] = ()
        self.verified: dict[str, list[Any]] = {}
        self.tell: Callable[[str], None] = lambda _: None
        self._reader = RowReader(CSVFile("-", None, encoding).encoding, missing)
        self._logs: dict[str, Log] = {}
        self._left_out: set[str] = set()

    def logs(self) -> dict[str, Log]:
        """Return the logs by path; connect with their servers if that was not done."""
        if not self._logs:
            found = chain.from_iterable(map(self._logs_of, self.addresses))
            self._logs = {log.path: log for log in found}
        return self._logs

    def _logs_of(self, address: Address) -> Sequence[Log]:
        from driftlearn.ops.sources.kafka_log import kafka_logs
        from driftlearn.ops.sources.nats_log import NatsLog
        from driftlearn.ops.sources.redis_log import RedisLog

        def tell(said: str) -> None:
            self.tell(said)

        if address.kind == "kafka":
            return kafka_logs(address, tell)
        return [RedisLog(address, tell) if address.kind == "redis" else NatsLog(address, tell)]

    def pieces(self, position: Mapping[str, Position]) -> Iterator[Piece]:
        """Yield the rows that a position, by path, does not have yet; see `FileSource.pieces`."""
        given = {path: at for path, at in position.items() if at}  # what was not begun is empty
        while True:
            more = {path: log.open(given.get(path)) for path, log in self.logs().items()}
            yield from self._round(given, more)
            if not self.follow:
                return
            yield Piece({}, 0, "", "", 0, lambda _: {})
            time.sleep(WAIT)

    def check(self, position: Mapping[str, Position]) -> None:
        """Raise unless all can be read, and what was read is what it was."""
        try:
            for path, log in self.logs().items():
                log.open(position.get(path) or None)
        except BaseException:
            self.close()
            raise

    def moved(self, position: Mapping[str, Position], renamed: bool = False) -> dict[str, str]:
        """Return where logs that are held by another server now were read, by path.

        Such a log has the message that was read last, under the same id, and its name, or, with
        `renamed`, any.
        """
        found: dict[str, str] = {}
        for path, log in self.logs().items():
            for old, at in position.items():
                known = path in position or path in found or old in self._logs
                alike = renamed or _name(old) == _name(path)
                if not known and alike and "id" in at and log.holds(at):
                    found[path] = old
        return found

    def settled(self, position: Mapping[str, Position]) -> None:
        """Let the servers know what is kept for good."""
        for path, log in self._logs.items():
            if position.get(path):
                log.settle(position[path])

    def close(self) -> None:
        """Let go of all connections."""
        for log in self._logs.values():
            log.close()
        self._logs = {}

    def _round(self, given: dict[str, Position], more: Mapping[str, Any]) -> Iterator[Piece]:
        """Yield the rows up to where the logs ended when they were opened."""
        ready = {path: self._fetched(log, given.get(path)) for path, log in self.logs().items()}
        order = [*ready]
        while any(ready.values()):
            path = min((path for path in order if ready[path]), key=lambda path: self._turn(
                given.get(path), ready[path][0].time, order.index(path)))  # fmt: skip
            log = self._logs[path]
            for piece in self._pieces_of(ready[path], log, given.get(path), more[path]):
                given[path] = piece.after(piece.n_rows)
                yield piece
            ready[path] = self._fetched(log, given[path])
            if not ready[path]:
                yield _end(log, given[path])

    def _turn(self, at: Position | None, when: int, place: int) -> tuple[bool, int, int]:
        """Return what decides whose turn it is: the log whose turn was cut, or the oldest."""
        return not (at and at["messages"] % TURN), when, place

    def _fetched(self, log: Log, at: Position | None) -> list[Message]:
        """Return the messages of a log until it is another one's turn."""
        alone = len(self._logs) == 1
        n = ROWS if alone else TURN - (at["messages"] if at else 0) % TURN
        found: list[Message] = []
        size = 0
        while len(found) < n and not (alone and size > MOST_BYTES):
            after = {**(at or {}), "id": found[-1].id, "digest": found[-1].digest} if found else at
            some = log.fetch(after, min(n - len(found), TURN))
            if not some:
                break
            found += some
            size += sum(message.size for message in some)
        return found

    def _pieces_of(
        self, messages: list[Message], log: Log, at: Position | None, more: Mapping[str, Any]
    ) -> Iterator[Piece]:
        """Yield messages as rows; those before one that is none come before it is told of."""
        rows: list[dict[str, Any]] = []
        ends: list[int] = []
        broken: list[tuple[int, str]] = []
        for k, message in enumerate(messages):
            try:
                rows.append(self._reader.row(message.content))
                ends.append(k + 1)
            except ValueError as problem:
                said = f"message {message.id} of {log.path} is broken: {problem}"
                if not self.skip:
                    if rows:
                        yield self._piece(messages[:k], rows, ends, [], log, at, more)
                    raise BrokenLine(
                        f"{said}. Take it away, or pass over such messages with --on-error skip"
                    ) from None
                broken.append((len(rows), said))
        yield self._piece(messages, rows, ends, broken, log, at, more)

    def _piece(
        self,
        messages: list[Message],
        rows: list[dict[str, Any]],
        ends: list[int],
        broken: list[tuple[int, str]],
        log: Log,
        at: Position | None,
        more: Mapping[str, Any],
    ) -> Piece:
        here = [*dict.fromkeys(chain.from_iterable(rows))]
        names = at["columns"] if at and at["columns"] else here
        new = {*here} - {*names} - self._left_out
        if new:
            self._left_out |= new
            shown = ", ".join(map(repr, sorted(new)[:10]))
            self.tell(f"{log.path} has fields now that its first rows did not have, which are left "
                      f"out: {shown}")  # fmt: skip
        begun = at or {"messages": 0, "rows": 0}

        def after(k: int) -> Position:
            end = len(messages) if k == len(rows) else (ends[k - 1] if k else 0)
            if not end:
                return at or {}
            last = messages[end - 1]
            return {
                **more,
                "id": last.id, "digest": last.digest, "messages": begun["messages"] + end,
                "rows": begun["rows"] + k, "columns": names,
            }  # fmt: skip

        table = table_of(rows, names) if rows else {}
        return Piece(table, len(rows), log.path, log.name, begun["rows"], after, broken=broken)


def gone(path: str, what: str) -> ChangedFile:
    """Return the error that tells of a log that is not what it was."""
    return ChangedFile(
        f"{path} {what}: nothing of it was learned now. Bring back what is gone, or say --forget "
        f"{path} to read all that is there as new"
    )


def _end(log: Log, at: Position) -> Piece:
    """Return the piece that tells that a log was read to its end."""
    return Piece({}, 0, log.path, log.name, at["rows"], lambda _: at, is_last=True)


def _name(path: str) -> str:
    """Return the part of a path that says which log of a server it is."""
    return path.split("://", 1)[-1].partition("/")[2]
