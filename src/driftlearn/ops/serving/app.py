"""The service: routes, who may use them, and what is said of mistakes."""

from __future__ import annotations

import asyncio
import math
import time
import traceback
from collections.abc import Awaitable, Callable
from typing import Any

from driftlearn.ops.checkpoint.folder import log_event
from driftlearn.ops.checkpoint.saved_model import LOG
from driftlearn.ops.serving.limits import Limits, Rate, check_host, check_token
from driftlearn.ops.serving.metrics import Metrics
from driftlearn.ops.serving.page import page
from driftlearn.ops.serving.request_error import RequestError
from driftlearn.ops.serving.request_rows import Rows, checked_key, parse_rows
from driftlearn.ops.serving.writer import Writer
from driftlearn.utils.optional import needed
from driftlearn.utils.safe_text import printable
from driftlearn.utils.version import __version__

SAFE = {"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff"}
UNREAD = (401, 403, 408, 413, 415, 429)  # statuses of requests whose body nobody reads to its end
ROUTES = {
    "/": "GET",
    "/health": "GET",
    "/metrics": "GET",
    "/predict": "POST",
    "/learn": "POST",
}


class Service:
    """The routes of a service.

    Parameters
    ----------
    writer : Writer
        The writer, which has the model.
    limits : Limits
        What requests may be.
    token : bytes, optional
        What clients must know.
    """

    def __init__(self, writer: Writer, limits: Limits, token: bytes | None = None):
        self.writer, self.limits, self._token = writer, limits, token
        self.metrics = Metrics(writer)
        self._rate = Rate(limits.rate)
        self._responses = needed("starlette.responses", "driftlearn serve")
        self._gone = needed("starlette.requests", "driftlearn serve").ClientDisconnect
        self._threads = needed("starlette.concurrency", "driftlearn serve").run_in_threadpool

    def app(self) -> Any:
        """Return the application."""
        routing = needed("starlette.routing", "driftlearn serve")
        handlers: dict[str, Callable[[Any], Awaitable[Any]]] = {
            "/": self._page,
            "/health": self._health,
            "/metrics": self._metrics,
            "/predict": self._predict,
            "/learn": self._learn,
        }
        routes = [
            routing.Route(path, self._guarded(path, handlers[path]), methods=[method])
            for path, method in ROUTES.items()
        ]
        make = needed("starlette.applications", "driftlearn serve").Starlette
        return make(routes=routes, exception_handlers={404: self._nowhere, 405: self._nowhere})

    def _guarded(self, path: str, handler: Callable[[Any], Awaitable[Any]]) -> Any:
        """Return a handler before which limits and token are looked at; mistakes are sentences."""

        async def guarded(request: Any) -> Any:
            begun = time.perf_counter()
            try:
                self._check(path, request)
                response = await handler(request)
            except RequestError as refused:
                response = self._refusal(refused)
            except Exception as problem:  # a mistake of ours
                why = "".join(traceback.format_exception(problem))
                log_event(self.writer.folder, "error", route=path, why=why)
                said = f"an error that should not happen, {type(problem).__name__}: see {LOG}"
                response = self._refusal(RequestError(500, said))
            self.metrics.answered(path, response.status_code, time.perf_counter() - begun)
            return response

        return guarded

    def _check(self, path: str, request: Any) -> None:
        client = request.client.host if request.client else ""
        wait = self._rate.wait(client)
        if wait:
            raise RequestError(429, f"more than {self.limits.rate:g} requests a second", after=wait)
        if self._token is None:
            check_host(request.headers.get("host"))
        elif path != "/health":
            check_token(self._token, request.headers.get("authorization"))

    async def _predict(self, request: Any) -> Any:
        body = await self._body(request)
        found, reader = await self._worked_out(self._predicted, body)
        self.metrics.count("predicted", len(found))
        return self._answer({"predictions": found, "model_rows": reader.n_rows})

    def _predicted(self, body: bytes) -> tuple[list[dict[str, Any]], Any]:
        reader = self.writer.reader
        return reader.predict(parse_rows(body, self.limits.rows)), reader

    async def _learn(self, request: Any) -> Any:
        body = await self._body(request)
        rows = await self._worked_out(self._checked, body)
        key = checked_key(request.headers.get("idempotency-key")) or rows.id or ""
        if rows.id not in (None, key):
            raise RequestError(
                400, "the header 'Idempotency-Key' and the field 'id' differ: send one"
            )
        waiting = self.writer.submit(rows, key, body)
        answer = asyncio.wrap_future(waiting)
        done, _ = await asyncio.wait([answer], timeout=self.limits.timeout)
        if not done and waiting.cancel():
            raise RequestError(503, "the request had no turn in time: nothing was learned", after=5)
        found = await answer
        self.metrics.count("learned", found.get("learned", 0))
        return self._answer(found)

    def _checked(self, body: bytes) -> Rows:
        rows = parse_rows(body, self.limits.rows)
        self.writer.reader.check(rows)
        return rows

    async def _worked_out(self, work: Callable[[bytes], Any], body: bytes) -> Any:
        """Run what takes a body, in a thread if that may take long."""
        at_once = len(body) <= self.writer.reader.at_once
        return work(body) if at_once else await self._threads(work, body)

    async def _health(self, request: Any) -> Any:
        reader, alive = self.writer.reader, self.writer.is_alive
        ready = alive and reader.is_ready
        facts = {
            "alive": alive,
            "ready": ready,
            "rows": reader.n_rows,
            "version": __version__,
            "trouble": self.writer.trouble or None,
        }
        return self._answer(facts, 200 if ready else 503)

    async def _metrics(self, request: Any) -> Any:
        text = await self._threads(self.metrics.text)
        return self._responses.Response(text, headers={"Content-Type": self.metrics.content_type})

    async def _page(self, request: Any) -> Any:
        html = await self._threads(page, self.writer)
        return self._responses.HTMLResponse(html, headers=SAFE)

    async def _body(self, request: Any) -> bytes:
        """Return the body of a request, if it comes in time and is not too long."""
        kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
        if kind != "application/json":  # nor can the page of a stranger send that to this machine
            raise RequestError(
                415, "rows are sent with the header 'Content-Type: application/json'"
            )
        if int(request.headers.get("content-length", 0)) > self.limits.body:
            raise self._too_long()
        try:
            return await asyncio.wait_for(self._read(request), self.limits.timeout)
        except asyncio.TimeoutError:
            raise RequestError(408, f"the body did not come in {self.limits.timeout:g} s") from None

    async def _read(self, request: Any) -> bytes:
        parts, size = [], 0
        try:
            async for part in request.stream():
                parts.append(part)
                size += len(part)
                if size > self.limits.body:
                    raise self._too_long()
        except self._gone:
            raise RequestError(400, "the connection ended before the body did") from None
        return b"".join(parts)

    def _too_long(self) -> RequestError:
        return RequestError(413, f"the body has more than {self.limits.body:,} bytes: send several")

    async def _nowhere(self, request: Any, problem: Any) -> Any:
        path = request.url.path
        if path in ROUTES:
            said = f"{path} is asked by {ROUTES[path]}"
        else:
            said = f"there is no {path}: there are {', '.join(ROUTES)}"
        self.metrics.answered("other", problem.status_code, 0.0)
        response = self._refusal(RequestError(problem.status_code, said))
        response.headers.update(problem.headers or {})
        return response

    def _refusal(self, refused: RequestError) -> Any:
        headers = {}
        if refused.after is not None:
            headers["Retry-After"] = str(math.ceil(refused.after))
        if refused.status == 401:
            headers["WWW-Authenticate"] = "Bearer"
        if refused.status in UNREAD:
            headers["Connection"] = "close"
        return self._answer({"error": printable(refused.sentence)}, refused.status, headers)

    def _answer(
        self, found: dict[str, Any], status: int = 200, headers: dict[str, str] | None = None
    ) -> Any:
        return self._responses.JSONResponse(found, status, {**SAFE, **(headers or {})})
