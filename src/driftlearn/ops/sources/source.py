"""Interface of row sources; names of files and addresses of servers."""

import os
import re
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import parse_qsl, quote, unquote, urlsplit, urlunsplit

from driftlearn.tables.files import Piece, Position, check_local

STANDARD_INPUT = "-"
PORTS = {
    "redis": 6379, "rediss": 6379, "kafka": 9092, "kafkas": 9092, "nats": 4222, "natss": 4222,
}  # fmt: skip
KNOWN = "redis://HOST:6379/STREAM, kafka://HOST:9092/TOPIC, nats://HOST:4222/STREAM"
WAIT = 1.0  # seconds between checks for new rows


@dataclass(eq=False)
class Source(ABC):
    """Base class for sources of rows, which are read from a position on.

    Parameters
    ----------
    names : sequence of str
        Names of files, or addresses. As an attribute, addresses have no passwords.
    sep : str, optional
        Field separator of CSV files.
    encoding : str
        Encoding of text files and of text fields.
    missing : sequence of str
        Additional spellings of a missing value.
    skip : bool
        Whether to skip malformed rows.
    follow : bool
        Whether to wait for more rows. Otherwise the source ends with the rows that exist at the
        start.
    skip_copies : bool
        Whether a new file with the content of a file that was read is skipped.

    Attributes
    ----------
    numbers : collection of str
        Columns to parse as numbers in text formats.
    verified : dict
        Sizes and modification times of files that were read to the end, as JSON values.
    notify : callable
        Called with messages, for example that a server does not respond.
    """

    names: Sequence[str]
    _: KW_ONLY
    sep: str | None = None
    encoding: str = "utf-8"
    missing: Sequence[str] = ()
    skip: bool = False
    follow: bool = False
    skip_copies: bool = False

    def __post_init__(self) -> None:
        self.names = [*map(str, self.names)]
        self.numbers: Collection[str] = ()
        self.verified: dict[str, list[Any]] = {}
        self.notify: Callable[[str], None] = lambda _: None

    def pieces(self, position: Mapping[str, Position]) -> Iterator[Piece]:
        """Yield the rows after a position, which has one entry per path.

        With `follow`, the iterator never ends, and a piece without a path means that there are no
        more rows at the moment.
        """
        given = {path: at for path, at in position.items() if at}
        while True:
            yield from self._new_pieces(given)
            if not self.follow or self.names == [STANDARD_INPUT]:
                return
            yield Piece({}, 0, "", "", 0, lambda _: {})
            time.sleep(WAIT)

    @abstractmethod
    def _new_pieces(self, given: dict[str, Position]) -> Iterator[Piece]:
        """Yield the existing rows after a position; update the position."""

    @abstractmethod
    def check(self, position: Mapping[str, Position]) -> None:
        """Raise unless all inputs are readable and rows before the position are unchanged."""

    def moved(self, position: Mapping[str, Position], renamed: bool = False) -> dict[str, str]:
        """Return the former paths of moved files or logs, by path.

        By default, only files and logs with an unchanged name are found; with `renamed`, all.
        """
        found: dict[str, str] = {}
        new = [path for path in self.paths() if path not in position] if position else []
        for path in new:
            name = Path(path).name
            for old, at in position.items():
                is_known = path in found or old in found.values()
                is_alike = renamed or Path(old).name == name
                if is_alike and not is_known and self._continues(path, old, at):
                    found[path] = old
        return found

    @abstractmethod
    def paths(self) -> list[str]:
        """Return the paths of the existing files or logs without duplicates."""

    @abstractmethod
    def _continues(self, path: str, old: str, at: Position) -> bool:
        """Return whether a path begins with the rows that were read at an old path."""

    def settled(self, position: Mapping[str, Position]) -> None:  # noqa: B027
        """Acknowledge a saved position at the servers."""

    def close(self) -> None:  # noqa: B027
        """Close all connections."""


def source_of(names: Sequence[str], **options: Any) -> Source:
    """Return the source for files, or for streams and topics on servers.

    Parameters
    ----------
    names : sequence of str
        Either files, folders, globs and ``"-"``, or addresses: ``redis://HOST:6379/STREAM``,
        ``kafka://HOST:9092/TOPIC`` and ``nats://HOST:4222/STREAM``.
    **options
        Keyword arguments of `FileSource`.

    Examples
    --------
    >>> type(source_of(["days/"])).__name__
    'FileSource'
    >>> source_of(["redis://:secret@127.0.0.1/clicks"]).names
    ['redis://127.0.0.1:6379/clicks']
    >>> source_of(["mqtt://127.0.0.1/clicks"])
    Traceback (most recent call last):
    ...
    ValueError: mqtt://127.0.0.1/clicks is not a valid address: expected redis://...
    """
    addresses = [name for name in names if is_server(name)]
    if not addresses:
        from driftlearn.ops.sources.files import FileSource

        return FileSource(names, **options)
    if len(addresses) < len(names):
        scheme = urlsplit(addresses[0]).scheme
        raise ValueError(
            f"files and {scheme}:// cannot be read in one run: use two runs with the same --state"
        )
    from driftlearn.ops.sources.log_source import LogSource

    return LogSource(names, **options)


def remove_input(name: str, position: dict[str, Position]) -> bool:
    """Remove an input from a position; return whether the position contained it.

    The input is a file, a stream, or a topic with all its partitions.

    Examples
    --------
    >>> position = {"kafka://127.0.0.1:9092/clicks#0": {}, "kafka://127.0.0.1:9092/clicks#1": {}}
    >>> remove_input("kafka://127.0.0.1/clicks", position), position
    (True, {})
    """
    if not is_server(name):
        return position.pop(os.path.realpath(name), None) is not None
    partition = urlsplit(name).fragment
    path = parse_address(name).shown + (f"#{partition}" if partition else "")
    found = [each for each in position if each == path or each.startswith(f"{path}#")]
    for each in found:
        del position[each]
    return bool(found)


class Address(NamedTuple):
    """Address of a stream or topic, e.g. ``redis://user:password@host:6379/stream?group=us``.

    Attributes
    ----------
    scheme : str
        ``redis``, ``rediss``, ``kafka``, ``kafkas``, ``nats``, ``natss``.
    host : str
        ``HOST:PORT``, or a comma-separated list for a cluster of brokers.
    log : str
        The stream or topic.
    user, password : str or None
        Credentials from the address, or otherwise from the environment: ``DRIFTLEARN_REDIS_USER``,
        ``DRIFTLEARN_REDIS_PASSWORD``, and likewise for ``KAFKA`` and ``NATS``.
    options : dict of str to str
        The options after the question mark.
    shown : str
        The address without credentials and options, used as key of positions and in messages.
    """

    scheme: str
    host: str
    log: str
    user: str | None
    password: str | None
    options: dict[str, str]
    shown: str

    @property
    def kind(self) -> str:
        """``"redis"``, ``"kafka"`` or ``"nats"``."""
        return _kind(self.scheme)

    @property
    def server(self) -> str:
        """Name of the server in messages."""
        return f"{self.scheme}://{self.host}"

    @property
    def uses_tls(self) -> bool:
        """Whether the connection uses TLS."""
        return self.scheme != self.kind


def is_server(name: str) -> bool:
    """Return whether a name is a server address rather than a file."""
    return re.match(r"[A-Za-z][A-Za-z0-9+.-]+://", name) is not None


def without_password(name: str) -> str:
    """Return a name without its password.

    Examples
    --------
    >>> without_password("rediss://me:secret@example.org:6379/clicks")
    'rediss://example.org:6379/clicks'
    """
    if not is_server(name):
        return name
    scheme, rest, path, _, _ = urlsplit(name)
    return urlunsplit((scheme, rest.rpartition("@")[2], path, "", ""))


def parse_address(name: str) -> Address:
    """Parse the address of a stream or topic; raise ValueError if it is invalid."""
    shown = without_password(name)
    parts = urlsplit(name)
    check_local(shown)
    if parts.scheme not in PORTS:
        raise ValueError(f"{shown} is not a valid address: expected {KNOWN}, or files")
    login, _, where = parts.netloc.rpartition("@")
    log, kind = unquote(parts.path.strip("/")), _kind(parts.scheme)
    if not where or not log:
        what = "topic" if kind == "kafka" else "stream"
        form = f"{parts.scheme}://HOST:{PORTS[parts.scheme]}/{what.upper()}"
        raise ValueError(f"{shown} has no {'host' if not where else what}: use {form}")
    host = where
    if "," not in where:
        try:
            port = parts.port or PORTS[parts.scheme]
        except ValueError:
            raise ValueError(f"{shown}: the port is not a valid number") from None
        host = f"{where.rpartition(':')[0] or where}:{port}"
    user, sign, password = login.partition(":")
    variable = f"DRIFTLEARN_{kind.upper()}"
    options = dict(parse_qsl(parts.query))
    # Streams with the same name in different databases need different keys.
    database = f"?db={options['db']}" if options.get("db", "0") != "0" else ""
    return Address(
        parts.scheme, host, log,
        unquote(user) or os.environ.get(f"{variable}_USER"),
        unquote(password) if sign else os.environ.get(f"{variable}_PASSWORD"),
        options, f"{parts.scheme}://{host}/{quote(log)}{database}",
    )  # fmt: skip


def _kind(scheme: str) -> str:
    return next(kind for kind in ("redis", "kafka", "nats") if scheme.startswith(kind))
