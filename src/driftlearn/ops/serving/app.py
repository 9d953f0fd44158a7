"""Routes, access checks, error responses, metrics and web page of the service."""

import asyncio
import math
import os
import time
import traceback
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, suppress
from functools import partial
from typing import Any

import prometheus_client
from prometheus_client.core import GaugeMetricFamily
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect, Request
from starlette.responses import HTMLResponse, JSONResponse, Response, StreamingResponse
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from driftlearn.bench.report._live import Tile
from driftlearn.inspection.inspection import Inspection
from driftlearn.ops.alerts.alarm import Alarm
from driftlearn.ops.checkpoint.saved_model import LOG, MODEL, STORE, is_keyed, log_event
from driftlearn.ops.serving.limits import Limits, Rate, check_host, token_in
from driftlearn.ops.serving.live_page import EVERY, Events, LivePage, ModelWatcher, Watched
from driftlearn.ops.serving.request_rows import RequestError, Rows, checked_key, parse_rows
from driftlearn.ops.serving.served_model import Reader
from driftlearn.ops.serving.writer import ENDING, Writer
from driftlearn.preprocessing._knowledge import SchemaChange
from driftlearn.preprocessing._table_check import sentence
from driftlearn.utils.safe_text import printable
from driftlearn.utils.version import __version__

RECENT = 1_000  # requests whose latency the page shows
SECONDS = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0)
SHOWN = 300  # maximum characters of an error message in an alert
ROUTES = {
    "POST /predict": "predict rows",
    "POST /learn": "predict rows with labels, then learn them",
    "GET /health": "status of the service",
    "GET /metrics": "metrics for Prometheus",
    "GET /live": "content of the page, if it differs from the version ?since=",
    "GET /events": "versions of the page as server-sent events",
    "GET /keys": "keys with their accuracy, for the page; ?search=, ?order=, ?begin=",
}
HEADERS = {"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff"}
json_response = partial(JSONResponse, headers=HEADERS)
# These errors leave part of the body unread, so the connection cannot be reused.
UNREAD = (401, 403, 408, 413, 415, 429)
LINGER = 5.0  # seconds for which the rest of the body of a rejected request is discarded
# Requests parsed or predicted at a time in threads; more would not be faster, but would delay
# the end of the service, which waits for running threads.
WORKERS = max(4, os.cpu_count() or 1)
#: HTTP method of each route; `Service` responds to /predict with `_predict`, to / with `_page`.
METHODS = {"/": "GET", **{path: method for method, path in map(str.split, ROUTES)}}


class Service:
    """The HTTP application.

    Parameters
    ----------
    writer : Writer
        The writer thread, which owns the model.
    limits : Limits
        Request limits.
    tokens : sequence of bytes
        Tokens of which clients must send one; none is required if it is empty.
    alarm : Alarm, optional
        Receives the schema changes of requests.

    Attributes
    ----------
    is_ending : bool
        Whether requests that wait for a thread are rejected, because the service ends.
    """

    def __init__(
        self,
        writer: Writer,
        limits: Limits,
        tokens: Sequence[bytes] = (),
        alarm: Alarm | None = None,
    ):
        self.writer, self.limits, self._tokens, self._alarm = writer, limits, tokens, alarm
        self.metrics = Metrics(writer)
        self._rate = Rate(limits.rate)
        self.live_page = LivePage(ServiceWatcher(writer, self.metrics))
        self.is_ending = False
        self._rendering = asyncio.Lock()
        self._workers = asyncio.Semaphore(WORKERS)

    def app(self) -> Starlette:
        """Return the Starlette application."""
        routes = [
            Route(path, self._endpoint(path), methods=[method]) for path, method in METHODS.items()
        ]
        handlers = dict.fromkeys((404, 405), self._no_route)
        app = Starlette(routes=routes, exception_handlers=handlers)
        app.router.redirect_slashes = False  # redirects would pass by the checks
        return app

    def _endpoint(self, path: str) -> Callable[[Request], Awaitable[Response]]:
        """Return the handler of a route, which checks limits and token and handles errors."""
        handler = getattr(self, f"_{path[1:] or 'page'}")

        async def endpoint(request: Request) -> Response:
            begun = time.perf_counter()
            try:
                self._check(path, request)
                response: Response = await handler(request)
            except RequestError as error:
                response = self._error(error)
                if error.status == 422 and self._alarm is not None:
                    self._alarm.rejected(printable(error.message)[:SHOWN])
            except asyncio.CancelledError:  # the service ends
                text = "The service is shutting down. Send the request again, to /learn with the "
                response = self._error(RequestError(503, f"{text}same idempotency key.", 5))
            except Exception as problem:  # a bug; its details must not be sent to the client
                log_event(self.writer.folder, "error", route=path, why=traceback.format_exc())
                text = f"Internal error ({type(problem).__name__}). See {LOG} in the state folder."
                response = self._error(RequestError(500, text))
            self.metrics.count_request(path, response.status_code, time.perf_counter() - begun)
            return response

        return endpoint

    def _check(self, path: str, request: Request) -> None:
        # A client with a token must not be locked out by others at the same address.
        token = token_in(request.headers.get("authorization"), self._tokens)
        address = request.client.host if request.client else ""
        wait = self._rate.wait(address if token is None else token)
        if wait:
            raise RequestError(429, f"More than {self.limits.rate:g} requests per second.", wait)
        if not self._tokens:
            check_host(request.headers.get("host"))
        elif token is None and path != "/health":
            raise RequestError(401, "The header 'Authorization: Bearer TOKEN' is missing or wrong.")

    async def _predict(self, request: Request) -> Response:
        content = await self._body(request)
        reader = self.writer.reader

        def predictions(body: bytes) -> tuple[list[dict[str, Any]], list[SchemaChange]]:
            rows = parse_rows(body, self.limits.rows)
            if not reader.is_ready:
                raise RequestError(503, "The model is not trained. Send rows to /learn.", 1)
            return reader.predict(rows), reader.changes(rows)

        found, changes = await self._run(predictions, content, request)
        self.metrics.count_rows("predicted", len(found))
        warnings = self._warnings(changes)
        return json_response({"predictions": found, "model_rows": reader.n_rows, **warnings})

    async def _learn(self, request: Request) -> Response:
        body = await self._body(request)
        rows, changes = await self._run(self._checked, body, request)
        key = checked_key(request.headers.get("idempotency-key")) or rows.id or ""
        if rows.id not in (None, key):
            raise RequestError(400, "'Idempotency-Key' and 'id' differ. Send only one of them.")
        waiting = self.writer.submit(rows, key, body)
        answer = asyncio.wrap_future(waiting)
        try:
            done, _ = await asyncio.wait([answer], timeout=self.limits.timeout)
            if not done and waiting.cancel():
                text = "The request waited too long and was not learned. Send it again."
                raise RequestError(503, text, retry_after=5)
            found = await answer
        finally:
            waiting.cancel()  # if the service ends while the request waits
        self.metrics.count_rows("learned", found.get("learned", 0))
        return json_response({**found, **self._warnings(changes)})

    def _checked(self, body: bytes) -> tuple[Rows, list[SchemaChange]]:
        rows, reader = parse_rows(body, self.limits.rows), self.writer.reader
        reader.check(rows)
        return rows, reader.changes(rows)

    def _warnings(self, changes: list[SchemaChange]) -> dict[str, Any]:
        """Count schema changes; return the field of a response that contains them."""
        self.metrics.count_changes(changes)
        if self._alarm is not None:
            self._alarm.met(changes)
        return {"warnings": [*map(sentence, changes)]} if changes else {}

    async def _run(self, work: Callable[[bytes], Any], body: bytes, request: Request) -> Any:
        """Call a function of the body, in another thread if it may take long."""
        if len(body) <= self.writer.reader.at_once:
            return work(body)
        async with self._workers:
            if self.is_ending:
                raise RequestError(503, ENDING, retry_after=5)
            if await request.is_disconnected():
                raise RequestError(400, "The connection was closed before the response.")
            return await run_in_threadpool(work, body)

    async def _health(self, request: Request) -> Response:
        reader, alive = self.writer.reader, self.writer.is_alive
        ready, trouble = alive and reader.is_ready, self.writer.trouble or reader.trouble or None
        facts = {"alive": alive, "ready": ready, "rows": reader.n_rows, "version": __version__}
        return json_response({**facts, "trouble": trouble}, 200 if ready else 503)

    async def _metrics(self, request: Request) -> Response:
        text = await run_in_threadpool(self.metrics.text)
        return Response(text, headers={"Content-Type": prometheus_client.CONTENT_TYPE_LATEST})

    async def _page(self, request: Request) -> Response:
        await self._refresh()
        return HTMLResponse(await run_in_threadpool(self.live_page.document), headers=HEADERS)

    async def _live(self, request: Request) -> Response:
        await self._refresh()
        return json_response(self.live_page.content(request.query_params.get("since", "")))

    async def _keys(self, request: Request) -> Response:
        async with self._workers:
            query = dict(request.query_params)
            return json_response(await run_in_threadpool(self.live_page.keys, query))

    async def _events(self, request: Request) -> Response:
        with ExitStack() as stack:
            if not stack.enter_context(self.live_page.reader()):
                raise RequestError(503, "Too many pages receive events.", retry_after=60)
            return EventResponse(self._versions(), stack.pop_all())

    async def _versions(self) -> AsyncIterator[bytes]:
        """Yield events with the version of the page; no thread waits between them."""
        events = Events()
        while not (events.is_over or self.is_ending):
            await self._refresh()
            if event := events.next(self.live_page.version):
                yield event
            await asyncio.sleep(EVERY)

    async def _refresh(self) -> None:
        """Render the page again if this is due, in one thread for all clients."""
        async with self._rendering:
            if self.live_page.is_due:
                await run_in_threadpool(self.live_page.refresh)

    async def _body(self, request: Request) -> bytes:
        """Return the body of a request; raise `RequestError` if it is too long or too slow."""
        kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
        # Before sending this type to another site, browsers send a preflight request, which is
        # denied.
        if kind != "application/json":
            text = (
                f"The body has the type {kind or 'unknown'!r}. Send rows as JSON, with the header "
            )
            raise RequestError(415, f"{text}'Content-Type: application/json'.")
        if int(request.headers.get("content-length", 0)) > self.limits.body:
            raise self._too_long()
        try:
            return await asyncio.wait_for(self._read(request), self.limits.timeout)
        except asyncio.TimeoutError:
            seconds = self.limits.timeout
            raise RequestError(408, f"The body did not arrive within {seconds:g} s.") from None

    async def _read(self, request: Request) -> bytes:
        body = bytearray()
        try:
            async for part in request.stream():
                body += part
                if len(body) > self.limits.body:
                    raise self._too_long()
        except ClientDisconnect:
            raise RequestError(400, "The connection was closed before the body ended.") from None
        return bytes(body)

    def _too_long(self) -> RequestError:
        return RequestError(413, f"The body exceeds {self.limits.body:,} bytes. Send fewer rows.")

    async def _no_route(self, request: Request, problem: Any) -> Response:
        path = request.url.path
        text = f"There is no route {path}. The routes are {', '.join(METHODS)}."
        if path in METHODS:
            text = f"{path} expects the method {METHODS[path]}."
        error = RequestError(problem.status_code, text)
        try:
            self._check(path, request)
        except RequestError as rejected:
            error = rejected
        self.metrics.count_request("other", error.status, 0.0)
        response = self._error(error)
        if error.status == problem.status_code:
            response.headers.update(problem.headers or {})
        return response

    def _error(self, error: RequestError) -> Response:
        kind = LastResponse if error.status in UNREAD else JSONResponse
        response = kind({"error": printable(error.message)}, error.status, HEADERS)
        if error.retry_after is not None:
            response.headers["Retry-After"] = str(math.ceil(error.retry_after))
        if error.status == 401:
            response.headers["WWW-Authenticate"] = "Bearer"
        return response


class EventResponse(StreamingResponse):
    """Response with server-sent events, which ends when the client has gone.

    Parameters
    ----------
    events : async iterator of bytes
        The events.
    reader : ExitStack
        Closed at the end of the response.
    """

    def __init__(self, events: AsyncIterator[bytes], reader: ExitStack):
        super().__init__(events, media_type="text/event-stream", headers=HEADERS)
        self._reader = reader

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send events until the end."""
        with self._reader:
            await super().__call__(scope, receive, send)


class LastResponse(JSONResponse):
    """Response after which the connection is closed, although the client may still send.

    If bytes were unread then, the system would reset the connection, and the client would never
    see the response.
    """

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the response, discard the rest of the body, and end."""
        self.headers["Connection"] = "close"
        start = {"status": self.status_code, "headers": self.raw_headers}
        await send({"type": "http.response.start", **start})
        await send({"type": "http.response.body", "body": self.body, "more_body": True})
        with suppress(asyncio.TimeoutError):
            await asyncio.wait_for(_discard(receive), LINGER)
        await send({"type": "http.response.body", "body": b"", "more_body": False})


async def _discard(receive: Receive) -> None:
    """Receive the rest of a body, until it ends or the client closes the connection."""
    while (await receive()).get("more_body"):
        pass


class Metrics:
    """Request counters, and gauges computed on demand.

    Parameters
    ----------
    writer : Writer
        The writer.
    """

    def __init__(self, writer: Writer):
        self._writer = writer
        # These would add a series of timestamps for each counter.
        prometheus_client.disable_created_metrics()
        self._registry = registry = prometheus_client.CollectorRegistry(auto_describe=False)
        counter = partial(prometheus_client.Counter, registry=registry)
        about = "Requests by route and status."
        self._requests = counter("driftlearn_requests", about, ["route", "status"])
        self._rows = counter("driftlearn_rows", "Rows since the process started.", ["operation"])
        about = "Rows with a schema change, by problem."
        self._changes = counter("driftlearn_schema_changes", about, ["problem"])
        self._seconds = prometheus_client.Histogram(
            "driftlearn_request_seconds", "Duration of requests in seconds.", ["route"],
            buckets=SECONDS, registry=registry,
        )  # fmt: skip
        for operation in ("predicted", "learned"):
            self._rows.labels(operation)
        self._recent: dict[str, deque[float]] = {
            route: deque(maxlen=RECENT) for route in ("/predict", "/learn")
        }
        registry.register(self)

    def count_request(self, route: str, status: int, seconds: float) -> None:
        """Count a request."""
        self._requests.labels(route, str(status)).inc()
        self._seconds.labels(route).observe(seconds)
        if route in self._recent:
            self._recent[route].append(seconds)

    def latencies(self) -> dict[str, tuple[float, float]]:
        """Return the median and the 99 % quantile of recent durations by route, in seconds."""
        found = {}
        for route, recent in self._recent.items():
            if seconds := sorted(recent):
                found[route] = seconds[len(seconds) // 2], seconds[len(seconds) * 99 // 100]
        return found

    def count_rows(self, operation: str, rows: int) -> None:
        """Count predicted rows or training rows."""
        self._rows.labels(operation).inc(rows)

    def count_changes(self, changes: Sequence[SchemaChange]) -> None:
        """Count the rows with schema changes."""
        for each in changes:
            self._changes.labels(each.problem).inc(each.count)

    def text(self) -> bytes:
        """Return all metrics in Prometheus text format."""
        return prometheus_client.generate_latest(self._registry)

    def collect(self) -> Iterator[Any]:
        """Yield the gauges; called by the Prometheus client."""
        for name, about, labels, found in self._gauges():
            family = GaugeMetricFamily(f"driftlearn_{name}", about, labels=labels)
            for key, value in found.items() if isinstance(found, dict) else [((), found)]:
                family.add_metric([key] if isinstance(key, str) else key, value)
            yield family

    def _gauges(self) -> list[tuple[str, str, Sequence[str], Any]]:
        """Return name, help, labels and value of each gauge; the value may be a dict by labels."""
        writer, reader, now = self._writer, self._writer.reader, time.monotonic()
        facts, since = reader.facts(), writer.behind_since
        paths = [writer.folder / name for name in (MODEL, STORE)]
        size = sum(path.stat().st_size for path in paths if path.exists())
        build, is_ready = {(__version__, facts.learner): 1}, reader.is_ready and writer.is_alive
        behind = 0.0 if since is None else now - since
        return [
            ("build", "Always 1.", ("version", "learner"), build),
            ("ready", "1 if the service predicts and learns.", (), int(is_ready)),
            ("model_rows", "Rows that the model has learned.", (), reader.n_rows),
            ("keys", "Keys that have a model.", (), {} if facts.keys is None else facts.keys),
            ("rows_waiting", "Rows that wait for their chunk to be complete.", (), facts.waiting),
            ("requests_waiting", "Requests that wait to be learned.", (), writer.n_waiting),
            ("accuracy", "Prequential accuracy of the model and of baselines on all or about 1000 "
             "recent rows.", ("source", "window"), facts.accuracy),
            ("drifts", "Changes of the error rate by direction.", ("direction",), facts.drifts),
            ("events", "Events by kind.", ("kind",), facts.events),
            ("model_bytes", "Bytes of the saved model, or of the store of models for keys.", (),
             size),
            ("log_bytes", "Bytes of the write-ahead log.", (), writer.log.size),
            ("saved_age_seconds", "Seconds since the model was saved.", (), now - writer.saved_at),
            ("snapshot_age_seconds", "Seconds since rows were learned that /predict does not use "
             "yet.", (), behind),
            ("save_failed", "1 if the last attempt to save the model failed.", (),
             int(bool(writer.trouble))),
        ]  # fmt: skip


class ServiceWatcher(Watched):
    """Model of a service as its live page shows it.

    Keyed models are inspected as they were last saved.

    Parameters
    ----------
    writer : Writer
        The writer.
    metrics : Metrics
        The metrics of the service.
    """

    def __init__(self, writer: Writer, metrics: Metrics):
        self.folder, self.updated_at = writer.folder, time.time()
        self._writer, self._metrics = writer, metrics
        self._reader: Reader | None = None
        self._found: Inspection | None = None
        self._stored = ModelWatcher(writer.folder) if is_keyed(writer.folder) else None

    def inspection(self) -> Inspection | None:
        """See `Watched`."""
        reader = self._writer.reader
        if self._stored is not None:
            found = self._stored.inspection()
            self.updated_at = self._stored.updated_at
            return found
        if reader is not self._reader:
            self._found, self.updated_at = reader.inspection(), time.time()
            self._reader = reader
        return self._found

    def tiles(self) -> list[Tile]:
        """See `Watched`."""
        found, waiting = [], self._writer.n_waiting
        if latencies := self._metrics.latencies():
            lines = [f"{route}: 99% below {_milliseconds(slow)}, half below {_milliseconds(median)}"
                     for route, (median, slow) in latencies.items()]  # fmt: skip
            median, _ = next(iter(latencies.values()))
            found.append(Tile("Latency", _milliseconds(median), lines))
        return [*found, Tile("Requests waiting", f"{waiting:,}", ["to be learned"])]

    def trouble(self) -> str:
        """See `Watched`."""
        return self._writer.trouble or self._writer.reader.trouble

    def facts(self) -> Mapping[str, str]:
        """See `Watched`."""
        facts = self._writer.reader.facts()
        labels = ", ".join(facts.labels[:50])
        return {"learner": facts.learner, "labels": labels, "version": __version__, **ROUTES}


def _milliseconds(seconds: float) -> str:
    return f"{1e3 * seconds:,.1f} ms"
