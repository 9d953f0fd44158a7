"""Delivery of an alert to a webhook."""

from __future__ import annotations

import json
import time
from http.client import HTTPException
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.request import HTTPRedirectHandler, Request, build_opener

from driftlearn.ops.alerts.rules import check_url
from driftlearn.utils.version import __version__

TIMEOUT = 5.0  # seconds for a connection and for an answer
BACKOFF = (1.0, 2.0)  # seconds before the second and the third attempt
#: Answers after which another attempt may succeed, besides 5xx.
AGAIN = (408, 425, 429)


class _NoRedirect(HTTPRedirectHandler):
    """Handler that does not follow redirects.

    They would turn the POST into a GET, and send the alert to a server that was not configured.
    """

    def redirect_request(self, *arguments: Any) -> None:
        """Do not follow."""


def deliver(url: str, message: dict[str, Any]) -> str:
    """Send a message, with up to three attempts; return the problem, "" if it was delivered."""
    for wait in (*BACKOFF, None):
        problem, may_succeed = post(url, message)
        if not problem or not may_succeed or wait is None:
            break
        time.sleep(wait)
    return problem


def post(url: str, message: dict[str, Any]) -> tuple[str, bool]:
    """Send a message once; return the problem, and whether another attempt may succeed.

    The problem never contains the address.
    """
    try:
        check_url(url)
    except ValueError as problem:
        return str(problem), False
    headers = {"Content-Type": "application/json", "User-Agent": f"driftlearn/{__version__}"}
    request = Request(url, json.dumps(message).encode(), headers, method="POST")
    try:
        with build_opener(_NoRedirect).open(request, timeout=TIMEOUT):
            return "", False
    except HTTPError as answer:
        answer.close()
        code = answer.code
        if 300 <= code < 400:
            return f"the answer is {code}, a redirect: use the address to which it leads", False
        return f"the answer is {code} instead of 200", code >= 500 or code in AGAIN
    except (OSError, HTTPException, ValueError) as error:
        reason = error.reason if isinstance(error, URLError) else error
        if isinstance(reason, TimeoutError):
            return f"no answer within {TIMEOUT:g} s", True
        return getattr(reason, "strerror", None) or type(reason).__name__, True
