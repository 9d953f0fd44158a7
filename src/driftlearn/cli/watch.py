"""The command ``driftlearn watch``."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import partial
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from select import select
from time import localtime, sleep, strftime
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, urlsplit

import click

from driftlearn.cli import options as opt
from driftlearn.cli.command import Command, echo

if TYPE_CHECKING:
    from driftlearn.inspection.inspection import Inspection
    from driftlearn.ops.serving.live_page import LivePage, ModelWatcher


HOST = "127.0.0.1"


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
    from driftlearn.cli.alerts import status_of
    from driftlearn.ops.alerts.alarm import Alarm, AlarmClock, saved_status
    from driftlearn.ops.checkpoint.saved_model import is_keyed
    from driftlearn.ops.serving.live_page import ModelWatcher

    watcher = ModelWatcher(model, allow)
    watcher.inspection()  # report errors before anything is displayed
    alarm = Alarm(model, partial(echo, err=True))
    status = partial(status_of, model, allow) if is_keyed(model) else saved_status(model, allow)
    try:
        with AlarmClock(alarm, status):
            if web:
                with Server(watcher, port, every) as server:
                    echo(f"{server.address} (press Ctrl-C to stop)", err=True)
                    server.serve_forever()
            else:
                _show(watcher, every)
    except KeyboardInterrupt:
        echo("", err=True)


def _show(watcher: ModelWatcher, every: float) -> None:
    """Show the model on a terminal; without a terminal, print a line whenever it changes."""
    from driftlearn.bench.report._terminal import console, live_view

    screen = console()
    if not screen.is_terminal:
        _repeat(watcher, every, lambda found: echo(" ".join(found.sentences[1:])))
        return
    from rich.live import Live

    def show(found: Inspection) -> None:
        when = strftime("%Y-%m-%d %H:%M:%S", localtime(watcher.updated_at))
        note = f"{watcher.folder}; model of {when}; press Ctrl-C to stop"
        live.update(live_view(found, note, screen.width), refresh=True)

    with Live(console=screen, screen=True, auto_refresh=False) as live:
        _repeat(watcher, every, show)


def _repeat(watcher: ModelWatcher, every: float, show: Callable[[Inspection], None]) -> None:
    shown = None
    while True:
        found = watcher.inspection()
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
    every : float
        Minimum seconds between two updates.
    """

    daemon_threads = True

    def __init__(self, watcher: ModelWatcher, port: int, every: float = 1.0):
        from driftlearn.ops.serving.live_page import LivePage

        self.watcher, self.live_page = watcher, LivePage(watcher, every)
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
    """Request handler for the page (``/``), its updates, and its data (``/inspection.json``)."""

    server: Server

    def do_GET(self) -> None:
        """Respond to a request."""
        if not self.server.accepts(self.headers.get("Host")):
            return self._send(
                HTTPStatus.FORBIDDEN, "text/plain", "Only this machine may read the page."
            )
        url, page = urlsplit(self.path), self.server.live_page
        query = dict(parse_qsl(url.query))
        page.refresh()
        if url.path == "/":
            return self._send(HTTPStatus.OK, "text/html", page.document())
        if url.path == "/events":
            return self._send_events(page)
        answers: dict[str, Callable[[], Mapping[str, Any]]] = {
            "/live": lambda: page.content(query.get("since", "")),
            "/keys": lambda: page.keys(query),
            "/inspection.json": self.server.watcher.inspection().to_dict,
        }
        if url.path in answers:
            text = json.dumps(answers[url.path]())
            return self._send(HTTPStatus.OK, "application/json", text)
        return self._send(HTTPStatus.NOT_FOUND, "text/plain", "Not found. The page is at /.")

    def _send_events(self, page: LivePage) -> None:
        """Send the version of the page whenever it changes, until the client has gone."""
        from driftlearn.ops.serving.live_page import EVERY, Events

        with page.reader() as is_admitted:
            if not is_admitted:
                text = "Too many pages are open."
                return self._send(HTTPStatus.SERVICE_UNAVAILABLE, "text/plain", text)
            self._send_head(HTTPStatus.OK, "text/event-stream")
            events = Events()
            with suppress(OSError):
                while not events.is_over:
                    page.refresh()
                    self.wfile.write(events.next(page.version))
                    if select([self.connection], [], [], EVERY)[0]:
                        break  # the client sends nothing, so this is the end of the connection

    def _send(self, status: HTTPStatus, kind: str, text: str) -> None:
        content = text.encode("utf-8", "backslashreplace")
        self._send_head(status, kind, len(content))
        with suppress(OSError):  # the client has gone
            self.wfile.write(content)

    def _send_head(self, status: HTTPStatus, kind: str, length: int | None = None) -> None:
        self.send_response(status)
        self.send_header("Content-Type", f"{kind}; charset=utf-8")
        if length is not None:
            self.send_header("Content-Length", str(length))
        self.send_header("Cache-Control", "no-store")
        self.send_header("X-Content-Type-Options", "nosniff")
        self.end_headers()

    def log_message(self, format: str, *args: Any) -> None:
        """Do not log requests."""
