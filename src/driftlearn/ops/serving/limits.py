"""Limits of requests, rate limiting and access control."""

import hmac
import os
import re
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass

from driftlearn.ops.serving.request_rows import RequestError

TOKEN = "DRIFTLEARN_TOKEN"
SHORTEST_TOKEN = 16  # bytes: a shorter token can be found by trial and error
MAX_CLIENTS = 10_000  # whose recent requests are counted
LOCAL_HOSTS = ("127.0.0.1", "localhost", "::1")


@dataclass(frozen=True)
class Limits:
    """Limits of requests.

    Attributes
    ----------
    body : int
        Bytes of a request body.
    rows : int
        Rows of a request.
    rate : float
        Mean requests per second of one client; 0 for no limit.
    timeout : float
        Seconds to receive a request, and seconds that a request may wait to be learned.
    connections : int
        Simultaneous connections.
    """

    body: int = 4 << 20
    rows: int = 10_000
    rate: float = 1_000.0
    timeout: float = 30.0
    connections: int = 256


class Rate:
    """Rate limiter with a token bucket for each client.

    Parameters
    ----------
    rate : float
        Tokens per second; 0 for no limit.
    clock : callable
        Returns the time in seconds.

    Examples
    --------
    >>> rate = Rate(2.0, clock=lambda: 0.0)
    >>> [rate.wait("a"), rate.wait("a"), rate.wait("a"), rate.wait("b")]
    [0.0, 0.0, 0.5, 0.0]
    """

    def __init__(self, rate: float, clock: Callable[[], float] = time.monotonic):
        self._rate, self._clock = rate, clock
        self._most = max(rate, 1.0)  # capacity of a bucket: the tokens of one second
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def wait(self, client: str) -> float:
        """Take a token; return 0, or the seconds until one is available."""
        if not self._rate:
            return 0.0
        now = self._clock()
        left, when = self._left.pop(client, (self._most, now))
        left = min(self._most, left + (now - when) * self._rate)
        is_allowed = left >= 1.0
        self._left[client] = left - is_allowed, now
        if len(self._left) > MAX_CLIENTS:
            self._left.popitem(last=False)
        return 0.0 if is_allowed else (1.0 - left) / self._rate


def token_for(host: str) -> bytes | None:
    """Return the token that clients need, None if they need none.

    Raises
    ------
    ValueError
        If other machines could connect without a token, or if the token can be guessed.
    """
    given = os.environ.get(TOKEN)
    if given is None:
        if host not in LOCAL_HOSTS:
            raise ValueError(
                f"--host {host} lets other machines connect: set the environment variable {TOKEN} "
                "to a token that clients must send, or omit --host."
            )
        return None
    token = given.encode("utf-8", "surrogateescape")
    if len(token) < SHORTEST_TOKEN or not given.isascii() or not given.isprintable():
        raise ValueError(
            f"{TOKEN} must have at least {SHORTEST_TOKEN} printable ASCII characters. Create one "
            "with: python -c 'import secrets; print(secrets.token_hex())'"
        )
    return token


def check_token(token: bytes, header: str | None) -> None:
    """Raise `RequestError` unless the header ``Authorization`` has the token."""
    kind, _, given = (header or "").partition(" ")
    is_right = hmac.compare_digest(given.strip().encode("utf-8", "replace"), token)
    if kind.lower() != "bearer" or not is_right:
        raise RequestError(401, "The header 'Authorization: Bearer TOKEN' is missing or wrong.")


def check_host(header: str | None) -> None:
    """Raise `RequestError` unless a request names this machine.

    A web page can point a domain of its own to this machine (DNS rebinding) and thereby use a
    service that needs no token; the header ``Host`` of its requests has that domain.
    """
    name = re.sub(r":\d*$", "", header or "")
    if name.strip("[]") not in LOCAL_HOSTS:
        text = "Without a token the service accepts requests from this machine only."
        raise RequestError(403, text)
