"""What a client may ask for: how much, how often, and with which token."""

from __future__ import annotations

import hmac
import os
import re
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass

from driftlearn.ops.serving.request_error import RequestError

TOKEN = "DRIFTLEARN_TOKEN"
SHORTEST_TOKEN = 16  # bytes: a shorter one can be found by trying
MOST_CLIENTS = 10_000  # of which is known how much they asked lately
HERE = ("127.0.0.1", "localhost", "::1")


@dataclass(frozen=True)
class Limits:
    """What a request may be.

    Attributes
    ----------
    body : int
        Bytes of a body.
    rows : int
        Rows of a request.
    rate : float
        Requests a second of one client, on the average; 0 for any number.
    timeout : float
        Seconds for a request to come, and for one to learn to have its turn.
    connections : int
        Connections at a time.
    """

    body: int = 4 << 20
    rows: int = 10_000
    rate: float = 1_000.0
    timeout: float = 30.0
    connections: int = 256


class Rate:
    """A bucket of tokens for each client: a request takes one, and they come back at a rate.

    Parameters
    ----------
    rate : float
        Tokens a second; 0 for no limit.
    clock : callable
        The time in seconds.

    Examples
    --------
    >>> rate = Rate(2.0, clock=lambda: 0.0)
    >>> [rate.wait("a"), rate.wait("a"), rate.wait("a"), rate.wait("b")]
    [0.0, 0.0, 0.5, 0.0]
    """

    def __init__(self, rate: float, clock: Callable[[], float] = time.monotonic):
        self._rate, self._clock = rate, clock
        self._most = max(rate, 1.0)  # what a client can ask for at once: that of a second
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def wait(self, client: str) -> float:
        """Take a token; return 0, or the seconds until there is one."""
        if not self._rate:
            return 0.0
        now = self._clock()
        left, when = self._left.pop(client, (self._most, now))
        left = min(self._most, left + (now - when) * self._rate)
        allowed = left >= 1.0
        self._left[client] = (left - 1.0 if allowed else left), now
        if len(self._left) > MOST_CLIENTS:
            self._left.popitem(last=False)
        return 0.0 if allowed else (1.0 - left) / self._rate


def token_for(host: str) -> bytes | None:
    """Return the token that clients need, None if none.

    Raises
    ------
    ValueError
        If other machines could come without one, or if it can be guessed.
    """
    given = os.environ.get(TOKEN)
    if given is None:
        if host not in HERE:
            raise ValueError(
                f"--host {host} lets other machines in: set the environment variable {TOKEN} to a "
                "token that they must have, or leave --host out"
            )
        return None
    token = given.encode("utf-8", "surrogateescape")
    if len(token) < SHORTEST_TOKEN or not given.isascii() or not given.isprintable():
        raise ValueError(
            f"{TOKEN} must have {SHORTEST_TOKEN} plain characters or more, so that it cannot be "
            "guessed: make one with python -c 'import secrets; print(secrets.token_hex())'"
        )
    return token


def check_token(token: bytes | None, header: str | None) -> None:
    """Raise `RequestError` unless the header ``Authorization`` has the token."""
    if token is None:
        return
    kind, _, given = (header or "").partition(" ")
    right = hmac.compare_digest(given.strip().encode("utf-8", "replace"), token)
    if kind.lower() != "bearer" or not right:
        raise RequestError(
            401, "the header 'Authorization: Bearer TOKEN' is missing, or is not right"
        )


def check_host(header: str | None) -> None:
    """Raise `RequestError` unless a request names this machine.

    A page from elsewhere can have a name of its own lead to this machine, and so could use a
    service that asks for no token; its requests bear that name.
    """
    name = re.sub(r":\d*$", "", header or "")
    if name.strip("[]") not in HERE:
        raise RequestError(403, "without a token the service is for this machine alone")
