"""Server process: socket, connection limits and signals."""

import asyncio
import json
import signal
import socket
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager, nullcontext
from pathlib import Path
from typing import Any

from driftlearn.ops.alerts.alarm import Alarm, AlarmClock
from driftlearn.ops.checkpoint.saved_model import STORE, is_keyed, locked_folder, log_event
from driftlearn.ops.checkpoint.versions import finish_promotion
from driftlearn.ops.keyed.key_cache import MEMORY
from driftlearn.ops.keyed.key_store import KeyStore
from driftlearn.ops.serving.challenged_model import open_model
from driftlearn.ops.serving.keyed_model import KeyedModel, SavedStates, check_keyed
from driftlearn.ops.serving.limits import Limits, tokens_for
from driftlearn.ops.serving.served_model import ServedModel
from driftlearn.ops.serving.single_model import SingleModel
from driftlearn.ops.serving.writer import SAVE_SECONDS, Writer
from driftlearn.utils.atomic_files import sweep
from driftlearn.utils.optional import needed

SWITCH = 0.001  # thread switch interval in seconds: limits how long /predict waits for /learn
BACKLOG = 128  # connections queued by the operating system
KEEP_ALIVE = 5  # seconds until an idle connection is closed
LEAST_READ = 64 << 10  # bytes of a long response that a client must read within the timeout


def serve(
    folder: Path,
    host: str,
    port: int,
    limits: Limits,
    note: Callable[[str], None],
    save_seconds: float = SAVE_SECONDS,
    memory: int = MEMORY,
    policy: str | None = None,
) -> None:
    """Serve a saved model, or keyed models, until Ctrl-C or SIGTERM.

    On exit, accepted requests are completed and the model is saved.

    Parameters
    ----------
    folder : Path
        The state folder.
    host, port : str, int
        Address to listen on; port 0 selects a free port.
    limits : Limits
        Request limits.
    note : callable
        Displays a message.
    save_seconds : float
        Minimum seconds between two saves.
    memory : int
        Memory limit for keyed models, in bytes.
    policy : {"stop", "warn", "note"}, optional
        What to do about a request that differs from earlier rows; by default as the state folder
        has it.
    """
    for package in ("uvicorn", "starlette", "prometheus_client"):
        needed(package, "driftlearn serve")
    from driftlearn.ops.serving.app import Service

    tokens = tokens_for(host)
    if is_keyed(folder):  # without a model to serve, raise before the folder is locked
        check_keyed(folder)
    else:
        SingleModel(folder)
    with (
        locked_folder(folder),
        _socket(host, port) as listening,
        _opener(folder, memory, policy) as opened,
    ):
        sweep(folder)
        finish_promotion(folder)
        writer = Writer(folder, opened, save_seconds=save_seconds)
        if writer.log.dropped:
            note("an incomplete request at the end of the log, never acknowledged, was dropped")
        if writer.replayed:
            note(f"{writer.replayed:,} requests from the log were learned again")
        before = sys.getswitchinterval()
        sys.setswitchinterval(SWITCH)
        writer.start()
        try:
            alarm = Alarm(folder, note)
            service = Service(writer, limits, tokens, alarm)
            server = _server(service.app(), limits)
            clock = AlarmClock(alarm, lambda: writer.reader.status())
            with _ended_by_signals(server, service), clock:
                address = listening.getsockname()
                name = f"[{address[0]}]" if ":" in address[0] else address[0]
                log_event(folder, "serve", address=f"{name}:{address[1]}", replayed=writer.replayed)
                note(f"http://{name}:{address[1]}/ serves {folder} (press Ctrl-C to stop)")
                server.run([listening])
        finally:
            writer.stop()
            sys.setswitchinterval(before)
            log_event(folder, "end", rows=writer.reader.n_rows)


@contextmanager
def _opener(folder: Path, memory: int, policy: str | None) -> Iterator[Callable[[], ServedModel]]:
    """Provide a function that opens the last saved model."""

    def with_policy(model: ServedModel) -> ServedModel:
        model.policy = policy
        return model

    if is_keyed(folder):
        path = folder / STORE
        with closing(KeyStore(path)) as store, closing(SavedStates(path)) as saved:
            yield lambda: with_policy(KeyedModel(store, saved, memory))
    else:
        yield lambda: with_policy(open_model(folder))


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
        text = f"Cannot listen on {host}, port {port} ({problem.strerror}). Choose another --port."
        raise OSError(text) from None
    return found


def _server(app: Any, limits: Limits) -> Any:
    """Return the uvicorn server."""
    uvicorn = needed("uvicorn", "driftlearn serve")
    config = uvicorn.Config(
        app, http=_protocol(limits), loop="asyncio", ws="none", lifespan="off",
        log_config=None, log_level="error", access_log=False, server_header=False,
        proxy_headers=bool(limits.trusted_proxies), forwarded_allow_ips=[*limits.trusted_proxies],
        backlog=BACKLOG, timeout_keep_alive=KEEP_ALIVE,
        timeout_graceful_shutdown=int(limits.timeout) + 1,
    )  # fmt: skip
    server = uvicorn.Server(config)
    server.capture_signals = nullcontext  # uvicorn would raise the signals again at the end
    return server


@contextmanager
def _ended_by_signals(server: Any, service: Any) -> Iterator[None]:
    """Stop the server on Ctrl-C and SIGTERM without an error."""

    def end(number: int, frame: object) -> None:
        server.should_exit = service.is_ending = True

    with ExitStack() as restored:
        for number in (signal.SIGINT, signal.SIGTERM):
            restored.callback(signal.signal, number, signal.signal(number, end))
        yield


def _protocol(limits: Limits) -> Any:
    """Return a connection class that closes slow connections and connections above the limit."""
    base = needed("uvicorn.protocols.http.h11_impl", "driftlearn serve").H11Protocol

    class Connection(base):  # type: ignore[misc, valid-type]
        """Connection whose client must send request headers and read responses in time."""

        deadline: asyncio.TimerHandle | None = None
        reading: asyncio.TimerHandle | None = None
        n_resumed = 0  # how often the client has read a long response

        def connection_made(self, transport: Any) -> None:
            """Accept the connection, or reject it when the limit is reached."""
            super().connection_made(transport)
            if len(self.connections) > limits.connections:
                self._reject(503, "Service Unavailable", "Too many connections.")
            else:
                self._start_timer()
            self._check_reading(0, None, 0)

        def resume_writing(self) -> None:
            """Note that the client has read a long response."""
            super().resume_writing()
            self.n_resumed += 1

        def data_received(self, data: bytes) -> None:
            """Receive bytes; stop the timer when the header of a request is complete."""
            before = self.cycle
            super().data_received(data)
            if self.cycle is not before:
                self._stop_timer()
            elif self.deadline is None and (before is None or before.response_complete):
                self._start_timer()

        def send_400_response(self, msg: str) -> None:
            """Reject bytes that are not HTTP."""
            self._reject(400, "Bad Request", "The request is not valid HTTP.")

        def connection_lost(self, exc: Exception | None) -> None:
            """Release the closed connection."""
            self._stop_timer()
            if self.reading is not None:
                self.reading.cancel()
            super().connection_lost(exc)

        def _start_timer(self) -> None:
            self.deadline = self.loop.call_later(limits.timeout, self._too_slow)

        def _stop_timer(self) -> None:
            if self.deadline is not None:
                self.deadline.cancel()
                self.deadline = None

        def _check_reading(self, unread: int, cycle: object, n_resumed: int) -> None:
            """Abort the connection if the client does not read; check again after the timeout.

            Without this, its connection would stay open for ever, and count for the limit.
            """
            left = self.transport.get_write_buffer_size()
            is_same = cycle is self.cycle and n_resumed == self.n_resumed
            if left and unread and is_same and left > unread - LEAST_READ:
                self.transport.abort()
                return
            state = left, self.cycle, self.n_resumed
            self.reading = self.loop.call_later(limits.timeout, self._check_reading, *state)

        def _too_slow(self) -> None:
            self._reject(408, "Request Timeout", "The request did not arrive in time.")

        def _reject(self, status: int, phrase: str, sentence: str) -> None:
            """Send an error response, and close the connection."""
            body = json.dumps({"error": sentence})
            head = (
                f"HTTP/1.1 {status} {phrase}\r\nContent-Type: application/json\r\n"
                f"Content-Length: {len(body)}\r\nConnection: close\r\n\r\n"
            )
            self.transport.write((head + body).encode("ascii"))
            self.transport.close()

    return Connection
