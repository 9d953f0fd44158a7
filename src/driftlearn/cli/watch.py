"""The command ``driftlearn watch``."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from time import sleep
from typing import TYPE_CHECKING, Any

import click

from driftlearn.cli import options as opt
from driftlearn.cli.command import Command, echo

if TYPE_CHECKING:
    from driftlearn.inspection.inspection import Inspection


HOST = "127.0.0.1"
REFRESH = 5.0  # seconds; a page that changes more often is hard to read


@click.command(cls=Command)
@click.argument("model", type=opt.FOLDER)
@opt.flag("--web", help="Serve a web page at 127.0.0.1 instead of printing.")
@click.option("--port", type=click.IntRange(0, 65535), default=8765, show_default=True,
              help="Port of the page; 0 selects a free port.")  # fmt: skip
@click.option("--every", type=click.FloatRange(min=0.1), default=1.0, show_default=True,
              metavar="SECONDS", help="Time between two updates.")  # fmt: skip
@opt.ALLOW
def watch(model: Path, web: bool, port: int, every: float, allow: tuple[str, ...]) -> None:
    """Watch a saved model while another process trains it.

    The state folder is not locked, so training is not disturbed. Stop with Ctrl-C. Alerts are sent
    by the rules of 'driftlearn alerts', also if no files come any more.

    \b
      driftlearn watch model/
      driftlearn watch model/ --web
    """  # noqa: D301
    from driftlearn.ops.alerts.alarm import Alarm, AlarmClock, saved_status

    watcher = ModelWatcher(model, allow)
    watcher.now()  # report errors before anything is displayed
    alarm = Alarm(model, partial(echo, err=True))
    try:
        with AlarmClock(alarm, saved_status(model, allow)):
            if web:
                with Server(watcher, port, max(every, REFRESH)) as server:
                    echo(f"{server.address} (press Ctrl-C to stop)", err=True)
                    server.serve_forever()
            else:
                _show(watcher, every)
    except KeyboardInterrupt:
        echo("", err=True)


class ModelWatcher:
    """Saved model that is inspected again whenever its file changes.

    Parameters
    ----------
    folder : Path
        The state folder.
    allow : tuple of str
        Packages whose classes may be loaded.
    """

    def __init__(self, folder: Path, allow: tuple[str, ...] = ()):
        self.folder, self.allow = folder, allow
        self._seen: tuple[int, int] | None = None
        self._found: Inspection | None = None

    def now(self) -> Inspection:
        """Return the inspection, which is the same object while the model is unchanged.

        If the file is temporarily missing or unreadable, it is read at the next update.
        """
        from driftlearn.cli.inspect import inspection_of
        from driftlearn.ops.checkpoint.saved_model import MODEL

        if self._found is None:
            self._found = inspection_of(self.folder, self.allow)
        with suppress(OSError, ValueError):
            status = (self.folder / MODEL).stat()
            seen = status.st_mtime_ns, status.st_size
            if seen != self._seen:
                self._found, self._seen = inspection_of(self.folder, self.allow), seen
        return self._found


def _show(watcher: ModelWatcher, every: float) -> None:
    """Show the model on a terminal; without a terminal, print a line whenever it changes."""
    from driftlearn.bench.report._terminal import console, live_view

    screen = console()
    if not screen.is_terminal:
        _repeat(watcher, every, lambda found: echo(" ".join(found.sentences[1:])))
        return
    from rich.live import Live

    note = f"{watcher.folder}; press Ctrl-C to stop"
    with Live(console=screen, screen=True, auto_refresh=False) as live:
        _repeat(watcher, every, lambda found: live.update(live_view(found, note), refresh=True))


def _repeat(watcher: ModelWatcher, every: float, show: Callable[[Inspection], None]) -> None:
    shown = None
    while True:
        found = watcher.now()
        if found is not shown:
            show(found)
            shown = found
        sleep(every)


class Server(ThreadingHTTPServer):
    """HTTP server for the page of a model.

    Parameters
    ----------
    watcher : ModelWatcher
        The model.
    port : int
        Port on 127.0.0.1; 0 selects a free port.
    refresh : float
        Seconds after which the browser reloads the page.
    """

    daemon_threads = True

    def __init__(self, watcher: ModelWatcher, port: int, refresh: float = REFRESH):
        self.watcher, self.refresh = watcher, refresh
        try:
            super().__init__((HOST, port), Page)
        except OSError as problem:
            text = f"Cannot listen on port {port} ({problem.strerror}). Choose another --port."
            raise OSError(text) from None

    @property
    def address(self) -> str:
        """Address of the page."""
        return f"http://{HOST}:{self.server_port}/"

    def accepts(self, host: str | None) -> bool:
        """Return whether the header ``Host`` of a request names this server.

        A web page can point its own domain to this machine (DNS rebinding) and so read the served
        data. The header of its requests contains that domain.
        """
        name, _, port = (host or "").rpartition(":")
        return name in (HOST, "localhost") and port == str(self.server_port)


class Page(BaseHTTPRequestHandler):
    """Request handler for the page (``/``) and its data (``/inspection.json``)."""

    server: Server

    def do_GET(self) -> None:
        """Respond to a request."""
        if not self.server.accepts(self.headers.get("Host")):
            return self._send(
                HTTPStatus.FORBIDDEN, "text/plain", "Only this machine may read the page."
            )
        found = self.server.watcher.now()
        if self.path == "/":
            from driftlearn.bench.report._inspection import inspection_page

            title = str(self.server.watcher.folder)
            html = inspection_page(found, title=title, refresh=self.server.refresh)
            return self._send(HTTPStatus.OK, "text/html", html)
        if self.path == "/inspection.json":
            return self._send(HTTPStatus.OK, "application/json", json.dumps(found.to_dict()))
        return self._send(HTTPStatus.NOT_FOUND, "text/plain", "Not found. The page is at /.")

    def _send(self, status: HTTPStatus, kind: str, text: str) -> None:
        content = text.encode("utf-8", "backslashreplace")
        self.send_response(status)
        self.send_header("Content-Type", f"{kind}; charset=utf-8")
        self.send_header("Content-Length", str(len(content)))
        self.send_header("Cache-Control", "no-store")
        self.send_header("X-Content-Type-Options", "nosniff")
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *args: Any) -> None:
        """Do not log requests."""
