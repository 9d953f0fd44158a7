"""Request limits, rate limiting and access control."""

import hmac
import os
import re
import time
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from driftlearn.ops.serving.request_rows import RequestError

TOKEN = "DRIFTLEARN_TOKEN"
SHORTEST_TOKEN = 16  # bytes; a shorter token can be guessed by trial and error
MAX_CLIENTS = 10_000  # maximum number of clients whose recent requests are counted
LOCAL_HOSTS = ("127.0.0.1", "localhost", "::1")


@dataclass(frozen=True)
class Limits:
    """Request limits.

    Attributes
    ----------
    body : int
        Maximum size of a request body, in bytes.
    rows : int
        Maximum number of rows in a request.
    rate : float
        Maximum mean requests per second of one client, which is a token or, without a valid token,
        an address; 0 for no limit.
    timeout : float
        Maximum time in seconds to receive a request, and for a request to wait for training.
    connections : int
        Maximum number of simultaneous connections.
    trusted_proxies : sequence of str
        Addresses and networks of proxies whose header ``X-Forwarded-For`` names the client.
    """

    body: int = 4 << 20
    rows: int = 10_000
    rate: float = 1_000.0
    timeout: float = 30.0
    connections: int = 256
    trusted_proxies: Sequence[str] = ()


class Rate:
    """Rate limiter with one token bucket per client.

    Parameters
    ----------
    rate : float
        Tokens per second; 0 for no limit.
    clock : callable
        Function that returns the time in seconds.

    Examples
    --------
    >>> rate = Rate(2.0, clock=lambda: 0.0)
    >>> [rate.wait("a"), rate.wait("a"), rate.wait("a"), rate.wait("b")]
    [0.0, 0.0, 0.5, 0.0]
    """

    def __init__(self, rate: float, clock: Callable[[], float] = time.monotonic):
        self._rate, self._clock = rate, clock
        self._most = max(rate, 1.0)  # bucket capacity: the tokens of one second
        self._left: OrderedDict[str | int, tuple[float, float]] = OrderedDict()

    def wait(self, client: str | int) -> float:
        """Take a token and return 0, or return the seconds until a token is available."""
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


def tokens_for(host: str) -> list[bytes]:
    """Return the tokens of which clients must send one; an empty list if none is required.

    Raises
    ------
    ValueError
        If other machines could connect without a token, or if the token is easy to guess.
    """
    given = os.environ.get(TOKEN)
    if given is None:
        if host not in LOCAL_HOSTS:
            hint = f"set the environment variable {TOKEN} to a token for clients, or omit --host"
            raise ValueError(f"--host {host} lets other machines connect: {hint}.")
        return []
    found = given.encode("utf-8", "surrogateescape").split(b" ")
    is_short = any(len(token) < SHORTEST_TOKEN for token in found)
    if is_short or not given.isascii() or not given.isprintable():
        raise ValueError(
            f"{TOKEN} must be a token of at least {SHORTEST_TOKEN} printable ASCII characters, or "
            "several with a space between them. Create one with: python -c 'import secrets; "
            "print(secrets.token_hex())'"
        )
    return found


def token_in(header: str | None, tokens: Sequence[bytes]) -> int | None:
    """Return which token the header ``Authorization`` contains, or None.

    The time does not depend on the content of the tokens: each is compared to its end.
    """
    kind, _, given = (header or "").partition(" ")
    sent = given.strip().encode("utf-8", "replace")
    found = [i for i, token in enumerate(tokens) if hmac.compare_digest(sent, token)]
    return found[0] if found and kind.lower() == "bearer" else None


def check_host(header: str | None) -> None:
    """Raise `RequestError` unless the header ``Host`` names this machine.

    A web page can point its own domain to this machine (DNS rebinding) and so use a service that
    needs no token. The header ``Host`` of its requests contains that domain.
    """
    name = re.sub(r":\d*$", "", header or "")
    if name.strip("[]") not in LOCAL_HOSTS:
        raise RequestError(403, "Without a token, only requests from this machine are accepted.")
