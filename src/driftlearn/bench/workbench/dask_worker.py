"""Worker side of `DaskExecutor`, which sends reports to the client.

A report is sent when a task starts, twice a second if there are messages, and with the result.
Every attempt at a task has its own id, so the report of a new attempt shows the client that the
worker of the previous attempt was lost.
"""

from __future__ import annotations

import pickle
import threading
import uuid
from collections import deque
from typing import Any

from driftlearn.bench.workbench.executors import run_pickled
from driftlearn.utils.version import __version__

PERIOD = 0.5  # seconds between reports on a task, to limit the load on the scheduler


class NoCluster(ConnectionError):
    """The cluster is unreachable, unusable or lost."""


class Abandoned(BaseException):
    """Raised by `emit` in a task that the client has given up."""


def mismatch(worker: str, theirs: str | None, ours: str) -> str:
    """Return the message about a worker with another version of driftlearn."""
    return (
        f"the worker at {worker} has driftlearn {theirs or '(none)'} and the client {ours}: "
        "install the same version everywhere"
    )


def work(name: str, key: str, data: bytes, topic: str, version: str) -> None:
    """Run a task on a worker and send reports to the client."""
    from distributed import Reschedule, get_worker
    from threadpoolctl import threadpool_limits

    worker = get_worker()
    if version != __version__:
        raise NoCluster(mismatch(worker.address, __version__, version))
    with threadpool_limits(1), _Reports(worker, name, topic) as reports:
        try:
            reports.end = run_pickled(key, data, reports.emit)
        except Abandoned:
            raise Reschedule from None  # another client may need the result


class _Reports:
    """Collects the messages of a task and sends them in a separate thread."""

    def __init__(self, worker: Any, name: str, topic: str) -> None:
        self.end: bytes | None = None
        self._worker = worker
        self._name = name
        self._topic = topic
        self._attempt = uuid.uuid4().hex
        self._messages: deque[bytes] = deque()
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._send_periodically, daemon=True)

    def emit(self, message: Any) -> None:
        """Add a message to the next report."""
        task = self._worker.state.tasks.get(self._name)
        if task is None or task.state == "cancelled":
            raise Abandoned
        self._messages.append(pickle.dumps(message))

    def _send(self) -> None:
        messages = [self._messages.popleft() for _ in range(len(self._messages))]
        report = pickle.dumps((self._name, self._attempt, messages, self.end))
        self._worker.log_event(self._topic, report)

    def _send_periodically(self) -> None:
        while not self._over.wait(PERIOD):
            if self._messages:
                self._send()

    def __enter__(self) -> _Reports:
        self._send()
        self._thread.start()
        return self

    def __exit__(self, *exception: object) -> None:
        self._over.set()
        self._thread.join()
        self._send()
