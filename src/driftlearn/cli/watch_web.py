"""The page of ``driftlearn watch --web``: served to this machine, and to nobody else."""

from __future__ import annotations

import json
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any

from driftlearn.cli.command import say

if TYPE_CHECKING:
    from driftlearn.cli.watch import ModelWatcher

HOST = "127.0.0.1"
REFRESH = 5.0  # seconds: a page that moves more often cannot be read


class Server(ThreadingHTTPServer):
    """A server of one page, about one model.

    Parameters
    ----------
    looked : ModelWatcher
        The model.
    port : int
        The port at 127.0.0.1; 0 takes one that is free.
    refresh : float
        Seconds after which a browser asks again.
    """

    daemon_threads = True

    def __init__(self, looked: ModelWatcher, port: int, refresh: float = REFRESH):
        self.looked = looked
        self.refresh = refresh
        try:
            super().__init__((HOST, port), Page)
        except OSError as problem:
            raise OSError(
                f"port {port} cannot be used ({problem.strerror}): --port takes another one"
            ) from None

    @property
    def address(self) -> str:
        """Where the page is."""
        return f"http://{HOST}:{self.server_port}/"

    def knows(self, host: str | None) -> bool:
        """Tell whether a request names this server.

        A page from elsewhere can have a name of its own lead to this machine, and so could read
        what is served here; its requests bear that name.
        """
        name, _, port = (host or "").rpartition(":")
        return name in (HOST, "localhost") and port == str(self.server_port)


class Page(BaseHTTPRequestHandler):
    """Answers ``/`` with the page and ``/inspection.json`` with its facts."""

    server: Server

    def do_GET(self) -> None:
        """Answer."""
        if not self.server.knows(self.headers.get("Host")):
            return self._answer(HTTPStatus.FORBIDDEN, "text/plain", "this page is for this machine")
        found = self.server.looked.now()
        if self.path == "/":
            from driftlearn.bench.report._inspection_page import inspection_page

            folder = self.server.looked.folder
            html = inspection_page(found, title=str(folder), refresh=self.server.refresh)
            return self._answer(HTTPStatus.OK, "text/html", html)
        if self.path == "/inspection.json":
            return self._answer(HTTPStatus.OK, "application/json", json.dumps(found.to_dict()))
        return self._answer(HTTPStatus.NOT_FOUND, "text/plain", "there is one page: /")

    def _answer(self, status: HTTPStatus, kind: str, text: str) -> None:
        content = text.encode("utf-8", "backslashreplace")
        self.send_response(status)
        for name, value in (
            ("Content-Type", f"{kind}; charset=utf-8"),
            ("Content-Length", str(len(content))),
            ("Cache-Control", "no-store"),
            ("X-Content-Type-Options", "nosniff"),
        ):
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing: requests are no news."""


def serve(looked: ModelWatcher, port: int, every: float) -> None:
    """Serve the page until Ctrl-C."""
    with Server(looked, port, max(every, REFRESH)) as server:
        say(f"{server.address} (Ctrl-C ends this)", err=True)
        server.serve_forever()
