"""Tasks on a dask cluster: the worker's side, which writes letters to the client.

A letter goes out when a task begins, twice a second if there are messages, and with the answer.
Every attempt at a task has a name of its own, so that the client sees from a letter of a new
attempt that the worker of the last one was lost.
"""

from __future__ import annotations

import pickle
import threading
import uuid
from collections import deque
from typing import Any

from driftlearn._version import __version__
from driftlearn.workbench.executors import answer

PERIOD = 0.5  # seconds between two letters of a task


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
    with threadpool_limits(1), _Post(worker, name, topic) as post:
        try:
            post.end = answer(key, data, post.emit)
        except Abandoned:
            raise Reschedule from None  # for whoever wants it after all


class _Post:
    """Collects a task's messages and sends them twice a second, in a thread of its own."""

    def __init__(self, worker: Any, name: str, topic: str) -> None:
        self.end: bytes | None = None
        self._worker = worker
        self._name = name
        self._topic = topic
        self._attempt = uuid.uuid4().hex
        self._messages: deque[bytes] = deque()
        self._over = threading.Event()
        self._postman = threading.Thread(target=self._walk, daemon=True)

    def emit(self, message: Any) -> None:
        """Keep a message for the next letter."""
        task = self._worker.state.tasks.get(self._name)
        if task is None or task.state == "cancelled":
            raise Abandoned
        self._messages.append(pickle.dumps(message))

    def _send(self) -> None:
        messages = [self._messages.popleft() for _ in range(len(self._messages))]
        letter = pickle.dumps((self._name, self._attempt, messages, self.end))
        self._worker.log_event(self._topic, letter)

    def _walk(self) -> None:
        while not self._over.wait(PERIOD):
            if self._messages:
                self._send()

    def __enter__(self) -> _Post:
        self._send()
        self._postman.start()
        return self

    def __exit__(self, *exception: object) -> None:
        self._over.set()
        self._postman.join()
        self._send()
