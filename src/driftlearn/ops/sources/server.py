"""Servers that hold rows: their addresses, their passwords, and patience with them."""

import os
import re
import time
from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar
from urllib.parse import parse_qsl, quote, unquote, urlsplit, urlunsplit

#: Seconds to wait before another try, when a server that has answered does not any more.
WAITS = (0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0)
SECONDS = 10.0  # for an answer
PORTS = {
    "redis": 6379, "rediss": 6379, "kafka": 9092, "kafkas": 9092, "nats": 4222, "natss": 4222,
}  # fmt: skip
GROUP = "driftlearn"
KNOWN = "redis:// or rediss://HOST:6379/STREAM, kafka:// or kafkas://HOST:9092/TOPIC"
T = TypeVar("T")


class Address(NamedTuple):
    """What a name as ``redis://user:password@host:6379/stream?group=us`` says.

    Attributes
    ----------
    scheme : str
        ``redis``, ``rediss``, ``kafka``, ``kafkas``, ``nats``, ``natss``.
    host : str
        ``HOST:PORT``; of a cluster of brokers several, parted by commas.
    log : str
        The stream or topic.
    user, password : str or None
        From the name, or else from the environment: ``DRIFTLEARN_REDIS_USER``,
        ``DRIFTLEARN_REDIS_PASSWORD`` and the same with ``KAFKA`` and ``NATS``.
    options : dict of str to str
        What comes after the question mark.
    shown : str
        The name without password, user and options: what its position goes by, and messages.
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
        """Whether it is spoken to by TLS."""
        return self.scheme != self.kind


def is_server(name: str) -> bool:
    """Tell whether a name is that of something at a server, and not of a file."""
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
    """Return what a name says; raise ValueError if it is none."""
    shown = without_password(name)
    parts = urlsplit(name)
    if parts.scheme not in PORTS:
        raise ValueError(f"{shown}: rows come from {KNOWN}, nats://HOST:4222/STREAM, or files")
    where = parts.netloc.rpartition("@")[2]
    log = unquote(parts.path.strip("/"))
    kind = _kind(parts.scheme)
    what = "topic" if kind == "kafka" else "stream"
    if not where or not log:
        form = f"{parts.scheme}://HOST:{PORTS[parts.scheme]}/{what.upper()}"
        raise ValueError(f"{shown} names no {'host' if not where else what}: say {form}")
    try:
        port = PORTS[parts.scheme] if "," in where else (parts.port or PORTS[parts.scheme])
    except ValueError:
        raise ValueError(f"{shown}: what comes after the colon is no port") from None
    variable = f"DRIFTLEARN_{kind.upper()}"
    user, sign, password = parts.netloc.rpartition("@")[0].partition(":")
    host = where if "," in where else f"{where.rpartition(':')[0] or where}:{port}"
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


class Patience:
    """Asks a server again, after longer and longer waits, once it has answered.

    Parameters
    ----------
    address : Address
        The server.
    gone : tuple of exception types
        What it means that it does not answer.
    """

    def __init__(self, address: Address, gone: tuple[type[BaseException], ...]):
        self.address, self.gone = address, gone
        self.tell: Callable[[str], Any] = lambda _: None
        self._met = False

    def ask(self, work: Callable[[bool], T]) -> T:
        """Return what a call gives; it is told whether the server was gone in the meantime."""
        waits = iter(WAITS if self._met else ())
        failed = False
        while True:
            try:
                found = work(failed)
            except self.gone as problem:
                failed = True
                self.wait(next(waits, None), problem)
            else:
                self._met = True
                return found

    def wait(self, seconds: float | None, problem: object) -> None:
        """Wait before the next try; raise if there is none."""
        said = str(problem).strip().rstrip(".").splitlines()
        why = said[0] if said else type(problem).__name__
        server = self.address.server
        if seconds is None:
            if not self._met:
                raise ConnectionError(f"{server} does not answer: {why}. Start it, or say where it "
                                      "is")  # fmt: skip
            raise ConnectionError(
                f"{server} does not answer any more, and was asked {len(WAITS) + 1} times: {why}. "
                "Start it; the same command goes on from there"
            )
        self.tell(f"{server} does not answer ({why}): asked again in {seconds:g} s")
        time.sleep(seconds)
