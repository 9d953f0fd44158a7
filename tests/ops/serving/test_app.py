"""Responses to internal errors and rejected requests; the application is called directly."""

import asyncio
import json
import threading
from concurrent.futures import Future
from types import SimpleNamespace

import pytest

from driftlearn.ops.serving.limits import Limits
from driftlearn.ops.serving.request_rows import RequestError

pytest.importorskip("starlette", reason="driftlearn serve needs it")
pytest.importorskip("prometheus_client", reason="driftlearn serve needs it")
from driftlearn.ops.serving.app import Service

ROWS = b'{"x": 1}'


def service(folder, submit=None, **reader):
    writer = SimpleNamespace(
        folder=folder,
        submit=submit,
        reader=SimpleNamespace(at_once=100, changes=lambda rows: [], **reader),
    )
    return Service(writer, Limits(timeout=0.05))


def requested(service, path, messages=None):
    """Return status, headers and body of the response to a request with rows."""
    sent = []
    left = [*(messages or [{"type": "http.request", "body": ROWS, "more_body": False}])]

    async def receive():
        return left.pop(0)

    async def send(message):
        sent.append(message)

    scope = {
        "type": "http", "method": "POST", "path": path, "raw_path": path.encode(),
        "query_string": b"", "client": ("127.0.0.1", 1), "server": ("127.0.0.1", 2),
        "headers": [(b"host", b"localhost"), (b"content-type", b"application/json")],
        "scheme": "http", "root_path": "", "http_version": "1.1",
    }  # fmt: skip
    asyncio.run(service.app()(scope, receive, send))
    return sent[0]["status"], dict(sent[0]["headers"]), json.loads(sent[1]["body"])


def test_internal_errors_are_reported_and_logged(tmp_path):
    def predict(rows):
        raise KeyError("secret thing")

    status, _, found = requested(service(tmp_path, predict=predict, is_ready=True), "/predict")
    assert status == 500
    assert found == {"error": "Internal error (KeyError). See log.jsonl in the state folder."}
    line = json.loads((tmp_path / "log.jsonl").read_text())
    assert line["route"] == "/predict" and "secret thing" in line["why"]


def test_requests_that_wait_too_long_are_canceled(tmp_path):
    """A request that times out in the queue is canceled: its client has to send it again."""
    future = Future()
    made = service(tmp_path, lambda *_: future, check=lambda rows: None)
    status, headers, found = requested(made, "/learn")
    assert status == 503 and headers[b"retry-after"] == b"5" and future.cancelled()
    assert found["error"] == "The request waited too long and was not learned. Send it again."


def test_started_requests_are_awaited(tmp_path):
    future = Future()
    future.set_running_or_notify_cancel()
    threading.Timer(0.2, future.set_result, [{"rows": 1, "learned": 1}]).start()
    made = service(tmp_path, lambda *_: future, check=lambda rows: None)
    status, _, found = requested(made, "/learn")
    assert status == 200 and found["learned"] == 1


def test_requests_that_outlast_the_service(tmp_path):
    """The server cancels them at the end: they get a response, and are not learned if they wait."""
    future = Future()

    def submit(*_):
        asyncio.get_running_loop().call_soon(asyncio.current_task().cancel)
        return future

    made = service(tmp_path, submit, check=lambda rows: None)
    status, headers, found = requested(made, "/learn")
    assert status == 503 and headers[b"retry-after"] == b"5" and future.cancelled()
    assert "shutting down" in found["error"]


def test_requests_that_wait_for_a_thread_at_the_end(tmp_path):
    made = service(tmp_path, is_ready=True)
    made.is_ending = True
    body = {"type": "http.request", "body": b" " * 200, "more_body": False}
    status, _, found = requested(made, "/predict", [body])
    assert status == 503 and "shutting down" in found["error"]


def test_errors_of_the_writer_become_responses(tmp_path):
    future = Future()
    future.set_exception(RequestError(507, "full", retry_after=5))
    made = service(tmp_path, lambda *_: future, check=lambda rows: None)
    assert requested(made, "/learn")[0] == 507


def test_clients_that_disconnect(tmp_path):
    messages = [
        {"type": "http.request", "body": b"[", "more_body": True},
        {"type": "http.disconnect"},
    ]
    status, _, found = requested(service(tmp_path), "/learn", messages)
    assert status == 400 and "closed before the body" in found["error"]
