"""Servers that store rows: addresses, passwords, and calls that are repeated after failures."""

import os
import re
import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar
from urllib.parse import parse_qsl, quote, unquote, urlsplit, urlunsplit

#: Seconds before each repetition of a call to a server that has responded before.
WAITS = (0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0)
SECONDS = 10.0  # until a response
PORTS = {
    "redis": 6379, "rediss": 6379, "kafka": 9092, "kafkas": 9092, "nats": 4222, "natss": 4222,
}  # fmt: skip
GROUP = "driftlearn"
KNOWN = "redis:// or rediss://HOST:6379/STREAM, kafka:// or kafkas://HOST:9092/TOPIC"
T = TypeVar("T")


class Address(NamedTuple):
    """Address such as ``redis://user:password@host:6379/stream?group=us``.

    Attributes
    ----------
    scheme : str
        ``redis``, ``rediss``, ``kafka``, ``kafkas``, ``nats``, ``natss``.
    host : str
        ``HOST:PORT``; several for a cluster of brokers, separated by commas.
    log : str
        The stream or topic.
    user, password : str or None
        From the address, or else from the environment: ``DRIFTLEARN_REDIS_USER``,
        ``DRIFTLEARN_REDIS_PASSWORD`` and the same with ``KAFKA`` and ``NATS``.
    options : dict of str to str
        What follows the question mark.
    shown : str
        The address without password, user and options: the key of its position, also in messages.
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
        """The server, for messages."""
        return f"{self.scheme}://{self.host}"

    @property
    def is_safe(self) -> bool:
        """Whether the connection uses TLS."""
        return self.scheme != self.kind


def is_server(name: str) -> bool:
    """Return whether a name is an address at a server, and not a file."""
    return re.match(r"[A-Za-z][A-Za-z0-9+.-]+://", name) is not None


def without_password(name: str) -> str:
    """Return a name as it may be shown.

    Examples
    --------
    >>> without_password("rediss://me:secret@example.org:6379/clicks")
    'rediss://example.org:6379/clicks'
    """
    if not is_server(name):
        return name
    scheme, rest, path, _, _ = urlsplit(name)
    return urlunsplit((scheme, rest.rpartition("@")[2], path, "", ""))


def names_server(name: str) -> Address:
    """Return the parts of an address; raise ValueError if it is not valid."""
    shown = without_password(name)
    parts = urlsplit(name)
    if parts.scheme not in PORTS:
        raise ValueError(f"{shown}: rows come from {KNOWN}, nats://HOST:4222/STREAM, or files")
    login, _, where = parts.netloc.rpartition("@")
    log, kind = unquote(parts.path.strip("/")), _kind(parts.scheme)
    if not where or not log:
        what = _unit(kind)
        form = f"{parts.scheme}://HOST:{PORTS[parts.scheme]}/{what.upper()}"
        raise ValueError(f"{shown} names no {'host' if not where else what}: use {form}")
    host = where
    if "," not in where:
        try:
            port = parts.port or PORTS[parts.scheme]
        except ValueError:
            raise ValueError(f"{shown}: what follows the colon is not a port") from None
        host = f"{where.rpartition(':')[0] or where}:{port}"
    user, sign, password = login.partition(":")
    variable = f"DRIFTLEARN_{kind.upper()}"
    options = dict(parse_qsl(parts.query))
    database = f"?db={options['db']}" if options.get("db", "0") != "0" else ""
    return Address(
        parts.scheme, host, log,
        unquote(user) or os.environ.get(f"{variable}_USER"),
        unquote(password) if sign else os.environ.get(f"{variable}_PASSWORD"),
        options, f"{parts.scheme}://{host}/{quote(log)}{database}",
    )  # fmt: skip


def _kind(scheme: str) -> str:
    return next(kind for kind in ("redis", "kafka", "nats") if scheme.startswith(kind))


def _unit(kind: str) -> str:
    return "topic" if kind == "kafka" else "stream"


class Server(ABC):
    """Connection to a server; once it has responded, failed calls are repeated.

    Parameters
    ----------
    address : Address
        The server.
    tell : callable
        Receives a message when the server does not respond.

    Attributes
    ----------
    failures : tuple of exception types
        What the client raises about failed calls.
    """

    failures: tuple[type[BaseException], ...]

    def __init__(self, address: Address, tell: Callable[[str], Any]):
        self.address, self.tell = address, tell
        self._has_responded = False

    @abstractmethod
    def judge(self, problem: Any) -> object:
        """Return why the server does not respond; raise ValueError if it rejected the call."""

    def ask(self, work: Callable[[bool], T]) -> T:
        """Return the result of a call, whose argument is whether the call before it failed."""
        waits = iter(WAITS if self._has_responded else ())
        failed = False
        while True:
            try:
                found = work(failed)
            except self.failures as problem:
                self._wait(next(waits, None), self.judge(problem))
                failed = True
            else:
                self._has_responded = True
                return found

    def _wait(self, seconds: float | None, problem: object) -> None:
        """Wait before the next call; raise ConnectionError if there is none."""
        lines = str(problem).strip().rstrip(".").splitlines()
        server, why = self.address.server, lines[0] if lines else type(problem).__name__
        if seconds is not None:
            self.tell(f"{server} does not respond ({why}): next attempt in {seconds:g} s")
            time.sleep(seconds)
        elif self._has_responded:
            raise ConnectionError(
                f"{server} does not respond any more after {len(WAITS) + 1} attempts: {why}. Start "
                "it, and run the same command again to continue"
            )
        else:
            raise ConnectionError(
                f"{server} does not respond: {why}. Start it, or correct its address"
            )

    def refused(self) -> ValueError:
        """Return the error about a missing or wrong password."""
        kind = self.address.kind
        variable = f"DRIFTLEARN_{kind.upper()}"
        return ValueError(
            f"{self.address.server} rejects the password: pass the right one as "
            f"{kind}://USER:PASSWORD@HOST, or in the environment variables {variable}_USER and "
            f"{variable}_PASSWORD"
        )

    def no_log(self, command: str) -> ValueError:
        """Return the error about a stream or topic that does not exist."""
        return ValueError(
            f"there is no {_unit(self.address.kind)} {self.address.log!r} at "
            f"{self.address.server}; {command} lists those that exist"
        )
