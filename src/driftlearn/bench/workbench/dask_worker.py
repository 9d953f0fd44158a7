"""Tasks on a dask cluster: the worker's side, which sends reports to the client.

A report goes out when a task begins, twice a second if there are messages, and with the answer.
Every attempt at a task has a name of its own, so that the client sees from a report on a new
attempt that the worker of the last one was lost.
"""

from __future__ import annotations

import pickle
import threading
import uuid
from collections import deque
from typing import Any

from driftlearn.bench.workbench.executors import answer
from driftlearn.utils.version import __version__

PERIOD = 0.5  # seconds between two reports on a task: few for the scheduler, soon for a person


class NoCluster(ConnectionError):
    """The cluster cannot be reached, cannot be used, or was lost."""


class Abandoned(BaseException):
    """Raised by `emit` in a task that the client no longer wants."""


def mismatch(worker: str, theirs: str | None, ours: str) -> str:
    """What to say when a worker has another version of driftlearn."""
    return (
        f"the worker at {worker} has driftlearn {theirs or '(none)'} and the client {ours}: "
        "install the same version everywhere"
    )


def work(name: str, key: str, data: bytes, topic: str, version: str) -> None:
    """Run one task on a worker, and write to the client."""
    from distributed import Reschedule, get_worker
    from threadpoolctl import threadpool_limits

    worker = get_worker()
    if version != __version__:
        raise NoCluster(mismatch(worker.address, __version__, version))
    with threadpool_limits(1), _Reports(worker, name, topic) as reports:
        try:
            reports.end = answer(key, data, reports.emit)
        except Abandoned:
            raise Reschedule from None  # for whoever wants it after all


class _Reports:
    """Collects a task's messages and sends them twice a second, in a thread of its own."""

    def __init__(self, worker: Any, name: str, topic: str) -> None:
        self.end: bytes | None = None
        self._worker = worker
        self._name = name
        self._topic = topic
        self._attempt = uuid.uuid4().hex
        self._messages: deque[bytes] = deque()
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._send_now_and_then, daemon=True)

    def emit(self, message: Any) -> None:
        """Keep a message for the next report."""
        task = self._worker.state.tasks.get(self._name)
        if task is None or task.state == "cancelled":
            raise Abandoned
        self._messages.append(pickle.dumps(message))

    def _send(self) -> None:
        messages = [self._messages.popleft() for _ in range(len(self._messages))]
        report = pickle.dumps((self._name, self._attempt, messages, self.end))
        self._worker.log_event(self._topic, report)

    def _send_now_and_then(self) -> None:
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
