"""The page of ``driftlearn watch --web``, served to this machine only."""

from __future__ import annotations

import json
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any

from driftlearn.cli.command import echo

if TYPE_CHECKING:
    from driftlearn.cli.watch import ModelWatcher

HOST = "127.0.0.1"
REFRESH = 5.0  # seconds: a page that changes more often is hard to read


class Server(ThreadingHTTPServer):
    """HTTP server of the page of a model.

    Parameters
    ----------
    watcher : ModelWatcher
        The model.
    port : int
        The port at 127.0.0.1; 0 selects a free one.
    refresh : float
        Seconds after which the browser reloads the page.
    """

    daemon_threads = True

    def __init__(self, watcher: ModelWatcher, port: int, refresh: float = REFRESH):
        self.watcher, self.refresh = watcher, refresh
        try:
            super().__init__((HOST, port), Page)
        except OSError as problem:
            raise OSError(
                f"Cannot listen on port {port} ({problem.strerror}). Choose another --port."
            ) from None

    @property
    def address(self) -> str:
        """The address of the page."""
        return f"http://{HOST}:{self.server_port}/"

    def accepts(self, host: str | None) -> bool:
        """Return whether the header ``Host`` of a request names this server.

        A web page can point a domain of its own to this machine (DNS rebinding) and thereby read
        what is served here; the header of its requests has that domain.
        """
        name, _, port = (host or "").rpartition(":")
        return name in (HOST, "localhost") and port == str(self.server_port)


class Page(BaseHTTPRequestHandler):
    """Serves the page at ``/`` and its data at ``/inspection.json``."""

    server: Server

    def do_GET(self) -> None:
        """Respond to a request."""
        if not self.server.accepts(self.headers.get("Host")):
            return self._send(HTTPStatus.FORBIDDEN, "text/plain", "This page is for this machine.")
        found = self.server.watcher.now()
        if self.path == "/":
            from driftlearn.bench.report._inspection import inspection_page

            title = str(self.server.watcher.folder)
            html = inspection_page(found, title=title, refresh=self.server.refresh)
            return self._send(HTTPStatus.OK, "text/html", html)
        if self.path == "/inspection.json":
            return self._send(HTTPStatus.OK, "application/json", json.dumps(found.to_dict()))
        return self._send(HTTPStatus.NOT_FOUND, "text/plain", "The only page is /.")

    def _send(self, status: HTTPStatus, kind: str, text: str) -> None:
        content = text.encode("utf-8", "backslashreplace")
        headers = {
            "Content-Type": f"{kind}; charset=utf-8",
            "Content-Length": str(len(content)),
            "Cache-Control": "no-store",
            "X-Content-Type-Options": "nosniff",
        }
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *args: Any) -> None:
        """Do not log requests."""


def serve(watcher: ModelWatcher, port: int, every: float) -> None:
    """Serve the page until Ctrl-C."""
    with Server(watcher, port, max(every, REFRESH)) as server:
        echo(f"{server.address} (press Ctrl-C to stop)", err=True)
        server.serve_forever()
