"""The process of a service: the socket, connections that are too many or too slow, and signals."""

from __future__ import annotations

import asyncio
import json
import signal
import socket
import sys
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, nullcontext
from pathlib import Path
from typing import Any

from driftlearn.ops.checkpoint.folder import held, log
from driftlearn.ops.keyed.key_cache import MEMORY
from driftlearn.ops.keyed.key_store import KeyStore
from driftlearn.ops.keyed.settings import STORE, is_keyed
from driftlearn.ops.serving.app import Service
from driftlearn.ops.serving.kept_model import KeptModel
from driftlearn.ops.serving.keyed_model import KeyedModel, check_keyed
from driftlearn.ops.serving.limits import Limits, token_for
from driftlearn.ops.serving.served_model import ServedModel
from driftlearn.ops.serving.shown_states import ShownStates
from driftlearn.ops.serving.writer import SAVE_SECONDS, Writer
from driftlearn.utils.atomic_files import sweep
from driftlearn.utils.optional import needed

SWITCH = 0.001  # seconds a thread may go on while others wait: a reader waits no longer
BACKLOG = 128  # connections that the system lets wait
KEEP_ALIVE = 5  # seconds in which a client may send its next request


def serve(
    folder: Path,
    host: str,
    port: int,
    limits: Limits,
    say: Callable[[str], None],
    save_seconds: float = SAVE_SECONDS,
    memory: int = MEMORY,
) -> None:
    """Serve a kept model, or a model for each key, until Ctrl-C or SIGTERM.

    Then what was taken on is finished and saved.

    Parameters
    ----------
    folder : Path
        The state folder.
    host, port : str, int
        Where to listen; port 0 is one that is free.
    limits : Limits
        What requests may be.
    say : callable
        Tells somebody who watches.
    save_seconds : float
        Seconds from one time the model is saved to the next.
    memory : int
        Bytes that models of keys in memory may take.
    """
    for package in ("uvicorn", "starlette", "prometheus_client"):
        needed(package, "driftlearn serve")
    token = token_for(host)
    _check(folder)
    with held(folder), _socket(host, port) as listening, _opener(folder, memory) as opened:
        sweep(folder)
        writer = Writer(folder, opened, save_seconds=save_seconds)
        if writer.log.dropped:
            say("the log ended in a request that was cut short, which nobody was told of: dropped")
        if writer.replayed:
            say(f"{writer.replayed:,} requests were learned again from the log")
        before = sys.getswitchinterval()
        sys.setswitchinterval(SWITCH)
        writer.start()
        try:
            server = _server(Service(writer, limits, token), limits)
            with _ended_by_signals(server):
                address = listening.getsockname()
                name = f"[{address[0]}]" if ":" in address[0] else address[0]
                log(folder, "serve", address=f"{name}:{address[1]}", replayed=writer.replayed)
                say(f"http://{name}:{address[1]}/ serves {folder} (Ctrl-C ends this)")
                server.run([listening])
        finally:
            writer.stop()
            sys.setswitchinterval(before)
            log(folder, "end", rows=writer.reader.n_rows)


def _check(folder: Path) -> None:
    """Raise if there is nothing to serve, before the folder is locked."""
    if is_keyed(folder):
        check_keyed(folder)
    else:
        KeptModel(folder)


@contextmanager
def _opener(folder: Path, memory: int) -> Iterator[Callable[[], ServedModel]]:
    """Give what opens the model as it was last saved, as often as it is needed."""
    if is_keyed(folder):
        path = folder / STORE
        with closing(KeyStore(path)) as store, closing(ShownStates(path)) as shown:
            yield lambda: KeyedModel(store, shown, memory)
    else:
        yield lambda: KeptModel(folder)


def _socket(host: str, port: int) -> socket.socket:
    try:
        family, kind, number, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        found = socket.socket(family, kind, number)
        if sys.platform != "win32":
            found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        found.bind(address)
        found.listen(BACKLOG)
    except OSError as problem:
        raise OSError(
            f"{host}, port {port} cannot be used ({problem.strerror}): --port takes another one"
        ) from None
    return found


def _server(service: Service, limits: Limits) -> Any:
    """Return what answers requests until it is told to end."""
    uvicorn = needed("uvicorn", "driftlearn serve")
    config = uvicorn.Config(
        service.app(),
        http=_protocol(limits),
        loop="asyncio",
        ws="none",
        lifespan="off",
        log_config=None,
        access_log=False,
        proxy_headers=False,
        server_header=False,
        backlog=BACKLOG,
        timeout_keep_alive=KEEP_ALIVE,
        timeout_graceful_shutdown=int(limits.timeout) + 1,
    )
    server = uvicorn.Server(config)
    server.capture_signals = nullcontext  # it would raise them again in the end
    return server


@contextmanager
def _ended_by_signals(server: Any) -> Iterator[None]:
    """Let Ctrl-C and SIGTERM end a server, and be no error afterwards."""

    def end(number: int, frame: object) -> None:
        server.should_exit = True

    before = {number: signal.signal(number, end) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _protocol(limits: Limits) -> Any:
    """Return the class of connections: those that are too many or too slow are closed."""
    base = needed("uvicorn.protocols.http.h11_impl", "driftlearn serve").H11Protocol

    class Connection(base):  # type: ignore[misc, valid-type]
        """A connection whose requests must begin and have their heads in time."""

        deadline: asyncio.TimerHandle | None = None

        def connection_made(self, transport: Any) -> None:
            """Take it, or say that there are too many."""
            super().connection_made(transport)
            if len(self.connections) > limits.connections:
                transport.write(_closing(503, "Service Unavailable", "too many connections"))
                transport.close()
                return
            self._expect()

        def data_received(self, data: bytes) -> None:
            """Take some bytes; the clock stops when the head of a request is whole."""
            before = self.cycle
            super().data_received(data)
            if self.cycle is not before:
                self._expected()
            elif self.deadline is None and (before is None or before.response_complete):
                self._expect()

        def connection_lost(self, exc: Exception | None) -> None:
            """Forget it."""
            self._expected()
            super().connection_lost(exc)

        def _expect(self) -> None:
            self.deadline = self.loop.call_later(limits.timeout, self._too_slow)

        def _expected(self) -> None:
            if self.deadline is not None:
                self.deadline.cancel()
                self.deadline = None

        def _too_slow(self) -> None:
            self.transport.write(
                _closing(408, "Request Timeout", "the request did not come in time")
            )
            self.transport.close()

    return Connection


def _closing(status: int, phrase: str, sentence: str) -> bytes:
    body = json.dumps({"error": sentence})
    return (
        f"HTTP/1.1 {status} {phrase}\r\nContent-Type: application/json\r\n"
        f"Content-Length: {len(body)}\r\nConnection: close\r\n\r\n{body}"
    ).encode("ascii")
